"""Counterexamples are verified by evaluating the network, as a reader would; and textbook networks are added."""

from __future__ import annotations

from fractions import Fraction

import pytest

import exactregions as er
from proofs_checks import lemmas
from proofs_checks.lemmas.support.vertices import meeting_point
from tests.lemmas.common import ENTRIES, network, subject
from tests.oracles import SEED001, VERDICTS


def failing(statement):
    return [entry["name"] for entry in VERDICTS if entry["verdicts"][statement]["verdict"] == "FAILS"]


def counterexample(statement, name):
    return lemmas.get(statement).run(subject(name)).counterexample


def text(name, point):
    return subject(name).text(network(name).pattern_at(point))


@pytest.mark.parametrize("name", failing("linear_regions_convex"))
def test_the_middle_point_is_between_the_ends_and_has_another_map(name):
    facts = counterexample("linear_regions_convex", name)
    own = network(name)
    (a, b), c = (end["point"] for end in facts["ends"]), facts["between"]["point"]
    t = next((z - x) / (y - x) for x, y, z in zip(a, b, c, strict=True) if x != y)
    assert 0 < t < 1
    assert all(z == x + t * (y - x) for x, y, z in zip(a, b, c, strict=True))
    maps = [own.affine_map(own.pattern_at(point)) for point in (a, b, c)]
    assert maps[0] == maps[1] != maps[2]
    assert {text(name, a), text(name, b)} <= set(facts["linear_region"])


@pytest.mark.parametrize("name", failing("hamming1_implies_adjacent"))
def test_multipliers_show_that_the_two_cells_lie_apart(name):
    facts = counterexample("hamming1_implies_adjacent", name)
    assert [text(name, point) for point in facts["points"]] == facts["patterns"]
    letters = zip(*(pattern.replace("|", "") for pattern in facts["patterns"]), strict=True)
    assert sum(a != b for a, b in letters) == 1
    if "no_common_facet" not in facts:
        assert "hardtanh" in ENTRIES[name]["activation"]
        return
    proof = facts["no_common_facet"]
    rows = [list(map(Fraction, row)) for row in proof["rows"]]
    total = [proof["weight_of_hyperplane"] * Fraction(entry) for entry in proof["hyperplane"]]
    for row, weight in zip(rows, proof["weights"], strict=True):
        assert weight > 0
        assert any(sum(a * x for a, x in zip(row, p, strict=False)) + row[-1] > 0 for p in facts["points"])
        total = [have + weight * entry for have, entry in zip(total, row, strict=True)]
    assert not any(total[:-1])
    assert total[-1] == proof["sum_is_the_constant"] <= 0


@pytest.mark.parametrize("name", failing("adjacent_implies_hamming1"))
def test_the_two_cells_meet_at_the_point_and_differ_in_several_neurons(name):
    facts = counterexample("adjacent_implies_hamming1", name)
    normal = [Fraction(entry) for entry in facts["facet_hyperplane"][:-1]]
    sides = {
        subject(name).text(network(name).pattern_beyond(facts["point"], [sign * a for a in normal])) for sign in (1, -1)
    }
    assert sides == set(facts["patterns"])


@pytest.mark.parametrize("name", failing("distinct_gradients"))
def test_equal_gradients_are_equal_differences(name):
    """The gradient shows in values: f(x + v) - f(x) for a small v, at both points."""
    facts = counterexample("distinct_gradients", name)
    own = network(name)
    for point in facts["points"]:
        for axis in range(own.input_dim):
            step = Fraction(1)
            moved = [x + step * (k == axis) for k, x in enumerate(point)]
            while own.pattern_at(moved) != own.pattern_at(point):
                step /= 2
                moved = [x + step * (k == axis) for k, x in enumerate(point)]
            slopes = [(v - u) / step for u, v in zip(own(point), own(moved), strict=True)]
            assert slopes == [row[axis] for row in facts["gradient"]]


@pytest.mark.parametrize("name", failing("zeros_equal_codimension"))
def test_as_many_neurons_as_said_are_at_a_breakpoint(name):
    facts = counterexample("zeros_equal_codimension", name)
    assert sum(network(name).breakpoints_at(facts["point"])) == facts["zeros"] == facts["signs"].count("*")
    assert facts["zeros"] != facts["codimension"]


@pytest.mark.parametrize("name", failing("linear_le_strict"))
def test_around_the_point_a_neuron_stays_at_its_breakpoint(name):
    facts = counterexample("linear_le_strict", name)
    own = network(name)
    layer, place = facts["degenerate_neurons"][0][0]
    neuron = own.layer_starts[layer] + place
    for step in (Fraction(0), Fraction(1, 100), Fraction(-1, 100)):
        assert own.breakpoints_at([x + step for x in facts["point"]])[neuron]


def test_max_of_three_has_no_strict_cell_and_three_linear_regions():
    """max(x, max(y, z)): its second layer repeats inputs, so that some neuron is degenerate everywhere."""
    first = ([[0, 1, -1], [0, 0, 1], [0, 0, -1], [1, 0, 0], [-1, 0, 0]], [0] * 5)
    second = ([[1, 1, -1, -1, 1], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]], [0] * 3)  # max(y, z) - x, x+, x-
    maximum = er.Network([first, second], output=([[1, 1, -1]], [0]))
    assert maximum([3, 1, 2]) == (3,)
    assert maximum([-5, -2, -7]) == (-2,)
    shared = lemmas.Subject(maximum)
    verdict = lemmas.get("linear_le_strict").run(shared)
    assert verdict.answer is lemmas.Answer.FAILS
    assert (verdict.counterexample["n_linear"], verdict.counterexample["n_strict"]) == (3, 0)
    assert lemmas.get("linear_le_cells").run(shared).detail == {"n_linear": 3, "n_cells": 13}
    assert lemmas.get("linear_regions_are_unions").run(shared).answer is lemmas.Answer.FAILS
    assert lemmas.get("linear_regions_are_unions_of_cells").run(shared).answer is lemmas.Answer.HOLDS


def test_two_crossing_lines_refute_the_printed_local_count():
    cross = er.Network([([[1, 0], [0, 1]], [0, 0])])
    facts = lemmas.get("local_partial_count_printed")(cross).counterexample
    assert (facts["point"], facts["k"], facts["r"], facts["found"], facts["printed"]) == ((0, 0), 2, 1, 4, 2)


def test_a_wide_generic_layer_refutes_the_heuristic_as_the_text_says():
    """(96, 2): 4657 against 4608, on the line 97 against 96."""
    line = er.Network([([[1]] * 96, list(range(96)))])
    assert lemmas.get("heuristic_upper_bound")(line).counterexample == {"n_strict": 97, "bound": 96, "N": 96, "d": 1}


def test_reconstruction_invents_81_sequences_where_two_are_wanted():
    facts = lemmas.get("reconstruction_unconditional").run(subject("stargalla_nonconvex"))
    assert (facts.counterexample["faces"], facts.counterexample["reconstructed"]) == (11, 3**5)


def test_bounded_components_are_counted_on_a_tent_and_not_where_the_theorem_is_silent():
    """Width d + 2 on the line is a zigzag, of which the theorem does not speak; a tent above 1/2 is one interval."""
    zigzag = er.Network([([[1], [1], [1]], [0, -1, -2])], output=([[2, -4, 4]], ["-1/2"]))
    verdict = lemmas.get("bounded_decision_component")(zigzag)
    assert verdict.reason == "width d + 1 and one output: width 3, 1 outputs, d = 1"
    tent = er.Network([([[1], [1]], [0, -1])], output=([[2, -4]], ["-1/2"]))
    assert lemmas.get("bounded_decision_component")(tent).detail["bounded"] == {"positive": 1, "negative": 0}


def test_hypotheses_that_fail_name_a_witness():
    assert lemmas.get("bottleneck").run(subject("biased_3_3")).reason == "first layer of rank below d: its rank is 2"
    flat = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])], output=([[1, 1, 1]], [0]))
    expected = "generic first layer: neurons 0, 1, 2 are at a breakpoint at one common point"
    assert lemmas.get("bounded_decision_component")(flat).reason == expected
    assert lemmas.get("zero_bias_cones")(flat).answer is lemmas.Answer.HOLDS


class TestSeed001:
    """Against seed001.json, made elsewhere."""

    name = "seed001_depth3_vector_output"

    def test_the_strip_and_its_ray(self):
        facts = counterexample("seed001_strip_vanishes", self.name)
        strip = next(r for r in SEED001["R2"]["depth3"]["regions"] if r["label"] == "aaiaii")
        rays = [tuple(map(Fraction, ray)) for ray in strip["recession_rays"]]
        a, b = facts["recedes_along"]
        assert (a / b, 1) in rays
        assert (
            facts["H5_meets_H6_at"] == meeting_point([(-2, 1, -3), (-1, -2, 3)], 2) == (Fraction(-3, 5), Fraction(9, 5))
        )

    def test_aaiaia_has_neuron_5_inactive(self):
        facts = counterexample("seed001_aaiaia", self.name)
        five, six = network(self.name).pre_activations(facts["point_of_aaiaia"])[2]
        assert five < 0 < six
        assert network(self.name).pre_activations(facts["point_of_aaiaai"])[2][0] > 0

    def test_h3_bends_on_h1(self):
        detail = lemmas.get("seed001_h3_parallel_h2").run(subject(self.name)).detail
        assert (detail["they_meet_at"], detail["H1_there"]) == ((Fraction(2, 3), 3), 0)

    def test_areas_in_the_window(self):
        facts = counterexample("seed001_relative_volumes", "seed001_depth2_vector_output")
        window = SEED001["window[-4,6]^2"]["depth2"]["regions"]
        areas = {}
        for region in window:
            name = region["label"][2:4]
            areas[name] = areas.get(name, 0) + Fraction(region["area"])
        assert facts["shares_of_input"] == {name: area / 100 for name, area in areas.items()}
        assert facts["shares_of_image"] == facts["shares_within_aa"]
