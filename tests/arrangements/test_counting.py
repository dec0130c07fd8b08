"""Counting arrangements: against frozen answers, against listing, and against three other ways to count."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.arrangements import Arrangement, CharacteristicPolynomial, count_inside
from exactregions.arrangements.deletion import WhitneyCounter, canonical_row, restrict
from exactregions.arrangements.reduction import parts
from exactregions.errors import InputError, ShapeError, UndecidedError
from tests.oracles import ARRANGEMENTS

LISTABLE = [entry for entry in ARRANGEMENTS if entry["regions"] <= 400_000]


def named(entries):
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry["name"])


def test_there_are_76_arrangements():
    assert len(ARRANGEMENTS) == 76


@named(ARRANGEMENTS)
def test_the_polynomial_and_its_counts(entry):
    arrangement = Arrangement.from_rows(entry["rows"])
    chi = arrangement.characteristic_polynomial
    assert list(chi.coefficients) == entry["charpoly_low_to_high"]
    assert chi.n_regions == entry["regions"] == arrangement.n_regions
    assert chi.n_bounded == entry["bounded"]
    assert chi.n_relatively_bounded == entry["relatively_bounded"]
    assert (arrangement.n_hyperplanes, arrangement.rank) == (entry["n_distinct"], entry["rank"])


@named([entry for entry in LISTABLE if entry["regions"] <= 400])
def test_listing_agrees_with_counting(entry):
    found = er.enumerate_regions(Arrangement.from_rows(entry["rows"]).network())
    assert found.n_cells == found.n_strict == entry["regions"]


@pytest.mark.slow
@named([entry for entry in LISTABLE if entry["regions"] > 400])
def test_listing_agrees_with_counting_on_large_ones(entry):
    network = Arrangement.from_rows(entry["rows"]).network()
    assert er.enumerate_regions(network, engine="split").n_cells == entry["regions"]


@named([entry for entry in ARRANGEMENTS if entry["regions"] <= 1000 and entry["d"] <= 6])
def test_moebius_values_of_all_flats_give_the_same_polynomial(entry):
    arrangement = Arrangement.from_rows(entry["rows"])
    lattice = arrangement.lattice()
    assert lattice.characteristic_polynomial == arrangement.characteristic_polynomial
    assert lattice.whitney_second[:2] == (1, arrangement.n_hyperplanes)


def points_off(rows, dim, prime):
    """Count the points of the affine space over a prime field that are on no hyperplane."""
    return sum(
        all((sum(a * x for a, x in zip(row, point, strict=False)) + row[-1]) % prime for row in rows)
        for point in product(range(prime), repeat=dim)
    )


@pytest.mark.parametrize("name", ["shi-3", "catalan-3", "linial-3", "type-B3", "braid-A3", "resonance-3", "grid-3x3x3"])
def test_points_over_a_finite_field_are_counted_by_the_polynomial(name):
    # Athanasiadis 1996: chi(p) is the number of points of F_p^d on no hyperplane, for every large enough prime p
    entry = next(entry for entry in ARRANGEMENTS if entry["name"] == name)
    chi = Arrangement.from_rows(entry["rows"]).characteristic_polynomial
    for prime in (11, 13):
        assert points_off(entry["rows"], entry["d"], prime) == chi(prime)


@st.composite
def arrangements(draw, max_dim=4, max_rows=7):
    """Small integers, zero rows and multiples of rows first: most of these are degenerate in some way."""
    dim = draw(st.integers(1, max_dim))
    row = st.lists(st.integers(-2, 2), min_size=dim + 1, max_size=dim + 1)
    rows = draw(st.lists(row, max_size=max_rows))
    if rows and draw(st.booleans()):
        rows.append([draw(st.sampled_from([-3, 2, 1])) * value for value in rows[0]])
    if draw(st.booleans()):
        rows = [[*row[:-1], 0] for row in rows]
    return dim, rows


@given(arrangements())
@settings(max_examples=150)
def test_four_ways_to_count_agree(case):
    dim, rows = case
    arrangement = Arrangement.from_rows(rows, dim)
    chi = arrangement.characteristic_polynomial
    assert arrangement.lattice().characteristic_polynomial == chi
    assert count_inside(arrangement, er.WholeSpace(dim)) == chi.n_regions
    if arrangement.hyperplanes:
        cells = er.enumerate_regions(arrangement.network())
        assert cells.n_cells == chi.n_regions
        assert chi.n_bounded == sum(cell.is_bounded for cell in cells)


@given(arrangements(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_the_polynomial_does_not_depend_on_how_rows_are_written(case, random):
    dim, rows = case
    chi = Arrangement.from_rows(rows, dim).characteristic_polynomial
    factors = [Fraction(random.choice([-3, 1, 2]), 7) for _ in rows]
    scaled = [[factor * value for value in row] for factor, row in zip(factors, rows, strict=True)]
    random.shuffle(scaled)
    assert Arrangement.from_rows([*scaled, *rows], dim).characteristic_polynomial == chi
    # x -> x + shear and shift is a change of coordinates, so the arrangement is the same
    moved = [[row[0], *[a + row[0] for a in row[1:-1]], row[-1] + 5 * row[0]] for row in rows]
    assert Arrangement.from_rows(moved, dim).characteristic_polynomial == chi
    idle = [[*row[:-1], 0, row[-1]] for row in rows]
    wider = Arrangement.from_rows(idle, dim + 1).characteristic_polynomial
    assert (wider.whitney, wider.n_bounded) == (chi.whitney, 0)


@given(arrangements(max_dim=3, max_rows=5), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_counting_inside_a_domain_agrees_with_listing_there(case, seed):
    dim, rows = case
    arrangement = Arrangement.from_rows(rows, dim)
    if not arrangement.hyperplanes:
        return
    corner = [Fraction(seed % 7 - 3, 2)] * dim
    box = er.Box(corner, [value + Fraction(seed % 5 + 1, 2) for value in corner])
    assert count_inside(arrangement, box) == er.count_cells(arrangement.network(), box).n_cells
    simplex = er.Polyhedron([[-1] * dim, *[[int(i == j) for j in range(dim)] for i in range(dim)]], [2] + [1] * dim)
    assert count_inside(arrangement, simplex) == er.count_cells(arrangement.network(), simplex).n_cells


def test_rows_that_are_no_hyperplane_are_reported():
    arrangement = Arrangement.from_rows([[0, 0, 1], [1, 1, 0], [0, 0, 0], ["-1/3", "-1/3", 0]])
    assert (arrangement.empty_rows, arrangement.degenerate_rows) == ((0,), (2,))
    assert arrangement.sources == ((1, 3),)
    assert arrangement.n_regions == 2


def test_floats_are_taken_as_stored():
    rows = [[1, 0, 0], [0, 1, 0], [0.1, 0.2, -0.3]]
    assert Arrangement.from_rows(rows).hyperplanes[2] != Arrangement.from_rows([[1, 2, -3]]).hyperplanes[0]
    through = [[1, 0, -0.1], [0, 1, -0.2], [1, 1, -(0.1 + 0.2)]]  # the float sum is not the exact sum
    assert Arrangement.from_rows(through).n_regions == 7
    assert Arrangement.from_rows([[1, 0, "-0.1"], [0, 1, "-0.2"], [1, 1, "-0.3"]]).n_regions == 6


def test_walls_of_activations_with_several_pieces():
    network = er.Network([([[1, 0], [0, 1]], [0, 0])], activation="hardtanh[-1,1]")
    chi = Arrangement.of_network(network).characteristic_polynomial
    assert (chi.n_regions, chi.n_bounded, str(chi)) == (9, 1, "t^2 - 4*t + 4")


def test_properties_of_simple_arrangements():
    parallel = Arrangement.from_rows([[1, 0, k] for k in range(3)])
    assert not parallel.is_central
    assert not parallel.is_essential
    assert (parallel.n_regions, parallel.n_bounded, parallel.n_relatively_bounded) == (4, 0, 2)
    concurrent = Arrangement.from_rows([[1, 0, -1], [0, 1, -1], [1, 1, -2]])
    assert concurrent.is_central
    assert concurrent.is_essential
    assert Arrangement.from_rows([], 3).n_regions == 1


def test_the_lattice_of_crossing_lines():
    lattice = Arrangement.from_rows([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, -1]]).lattice()
    graph = lattice.graph()
    assert lattice.whitney_second == (1, 4, 3)
    assert sorted(flat.hyperplanes for flat in lattice.flats if flat.rank == 2) == [(0, 1, 2), (1, 3), (2, 3)]
    assert graph.number_of_edges() == 4 + 7
    assert all(graph.nodes[j]["rank"] == graph.nodes[i]["rank"] + 1 for i, j in graph.edges)


def test_independent_weights_split_into_parts_of_one_element():
    rows = [(*[int(i == j) + (i > j) for j in range(40)], i) for i in range(40)]
    assert Arrangement.from_rows(rows).n_regions == 2**40
    assert {part.dim for part in parts([canonical_row(row) for row in rows], 40)} == {0}


def test_a_product_of_many_parallel_pairs_is_counted():
    rows = [(*[int(i == j) + 2 * (i < j) for j in range(400)], shift) for i in range(400) for shift in (0, 1)]
    assert Arrangement.from_rows(rows).n_regions == 3**400


def test_restriction_drops_parallels_and_merges_equals():
    assert restrict([(1, 0, 5), (0, 1, 0), (1, 1, 0)], (1, 0, 0)) == {(1, 0)}


def test_limits_are_refusals_and_not_guesses():
    entry = next(entry for entry in ARRANGEMENTS if entry["name"] == "generic-12-8")
    arrangement = Arrangement.from_rows(entry["rows"])
    with pytest.raises(UndecidedError, match="more than 10 restrictions"):
        arrangement.count(max_nodes=10)
    with pytest.raises(UndecidedError, match="more than 20 flats"):
        arrangement.lattice(max_flats=20)
    with pytest.raises(UndecidedError, match="more than 3 linear systems"):
        count_inside(arrangement, er.Box([-1] * 8, [1] * 8), max_systems=3)


def test_what_is_no_arrangement_is_refused():
    with pytest.raises(ShapeError, match="row 1"):
        Arrangement.from_rows([[1, 0], [1, 0, 0]])
    with pytest.raises(ShapeError, match="needs its dimension"):
        Arrangement.from_rows([])
    with pytest.raises(InputError, match="not a rational number"):
        Arrangement.from_rows([[float("nan"), 1]])
    with pytest.raises(InputError, match="2 hidden layers"):
        Arrangement.of_network(er.Network([([[1]], [0]), ([[1]], [0])]))
    with pytest.raises(InputError, match="without hyperplanes"):
        Arrangement.from_rows([[0, 1]]).network()
    with pytest.raises(ShapeError, match="dimension"):
        count_inside(Arrangement.from_rows([[1, 0]]), er.WholeSpace(2))


def test_what_is_no_polynomial_of_an_arrangement_is_refused():
    for whitney in ((), (2, 1), (1, 0), (1, -1)):
        with pytest.raises(InputError, match="positive"):
            CharacteristicPolynomial(2, whitney)
    with pytest.raises(InputError, match="rank 2"):
        CharacteristicPolynomial(1, (1, 2, 1))


def test_an_empty_domain_has_no_region():
    lines = Arrangement.from_rows([[1, 0, 0]])
    assert count_inside(lines, er.Polyhedron([[1, 0], [-1, 0]], [0, 0])) == 0


def test_the_counter_remembers_equal_restrictions():
    counter = WhitneyCounter()
    rows = [tuple(row) for row in next(e for e in ARRANGEMENTS if e["name"] == "braid-A6")["rows"]]
    assert sum(counter.whitney(rows, 7)) == 5040
    assert counter.n_nodes < 20
