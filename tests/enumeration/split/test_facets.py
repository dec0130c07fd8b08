"""The facets that split hands out, against the exact reference, which looks at the cells' inequalities afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.enumeration.split import engine, facets, split
from exactregions.enumeration.split.facets import HalfFacets, join
from exactregions.enumeration.split.homogeneous import homogeneous_problem
from exactregions.enumeration.split.vertices import search_vertices
from exactregions.errors import InputError, UndecidedError
from exactregions.patterns import PatternCodec
from exactregions.regions.adjacency import shared_facets
from tests.oracles import NETWORKS, domain_of
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


def neurons(found):
    return [found.facets.neurons_of(k) for k in range(len(found.facets))]


def check(network, domain, found, pairs):
    """The pairs are those given, and the neurons of each are where its patterns differ."""
    assert found.facets.pairs.dtype == np.int64
    assert found.facets.pairs.tolist() == pairs
    table = PatternCodec.of(network).unpack(found.patterns)
    assert neurons(found) == [tuple(np.flatnonzero(table[i] != table[j]).tolist()) for i, j in pairs]
    assert found.facets.starts.shape == (len(pairs) + 1,)
    assert found.facets.starts[-1] == len(found.facets.neurons)


def reference(network, domain):
    cells = er.enumerate_regions(network, domain, engine="brute")
    return shared_facets([cell.inequalities for cell in cells], cells.patterns()).tolist()


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_oracle_networks(entry, rung, kernel):
    network, domain = er.Network(entry["layers"], activation=entry["activation"]), domain_of(entry)
    try:
        found = split(network, domain, mode="facets", rung=rung, kernel=kernel)
    except InputError:
        pytest.skip("the rung cannot run here")
    assert len(found.facets) == entry["n_facets"]
    check(network, domain, found, reference(network, domain))


@pytest.mark.parametrize(("rung", "kernel"), RUNS, ids=map(ids, RUNS))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_equals_the_reference_on_degenerate_networks(rung, kernel, data):
    network = data.draw(networks(max_neurons=6))
    domain = data.draw(domains(network.input_dim))
    try:
        found = split(network, domain, mode="facets", rung=rung, kernel=kernel)
    except InputError:
        return
    check(network, domain, found, reference(network, domain))
    shared = split(network, domain, mode="facets", rung=rung, kernel=kernel, threads=2)
    assert np.array_equal(shared.facets.pairs, found.facets.pairs)
    assert neurons(shared) == neurons(found)
    listed = split(network, domain, rung=rung, kernel=kernel)
    assert np.array_equal(listed.patterns, found.patterns)
    assert np.array_equal(listed.points, found.points)
    assert listed.facets is None


@pytest.mark.parametrize("kernel", ["auto", "dictionary"])
@pytest.mark.parametrize("name", ["d2-16x2", "d3-8x2", pytest.param("d3-16x2", marks=pytest.mark.slow)])
def test_ladder_as_the_faces_say(name, kernel):
    network = er.Network(build(name)[:-1])
    space = er.WholeSpace(network.input_dim)
    listed = er.enumerate_regions(network, engine="split")
    found = split(network, space, mode="facets", rung="auto" if kernel == "auto" else "float", kernel=kernel)
    check(network, space, found, listed.facets.tolist())


@pytest.mark.parametrize("name", ["d2-16x2", "d3-16x2", "d4-8x2", "zb-d3-16x2"])
def test_every_rung_and_thread_gives_the_same(name):
    network = er.Network(build(name)[:-1])
    for domain in (er.WholeSpace(network.input_dim), er.Box([-1] * network.input_dim, [1] * network.input_dim)):
        exact = split(network, domain, mode="facets", rung="exact")
        for threads in (1, 2):
            found = split(network, domain, mode="facets", rung="float", kernel="vertices", threads=threads)
            check(network, domain, found, exact.facets.pairs.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d2-16x2", "d3-16x2", "d4-8x2"])
def test_ladder_as_walk_says(name):
    network = er.Network(build(name)[:-1])
    found = split(network, er.WholeSpace(network.input_dim), mode="facets", rung="float", kernel="vertices")
    walked = er.enumerate_regions(network, engine="walk")
    check(network, er.WholeSpace(network.input_dim), found, walked.facets.tolist())


@pytest.mark.parametrize("seed", range(4))
def test_integer_networks_with_coincident_walls(seed):
    """Many neurons change piece at once, in integers; the exact rung, and the faces, agree."""
    rng = np.random.default_rng(seed)
    first = rng.integers(-1, 2, (7, 3))
    layers = [(np.vstack([first, 2 * first[:2]]), rng.integers(-1, 2, 9)), (rng.integers(-1, 2, (4, 9)), [0] * 4)]
    kinds = [er.RELU, er.HARD_TANH if seed % 2 else er.RELU]
    network, space = er.Network(layers, activation=kinds), er.WholeSpace(3)
    found = split(network, space, mode="facets", rung="integer", kernel="vertices")
    assert found.method["cells_integer"] > 0
    faces = er.enumerate_regions(network, engine="split")
    check(network, space, found, faces.facets.tolist())
    assert max(map(len, neurons(found))) > 1


def test_a_cell_with_more_walls_than_a_mask_holds():
    """Tangents of a circle: the inner cell has all of them as facets, and is left to the exact rung."""
    lines = 70
    angles = 2 * np.pi * (np.arange(lines) + 0.25 * np.sin(np.arange(lines))) / lines
    network = er.Network([(np.stack([np.cos(angles), np.sin(angles)], axis=1), [1] * lines)])
    found = split(network, er.WholeSpace(2), mode="facets", rung="float", kernel="vertices")
    assert found.method["escalated"] > 0
    assert (found.n_cells, len(found.facets)) == (1 + lines + lines * (lines - 1) // 2, lines * lines)
    degrees = np.bincount(found.facets.pairs.ravel())
    assert degrees.max() == lines
    assert degrees[np.unpackbits(found.patterns, axis=1, count=lines).all(axis=1)].tolist() == [lines]


@pytest.mark.parametrize("name", ["d3-8x2", "d6-10x2"])
def test_small_buffers_change_nothing(name, monkeypatch):
    """Buffers that fill with facets, or leaves, or vertices, only make more chunks."""
    monkeypatch.setattr("exactregions.enumeration.split.vertices_buffers._FACETS", 1)
    network = er.Network(build(name)[:-1])
    if name == "d6-10x2":
        network = er.Network([(w[:7, :7] if k else w[:7], b[:7]) for k, (w, b) in enumerate(build(name)[:-1])])
    problem = homogeneous_problem(network, er.WholeSpace(network.input_dim))
    rows = []
    for batch in (80, 8192):
        chunks = list(search_vertices(problem, faceting=True, batch=batch))
        assert all(chunk.facet_counts.sum() == len(chunk.facet_rows) for chunk in chunks)
        own = {}
        for chunk in chunks:
            parts = np.split(chunk.facet_rows, np.cumsum(chunk.facet_counts)[:-1])
            own |= {p.tobytes(): sorted(part.tolist()) for p, part in zip(chunk.patterns, parts, strict=True)}
        rows.append((len(chunks), own))
    assert rows[0][1] == rows[1][1]
    assert rows[0][0] > rows[1][0]


@pytest.mark.parametrize(("name", "rung"), [("d2-16x2", "exact"), ("d2-64x3", "float")])
def test_a_search_that_was_stopped_has_the_facets_between_its_cells(name, rung, monkeypatch):
    monkeypatch.setattr(engine, "_BATCH", 16)
    network, space = er.Network(build(name)[:-1]), er.WholeSpace(2)
    whole = split(network, space, mode="facets")
    place = {row.tobytes(): k for k, row in enumerate(whole.patterns)}
    part = split(network, space, mode="facets", rung=rung, max_cells=60)
    assert part.status == "lower_bound"
    names = np.array([place[row.tobytes()] for row in part.patterns])
    inside = np.isin(whole.facets.pairs, names).all(axis=1)
    assert names[part.facets.pairs].tolist() == whole.facets.pairs[inside].tolist()
    assert 60 <= len(part.facets) < len(whole.facets)


@pytest.mark.parametrize("name", ["one facet", "duplicated", "d2-16x2"])
def test_the_hash_decides_nothing(name, monkeypatch):
    """Were all hashes equal, nearly every facet would be named exactly; the answer is the same."""
    one, two = ([[1, 0], [1, 0]], [1, 1]), [([[1, 0], [1, 0], [0, 1]], [1, 1, 0]), ([[1, -1, 1]], [0])]
    network = er.Network({"one facet": [one], "duplicated": two}.get(name) or build(name)[:-1])
    space = er.WholeSpace(2)
    found = split(network, space, mode="facets", rung="exact")
    monkeypatch.setattr(facets, "_hashes", lambda table, code: np.zeros(len(table), np.uint64))
    again = split(network, space, mode="facets", rung="exact")
    assert np.array_equal(again.facets.pairs, found.facets.pairs)
    assert neurons(again) == neurons(found)


class TestFaultsAreRefused:
    """Whatever is wrong with the table of facets, no result is given."""

    @pytest.fixture(params=["generic", "coincident"])
    def case(self, request):
        walls = [[1, 0], [0, 1], [1, 1]] if request.param == "generic" else [[1, 0], [2, 0], [0, 1]]
        network = er.Network([(walls, [0, 0, -1] if request.param == "generic" else [0, 0, 1])])
        problem = homogeneous_problem(network, er.WholeSpace(2))
        found = split(network, er.WholeSpace(2), mode="facets", rung="exact")
        rows = np.array([own[0] for own in neurons(found)] * 2, np.int64)  # one layer: rows are neurons
        halves = HalfFacets(found.facets.pairs.T.ravel(), rows)
        whole = join(problem, found.patterns, halves, complete=True)
        assert np.array_equal(whole.pairs, found.facets.pairs)
        assert [whole.neurons_of(k) for k in range(len(whole))] == neurons(found)
        return problem, found.patterns, halves

    def test_a_missing_side(self, case):
        problem, patterns, halves = case
        for gone in range(len(halves)):
            kept = np.arange(len(halves)) != gone
            broken = HalfFacets(halves.cells[kept], halves.rows[kept])
            with pytest.raises(UndecidedError, match="no cell was found beyond a facet of cell"):
                join(problem, patterns, broken, complete=True)
            assert len(join(problem, patterns, broken, complete=False)) == len(halves) // 2 - 1

    def test_a_missing_cell(self, case):
        problem, patterns, halves = case
        for gone in range(len(patterns)):
            kept = halves.cells != gone
            cells = halves.cells[kept] - (halves.cells[kept] > gone)
            broken = HalfFacets(cells, halves.rows[kept])
            with pytest.raises(UndecidedError, match="no cell was found beyond a facet of cell"):
                join(problem, np.delete(patterns, gone, axis=0), broken, complete=True)

    def test_a_side_twice(self, case):
        problem, patterns, halves = case
        for again in range(len(halves)):
            cells, rows = np.append(halves.cells, halves.cells[again]), np.append(halves.rows, halves.rows[again])
            with pytest.raises(UndecidedError, match="claim the same side of one facet"):
                join(problem, patterns, HalfFacets(cells, rows), complete=True)

    def test_another_row(self, case):
        problem, patterns, halves = case
        for wrong in range(len(halves)):
            rows = halves.rows.copy()
            rows[wrong] = 2 if rows[wrong] < 2 else 0  # of rows 0 and 1 either names the facet where they coincide
            with pytest.raises(UndecidedError, match="internal error"):
                join(problem, patterns, HalfFacets(halves.cells, rows), complete=True)

    def test_a_wall_that_the_cell_does_not_have(self):
        network = er.Network([([[1]], [0]), ([[1]], [1])])
        problem = homogeneous_problem(network, er.WholeSpace(1))
        patterns = PatternCodec.of(network).pack([(0, 1), (1, 1)])
        with pytest.raises(UndecidedError, match="has a facet on row 1, but no wall"):
            join(problem, patterns, HalfFacets(np.array([0]), np.array([1])), complete=True)

    def test_a_breakpoint_that_the_cell_does_not_reach(self):
        network = er.Network([([[1]], [0])], activation=er.HARD_TANH)
        problem = homogeneous_problem(network, er.WholeSpace(1))
        patterns = PatternCodec.of(network).pack([(0,), (1,), (2,)])
        with pytest.raises(UndecidedError, match="breakpoint that its cell does not reach"):
            join(problem, patterns, HalfFacets(np.array([0]), np.array([1])), complete=True)


def test_enumerate_regions_takes_the_facets_of_the_engine(monkeypatch):
    network = er.Network(build("d2-16x2")[:-1])
    late = er.enumerate_regions(network, engine="split")
    assert late._facets is None
    early = er.enumerate_regions(network, engine="split", facets=True)
    assert early._facets.tolist() == late.facets.tolist()
    assert "subdivision" not in early.__dict__
    graph = early.graph()
    assert graph.number_of_edges() == early.n_facets
    sliced = er.Slice([0, 0, "1/3"], [[1, 0, 1], [0, 1, -1]], er.Box([-2, -2], [2, 2]))
    three = er.Network(build("d3-8x2")[:-1])
    late = er.enumerate_regions(three, sliced, engine="split")
    assert er.enumerate_regions(three, sliced, engine="split", facets=True)._facets.tolist() == late.facets.tolist()
