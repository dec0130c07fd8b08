"""The exact rung against oracles made elsewhere and against brute force."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.enumeration.split import split
from exactregions.enumeration.split.cones import Cone
from exactregions.enumeration.split.exact import search_exact, start_cells
from exactregions.enumeration.split.homogeneous import homogeneous_problem
from exactregions.errors import EmptyDomainError, InputError
from tests.enumeration.split.checks import arrangement, check_listing, texts
from tests.oracles import ARRANGEMENTS, LADDER_BOX_COUNTS, LADDER_COUNTS, NETWORKS, domain_of
from tests.oracles.ladder import build
from tests.strategies import domains, networks


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_oracle_networks(entry):
    network = er.Network(entry["layers"], activation=entry["activation"])
    found = split(network, domain_of(entry), rung="exact")
    assert (found.n_cells, found.n_strict, found.status) == (entry["n_cells"], entry["n_strict"], "exact")
    assert sorted(texts(network, found)) == sorted(entry["patterns"])
    check_listing(network, domain_of(entry), found)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(e, id=e["name"], marks=[pytest.mark.slow] if e["regions"] > 1500 else [])
        for e in ARRANGEMENTS
        if e["regions"] <= 6000
    ],
)
def test_oracle_arrangements(entry):
    network = arrangement(entry)
    found = split(network, er.WholeSpace(entry["d"]), rung="exact")
    assert found.n_cells == found.n_strict == entry["regions"]
    check_listing(network, er.WholeSpace(entry["d"]), found, sample=50)


SMALL = [name for name, entry in LADDER_COUNTS.items() if entry["n_cells"] <= 6100]


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n == "d10-12x1" else []) for n in SMALL])
def test_ladder(name):
    network = er.Network(build(name)[:-1])
    dim = network.input_dim
    found = split(network, er.WholeSpace(dim), rung="exact", mode="count")
    assert found.n_cells == LADDER_COUNTS[name]["n_cells"]
    if name in LADDER_BOX_COUNTS and dim < 10:
        found = split(network, er.Box([-1] * dim, [1] * dim), rung="exact", mode="count")
        assert found.n_cells == LADDER_BOX_COUNTS[name]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_equals_brute_force(data):
    network = data.draw(networks(max_neurons=6))
    domain = data.draw(domains(network.input_dim))
    brute = er.enumerate_regions(network, domain, engine="brute")
    found = split(network, domain, rung="exact")
    assert texts(network, found) == brute.pattern_texts()
    assert (found.n_cells, found.n_strict) == (brute.n_cells, brute.n_strict)
    check_listing(network, domain, found)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_prefixes_partition_the_cells(data):
    """Every subtree that a kernel may hand over holds exactly the cells that begin with its prefix."""
    network = data.draw(networks(max_neurons=6))
    problem = homogeneous_problem(network, data.draw(domains(network.input_dim)))
    cells = list(search_exact(problem))
    rows = problem.layers[0].is_wall
    mask = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    groups = {}
    for cell in cells:
        sides = []
        for row, neuron in enumerate(problem.layers[0].neurons):
            place = row - problem.layers[0].neurons.index(neuron)
            sides.append((1 if cell.pattern[neuron] > place else -1) if mask[row] else 0)
        groups.setdefault(tuple(sides), []).append(cell.pattern)
    for sides, patterns in groups.items():
        assert [cell.pattern for cell in search_exact(problem, (sides,))] == patterns


def test_no_hidden_layer_is_one_cell():
    found = split(er.Network([], input_dim=2), er.Polyhedron([[1, 1]], [0]), rung="exact")
    assert (found.n_cells, found.n_strict, found.exact_points) == (1, 1, {})
    check_listing(er.Network([], input_dim=2), er.Polyhedron([[1, 1]], [0]), found)


@pytest.mark.parametrize("right", [[0, 0], [0, -1]])
def test_domain_without_interior_is_refused(right):
    with pytest.raises(EmptyDomainError, match="no interior"):
        split(er.Network([([[1]], [0])]), er.Polyhedron([[1], [-1]], right), rung="exact")


def test_unknown_options_are_refused():
    network = er.Network([([[1]], [0])])
    with pytest.raises(InputError, match="no mode 'all'"):
        split(network, er.WholeSpace(1), mode="all")
    with pytest.raises(InputError, match="at least 1"):
        split(network, er.WholeSpace(1), threads=0)


def test_budget_gives_a_lower_bound():
    network = er.Network(build("d3-8x2")[:-1])
    found = split(network, er.WholeSpace(3), rung="exact", max_cells=10)
    assert found.status == "lower_bound"
    assert 10 <= found.n_cells < 690
    check_listing(network, er.WholeSpace(3), found, sample=5)


def test_sliver_thinner_than_any_double():
    """Two walls 2^-1200 apart: the witness between them is no float64."""
    thin = er.Network([([[1], [1]], [-1, f"-{2**1200 + 1}/{2**1200}"])])
    found = split(thin, er.WholeSpace(1), rung="exact")
    assert found.n_cells == 3
    assert len(found.exact_points) == 1
    check_listing(thin, er.WholeSpace(1), found)


def test_start_cells_of_a_box_need_no_start_row():
    problem = homogeneous_problem(er.Network([([[1, 2]], [0])]), er.Box([0, 0], [1, 2]))
    (cell,) = start_cells(problem)
    assert sorted(cell.rays) == [(0, 0, 1), (0, 2, 1), (1, 0, 1), (1, 2, 1)]
    assert all(len(names) == 2 for names in cell.incidence)


def test_start_cells_of_the_whole_space_are_simplicial():
    problem = homogeneous_problem(er.Network(build("d3-8x2")[:-1]), er.WholeSpace(3))
    cells = start_cells(problem)
    assert len(cells) == 8
    assert all(len(cell.rays) == 4 and all(len(names) == 3 for names in cell.incidence) for cell in cells)


def test_cone_over_a_square_is_not_simplicial():
    """Four planes through the apex; a cut through two opposite rays makes no new ray."""
    rows = [(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1), (1, -1, 0)]
    values = [tuple(row[i] for row in rows) for i in range(3)]
    cone = Cone.whole(3).with_values([], values)
    for entry in range(3, 7):
        cone = cone.split(entry)[0]
    assert sorted(ray[:3] for ray in cone.rays) == [(-1, -1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, 1)]
    above, below = cone.split(7)
    assert len(above.rays) == len(below.rays) == 3
