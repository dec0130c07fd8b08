"""Random networks, as a pure function of their shape, law and seed.

Weights drawn from a normal or uniform law are the float64 numbers drawn, taken exactly; integer weights make the
coincidences (parallel and repeated walls, common points) that break approximate counters.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from exactregions.errors import InputError
from exactregions.network import Network

__all__ = ["LAWS", "random_network"]

LAWS = ("he", "uniform", "integer", "zero-bias")


def random_network(
    input_dim: int,
    widths: Sequence[int],
    *,
    law: str = "he",
    rng: np.random.Generator | int = 0,
    outputs: int = 1,
    bias_std: float = 1.0,
    size: int = 2,
    activation: object = "relu",
) -> Network:
    """Draw a network.

    Parameters
    ----------
    input_dim : int
    widths : sequence of int
        Hidden widths.
    law : {"he", "uniform", "integer", "zero-bias"}
        ``he``: weights N(0, 2 / fan-in), biases N(0, bias_std^2).  ``uniform``: weights and biases uniform in
        +-1 / sqrt(fan-in), PyTorch's default.  ``integer``: both uniform among -size, ..., size.  ``zero-bias``: as
        ``he``, with all hidden biases zero.
    rng : Generator or int
        A source of random numbers or a seed.
    outputs : int
        Outputs of the affine last layer; 0 for none.
    activation : anything that `Network` takes

    Examples
    --------
    >>> random_network(3, (16, 16), rng=1)
    <Network 3-16-16-1 relu>
    >>> random_network(2, (2,), law="integer", rng=7) == random_network(2, (2,), law="integer", rng=7)
    True
    """
    if law not in LAWS:
        raise InputError(f"no law {law!r}", remedy=f"choose one of {', '.join(LAWS)}")
    if min(input_dim, *widths, 1) < 1 or outputs < 0 or size < 1 or not bias_std >= 0:
        raise InputError("widths, inputs and size are at least 1, outputs and bias_std at least 0")
    source = np.random.default_rng(rng)
    fan_in = input_dim
    layers: list[tuple[np.ndarray, np.ndarray]] = []
    for width in [*widths, *([outputs] if outputs else [])]:
        if law == "integer":
            layers.append((source.integers(-size, size + 1, (width, fan_in)), source.integers(-size, size + 1, width)))
        elif law == "uniform":
            edge = 1 / sqrt(fan_in)
            layers.append((source.uniform(-edge, edge, (width, fan_in)), source.uniform(-edge, edge, width)))
        else:
            weights = source.normal(0, sqrt(2 / fan_in), (width, fan_in))
            layers.append((weights, source.normal(0, bias_std, width) * (law == "he")))
        fan_in = width
    hidden = layers[: len(widths)]
    return Network(hidden, output=layers[-1] if outputs else None, activation=activation, input_dim=input_dim)
