"""Both engines against exact oracles made elsewhere, and against each other."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.network.formats import from_json
from tests.oracles import ARRANGEMENTS, LADDER_COUNTS, NETWORKS, SEED001
from tests.oracles.ladder import build
from tests.strategies import domains, networks


def check_witnesses(found):
    for cell in found:
        assert found.domain.contains(cell.witness)
        assert cell.inequalities.holds_at(cell.witness)
        assert found.own_network.pattern_at(cell.witness) == cell.pattern


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
@pytest.mark.parametrize("engine", ["walk", "brute"])
def test_oracle_networks(entry, engine):
    found = er.enumerate_regions(*from_json(entry), engine=engine)
    assert found.status is er.Status.EXACT
    assert (found.n_cells, found.n_strict, found.n_facets) == (entry["n_cells"], entry["n_strict"], entry["n_facets"])
    assert sorted(found.pattern_texts()) == sorted(entry["patterns"])
    check_witnesses(found)


def arrangement(entry):
    rows = entry["rows"]
    return er.Network([([row[:-1] for row in rows], [row[-1] for row in rows])])


@pytest.mark.parametrize("entry", [e for e in ARRANGEMENTS if e["regions"] <= 3000], ids=lambda entry: entry["name"])
def test_oracle_arrangements_by_walk(entry):
    found = er.enumerate_regions(arrangement(entry), engine="walk")
    assert found.n_cells == found.n_strict == entry["regions"]


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(e, id=e["name"], marks=[] if e["regions"] <= 130 else pytest.mark.slow)
        for e in ARRANGEMENTS
        if e["regions"] <= 3000
    ],
)
def test_oracle_arrangements_by_brute(entry):
    assert er.enumerate_regions(arrangement(entry), engine="brute").n_cells == entry["regions"]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("engine", ["walk", "brute"])
def test_seed_001_has_the_very_labels(depth, engine):
    layers = [(layer["W"], layer["b"]) for layer in SEED001["layers"][:depth]]
    found = er.enumerate_regions(er.Network(layers), engine=engine)
    labels = {"".join("ia"[piece] for piece in pattern) for pattern in found.patterns()}
    expected = SEED001["R2"][f"depth{depth}"]["regions"]
    assert len(found) == {1: 4, 2: 10, 3: 17}[depth]
    assert labels == {region["label"] for region in expected}
    assert found.n_facets == SEED001["R2"][f"depth{depth}"]["n_facet_adjacencies"]


@pytest.mark.parametrize("name", ["d2-16x2", "d3-8x2", "d4-8x2", "zb-d3-16x2"])
def test_ladder_by_walk(name):
    *hidden, output = build(name)
    found = er.enumerate_regions(er.Network(hidden, output=output), engine="walk")
    assert found.n_cells == found.n_strict == LADDER_COUNTS[name]["n_cells"]


def test_ladder_d3_16x2_by_walk():
    *hidden, output = build("d3-16x2")
    found = er.enumerate_regions(er.Network(hidden, output=output), engine="walk")
    assert found.n_cells == 4353
    # a generic arrangement-like complex: the average cell has fewer than 2 d facets
    assert 2 * found.n_facets < 6 * found.n_cells


def agree(network, domain):
    walked = er.enumerate_regions(network, domain, engine="walk")
    tried = er.enumerate_regions(network, domain, engine="brute")
    assert walked.patterns() == tried.patterns()
    assert walked.strict.tolist() == tried.strict.tolist()
    assert walked.facets.tolist() == tried.facets.tolist()
    check_witnesses(walked)
    check_witnesses(tried)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(networks())
def test_walk_equals_brute_over_the_whole_space(network):
    agree(network, er.WholeSpace(network.input_dim))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_walk_equals_brute_on_every_kind_of_domain(data):
    network = data.draw(networks(max_dim=3, max_neurons=6))
    agree(network, data.draw(domains(network.input_dim)))


@pytest.mark.slow
@settings(deadline=None, max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_walk_equals_brute_many_times(data):
    network = data.draw(networks(max_dim=4, max_neurons=8))
    agree(network, data.draw(domains(network.input_dim)))


def test_duplicated_neurons_make_two_regions():
    network = er.Network([([[1, 0], [1, 0]], ["1/4", "1/4"])])
    for engine in ("walk", "brute"):
        found = er.enumerate_regions(network, engine=engine)
        assert found.pattern_texts() == ["00", "11"]
        assert found.graph().edges[0, 1]["neurons"] == [0, 1]


def test_thin_slivers_are_found():
    width = Fraction(1, 2**60)
    network = er.Network([([[1], [1]], [0, -width])])
    found = er.enumerate_regions(network, engine="walk")
    assert found.pattern_texts() == ["00", "10", "11"]
    assert 0 < found.cell_at([width / 2]).witness[0] < width


def test_a_constant_network_is_one_cell():
    network = er.Network([([[0, 0], [0, 0]], [1, -1])], output=([[1, 1]], [0]))
    found = er.enumerate_regions(network)
    assert found.pattern_texts() == ["10"]
    assert (found.n_strict, found.n_facets) == (1, 0)


def test_a_network_without_hidden_layers_is_one_cell():
    found = er.enumerate_regions(er.Network([], output=([[1, 2]], [3])), er.Box([0, 0], [1, 1]))
    assert (found.n_cells, found.n_strict) == (1, 1)
    assert found[0].affine_map.weights == ((1, 2),)


def test_a_network_without_any_layer_is_one_cell_on_a_slice_too():
    identity = er.Network([], input_dim=2)
    plane = er.Slice([1, 2], [[1, 1]])
    for engine in ("walk", "brute", "split"):
        found = er.enumerate_regions(identity, plane, engine=engine)
        assert (found.n_cells, found[0].affine_map.weights, found[0].affine_map.bias) == (1, ((1,), (1,)), (1, 2))


def test_a_start_on_a_wall_is_moved_off_it():
    network = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])])
    from_wall = er.enumerate_regions(network, start=[0, 0])
    assert from_wall.patterns() == er.enumerate_regions(network, start=[3, 1]).patterns()


def test_a_start_outside_the_open_domain_is_refused():
    with pytest.raises(er.InputError, match="start: the start is not inside the domain"):
        er.enumerate_regions(er.Network([([[1]], [0])]), er.Box([0], [1]), start=[1])


def test_a_contradictory_polyhedron_is_refused_with_its_rows():
    domain = er.Polyhedron([[1], [-1], [1]], [0, 0, 5])
    for engine in ("walk", "brute"):
        with pytest.raises(er.InputError, match="no interior"):
            er.enumerate_regions(er.Network([([[1]], [0])]), domain, engine=engine)


def test_stopping_early_says_lower_bound():
    *hidden, output = build("d3-8x2")
    network = er.Network(hidden, output=output)
    some = er.enumerate_regions(network, max_cells=100)
    assert (some.n_cells, some.status) == (100, er.Status.LOWER_BOUND)
    near = er.enumerate_regions(network, max_depth=2)
    assert near.status is er.Status.LOWER_BOUND
    assert 1 < near.n_cells < 690
    check_witnesses(some)


def test_a_limit_that_leaves_nothing_out_is_still_exact():
    network = er.Network([([[1, 0], [0, 1]], [0, 0])])
    assert er.enumerate_regions(network, max_cells=4).status is er.Status.EXACT
    assert er.enumerate_regions(network, max_depth=2).status is er.Status.EXACT
    assert er.enumerate_regions(network, max_depth=1).status is er.Status.LOWER_BOUND


class InterruptAfter:
    def __init__(self, count):
        self.left = count

    def start(self, problem):
        pass

    def cell(self, pattern, witness, strict):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def progress(self, done, waiting):
        pass

    def end(self, n_cells, n_strict, *, complete):
        assert not complete


@pytest.mark.parametrize("engine", ["walk", "brute"])
def test_an_interrupt_returns_what_was_found_as_a_lower_bound(engine):
    *hidden, output = build("d3-8x2")
    found = er.enumerate_regions(er.Network(hidden, output=output), engine=engine, observer=InterruptAfter(20))
    assert found.status is er.Status.LOWER_BOUND
    assert 19 <= found.n_cells < 690
    check_witnesses(found)


def test_a_plane_through_three_points_of_a_wide_input_space():
    import numpy as np

    rng = np.random.default_rng(5)
    layers = [(rng.normal(size=(12, 784)).astype(np.float32), rng.normal(size=12).astype(np.float32))]
    network = er.Network(layers, output=(rng.normal(size=(10, 12)), np.zeros(10)))
    plane = er.Slice.through(rng.integers(0, 256, size=(3, 784)))
    found = er.enumerate_regions(network, plane)
    assert found.n_cells == 1 + 12 + 12 * 11 // 2
    for cell in found:
        assert network.pattern_at(plane.lift(cell.witness)) == cell.pattern


def test_local_exploration_of_a_wide_input_space():
    import numpy as np

    rng = np.random.default_rng(6)
    network = er.Network([(rng.normal(size=(16, 784)), rng.normal(size=16)), (rng.normal(size=(6, 16)), np.zeros(6))])
    start = rng.normal(size=784)
    near = er.enumerate_regions(network, start=start, max_depth=1)
    assert near.status is er.Status.LOWER_BOUND
    home = near.index_of(network.pattern_at(start))
    assert near.neighbours_of(home) == tuple(k for k in range(len(near)) if k != home)
    assert near.n_cells > 10


@pytest.mark.parametrize("engine", ["walk", "brute"])
def test_results_do_not_depend_on_the_run(engine):
    *hidden, output = build("d2-16x2")
    network = er.Network(hidden, output=output)
    box = er.Box(["-1/4", "-1/4"], ["1/4", "1/4"])
    one, two = (er.enumerate_regions(network, box, engine=engine) for _ in range(2))
    assert one.packed.tobytes() == two.packed.tobytes()
    assert list(one.witnesses) == list(two.witnesses)
