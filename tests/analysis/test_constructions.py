"""Constructions, random networks and classical families: they are what they say, and refuse what they cannot be."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis import families
from exactregions.analysis.constructions import fold, general_position, serra_fold, tent, zonotope
from exactregions.analysis.convolution_bounds import convolution_maximum, windows
from exactregions.analysis.making import KINDS, make
from exactregions.analysis.random_networks import LAWS, random_network
from exactregions.analysis.shapes import central_regions, generic_bounded, generic_regions
from exactregions.arrangements import Arrangement
from exactregions.errors import InputError
from tests.oracles import ARRANGEMENTS, NETWORKS

ORACLE = {entry["name"]: entry for entry in ARRANGEMENTS}
GIVEN = {
    "tent": {"depth": 3}, "fold": {"widths": [2, 4, 2]}, "serra": {"widths": [1, 3, 3]},
    "zonotope": {"inputs": 2, "size": 3, "teeth": 3}, "random": {"widths": [2, 3]},
    "generic": {"size": 4, "inputs": 2}, "generic-central": {"size": 4, "inputs": 3},
    "parallel": {"sizes": [2, 3], "inputs": 2}, "f4": {}, "e6": {}, "e7": {}, "e8": {},
}  # fmt: skip


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_tents_have_two_to_the_depth_cells_and_maps(depth):
    cells = er.enumerate_regions(tent(depth), er.Box([0], [1]))
    maps = {(cell.affine_map.weights, cell.affine_map.bias) for cell in cells}
    assert len(cells) == len(maps) == 2**depth
    assert tent(depth)([Fraction(1, 2**depth)]) == (1,)


def test_the_tent_of_depth_3_is_the_frozen_one():
    entry = next(entry for entry in NETWORKS if entry["name"] == "tent_depth3_box01")
    assert entry["n_cells"] == 8
    frozen = er.Network([tuple(layer) for layer in entry["layers"]], output=entry["output_layer"])
    grid = [Fraction(k, 16) for k in range(17)]
    assert [frozen([x]) for x in grid] == [tent(3)([x]) for x in grid]


@pytest.mark.parametrize(("number", "dim"), [(1, 1), (4, 1), (5, 2), (2, 3), (6, 3), (5, 4)])
def test_general_position_has_all_its_regions_inside_the_cube(number, dim):
    rows, shifts = general_position(number, dim)
    network = er.Network([(rows, shifts)])
    chi = Arrangement.of_network(network).characteristic_polynomial
    assert chi.n_regions == generic_regions(number, dim)
    assert chi.n_bounded == generic_bounded(number, dim)
    assert er.count_cells(network, er.Box([0] * dim, [1] * dim)).n_cells == chi.n_regions


@pytest.mark.parametrize(
    ("family", "name", "size"),
    [(families.boolean, "boolean", 6), (families.braid, "braid-A", 5), (families.type_b, "type-B", 4),
     (families.type_d, "type-D", 5), (families.resonance, "resonance-", 4), (families.threshold, "threshold-", 5),
     (families.linear_threshold, "ltf-", 3), (families.shi, "shi-", 5), (families.catalan, "catalan-", 4),
     (families.linial, "linial-", 6), (families.semiorder, "semiorder-", 4)],
)  # fmt: skip
def test_families_are_the_frozen_ones(family, name, size):
    made = family(size + 1 if name == "braid-A" else size)
    frozen = Arrangement.from_rows(ORACLE[f"boolean-{size}" if name == "boolean" else f"{name}{size}"]["rows"])
    assert set(made.hyperplanes) == set(frozen.hyperplanes)


@pytest.mark.parametrize(
    ("name", "exponents"),
    [("F4", (1, 5, 7, 11)), ("E6", (1, 4, 5, 7, 8, 11)), ("E7", (1, 5, 7, 9, 11, 13, 17))],
)
def test_exceptional_arrangements_have_their_exponents(name, exponents):
    chi = families.exceptional(name).characteristic_polynomial
    for exponent in exponents:
        assert chi(exponent) == 0
    order = 1
    for exponent in exponents:
        order *= exponent + 1
    assert chi.n_regions == order


def test_closed_formulas():
    assert families.braid(7).n_regions == factorial(7)
    assert families.type_b(6).n_regions == 2**6 * factorial(6)
    assert families.type_d(6).n_regions == 2**5 * factorial(6)
    assert families.shi(7).n_regions == 8**6
    assert families.catalan(6).n_regions == factorial(6) * comb(12, 6) // 7
    assert families.generic(9, 4).n_regions == generic_regions(9, 4)
    assert families.generic_central(9, 4).n_regions == central_regions(9, 4)
    assert families.parallel([4, 1, 3, 2], 3).n_regions == 96
    assert families.graphical(5, []).n_regions == 1
    cycle = families.graphical(6, [(i, (i + 1) % 6) for i in range(6)])
    assert cycle.n_regions == 2**6 - 2


def test_a_family_as_a_network_has_as_many_cells():
    for arrangement in (families.shi(3), families.type_b(3), families.parallel([2, 2], 2)):
        assert er.count_cells(arrangement.network()).n_cells == arrangement.n_regions


@pytest.mark.parametrize("law", LAWS)
def test_random_networks_are_a_function_of_their_seed(law):
    first, second = (random_network(3, (4, 2), law=law, rng=5) for _ in range(2))
    assert first == second != random_network(3, (4, 2), law=law, rng=6)
    assert first.widths == (4, 2)
    assert first.has_zero_bias == (law == "zero-bias")
    assert random_network(3, (4, 2), law=law, rng=np.random.default_rng(5)) == first
    assert random_network(3, (4,), law=law, outputs=0).output is None


def explicit_convolution(shape, kernel, filters, biases):
    """The rows of a one-dimensional convolution."""
    rows = []
    for taps, bias in zip(filters, biases, strict=True):
        for start in range(shape - kernel + 1):
            row = [0] * shape
            row[start : start + kernel] = taps
            rows.append((*row, bias))
    return Arrangement.from_rows(rows)


@pytest.mark.parametrize(("shape", "d", "value"), [(3, 1, 4), (3, 2, 15), (3, 3, 40), (4, 2, 55)])
def test_convolutions_attain_their_maximum(shape, d, value):
    bound = convolution_maximum(windows([shape], [2]), d)
    arrangement = explicit_convolution(shape, 2, [(1, 2), (3, -1), (1, -4)][:d], [7, -11, 5][:d])
    assert bound.value == arrangement.n_regions == value
    assert bound.kind == "maximum"


@given(st.data())
@settings(max_examples=500)
def test_no_convolution_exceeds_its_bound(data):
    length, kernel, padding = (data.draw(st.integers(*ends)) for ends in ((2, 4), (1, 2), (0, 1)))
    taps = st.lists(st.integers(-2, 2), min_size=kernel, max_size=kernel)
    filters = data.draw(st.lists(st.tuples(taps, st.integers(-2, 2)), min_size=1, max_size=3))
    rows = []
    for weights, shift in filters:
        for start in range(-padding, length + padding - kernel + 1):
            row = [0] * length
            for k, weight in enumerate(weights):
                if 0 <= start + k < length:
                    row[start + k] = weight
            rows.append((*row, shift))
    bound = convolution_maximum(windows([length], [kernel], padding=padding), len(filters))
    assert Arrangement.from_rows(rows).n_regions <= bound.value


def test_windows_of_different_sizes_make_an_upper_bound():
    seen = windows([2], [2], padding=1)
    assert [sorted(window) for window in seen] == [[0], [0, 1], [1]]
    assert convolution_maximum(seen, 2).kind == "upper"


def test_windows_in_two_dimensions_and_with_channels():
    assert len(windows([4, 4], [2, 2], stride=2)) == 4
    assert sorted(windows([2, 2], [2, 2], channels=2)[0]) == list(range(8))
    assert sorted(windows([3, 3], [2, 2])[1]) == [1, 2, 4, 5]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_made(kind):
    network, domain = make(kind, **GIVEN.get(kind, {"size": 3}))
    assert network.widths
    assert (domain is not None) == (kind == "tent")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tent(0), "at least 1"),
        (lambda: fold(2, (1, 4)), "too small: at least 2"),
        (lambda: serra_fold(1, (2, 2)), "too small: at least 3"),
        (lambda: fold(2, ()), "1 layer"),
        (lambda: fold(2, (4, 0)), "at least 1"),
        (lambda: zonotope(0, 2, 2, 1), "1 input"),
        (lambda: zonotope(2, 0, 2, 1), "1 generator"),
        (lambda: zonotope(2, 2, 0, 1), "1 tooth"),
        (lambda: zonotope(2, 2, 2, 0), "1 layer"),
        (lambda: random_network(2, (3,), law="cauchy"), "no law"),
        (lambda: random_network(0, (3,)), "at least 1"),
        (lambda: random_network(2, (3,), bias_std=float("nan")), "at least 0"),
        (lambda: families.braid(0), "positive integer"),
        (lambda: families.shi(2.0), "positive integer"),
        (lambda: families.exceptional("G2"), "no exceptional arrangement"),
        (lambda: families.graphical(3, [(0, 3)]), "no edge"),
        (lambda: families.graphical(3, [(1, 1)]), "no edge"),
        (lambda: convolution_maximum(windows([3], [2]), 0), "1 filter"),
        (lambda: windows([3], [2, 2]), "as many axes"),
        (lambda: windows([3], [2], padding=-1), "positive"),
        (lambda: make("moon"), "no kind 'moon'"),
        (lambda: make("tent"), "needs --depth"),
        (lambda: make("tent", depth=2, seed=1), "takes no --seed"),
        (lambda: make("fold", widths=[2]), "at least one hidden"),
    ],
)
def test_what_cannot_be_made_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
