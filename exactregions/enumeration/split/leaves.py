"""Leaves of a kernel become cells: their points checked with certified signs, their patterns packed.

A listed cell has a witness that is exactly the floats stored.  All points of a chunk pass through the network in
floating point at once, with an error bound for each point and layer as in `vertices_kernel` (the point itself is
exact): every row must have the sign of the leaf by more than its bound; only rows that are identically 0 on the cell
are skipped, for the kernel knows those exactly.  A point that fails is tried in rational arithmetic, and if it is not
inside, the exact rung gives one for that pattern.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.chunks import Chunk, exact_chunk, is_strictly_inside
from exactregions.enumeration.split.exact import search_exact
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.enumeration.split.vertices_net import VertexNet, vertex_net
from exactregions.enumeration.split.vertices_refine import TINY, U
from exactregions.errors import UndecidedError
from exactregions.patterns import PatternCodec

__all__ = ["settle_leaves"]

Words = NDArray[np.uint64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]
_UP = 1.0 + 1e-6


def settle_leaves(problem: HomogeneousProblem, signs: Words, zeros: Words, rays: Floats, chunk: Chunk) -> None:
    """Put patterns, witnesses and degenerate neurons of leaves into a chunk.

    Parameters
    ----------
    problem : HomogeneousProblem
        What is searched.
    signs, zeros : uint64 arrays of shape (n, words)
        Rows with g > 0, and rows that are identically 0; each layer begins a new word, row 0 in its lowest bit.
    rays : float64 array of shape (n, n_coordinates)
        Homogeneous vectors about inside the cells.
    chunk : Chunk
        Where they go.
    """
    up = [_bits(signs, *place) for place in _words(problem)]
    flat = [_bits(zeros, *place) for place in _words(problem)]
    pieces, degenerate = _pieces(problem, up, flat)
    with np.errstate(all="ignore"):
        points = rays if problem.is_cone else rays[:, :-1] / rays[:, -1:]
    points = np.where(np.isfinite(points), points, 0.0)
    lifted = problem.lift_floats(points)
    inside = _certainly_inside(problem, up, flat, points)
    chunk.patterns = _pack(problem, pieces)
    chunk.points = lifted
    chunk.degenerate = np.packbits(degenerate, axis=1) if degenerate.any() else None
    for place in np.flatnonzero(~inside).tolist():
        pattern = tuple(map(int, pieces[place]))
        flags = tuple(np.flatnonzero(degenerate[place]).tolist())
        point = tuple(map(Fraction, lifted[place].tolist()))
        if not is_strictly_inside(problem.network, problem.domain, point, pattern, flags):
            _take_exact(problem, up, place, chunk)


def _take_exact(problem: HomogeneousProblem, up: list[Bits], place: int, chunk: Chunk) -> None:
    """Replace a witness by the exact rung's, which must agree that there is one cell with this pattern."""
    prefix = tuple(tuple(np.where(layer[place], 1, -1).tolist()) for layer in up)
    found = exact_chunk(problem, search_exact(problem, prefix), listing=True)
    if (
        found.n_cells != 1
        or found.patterns is None
        or found.points is None
        or chunk.patterns is None
        or chunk.points is None
        or not np.array_equal(found.patterns[0], chunk.patterns[place])
    ):
        raise UndecidedError("internal error: a kernel listed a pattern that the exact rung does not find")
    chunk.points[place] = found.points[0]
    if found.exact_points:
        chunk.exact_points[place] = found.exact_points[0]


def _words(problem: HomogeneousProblem) -> list[tuple[int, int]]:
    places, at = [], 0
    for layer in problem.layers:
        places.append((at, layer.n_rows))
        at += -(-layer.n_rows // 64)
    return places


def _bits(words: Words, first: int, count: int) -> Bits:
    part = np.ascontiguousarray(words[:, first : first - (-count // 64)]).astype("<u8").view(np.uint8)
    return np.unpackbits(part, axis=1, count=count, bitorder="little").astype(np.bool_)


def _pieces(problem: HomogeneousProblem, up: list[Bits], flat: list[Bits]) -> tuple[NDArray[np.int64] | Bits, Bits]:
    """Count a neuron's rows with g > 0, and mark it if one of its rows is identically 0."""
    if _one_row_each(problem):
        walls = [np.array(layer.is_wall) for layer in problem.layers]
        single = np.concatenate([bits & wall for bits, wall in zip(up, walls, strict=True)], axis=1)
        return single, np.concatenate([nil & wall for nil, wall in zip(flat, walls, strict=True)], axis=1)
    pieces, marks = [], []
    for layer, bits, nil in zip(problem.layers, up, flat, strict=True):
        neurons = np.array(layer.neurons)
        starts = np.flatnonzero(np.diff(neurons, prepend=-1))
        wall = np.array(layer.is_wall)
        pieces.append(np.add.reduceat((bits & wall).astype(np.int64), starts, axis=1))
        marks.append(np.add.reduceat((nil & wall).astype(np.int64), starts, axis=1) > 0)
    return np.concatenate(pieces, axis=1), np.concatenate(marks, axis=1)


def _one_row_each(problem: HomogeneousProblem) -> bool:
    return all(layer.n_rows == layer.neurons[-1] + 1 for layer in problem.layers)


def _pack(problem: HomogeneousProblem, pieces: NDArray[np.int64] | Bits) -> NDArray[np.uint8]:
    if _one_row_each(problem):  # one bit a neuron
        return np.packbits(pieces.astype(np.bool_), axis=1)
    return PatternCodec.of(problem.network).pack(pieces.astype(np.int64))


def _certainly_inside(problem: HomogeneousProblem, up: list[Bits], flat: list[Bits], points: Floats) -> Bits:
    """For each point whether all its signs are certainly those of the leaf."""
    net = vertex_net(problem, integral=False)
    if net is None:
        return np.zeros(len(points), np.bool_)
    return _propagate(problem, net, up, flat, points)


def _propagate(problem: HomogeneousProblem, net: VertexNet, up: list[Bits], flat: list[Bits], points: Floats) -> Bits:
    n = len(points)
    signal = points if problem.is_cone else np.hstack([points, np.ones((n, 1))])
    with np.errstate(all="ignore"):
        norm = np.sqrt((signal * signal).sum(axis=1)) * _UP
        ok = np.ones(n, np.bool_)
        if len(net.domain):
            sizes = np.sqrt((net.domain**2).sum(axis=1)) * _UP
            ok = (signal @ net.domain.T > (net.cols[0] + 6) * U * sizes * norm[:, None] * _UP + TINY).all(axis=1)
        error = np.zeros(n)
        for q, layer in enumerate(problem.layers):
            at, rows, cols = int(net.start[q]), int(net.rows[q]), int(net.cols[q])
            values = signal @ net.flat[at : at + rows * cols].reshape(rows, cols).T
            g = (cols + 6) * U
            bound = (net.row_norm[q] * (error + g * (norm + error)) * _UP + TINY)[:, None]
            right = np.where(up[q], values > bound, values < -bound) | ~np.array(layer.is_wall) | flat[q]
            ok &= right.all(axis=1)
            two = (net.spectral[q] * error + g * net.frobenius[q] * (norm + error)) * _UP + TINY
            slopes = np.array([[float(a), float(b)] for a, b in layer.slopes])
            features = values * np.where(up[q], slopes[:, 1], slopes[:, 0])
            total = np.sqrt((features * features).sum(axis=1)) * _UP
            error = (net.lipschitz[q] * two + 2.01 * U * total) * _UP
            unit = np.zeros((n, 1)) if problem.is_cone else np.ones((n, 1))
            signal = np.hstack([features, unit])
            norm = np.sqrt(total * total + unit[:, 0]) * _UP
    return ok
