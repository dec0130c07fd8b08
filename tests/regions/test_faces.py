"""Faces of every dimension: counts, states, incidence, Euler's identity, adjacency against linear programs."""

from __future__ import annotations

from math import comb

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.network.formats import from_json
from exactregions.regions.adjacency import facet_pairs, shared_facets
from exactregions.regions.assemble import complex_by_subdivision
from exactregions.regions.subdivision import subdivide
from tests.oracles import ARRANGEMENTS, NETWORKS
from tests.regions.test_geometry import without
from tests.strategies import domains, networks

relaxed = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_counts_of_faces_and_patterns_agree_with_the_oracle(entry):
    network, domain = from_json(entry)
    found = er.enumerate_regions(network, domain)
    if "f_vector" in entry:
        assert list(found.f_vector) == entry["f_vector"]
    if entry.get("n_patterns_any_dimension") is not None:
        assert found.n_patterns_any_dimension == entry["n_patterns_any_dimension"]
    assert len(found.face_complex.neighbour_pairs) == entry["n_facets"] == found.f_vector[-2]
    found.face_complex.check_euler()


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_euler_holds_in_a_box_and_fails_if_a_cell_is_missing(entry):
    network, domain = from_json(entry)
    box = domain if isinstance(domain, er.Box) else er.Box(["-7/2"] * network.input_dim, [3] * network.input_dim)
    found = er.enumerate_regions(network, box)
    found.face_complex.check_euler()
    caught = 0
    for missing in range(len(found)):
        try:
            without(found, missing).face_complex.check_euler()
        except er.InputError:
            caught += 1
    assert caught or len(found) <= 4  # an end cell takes one face of each parity with it, an inner one does not


@pytest.mark.parametrize(("m", "n"), [(3, 1), (4, 2), (7, 2), (5, 3), (7, 3), (6, 4)])
def test_generic_arrangements_have_the_f_vector_of_the_formula(m, n):
    rows = [[(k + 1) ** power for power in range(1, n + 1)] for k in range(m)]
    network = er.Network([(rows, [(k + 1) ** (n + 1) + (k + 2) % 3 for k in range(m)])])
    wanted = [comb(m, n - k) * sum(comb(m - n + k, i) for i in range(k + 1)) for k in range(n + 1)]
    found = er.enumerate_regions(network)
    assert list(found.f_vector) == wanted
    for count in range(n + 1):
        expected = comb(m, count) * sum(comb(m - count, i) for i in range(n - count + 1))
        assert len(found.partial_regions(count)) == expected
    assert found.partial_regions(n + 1) == []


@relaxed
@given(st.data())
def test_faces_fit_the_network_at_exact_points(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    faces, own = found.face_complex, found.own_network
    faces.check_euler()
    seen = set()
    for dim in range(found.dim + 1):
        for face in found.faces(dim):
            point = faces.interior_point(dim, face.index)
            assert found.own_domain.contains(point)
            assert own.pattern_at(point) == face.pattern
            assert tuple(k for k, here in enumerate(own.breakpoints_at(point)) if here) == face.at_breakpoint
            seen.add(face.state)
    assert len(seen) == sum(found.f_vector)


@relaxed
@given(st.data())
def test_all_ways_to_adjacency_agree(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    walked = found.facets.tolist()
    assert found.face_complex.neighbour_pairs.tolist() == walked
    assert facet_pairs((c.inequalities, c.pattern, c.witness) for c in found).tolist() == walked
    assert shared_facets([c.inequalities for c in found], found.patterns()).tolist() == walked


@relaxed
@given(st.data())
def test_the_subdivision_finds_the_cells_on_its_own(data):
    network = data.draw(networks(max_dim=4))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    assert sorted(subdivide(found.own_network, found.own_domain).cells) == sorted(found.labels)


@relaxed
@given(st.data())
def test_the_lattice_is_graded_and_every_interval_of_length_two_is_a_diamond_or_a_chain(data):
    network = data.draw(networks(max_dim=3, max_neurons=5))
    found = er.enumerate_regions(network, er.Box([-2] * network.input_dim, [2] * network.input_dim))
    faces = found.face_complex
    graph = faces.lattice()
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.number_of_nodes() == sum(found.f_vector)
    for dim in range(2, found.dim + 1):  # two facets meet in each ridge inside the domain: boundary of boundary is 0
        product = faces.incidence_matrix(dim - 1).astype(int) @ faces.incidence_matrix(dim).astype(int)
        assert set(product.data.tolist()) <= {0, 2}
    for dim in range(found.dim):
        assert all(len(upper) >= 2 for upper in faces.cofaces(dim))


def test_a_pattern_without_cell_is_refused():
    found = er.enumerate_regions(er.Network([([[1], [1]], [0, -1])]))
    found.packed[0] = found.codec.pack([[0, 1]])[0]
    with pytest.raises(er.InputError, match="the pattern 01 has no cell"):
        found.face_complex  # noqa: B018


def test_an_unfinished_complex_has_the_faces_of_its_cells():
    network = er.Network([([[1, 0], [0, 1]], [0, 0])])
    part = er.enumerate_regions(network, max_cells=3)
    assert part.status is er.Status.LOWER_BOUND
    assert part.f_vector == (1, 4, 3)
    assert len(part.face_complex.neighbour_pairs) == 2


def test_states_are_printed_and_dimensions_checked():
    found = er.enumerate_regions(er.Network([([[1]], [0])], activation=er.HARD_TANH))
    assert [face.text for face in found.faces(0)] == ["*0", "*1"]
    assert [face.text for face in found.faces(1)] == ["0", "1", "2"]
    with pytest.raises(er.InputError, match="no faces of dimension 2"):
        found.faces(2)
    assert found.degrees()["counts"] == {1: 2, 2: 1}


@relaxed
@given(st.data())
def test_neighbour_arrays_and_facet_points_are_those_of_the_pairs(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    graph = found.graph()
    assert [found.neighbours_of(k) for k in range(len(found))] == [tuple(sorted(graph[k])) for k in graph]
    degrees = [degree for _, degree in graph.degree]
    statistics = found.degrees()
    assert (statistics["min"], statistics["max"]) == (min(degrees), max(degrees))
    assert statistics["mean"] * len(found) == sum(degrees) == 2 * found.n_facets
    pairs = set(map(tuple, found.facets.tolist()))
    for i in range(min(len(found), 4)):
        for j in range(i + 1, len(found)):
            if (i, j) in pairs:
                point = found.facet_point(i, j)
                assert found.own_domain.contains(point)
                crossing = set(found.crossing_neurons(i, j))
                here = {k for k, at in enumerate(found.own_network.breakpoints_at(point)) if at}
                assert crossing <= here
            else:
                with pytest.raises(er.InputError, match="share no facet"):
                    found.facet_point(i, j)


def test_faces_are_found_only_as_far_down_as_they_are_asked_for():
    found = er.enumerate_regions(er.Network([([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])]))
    assert len(found.face_complex.neighbour_pairs) == 12
    assert sorted(found.face_complex._levels) == [2, 3]
    assert found.f_vector == (1, 6, 12, 8)


GENERIC = [e for e in ARRANGEMENTS if e["name"].startswith("generic-") and "central" not in e["name"] and e["d"] <= 4]


@pytest.mark.parametrize("entry", GENERIC, ids=lambda entry: entry["name"])
def test_generic_arrangements_of_the_oracle_have_the_f_vector_of_the_formula(entry):
    m, n = entry["n_rows"], entry["d"]
    network = er.Network([([row[:-1] for row in entry["rows"]], [row[-1] for row in entry["rows"]])])
    found = complex_by_subdivision(network, er.WholeSpace(n))
    assert list(found.f_vector) == [
        comb(m, n - k) * sum(comb(m - n + k, i) for i in range(k + 1)) for k in range(n + 1)
    ]
    assert found.n_cells == entry["regions"]


@relaxed
@given(st.data())
def test_a_missing_cell_always_leaves_a_facet_open(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    found.face_complex.check_closed()
    if len(found) > 1:
        for missing in range(min(len(found), 6)):
            with pytest.raises(er.InputError, match="there is no cell"):
                without(found, missing).face_complex.check_closed()


def test_a_cell_that_is_listed_twice_is_noticed():
    found = er.enumerate_regions(er.Network([([[1, 0], [0, 1]], [0, 0])]))
    cells = [(cell.inequalities, cell.pattern, cell.witness) for cell in found]
    with pytest.raises(er.UndecidedError, match="claim the same side of one facet"):
        facet_pairs([*cells, cells[0]])


@relaxed
@given(st.data())
def test_the_complex_made_by_subdivision_is_that_of_the_walk(data):
    network = data.draw(networks(max_dim=3))
    domain = data.draw(domains(network.input_dim))
    walked, made = er.enumerate_regions(network, domain), complex_by_subdivision(network, domain)
    assert made.pattern_texts() == walked.pattern_texts()
    assert made.strict.tolist() == walked.strict.tolist()
    assert made.facets.tolist() == walked.facets.tolist()
    assert all(cell.inequalities.holds_at(cell.witness) for cell in made)


def test_adjacency_in_high_dimension_is_found_cell_by_cell():
    cube = er.Network([([[int(i == j) for j in range(8)] for i in range(8)], [0] * 8)])
    walked = er.enumerate_regions(cube, er.Box([-1] * 8, [1] * 8))
    again = er.RegionComplex(cube, walked.domain, walked.packed, walked.witnesses, walked.strict)
    assert again.facets.tolist() == walked.facets.tolist()
    assert again.n_facets == 8 * 2**7
    assert "subdivision" not in again.__dict__
