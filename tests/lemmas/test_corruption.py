"""No check says HOLDS on a damaged complex; beside each damage the sound complex is the control."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import exactregions as er
from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.errors import ExactRegionsError
from exactregions.regions import RegionComplex, Status, WitnessTable
from proofs_checks import lemmas
from proofs_checks.lemmas.hanin_rolnick import crofton_line, expected_counts
from proofs_checks.lemmas.notes import widths
from proofs_checks.lemmas.rescaling import no_hidden_symmetries
from proofs_checks.lemmas.zero_bias import average
from tests.lemmas.common import network

NETWORKS = ["seed001_depth3_vector_output", "fd_2_3_1_generic", "max_of_2", "narrow_first_layer_1_3", "bump_1d"]
LISTED = [lemma for lemma in lemmas.statements() if lemma.needs_complex]


def rebuilt(complex_, keep, *, facets=None, witnesses=None, status=Status.EXACT):
    """The complex with some of its cells only, and other facets or witnesses."""
    keep = np.asarray(keep)
    place = {old: new for new, old in enumerate(keep.tolist())}
    pairs = complex_.facets.tolist() if facets is None else facets
    pairs = [(place[i], place[j]) for i, j in pairs if i in place and j in place]
    points = list(complex_.witnesses) if witnesses is None else witnesses
    return RegionComplex(
        complex_.network,
        complex_.domain,
        complex_.packed[keep],
        WitnessTable.from_points([points[k] for k in keep.tolist()], complex_.dim),
        complex_.strict[keep],
        facets=np.array(sorted(pairs), dtype=np.int64).reshape(len(pairs), 2),
        status=status,
    )


def removed(complex_):
    """The last cell is gone."""
    return rebuilt(complex_, range(len(complex_) - 1))


def merged(complex_):
    """The second of two adjacent cells is gone, and its neighbours are said to be the first one's."""
    first, second = complex_.facets[-1].tolist()
    keep = [k for k in range(len(complex_)) if k != second]
    pairs = {tuple(sorted(first if k == second else k for k in pair)) for pair in complex_.facets.tolist()}
    return rebuilt(complex_, keep, facets=[pair for pair in pairs if pair[0] != pair[1]])


def facet_moved(complex_):
    """One facet is said to be between other cells."""
    pairs = [tuple(pair) for pair in complex_.facets.tolist()]
    free = [(i, j) for i in range(len(complex_)) for j in range(i + 1, len(complex_)) if (i, j) not in pairs]
    return rebuilt(complex_, range(len(complex_)), facets=[*pairs[1:], free[0]] if free else pairs[1:])


def witness_moved(complex_):
    """One cell has another one's witness."""
    points = list(complex_.witnesses)
    return rebuilt(complex_, range(len(complex_)), witnesses=[points[1], *points[1:]])


def wall_moved(complex_):
    """The cells are those of the network with one bias changed."""
    own = complex_.network
    first = own.layers[0]
    other = er.Network(
        [(first.weights, [first.bias[0] + 7, *first.bias[1:]]), *own.layers[1:]],
        output=own.output,
        activation=[list(kinds) for kinds in own.activations],
    )
    found = er.enumerate_regions(other, complex_.domain)
    return RegionComplex(own, complex_.domain, found.packed, found.witnesses, found.strict, facets=found.facets)


def stopped_early(complex_):
    """The list is a lower bound."""
    return rebuilt(complex_, range(len(complex_)), status=Status.LOWER_BOUND)


DAMAGES = [removed, merged, facet_moved, witness_moved, wall_moved, stopped_early]


def complex_of(name):
    return er.enumerate_regions(network(name))


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_no_check_holds_on_a_damaged_complex(name, damage):
    subject = lemmas.Subject(network(name), complex_=damage(complex_of(name)))
    for lemma in LISTED:
        assert lemma.run(subject).answer is not lemmas.Answer.HOLDS, lemma.statement.id


@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_complex_undamaged_is_the_control(name):
    found = complex_of(name)
    sound = lemmas.Subject(network(name), complex_=rebuilt(found, range(len(found))))
    fresh = lemmas.Subject(network(name))
    for lemma in LISTED:
        assert lemma.run(sound).answer is lemma.run(fresh).answer, lemma.statement.id


def test_the_verdict_names_the_missing_cell():
    subject = lemmas.Subject(network("bump_1d"), complex_=removed(complex_of("bump_1d")))
    verdict = lemmas.get("euler").run(subject)
    assert verdict.reason == "complete complex: the cell 111 is missing; it holds (3)"


# Statements whose own route, without the audit, finds a cell missing: on which network.
BY_THEMSELVES = {
    "cells_cover": "fd_2_3_1_generic",
    "cells_are_components": "fd_2_3_1_generic",
    "linear_regions_are_unions_of_cells": "fd_2_3_1_generic",
    "partial_regions_convex": "fd_2_3_1_generic",
    "local_partial_count": "fd_2_3_1_generic",
    "zero_bias_homogeneous": "max_of_2",
    "zero_bias_count": "max_of_2",
    "zero_bias_injection": "max_of_2",
    "cells_at_infinity": "max_of_2",
    "bias_scaling": "fd_2_3_1_generic",
    "neuron_scaling": "fd_2_3_1_generic",
    "neuron_permutation": "fd_2_3_1_generic",
    "deletion_restriction": "fd_2_3_1_generic",
    "zaslavsky_regions": "fd_2_3_1_generic",
    "binomial_sum_attained": "fd_2_3_1_generic",
    "binomial_iff_generic": "fd_2_3_1_generic",
    "euler": "fd_2_3_1_generic",
    "euler_any_d": "fd_2_3_1_generic",
    "sign_sequences_injective": "fd_2_3_1_generic",
    "reconstruction": "fd_2_3_1_generic",
    "carving_refines": "fd_2_3_1_generic",
    "walls_continuous": "fd_2_3_1_generic",
    "bottleneck": "narrow_first_layer_1_3",
    "seed001_children": "seed001_depth2_vector_output",
}


@pytest.mark.parametrize("statement", BY_THEMSELVES)
def test_routes_of_their_own_see_a_missing_cell(statement):
    name = BY_THEMSELVES[statement]
    lemma, found = lemmas.get(statement), complex_of(name)
    assert lemma.run(lemmas.Subject(network(name), complex_=found), audited=False).answer is lemmas.Answer.HOLDS
    damaged = removed(found)
    if statement == "seed001_children":
        damaged = rebuilt(found, [k for k in range(len(found)) if found.pattern(k) != (1, 1, 1, 1)])
    try:
        answer = lemma.run(lemmas.Subject(network(name), complex_=damaged), audited=False).answer
    except ExactRegionsError:
        return
    assert answer is lemmas.Answer.FAILS


# Statements without a list of cells, or whose count is too small to fall over one cell: the fact under them is damaged.


def test_density_fails_on_counts_that_are_too_large(monkeypatch):
    monkeypatch.setattr(
        expected_counts, "count_cells", lambda *_, **__: er.Count(10**6, 10**6, Status.EXACT, "", 0.0, {})
    )
    assert lemmas.get("expected_density")(network("fd_2_3_1_generic")).answer is lemmas.Answer.FAILS


def test_depth_independence_fails_on_counts_that_grow_with_depth(monkeypatch):
    counts = lambda network, domain, engine: er.Count(100 ** len(network.layers), 0, Status.EXACT, "", 0.0, {})  # noqa: E731
    monkeypatch.setattr(expected_counts, "count_cells", counts)
    assert lemmas.get("depth_independence")(network("biased_3_3")).answer is lemmas.Answer.FAILS


def test_crofton_fails_on_counts_that_are_too_large(monkeypatch):
    sound = crofton_line.crossings_and_prediction

    def shifted(*arguments):
        counts, predicted = sound(*arguments)
        return (*counts[:-1], counts[-1] + 5), predicted

    monkeypatch.setattr(crofton_line, "crossings_and_prediction", shifted)
    assert lemmas.get("crofton_line")(network("biased_3_3")).answer is lemmas.Answer.FAILS


def test_the_zero_bias_average_fails_on_counts_that_are_too_large(monkeypatch):
    monkeypatch.setattr(average, "count_cones", lambda network: 1000)
    assert lemmas.get("zero_bias_average")(network("biased_3_3")).answer is lemmas.Answer.FAILS


def test_theta_fails_for_another_count(monkeypatch):
    monkeypatch.setattr(widths, "comb", lambda k, i: 2**k)
    assert lemmas.get("generic_count_is_theta")(network("bump_1d")).answer is lemmas.Answer.FAILS


# Statements that hold of every sound network and do not fall over one cell: the fact under them is damaged.


def spoiled(name, **facts):
    subject = lemmas.Subject(network(name))
    for key, value in facts.items():
        subject.__dict__[key] = value
    return subject


def test_more_linear_regions_than_cells_are_refused():
    subject = spoiled("bump_1d", linear_regions=[(0,), (1,), (2,), (3,), (3,)])
    assert lemmas.get("linear_le_cells").run(subject, audited=False).answer is lemmas.Answer.FAILS
    assert lemmas.get("linear_regions_are_unions_of_cells").run(subject, audited=False).answer is lemmas.Answer.FAILS


def test_a_discontinuity_is_seen():
    sound = lemmas.Subject(network("bump_1d"))
    maps = [
        (rows, tuple(shift + Fraction(index) for shift in shifts)) for index, (rows, shifts) in enumerate(sound.maps)
    ]
    subject = spoiled("bump_1d", maps=maps)
    assert lemmas.get("linear_regions_are_unions_of_cells").run(subject, audited=False).answer is lemmas.Answer.FAILS


def test_too_many_facets_on_average_are_seen():
    sound = lemmas.Subject(network("bump_1d"))
    facets = {(0, k): next(iter(sound.facets.values())) for k in range(1, 9)}
    assert (
        lemmas.get("average_facets").run(spoiled("bump_1d", facets=facets), audited=False).answer is lemmas.Answer.FAILS
    )


def test_a_hidden_symmetry_is_seen(monkeypatch):
    hidden = functional_dimension(complex_of("dup_neurons_1d"))
    monkeypatch.setattr(no_hidden_symmetries, "functional_dimension", lambda _: hidden)
    assert lemmas.get("no_hidden_symmetries")(network("fd_2_3_1_generic")).answer is lemmas.Answer.FAILS


@pytest.mark.parametrize("statement", ["cells_convex", "preimages_disjoint"])
def test_a_cell_with_the_pattern_of_another_is_seen(statement):
    subject = lemmas.Subject(network("bump_1d"))
    cell, other = subject.cells[1:3]
    assert cell.inequalities.rows
    cell.__dict__["pattern"] = other.pattern
    assert lemmas.get(statement).run(subject, audited=False).answer is lemmas.Answer.FAILS
