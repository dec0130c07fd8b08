"""Strict systems of rational inequalities, and the proofs that answer a question about one.

A system is a matrix of integers: row (a_1, ..., a_d, c) means a.x + c > 0.  Every answer is an object that carries its
proof and checks it, in integers, when it is made; a solver only proposes, so a solver's fault cannot become a wrong
answer.  The theorem behind the pair of answers is the transposition theorem of Motzkin in its affine form (Schrijver,
*Theory of Linear and Integer Programming*, 7.8): a_i.x + c_i > 0 for all i has no solution iff there are multipliers
lambda >= 0, not all zero, with sum lambda_i a_i = 0 and sum lambda_i c_i <= 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.errors import InputError, ShapeError, UndecidedError
from exactregions.rational import (
    Int,
    IntMatrix,
    common_denominator,
    integer_row,
    primitive,
    round_to_bits,
    to_fractions,
)

__all__ = [
    "Feasible",
    "Form",
    "Infeasible",
    "Multipliers",
    "Optimum",
    "Point",
    "ProofError",
    "StrictSystem",
    "Unbounded",
    "check_multipliers",
    "coprime_multipliers",
    "evaluate_form",
    "read_form",
    "shorten",
    "slopes_along",
]

Point = tuple[Fraction, ...]
Form = tuple[Fraction, ...]
Multipliers = tuple[tuple[int, Fraction], ...]

_INTEGERS = {int, Int}


class ProofError(UndecidedError):
    """A proposed proof is false, so the answer it should carry is not given."""


@dataclass(frozen=True, slots=True)
class StrictSystem:
    """The system a_i.x + c_i > 0, i = 0, ..., m-1, over Q^d.

    Parameters
    ----------
    rows : IntMatrix of shape (m, d+1)
        Row i is (a_i, c_i), the constant last.  Multipliers in proofs refer to these integer rows.

    Examples
    --------
    >>> system = StrictSystem.from_rows([[1, 0], ["-1", "1/2"]], 1)
    >>> system.rows.tolist(), system.dim, system.n_rows
    ([[1, 0], [-2, 1]], 1, 2)
    """

    rows: IntMatrix

    def __post_init__(self) -> None:
        if not isinstance(self.rows, IntMatrix):
            raise InputError(
                f"a system needs an integer matrix, not a {type(self.rows).__name__}",
                remedy="use StrictSystem.from_rows",
            )
        if self.rows.ncols() < 1:
            raise ShapeError("a row of a system has at least its constant")

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]], dim: int) -> StrictSystem:
        """Read rows (a_1, ..., a_d, c) of any exact numbers.

        A row with fractions is multiplied by the least common denominator, which is positive and so changes neither
        the inequality nor the answer; rows of integers are taken as they are.

        Parameters
        ----------
        rows : iterable of sequences of d+1 numbers
            Whatever `exactregions.rational.to_fraction` reads.
        dim : int
            The number d of unknowns.

        Raises
        ------
        ShapeError
            If a row does not have d+1 entries.
        """
        flat: list[int | Int] = []
        count = 0
        for count, row in enumerate(rows, start=1):
            if len(row) != dim + 1:
                raise ShapeError(f"{len(row)} entries where {dim + 1} are wanted", where=f"row {count - 1}")
            if set(map(type, row)) <= _INTEGERS:
                flat.extend(row)  # type: ignore[arg-type]
            else:
                flat.extend(_scaled(row, f"row {count - 1}"))
        return cls(IntMatrix(count, dim + 1, flat))

    @property
    def dim(self) -> int:
        """Number of unknowns d."""
        return int(self.rows.ncols()) - 1

    @property
    def n_rows(self) -> int:
        """Number of inequalities m."""
        return int(self.rows.nrows())

    def with_rows(self, extra: Iterable[Sequence[object]]) -> StrictSystem:
        """Return the system with more rows after its own."""
        return StrictSystem.from_rows([*self.rows.tolist(), *extra], self.dim)

    def without_row(self, index: int) -> StrictSystem:
        """Return the system without row `index`."""
        rows = self.rows.tolist()
        del rows[index]
        return StrictSystem.from_rows(rows, self.dim)

    def values(self, point: Sequence[Fraction]) -> tuple[list[Int], int]:
        """Values of all rows at a point, as integers over one positive denominator."""
        if len(point) != self.dim:
            raise ShapeError(f"a point with {len(point)} coordinates where {self.dim} are wanted")
        numerators, scale = integer_row(point)
        return (self.rows * IntMatrix(self.dim + 1, 1, [*numerators, scale])).entries(), scale

    def evaluate(self, point: Sequence[Fraction]) -> list[Fraction]:
        """Values a_i.x + c_i of all rows at a point.

        Examples
        --------
        >>> StrictSystem.from_rows([[1, 0], [-2, 1]], 1).evaluate([Fraction(1, 3)])
        [Fraction(1, 3), Fraction(1, 3)]
        """
        values, scale = self.values(point)
        return [Fraction(int(value), scale) for value in values]

    def satisfied_by(self, point: Sequence[Fraction]) -> bool:
        """Whether every row is positive at the point."""
        values, _ = self.values(point)
        return not values or min(values) > 0

    def combine(self, multipliers: Multipliers) -> tuple[list[Int], int]:
        """Return sum lambda_i (a_i, c_i), as integers over one positive denominator."""
        scale = common_denominator(value for _, value in multipliers)
        dense = [0] * self.n_rows
        for row, value in multipliers:
            dense[row] += value.numerator * (scale // value.denominator)
        return (IntMatrix(1, self.n_rows, dense) * self.rows).entries(), scale


def _scaled(row: Sequence[object], where: str) -> tuple[int, ...]:
    return integer_row(to_fractions(row, where=where))[0]


@dataclass(frozen=True, slots=True)
class Feasible:
    """The strict system has a solution: here is one.

    Raises
    ------
    ProofError
        If the witness violates a row or lies on its wall.

    Examples
    --------
    >>> Feasible(StrictSystem.from_rows([[1, 0], [-1, 1]], 1), (Fraction(1, 2),)).witness
    (Fraction(1, 2),)
    """

    system: StrictSystem
    witness: Point

    def __post_init__(self) -> None:
        if len(self.witness) != self.system.dim:
            raise ProofError(f"a witness with {len(self.witness)} coordinates in dimension {self.system.dim}")
        values, _ = self.system.values(self.witness)
        if values and min(values) <= 0:
            worst = min(range(len(values)), key=values.__getitem__)
            raise ProofError(f"the witness does not satisfy row {worst} strictly")


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The strict system has no solution: here is a Farkas vector.

    Parameters
    ----------
    system : StrictSystem
    multipliers : tuple of (int, Fraction)
        Row indices, increasing, each with its positive multiplier; at least one.  With them
        sum lambda_i a_i = 0 and sum lambda_i c_i <= 0.

    Raises
    ------
    ProofError
        If that is not so.

    Examples
    --------
    >>> touching = StrictSystem.from_rows([[1, 0], [-2, 0]], 1)
    >>> Infeasible(touching, ((0, Fraction(2)), (1, Fraction(1)))).dense()
    (Fraction(2, 1), Fraction(1, 1))
    """

    system: StrictSystem
    multipliers: Multipliers

    def __post_init__(self) -> None:
        if not self.multipliers:
            raise ProofError("a Farkas vector has at least one positive multiplier")
        check_multipliers(self.multipliers, self.system.n_rows)
        sums, _ = self.system.combine(self.multipliers)
        if any(sums[:-1]):
            raise ProofError("the combined normals of a Farkas vector do not vanish")
        if sums[-1] > 0:
            raise ProofError("the combined constant of a Farkas vector is positive")

    def dense(self) -> tuple[Fraction, ...]:
        """Return the vector with its zeros, one entry a row."""
        full = [Fraction(0)] * self.system.n_rows
        for row, value in self.multipliers:
            full[row] = value
        return tuple(full)


def check_multipliers(multipliers: Multipliers, n_rows: int) -> None:
    """Raise `ProofError` unless the rows are distinct, in order and there, and the multipliers positive rationals."""
    previous = -1
    for row, value in multipliers:
        if not previous < row < n_rows:
            raise ProofError("the rows of multipliers must be increasing row numbers")
        if not isinstance(value, Fraction) or value <= 0:
            raise ProofError(f"the multiplier of row {row} is not a positive rational")
        previous = row


@dataclass(frozen=True, slots=True)
class Optimum:
    """The minimum of an affine form over the closed polyhedron {a_i.x + c_i >= 0}.

    Parameters
    ----------
    form : tuple of d+1 Fractions
        (f_1, ..., f_d, f_0), the constant last.
    system : StrictSystem
    value : Fraction
    point : tuple of Fraction
        In the closed polyhedron; the form has the value there.
    multipliers : tuple of (int, Fraction)
        As in `Infeasible`, possibly empty: form(x) = value + sum lambda_i row_i(x) as an identity, so that the form
        is nowhere less on the polyhedron.

    Raises
    ------
    ProofError
        If any of this is not so.
    """

    form: Form
    system: StrictSystem
    value: Fraction
    point: Point
    multipliers: Multipliers

    def __post_init__(self) -> None:
        _check_in_closure(self.system, self.point)
        if evaluate_form(self.form, self.point) != self.value:
            raise ProofError("the form does not have the claimed value at the point")
        check_multipliers(self.multipliers, self.system.n_rows)
        sums, scale = self.system.combine(self.multipliers)
        wanted = (*self.form[:-1], self.form[-1] - self.value)
        if any(entry * scale != int(total) for entry, total in zip(wanted, sums, strict=True)):
            raise ProofError("the multipliers do not combine the rows to the form less its minimum")


@dataclass(frozen=True, slots=True)
class Unbounded:
    """An affine form has no minimum over {a_i.x + c_i >= 0}: it falls for ever along a ray.

    Parameters
    ----------
    form : tuple of d+1 Fractions
    system : StrictSystem
    point : tuple of Fraction
        In the closed polyhedron.
    ray : tuple of Fraction
        a_i.ray >= 0 for all rows, and f.ray < 0.

    Raises
    ------
    ProofError
        If that is not so.
    """

    form: Form
    system: StrictSystem
    point: Point
    ray: Point

    def __post_init__(self) -> None:
        _check_in_closure(self.system, self.point)
        if min(slopes_along(self.system, self.ray), default=0) < 0:
            raise ProofError("the ray leaves the polyhedron")
        if evaluate_form((*self.form[:-1], Fraction(0)), self.ray) >= 0:
            raise ProofError("the form does not fall along the ray")


def _check_in_closure(system: StrictSystem, point: Point) -> None:
    if len(point) != system.dim:
        raise ProofError(f"a point with {len(point)} coordinates in dimension {system.dim}")
    if min(system.values(point)[0], default=0) < 0:
        raise ProofError("the point is not in the closed polyhedron")


def slopes_along(system: StrictSystem, ray: Point) -> list[Int]:
    """The a_i.ray, times one positive integer."""
    if len(ray) != system.dim:
        raise ProofError(f"a ray with {len(ray)} coordinates in dimension {system.dim}")
    return (system.rows * IntMatrix(system.dim + 1, 1, [*integer_row(ray)[0], 0])).entries()


def coprime_multipliers(weights: Sequence[tuple[int, int]]) -> Multipliers:
    """Divide integer multipliers by their greatest common divisor.

    Examples
    --------
    >>> coprime_multipliers([(0, 4), (7, 6)])
    ((0, Fraction(2, 1)), (7, Fraction(3, 1)))
    """
    values = primitive([weight for _, weight in weights])
    return tuple([(row, Fraction(value)) for (row, _), value in zip(weights, values, strict=True)])


def evaluate_form(form: Form, point: Point) -> Fraction:
    """Value of an affine form, constant last, at a point."""
    return sum((f * x for f, x in zip(form[:-1], point, strict=True)), form[-1])


def read_form(form: Sequence[object], dim: int) -> Form:
    """Read an affine form exactly; `ShapeError` unless it has dim + 1 entries."""
    if len(form) != dim + 1:
        raise ShapeError(f"{len(form)} entries where {dim + 1} are wanted", where="form")
    return to_fractions(form, where="form")


def shorten(system: StrictSystem, witness: Point) -> Point:
    """Return a solution of the strict system with few digits near a given one, or the given one itself.

    Examples
    --------
    >>> shorten(StrictSystem.from_rows([[1, 0], [-1, 1]], 1), (Fraction(10001, 30001),))
    (Fraction(5, 16),)
    """
    longest = max((value.denominator.bit_length() for value in witness), default=0)
    bits = 0
    while bits < longest:
        rounded = tuple([round_to_bits(value, bits) for value in witness])
        if system.satisfied_by(rounded):
            return rounded
        bits = 2 * bits or 4
    return witness
