"""Completeness by counting: it holds for complete lists, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis.completeness import count_by_arrangement, prove_by_counting
from exactregions.errors import InputError, UndecidedError
from exactregions.regions import RegionComplex, WitnessTable
from tests.oracles import NETWORKS, domain_of
from tests.strategies import ACTIVATIONS, domains, weights

ONE_LAYER = [entry for entry in NETWORKS if len(entry["layers"]) == 1]


def network_of(entry):
    return er.Network(
        [tuple(layer) for layer in entry["layers"]], activation=entry["activation"], input_dim=entry["input_dim"]
    )


@pytest.mark.parametrize("entry", ONE_LAYER, ids=lambda entry: entry["name"])
def test_complete_lists_are_proved_complete(entry):
    network, domain = network_of(entry), domain_of(entry)
    identity = prove_by_counting(er.enumerate_regions(network, domain))
    assert identity
    assert identity.n_listed == identity.n_regions == entry["n_cells"]
    assert count_by_arrangement(network, domain) == (entry["n_cells"], entry["n_strict"])
    assert bool(identity.degenerate_neurons) == (entry["n_strict"] < entry["n_cells"])


@st.composite
def one_layer_problems(draw):
    dim = draw(st.integers(1, 3))
    width = draw(st.integers(1, 5))
    layer = draw(weights(dim, width, draw(st.booleans())))
    network = er.Network([layer], activation=draw(st.sampled_from(ACTIVATIONS)), input_dim=dim)
    return network, draw(domains(dim))


@given(one_layer_problems())
@settings(max_examples=100)
def test_the_identity_holds_on_every_domain(problem):
    network, domain = problem
    try:
        cells = er.enumerate_regions(network, domain)
    except InputError:  # an empty domain
        return
    identity = prove_by_counting(cells)
    assert identity.holds
    assert (identity.n_regions, cells.n_strict) == count_by_arrangement(network, domain)
    assert (identity.polynomial is not None) == isinstance(cells.own_domain, er.WholeSpace)


def some_cells(found, keep):
    """The same complex with some of its cells only."""
    keep = np.array(keep)
    table = WitnessTable(found.witnesses.floats[keep], {})
    return RegionComplex(found.network, found.domain, found.packed[keep], table, found.strict[keep])


GRID = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])])


def test_every_missing_cell_is_noticed():
    found = er.enumerate_regions(GRID)
    for gone in range(len(found)):
        identity = prove_by_counting(some_cells(found, [k for k in range(len(found)) if k != gone]))
        assert not identity
        assert (identity.n_missing, identity.n_listed) == (1, 6)
        assert "1 missing" in str(identity)


def test_a_stopped_search_is_incomplete_and_a_box_counts_its_own_cells():
    assert prove_by_counting(er.enumerate_regions(GRID, max_cells=3)).n_missing == 4
    on_box = prove_by_counting(er.enumerate_regions(GRID, er.Box([-2, -2], ["1/4", "1/4"])))
    assert (on_box.n_regions, on_box.holds, on_box.polynomial) == (4, True, None)
    assert "in the domain" in str(on_box)


def test_a_repeated_pattern_does_not_make_up_for_a_missing_one():
    found = er.enumerate_regions(GRID)
    identity = prove_by_counting(some_cells(found, [0, 0, *range(2, 7)]))
    assert not identity.holds


def test_a_witness_in_another_cell_proves_nothing():
    found = er.enumerate_regions(GRID)
    moved = WitnessTable(found.witnesses.floats[::-1].copy(), {})
    with pytest.raises(UndecidedError, match="not in its cell"):
        prove_by_counting(RegionComplex(GRID, found.domain, found.packed, moved, found.strict))


def test_a_witness_on_a_wall_proves_nothing():
    found = er.enumerate_regions(GRID)
    points = found.witnesses.floats.copy()
    index = found.index_of((0, 0, 0))
    points[index] = [0, -1]  # on the wall of neuron 0, whose left-open pattern is the same
    with pytest.raises(UndecidedError, match="on a wall"):
        prove_by_counting(RegionComplex(GRID, found.domain, found.packed, WitnessTable(points, {}), found.strict))


def test_a_witness_outside_the_domain_proves_nothing():
    found, box = er.enumerate_regions(GRID), er.Box([-9, -9], ["-1/8", "-1/8"])
    with pytest.raises(UndecidedError, match="not in its cell"):
        prove_by_counting(RegionComplex(GRID, box, found.packed, found.witnesses, found.strict))


def test_deeper_networks_are_refused():
    deep = er.Network([([[1]], [0]), ([[1]], [-1])])
    with pytest.raises(InputError, match="one hidden layer, not for 2"):
        prove_by_counting(er.enumerate_regions(deep))
    with pytest.raises(InputError, match="one hidden layer, not for 0"):
        count_by_arrangement(er.Network([], output=([[1]], [0])))


def test_a_slice_is_counted_in_its_own_coordinates():
    plane = er.Slice([0, 0, 1], [[1, 0, 0], [0, 1, 1]])
    network = er.Network([([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], [0, 0, 0, -3])])
    identity = prove_by_counting(er.enumerate_regions(network, plane))
    assert identity.holds
    assert identity.arrangement.dim == 2
