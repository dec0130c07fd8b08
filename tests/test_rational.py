from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactregions.errors import FormatError, InputError, NonFiniteError, ShapeError
from exactregions.rational import (
    Int,
    RationalMatrix,
    common_denominator,
    format_rational,
    integer_row,
    primitive,
    round_to_bits,
    to_fraction,
    to_fraction_matrix,
    to_fractions,
)
from tests.network.reference import Refusal

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE)
def test_a_float_is_the_rational_that_it_stores(value: float) -> None:
    numerator, denominator = value.as_integer_ratio()
    assert to_fraction(value) == Fraction(numerator, denominator)
    assert to_fraction(value.hex()) == to_fraction(value)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_floats_of_every_width_are_widened_without_rounding(dtype: type) -> None:
    tenth = dtype(1) / dtype(10)
    read = to_fraction(tenth)
    assert read.denominator & (read.denominator - 1) == 0
    assert dtype(read.numerator) / dtype(read.denominator) == tenth
    assert to_fractions(np.array([tenth])) == (read,)
    assert read != Fraction(1, 10)


def test_longdouble_keeps_the_bits_that_float64_lacks() -> None:
    value = np.longdouble(1) + np.finfo(np.longdouble).eps
    if np.finfo(np.longdouble).nmant > 52:
        assert to_fractions(np.array([value]))[0] != Fraction(float(value))


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_integers_are_exact(value: int) -> None:
    assert to_fraction(value) == to_fraction(np.int64(value)) == to_fraction(Int(value)) == value
    assert to_fractions(np.array([value], np.int64)) == (value,)
    assert to_fractions(np.array([2**64 - 1], np.uint64)) == (2**64 - 1,)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", Fraction(1, 3)),
        ("-6/4", Fraction(-3, 2)),
        ("+6/4", Fraction(3, 2)),
        ("007", Fraction(7)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("-1.25e-2", Fraction(-1, 80)),
        ("1E3", Fraction(1000)),
        ("0x1.8p+1", Fraction(3)),
        ("-0x.8p0", Fraction(-1, 2)),
        (" 2 ", Fraction(2)),
    ],
)
def test_strings_are_taken_as_written(text: str, value: Fraction) -> None:
    assert to_fraction(text) == value


@pytest.mark.parametrize("value", [Decimal("0.1"), Decimal("-12.50"), Decimal("1E+3")])
def test_decimals_are_taken_as_written(value: Decimal) -> None:
    assert to_fraction(value) == Fraction(value)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, np.float32("nan"), "nan", "-Infinity", Decimal("NaN"), Decimal("-Inf")]
)
def test_what_is_not_finite_is_refused(value: object) -> None:
    with Refusal(NonFiniteError, "layer 3", "not a rational number"):
        to_fraction(value, where="layer 3")


@pytest.mark.parametrize("text", ["", ".", "1/2/3", "1 / 2", "1_0", "0x", "e5", "one", "1/-2", "٣", "1/2.5"])
def test_text_that_is_no_number_is_refused_with_the_forms_that_are(text: str) -> None:
    with Refusal(FormatError, "not a number", "p/q", "layer 3"):
        to_fraction(text, where="layer 3")


def test_zero_denominator_is_refused() -> None:
    with Refusal(FormatError, "zero denominator"):
        to_fraction("1/0")


@pytest.mark.parametrize("value", ["1e999999999", "1e-20001", "0x1p+99999999999", Decimal("1e999999999")])
def test_an_exponent_that_would_fill_the_memory_is_refused(value: object) -> None:
    with Refusal(InputError, "exponent"):
        to_fraction(value)


@pytest.mark.parametrize("value", [True, np.True_, None, [1], 1j, b"1"])
def test_other_types_are_refused(value: object) -> None:
    with Refusal(InputError, "a number is wanted"):
        to_fraction(value)


def test_a_bad_entry_is_named_by_row_and_place() -> None:
    with Refusal(NonFiniteError, "W, row 1, entry 2"):
        to_fraction_matrix(np.array([[1, 2, 3], [4, 5, np.nan]]), where="W")
    with Refusal(ShapeError, "W, row 1", "2 entries where 3"):
        to_fraction_matrix([[1, 2, 3], [4, 5]], where="W")


@pytest.mark.parametrize("values", [5, "12", np.zeros((1, 1, 1)), np.zeros(3)])
def test_what_is_no_matrix_is_refused(values: object) -> None:
    with Refusal(ShapeError, "matrix is wanted"):
        to_fraction_matrix(values)


@pytest.mark.parametrize("values", [5, "12", np.zeros((2, 2)), None])
def test_what_is_no_vector_is_refused(values: object) -> None:
    with Refusal(ShapeError, "vector is wanted"):
        to_fractions(values)


@pytest.mark.parametrize("dtype", [bool, complex])
def test_arrays_of_other_types_are_refused(dtype: type) -> None:
    with Refusal(InputError, "numbers are wanted"):
        to_fractions(np.zeros(2, dtype))


def test_arrays_of_strings_are_read() -> None:
    assert to_fractions(np.array(["1/3", "0.5"])) == (Fraction(1, 3), Fraction(1, 2))


@given(st.fractions())
def test_format_is_read_back(value: Fraction) -> None:
    assert to_fraction(format_rational(value)) == value


def test_numbers_longer_than_pythons_digit_limit_are_written_and_read() -> None:
    value = Fraction(7**9000, 3)
    assert to_fraction(format_rational(value)) == value


@given(st.lists(st.fractions(max_denominator=50), min_size=1, max_size=5))
def test_integer_row_scales_by_the_common_denominator(values: list[Fraction]) -> None:
    row, scale = integer_row(values)
    assert scale == common_denominator(values) > 0
    assert [Fraction(entry, scale) for entry in row] == values


@given(st.lists(st.integers(-60, 60), max_size=5))
def test_primitive_keeps_direction(row: list[int]) -> None:
    result = primitive(row)
    assert math.gcd(*result) in (0, 1)
    factor = max(math.gcd(*row), 1)
    assert [factor * entry for entry in result] == row


@given(st.fractions(-100, 100), st.integers(0, 30))
def test_round_to_bits_is_the_nearest_multiple(value: Fraction, bits: int) -> None:
    rounded = round_to_bits(value, bits)
    assert (rounded * 2**bits).denominator == 1
    assert abs(rounded - value) <= Fraction(1, 2 ** (bits + 1))


def test_round_to_negative_bits() -> None:
    assert round_to_bits(Fraction(13), -2) == 12


SMALL = st.fractions(-3, 3, max_denominator=4)


@st.composite
def squares(draw: st.DrawFn, n: int = 3) -> list[list[Fraction]]:
    return [draw(st.lists(SMALL, min_size=n, max_size=n)) for _ in range(n)]


def multiply(A: list[list[Fraction]], B: list[list[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(sum(a * b for a, b in zip(row, col, strict=True)) for col in zip(*B, strict=True)) for row in A)


@given(squares(), squares())
def test_products_inverses_and_solutions(A: list[list[Fraction]], B: list[list[Fraction]]) -> None:
    left, right = RationalMatrix.from_rows(A), RationalMatrix.from_rows(B)
    assert (left @ right).to_fractions() == multiply(A, B)
    assert (left @ right).reduced().to_fractions() == multiply(A, B)
    assert left.transpose().to_fractions() == tuple(zip(*A, strict=True))
    identity = RationalMatrix.from_rows([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).to_fractions()
    if left.rank() == 3:
        assert (left @ left.inverse()).to_fractions() == identity
        assert (left @ left.solve(right)).to_fractions() == right.to_fractions()
        assert left.inverse().denominator > 0
        assert left.solve(right).denominator > 0
    else:
        with pytest.raises(ZeroDivisionError):
            left.inverse()
        with pytest.raises(ZeroDivisionError):
            left.solve(right)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_the_kernel_has_the_right_size_and_is_killed(n: int, m: int, data: st.DataObject) -> None:
    rows = [data.draw(st.lists(st.integers(-2, 2), min_size=m, max_size=m)) for _ in range(n)]
    matrix = RationalMatrix.from_rows(rows)
    basis = matrix.kernel()
    assert len(basis) == m - matrix.rank()
    assert RationalMatrix.from_rows(basis, columns=m).rank() == len(basis)
    assert all(sum(a * x for a, x in zip(row, vector, strict=True)) == 0 for row in rows for vector in basis)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_pivot_columns_are_the_first_that_span(n: int, m: int, data: st.DataObject) -> None:
    rows = [data.draw(st.lists(st.integers(-2, 2), min_size=m, max_size=m)) for _ in range(n)]
    ranks = [RationalMatrix.from_rows([row[:k] for row in rows]).rank() if k else 0 for k in range(m + 1)]
    assert RationalMatrix.from_rows(rows).pivot_columns() == [k for k in range(m) if ranks[k + 1] > ranks[k]]


def test_a_matrix_without_rows_keeps_its_width() -> None:
    assert RationalMatrix.from_rows([], columns=3).shape == (0, 3)
    assert RationalMatrix.from_rows([["1/2", 1]]).entry(0, 0) == Fraction(1, 2)
