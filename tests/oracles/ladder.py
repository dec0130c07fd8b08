"""The ladder: fixed random ReLU networks that the oracle counts `ladder_*.json` belong to.

Weights are He-normal (variance 2 / fan-in), biases N(0, bias_std^2), the last layer is one linear output; everything is
a pure function of the name.  ``python -m tests.oracles.ladder OUTDIR`` writes NAME.npz for each.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LADDER: dict[str, tuple[int, list[int], float]] = {  # name: (inputs, hidden widths, bias_std)
    "d2-16x2": (2, [16] * 2, 0.5),
    "d2-32x3": (2, [32] * 3, 0.5),
    "d2-64x3": (2, [64] * 3, 0.5),
    "d2-128x3": (2, [128] * 3, 0.5),
    "d2-256x4": (2, [256] * 4, 0.5),
    "d3-8x2": (3, [8] * 2, 0.5),
    "d3-16x2": (3, [16] * 2, 0.5),
    "d3-32x2": (3, [32] * 2, 0.5),
    "d3-64x2": (3, [64] * 2, 0.5),
    "d4-8x2": (4, [8] * 2, 0.5),
    "d4-16x2": (4, [16] * 2, 0.5),
    "d4-32x2": (4, [32] * 2, 0.5),
    "d5-8x3": (5, [8] * 3, 0.5),
    "d5-16x2": (5, [16] * 2, 0.5),
    "d6-10x2": (6, [10] * 2, 0.5),
    "d6-16x2": (6, [16] * 2, 0.5),
    "d8-10x2": (8, [10] * 2, 0.5),
    "d10-12x1": (10, [12], 0.5),
    "d10-10x2": (10, [10] * 2, 0.5),
    "d16-12x2": (16, [12] * 2, 0.5),
    "arr-d3-100": (3, [100], 0.5),
    "arr-d5-30": (5, [30], 0.5),
    "arr-d8-20": (8, [20], 0.5),
    "arr-d10-20": (10, [20], 0.5),
    "zb-d3-16x2": (3, [16] * 2, 0.0),
    "zb-d4-16x2": (4, [16] * 2, 0.0),
    "zb-d5-12x2": (5, [12] * 2, 0.0),
}


def build(name: str) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return the layers (W, b) of a network of the ladder, the output layer last."""
    fan_in, widths, bias_std = LADDER[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    layers = []
    for width in [*widths, 1]:
        layers.append((rng.normal(0, np.sqrt(2 / fan_in), (width, fan_in)), rng.normal(0, 1, width) * bias_std))
        fan_in = width
    return layers


def main(folder: Path) -> None:
    """Write every network of the ladder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in LADDER:
        arrays = {}
        for index, (weights, bias) in enumerate(build(name), start=1):
            arrays[f"W{index}"], arrays[f"b{index}"] = weights, bias
        np.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
