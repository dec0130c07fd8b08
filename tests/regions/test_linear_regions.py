"""Linear regions by all six notions, why cells merge, and proofs of non-convexity."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.network.formats import from_json
from exactregions.regions.convex_pieces import convex_pieces, is_polyhedral_complex
from exactregions.regions.convexity import convexity
from exactregions.regions.linear_regions import Notions, Reason
from tests.oracles import NETWORKS
from tests.strategies import domains, networks

relaxed = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def oracle(name):
    return er.enumerate_regions(*from_json(next(entry for entry in NETWORKS if entry["name"] == name)))


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_counts_agree_with_the_oracle(entry):
    found = er.enumerate_regions(*from_json(entry))
    for name in ("n_cells", "n_strict", "n_linear", "n_closed_connected", "n_affine_maps", "n_facets"):
        assert getattr(found, name) == entry[name], name
    notions = found.affine_pieces.notions()
    low, high = notions.r3
    assert notions.r6 <= notions.r5 <= notions.r4 <= low <= high <= notions.r2 <= notions.r1
    if all(region.is_convex for region in found.linear_regions()):
        assert low == high


def test_the_separating_example_has_the_counts_of_the_paper():
    assert oracle("stargalla_nonconvex").affine_pieces.notions() == Notions(7, 5, (4, 4), 3, 3, 3)
    assert oracle("open_vs_closed").affine_pieces.notions() == Notions(13, 6, (6, 6), 6, 5, 5)


@pytest.mark.parametrize(
    ("shift", "second", "joined"),
    [
        (0, None, True),  # f = 0 along y = 0, which is no wall
        (2, None, True),  # along y = -2 h, through two cells
        (0, [0, 0, 0, 1], True),  # two outputs, f and x: the map (0, x) is met along y = 0
        (0, [0, 0, 1, 0], False),  # two outputs, f and h: the map (0, 0) is not met between the half-planes
    ],
)
def test_closed_regions_may_be_joined_through_a_slice_of_cells_with_other_maps(shift, second, joined):
    # f = clip(y + shift h, -h, h) with h = relu(1 - |x|): zero where |x| >= 1, and somewhere in between
    layers = [
        ([[1, 0], [0, 1], [1, 0]], [0, 0, 0]),
        ([[-1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 0, 0]),
        ([[shift + 1, 1, 0], [shift - 1, 1, 0], [1, 0, 0], [0, 0, 1]], [0, 0, 0, 0]),
    ]
    i = er.IDENTITY
    kinds = [[er.ABS, i, i], [er.RELU, i, i], [er.RELU, er.RELU, i, i]]
    outputs = [[1, -1, -1, 0]] + ([] if second is None else [second])
    found = er.enumerate_regions(er.Network(layers, output=(outputs, [0] * len(outputs)), activation=kinds))
    assert found.n_linear - found.n_affine_maps == 1  # the two half-planes have one map
    assert found.n_linear - found.n_closed_connected == joined


def test_convex_regions_that_are_no_complex_need_one_piece_more():
    # f = r + (relu(x + r) - relu(x - r)) / 2, r = relu(y): the edge of the lower half-plane has corners of others in it
    layers = [([[0, 1], [1, 0]], [0, 0]), ([[1, 1], [-1, 1], [1, 0]], [0, 0, 0])]
    kinds = [[er.RELU, er.IDENTITY], [er.RELU, er.RELU, er.IDENTITY]]
    found = er.enumerate_regions(er.Network(layers, output=([["1/2", "-1/2", 1]], [0]), activation=kinds))
    assert all(region.is_convex for region in found.linear_regions())
    notions = found.affine_pieces.notions()
    assert (notions.r3, notions.r4, notions.r5, notions.r6) == ((5, 5), 4, 4, 4)


def test_every_merge_has_its_reason():
    def reasons(name):
        return {merge.reason for region in oracle(name).linear_regions() for merge in region.merges}

    assert reasons("layer_fully_off_merges") == {Reason.LAYER_OFF}
    assert reasons("lines_4_4_integer") == {Reason.COINCIDENCE}
    assert Reason.INVISIBLE_WALL in reasons("montufar_fold_4_2")
    flat = er.enumerate_regions(er.Network([([[1]], [0])], activation=er.PiecewiseLinear([0], [1, 1], (0, 0))))
    assert [merge.reason for merge in flat.linear_regions()[0].merges] == [Reason.EQUAL_SLOPES]
    assert flat.linear_regions()[0].merges[0].neurons == (0,)


@relaxed
@given(st.data())
def test_regions_partition_the_cells_and_convexity_comes_with_proof(data):
    network = data.draw(networks(max_dim=2, max_neurons=6))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    regions = found.linear_regions()
    assert sorted(cell for region in regions for cell in region.cells) == list(range(len(found)))
    for region in regions:
        if region.non_convexity is not None:
            region.non_convexity.check(found, region.cells)
            p, q = region.non_convexity.ends
            assert found.own_network(p) == tuple(_apply(region.affine_map, p))
            assert found.own_network(q) == tuple(_apply(region.affine_map, q))
    pieces = convex_pieces(found)
    assert sorted(cell for piece in pieces.pieces for cell in piece) == list(range(len(found)))
    assert is_polyhedral_complex(found, pieces.pieces)
    notions = found.affine_pieces.notions()
    assert notions.r6 <= notions.r5 <= notions.r4 <= notions.r3[0] <= notions.r3[1] <= notions.r2 <= notions.r1


def _apply(layer, point):
    rows = zip(layer.weights, layer.bias, strict=True)
    return [sum(a * x for a, x in zip(row, point, strict=True)) + b for row, b in rows]


def test_convex_unions_that_do_not_fit_face_to_face_are_no_complex():
    # a T: the upper half-plane whole, the lower one cut in two
    found = er.enumerate_regions(er.Network([([[1, 0], [0, 1]], [0, 0])]))
    assert not is_polyhedral_complex(found, [(1, 3), (0,), (2,)])
    assert is_polyhedral_complex(found, [(1, 3), (0, 2)])
    assert is_polyhedral_complex(found, [(0,), (1,), (2,), (3,)])


def test_a_stopped_search_groups_its_cells_but_counts_no_linear_regions():
    entry = next(entry for entry in NETWORKS if entry["name"] == "lines_4_4_integer")
    part = er.enumerate_regions(*from_json(entry), max_cells=9)
    assert sorted(cell for region in part.linear_regions() for cell in region.cells) == list(range(9))
    assert part.n_affine_maps <= 9
    for name in ("n_linear", "n_closed_connected"):
        with pytest.raises(er.UndecidedError, match="search that was stopped"):
            getattr(part, name)
    with pytest.raises(er.UndecidedError):
        part.affine_pieces.notions()


def test_convexity_is_not_claimed_where_the_cells_that_would_show_the_contrary_were_not_found():
    cross = er.Network([([[1, 0], [0, 1]], [0, 0])])
    whole = er.enumerate_regions(cross)
    corner = [index for index in range(4) if index != 3]
    assert convexity(whole, corner).cells[2] == 3
    assert convexity(whole, [0, 1]) is None
    part = er.enumerate_regions(cross, start=[-1, -1], max_cells=3)
    assert part.pattern_texts() == ["00", "01", "10"]
    with pytest.raises(er.UndecidedError, match="were not found"):
        convexity(part, [0, 1, 2])
