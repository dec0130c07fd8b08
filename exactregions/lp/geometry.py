"""Questions about the shape of a cell: redundant rows, boundedness, lineality; each answer carries its proof.

* Row i is redundant iff it is an affine combination row_i = slack + sum lambda_j row_j of the others with slack >= 0
  and lambda >= 0 (affine Farkas lemma, Schrijver, *Theory of Linear and Integer Programming*, 7.1h), for a system that
  has a solution.  It is not iff some point violates row i alone.
* A non-empty polyhedron is bounded iff its normals span R^d and some combination of them with positive multipliers
  vanishes, that is, they span R^d positively (Davis, *Amer. J. Math.* 76, 1954): a ray r with all a_i.r >= 0 then has
  all a_i.r = 0, so r = 0.  It is unbounded iff there is such a ray r != 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.errors import InputError
from exactregions.lp import exact
from exactregions.lp.backends import Backend, minimise
from exactregions.lp.system import (
    Infeasible,
    Multipliers,
    Point,
    ProofError,
    StrictSystem,
    Unbounded,
    check_multipliers,
    slopes_along,
)
from exactregions.rational import IntMatrix, RationalMatrix

__all__ = ["Bounded", "Irredundant", "Receding", "Redundant", "is_bounded", "lineality", "redundancy"]


@dataclass(frozen=True, slots=True)
class Redundant:
    """Row `index` follows from the others: row_index(x) = slack + sum lambda_j row_j(x), slack >= 0.

    Parameters
    ----------
    system : StrictSystem
    index : int
    multipliers : tuple of (int, Fraction)
        As in `Infeasible`, over rows other than `index`; empty for a row that is a constant.

    Raises
    ------
    ProofError
        If that is not so.
    """

    system: StrictSystem
    index: int
    multipliers: Multipliers

    def __post_init__(self) -> None:
        check_multipliers(self.multipliers, self.system.n_rows)
        if any(row == self.index for row, _ in self.multipliers):
            raise ProofError("a row cannot show itself to be redundant")
        sums, scale = self.system.combine(self.multipliers)
        differences = [self.system.rows[self.index, k] * scale - total for k, total in enumerate(sums)]
        if any(differences[:-1]) or differences[-1] < 0:
            raise ProofError(f"the multipliers do not imply row {self.index}")


@dataclass(frozen=True, slots=True)
class Irredundant:
    """Row `index` does not follow from the others: it alone is negative at a point where no other row is.

    Parameters
    ----------
    system : StrictSystem
    index : int
    point : tuple of Fraction
        row_index(point) < 0, all other rows >= 0.

    Raises
    ------
    ProofError
        If that is not so.
    """

    system: StrictSystem
    index: int
    point: Point

    def __post_init__(self) -> None:
        values, _ = self.system.values(self.point)
        if values[self.index] >= 0:
            raise ProofError(f"row {self.index} is not negative at the point")
        if any(value < 0 for row, value in enumerate(values) if row != self.index):
            raise ProofError("another row is negative at the point")

    def facet_point(self, witness: Point) -> Point:
        """Return the point where the segment from a strict solution crosses the row: the others are positive there.

        Examples
        --------
        >>> interval = StrictSystem.from_rows([[1, 0], [-1, 1]], 1)
        >>> Irredundant(interval, 1, (Fraction(3),)).facet_point((Fraction(1, 2),))
        (Fraction(1, 1),)
        """
        inside = self.system.evaluate(witness)
        if min(inside) <= 0:
            raise InputError("the witness does not satisfy the system strictly")
        beyond = self.system.evaluate(self.point)[self.index]
        step = inside[self.index] / (inside[self.index] - beyond)
        return tuple([w + step * (p - w) for w, p in zip(witness, self.point, strict=True)])


def redundancy(system: StrictSystem, index: int, *, backend: Backend = "highs") -> Redundant | Irredundant:
    """Decide whether one row of a system follows from the others, which must have a strict solution.

    Of two proportional rows each is redundant by the other.

    Raises
    ------
    InputError
        If the other rows have no strict solution, or there is no such row.

    Examples
    --------
    >>> system = StrictSystem.from_rows([[1, 0], [1, 1], [-1, 5]], 1)
    >>> redundancy(system, 1).multipliers
    ((0, Fraction(1, 1)),)
    >>> redundancy(system, 0).point
    (Fraction(-1, 1),)
    """
    if not 0 <= index < system.n_rows:
        raise InputError(f"no row {index} in a system of {system.n_rows} rows")
    others = system.without_row(index)
    form = tuple([Fraction(int(system.rows[index, k])) for k in range(system.dim + 1)])
    answer = minimise(form, others, backend=backend)
    if isinstance(answer, Infeasible):
        raise InputError(f"the rows other than {index} have no strict solution", remedy="decide the system first")
    if isinstance(answer, Unbounded):
        value = sum((f * x for f, x in zip(form[:-1], answer.point, strict=True)), form[-1])
        slope = sum((f * r for f, r in zip(form[:-1], answer.ray, strict=True)), Fraction(0))
        step = max(Fraction(0), (value + 1) / -slope)
        return Irredundant(system, index, tuple([x + step * r for x, r in zip(answer.point, answer.ray, strict=True)]))
    if answer.value >= 0:
        shifted = tuple([(row + (row >= index), weight) for row, weight in answer.multipliers])
        return Redundant(system, index, shifted)
    return Irredundant(system, index, answer.point)


@dataclass(frozen=True, slots=True)
class Bounded:
    """The closed polyhedron is bounded: its normals span the space positively.

    Parameters
    ----------
    system : StrictSystem
    multipliers : tuple of (int, Fraction)
        As in `Infeasible`, possibly empty in dimension 0: sum lambda_i a_i = 0, and the a_i named span Q^d.

    Raises
    ------
    ProofError
        If that is not so.
    """

    system: StrictSystem
    multipliers: Multipliers

    def __post_init__(self) -> None:
        check_multipliers(self.multipliers, self.system.n_rows)
        sums, _ = self.system.combine(self.multipliers)
        if any(sums[:-1]):
            raise ProofError("the combined normals do not vanish")
        if _normals(self.system, [row for row, _ in self.multipliers]).rank() < self.system.dim:
            raise ProofError("the normals do not span the space")

    @property
    def bounded(self) -> bool:
        """True."""
        return True


@dataclass(frozen=True, slots=True)
class Receding:
    """The closed polyhedron, unless empty, is unbounded: it goes on for ever along a ray.

    Parameters
    ----------
    system : StrictSystem
    ray : tuple of Fraction
        Not zero, with a_i.ray >= 0 for all rows.

    Raises
    ------
    ProofError
        If that is not so.
    """

    system: StrictSystem
    ray: Point

    def __post_init__(self) -> None:
        if not any(self.ray):
            raise ProofError("a ray is not zero")
        if min(slopes_along(self.system, self.ray), default=0) < 0:
            raise ProofError("the ray leaves the polyhedron")

    @property
    def bounded(self) -> bool:
        """False."""
        return False


def is_bounded(system: StrictSystem) -> Bounded | Receding:
    """Decide whether the polyhedron of a system that has a solution is bounded.

    The answer has a property ``bounded``, and it carries its proof.  It speaks of the cone {r : a_i.r >= 0}; for a
    system without solution that says nothing of the (empty) polyhedron.

    Examples
    --------
    >>> is_bounded(StrictSystem.from_rows([[1, 0], [-2, 1]], 1)).multipliers
    ((0, Fraction(2, 1)), (1, Fraction(1, 1)))
    >>> is_bounded(StrictSystem.from_rows([[1, 0]], 1)).ray
    (Fraction(1, 1),)
    """
    dim, count = system.dim, system.n_rows
    lines = lineality(system)
    if lines:
        return Receding(system, tuple(map(Fraction, lines[0])))
    # a ray r has some a_i.r > 0, since the normals span; so the sum of the a_i.r grows along it
    total = (IntMatrix(1, count, [1] * count) * system.rows).entries()
    cone = StrictSystem.from_rows([[*row[:-1], 0] for row in system.rows.tolist()], dim)
    form = (*[Fraction(-int(entry)) for entry in total[:-1]], Fraction(0))
    answer = exact.minimise(form, cone, start=(Fraction(0),) * dim)
    if isinstance(answer, Unbounded):
        return Receding(system, answer.ray)
    if isinstance(answer, Infeasible):
        raise ProofError("a cone without its apex")
    weights = dict(answer.multipliers)
    nonzero = [row for row, normal in enumerate(system.rows.tolist()) if any(normal[:-1])]
    return Bounded(system, tuple([(row, 1 + weights.get(row, Fraction(0))) for row in nonzero]))


def lineality(system: StrictSystem) -> list[tuple[int, ...]]:
    """Return a basis, in primitive integer vectors, of {r : a_i.r = 0 for all i}: the lines within the polyhedron.

    Examples
    --------
    >>> lineality(StrictSystem.from_rows([[1, -2, 5]], 2))
    [(2, 1)]
    """
    return RationalMatrix(_normals(system, range(system.n_rows))).kernel()


def _normals(system: StrictSystem, rows: Sequence[int]) -> IntMatrix:
    table = system.rows.tolist()
    return IntMatrix(len(rows), system.dim, [entry for row in rows for entry in table[row][:-1]])
