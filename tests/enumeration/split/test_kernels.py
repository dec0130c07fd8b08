"""The compiled kernels, on every rung they have, against oracles, the exact rung and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.enumeration.split import split
from exactregions.errors import InputError
from tests.enumeration.split.checks import arrangement, check_listing, texts
from tests.oracles import ARRANGEMENTS, LADDER_BOX_COUNTS, LADDER_COUNTS, NETWORKS, domain_of
from tests.oracles.ladder import build
from tests.strategies import domains, networks

RUNS = [("float", "vertices"), ("integer", "vertices"), ("float", "dictionary")]
ids = "-".join


def run(network, domain, rung, kernel, **options):
    try:
        return split(network, domain, rung=rung, kernel=kernel, **options)
    except InputError:
        pytest.skip("the rung cannot run here")


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_oracle_networks(entry, rung, kernel):
    network = er.Network(entry["layers"], activation=entry["activation"])
    found = run(network, domain_of(entry), rung, kernel)
    assert (found.n_cells, found.n_strict, found.status) == (entry["n_cells"], entry["n_strict"], "exact")
    assert sorted(texts(network, found)) == sorted(entry["patterns"])
    check_listing(network, domain_of(entry), found)


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(e, id=e["name"], marks=[pytest.mark.slow] if e["regions"] > 6000 else [])
        for e in ARRANGEMENTS
        if e["regions"] <= 300_000
    ],
)
def test_oracle_arrangements(entry, rung, kernel):
    if kernel == "vertices" and entry["regions"] > 100_000 and entry["d"] > 5:
        pytest.skip("not for this kernel")
    network, space = arrangement(entry), er.WholeSpace(entry["d"])
    if entry["regions"] > 6000:
        found = run(network, space, rung, kernel, mode="count")
        assert found.n_cells == found.n_strict == entry["regions"]
        return
    found = run(network, space, rung, kernel)
    assert found.n_cells == found.n_strict == entry["regions"]
    check_listing(network, space, found, sample=20)


@pytest.mark.parametrize("kernel", ["auto", "vertices", "dictionary"])
def test_numbers_that_fit_no_kernel_are_left_to_the_exact_rung(kernel):
    rng = np.random.default_rng(0)
    network = er.Network([(rng.normal(size=(66, 2)) * 1e200, rng.normal(size=66) * 1e200)])
    found = split(network, er.WholeSpace(2), mode="count", kernel=kernel)
    assert found.n_cells == found.method["cells_exact"] == 1 + 66 + 66 * 65 // 2
    with pytest.raises(InputError, match="use rung='exact' or 'auto'"):
        split(network, er.WholeSpace(2), rung="float", kernel=kernel)


QUICK = ["d2-16x2", "d2-32x3", "d2-64x3", "d3-8x2", "d3-16x2", "d3-32x2", "d4-8x2", "d4-16x2", "d5-8x3", "zb-d3-16x2"]
QUICK += ["zb-d4-16x2", "zb-d5-12x2", "arr-d3-100"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
        for name, entry in LADDER_COUNTS.items()
        if entry["n_cells"] <= 700_000
    ],
)
def test_ladder_by_vertices(name):
    network = er.Network(build(name)[:-1])
    dim = network.input_dim
    if dim > 6:
        pytest.skip("not for this kernel")
    found = split(network, er.WholeSpace(dim), rung="float", kernel="vertices", mode="count")
    assert (found.n_cells, found.method["escalated"]) == (LADDER_COUNTS[name]["n_cells"], 0)
    if name in LADDER_BOX_COUNTS:
        found = split(network, er.Box([-1] * dim, [1] * dim), rung="float", kernel="vertices", mode="count")
        assert found.n_cells == LADDER_BOX_COUNTS[name]
        # in a box, zero biases make the origin a vertex where every neuron is 0
        assert (found.method["escalated"] == 0) == (not name.startswith("zb"))


@pytest.mark.parametrize("name", ["d2-16x2", "d2-32x3", "d3-16x2", "d4-8x2", "zb-d3-16x2"])
def test_ladder_listing_equals_the_exact_rung(name):
    network = er.Network(build(name)[:-1])
    space = er.WholeSpace(network.input_dim)
    found = split(network, space, rung="float", kernel="vertices")
    exact = split(network, space, rung="exact")
    assert np.array_equal(found.patterns, exact.patterns)
    assert np.array_equal(found.strict, exact.strict)
    check_listing(network, space, found, sample=200)


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_equals_the_exact_rung(rung, kernel, data):
    network = data.draw(networks(max_neurons=9))
    domain = data.draw(domains(network.input_dim))
    exact = split(network, domain, rung="exact")
    try:
        found = split(network, domain, rung=rung, kernel=kernel)
    except InputError:
        return
    assert texts(network, found) == texts(network, exact)
    assert np.array_equal(found.strict, exact.strict)
    check_listing(network, domain, found)
    counted = split(network, domain, rung=rung, kernel=kernel, mode="count")
    assert (counted.n_cells, counted.n_strict) == (exact.n_cells, exact.n_strict)


@st.composite
def integer_networks(draw):
    size = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    layers = []
    for width in draw(st.lists(st.integers(2, 7), min_size=1, max_size=3)):
        layers.append((rng.integers(-3, 4, (width, size)), rng.integers(-3, 4, width) * draw(st.integers(0, 1))))
        size = width
    return er.Network(layers, activation=draw(st.sampled_from(["relu", "abs", "leaky_relu(1/4)", "hardtanh[-1,2]"])))


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(network=integer_networks())
def test_integer_networks(rung, kernel, network):
    space = er.WholeSpace(network.input_dim)
    exact = split(network, space, rung="exact", max_cells=3000)
    if exact.status != "exact":
        return
    try:
        found = split(network, space, rung=rung, kernel=kernel)
    except InputError:
        return
    assert np.array_equal(found.patterns, exact.patterns)
    assert np.array_equal(found.strict, exact.strict)
    check_listing(network, space, found, sample=40)


@pytest.mark.parametrize("name", ["d2-32x3", "d3-16x2", "arr-d3-100"])
def test_threads_change_nothing(name):
    network = er.Network(build(name)[:-1])
    space = er.WholeSpace(network.input_dim)
    one = split(network, space, rung="float", kernel="vertices")
    two = split(network, space, rung="float", kernel="vertices", threads=2)
    assert np.array_equal(one.patterns, two.patterns)
    assert one.n_cells == LADDER_COUNTS[name]["n_cells"]
    counted = split(network, space, rung="float", kernel="vertices", mode="count", threads=3)
    assert counted.n_cells == one.n_cells


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
def test_domain_with_more_sides_than_the_kernel_holds(rung, kernel):
    """A polygon of 70 sides: the start cell goes to the exact rung."""
    points = [((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in (k / 8 for k in range(-35, 35))]
    domain = er.Polyhedron(points, [1] * len(points))
    network = er.Network([([[1, 2], [3, -1], [1, 1]], [0, "1/7", "1/5"]), ([[1, -1, 2], [2, 1, -3]], ["1/3", "-1/9"])])
    exact = split(network, domain, rung="exact")
    found = run(network, domain, rung, kernel)
    assert np.array_equal(found.patterns, exact.patterns)
    check_listing(network, domain, found)


def test_numbers_beyond_floats_go_to_the_exact_rung():
    network = er.Network([([[10**400, 1], [1, 3]], [1, 2]), ([[1, -1]], [f"1/{3**900}"])])
    space = er.WholeSpace(2)
    with pytest.raises(InputError, match="do not fit"):
        split(network, space, rung="float", kernel="vertices")
    assert split(network, space).n_cells == split(network, space, rung="exact").n_cells


def test_integers_beyond_2_to_53_are_handed_on():
    rng = np.random.default_rng(5)
    network = er.Network([(rng.integers(-(10**6), 10**6, (9, 3)), rng.integers(-(10**6), 10**6, 9))])
    found = split(network, er.WholeSpace(3), rung="integer", kernel="vertices")
    assert found.n_cells == 1 + 9 + 36 + 84
    assert found.method["escalated"] > 0
    check_listing(network, er.WholeSpace(3), found)


def test_interrupt_gives_a_lower_bound():
    network = er.Network(build("d3-32x2")[:-1])

    def stop(found, waiting):
        raise KeyboardInterrupt

    found = split(network, er.WholeSpace(3), rung="float", kernel="vertices", progress=stop)
    assert found.status == "lower_bound"
    assert 0 < found.n_cells < 46_886
    check_listing(network, er.WholeSpace(3), found, sample=10)
