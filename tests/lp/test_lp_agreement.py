"""The three backends give the same answer, each with its own verified proof, however thin the gap."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactregions.errors import InputError
from exactregions.lp import BACKENDS, Feasible, Infeasible, StrictSystem, solve

GAPS = [Fraction(1, 2**k) for k in (20, 30, 40, 50, 60)]


def answers(rows, dim):
    system = StrictSystem.from_rows(rows, dim)
    found = [solve(system, backend=backend) for backend in BACKENDS]
    for answer in found:
        # made again, so that the proof is checked here whatever the backend did
        if isinstance(answer, Feasible):
            assert all(value > 0 for value in system.evaluate(answer.witness))
            Feasible(system, answer.witness)
        else:
            Infeasible(system, answer.multipliers)
            dense = answer.dense()
            columns = zip(*[[int(v) for v in row] for row in system.rows.tolist()], strict=True)
            sums = [sum(w * v for w, v in zip(dense, column, strict=True)) for column in columns]
            assert not any(sums[:-1])
            assert sums[-1] <= 0
    return {type(answer) for answer in found}


def unimodular(dim, seed):
    """A product of integer shears: it skews the rows and keeps all gaps exact."""
    matrix = [[int(i == j) for j in range(dim)] for i in range(dim)]
    for step, (i, j) in enumerate(itertools.permutations(range(dim), 2)):
        factor = (seed + step) % 5 - 2
        matrix[i] = [a + factor * b for a, b in zip(matrix[i], matrix[j], strict=True)]
    return matrix


def transformed(rows, matrix, shift):
    """The rows in the coordinates y, x = matrix y - shift."""
    dim = len(matrix)
    result = []
    for *normal, constant in rows:
        moved = [sum(normal[k] * matrix[k][j] for k in range(dim)) for j in range(dim)]
        result.append([*moved, constant - sum(a * s for a, s in zip(normal, shift, strict=True))])
    return result


def axis(dim, k, sign=1):
    return [Fraction(sign * int(j == k)) for j in range(dim)]


def slab(dim, gap):
    """0 < x_0 < gap, and the other coordinates in (0, 1)."""
    sides = [[*axis(dim, k, s), Fraction(int(s < 0))] for k in range(1, dim) for s in (1, -1)]
    return [[*axis(dim, 0), Fraction(0)], [*axis(dim, 0, -1), gap], *sides]


def simplex(dim, gap):
    """x > 0, sum x < gap."""
    return [*[[*axis(dim, k), Fraction(0)] for k in range(dim)], [Fraction(-1)] * dim + [gap]]


def sharp_cone(dim, gap):
    """x > 0 and sum of the first d-1 coordinates < gap * the last one."""
    return [*[[*axis(dim, k), Fraction(0)] for k in range(dim)], [*[Fraction(-1)] * (dim - 1), gap, Fraction(0)]]


@pytest.mark.parametrize("gap", GAPS, ids=lambda g: f"2^-{g.denominator.bit_length() - 1}")
@pytest.mark.parametrize(
    ("shape", "dim"),
    [*itertools.product([slab, simplex], [1, 2, 3, 4]), *itertools.product([sharp_cone], [2, 3, 4])],
)
def test_just_feasible_touching_and_just_infeasible(shape, dim, gap):
    matrix, shift = unimodular(dim, gap.denominator.bit_length()), [Fraction(k, 3) for k in range(dim)]
    for width, expected in ((gap, Feasible), (Fraction(0), Infeasible), (-gap, Infeasible)):
        rows = shape(dim, width)
        assert answers(rows, dim) == {expected}
        assert answers(transformed(rows, matrix, shift), dim) == {expected}


@pytest.mark.parametrize("exponents", list(itertools.product([-9, 0, 9], repeat=2)))
def test_row_scales_change_nothing(exponents):
    factors = [Fraction(10) ** e for e in exponents]
    for gap, expected in ((Fraction(1, 2**40), Feasible), (Fraction(0), Infeasible), (Fraction(-1, 2**40), Infeasible)):
        rows = [[v * factor for v in row] for row, factor in zip(slab(1, gap), factors, strict=True)]
        assert answers(rows, 1) == {expected}


@pytest.mark.parametrize(
    ("rows", "dim", "expected"),
    [
        ([], 0, Feasible),
        ([], 3, Feasible),
        ([[1]], 0, Feasible),
        ([[0]], 0, Infeasible),
        ([[3], [-1]], 0, Infeasible),
        ([[0, 0, 0]], 2, Infeasible),
        ([[0, 0, -1]], 2, Infeasible),
        ([[0, 0, 1]], 2, Feasible),
        ([[1, 0, 0], [0, 0, 0]], 2, Infeasible),
        ([[1, 0, 0], [0, 0, 7], [1, 0, -3]], 2, Feasible),
        ([[1, 0], [-1, 0]], 1, Infeasible),
        ([[1, 0], [1, 0], [2, 0]], 1, Feasible),
        ([[1, 2, 3], [-2, -4, -6]], 2, Infeasible),
        ([[1, 2, 3], [-2, -4, -5]], 2, Feasible),
        ([[1, 0, 0, 0], [-1, 1, 0, 0], [0, -1, 0, 0]], 3, Infeasible),
        ([[1, 1, 0], [1, -1, 0], [-1, 0, 10**12]], 2, Feasible),
        ([[1, -(10**12)], [-1, 10**12 + 1]], 1, Feasible),
        ([[1, -(10**12)], [-1, 10**12]], 1, Infeasible),
    ],
)
def test_constant_rows_no_rows_and_degenerate_systems(rows, dim, expected):
    assert answers(rows, dim) == {expected}


@st.composite
def small_systems(draw):
    dim = draw(st.integers(0, 4))
    entry = st.integers(-2, 2)
    rows = draw(st.lists(st.lists(entry, min_size=dim + 1, max_size=dim + 1), max_size=9))
    gap = draw(st.sampled_from([Fraction(1), *GAPS]))
    return [[*map(Fraction, row[:-1]), row[-1] * gap] for row in rows], dim


@settings(deadline=None, max_examples=120)
@given(small_systems())
def test_the_backends_agree_on_small_integer_systems(drawn):
    assert len(answers(*drawn)) == 1


@settings(deadline=None, max_examples=60)
@given(small_systems(), st.integers(1, 2000))
def test_highs_and_exact_agree_on_entries_of_any_length(drawn, bits):
    rows, dim = drawn
    system = StrictSystem.from_rows([[v * 3**bits + (v != 0) for v in row] for row in rows], dim)
    assert type(solve(system)) is type(solve(system, backend="exact"))


def test_an_unknown_backend_is_named():
    with pytest.raises(InputError, match=r"'simplex'.*highs, exact, convex"):
        solve(StrictSystem.from_rows([[1, 0]], 1), backend="simplex")
