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
from exactregions.regions.subdivision import subdivide
from tests.oracles import NETWORKS
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
    assert found.face_complex.degrees()["counts"] == {1: 2, 2: 1}
