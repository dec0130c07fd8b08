"""Exact numbers: reading any number as the rational it is, and matrices of rationals on python-flint.

A stored float is a dyadic rational, so the function that a trained network computes is a definite object over Q;
every exact result of this project starts by reading those rationals without rounding.  This is the only module that
imports flint.  `Fraction` is the scalar that users see; `IntMatrix` (flint's `fmpz_mat`) and `RationalMatrix` (an
integer matrix over one positive denominator, so that products need no gcd) do the work inside.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat, nmod_mat
from numpy.typing import NDArray

from exactregions.errors import FormatError, InputError, NonFiniteError, ShapeError

__all__ = [
    "Int",
    "IntMatrix",
    "RationalMatrix",
    "common_denominator",
    "format_integer",
    "format_rational",
    "integer_row",
    "modular_echelon",
    "primitive",
    "round_to_bits",
    "to_fraction",
    "to_fraction_matrix",
    "to_fractions",
]

IntMatrix = fmpz_mat
Int = fmpz

_MAX_EXPONENT = 20_000  # far beyond any IEEE format; keeps a hostile "1e999999999" from filling the memory
_MAX_LITERAL = 1_000_000
_SHORT = 2000  # bits
_HEX = re.compile(r"([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?", re.IGNORECASE)
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?", re.IGNORECASE)
_RATIO = re.compile(r"([+-]?\d+)/(\d+)")


def _exponent(text: str | None, literal: str, where: str | None) -> int:
    value = int(text) if text and len(text) < 10 else (0 if not text else _MAX_EXPONENT + 1)
    if abs(value) > _MAX_EXPONENT:
        raise InputError(f"the exponent of {literal[:40]!r} is beyond {_MAX_EXPONENT}", where=where)
    return value


def _parse(text: str, where: str | None) -> Fraction:
    literal = text.strip()
    if len(literal) > _MAX_LITERAL:
        raise InputError(f"a number of {len(literal)} characters is refused", where=where)
    if not literal.isascii():
        raise FormatError(f"not a number: {text[:40]!r}", where=where, remedy=_NUMBER_FORMS)
    if match := _RATIO.fullmatch(literal):
        numerator, denominator = int(fmpz(match[1].lstrip("+"))), int(fmpz(match[2]))
        if denominator == 0:
            raise FormatError(f"zero denominator in {literal[:40]!r}", where=where)
        return Fraction(numerator, denominator)
    if (match := _HEX.fullmatch(literal)) and (match[2] or match[3]):
        digits, scale = (match[2] or "") + (match[3] or ""), _exponent(match[4], literal, where)
        base, exponent, radix = 16, scale - 4 * len(match[3] or ""), 2
    elif (match := _DECIMAL.fullmatch(literal)) and (match[2] or match[3]):
        digits, scale = (match[2] or "") + (match[3] or ""), _exponent(match[4], literal, where)
        base, exponent, radix = 10, scale - len(match[3] or ""), 10
    elif literal.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise NonFiniteError(f"{literal} is not a rational number", where=where)
    else:
        raise FormatError(f"not a number: {text[:40]!r}", where=where, remedy=_NUMBER_FORMS)
    magnitude = int(fmpz(digits)) if base == 10 else int(digits, 16)
    value = Fraction(magnitude) * (Fraction(radix) ** exponent)
    return -value if match[1] == "-" else value


_NUMBER_FORMS = 'write an integer, "p/q", a decimal such as "0.1", or a hexadecimal float such as "0x1.8p+1"'


def to_fraction(value: object, *, where: str | None = None) -> Fraction:
    """Return the rational number that a value is, without any rounding.

    Parameters
    ----------
    value : int, float, NumPy scalar, Fraction, Decimal, or str
        A float of any width stands for the dyadic rational that it stores.  A string is taken as written: ``"p/q"``,
        a decimal, or a C99 hexadecimal float.
    where : str, optional
        The place to name if the value is refused.

    Raises
    ------
    NonFiniteError
        For NaN and infinities.
    FormatError
        For a string that is not a number.
    InputError
        For a value of another type; booleans are refused, since a mask in place of a weight is a mistake.

    Examples
    --------
    >>> to_fraction(0.1) == to_fraction("0.1")
    False
    >>> to_fraction("0x1.8p+1"), to_fraction("-7/2"), to_fraction(0.375)
    (Fraction(3, 1), Fraction(-7, 2), Fraction(3, 8))
    """
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"a number is wanted, not the boolean {value}", where=where)
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        return _parse(value, where)
    if isinstance(value, Decimal):
        return _parse(str(value), where)
    if isinstance(value, (float, np.floating)):
        try:
            return Fraction(*value.as_integer_ratio())
        except (ValueError, OverflowError):
            raise NonFiniteError(f"{value} is not a rational number", where=where) from None
    if isinstance(value, (numbers.Integral, fmpz)):
        return Fraction(int(value))
    if isinstance(value, (numbers.Rational, fmpq)):
        return Fraction(int(value.numerator), int(value.denominator))
    raise InputError(f"a number is wanted, not a {type(value).__name__}", where=where, remedy=_NUMBER_FORMS)


def _flat(values: object, where: str | None) -> list[Any]:
    """Read a one-dimensional sequence of numbers into a list, from NumPy or plain Python."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise ShapeError(f"a vector is wanted, not an array of shape {values.shape}", where=where)
        if values.dtype == np.longdouble or values.dtype == object:
            return list(values)
        if values.dtype.kind not in "fiuU":
            raise InputError(f"numbers are wanted, not an array of type {values.dtype}", where=where)
        return list(values.tolist())
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ShapeError(f"a vector is wanted, not a {type(values).__name__}", where=where)
    return list(values)


def to_fractions(values: object, *, where: str | None = None) -> tuple[Fraction, ...]:
    """Read a vector of numbers exactly; see `to_fraction` for what a number can be.

    Examples
    --------
    >>> to_fractions(["1/3", 0.5, 2])
    (Fraction(1, 3), Fraction(1, 2), Fraction(2, 1))
    """
    prefix = f"{where}, " if where else ""
    flat = _flat(values, where)
    try:
        return tuple([to_fraction(value) for value in flat])
    except InputError:
        for index, value in enumerate(flat):
            to_fraction(value, where=f"{prefix}entry {index}")
        raise


def to_fraction_matrix(
    values: object, *, columns: int | None = None, where: str | None = None
) -> tuple[tuple[Fraction, ...], ...]:
    """Read a matrix of numbers exactly, row by row.

    Parameters
    ----------
    values : array-like of shape (n, m)
        NumPy array or nested sequences.
    columns : int, optional
        The number of columns wanted; without it, all rows must be as long as the first.
    where : str, optional
        The place to name if something is refused.

    Raises
    ------
    ShapeError
        If the rows have different lengths, or not `columns` entries.
    """
    prefix = f"{where}, " if where else ""
    if isinstance(values, np.ndarray) and values.ndim != 2:
        raise ShapeError(f"a matrix is wanted, not an array of shape {values.shape}", where=where)
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ShapeError(f"a matrix is wanted, not a {type(values).__name__}", where=where)
    rows = []
    for index, row in enumerate(values):
        read = to_fractions(row, where=f"{prefix}row {index}")
        columns = len(read) if columns is None else columns
        if len(read) != columns:
            raise ShapeError(f"{len(read)} entries where {columns} are wanted", where=f"{prefix}row {index}")
        rows.append(read)
    return tuple(rows)


def format_rational(value: Fraction | int) -> str:
    """Write a rational as ``p`` or ``p/q`` in lowest terms, however long it is.

    Examples
    --------
    >>> format_rational(Fraction(6, -4)), format_rational(5)
    ('-3/2', '5')
    """
    numerator, denominator = format_integer(value.numerator), value.denominator
    return numerator if denominator == 1 else f"{numerator}/{format_integer(denominator)}"


def format_integer(value: int) -> str:
    """Write an integer in decimal, however long it is: Python's own conversion refuses long ones."""
    return str(value) if value.bit_length() < _SHORT else str(fmpz(value))


def common_denominator(values: Iterable[Fraction]) -> int:
    """Least common multiple of the denominators (1 for no values)."""
    return lcm(*{value.denominator for value in values})


def integer_row(values: Sequence[Fraction]) -> tuple[tuple[int, ...], int]:
    """Return integers and the positive factor that the row was multiplied with to make them."""
    scale = common_denominator(values)
    return tuple([value.numerator * (scale // value.denominator) for value in values]), scale


def primitive(row: Sequence[int]) -> tuple[int, ...]:
    """Divide integers by their greatest common divisor (positive scaling: signs are kept).

    Examples
    --------
    >>> primitive([4, -6, 0])
    (2, -3, 0)
    """
    divisor = gcd(*row)
    return tuple(row) if divisor <= 1 else tuple([entry // divisor for entry in row])


def modular_echelon(rows: Sequence[Sequence[int]], prime: int) -> tuple[list[list[int]], list[int]]:
    """Reduced row echelon form modulo a prime below 2**64, without its zero rows, and its pivot columns.

    Their number is the rank modulo the prime: never more than the rank over Q of integers with these residues.

    Examples
    --------
    >>> modular_echelon([[1, 2, 0], [2, 4, 1]], 7)
    ([[1, 2, 0], [0, 0, 1]], [0, 2])
    """
    width = len(rows[0]) if rows else 0
    reduced, rank = nmod_mat(len(rows), width, [entry for row in rows for entry in row], prime).rref()
    kept = [list(map(int, row)) for row in reduced.tolist()[:rank]]
    return kept, [next(column for column, entry in enumerate(row) if entry) for row in kept]


def round_to_bits(value: Fraction, bits: int) -> Fraction:
    """Nearest multiple of 2**-bits: a *proposal* of a simpler number near a given one, never a decision.

    Examples
    --------
    >>> round_to_bits(Fraction(1, 3), 4)
    Fraction(5, 16)
    """
    if bits < 0:
        return Fraction(round(value / (1 << -bits)) << -bits)
    return Fraction(round(value * (1 << bits)), 1 << bits)


def _nearest(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator or (math.copysign(2.0**-1074, numerator) if numerator else 0.0)
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


@dataclass(frozen=True, slots=True)
class RationalMatrix:
    """A rational matrix as an integer matrix over one positive denominator, not necessarily in lowest terms.

    Parameters
    ----------
    numerators : IntMatrix
        Shape (n, m).
    denominator : int
        Positive.

    Examples
    --------
    >>> half = RationalMatrix.from_rows([["1/2", 0], [0, "1/2"]])
    >>> (half @ half).to_fractions()[0]
    (Fraction(1, 4), Fraction(0, 1))
    """

    numerators: IntMatrix
    denominator: int = 1
    _floats: NDArray[np.float64] | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def from_rows(cls, rows: object, *, columns: int | None = None) -> RationalMatrix:
        """Read a matrix exactly; `columns` gives the width of a matrix that has no rows."""
        read = to_fraction_matrix(rows, columns=columns)
        scale = common_denominator(value for row in read for value in row)
        width = len(read[0]) if read else (columns or 0)
        flat = [value.numerator * (scale // value.denominator) for row in read for value in row]
        return cls(IntMatrix(len(read), width, flat), scale)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.numerators.nrows(), self.numerators.ncols()

    def __matmul__(self, other: RationalMatrix) -> RationalMatrix:
        return RationalMatrix(self.numerators * other.numerators, self.denominator * other.denominator)

    def entry(self, row: int, column: int) -> Fraction:
        """One entry, in lowest terms."""
        return Fraction(int(self.numerators[row, column]), self.denominator)

    def to_fractions(self) -> tuple[tuple[Fraction, ...], ...]:
        """All entries, in lowest terms, row by row."""
        denominator = self.denominator
        return tuple(tuple([Fraction(int(v), denominator) for v in row]) for row in self.numerators.tolist())

    def to_floats(self) -> NDArray[np.float64]:
        """Return all entries, each rounded to nearest as int / int does in Python, once and for all: read-only.

        Entries beyond float64 are infinite, and one that is not 0 is at least 2^-1074 in magnitude.

        Examples
        --------
        >>> RationalMatrix.from_rows([["1/3", 10**400], [0, f"1/{10**400}"]]).to_floats()
        array([[3.33333333e-001,             inf],
               [0.00000000e+000, 4.94065646e-324]])
        """
        found = self._floats
        if found is None:
            flat = [_nearest(int(value), self.denominator) for value in self.numerators.entries()]
            found = np.array(flat, np.float64).reshape(self.shape)
            found.flags.writeable = False
            object.__setattr__(self, "_floats", found)
        return found

    def transpose(self) -> RationalMatrix:
        """Exchange rows and columns."""
        return RationalMatrix(self.numerators.transpose(), self.denominator)

    def rank(self) -> int:
        """Rank over Q."""
        return int(self.numerators.rank())

    def reduced(self) -> RationalMatrix:
        """Return the same matrix in lowest terms."""
        divisor = gcd(self.denominator, *[int(v) for v in self.numerators.entries()])
        if divisor <= 1:
            return self
        flat = [int(v) // divisor for v in self.numerators.entries()]
        return RationalMatrix(IntMatrix(*self.shape, flat), self.denominator // divisor)

    def inverse(self) -> RationalMatrix:
        """Inverse of a square matrix.

        Raises
        ------
        ZeroDivisionError
            If the matrix is singular.
        """
        numerators, denominator = fmpq_mat(self.numerators).inv().numer_denom()
        return _signed(numerators * Int(self.denominator), int(denominator))

    def solve(self, right: RationalMatrix) -> RationalMatrix:
        """Solve ``self @ X = right`` for a square non-singular matrix (ZeroDivisionError if singular)."""
        solution = fmpq_mat(self.numerators).solve(fmpq_mat(right.numerators))
        numerators, denominator = solution.numer_denom()
        return _signed(numerators * Int(self.denominator), int(denominator) * right.denominator)

    def pivot_columns(self) -> list[int]:
        """Return the lexicographically first set of columns that spans the column space."""
        reduced, _, rank = self.numerators.rref()
        pivots: list[int] = []
        column = 0
        for row in range(rank):
            while reduced[row, column] == 0:
                column += 1
            pivots.append(column)
            column += 1
        return pivots

    def kernel(self) -> list[tuple[int, ...]]:
        """Primitive integer basis of {x : self x = 0}, one vector for each column that is no pivot."""
        reduced, denominator, _ = self.numerators.rref()
        pivots = self.pivot_columns()
        basis = []
        for free in sorted(set(range(self.shape[1])) - set(pivots)):
            vector = [0] * self.shape[1]
            vector[free] = int(denominator)
            for row, pivot in enumerate(pivots):
                vector[pivot] = -int(reduced[row, free])
            basis.append(primitive(vector if denominator > 0 else [-v for v in vector]))
        return basis


def _signed(numerators: IntMatrix, denominator: int) -> RationalMatrix:
    return RationalMatrix(numerators, denominator) if denominator > 0 else RationalMatrix(-numerators, -denominator)
