"""Which cells share a facet, from their inequalities alone.

On a facet F between cells A and B every pre-activation is continuous, so the neurons at a breakpoint all over F are the
same seen from both sides: those with a wall along F, and the degenerate ones.  All other neurons keep their piece.
Hence neighbours agree on the hyperplane, on that set of neurons, and on all pieces outside it; cells that agree so are
candidates, and a pair is adjacent iff the rows of both, restricted to the hyperplane, are strictly feasible there: one
exact LP in one dimension less.  (Patterns alone do not tell: two cells may differ in one neuron and not touch.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.regions.inequalities import CellInequalities

__all__ = ["shared_facet", "shared_facets"]

Row = tuple[int, ...]


def shared_facets(cells: Sequence[CellInequalities], patterns: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return all pairs (i, j), i < j, of cells that share a facet inside the domain, sorted.

    Parameters
    ----------
    cells : sequence of CellInequalities
        All cells of a complex.
    patterns : sequence of sequences of int
        Their patterns.
    """
    sides: dict[tuple[Row, tuple[int, ...]], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for index, (cell, pattern) in enumerate(zip(cells, patterns, strict=True)):
        for place, row in enumerate(cell.rows):
            if cell.is_wall(place):
                hyperplane, upper = _orient(row)
                still = frozenset(side.neuron for side in cell.sides[place]).union(cell.degenerate)
                kept = tuple(-1 if neuron in still else int(piece) for neuron, piece in enumerate(pattern))
                sides[hyperplane, kept][upper].append(index)
    pairs = set()
    for (hyperplane, _), (below, above) in sides.items():
        for i, j in product(below, above):
            if shared_facet(cells[i], cells[j], hyperplane) is not None:
                pairs.add((min(i, j), max(i, j)))
    return np.array(sorted(pairs), dtype=np.int64).reshape(len(pairs), 2)


def shared_facet(first: CellInequalities, second: CellInequalities, hyperplane: Row) -> tuple[Fraction, ...] | None:
    """Return a point on a hyperplane where all other rows of two cells are positive, or None if there is none."""
    pivot = next(k for k, entry in enumerate(hyperplane[:-1]) if entry)
    rows = [row for cell in (first, second) for row in cell.rows if _orient(row)[0] != hyperplane]
    reduced = [_substitute(row, hyperplane, pivot) for row in dict.fromkeys(rows)]
    answer = solve(StrictSystem.from_rows(reduced, len(hyperplane) - 2))
    if not isinstance(answer, Feasible):
        return None
    rest = list(answer.witness)
    coefficients = [*hyperplane[:pivot], *hyperplane[pivot + 1 : -1]]
    value = sum((a * x for a, x in zip(coefficients, rest, strict=True)), Fraction(hyperplane[-1]))
    return (*rest[:pivot], -value / hyperplane[pivot], *rest[pivot:])


def _orient(row: Row) -> tuple[Row, bool]:
    """Return the row with a positive first coefficient, and whether it had one already."""
    lead = next(entry for entry in row if entry)
    return (row, True) if lead > 0 else (tuple([-entry for entry in row]), False)


def _substitute(row: Row, hyperplane: Row, pivot: int) -> Row:
    """Eliminate coordinate `pivot` by the hyperplane's equation, keeping the row's sign."""
    scale, factor = abs(hyperplane[pivot]), row[pivot] * (1 if hyperplane[pivot] > 0 else -1)
    return tuple([scale * a - factor * h for k, (a, h) in enumerate(zip(row, hyperplane, strict=True)) if k != pivot])
