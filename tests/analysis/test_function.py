"""Ranges, Lipschitz constants, means and equality, against grids, linear programs and integrals done otherwise."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis.equality import difference, equal
from exactregions.analysis.function import dominates, lipschitz, mean, output_range
from exactregions.lp import Optimum, StrictSystem, Unbounded, maximise, minimise
from exactregions.network.formats import from_json
from tests.oracles import NETWORKS
from tests.regions.test_geometry import without
from tests.strategies import domains, networks

relaxed = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@relaxed
@given(st.data())
def test_extrema_are_those_of_linear_programs_on_the_cells(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    output = data.draw(st.integers(0, network.output_dim - 1))
    answer = output_range(found, output)
    for extremum, optimise, pick in ((answer.minimum, minimise, min), (answer.maximum, maximise, max)):
        values = []
        for cell in found:
            layer = cell.affine_map
            best = optimise((*layer.weights[output], layer.bias[output]), StrictSystem(cell.inequalities.matrix))
            assert isinstance(best, (Optimum, Unbounded))
            sign = 1 if optimise is minimise else -1  # `maximise` proves a minimum of the negative
            values.append(sign * best.value if isinstance(best, Optimum) else None)
        assert extremum.value == (None if None in values else pick(values))
        start = found.own_network(extremum.point)[output]
        if extremum.ray is None:
            assert start == extremum.value
        else:
            along = [
                found.own_network([x + step * r for x, r in zip(extremum.point, extremum.ray, strict=True)])[output]
                for step in (1, 2, 3)
            ]
            assert pick(along) == along[-1] != along[0] != start


@relaxed
@given(st.data())
def test_no_point_of_a_dense_grid_is_outside_the_range_and_vertices_attain_it(data):
    network = data.draw(networks(max_dim=2))
    size = network.input_dim
    found = er.enumerate_regions(network, er.Box([-2] * size, [2] * size))
    answer = output_range(found)
    grid = [Fraction(k, 4) for k in range(-8, 9)]
    values = [network(point)[0] for point in product(grid, repeat=size)]
    assert answer.minimum.value <= min(values)
    assert max(values) <= answer.maximum.value


@relaxed
@given(st.data())
def test_no_pair_of_points_beats_the_lipschitz_constants_and_some_cell_attains_them(data):
    network = data.draw(networks(max_dim=3))
    size = network.input_dim
    found = er.enumerate_regions(network, er.Box([-2] * size, [2] * size))
    points = [cell.witness for cell in found][:12]
    one, two, most = (lipschitz(found, norm) for norm in ("1", "2", "inf"))
    assert one.is_exact
    assert most.is_exact
    assert 0 <= two.lower <= two.upper <= two.lower * (1 + Fraction(1, 10**9))
    for p, q in pairwise([*points, points[0]]):
        step = [a - b for a, b in zip(p, q, strict=True)]
        move = [a - b for a, b in zip(network(p), network(q), strict=True)]
        assert sum(map(abs, move)) <= one.upper * sum(map(abs, step))
        assert max(map(abs, move)) <= most.upper * max(map(abs, step))
        assert sum(v * v for v in move) <= two.upper * sum(v * v for v in step)
    jacobians = [np.array(cell.affine_map.weights, dtype=float) for cell in found]
    assert float(one.lower) == pytest.approx(max(np.linalg.norm(j, 1) for j in jacobians))
    assert float(most.lower) == pytest.approx(max(np.linalg.norm(j, np.inf) for j in jacobians))
    assert float(two.lower) == pytest.approx(max(np.linalg.norm(j, 2) for j in jacobians) ** 2)


def test_an_irrational_two_norm_is_enclosed_and_a_rational_one_is_exact():
    golden = er.enumerate_regions(er.Network([], output=([[1, 1], [1, 0]], [0, 0])))
    square = lipschitz(golden, "2")  # ((1 + sqrt 5) / 2)^2 = (3 + sqrt 5) / 2
    assert not square.is_exact
    assert (2 * square.lower - 3) ** 2 <= 5 <= (2 * square.upper - 3) ** 2
    assert square.upper - square.lower < Fraction(1, 10**9)
    rational = er.enumerate_regions(er.Network([], output=([[2, 1], [1, 2]], [0, 0])))
    assert lipschitz(rational, "2").upper == lipschitz(rational, "2").lower == 9
    with pytest.raises(er.InputError, match="no norm"):
        lipschitz(rational, "frobenius")


@pytest.mark.parametrize(
    ("value", "semidefinite", "definite"), [(3, True, False), (4, True, True), (2, False, False), (1, False, False)]
)
def test_definiteness_is_decided_exactly(value, semidefinite, definite):
    gram = [[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]]
    assert dominates(Fraction(value), gram) == semidefinite
    assert dominates(Fraction(value), gram, strictly=True) == definite


@relaxed
@given(st.data())
def test_the_mean_on_a_line_is_the_integral_by_trapezes(data):
    network = data.draw(networks(max_dim=1))
    found = er.enumerate_regions(network, er.Box([-3], [2]))
    knots = sorted({v[0] for cell in found for v in cell.geometry.vertices})
    areas = [(b - a) * (network([a])[0] + network([b])[0]) / 2 for a, b in pairwise(knots)]
    assert mean(found)[0] == sum(areas) / 5


@relaxed
@given(st.data())
def test_the_mean_over_a_box_is_the_mean_of_the_means_over_its_halves(data):
    network = data.draw(networks(max_dim=3, max_neurons=5))
    size = network.input_dim
    whole = mean(er.enumerate_regions(network, er.Box([-2] * size, [2] * size)))
    halves = [
        mean(er.enumerate_regions(network, er.Box([low, *[-2] * (size - 1)], [high, *[2] * (size - 1)])))
        for low, high in ((-2, 0), (0, 2))
    ]
    assert whole == tuple((a + b) / 2 for a, b in zip(*halves, strict=True))


def test_a_mean_needs_a_bounded_domain():
    with pytest.raises(er.InputError, match="bounded domain"):
        mean(er.enumerate_regions(er.Network([([[1]], [0])])))


def shuffled(network, rng):
    """Permute the neurons of every hidden layer and rescale each by a positive rational."""
    layers, order, scale = [], list(range(network.input_dim)), [Fraction(1)] * network.input_dim
    for layer in network.layers:
        new = rng.permutation(layer.n_outputs).tolist()
        factor = [Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9))) for _ in new]
        weights = [[factor[k] * layer.weights[i][j] / scale[c] for c, j in enumerate(order)] for k, i in enumerate(new)]
        layers.append((weights, [factor[k] * layer.bias[i] for k, i in enumerate(new)]))
        order, scale = new, factor
    out = network.output
    weights = [[row[j] / scale[c] for c, j in enumerate(order)] for row in out.weights]
    return er.Network(layers, output=(weights, out.bias))


RELU_WITH_OUTPUT = [e for e in NETWORKS if e["output_layer"] and e["activation"] == "relu"]


@pytest.mark.parametrize("entry", RELU_WITH_OUTPUT, ids=lambda entry: entry["name"])
def test_a_network_is_recognised_under_permutation_and_rescaling_and_a_change_by_2_to_the_minus_40_is_found(entry):
    network, domain = from_json(entry)
    other = shuffled(network, np.random.default_rng(7))
    assert other.fingerprint != network.fingerprint
    answer = equal(network, other, domain)
    assert answer
    assert (answer.witness, answer.largest.value) == (None, 0)
    weights, bias = [list(row) for row in other.output.weights], list(other.output.bias)
    weights[0][0] += Fraction(1, 2**40)
    moved = er.Network(other.layers, output=(weights, bias))
    changed = equal(network, moved, domain)
    silent = all(not cell.pattern[-other.widths[-1]] for cell in er.enumerate_regions(moved, domain))
    assert changed.equal == silent  # only the weight of a neuron that is off everywhere can move unseen
    if not silent:
        assert domain.contains(changed.witness)
        assert network(domain.lift(changed.witness)) != moved(domain.lift(changed.witness))
        assert changed.values == (network(domain.lift(changed.witness)), moved(domain.lift(changed.witness)))


@relaxed
@given(st.data())
def test_differences_are_found_wherever_they_are(data):
    first, second = data.draw(networks(max_dim=2, max_neurons=4)), data.draw(networks(max_dim=2, max_neurons=4))
    if (first.input_dim, first.output_dim) != (second.input_dim, second.output_dim):
        with pytest.raises(er.InputError, match="cannot be subtracted"):
            equal(first, second)
        return
    domain = data.draw(domains(first.input_dim))
    answer = equal(first, second, domain)
    minus = difference(first, second)
    found = er.enumerate_regions(minus, domain)
    zero = all(not any(cell.affine_map.matrix.numerators.entries()) for cell in found)
    assert answer.equal == zero
    if not zero:
        assert domain.contains(answer.witness)
        one, two = answer.values
        assert tuple(a - b for a, b in zip(one, two, strict=True)) == minus(domain.lift(answer.witness)) != (0,)
        ends = [output_range(found, k) for k in range(minus.output_dim)]
        values = [end.value for pair in ends for end in (pair.minimum, pair.maximum)]
        assert answer.largest.value == (None if None in values else max(map(abs, values)))


def test_networks_of_different_depth_are_compared():
    absolute = er.Network([([[1]], [0])], activation=er.ABS)
    built = er.Network([([[1], [-1]], [0, 0]), ([[1, 1]], [0])], output=([[1]], [0]))
    assert equal(absolute, built)
    assert not equal(er.Network([], output=([[1]], [0])), built)
    assert equal(er.Network([], output=([[1]], [0])), built, er.Box([0], [1]))
    assert not equal(er.Network([], output=([[1, 0]], [0])), er.Network([], output=([[1, 1]], [0])))


def test_a_hidden_weight_that_moves_by_2_to_the_minus_40_is_found_in_every_place():
    rng = np.random.default_rng(5)
    layers = [(rng.normal(size=(4, 2)), rng.normal(size=4)), (rng.normal(size=(4, 4)), rng.normal(size=4) + 1)]
    output = (rng.normal(size=(1, 4)), rng.normal(size=1))
    network = er.Network(layers, output=output)
    box = er.Box([-3, -3], [3, 3])
    found = 0
    for layer, (weights, _) in enumerate(layers):
        for i, j in np.ndindex(weights.shape):
            moved = [(w.copy(), b) for w, b in layers]
            moved[layer][0][i, j] += 2.0**-40
            other = er.Network(moved, output=output)
            answer = equal(network, other, box)
            if answer:  # then no cell where both neurons are on and are heard: look at the difference another way
                cells = er.enumerate_regions(difference(network, other), box)
                assert not any(any(cell.affine_map.matrix.numerators.entries()) for cell in cells)
            else:
                found += 1
                assert answer.values[0] != answer.values[1]
                assert answer.largest.value < Fraction(1, 2**30)
    assert found >= 16


def test_a_stopped_or_incomplete_list_has_no_range_no_constant_and_no_mean():
    network = er.Network([([[1], [1], [1]], [0, -1, -2])], output=([[1, 2, 3]], [0]))
    part = er.enumerate_regions(network, er.Box([-1], [3]), max_cells=2)
    for question in (output_range, lipschitz, mean):
        with pytest.raises(er.UndecidedError, match="stopped after 2 cells"):
            question(part)
    with pytest.raises(er.InputError, match="do not cover the domain"):
        mean(without(er.enumerate_regions(network, er.Box([-1], [3])), 1))
