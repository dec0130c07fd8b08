"""Which cells share a facet, from their inequalities alone.

On a facet F between cells A and B every pre-activation is continuous, so the neurons at a breakpoint all over F are the
same seen from both sides: those with a wall along F, and the degenerate ones.  All other neurons keep their piece.
Hence neighbours agree on the hyperplane, on that set of neurons, and on all pieces outside it; cells that agree so are
candidates, and a pair is adjacent iff the rows of both, restricted to the hyperplane, are strictly feasible there: one
exact LP in one dimension less.  (Patterns alone do not tell: two cells may differ in one neuron and not touch.)

If the irredundant rows of every cell are known, no program is needed: the state on a facet names it (see `faces`), so
each name is met once from either side.  That takes time in proportion to the number of cells; `shared_facets`, which
looks at pairs and shares no code with it but the names, stays as the reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import UndecidedError
from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.lp.facets import find_facets
from exactregions.regions.inequalities import CellInequalities

if TYPE_CHECKING:
    import networkx as nx

    from exactregions.regions.complex import RegionComplex

__all__ = [
    "degree_statistics",
    "facet_name",
    "facet_pairs",
    "neighbour_arrays",
    "region_graph",
    "renumber",
    "shared_facet",
    "shared_facets",
]

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
        for place in range(len(cell.rows)):
            if cell.is_wall(place):
                name, upper = facet_name(cell, place, pattern)
                sides[name][upper].append(index)
    pairs = set()
    for (hyperplane, _), (below, above) in sides.items():
        for i, j in product(below, above):
            if shared_facet(cells[i], cells[j], hyperplane) is not None:
                pairs.add((min(i, j), max(i, j)))
    return np.array(sorted(pairs), dtype=np.int64).reshape(len(pairs), 2)


def shared_facet(first: CellInequalities, second: CellInequalities, hyperplane: Row) -> tuple[Fraction, ...] | None:
    """Return a point on a hyperplane where all other rows of two cells are positive, or None if there is none."""
    hyperplane = _orient(hyperplane)[0]
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


def facet_pairs(
    cells: Iterable[tuple[CellInequalities, Sequence[int], Sequence[Fraction]]],
) -> NDArray[np.int64]:
    """Return the same pairs as `shared_facets`, from the inequalities, pattern and witness of each cell in turn.

    Raises
    ------
    UndecidedError
        If three cells claim one facet, so that the list of cells cannot be right.
    """
    sides: dict[tuple[Row, tuple[int, ...]], list[int]] = defaultdict(lambda: [-1, -1])
    for index, (cell, pattern, witness) in enumerate(cells):
        for facet in find_facets(cell.matrix, witness):
            if cell.is_wall(facet.row):
                name, upper = facet_name(cell, facet.row, pattern)
                if sides[name][upper] >= 0:
                    raise UndecidedError(f"cells {sides[name][upper]} and {index} claim the same side of one facet")
                sides[name][upper] = index
    pairs = sorted((min(pair), max(pair)) for pair in sides.values() if min(pair) >= 0)
    return np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)


def neighbour_arrays(pairs: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the neighbours of all cells as two arrays: those of cell k are ``cells[starts[k] : starts[k + 1]]``.

    Examples
    --------
    >>> starts, cells = neighbour_arrays(np.array([[0, 2], [1, 2]]), 3)
    >>> starts.tolist(), cells.tolist()
    ([0, 1, 2, 4], [2, 2, 0, 1])
    """
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    starts = np.searchsorted(both[:, 0], np.arange(count + 1))
    return starts.astype(np.int64), np.ascontiguousarray(both[:, 1])


def degree_statistics(pairs: NDArray[np.int64], count: int) -> dict[str, Any]:
    """Least, mean (exact) and largest number of neighbours of a cell, and how many cells have each number.

    Examples
    --------
    >>> degree_statistics(np.array([[0, 2], [1, 2]]), 3)
    {'min': 1, 'mean': Fraction(4, 3), 'max': 2, 'counts': {1: 2, 2: 1}}
    """
    degrees = np.bincount(pairs.ravel(), minlength=count)
    values, numbers = np.unique(degrees, return_counts=True)
    return {
        "min": int(degrees.min()) if count else 0,
        "mean": Fraction(2 * len(pairs), count) if count else Fraction(0),
        "max": int(degrees.max(initial=0)),
        "counts": dict(zip(values.tolist(), numbers.tolist(), strict=True)),
    }


def renumber(facets: NDArray[np.int64], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Rewrite pairs of old indices as sorted pairs of new ones, given the old index at each new place."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    pairs = np.sort(place[facets.reshape(len(facets), 2)], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))] if len(pairs) else pairs


def region_graph(complex_: RegionComplex) -> nx.Graph:
    """Return the adjacency graph of a complex; see `RegionComplex.graph`."""
    import networkx as nx

    graph = nx.Graph(network=complex_.network.fingerprint, domain=str(complex_.domain), status=complex_.status.value)
    table = complex_.codec.unpack(complex_.packed)
    for index, text in enumerate(complex_.pattern_texts()):
        graph.add_node(index, pattern=text, strict=bool(complex_.strict[index]))
    for i, j in complex_.facets.tolist():
        graph.add_edge(i, j, neurons=np.flatnonzero(table[i] != table[j]).tolist())
    return graph


def facet_name(cell: CellInequalities, place: int, pattern: Sequence[int]) -> tuple[tuple[Row, tuple[int, ...]], bool]:
    """Return what both cells of a facet on a row agree on, and whether this cell is on the upper side of it."""
    hyperplane, upper = _orient(cell.rows[place])
    still = frozenset(side.neuron for side in cell.sides[place]).union(cell.degenerate)
    kept = tuple(-1 if neuron in still else int(piece) for neuron, piece in enumerate(pattern))
    return (hyperplane, kept), upper


def _orient(row: Row) -> tuple[Row, bool]:
    """Return the row with a positive first coefficient, and whether it had one already."""
    lead = next(entry for entry in row if entry)
    return (row, True) if lead > 0 else (tuple([-entry for entry in row]), False)


def _substitute(row: Row, hyperplane: Row, pivot: int) -> Row:
    """Eliminate coordinate `pivot` by the hyperplane's equation, keeping the row's sign."""
    scale, factor = abs(hyperplane[pivot]), row[pivot] * (1 if hyperplane[pivot] > 0 else -1)
    return tuple([scale * a - factor * h for k, (a, h) in enumerate(zip(row, hyperplane, strict=True)) if k != pivot])
