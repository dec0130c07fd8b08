"""Random networks for statements about averages, and exact counts on them.

Weights are drawn as He et al. do: normal with variance 2 / fan-in; biases normal with a given deviation.  The draws are
float64, that is, rationals; counts on them are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from exactregions import Network

__all__ = ["draw", "draw_weights"]

Layers = list[tuple[NDArray[np.float64], NDArray[np.float64]]]


def draw_weights(rng: np.random.Generator, dim: int, widths: Sequence[int], *, bias_deviation: float = 1.0) -> Layers:
    """Draw W and b of each hidden layer in turn: W_1, b_1, W_2, b_2, ..."""
    layers: Layers = []
    size = dim
    for width in widths:
        weights = rng.normal(0.0, (2 / size) ** 0.5, (width, size))
        bias = rng.normal(0.0, bias_deviation, width) if bias_deviation else np.zeros(width)
        layers.append((weights, bias))
        size = width
    return layers


def draw(rng: np.random.Generator, dim: int, widths: Sequence[int], *, bias_deviation: float = 1.0) -> Network:
    """Draw a ReLU network without output layer.

    Examples
    --------
    >>> draw(np.random.default_rng(0), 2, [3, 3]).widths
    (3, 3)
    """
    return Network(draw_weights(rng, dim, widths, bias_deviation=bias_deviation), input_dim=dim)
