"""Vertices of each closed cell, the domain's sides included, by intersecting its irredundant rows.

Any d irredundant rows with independent normals meet in one point; it is a vertex iff no other row is negative there.
That is slow in many dimensions and shares no code with the generators of `exactregions.regions.subdivision`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

from exactregions.lp.facets import find_facets
from exactregions.rational import IntMatrix, RationalMatrix
from exactregions.regions import Cell
from proofs_checks.lemmas.support.subject import Point, Row, Subject

__all__ = ["find_vertices", "meeting_point", "vertices_of"]

_LIMIT = 3000  # sets of rows tried for one cell; beyond, the cell is left without vertices


def find_vertices(subject: Subject) -> list[list[Point]]:
    """Return the vertices of every cell."""
    return [vertices_of(cell, subject.dim) for cell in subject.cells]


def vertices_of(cell: Cell, dim: int) -> list[Point]:
    """Return the vertices of the closure of one cell."""
    rows = cell.inequalities
    kept = [rows.rows[facet.row] for facet in find_facets(rows.matrix, cell.witness)]
    if len(kept) < dim or comb(len(kept), dim) > _LIMIT:
        return []
    found = set()
    for group in combinations(kept, dim):
        point = meeting_point(group, dim)
        if point is not None and all(_value(row, point) >= 0 for row in kept):
            found.add(point)
    return sorted(found)


def meeting_point(rows: Sequence[Row], dim: int) -> Point | None:
    """Return the one point where d rows vanish, or None if there is not exactly one.

    Examples
    --------
    >>> meeting_point([(1, 1, -2), (1, -1, 0)], 2)
    (Fraction(1, 1), Fraction(1, 1))
    """
    left = IntMatrix(dim, dim, [entry for row in rows for entry in row[:-1]])
    if int(left.rank()) < dim:
        return None
    right = IntMatrix(dim, 1, [-row[-1] for row in rows])
    return tuple(row[0] for row in RationalMatrix(left).solve(RationalMatrix(right)).to_fractions())


def _value(row: Row, point: Point) -> Fraction:
    return sum((a * x for a, x in zip(row, point, strict=False)), Fraction(row[-1]))
