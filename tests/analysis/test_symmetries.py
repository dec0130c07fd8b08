"""Mechanisms, each alone; attribution; LRA and TPIC; families; the command; and what all of them must refuse."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.mechanisms import MechanismKind, find_mechanisms
from exactregions.analysis.null_check import leaves_unchanged
from exactregions.analysis.null_space import compensating, inside, rank
from exactregions.analysis.parameters import Parameters
from exactregions.analysis.random_networks import random_network
from exactregions.analysis.symmetries import symmetries, whole_flat
from exactregions.analysis.symmetry_conditions import (
    linear_regions_assumption,
    sufficient_conditions,
    transverse_pairwise_intersections,
)
from exactregions.analysis.symmetry_families import Family, FirstOrderOnly, StraightFails, follow
from exactregions.cli import main
from exactregions.errors import InputError, UndecidedError
from exactregions.network.formats import from_json
from exactregions.rational import RationalMatrix
from proofs_checks import lemmas
from tests.oracles import NETWORKS, domain_of
from tests.strategies import domains, networks

relaxed = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
Kind = MechanismKind
ORACLES = {entry["name"]: entry for entry in NETWORKS}


def explored(name):
    return er.enumerate_regions(from_json(ORACLES[name])[0], domain_of(ORACLES[name]))


def net(*layers, domain=None, activation="relu"):
    network = er.Network(layers[:-1], output=layers[-1], activation=activation)
    return er.enumerate_regions(network, domain)


# -- each mechanism alone --------------------------------------------------------------------------------------------

ALONE = {
    Kind.STABLY_UNACTIVATED: (net(([[1, 0], [0, 0]], [0, -1]), ([[1, 1]], [0])), 3, {(1,)}),
    Kind.STABLY_ACTIVATED: (explored("fd_second_layer_all_on_linear"), 4, {(2, 3)}),
    Kind.NEVER_COACTIVE: (
        net(([[-1, 0], [2, 0]], [-1, 0]), ([[1, -2], [1, 0]], [2, -1]), ([[2, -1]], [-2])),
        1,
        {(1, 3)},
    ),
    Kind.MASKED_BEND: (net(([[1], [1]], [0, -3]), ([[1, 0], [0, -1]], [-1, 5]), ([[1, 1]], [0])), 1, {(0,)}),
    Kind.COINCIDENT_HYPERPLANES: (net(([[-2, -1], [2, 1]], [-2, 2]), ([[1, -2]], [-2])), 1, {(0, 1)}),
    Kind.RESTRICTED_IMAGE: (
        net(([[2, 0], [1, 0], [-1, 2]], [-2, 0, 1]), ([[1, -1, -2], [2, -2, 2]], [0, -2]), ([[-1, -2]], [-2])),
        1,
        {(3,)},
    ),
    Kind.LAYER_OFF: (net(([[-1]], [-2]), ([[1]], [-1]), ([[1]], [-2])), 1, {(0,)}),
    Kind.BOUNDED_DOMAIN: (
        net(([[1]], [2]), ([[-1]], [2]), ([[1]], [-2]), domain=er.Box([-1], [1])),
        1,
        {()},
    ),
}


@pytest.mark.parametrize("kind", list(Kind), ids=lambda kind: kind.name.lower())
def test_each_mechanism_has_a_network_where_it_alone_causes_the_deficit(kind):
    cells, deficit, neurons = ALONE[kind]
    report = symmetries(cells)
    assert report.dimension.deficit == deficit
    assert report.credits == {kind: deficit}
    assert not report.unexplained
    credited = [part for part in report.attributions if part.credited]
    assert {part.finding.neurons for part in credited} == neurons
    assert [part.predicted for part in credited] == [deficit]
    assert all(part.finding.witness for part in credited)


@pytest.mark.parametrize("kind", sorted(set(Kind) - {Kind.BOUNDED_DOMAIN}), ids=lambda kind: kind.name.lower())
def test_without_its_cause_a_mechanism_is_not_found(kind):
    """Generic networks without hidden symmetry, and in each case one change to the network that undoes the cause."""
    for name in ("fd_1_3_1", "fd_2_3_1_generic", "fd_2_2_2_1", "lines_4_4_integer", "biased_3_3"):
        assert not symmetries(explored(name)).credits
    cured = {
        Kind.STABLY_UNACTIVATED: net(([[1, 0], [0, 1]], [0, -1]), ([[1, 1]], [0])),
        Kind.STABLY_ACTIVATED: net(([[1, 0], [0, 1]], [0, 0]), ([[1, 1], [1, -1]], [-1, 3]), ([[1, 1]], [0])),
        Kind.NEVER_COACTIVE: net(([[-1, 0], [2, 0]], [-1, 8]), ([[1, -2], [1, 0]], [2, -1]), ([[2, -1]], [-2])),
        Kind.MASKED_BEND: net(([[1], [1]], [0, -3]), ([[1, 0], [1, -1]], [-1, 5]), ([[1, 1]], [0])),
        Kind.COINCIDENT_HYPERPLANES: net(([[-2, -1], [2, 1]], [-2, 3]), ([[1, -2]], [-2])),
        Kind.RESTRICTED_IMAGE: net(
            ([[2, 0], [1, 0], [-1, 2]], [-2, 0, 1]), ([[1, 1, -2], [2, -2, 2]], [0, -2]), ([[-1, -2]], [-2])
        ),
        Kind.LAYER_OFF: net(([[-1]], [-2]), ([[1]], [1]), ([[1]], [-2])),
    }
    assert kind not in symmetries(cured[kind]).credits


# -- attribution -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ORACLES if ORACLES[name].get("functional_dimension") is not None])
def test_credits_and_the_unexplained_add_up_to_the_deficit(name):
    report = symmetries(explored(name))
    assert sum(report.credits.values()) + len(report.unexplained) == report.dimension.deficit
    assert all(0 <= part.credited <= part.predicted for part in report.attributions)


def test_only_two_of_the_oracles_with_a_deficit_are_left_with_something_unexplained():
    left = {}
    for name in ORACLES:
        report = symmetries(explored(name))
        if report.unexplained:
            left[name] = len(report.unexplained)
    assert left == {"stargalla_nonconvex": 3, "open_vs_closed": 3}


@relaxed
@given(st.data())
def test_directions_of_mechanisms_are_null_and_account_for_no_more_than_the_deficit(data):
    network = data.draw(networks(max_dim=2))
    domain = data.draw(domains(network.input_dim))
    cells = er.enumerate_regions(network, domain)
    dimension = functional_dimension(cells)
    report = symmetries(cells)
    if dimension.value is None:
        assert report.attributions == report.unexplained == ()
        return
    patterns = cells.codec.unpack(cells.packed)[dimension.smooth].astype(np.int64)
    for finding in find_mechanisms(cells, dimension):
        assert leaves_unchanged(dimension.parameters, patterns, finding.directions, domain.lift_matrix())
    assert sum(report.credits.values()) + len(report.unexplained) == dimension.deficit
    everything = [*dimension.parameters.rescalings, *report.unexplained]
    everything += [direction for part in report.attributions for direction in part.finding.directions]
    assert rank(everything) == rank(dimension.null_space)


@relaxed
@given(st.data())
def test_what_a_domain_hides_includes_what_the_whole_flat_hides(data):
    network = data.draw(networks(max_dim=2))
    domain = data.draw(domains(network.input_dim))
    around = whole_flat(domain)
    inside_ = functional_dimension(er.enumerate_regions(network, domain))
    if around is None or inside_.value is None:
        return
    whole = functional_dimension(er.enumerate_regions(network, around))
    assert whole.value >= inside_.value
    assert rank([*inside_.null_space, *whole.null_space]) == rank(inside_.null_space)


def test_a_neuron_constant_at_a_value_that_is_not_zero_is_made_up_for_by_the_next_bias():
    cells = net(([[1], [0]], [0, 5]), ([[1, 1]], [0]), activation="hardtanh[-1,1]")
    report = symmetries(cells)
    assert report.credits == {Kind.STABLY_UNACTIVATED: 3}  # its two parameters, and what it sends


def test_tied_and_absent_biases_are_attributed_in_their_own_parameters():
    twice = net(([[1, 2], [1, 2]], [0, 0]), ([[1, 3]], [0]))
    for biases in ("free", "tied", "absent"):
        report = symmetries(twice, biases=biases)
        assert Kind.COINCIDENT_HYPERPLANES in report.credits
        assert sum(report.credits.values()) + len(report.unexplained) == report.dimension.deficit


def test_a_layer_of_rescalings_that_vanish_is_not_counted_as_hidden():
    dark = net(([[0]], [0]), ([[1]], [-1]), ([[1]], [0]))
    report = symmetries(dark)
    assert (report.dimension.value, report.dimension.upper_bound) == (1, 4)
    assert sum(report.credits.values()) + len(report.unexplained) == 3


def test_the_part_of_a_null_space_inside_some_coordinates():
    assert inside([], [0]) == []
    assert inside([(1, 1, 0), (0, 1, 1)], [0, 1, 2]) == [(1, 1, 0), (0, 1, 1)]
    assert inside([(1, 1, 0), (0, 1, 1)], [0]) == []


def test_neurons_whose_activations_are_the_output_have_only_their_rows_to_offer():
    last = Parameters(er.Network([([[1, 2]], [3])]))
    assert compensating(last, [0], [([Fraction(1)], [Fraction(0)])]) == []
    assert len(compensating(last, [0], [([Fraction(0)], [Fraction(0)])])) == 3


# -- refusals --------------------------------------------------------------------------------------------------------


def test_nothing_is_explained_from_a_search_that_was_stopped():
    network = er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[1, 1]], [0]))
    part = er.enumerate_regions(network, max_cells=2)
    for question in (symmetries, linear_regions_assumption, transverse_pairwise_intersections):
        with pytest.raises(UndecidedError, match="stopped"):
            question(part)
    found = functional_dimension(part)
    with pytest.raises(InputError, match="complete"):
        follow(part, found, [0] * found.parameters.count)


def test_the_whole_flat_may_have_too_many_cells():
    network = er.Network([([[1], [1], [1]], [0, 1, 2])], output=([[1, 1, 1]], [0]))
    with pytest.raises(UndecidedError, match="raise max_cells"):
        symmetries(er.enumerate_regions(network, er.Box([0], [1])), max_cells=2)


def test_an_undefined_functional_dimension_is_said_to_be_so():
    report = symmetries(explored("zero_row_bias0"))
    assert report.dimension.value is None
    assert "not defined" in report.text()
    assert report.facts()["functional_dimension"] is None
    assert report.facts()["deficit"] is None


# -- LRA, TPIC -------------------------------------------------------------------------------------------------------

BOTH_LAYERS = net(([[3, -1], [-3, -3]], [-3, -4]), ([[2, 3], [-1, -1]], [-4, 4]), ([[-3, -4]], [0]))
IN_SPACE = net(
    ([[-2, 2, -3], [2, 4, 2], [1, 0, 4]], [-3, -1, 1]), ([[1, -4, -3], [2, 3, 1]], [4, -1]), ([[-2, 3]], [0])
)


@pytest.mark.parametrize("cells", [BOTH_LAYERS, IN_SPACE], ids=["plane", "space"])
def test_two_layers_can_satisfy_every_condition_and_then_there_is_no_hidden_symmetry(cells):
    assert sufficient_conditions(cells).hold
    assert functional_dimension(cells).deficit == 0
    assert lemmas.get("no_hidden_symmetries")(cells.network).answer is lemmas.Answer.HOLDS


def test_the_conditions_are_not_necessary():
    cells = explored("fd_2_2_2_1")
    found = sufficient_conditions(cells)
    assert not found.lra
    assert not found.tpic
    assert functional_dimension(cells).deficit == 0


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_wherever_the_conditions_hold_there_is_no_hidden_symmetry(data):
    shape = data.draw(st.sampled_from([(2, (3,)), (2, (2, 2)), (2, (3, 2)), (3, (3,)), (1, (3,))]))
    law = data.draw(st.sampled_from(["integer", "he"]))
    cells = er.enumerate_regions(random_network(*shape, law=law, size=4, rng=data.draw(st.integers(0, 10**6))))
    if sufficient_conditions(cells).hold:
        assert functional_dimension(cells).deficit == 0


@relaxed
@given(st.data())
def test_lra_is_that_linear_regions_are_cells(data):
    network = data.draw(networks(max_dim=3))
    cells = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    assert linear_regions_assumption(cells).holds == (cells.n_linear == cells.n_cells)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6))
def test_in_generic_networks_of_the_plane_tpic_is_a_vertex_of_each_pair(seed):
    cells = er.enumerate_regions(random_network(2, (2, 2), rng=seed))
    pairs = {vertex.at_breakpoint for vertex in cells.faces(0)}
    assert bool(transverse_pairwise_intersections(cells)) == (pairs >= set(product((0, 1), (2, 3))))


def test_bent_hyperplanes_that_touch_without_crossing_do_not_meet_transversely():
    kissing = net(([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [0]), ([[1]], [0]))  # |.| of the corner: on iff x or y > 0
    answer = transverse_pairwise_intersections(kissing)
    assert not answer.holds
    assert "neurons 0 and 2" in answer.reason


def test_on_a_line_no_two_layers_meet_transversely_and_one_layer_does_vacuously():
    assert not transverse_pairwise_intersections(explored("serra_1d_3_3_max16"))
    assert transverse_pairwise_intersections(explored("fd_1_3_1"))


def test_the_theorem_is_not_claimed_outside_its_scope():
    box = net(([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [0]), domain=er.Box([-1, -1], [1, 1]))
    assert "domain" in sufficient_conditions(box).in_scope.reason
    assert not sufficient_conditions(explored("leaky_3_3_biased")).hold
    assert "output" in sufficient_conditions(explored("seed001_depth2_vector_output")).in_scope.reason


# -- families --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["one_d_2_2_best7", "dead_neuron_2d", "fd_pair_never_coactive", "max_of_2"])
def test_null_directions_are_followed_to_networks_that_are_equal(name):
    cells = explored(name)
    found = functional_dimension(cells)
    answers = [follow(cells, found, direction) for direction in found.hidden_directions]
    families = [answer for answer in answers if isinstance(answer, Family)]
    assert families
    for family in families:
        end = 7 if family.end is None else family.end
        for step in (end, end / Fraction(3)):
            member = family.at(step)
            assert member != cells.network
            assert er.equal(cells.network, member, cells.domain)


def test_a_family_ends_where_a_dead_neuron_wakes_up():
    cells = net(([[1], [0]], [0, -1]), ([[1, 1]], [0]))
    found = functional_dimension(cells)
    family = follow(cells, found, (0, 0, 0, 1, 0, 0, 0), end=16)
    assert family.end == 1
    with pytest.raises(InputError, match="proved for 0 <= t <= 1"):
        family.at(2)
    assert not er.equal(cells.network, family.parameters.moved(family.direction, 2))


def test_moving_a_row_within_what_nothing_feels_is_proved_for_every_amount_in_between():
    cells = net(([[1], [1]], [0, 1]), ([[1, 0]], [-1]), ([[1]], [0]))
    found = functional_dimension(cells)
    free = inside(found.null_space, found.parameters.incoming(2))
    assert free == [(0, 0, 0, 0, 1, -1, 1, 0, 0)] or free == [(0, 0, 0, 0, -1, 1, -1, 0, 0)]
    assert isinstance(follow(cells, found, free[0], end=Fraction(1, 4)), Family)


def test_products_of_two_small_parameters_are_a_symmetry_to_first_order_only():
    cells = net(([[0]], [1]), ([[0]], [0]))  # v (w x + b) + c at w = v = 0, b = 1
    found = functional_dimension(cells)
    assert (found.value, found.deficit) == (1, 2)
    assert isinstance(follow(cells, found, (1, 0, 1, -1)), FirstOrderOnly)
    assert isinstance(follow(cells, found, (1, 0, 0, 0)), Family)
    with pytest.raises(InputError, match="first order"):
        follow(cells, found, (0, 0, 1, 0))


def test_where_the_straight_line_leaves_the_function_a_point_shows_it():
    cells = explored("dup_neurons_1d")
    found = functional_dimension(cells)
    apart = follow(cells, found, (0, 1, 0, -1, 0, 0, 0))
    assert isinstance(apart, StraightFails)
    member = found.parameters.moved(apart.direction, apart.step)
    assert member(apart.witness) != cells.network(apart.witness)


def test_families_are_not_sought_on_slices():
    cells = net(([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [0]), domain=er.Slice([0, 0], [[1, 1]]))
    found = functional_dimension(cells)
    with pytest.raises(InputError, match="slice"):
        follow(cells, found, found.hidden_directions[0])


# -- the command -------------------------------------------------------------------------------------------------------


def _run(tmp_path, network, *options):
    path = tmp_path / "net.json"
    er.save(network, str(path))
    return CliRunner().invoke(main, ["symmetries", str(path), *options])


DEAD = er.Network([([[1, 0], [0, 0]], [0, -1])], output=([[1, 1]], [0]))


def test_the_command_prints_one_json_object_with_the_standard_keys(tmp_path):
    answer = _run(tmp_path, DEAD, "--json", "--conditions")
    facts = json.loads(answer.stdout)
    assert answer.exit_code == 0
    assert {"network", "input_dim", "hidden", "domain", "engine", "status", "n_cells", "n_strict", "n_linear"} <= set(
        facts
    )
    assert (facts["functional_dimension"], facts["upper_bound"], facts["deficit"], facts["unexplained"]) == (4, 7, 3, 0)
    assert facts["mechanisms"][0] == {
        "kind": "stably unactivated",
        "neurons": [1],
        "predicted": 3,
        "credited": 3,
        "witness": "on piece 0, of slope 0, in all 2 smooth cells",
    }
    assert facts["conditions"]["generic"]["holds"] is False
    said = _run(tmp_path, DEAD, "--conditions").stdout.splitlines()
    assert "supertransversal: holds" in said
    assert f"generic: fails: {facts['conditions']['generic']['reason']}" in said


def test_the_command_says_null_where_it_is_not_defined_and_marks_lower_bounds(tmp_path):
    undefined = json.loads(_run(tmp_path, er.Network([([[0]], [0])], output=([[1]], [0])), "--json").stdout)
    assert undefined["functional_dimension"] is None
    assert undefined["upper_bound"] == 3
    stopped = json.loads(_run(tmp_path, DEAD, "--json", "--max-cells", "1").stdout)
    assert (stopped["status"], stopped["mechanisms"], stopped["deficit"]) == ("lower_bound", [], None)
    assert "at least" in _run(tmp_path, DEAD, "--max-cells", "1").stdout
    assert "3 of the deficit: stably unactivated (1)" in _run(tmp_path, DEAD).stdout
    assert _run(tmp_path, DEAD, "--biases", "absent").exit_code == 2


def test_on_an_error_the_command_prints_no_json():
    answer = CliRunner().invoke(main, ["symmetries", "missing.json", "--json"])
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert "missing.json" in answer.stderr


def test_ranks_of_spans():
    assert rank([]) == 0
    assert RationalMatrix.from_rows([(1, 2), (2, 4)]).rank() == rank([(1, 2), (2, 4)]) == 1
