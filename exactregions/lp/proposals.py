"""Floating-point proposals for facet finding, on the polar form of a cell.

In few dimensions all vertices of the known facets are listed at once; otherwise HiGHS answers, warm from one question
to the next.  Nothing here decides: a proposal names a direction or a support, and `exactregions.lp.facets` checks it
exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from exactregions.lp.highs import new_solver

__all__ = ["PolarLP", "Proposal", "propose_from_vertices"]

_MOST_BASES = 1000  # beyond this, linear programs are cheaper than listing


@dataclass(frozen=True, slots=True)
class Proposal:
    """What HiGHS suggests for one row.

    Attributes
    ----------
    exceeds : bool
        Whether the row seems to cut the polyhedron of the required rows by far; only the order of trials rests on it.
    point : ndarray of shape (d,)
        The maximiser u.
    support : sequence of int
        Required rows that seem tight there.
    """

    exceeds: bool
    point: NDArray[np.float64]
    support: Sequence[int]


class PolarLP:
    """Maximise b_i.u over {u : b_j.u <= 1 for the required rows j}, for one row i after another.

    Parameters
    ----------
    polar : ndarray of shape (m, d)
        The points b_i.
    """

    def __init__(self, polar: NDArray[np.float64]) -> None:
        import highspy

        count, dim = polar.shape
        self._norms = np.linalg.norm(polar, axis=1)
        self._polar = polar / self._norms[:, None]
        self._limits = 1.0 / self._norms
        self._required: set[int] = set()
        self._infinity = highspy.kHighsInf
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._at_upper = highspy.HighsBasisStatus.kUpper
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = dim, count
        lp.col_cost_ = np.zeros(dim)
        lp.col_lower_, lp.col_upper_ = np.full(dim, -self._infinity), np.full(dim, self._infinity)
        lp.row_lower_, lp.row_upper_ = np.full(count, -self._infinity), np.full(count, self._infinity)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.arange(0, count * dim + 1, dim, dtype=np.int32)
        lp.a_matrix_.index_ = np.tile(np.arange(dim, dtype=np.int32), count)
        lp.a_matrix_.value_ = np.ascontiguousarray(self._polar).ravel()
        lp.sense_ = highspy.ObjSense.kMaximize
        self._columns = np.arange(dim, dtype=np.int32)
        self._highs = new_solver()
        self._highs.passModel(lp)

    def require(self, row: int) -> None:
        """Add a row to the polyhedron."""
        if row not in self._required:
            self._required.add(row)
            self._highs.changeRowBounds(row, -self._infinity, self._limits[row])

    def maximise(self, row: int) -> Proposal | None:
        """Return the proposal for a row that is not required; None if HiGHS finds no optimum."""
        cap = 2.0 * self._limits[row]
        self._highs.changeRowBounds(row, -self._infinity, cap)
        self._highs.changeColsCost(len(self._columns), self._columns, self._polar[row])
        self._highs.run()
        found = self._highs.getModelStatus() == self._optimal
        proposal = self._read(row) if found else None
        self._highs.changeRowBounds(row, -self._infinity, self._infinity)
        return proposal

    def _read(self, row: int) -> Proposal:
        point = np.array(self._highs.getSolution().col_value)
        exceeds = bool(self._polar[row] @ point > 1.001 * self._limits[row])
        if exceeds:
            return Proposal(True, point, ())
        status = self._highs.getBasis().row_status
        return Proposal(False, point, sorted([j for j in self._required if status[j] == self._at_upper]))


def propose_from_vertices(
    polar: NDArray[np.float64], facets: Sequence[int], candidates: Sequence[int]
) -> Iterator[tuple[Proposal, list[int]]]:
    """Propose, for rows grouped by the vertex where they are largest, a support or a direction beyond.

    The known facets are closed by a far simplex, so that directions in which they are unbounded are vertices too.
    Yields nothing if there are too many bases to list.
    """
    dim = polar.shape[1]
    if not candidates or comb(len(facets) + dim + 1, dim) > _MOST_BASES:
        return
    walls = np.concatenate([polar[np.asarray(facets, dtype=np.intp)], _far_simplex(polar)])
    bases = _bases(len(walls), dim)
    systems = walls[bases]
    determinants = np.abs(np.linalg.det(systems))
    regular = determinants > 1e-12 * np.prod(np.linalg.norm(systems, axis=2), axis=1)
    bases, systems = bases[regular], systems[regular]
    points = np.linalg.solve(systems, np.ones((len(systems), dim, 1)))[:, :, 0]
    inside = (walls @ points.T).max(axis=0) < 1.000001
    bases, points = bases[inside], points[inside]
    if not len(points):
        return
    gains = polar[np.asarray(candidates)] @ points.T
    best = gains.argmax(axis=1)
    for vertex in dict.fromkeys(best.tolist()):
        rows = [candidates[k] for k in np.flatnonzero(best == vertex).tolist()]
        exceeds = bool(gains[best == vertex, vertex].max() > 1.001)
        support = () if exceeds else [facets[k] for k in bases[vertex].tolist() if k < len(facets)]
        yield Proposal(exceeds, points[vertex], support), rows


def _far_simplex(polar: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of a simplex round the origin, far outside the scale of the cell."""
    dim = polar.shape[1]
    size = float(np.median(np.linalg.norm(polar, axis=1))) * 2.0**-20
    return np.concatenate([-np.eye(dim), np.ones((1, dim))]) * size


@lru_cache(maxsize=256)
def _bases(count: int, dim: int) -> NDArray[np.intp]:
    return np.array(list(combinations(range(count), dim)), dtype=np.intp)
