"""The routes that the checks take, against each other and against the package's own."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

import exactregions as er
from proofs_checks import lemmas
from proofs_checks.lemmas import Subject
from proofs_checks.lemmas.arrangement.serra_upper_bound import serra_sum
from proofs_checks.lemmas.support.audit import find_damage
from proofs_checks.lemmas.support.first_layer import whitney_sum
from proofs_checks.lemmas.support.partial import f_vector, find_partial_regions
from proofs_checks.lemmas.support.related import permute_neurons, rescale_neurons, truncate
from proofs_checks.lemmas.support.segments import cut, point_on
from tests.lemmas.common import ENTRIES, subject
from tests.oracles import ARRANGEMENTS, SEED001
from tests.strategies import domains, networks

SMALL = settings(max_examples=25)


@SMALL
@given(st.data())
def test_what_holds_for_every_network_holds_for_drawn_ones(data):
    network = data.draw(networks(max_dim=3, max_neurons=5))
    domain = data.draw(domains(network.input_dim))
    try:
        shared = Subject(network, domain)
        assert shared.cells
    except er.InputError:
        return
    for lemma in lemmas.statements():
        if lemma.needs_complex:
            verdict = lemma.run(shared)
            assert not verdict.reason.startswith("complete complex"), verdict.reason
            if lemma.statement.scope is lemmas.Scope.EVERY:
                assert verdict.answer is not lemmas.Answer.FAILS, (lemma.statement.id, verdict.counterexample)


@SMALL
@given(networks(max_dim=3, max_neurons=5))
def test_faces_by_descent_are_the_faces_by_generators(network):
    shared = Subject(network)
    assert tuple(f_vector(find_partial_regions(shared), shared.dim)) == shared.complex.f_vector


@SMALL
@given(networks(max_dim=1, max_neurons=6))
def test_on_a_line_the_pieces_of_a_long_segment_are_the_cells(network):
    found = er.enumerate_regions(network)
    ends = [Fraction(-1000), Fraction(1000)]
    seen = {
        network.pattern_at(point_on((ends[0],), (ends[1],), t)) for t, _ in cut(network, (ends[0],), (ends[1],)).middles
    }
    assert seen == set(found.patterns())


@SMALL
@given(networks(max_dim=3, max_neurons=6), st.lists(st.fractions(-3, 3, max_denominator=5), min_size=3, max_size=3))
def test_related_networks_compute_what_they_should(network, numbers):
    point = numbers[: network.input_dim]
    orders = [list(reversed(range(width))) for width in network.widths]
    permuted = permute_neurons(network, orders)
    if network.output is not None:
        assert permuted(point) == network(point)
        if network.is_positively_homogeneous:
            factors = [Fraction(k + 2, 3) for k in range(network.n_neurons)]
            assert rescale_neurons(network, factors)(point) == network(point)
    assert truncate(network, 1).pre_activations(point) == network.pre_activations(point)[:1]


def test_facets_by_crossing_are_the_oracles():
    for name, entry in ENTRIES.items():
        assert len(subject(name).facets) == entry["n_facets"]
        assert subject(name).n_linear == entry["n_linear"]
        assert subject(name).n_strict == entry["n_strict"]
        assert find_damage(subject(name)) is None


def test_whitney_sums_are_the_oracles():
    small = [entry for entry in ARRANGEMENTS if entry["n_rows"] == entry["n_distinct"] <= 9]
    for entry in small:
        rows = [tuple(row) for row in entry["rows"] if all(isinstance(number, int) for number in row)]
        if len(rows) == entry["n_rows"]:
            assert whitney_sum(rows, entry["d"]) == entry["charpoly_low_to_high"]
    assert len(small) > 5


def test_serra_sums_are_the_oracles():
    assert serra_sum(2, (2, 2, 2)) == 30
    assert serra_sum(2, (32, 32, 32)) == 148035889
    assert serra_sum(4, (2, 4)) == 22


def test_vertices_are_the_oracles():
    from proofs_checks.lemmas.support.vertices import vertices_of

    regions = {region["label"]: region for region in SEED001["R2"]["depth3"]["regions"]}
    for cell in subject("seed001_depth3_vector_output").cells:
        name = "".join("a" if piece else "i" for piece in cell.pattern)
        wanted = {tuple(map(Fraction, vertex)) for vertex in regions[name]["vertices"]}
        assert set(vertices_of(cell, 2)) == wanted


def test_a_slice_is_checked_in_its_own_coordinates():
    network = er.Network([([[1, 0, 0], [0, 1, 1]], [0, 0])], output=([[1, 1]], [0]))
    shared = Subject(network, er.Slice([0, 0, 1], [[1, 0, 0], [0, 1, 0]]))
    assert (shared.dim, len(shared.cells)) == (2, 4)
    assert lemmas.get("zero_bias_cones").run(shared).reason.startswith("zero hidden biases")
    assert lemmas.get("euler").run(shared).answer is lemmas.Answer.HOLDS
