"""Signs that float bounds leave open when a cell is loaded into the vertex kernel."""

from __future__ import annotations

import numpy as np
import pytest

import exactregions as er
from exactregions.enumeration.split import split


def deep(width, depth, seed):
    """Return a network of two inputs whose error bounds grow over many layers."""
    rng = np.random.default_rng(seed)
    layers, size = [], 2
    for _ in range(depth):
        layers.append((rng.normal(0, np.sqrt(2 / size), (width, size)), rng.normal(0, 0.5, width)))
        size = width
    return er.Network(layers)


@pytest.mark.parametrize(("width", "depth", "seed"), [(4, 20, 0), (4, 20, 2), (4, 20, 5), (40, 7, 1), (40, 7, 3)])
def test_a_row_that_surely_cuts_is_settled_at_every_vertex(width, depth, seed):
    """A row of both signs cuts the cell, yet its children need the signs that are still unknown at other vertices."""
    network = deep(width, depth, seed)
    found = split(network, er.WholeSpace(2), rung="float", kernel="vertices", mode="count")
    assert found.method["refined"] > 0
    assert found.method["escalated"] == 0
    if width < 10:
        assert found.n_cells == split(network, er.WholeSpace(2), rung="exact", mode="count").n_cells
