"""Regions of an arrangement inside an open convex polyhedron K, by deletion and restriction relative to K.

A hyperplane H cuts exactly those regions of the others in K that meet it, each once, since they are convex; and these
correspond to the regions that the others make in K cap H, which is open and convex in H.  So with r_K for the number of
regions in K,

    r_K(A) = r_K(A without H) + r_(K cap H)(A restricted to H)   if H meets K, and r_K(A without H) if not

(Zaslavsky, *A combinatorial analysis of topological dissections*, 1977, in the convex case).  Whether H meets K is a
strict system, decided with a proof by `exactregions.lp`.  Unlike the characteristic polynomial, this is geometry: the
work grows with the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from exactregions.arrangements.arrangement import Arrangement
from exactregions.arrangements.deletion import Row, restrict
from exactregions.domains import Domain
from exactregions.errors import ShapeError, UndecidedError
from exactregions.lp import Feasible, StrictSystem, solve

__all__ = ["count_inside"]


def count_inside(arrangement: Arrangement, domain: Domain, *, max_systems: int | None = None) -> int:
    """Count the regions of an arrangement inside a domain (in the domain's own coordinates).

    Parameters
    ----------
    arrangement : Arrangement
    domain : Domain
        Open and convex; its sides are no walls.
    max_systems : int, optional
        Raise `UndecidedError` when more linear systems than that would have to be decided.

    Returns
    -------
    int
        0 if the domain is empty.

    Examples
    --------
    >>> from exactregions.domains import Box
    >>> lines = Arrangement.from_rows([[1, 0, 0], [0, 1, 0], [1, 1, -3]])
    >>> count_inside(lines, Box([-1, -1], [1, 1])), lines.n_regions
    (4, 7)
    """
    if arrangement.dim != domain.dim:
        raise ShapeError(f"an arrangement in dimension {arrangement.dim} and a domain of dimension {domain.dim}")
    counter = _Inside(max_systems)
    sides = [tuple(row) for row in domain.integer_rows()]
    if not counter.meets(sides, domain.dim):
        return 0
    return counter.count(sorted(arrangement.hyperplanes), sides, domain.dim)


class _Inside:
    def __init__(self, max_systems: int | None) -> None:
        self._left = max_systems
        self._limit = max_systems

    def meets(self, sides: Sequence[Row], dim: int) -> bool:
        """Whether the open polyhedron of the sides has a point."""
        if any(not any(side[:-1]) and side[-1] <= 0 for side in sides):
            return False
        proper = [side for side in sides if any(side[:-1])]
        if not proper:
            return True
        if self._left is not None:
            if self._left == 0:
                raise UndecidedError(f"the count needs more than {self._limit} linear systems")
            self._left -= 1
        return isinstance(solve(StrictSystem.from_rows(proper, dim)), Feasible)

    def count(self, rows: Sequence[Row], sides: Sequence[Row], dim: int) -> int:
        """Count the regions of the rows inside a polyhedron that has a point."""
        total = 1
        crossing: list[Row] = []
        for row in rows:
            within = _sides_on(sides, row)
            if self.meets(within, dim - 1):
                total += self.count(sorted(restrict(crossing, row)), within, dim - 1)
                crossing.append(row)
        return total


def _sides_on(sides: Sequence[Row], wall: Row) -> list[Row]:
    """Restrict strict inequalities to a hyperplane, in the coordinates that `restrict` takes."""
    pivot = min((k for k, a in enumerate(wall[:-1]) if a), key=lambda k: abs(wall[k]))
    size, sign = abs(wall[pivot]), 1 if wall[pivot] > 0 else -1
    found = []
    for side in sides:
        image = [size * x - sign * side[pivot] * y for x, y in zip(side, wall, strict=True)]
        del image[pivot]
        divisor = gcd(*image) or 1
        found.append(tuple([entry // divisor for entry in image]))
    return list(dict.fromkeys(found))
