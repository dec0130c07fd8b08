"""The further statements: the verdict of each on every oracle network.

No entry comes from the checks.  A verdict is derived (a) from a theorem, for statements that hold for every network;
(b) from the frozen numbers of networks.json and verdicts.json, which were made elsewhere, by the rule given at each
statement; (c) by hand, for the networks listed.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from proofs_checks import lemmas
from tests.lemmas.common import ENTRIES, subject
from tests.oracles import VERDICTS

H, F, N = "HOLDS", "FAILS", "NOT_APPLICABLE"
ORACLE = {entry["name"]: entry["verdicts"] for entry in VERDICTS}

# (a) true for every network
EVERYWHERE = [
    "cells_convex",
    "cells_cover",
    "cells_are_components",
    "linear_regions_are_unions_of_cells",
    "partial_regions_convex",
    "local_partial_count",
    "sign_sequences_injective",
    "euler_any_d",
    "carving_refines",
    "walls_continuous",
    "preimages_disjoint",
    "generic_count_is_theta",
    "neuron_permutation",
]
# (c) by hand: the walls of d = 2 networks that have a degenerate face somewhere, but two that cross properly elsewhere;
# montufar_fold_4_2: both walls of layer 2 bend into squares, which cross at (-1, -1)
ALSO_CROSSING = {"montufar_fold_4_2", "generic_4_planes_3d"}
# T(T(x)) = 0 at x = 1/2, where a neuron of the first layer bends too
COINCIDENT_IN_BOX = {"tent_depth3_box01"}
# all first-layer normals parallel: (x, x - 1, x - 2), (x and 0), (x and 0), and one neuron
NARROW = {"parallel_lines_2d", "zero_row_bias0", "zero_row_bias_minus1", "narrow_first_layer_1_3"}
# width d + 1, generic, one output, which does not vanish at a vertex: read off the weights
SIMPLEX = {"generic_4_planes_3d", "fd_2_3_1_generic"}
NOTES_TWO = {"seed001_depth2_vector_output", "seed001_depth3_vector_output", "fd_2_2_2_1"}
NOTES_THREE = {"seed001_depth3_vector_output"}


def whole(entry):
    return isinstance(entry["domain"], str)


def depth(entry):
    return len(entry["layers"])


def neurons(entry):
    return sum(len(bias) for _, bias in entry["layers"])


def zeros_equal_codimension(entry):
    """The oracle's verdict where it has one (d <= 2, whole space), else by hand."""
    verdict = ORACLE[entry["name"]]["zeros_equal_codimension"]["verdict"]
    if verdict != N:
        return verdict
    return F if entry["name"] in COINCIDENT_IN_BOX else H


def has_vertex(entry):
    return entry["input_dim"] == 3 or entry["f_vector"][0] > 0  # four generic planes have vertices


def crossing(entry):
    if entry["name"] in ALSO_CROSSING:
        return True
    regular = zeros_equal_codimension(entry) == H
    return entry["input_dim"] == 2 and whole(entry) and regular and entry["f_vector"][0] > 0


def reconstruction(entry):
    if not whole(entry) or zeros_equal_codimension(entry) != H or not has_vertex(entry):
        return N
    return H


def growth(entry):
    counted = ORACLE[entry["name"]]["zero_bias_count"]
    if counted["verdict"] == N:
        return N
    d = entry["input_dim"]
    return H if counted["detail"]["strict_zero_bias"] <= d * neurons(entry) ** (d - 1) else F


def more_depth(entry):
    if depth(entry) == 1 or not whole(entry) or "hardtanh" in entry["activation"]:
        return N
    shallow = sum(comb(neurons(entry), k) for k in range(entry["input_dim"] + 1))
    return H if entry["n_cells"] > shallow else F


def all_off(entry):
    if entry["activation"] != "relu" or not whole(entry):
        return N
    width = len(entry["layers"][0][1])
    return H if any(set(pattern.replace("|", "")[:width]) == {"0"} for pattern in entry["patterns"]) else F


def divides(entry):
    if not whole(entry) or "hardtanh" in entry["activation"]:
        return N
    return F if any(all(Fraction(w) == 0 for w in row) for row in entry["layers"][0][0]) else H


def if_(condition, verdict, otherwise=N):
    return verdict if condition else otherwise


def no_hidden_symmetries(entry):
    """One layer in general position, whose n walls attain the binomial sum, with no two cells of one map.

    The deeper networks fail a hypothesis: cells merge, or a neuron of layer 2 does not meet every one of layer 1.
    """
    if depth(entry) > 1 or not whole(entry) or entry["activation"] != "relu" or entry["output_layer"] is None:
        return N
    generic = entry["n_cells"] == sum(comb(neurons(entry), k) for k in range(entry["input_dim"] + 1))
    return if_(generic and entry["n_linear"] == entry["n_cells"], H)


RULES = {
    **{name: lambda entry: H for name in EVERYWHERE},
    # a cell is not strict iff a neuron is degenerate on it, and then its points are near no strict region
    "linear_regions_are_unions": lambda e: if_(e["n_strict"] == e["n_cells"], H, F),
    # more cells are eligible than strict ones, so an equal pair stays one; zero_row_bias0 has one eligible cell only
    "distinct_gradients_cells": lambda e: ORACLE[e["name"]]["distinct_gradients"]["verdict"],
    # cells are merged across facets exactly where maps agree
    "adjacent_maps_differ": lambda e: if_(e["n_linear"] == e["n_cells"], H, F),
    # two crossing lines refute the printed count: 4 > 2
    "local_partial_count_printed": lambda e: if_(crossing(e), F),
    # the same hypotheses as zero_bias_cones and zero_bias_count, and theorems under them
    "zero_bias_homogeneous": lambda e: ORACLE[e["name"]]["zero_bias_cones"]["verdict"],
    "zero_bias_injection": lambda e: ORACLE[e["name"]]["zero_bias_count"]["verdict"],
    "cells_at_infinity": lambda e: ORACLE[e["name"]]["zero_bias_count"]["verdict"],
    "zero_bias_growth": growth,
    "neuron_scaling": lambda e: if_("hardtanh" not in e["activation"], H),
    "no_hidden_symmetries": no_hidden_symmetries,
    # theorems on the arrangement of the first layer, on R^d
    **{
        name: lambda e: if_(whole(e), H)
        for name in ("deletion_restriction", "zaslavsky_regions", "zaslavsky_bounded", "binomial_iff_generic")
    },
    "zeros_equal_codimension_any_d": zeros_equal_codimension,
    "reconstruction": reconstruction,
    # without a vertex nothing is made; with a vertex of too many zeros, too much
    "reconstruction_unconditional": lambda e: if_(whole(e), if_(reconstruction(e) == H, H, F)),
    "bounded_decision_component": lambda e: if_(e["name"] in SIMPLEX, H),
    "more_depth_more_regions": more_depth,
    "one_on_parallel": lambda e: if_(depth(e) > 1 and e["activation"] == "relu", H),
    "origin_expands": all_off,
    "neuron_divides_in_two": divides,
    "bottleneck": lambda e: if_(e["name"] in NARROW, H),
    "seed001_children": lambda e: if_(e["name"] in NOTES_TWO, H),
    "seed001_h3_parallel_h2": lambda e: if_(e["name"] in NOTES_TWO, H),
    "seed001_relative_volumes": lambda e: if_(e["name"] in NOTES_TWO, F),
    "seed001_h5_h6_pass": lambda e: if_(e["name"] in NOTES_THREE, H),
    "seed001_strip_vanishes": lambda e: if_(e["name"] in NOTES_THREE, F),
    "seed001_aaiaia": lambda e: if_(e["name"] in NOTES_THREE, F),
}
# about averages: never refuted on these shapes; where they apply follows from the shape
AVERAGES = {
    "expected_density": lambda e: H,
    "depth_independence": lambda e: if_(depth(e) > 1, H),
    "crofton_line": lambda e: H,
    "zero_bias_average": lambda e: if_(e["input_dim"] == 2, H),
}


def test_every_statement_has_an_expected_verdict():
    oracle = {name for verdicts in ORACLE.values() for name in verdicts}
    assert {lemma.statement.id for lemma in lemmas.statements()} == oracle | set(RULES) | set(AVERAGES)


@pytest.mark.parametrize("statement", RULES)
def test_verdicts_follow_from_frozen_numbers(statement):
    check = lemmas.get(statement)
    found = {name: check.run(subject(name)).answer.value for name in ENTRIES}
    assert found == {name: RULES[statement](entry) for name, entry in ENTRIES.items()}


@pytest.mark.parametrize("statement", AVERAGES)
def test_statements_on_averages_carry_intervals(statement):
    check = lemmas.get(statement)
    for name in list(ENTRIES)[::5]:
        verdict = check.run(subject(name))
        assert verdict.answer.value == AVERAGES[statement](ENTRIES[name])
        assert verdict.answer == N or all(one.low <= one.mean <= one.high for one in verdict.estimates)


def test_the_hand_made_lists_name_oracle_networks():
    assert set().union(ALSO_CROSSING, COINCIDENT_IN_BOX, NARROW, SIMPLEX, NOTES_TWO, NOTES_THREE) <= set(ENTRIES)


@pytest.mark.parametrize("name", sorted(NARROW))
def test_narrow_first_layers_have_parallel_normals(name):
    rows = [list(map(Fraction, row)) for row in ENTRIES[name]["layers"][0][0]]
    assert all(a[0] * b[1] == a[1] * b[0] for a, b in combinations(rows, 2))
