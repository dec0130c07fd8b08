"""The arrangement of the first hidden layer, as it shows in the cells: its regions by the signs at their witnesses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from exactregions.arrangements import Arrangement
from exactregions.rational import IntMatrix, primitive
from proofs_checks.lemmas.support.hypotheses import condition, first_layer_walls
from proofs_checks.lemmas.support.subject import Point, Row, Subject, oriented

__all__ = ["FEW_WALLS", "characteristic_polynomial", "hyperplanes", "sign_vectors", "whitney_sum"]

_SUBSETS_UP_TO = 12  # hyperplanes for which all subsets are summed over
_WALLS = 60
_POSITIONS = 200_000


@condition("few walls in the first layer")
def FEW_WALLS(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    """The first layer can be looked at exhaustively: a limit of this program, not of the statement."""
    count = len(first_layer_walls(subject))
    sets = 1
    for k in range(min(subject.dim + 1, count)):
        sets = sets * (count - k) // (k + 1)
    return None if count <= _WALLS and sets <= _POSITIONS else f"there are {count}, in dimension {subject.dim}"


def hyperplanes(subject: Subject) -> list[Row]:
    """Return the distinct hyperplanes of the first layer, primitive and oriented."""
    rows = [row for _, _, row in first_layer_walls(subject) if any(row[:-1])]
    return list(dict.fromkeys(oriented(primitive(row)) for row in rows))


def sign_vectors(subject: Subject, rows: Sequence[Row]) -> dict[tuple[bool, ...], Point]:
    """Return the sides of the hyperplanes on which the witnesses of the cells lie, each with one such witness."""
    found: dict[tuple[bool, ...], Point] = {}
    for cell in subject.cells:
        sides = tuple(
            [sum((a * x for a, x in zip(row, cell.witness, strict=False)), Fraction(row[-1])) > 0 for row in rows]
        )
        found.setdefault(sides, cell.witness)
    return found


def characteristic_polynomial(rows: Sequence[Row], dim: int) -> list[int]:
    """Return the coefficients of chi(t), low to high: Whitney's sum for few rows, else deletion-restriction."""
    if len(rows) <= _SUBSETS_UP_TO:
        return whitney_sum(rows, dim)
    polynomial = Arrangement.from_rows(rows, dim).characteristic_polynomial
    return list(polynomial.coefficients)


def whitney_sum(rows: Sequence[Row], dim: int) -> list[int]:
    """Sum (-1)^|B| t^(dim - rank B) over the subarrangements B with a common point (Whitney 1932).

    Examples
    --------
    Two crossing lines, and a third parallel to one of them:

    >>> whitney_sum([(1, 0, 0), (0, 1, 0), (1, 0, -1)], 2)
    [2, -3, 1]
    """
    coefficients = [0] * (dim + 1)
    for size in range(len(rows) + 1):
        for group in combinations(rows, size):
            normals = IntMatrix(size, dim, [entry for row in group for entry in row[:-1]])
            rank = int(normals.rank())
            if int(IntMatrix(size, dim + 1, [entry for row in group for entry in row]).rank()) == rank:
                coefficients[dim - rank] += (-1) ** size
    return coefficients
