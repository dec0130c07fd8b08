"""Farkas vectors for the absent pieces of a path: proposed by a warm float simplex, solved and checked in Q.

If a row r is impossible over a polyhedron S, then -r attains its minimum over S at a vertex, and by duality -r is, up
to a constant, a non-negative combination of the rows of S that are tight there.  The float simplex names these rows,
one exact solve gives the multipliers, and the signs are checked in integers.  Where that does not work out, the
question is decided by `exactregions.lp.solve`, which answers it either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactregions.certificates.branch import NamedRow, Point
from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.lp.highs import CellLP, new_solver
from exactregions.rational import IntMatrix, RationalMatrix, integer_row, primitive

__all__ = ["Farkas", "Refuter", "inner_point"]

Farkas = dict[str, int]


class Refuter:
    """Decides whether further rows can hold over a fixed list of rows.

    Parameters
    ----------
    dim : int
        Number of coordinates.

    Examples
    --------
    >>> refuter = Refuter(1)
    >>> refuter.reset([NamedRow("d0", (1, -2), Fraction(1))])
    >>> refuter.exclude([NamedRow("U0", (-2, 1), Fraction(3))])
    {'d0': 2, 'U0': 3}
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._solver = new_solver()
        self._rows: list[NamedRow] = []
        self._cell: CellLP | None = None

    def reset(self, rows: Sequence[NamedRow]) -> None:
        """Take other rows."""
        self._rows = list(rows)
        self._cell = None

    def exclude(self, extra: Sequence[NamedRow]) -> Farkas | Point:
        """Return multipliers which prove that the rows and the extra ones contradict each other, or a point in all."""
        for row in extra:
            if (found := self._propose(row)) is not None:
                return found
        return _decide([*self._rows, *extra], self.dim)

    def _propose(self, row: NamedRow) -> Farkas | None:
        if not self._rows or not self.dim or not any(row.entries[:-1]):
            return None
        if self._cell is None:
            flat = [entry for known in self._rows for entry in known.entries]
            system = StrictSystem(IntMatrix(len(self._rows), self.dim + 1, flat))
            self._cell = CellLP(system, solver=self._solver)
        direction = _float_direction(row.entries)
        proposal = self._cell.minimise(direction)
        if proposal is None or not 0 < len(proposal.tight) <= self.dim:
            return None
        return _combine([self._rows[index] for index in proposal.tight], row, self.dim)


def _float_direction(entries: Sequence[int]) -> list[float]:
    """Return the negative normal of a row in floats of moderate size."""
    shift = max(0, max(entry.bit_length() for entry in entries) - 60)
    floats = [-float(entry >> shift) for entry in entries[:-1]]
    size = max(map(abs, floats)) or 1.0
    return [value / size for value in floats]


def _combine(tight: Sequence[NamedRow], row: NamedRow, dim: int) -> Farkas | None:
    """Solve sum lambda_i tight_i = -row in the normals; None if lambda is not as it should be."""
    count = len(tight)
    used = list(range(dim))
    if count < dim:
        normals = IntMatrix(count, dim, [entry for known in tight for entry in known.entries[:-1]])
        used = RationalMatrix(normals).pivot_columns()
        if len(used) < count:
            return None
    square = IntMatrix(count, count, [known.entries[k] for k in used for known in tight])
    wanted = IntMatrix(count, 1, [-row.entries[k] for k in used])
    try:
        solution = RationalMatrix(square).solve(RationalMatrix(wanted))
    except ZeroDivisionError:
        return None
    weights = [*map(int, solution.numerators.entries()), solution.denominator]
    if min(weights) < 0:
        return None
    cited = [(known, weight) for known, weight in zip([*tight, row], weights, strict=True) if weight]
    sums = [sum(weight * known.entries[k] for known, weight in cited) for k in range(dim + 1)]
    if any(sums[:-1]) or sums[-1] > 0:
        return None
    return _named(cited)


def _named(cited: Sequence[tuple[NamedRow, int | Fraction]]) -> Farkas:
    """Turn multipliers of primitive rows into coprime ones of the rows that certificates define."""
    values, _ = integer_row([weight * known.factor for known, weight in cited])
    return {known.name: value for (known, _), value in zip(cited, primitive(values), strict=True)}


def _decide(rows: Sequence[NamedRow], dim: int) -> Farkas | Point:
    flat = [entry for row in rows for entry in row.entries]
    answer = solve(StrictSystem(IntMatrix(len(rows), dim + 1, flat)))
    if isinstance(answer, Feasible):
        return answer.witness
    return _named([(rows[index], weight) for index, weight in answer.multipliers])


def inner_point(rows: Sequence[NamedRow], dim: int, hints: Sequence[Point] = ()) -> Farkas | Point:
    """Return a point that satisfies rows, one of the hints if it does, or multipliers which prove that none exists."""
    for hint in hints:
        if len(hint) == dim and all(row.holds_at(hint) for row in rows):
            return hint
    return _decide(rows, dim)
