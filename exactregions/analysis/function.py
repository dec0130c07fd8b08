"""The function that a network computes, exactly: its range, its Lipschitz constants, its mean.

On a closed cell the network is affine, so a minimum is attained at a vertex unless the function falls along a ray or a
line; the vertices and rays of all cells, with the network's values there, are the generators of the subdivision.  On a
convex domain the Lipschitz constant is the largest operator norm of the Jacobians on the cells (the function is affine
along all but finitely many points of a segment); for the 1-norm and the max-norm that is rational, a largest column sum
and a largest row sum.  For the 2-norm the square is the largest eigenvalue of a rational matrix: a rational number if
there is one output or one input; else algebraic, and given exactly if it is found to be a rational with few digits, as
an enclosure between two rationals if not.  Either way it is proved by the signs of exact pivots.
Extrema are over the closure of the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from exactregions.errors import InputError, UndecidedError
from exactregions.regions import Status
from exactregions.regions.volumes import balanced_sum, domain_volume, is_polytope, simplex_volume, simplices

if TYPE_CHECKING:
    from exactregions.regions import RegionComplex
    from exactregions.regions.subdivision import Subdivision

__all__ = ["Extremum", "Lipschitz", "Range", "lipschitz", "mean", "output_range", "range_on"]

Point = tuple[Fraction, ...]
Matrix = list[list[Fraction]]

_BITS = 40  # relative width of an enclosure of an irrational square


@dataclass(frozen=True, slots=True)
class Extremum:
    """A least or greatest value over the closed domain, and where.

    Attributes
    ----------
    value : Fraction or None
        None if there is no bound.
    point : tuple of Fraction
        Where it is attained; if there is no bound, a point from which the function goes on for ever along `ray`.
    ray : tuple of Fraction or None
        Set only if there is no bound.
    """

    value: Fraction | None
    point: Point
    ray: Point | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """Least and greatest value of one output."""

    minimum: Extremum
    maximum: Extremum


def output_range(complex_: RegionComplex, output: int = 0) -> Range:
    """Return the exact range of one output over the closures of the cells.

    Points are in the domain's own coordinates.

    Examples
    --------
    >>> import exactregions as er
    >>> tent = er.Network([([[1], [1]], [0, "-1/2"])], output=([[2, -4]], [0]))
    >>> found = output_range(er.enumerate_regions(tent, er.Box([0], [1])))
    >>> found.maximum.value, found.maximum.point, found.minimum.value
    (Fraction(1, 1), (Fraction(1, 2),), Fraction(0, 1))
    """
    if not 0 <= output < complex_.network.output_dim:
        raise InputError(f"no output {output}: there are {complex_.network.output_dim}")
    _need_all(complex_)
    return range_on(complex_.subdivision, output)


def range_on(subdivision: Subdivision, output: int) -> Range:
    """Return the range of one output over the closed cells of a subdivision."""
    return Range(_extremum(subdivision, output, -1), _extremum(subdivision, output, 1))


def _extremum(subdivision: Subdivision, output: int, sign: int) -> Extremum:
    generators = subdivision.generators
    vertices = [g for g in range(len(generators.vectors)) if generators.is_vertex(g)]
    for line, values in zip(generators.lines, generators.line_values, strict=True):
        if values[output]:
            way = sign if values[output] > 0 else -sign
            return Extremum(None, generators.point(vertices[0]), tuple(Fraction(way * entry) for entry in line[:-1]))
    for g, values in enumerate(generators.values):
        if not generators.is_vertex(g) and sign * values[output] > 0:
            cell = next(cell for cell in subdivision.cells.values() if g in cell)
            start = next(other for other in cell if generators.is_vertex(other))
            return Extremum(None, generators.point(start), generators.point(g))
    best = max(vertices, key=lambda g: sign * generators.value(g)[output])
    return Extremum(generators.value(best)[output], generators.point(best))


@dataclass(frozen=True, slots=True)
class Lipschitz:
    """A Lipschitz constant in the domain's own coordinates.

    Attributes
    ----------
    norm : str
        ``"1"``, ``"2"`` or ``"inf"``: the norm on inputs and outputs.
    lower, upper : Fraction
        Bounds on the constant, for the 2-norm on its square; equal if it is known exactly.
    cell : int
        A cell whose Jacobian has a norm of at least `lower`.
    """

    norm: str
    lower: Fraction
    upper: Fraction
    cell: int

    @property
    def is_exact(self) -> bool:
        """Whether the two bounds meet."""
        return self.lower == self.upper


def lipschitz(complex_: RegionComplex, norm: Literal["1", "2", "inf"] = "2") -> Lipschitz:
    """Return the exact Lipschitz constant of the network on its domain; for the 2-norm, of its square.

    Examples
    --------
    >>> import exactregions as er
    >>> found = er.enumerate_regions(er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[3, -4]], [0])))
    >>> [(norm, str(lipschitz(found, norm).upper)) for norm in ("1", "2", "inf")]
    [('1', '4'), ('2', '25'), ('inf', '7')]
    """
    measure = _MEASURES.get(norm)
    if measure is None:
        raise InputError(f"no norm {norm!r}", remedy='choose "1", "2" or "inf"')
    _need_all(complex_)
    first_cell: dict[int, int] = {}
    for cell, number in enumerate(complex_.affine_pieces.map_of_cell):
        first_cell.setdefault(number, cell)
    best: tuple[Fraction, Fraction, int] | None = None
    for cell in first_cell.values():
        low, high = measure([list(row) for row in complex_[cell].affine_map.weights])
        if best is None:
            best = low, high, cell
        else:
            best = max(low, best[0]), max(high, best[1]), cell if low > best[0] else best[2]
    if best is None:
        raise InputError("a complex without cells has no Lipschitz constant")
    return Lipschitz(norm, *best)


def _exact(value: Fraction) -> tuple[Fraction, Fraction]:
    return value, value


def _column_sum(jacobian: Matrix) -> tuple[Fraction, Fraction]:
    return _exact(
        max((sum(map(abs, column), Fraction(0)) for column in zip(*jacobian, strict=True)), default=Fraction(0))
    )


def _row_sum(jacobian: Matrix) -> tuple[Fraction, Fraction]:
    return _exact(max((sum(map(abs, row), Fraction(0)) for row in jacobian), default=Fraction(0)))


def _largest_eigenvalue(jacobian: Matrix) -> tuple[Fraction, Fraction]:
    """Enclose the largest eigenvalue of J J^T or J^T J, whichever is smaller."""
    columns = [list(column) for column in zip(*jacobian, strict=True)]
    rows = jacobian if len(jacobian) <= len(columns) else columns
    gram = [[sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0)) for v in rows] for u in rows]
    if not any(map(any, gram)):
        return _exact(Fraction(0))
    if len(gram) == 1:
        return _exact(gram[0][0])
    return _enclose(gram)


def _enclose(gram: Matrix) -> tuple[Fraction, Fraction]:
    import numpy as np

    size = max(abs(entry) for row in gram for entry in row)  # scaled, so that floats neither overflow nor underflow
    near = Fraction(float(np.linalg.eigvalsh([[float(entry / size) for entry in row] for row in gram])[-1]))
    for candidate in (near.limit_denominator(10**6) * size, (near * size).limit_denominator(10**6)):
        if dominates(candidate, gram) and not dominates(candidate, gram, strictly=True):
            return _exact(candidate)
    width = Fraction(1, 1 << _BITS)
    low = high = near
    while not dominates(high * size, gram):
        high += width
        width *= 2
    width = Fraction(1, 1 << _BITS)
    low = high
    while dominates(low * size, gram, strictly=True):
        low -= width
        width *= 2
    return low * size, high * size


def dominates(value: Fraction, gram: Sequence[Sequence[Fraction]], *, strictly: bool = False) -> bool:
    """Whether value * I - gram is positive semidefinite (definite), decided by symmetric elimination over Q.

    Examples
    --------
    >>> dominates(Fraction(3), [[2, 1], [1, 2]]), dominates(Fraction(3), [[2, 1], [1, 2]], strictly=True)
    (True, False)
    """
    left = [[(value if i == j else Fraction(0)) - entry for j, entry in enumerate(row)] for i, row in enumerate(gram)]
    while left:
        pivot, *rest = left
        if pivot[0] < 0 or (strictly and pivot[0] == 0):
            return False
        if pivot[0] == 0:
            if any(pivot):
                return False
            left = [row[1:] for row in rest]
        else:
            left = [[a - row[0] * b / pivot[0] for a, b in zip(row[1:], pivot[1:], strict=True)] for row in rest]
    return True


_MEASURES: dict[str, Callable[[Matrix], tuple[Fraction, Fraction]]] = {
    "1": _column_sum,
    "inf": _row_sum,
    "2": _largest_eigenvalue,
}


def mean(complex_: RegionComplex) -> Point:
    """Return the exact mean of every output over the cells, which must be bounded.

    The integral of an affine function over a simplex is its volume times the mean of the values at its corners.

    Raises
    ------
    InputError
        If a cell is unbounded, or the cells do not cover the domain.
    UndecidedError
        If the search was stopped early.

    Examples
    --------
    >>> import exactregions as er
    >>> hinge = er.Network([([[1]], [0])])
    >>> mean(er.enumerate_regions(hinge, er.Box([-1], [1])))
    (Fraction(1, 4),)
    """
    _need_all(complex_)
    division = complex_.subdivision
    generators = division.generators
    shares: list[Fraction] = []
    integrals: list[list[Fraction]] = []
    for cell in division.cells.values():
        if not is_polytope(generators, cell):
            raise InputError("a mean needs a bounded domain", where="mean", remedy="take a box")
        for simplex in simplices(cell, generators.tight):
            shares.append(simplex_volume(generators, simplex))
            integrals.append([shares[-1] * value for value in _average(map(generators.value, simplex))])
    total = balanced_sum(shares)
    if total != domain_volume(complex_.own_domain):
        raise InputError("the cells do not cover the domain", where="mean", remedy="the list of cells is not complete")
    return tuple(balanced_sum(column) / total for column in zip(*integrals, strict=True))


def _need_all(complex_: RegionComplex) -> None:
    if complex_.status is not Status.EXACT:
        raise UndecidedError(f"the search was stopped after {len(complex_)} cells, so nothing is known of the others")


def _average(points: Iterable[Point]) -> list[Fraction]:
    columns = list(zip(*points, strict=True))
    return [sum(column, Fraction(0)) / len(column) for column in columns]
