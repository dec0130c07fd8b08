"""What every rung and kernel of split must satisfy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import exactregions as er
from exactregions.domains import Slice
from exactregions.patterns import PatternCodec


def arrangement(entry):
    rows = entry["rows"]
    return er.Network([([row[:-1] for row in rows], [row[-1] for row in rows])], input_dim=entry["d"])


def witnesses(found):
    return [found.exact_points.get(i, tuple(map(Fraction, row))) for i, row in enumerate(found.points.tolist())]


def check_listing(network, domain, found, *, sample=None):
    """Patterns are distinct and sorted, and each witness has its pattern and its degenerate neurons, exactly."""
    own = network.composed_with(domain.lift_matrix()) if isinstance(domain, Slice) else network
    codec = PatternCodec.of(network)
    patterns = codec.unpack(found.patterns)
    assert len(patterns) == len(found.points) == found.n_cells
    assert np.array_equal(codec.order(found.patterns), np.arange(found.n_cells))
    assert len({row.tobytes() for row in patterns}) == found.n_cells
    assert int(found.strict.sum()) == found.n_strict
    flags = np.zeros((found.n_cells, network.n_neurons), np.uint8)
    if found.degenerate is not None:
        flags = np.unpackbits(found.degenerate, axis=1, count=network.n_neurons)
    points = witnesses(found)
    indices = range(found.n_cells) if sample is None else range(0, found.n_cells, max(1, found.n_cells // sample))
    for i in indices:
        assert domain.contains(points[i])
        assert own.pattern_at(points[i]) == tuple(patterns[i])
        assert list(own.breakpoints_at(points[i])) == list(flags[i].astype(bool))


def texts(network, found):
    codec = PatternCodec.of(network)
    return [codec.format(row) for row in codec.unpack(found.patterns)]
