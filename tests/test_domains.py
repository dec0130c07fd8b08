from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactregions.domains import Box, Domain, Polyhedron, Slice, WholeSpace, domain_from_json
from exactregions.errors import EmptyDomainError, FormatError, InputError, NonFiniteError, ShapeError
from tests.network.reference import Refusal

EXAMPLES = [
    WholeSpace(3),
    WholeSpace(0),
    Box([-1, "1/3"], [1, 2]),
    Polyhedron([[1, 1], ["-1/2", 0]], [1, "0.1"]),
    Polyhedron([], [], dim=2),
    Slice([0, 0, 1], [[1, 1, 0]]),
    Slice([0, 0, 1], [[1, 1, 0], [0, 1, 1]], Box([0, 0], [1, "1/7"])),
    Slice([0, 0], [[1, 2]], Polyhedron([[1]], [5])),
]


@pytest.mark.parametrize("domain", EXAMPLES, ids=str)
def test_the_json_form_is_read_back(domain: Domain) -> None:
    again = domain_from_json(json.loads(json.dumps(domain.to_json())))
    assert again.rational_rows() == domain.rational_rows()
    assert (again.dim, again.ambient_dim) == (domain.dim, domain.ambient_dim)
    assert again.lift([0] * domain.dim) == domain.lift([0] * domain.dim)
    assert again.to_json() == domain.to_json()


def test_rows_of_a_box_come_lower_then_upper() -> None:
    assert Box([-1, 0], [1, 2]).rational_rows() == [(1, 0, 1), (-1, 0, 1), (0, 1, 0), (0, -1, 2)]


def test_rows_of_a_polyhedron_are_its_slacks() -> None:
    assert Polyhedron([["1/2", -1]], [3]).rational_rows() == [(Fraction(-1, 2), 1, 3)]
    assert Polyhedron([["1/2", -1]], [3]).integer_rows() == [(-1, 2, 6)]


@given(st.lists(st.fractions(-3, 3, max_denominator=4), min_size=2, max_size=2))
def test_domains_are_open(point: list[Fraction]) -> None:
    x, y = point
    assert Box([-1, -1], [1, 1]).contains(point) == (-1 < x < 1 and -1 < y < 1)
    assert Polyhedron([[1, 1]], [1]).contains(point) == (x + y < 1)
    assert WholeSpace(2).contains(point)


def test_sides_do_not_belong_to_a_box() -> None:
    assert not Box([0], [1]).contains([0])
    assert not Box([0], [1]).contains([1])


@given(st.data(), st.integers(1, 3))
def test_a_slice_lifts_by_its_matrix(data: st.DataObject, k: int) -> None:
    numbers = st.fractions(-2, 2, max_denominator=3)
    vectors = st.lists(numbers, min_size=3, max_size=3)
    origin, moves = data.draw(vectors), [data.draw(vectors) for _ in range(k)]
    try:
        domain = Slice(origin, moves)
    except EmptyDomainError:
        return
    t = data.draw(st.lists(numbers, min_size=k, max_size=k))
    lifted = domain.lift(t)
    assert lifted == tuple(origin[i] + sum(moves[j][i] * t[j] for j in range(k)) for i in range(3))
    matrix = domain.lift_matrix().to_fractions()
    assert (*lifted, 1) == tuple(sum(a * x for a, x in zip(row, (*t, 1), strict=True)) for row in matrix)


def test_a_slice_through_points_has_them_at_the_corners() -> None:
    corners = [[1, 0, 0], [0, 1, 0], [0, "1/2", 5]]
    plane = Slice.through(corners)
    assert plane.lift([0, 0]) == (1, 0, 0)
    assert plane.lift([1, 0]) == (0, 1, 0)
    assert plane.lift([0, 1]) == (0, Fraction(1, 2), 5)


def test_an_inner_domain_bounds_the_coordinates_of_the_slice() -> None:
    segment = Slice([0, 0], [[1, 1]], Box([0], [1]))
    assert segment.rational_rows() == [(1, 0), (-1, 1)]
    assert segment.contains(["1/2"])
    assert not segment.contains([1])
    assert (segment.dim, segment.ambient_dim) == (1, 2)


def test_only_slices_have_a_lift_matrix() -> None:
    assert [domain.lift_matrix() is None for domain in EXAMPLES] == [not isinstance(d, Slice) for d in EXAMPLES]


@pytest.mark.parametrize("upper", [0, -1])
def test_an_empty_box_is_refused(upper: int) -> None:
    with Refusal(EmptyDomainError, "coordinate 1", "empty", "0"):
        Box([0, 0], [1, upper])


def test_a_flat_slice_is_refused() -> None:
    with Refusal(EmptyDomainError, "linearly dependent", "rank 1", "drop"):
        Slice([0, 0], [[1, 2], [2, 4]])
    with Refusal(EmptyDomainError, "flat"):
        Slice.through([[1, 1], [1, 1]])


def test_sizes_that_do_not_fit_are_refused() -> None:
    with Refusal(ShapeError, "box"):
        Box([0], [1, 2])
    with Refusal(ShapeError, "polyhedron", "2 rows"):
        Polyhedron([[1], [2]], [1])
    with Refusal(ShapeError, "polyhedron", "WholeSpace"):
        Polyhedron([], [])
    with Refusal(ShapeError, "slice, directions, row 0"):
        Slice([0, 0], [[1]])
    with Refusal(ShapeError, "slice", "direction"):
        Slice([0, 0], [])
    with Refusal(ShapeError, "slice", "dimension 2"):
        Slice([0, 0], [[1, 0]], WholeSpace(2))
    with Refusal(ShapeError, "two points"):
        Slice.through([[0, 0]])
    with Refusal(ShapeError, "2 coordinates"):
        WholeSpace(3).contains([0, 0])
    with Refusal(ShapeError, "dimension 1"):
        Slice([0, 0], [[1, 0]]).lift([0, 0])


def test_a_slice_of_a_slice_is_refused() -> None:
    with Refusal(InputError, "compose"):
        Slice([0, 0], [[1, 0]], Slice([0], [[1]]))


@pytest.mark.parametrize("dim", [-1, True, 1.5, "2"])
def test_a_dimension_is_a_count(dim: object) -> None:
    with Refusal(InputError, "WholeSpace", "integer"):
        WholeSpace(dim)


def test_numbers_that_are_not_finite_are_named() -> None:
    with Refusal(NonFiniteError, "box, upper, entry 1"):
        Box([0, 0], [1, float("inf")])


@pytest.mark.parametrize(
    "value",
    ["R", "R^-1", "R^2.5", "S^2", [], [[1]], {}, {"A": [[1]]}, {"origin": [0]}, 5, None, {"A": 1, "b": 2, "c": 3}],
)
def test_what_is_no_domain_is_refused_with_the_forms_that_are(value: object) -> None:
    with Refusal(FormatError, "not a domain", '"R^3"'):
        domain_from_json(value)


def test_domains_print_what_they_are() -> None:
    printed = ["R^3", "R^0", "(-1, 1) x (1/3, 2)", "polyhedron of 2 rows in R^2", "polyhedron of 0 rows in R^2"]
    assert [str(domain) for domain in EXAMPLES[:5]] == printed
    assert str(Box([0, 0], [1, 1])) == "(0, 1)^2"
    assert str(EXAMPLES[6]) == "2-flat in R^3 with t in (0, 1) x (0, 1/7)"
