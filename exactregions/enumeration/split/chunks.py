"""What kernels hand to the engine, a chunk at a time, and witnesses that are checked exactly.

A kernel yields `Chunk`s: settled cells, and prefixes below which it could not decide a sign; the next rung
takes those over.  A prefix gives, for each of the first layers, a side for every row (`RowLayer`): 1, -1, or 0: open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactregions.domains import Domain
from exactregions.enumeration.split.exact import ExactCell
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.errors import UndecidedError
from exactregions.network import Network
from exactregions.patterns import PatternCodec

__all__ = ["Chunk", "Prefix", "exact_chunk", "is_strictly_inside"]

Point = tuple[Fraction, ...]
Prefix = tuple[tuple[int, ...], ...]


@dataclass(slots=True)
class Chunk:
    """Cells settled by a kernel, and what it left undecided.

    Attributes
    ----------
    n_cells, n_strict : int
        All cells of the chunk, and those without a degenerate neuron.
    patterns : uint8 array (n_cells, n_bytes), or None when only counting
        Packed by `PatternCodec`.
    points : float64 array (n_cells, dim of the domain), or None when only counting
        One point strictly inside each cell, as the exact numbers that the floats are.
    exact_points : mapping of int to points
        For the rows whose point is not a float64 vector.
    degenerate : uint8 array (n_cells, ceil(N / 8)), or None
        Degenerate neurons as bits, first neuron in the most significant one; None if there are none.
    facet_counts : int64 array (n_cells,), or None
        How many facets inside the domain each cell has, where facets are wanted and the kernel tells.
    facet_rows : int32 array
        The rows that are these facets, numbered through all layers, cell after cell.
    undecided : list of Prefix
        Subtrees left to the next rung.
    decisions : mapping of str to int
        How many signs each rung decided, and other counters.
    fraction : float
        About which part of the search is done with this chunk, judged by its prefixes; 0 if it cannot be told.
    complete : bool
        False if the kernel was stopped, so that cells are missing.
    """

    n_cells: int
    n_strict: int
    patterns: NDArray[np.uint8] | None = None
    points: NDArray[np.float64] | None = None
    exact_points: dict[int, Point] = field(default_factory=dict)
    degenerate: NDArray[np.uint8] | None = None
    facet_counts: NDArray[np.int64] | None = None
    facet_rows: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    undecided: list[Prefix] = field(default_factory=list)
    decisions: Mapping[str, int] = field(default_factory=dict)
    fraction: float = 0.0
    complete: bool = True


def exact_chunk(
    problem: HomogeneousProblem, cells: Iterable[ExactCell], *, listing: bool, faceting: bool = False
) -> Chunk:
    """Make a chunk of cells of the exact rung, each witness checked in rational arithmetic."""
    found = list(cells)
    strict = sum(not cell.degenerate for cell in found)
    if not listing:
        return Chunk(len(found), strict)
    network, domain = problem.network, problem.domain
    points = np.zeros((len(found), domain.dim))
    exact: dict[int, Point] = {}
    marks = np.zeros((len(found), network.n_neurons), np.uint8)
    for place, cell in enumerate(found):
        marks[place, list(cell.degenerate)] = 1
        point = problem.lift(cell.ray)
        near = _near(point)
        points[place] = near
        rounded = tuple(map(Fraction, near))
        if not is_strictly_inside(network, domain, rounded, cell.pattern, cell.degenerate):
            if not is_strictly_inside(network, domain, point, cell.pattern, cell.degenerate):
                raise UndecidedError("internal error: the exact rung gave a cell whose witness is not inside it")
            exact[place] = point
    packed = PatternCodec.of(network).pack([cell.pattern for cell in found])
    flags = np.packbits(marks, axis=1) if strict < len(found) else None
    chunk = Chunk(len(found), strict, packed, points, exact, flags)
    if faceting:
        rows = [cell.facet_rows for cell in found]
        chunk.facet_counts = np.array([len(own) for own in rows], np.int64)
        chunk.facet_rows = np.array([row for own in rows for row in own], np.int32)
    return chunk


def is_strictly_inside(
    network: Network, domain: Domain, point: Point, pattern: Sequence[int], degenerate: Sequence[int]
) -> bool:
    """Whether a point has the pattern, lies off all walls of neurons that are not degenerate, and in the domain."""
    if not domain.contains(point):
        return False
    values = [value for layer in network.pre_activations(point) for value in layer]
    skipped = set(degenerate)
    for neuron, (value, phi, piece) in enumerate(zip(values, network.neurons, pattern, strict=True)):
        if phi.piece_of(value) != piece:
            return False
        if (neuron in skipped) != (piece < len(phi.breakpoints) and phi.breakpoints[piece] == value):
            return False
    return True


def _near(point: Point) -> list[float]:
    try:
        return [float(value) for value in point]
    except OverflowError:
        return [0.0] * len(point)
