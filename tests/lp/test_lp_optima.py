"""Minima over small polytopes against all their vertices, unbounded forms, redundancy and boundedness by definition."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactregions.errors import InputError, ShapeError
from exactregions.lp import (
    BACKENDS,
    Feasible,
    Infeasible,
    Irredundant,
    Optimum,
    Redundant,
    StrictSystem,
    Unbounded,
    is_bounded,
    lineality,
    maximise,
    minimise,
    redundancy,
    solve,
)


def determinant(matrix):
    if not matrix:
        return 1
    return sum(
        (-1) ** j * head * determinant([row[:j] + row[j + 1 :] for row in matrix[1:]])
        for j, head in enumerate(matrix[0])
        if head
    )


def vertices(rows, dim):
    """All points where d rows meet and none is negative, by Cramer's rule."""
    found = []
    for chosen in itertools.combinations(rows, dim):
        normals = [list(row[:-1]) for row in chosen]
        base = determinant(normals)
        if base == 0:
            continue
        point = []
        for k in range(dim):
            replaced = [[*row[:k], -whole[-1], *row[k + 1 :]] for row, whole in zip(normals, chosen, strict=True)]
            point.append(Fraction(determinant(replaced), base))
        if all(sum(a * x for a, x in zip(row, point, strict=False)) + row[-1] >= 0 for row in rows):
            found.append(tuple(point))
    return found


@st.composite
def polytopes(draw):
    """Integer rows within a box, so that there are vertices; duplicates and parallels are likely."""
    dim = draw(st.integers(1, 3))
    entry = st.integers(-2, 2)
    extra = draw(st.lists(st.lists(entry, min_size=dim + 1, max_size=dim + 1), max_size=4))
    box = [[s * int(j == k) for j in range(dim)] + [1] for k in range(dim) for s in (1, -1)]
    form = draw(st.lists(st.integers(-3, 3), min_size=dim + 1, max_size=dim + 1))
    return [*box, *extra], dim, form


def value_at(form, point):
    return sum(f * x for f, x in zip(form, point, strict=False)) + form[-1]


@settings(deadline=None, max_examples=80)
@given(polytopes())
def test_minimum_and_maximum_are_those_of_the_vertices(drawn):
    rows, dim, form = drawn
    system = StrictSystem.from_rows(rows, dim)
    for backend in BACKENDS:
        low, high = minimise(form, system, backend=backend), maximise(form, system, backend=backend)
        if isinstance(low, Infeasible):
            assert isinstance(high, Infeasible)
            continue
        values = [value_at(form, vertex) for vertex in vertices(rows, dim)]
        assert (low.value, -high.value) == (min(values), max(values))
        assert value_at(form, low.point) == low.value


@pytest.mark.parametrize("backend", BACKENDS)
def test_unbounded_forms_come_with_a_ray(backend):
    wedge = StrictSystem.from_rows([[1, 1, 0], [1, -1, 0]], 2)
    down, up = minimise([-1, 0, 5], wedge, backend=backend), minimise([1, 0, 5], wedge, backend=backend)
    assert isinstance(down, Unbounded)
    assert isinstance(up, Optimum)
    assert up.value == 5
    assert isinstance(minimise([0, 1, 0], wedge, backend=backend), Unbounded)
    assert isinstance(minimise([1, 0], StrictSystem.from_rows([], 1), backend=backend), Unbounded)
    assert minimise([0, "1/3"], StrictSystem.from_rows([], 1), backend=backend).value == Fraction(1, 3)
    assert minimise([7], StrictSystem.from_rows([[2]], 0), backend=backend).value == 7


@pytest.mark.parametrize("backend", BACKENDS)
def test_minima_of_cells_that_contain_lines(backend):
    strip = StrictSystem.from_rows([[1, 2, 0], [-1, -2, 1]], 2)
    assert minimise([-2, -4, 1], strip, backend=backend).value == -1
    assert isinstance(minimise([1, 1, 0], strip, backend=backend), Unbounded)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("bits", [20, 40, 60])
def test_minima_that_differ_by_a_tiny_gap_are_told_apart(backend, bits):
    gap = Fraction(1, 2**bits)
    rows = [[1, 0, 0], [0, 1, 0], [-1, -1, 1], [-1, -1 - gap, 1 + gap / 2]]
    system = StrictSystem.from_rows(rows, 2)
    values = [value_at([-1, -1 - gap, 0], p) for p in vertices([list(map(Fraction, row)) for row in rows], 2)]
    assert minimise([-1, -1 - gap, 0], system, backend=backend).value == min(values)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_flat_polyhedron_counts_as_infeasible(backend):
    assert isinstance(minimise([1, 0], StrictSystem.from_rows([[1, 0], [-1, 0]], 1), backend=backend), Infeasible)


def test_a_form_of_another_length_is_refused():
    with pytest.raises(ShapeError, match="form"):
        minimise([1], StrictSystem.from_rows([[1, 0]], 1))


@settings(deadline=None, max_examples=60)
@given(polytopes())
def test_a_row_is_redundant_iff_no_point_violates_it_alone(drawn):
    rows, dim, _ = drawn
    system = StrictSystem.from_rows(rows, dim)
    answer = solve(system)
    if isinstance(answer, Infeasible):
        return
    for index in range(len(rows)):
        found = redundancy(system, index)
        others = [row for k, row in enumerate(rows) if k != index]
        beyond = solve(StrictSystem.from_rows([*others, [-v for v in rows[index]]], dim), backend="exact")
        assert isinstance(found, Irredundant) == isinstance(beyond, Feasible)
        if isinstance(found, Irredundant):
            values = system.evaluate(found.facet_point(answer.witness))
            assert [k for k, value in enumerate(values) if value <= 0] == [index]
            assert values[index] == 0


def test_of_two_proportional_rows_each_is_redundant_by_the_other():
    system = StrictSystem.from_rows([[1, 2, 3], [2, 4, 6], [-1, 0, 1]], 2)
    assert redundancy(system, 0) == Redundant(system, 0, ((1, Fraction(1, 2)),))
    assert redundancy(system, 1) == Redundant(system, 1, ((0, Fraction(2)),))
    assert isinstance(redundancy(system, 2), Irredundant)


def test_a_positive_constant_row_is_redundant_by_none():
    assert redundancy(StrictSystem.from_rows([[1, 0], [0, 2]], 1), 1).multipliers == ()


def test_redundancy_is_refused_without_a_solution_or_a_row():
    system = StrictSystem.from_rows([[1, 0], [-1, 0], [1, 1]], 1)
    with pytest.raises(InputError, match="no strict solution"):
        redundancy(system, 2)
    with pytest.raises(InputError, match="no row 3"):
        redundancy(system, 3)


@pytest.mark.parametrize(
    ("rows", "dim", "bounded"),
    [
        ([], 0, True),
        ([[1]], 0, True),
        ([], 2, False),
        ([[1, 0], [-1, 1]], 1, True),
        ([[1, 0]], 1, False),
        ([[1, 0, 0], [0, 1, 0], [-1, -1, 1]], 2, True),
        ([[1, 0, 0], [0, 1, 0], [-1, -1, 1], [0, 0, 1], [1, 1, 5]], 2, True),
        ([[1, 0, 0], [0, 1, 0], [-1, 1, 1]], 2, False),
        ([[1, 0, 0], [-1, 0, 1]], 2, False),
        ([[1, 0, 0], [-1, 0, 1], [0, 1, 0]], 2, False),
        ([[1, 1, 0, 1], [1, -1, 0, 1], [-1, 0, 1, 1], [-1, 0, -1, 1]], 3, True),
    ],
)
def test_boundedness(rows, dim, bounded):
    assert is_bounded(StrictSystem.from_rows(rows, dim)).bounded is bounded


@settings(deadline=None, max_examples=60)
@given(polytopes())
def test_bounded_iff_every_coordinate_is_bounded(drawn):
    rows, dim, _ = drawn
    system = StrictSystem.from_rows(rows[1:], dim)  # one side of the box left open
    if isinstance(solve(system), Infeasible):
        return
    axes = [[s * int(j == k) for j in range(dim)] + [0] for k in range(dim) for s in (1, -1)]
    assert is_bounded(system).bounded == all(isinstance(minimise(f, system), Optimum) for f in axes)


def test_lineality_spans_the_lines_of_the_polyhedron():
    assert lineality(StrictSystem.from_rows([], 2)) == [(1, 0), (0, 1)]
    assert lineality(StrictSystem.from_rows([[1, 0, 5], [0, 1, 5]], 2)) == []
    (line,) = lineality(StrictSystem.from_rows([[2, 4, 6, 1], [0, 1, 1, 0]], 3))
    assert 2 * line[0] + 4 * line[1] + 6 * line[2] == 0
    assert line[1] + line[2] == 0
