"""Split against what does not share its code: `walk`, `brute`, and the prover; and against itself with threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.enumeration.split import split
from exactregions.errors import InputError
from tests.enumeration.split.checks import check_listing, texts
from tests.oracles import LADDER_COUNTS
from tests.oracles.ladder import build
from tests.strategies import domains, networks

RUNS = [
    ("auto", "auto"),
    ("exact", "auto"),
    ("float", "vertices"),
    ("integer", "vertices"),
    ("float", "dictionary"),
]
ids = "-".join
SMALL = [name for name, entry in LADDER_COUNTS.items() if entry["n_cells"] <= 6023]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if LADDER_COUNTS[n]["n_cells"] > 1000 else []) for n in SMALL]
)
def test_ladder_has_the_patterns_of_walk(name):
    network = er.Network(build(name)[:-1])
    space = er.WholeSpace(network.input_dim)
    walked = er.enumerate_regions(network, engine="walk")
    for kernel in {"auto", "vertices", "dictionary"} - ({"vertices"} if network.input_dim > 6 else set()):
        found = split(network, space, rung="auto" if kernel == "auto" else "float", kernel=kernel)
        assert texts(network, found) == list(walked.pattern_texts())
        assert np.array_equal(found.strict, walked.strict)
        assert found.status == "exact"


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_ladder_lists_are_proved(name):
    network = er.Network(build(name)[:-1])
    found = er.enumerate_regions(network, engine="split")
    proof = er.prove(network, er.WholeSpace(network.input_dim), found.patterns(), witnesses=list(found.witnesses))
    assert proof.holds
    assert (proof.n_cells, found.status) == (LADDER_COUNTS[name]["n_cells"], er.Status.EXACT)


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_equals_brute_force_in_every_mode(rung, kernel, data):
    network = data.draw(networks(max_neurons=6))
    domain = data.draw(domains(network.input_dim))
    brute = er.enumerate_regions(network, domain, engine="brute")
    try:
        found = split(network, domain, rung=rung, kernel=kernel)
    except InputError:
        return
    counted = split(network, domain, rung=rung, kernel=kernel, mode="count")
    shared = split(network, domain, rung=rung, kernel=kernel, threads=2)
    assert texts(network, found) == list(brute.pattern_texts())
    assert np.array_equal(found.strict, brute.strict)
    check_listing(network, domain, found)
    assert (counted.n_cells, counted.n_strict, counted.status) == (brute.n_cells, brute.n_strict, "exact")
    assert np.array_equal(shared.patterns, found.patterns)
    assert np.array_equal(shared.points, found.points)
    assert np.array_equal(shared.strict, found.strict)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("d2-64x3", "vertices"), ("d4-16x2", "vertices"), ("d4-8x2", "dictionary"), ("d6-10x2", "dictionary")],
)
def test_two_threads_give_the_same_cells(name, kernel):
    network = er.Network(build(name)[:-1])
    space = er.WholeSpace(network.input_dim)
    one = split(network, space, rung="float", kernel=kernel)
    two = split(network, space, rung="float", kernel=kernel, threads=2)
    assert one.n_cells == LADDER_COUNTS[name]["n_cells"]
    assert np.array_equal(one.patterns, two.patterns)
    assert np.array_equal(one.strict, two.strict)
    counted = split(network, space, rung="float", kernel=kernel, mode="count", threads=2)
    assert (counted.n_cells, counted.n_strict, counted.status) == (one.n_cells, one.n_strict, "exact")


@pytest.mark.parametrize("seed", range(6))
def test_integer_networks_settle_every_cell_in_integers(seed):
    """Integer mode is what `auto` takes on small integers, and nothing is left to the exact rung."""
    rng = np.random.default_rng(seed)
    layers = [
        (rng.integers(-2, 3, (9, 3)), rng.integers(-2, 3, 9)),
        (rng.integers(-2, 3, (6, 9)), rng.integers(-2, 3, 6)),
    ]
    network = er.Network(layers)
    found = split(network, er.WholeSpace(3))
    assert found.method["cells_integer"] == found.n_cells
    assert found.method["escalated"] == 0
    exact = split(network, er.WholeSpace(3), rung="exact")
    assert np.array_equal(found.patterns, exact.patterns)
    assert np.array_equal(found.strict, exact.strict)
