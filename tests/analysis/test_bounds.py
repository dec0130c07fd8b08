"""Bounds: frozen values, validity on drawn networks, and what goes wrong without each condition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis import lower_bounds, upper_bounds
from exactregions.analysis.bound import Kind
from exactregions.analysis.bounds import BOUNDS, all_bounds, bounds_of_network, bounds_of_shape, tightest
from exactregions.analysis.constructions import fold, serra_fold, zonotope
from exactregions.analysis.random_networks import random_network
from exactregions.analysis.shapes import (
    Shape,
    central_regions,
    generic_bounded,
    generic_faces,
    generic_regions,
)
from exactregions.analysis.stability import serra_with_stable_neurons, stable_neurons
from exactregions.errors import InputError, UndecidedError
from tests import strategies
from tests.oracles import BOUNDS as FROZEN
from tests.oracles import NETWORKS, domain_of

UPPER = [bound for bound in BOUNDS if bound(Shape(1, (1,))).kind in {Kind.UPPER, Kind.MAXIMUM}]


def test_frozen_counts_of_generic_arrangements():
    for case in FROZEN["zaslavsky_generic"]:
        m, n = case["m"], case["n"]
        assert generic_regions(m, n) == case["regions"]
        assert generic_bounded(m, n) == case["bounded"]
        assert generic_regions(m - 1, n) + generic_regions(m - 1, n - 1) == case["recursion_check"]
    for case in FROZEN["central_generic"]:
        assert central_regions(case["m"], case["n"]) == case["regions"]
    for case in FROZEN["faces_generic"]:
        assert generic_faces(case["m"], case["n"], case["k"]) == case["faces"]


@pytest.mark.parametrize("case", FROZEN["nets"], ids=lambda case: f"{case['n0']}-{case['widths']}")
def test_frozen_bounds_of_shapes(case):
    shape = Shape(case["n0"], tuple(case["widths"]))
    assert shape.n_neurons == case["N"]
    assert upper_bounds.trivial(shape).value == case["trivial_2N"]
    assert upper_bounds.montufar_2017(shape).value == case["montufar2017_product"]
    assert upper_bounds.serra_2018(shape).value == case["serra2018_upper"]
    assert upper_bounds.hinz_van_de_geer(shape).value == case["hinz_vandegeer_serra_gamma"]
    final = upper_bounds.histogram(shape, upper_bounds.gamma_serra)
    assert {str(d): count for d, count in final.items()} == case["final_histogram_by_dim"]
    assert lower_bounds.pascanu_2013(shape).formula == case["pascanu2013_lower"]
    montufar = lower_bounds.montufar_2014(shape)
    assert (montufar.formula, montufar.holds) == (case["montufar2014_lower"], case["montufar2014_valid"])
    serra = lower_bounds.serra_2018_lower(shape)
    assert (serra.formula, serra.holds) == (case["serra2018_lower_formula"], case["serra2018_lower_valid"])
    assert lower_bounds.hanin_rolnick(shape).formula == Fraction(case["hr_heuristic"])


shapes = st.builds(Shape, st.integers(1, 5), st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple))


@given(shapes)
def test_the_three_gammas_are_the_three_bounds(shape):
    for gamma, same in (("trivial", upper_bounds.trivial), ("montufar", upper_bounds.montufar_2017),
                        ("serra", upper_bounds.serra_2018)):  # fmt: skip
        assert upper_bounds.hinz_van_de_geer(shape, gamma).value == same(shape).value


def direct_serra(shape):
    """The sum as the paper writes it, by running through all j."""

    def run(layer, least):
        if layer == shape.depth:
            return 1
        width = shape.widths[layer]
        return sum(
            upper_bounds.comb(width, j) * run(layer + 1, min(least, width - j)) for j in range(min(least, width) + 1)
        )

    return run(0, shape.input_dim)


@given(shapes)
def test_bounds_are_ordered_as_theory_says(shape):
    found = {bound.name: bound for bound in all_bounds(shape)}
    assert direct_serra(shape) == found["serra_2018"].value
    assert found["serra_2018"].value <= found["montufar_2017"].value <= found["raghu_2017"].value
    assert found["raghu_2017"].value <= found["trivial"].value
    if found["product_of_powers"].holds:
        assert found["raghu_2017"].value <= found["product_of_powers"].value
    best = tightest(tuple(found.values()), Kind.UPPER)
    for bound in found.values():
        if bound.holds and bound.kind in {Kind.LOWER, Kind.MAXIMUM}:
            assert bound.value <= best.value, bound.name


def count(network):
    return er.count_cells(network).n_cells


def check(network, domain):
    table = bounds_of_network(network, domain)
    assert table.status == "exact"
    for bound in table.bounds:
        if bound.holds:
            assert bound.admits(table.n_cells), (bound.name, bound.value, table.n_cells)
    return table


MANY = 500  # networks for every bound


@given(strategies.networks(activations=(er.RELU,)))
@settings(max_examples=MANY)
def test_no_relu_network_exceeds_a_bound(network):
    table = check(network, None)
    names = {"trivial", "raghu_2017", "montufar_2017", "serra_2018", "hinz_van_de_geer", "serra_with_stable_neurons"}
    assert names <= {bound.name for bound in table.bounds if bound.holds}
    sharp = next(bound for bound in table.bounds if bound.name == "serra_with_stable_neurons")
    assert sharp.value <= upper_bounds.serra_2018(table.shape).value


@given(strategies.networks())
@settings(max_examples=150)
def test_no_network_of_any_activation_exceeds_a_bound(network):
    check(network, None)


@given(st.data())
@settings(max_examples=120)
def test_no_network_exceeds_a_bound_on_a_domain(data):
    network = data.draw(strategies.networks(max_dim=3, max_neurons=6))
    domain = data.draw(strategies.domains(network.input_dim))
    try:
        er.enumerate_regions(network, domain, max_cells=1)
    except InputError:  # an empty domain
        return
    check(network, domain)


@st.composite
def layered(draw, dims, widths, *, depth, bias=True):
    """Integer ReLU networks of a shape; with `bias`, at least one bias is not zero."""
    dim = size = draw(st.sampled_from(dims))
    layers = []
    for _ in range(draw(st.integers(*depth))):
        width = draw(st.sampled_from(widths))
        layers.append(draw(strategies.weights(size, width, bias)))
        size = width
    if bias:
        layers[0][1][0] = layers[0][1][0] or 1
    return er.Network(layers, input_dim=dim)


def applies(bound, network):
    claim = bound(Shape.of(network))
    assert claim.holds, claim.failing
    assert claim.admits(count(network)), (claim.value, count(network))


@given(layered([1, 2, 3], [1, 2, 3], depth=(1, 3), bias=False), st.sampled_from(["relu", "leaky_relu(1/3)", "abs"]))
@settings(max_examples=MANY)
def test_no_zero_bias_network_exceeds_the_bound_for_cones(network, activation):
    layers = [(layer.weights, layer.bias) for layer in network.layers]
    applies(upper_bounds.zero_bias, er.Network(layers, activation=activation))


@given(
    layered([1, 2, 3], [1, 2, 3, 4, 5], depth=(1, 1), bias=False),
    st.booleans(),
    st.sampled_from(strategies.ACTIVATIONS),
)
@settings(max_examples=MANY)
def test_no_layer_exceeds_its_maximum(network, biased, activation):
    (layer,) = network.layers
    bias = [k % 3 - 1 for k in range(layer.n_outputs)] if biased else layer.bias
    applies(lower_bounds.maximum_one_layer, er.Network([(layer.weights, bias)], activation=activation))


@given(layered([1], [3, 4], depth=(1, 3)) | layered([1], [1, 2], depth=(2, 2)))
@settings(max_examples=MANY)
def test_no_network_on_a_line_exceeds_its_maximum(network):
    applies(lower_bounds.maximum_on_line, network)


@given(layered([2, 3], [2, 3], depth=(1, 2)))
@settings(max_examples=MANY)
def test_no_network_exceeds_the_product_of_powers(network):
    applies(upper_bounds.product_of_powers, network)


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_no_frozen_network_exceeds_a_bound(entry):
    layers = [tuple(layer) for layer in entry["layers"]]
    network = er.Network(layers, activation=entry["activation"], input_dim=entry["input_dim"])
    table = check(network, domain_of(entry))
    assert (table.n_cells, table.n_strict) == (entry["n_cells"], entry["n_strict"])
    if len(layers) == 1 and isinstance(domain_of(entry), er.WholeSpace):
        assert table.engine == "zaslavsky"


# ---------------------------------------------------------------- lower bounds are attained


@pytest.mark.parametrize("widths", [(2, 4, 2), (2, 4, 4), (2, 5, 3), (1, 2, 3, 2), (3, 6, 3), (2, 2, 2, 2)])
def test_folds_attain_montufar_and_so_pascanu(widths):
    network = fold(widths[0], widths[1:])
    shape = Shape.of(network)
    cube = er.Box([0] * widths[0], [1] * widths[0])
    n_cells = er.count_cells(network, cube).n_cells
    assert n_cells >= lower_bounds.montufar_2014(shape).value >= lower_bounds.pascanu_2013(shape).value
    if all(width % widths[0] == 0 for width in widths[1:-1]):
        assert n_cells == lower_bounds.montufar_2014(shape).value


@pytest.mark.parametrize("widths", [(1, 3), (1, 3, 1), (1, 3, 3), (1, 4, 3), (1, 5, 3, 2), (2, 6, 2), (2, 6, 6)])
def test_zigzags_attain_serra_and_on_a_line_the_maximum(widths):
    network = serra_fold(widths[0], widths[1:])
    shape = Shape.of(network)
    n_cells = er.count_cells(network).n_cells
    assert n_cells == lower_bounds.serra_2018_lower(shape).value
    if widths[0] == 1:
        assert n_cells == lower_bounds.maximum_on_line(shape).value == upper_bounds.serra_2018(shape).value


@pytest.mark.parametrize("case", [(2, 3, 3, 1), (2, 3, 3, 2), (2, 4, 2, 1), (3, 3, 2, 1), (1, 1, 3, 2)])
def test_zonotopes_attain_arora(case):
    network = zonotope(*case[:2], width=case[2], depth=case[3])
    assert er.count_cells(network).n_cells >= lower_bounds.arora_2018(Shape.of(network)).value


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_narrow_first_layers_on_a_line_attain_the_corrected_maxima(n):
    # the levels -1, ..., -n of a function of three pieces, and of one ReLU
    two = er.Network([([[-1], [1]], [0, -1]), ([[1, 1]] * n, [-k for k in range(1, n + 1)])])
    assert er.count_cells(two).n_cells == lower_bounds.maximum_on_line(Shape(1, (2, n))).value == 3 + 2 * n
    one = er.Network([([[1]], [0]), ([[1]] * n, [-k for k in range(1, n + 1)])])
    assert er.count_cells(one).n_cells == lower_bounds.maximum_on_line(Shape(1, (1, n))).value == n + 2


@given(st.integers(1, 2), st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=60)
def test_nothing_on_a_line_exceeds_the_corrected_maxima(first, second, seed):
    network = random_network(1, (first, second), law="integer", rng=seed, size=3)
    assert er.count_cells(network).n_cells <= lower_bounds.maximum_on_line(Shape.of(network)).formula


def test_one_layer_in_general_position_attains_its_maximum():
    for dim, width, pieces in ((2, 5, 2), (3, 4, 2), (2, 2, 3), (2, 3, 3)):
        kind = "relu" if pieces == 2 else "hardtanh[-1,1]"
        network = random_network(dim, (width,), rng=1, activation=kind)
        assert er.count_cells(network).n_cells == lower_bounds.maximum_one_layer(Shape.of(network)).value
    cones = random_network(3, (6,), law="zero-bias", rng=1)
    assert er.count_cells(cones).n_cells == lower_bounds.maximum_one_layer(Shape.of(cones)).value == 32


# ---------------------------------------------------------------- without its condition, a bound is false


def failing_and_false(bound, network, text):
    """The condition is the only one that fails, and the formula is below the count of a network."""
    claim = bound(Shape.of(network))
    assert any(text in reason for reason in claim.failing)
    assert len(claim.failing) == 1
    assert count(network) > claim.formula
    with pytest.raises(InputError, match="does not apply"):
        _ = claim.value


ABS_FOLD = er.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 0], [0, 1]], [-1, -1])], activation="abs")


@pytest.mark.parametrize("bound", [upper_bounds.serra_2018, upper_bounds.hinz_van_de_geer])
def test_serra_needs_neurons_that_can_be_off(bound):
    assert count(ABS_FOLD) == 16
    failing_and_false(bound, ABS_FOLD, "constant on one of its two pieces")


def test_the_product_of_powers_needs_two_inputs_two_neurons_and_two_pieces():
    failing_and_false(upper_bounds.product_of_powers, random_network(1, (3,)), "2 inputs")
    failing_and_false(upper_bounds.product_of_powers, random_network(2, (1,)), "2 neurons")
    clipped = random_network(2, (2,), activation="hardtanh[-1,1]")
    failing_and_false(upper_bounds.product_of_powers, clipped, "two pieces")


def test_the_bound_for_cones_needs_zero_bias_and_breakpoints_at_zero():
    failing_and_false(upper_bounds.zero_bias, random_network(2, (3,)), "zero bias")
    clipped = er.Network([([[1]], [0])], activation="hardtanh[-1,1]")
    failing_and_false(upper_bounds.zero_bias, clipped, "zero bias")


def test_the_maximum_of_one_layer_needs_one_layer():
    failing_and_false(lower_bounds.maximum_one_layer, fold(2, (2, 2)), "one hidden layer")


def test_the_maximum_on_a_line_needs_a_line_and_relus():
    failing_and_false(lower_bounds.maximum_on_line, random_network(2, (3,)), "one input")
    clipped = er.Network([([[1]], [0.5])], activation="hardtanh[-1,1]")
    failing_and_false(lower_bounds.maximum_on_line, clipped, "ReLU")
    # slopes 1, -2, 1 on three pieces: what two ReLUs cannot do, two leaky ReLUs of slope -2 can
    zigzag = er.Network(
        [([[1], [-1]], [0, 1]), ([[-1, 1], [-1, 1]], ["3/4", "1/2"])], activation=["leaky_relu(-2)", "relu"]
    )
    failing_and_false(lower_bounds.maximum_on_line, zigzag, "ReLU")
    assert count(zigzag) == 9


def lower_is_false(bound, shape, text):
    """The condition is the only one that fails, and the formula is above a proven upper bound."""
    claim = bound(shape)
    assert any(text in reason for reason in claim.failing)
    assert len(claim.failing) == 1
    assert claim.formula > tightest(all_bounds(shape), Kind.UPPER).value


@pytest.mark.parametrize("shape", [Shape(2, (2, 2)), Shape(2, (2, 2, 2)), Shape(1, (2, 2)), Shape(1, (2, 3))])
def test_serras_lower_bound_needs_wide_layers(shape):
    lower_is_false(lower_bounds.serra_2018_lower, shape, "at least 3 n_0")


LOWER = [lower_bounds.pascanu_2013, lower_bounds.montufar_2014, lower_bounds.serra_2018_lower, lower_bounds.arora_2018]


@pytest.mark.parametrize("bound", LOWER)
def test_lower_bounds_need_biases(bound):
    widths = (2, 3) if bound is lower_bounds.arora_2018 else (6, 6)
    lower_is_false(bound, Shape(1, widths, zero_bias=True), "biases are free")


@pytest.mark.parametrize("bound", LOWER)
def test_lower_bounds_need_neurons_that_bend(bound):
    shape = Shape.of(er.Network([([[1]] * 4, [0] * 4), ([[1] * 4] * 4, [1] * 4)], activation="identity"))
    assert upper_bounds.trivial(shape).value == 1
    lower_is_false(bound, shape, "ReLU")


@pytest.mark.parametrize("bound", [lower_bounds.pascanu_2013, lower_bounds.montufar_2014])
def test_folding_bounds_say_nothing_for_layers_narrower_than_the_input(bound):
    claim = bound(Shape(4, (2, 4)))
    assert claim.formula == 0
    assert claim.failing == ("every layer at least n_0 = 4 wide",)
    with pytest.raises(InputError, match="too small"):
        fold(4, (2, 4))


def test_the_maximum_on_a_line_needs_wide_layers_or_two_of_them():
    claim = lower_bounds.maximum_on_line(Shape(1, (2, 2, 2)))
    assert claim.formula is None
    assert claim.failing
    # the product of n_l + 1, that is 27, would be the formula; no network comes near
    most = max(count(random_network(1, (2, 2, 2), law="integer", rng=seed, size=3)) for seed in range(200))
    assert 7 <= most < 27


def test_estimates_are_no_bounds():
    plane = random_network(2, (7,), rng=0)
    claim = lower_bounds.hanin_rolnick(Shape.of(plane))
    assert claim.kind is Kind.ESTIMATE
    assert count(plane) == 29 > claim.formula
    assert claim.admits(10**9)
    assert lower_bounds.hanin_rolnick(Shape(3, (2,))).failing == ("N >= d",)
    assert lower_bounds.zero_bias_estimate(Shape(2, (3,))).failing
    assert count(random_network(2, (3,))) > lower_bounds.zero_bias_estimate(Shape(2, (3,))).formula


# ---------------------------------------------------------------- stable neurons


@given(st.data())
@settings(max_examples=80)
def test_stable_neurons_are_those_with_one_piece_in_all_cells(data):
    network = data.draw(strategies.networks(max_dim=3, max_neurons=6))
    domain = data.draw(strategies.domains(network.input_dim))
    try:
        patterns = er.enumerate_regions(network, domain).patterns()
    except InputError:
        return
    seen = [set(column) for column in zip(*patterns, strict=True)]
    wanted = tuple(next(iter(pieces)) if len(pieces) == 1 else None for pieces in seen)
    assert stable_neurons(network, domain).pieces == wanted


def test_stable_neurons_sharpen_serra():
    network = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 5]), ([[1, 1, 1]], [-6])])
    box = er.Box([-1, -1], [1, 1])
    bound = serra_with_stable_neurons(network, box)
    assert stable_neurons(network, box).n_stable == 1
    assert bound.value == 8 < upper_bounds.serra_2018(Shape.of(network)).value
    assert bound.admits(er.count_cells(network, box).n_cells)


def test_treating_an_unstable_neuron_as_stable_breaks_the_bound():
    network = random_network(2, (3,), rng=0)
    forged = type(stable_neurons(network))((1, 1, 1), (3,))
    assert count(network) > serra_with_stable_neurons(network, stable=forged).value


def test_stable_neurons_of_another_network_or_beyond_the_limit_are_refused():
    with pytest.raises(InputError, match="stable neurons of widths"):
        serra_with_stable_neurons(random_network(2, (3,)), stable=stable_neurons(random_network(2, (4,))))
    with pytest.raises(UndecidedError, match="more than 3 cells"):
        stable_neurons(random_network(2, (6, 2)), max_cells=3)
    table = bounds_of_network(random_network(2, (6, 2)), max_cells_before=3)
    assert table.notes
    assert "serra_with_stable_neurons" not in {bound.name for bound in table.bounds}


# ---------------------------------------------------------------- tables and refusals


def test_a_table_of_a_shape_with_one_layer_has_a_count():
    table = bounds_of_shape(Shape(3, (10,)))
    assert (table.n_cells, table.facts()["n_cells"], table.status) == (176, 176, "exact")
    assert bounds_of_shape(Shape(3, (10, 10))).n_cells is None


def test_a_stopped_count_gives_no_ratio():
    table = bounds_of_network(random_network(2, (6, 6)), max_cells=10)
    assert (table.n_cells, table.status) == (10, "lower_bound")
    assert all(row["ratio"] is None for row in table.facts()["bounds"])
    assert "at least 10" in table.text()


def test_a_network_too_large_to_count_is_tabulated_without_a_count():
    table = bounds_of_network(random_network(100, (80, 80)))
    assert (table.n_cells, table.status, len(table.notes)) == (None, None, 2)
    assert "not counted" in table.text()
    assert table.facts()["n_cells"] is None


def test_a_wide_layer_of_many_inputs_is_counted_all_the_same():
    assert bounds_of_network(random_network(100, (80,))).n_cells == 2**80


def test_a_network_too_large_to_count_by_restriction_goes_to_an_engine():
    table = bounds_of_network(random_network(3, (8,)), max_nodes=1)
    assert (table.n_cells, table.engine != "zaslavsky") == (93, True)


def test_huge_numbers_are_written_exactly():
    facts = bounds_of_shape(Shape(3, (20_000,))).facts()
    trivial = next(row for row in facts["bounds"] if row["name"] == "trivial")
    assert isinstance(trivial["value"], str)
    assert trivial["value"].startswith("398") and len(trivial["value"]) == 6021  # noqa: PT018


@pytest.mark.parametrize("shape", [(0, (2,)), (2, (0,)), (2, (True,)), (2, (1.5,))])
def test_shapes_that_are_none_are_refused(shape):
    with pytest.raises(InputError, match="positive integers"):
        Shape(*shape)


def test_numbers_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="negative"):
        generic_regions(-1, 2)
    with pytest.raises(InputError, match="negative"):
        central_regions(2, -1)
    with pytest.raises(InputError, match="at least one piece"):
        Shape(2, (2,), pieces=0)
    with pytest.raises(InputError, match="at least an input dimension"):
        Shape.parse([])
