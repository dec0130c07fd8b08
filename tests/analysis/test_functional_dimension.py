"""The functional dimension against the oracles, against batches of points, and against what it must refuse."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis import functional_dimension as module
from exactregions.analysis.batch_float import float_batch_rank, float_jacobian
from exactregions.analysis.batch_rank import batch_rank, gradient_rows, rank_curve
from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.jacobian import PRIME, CellJacobian, ModularJacobian, add_mod, mul_mod
from exactregions.analysis.null_check import leaves_unchanged
from exactregions.analysis.parameters import Parameters
from exactregions.analysis.random_networks import random_network
from exactregions.errors import InputError, UndecidedError
from exactregions.network.formats import from_json
from exactregions.rational import RationalMatrix
from exactregions.regions import Status
from tests.oracles import NETWORKS, domain_of
from tests.strategies import domains, networks

relaxed = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
KNOWN = [entry for entry in NETWORKS if "functional_dimension" in entry]


def explored(entry):
    return er.enumerate_regions(from_json(entry)[0], domain_of(entry))


@pytest.mark.parametrize("entry", KNOWN, ids=lambda entry: entry["name"])
def test_every_functional_dimension_of_the_oracles(entry):
    found = functional_dimension(explored(entry))
    assert found.value == entry["functional_dimension"]
    assert found.status is Status.EXACT
    network = found.parameters.network
    if network.is_positively_homogeneous:
        assert found.upper_bound == entry["params_minus_hidden"]
    else:  # there are no rescalings, and parameters minus neurons would be too small
        assert found.upper_bound == entry["params_minus_hidden"] + network.n_neurons


@pytest.mark.parametrize("entry", KNOWN, ids=lambda entry: entry["name"])
def test_the_null_space_has_the_right_dimension_and_no_cell_moves_along_it(entry):
    cells = explored(entry)
    found = functional_dimension(cells)
    if found.value is None:
        assert found.null_space == found.hidden_directions == ()
        assert found.has_hidden_symmetries is None
        return
    basis = RationalMatrix.from_rows([*found.null_space, [0] * found.parameters.count])
    assert basis.rank() == len(found.null_space) == found.parameters.count - found.value
    for index in found.smooth.tolist():
        rows = CellJacobian.of(cells.network, cells.pattern(index)).rows()
        for row in rows:
            assert not any(sum(a * v for a, v in zip(row, direction, strict=True)) for direction in found.null_space)


def test_without_an_output_layer_the_last_neurons_cannot_be_rescaled():
    depth3 = next(entry for entry in NETWORKS if entry["name"] == "seed001_depth3_vector_output")
    found = functional_dimension(explored(depth3))
    network = found.parameters.network
    parameters = sum(layer.matrix.shape[0] * layer.matrix.shape[1] for layer in network.layers)
    assert found.value == found.upper_bound == 14 > parameters - network.n_neurons


def test_hard_tanh_may_exceed_parameters_minus_neurons():
    found = functional_dimension(
        er.enumerate_regions(
            er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[1, 1]], [0]), activation="hardtanh[-1,1]")
        )
    )
    assert (found.value, found.upper_bound) == (9, 9)


def _float_points(network, domain, rng, count):
    """Random points of a domain, without those that floats cannot tell from a wall."""
    dim = domain.dim
    points = []
    for point in rng.normal(scale=2, size=(20 * count, dim)):
        if len(points) < count and domain.contains([Fraction(float(v)) for v in point]):
            x = domain.lift([Fraction(float(v)) for v in point])
            values = [value for layer in network.pre_activations(x) for value in layer]
            marks = zip(values, network.neurons, strict=True)
            if all(abs(float(value - mark)) > 1e-6 for value, phi in marks for mark in phi.breakpoints):
                points.append([float(v) for v in x])
    return np.array(points)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_the_float_rank_of_a_large_batch_never_exceeds_the_exact_value(data):
    network = data.draw(networks(max_dim=3))
    domain = data.draw(domains(network.input_dim))
    found = functional_dimension(er.enumerate_regions(network, domain))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    points = _float_points(network, domain, rng, 200)
    if len(points):  # there may be none: a network with a neuron identically at a breakpoint has no point off walls
        assert found.value is not None
        assert float_batch_rank(network, points) <= found.value <= found.upper_bound


@relaxed
@given(st.data())
def test_d_plus_1_points_in_each_cell_attain_the_exact_value_and_their_gradients_span_the_same(data):
    network = data.draw(networks(max_dim=3))
    domain = data.draw(domains(network.input_dim))
    cells = er.enumerate_regions(network, domain)
    found = functional_dimension(cells)
    points = []
    for index in found.smooth.tolist():
        cell = cells[index]
        step = Fraction(1)
        corners = [cell.witness]
        for k in range(cells.dim):
            while not cell.inequalities.holds_at(
                moved := [*cell.witness[:k], cell.witness[k] + step, *cell.witness[k + 1 :]]
            ):
                step /= 2
            corners.append(tuple(moved))
        points += [cells.domain.lift(corner) for corner in corners]
    if found.value is None:
        assert not points
        return
    assert batch_rank(network, points) == found.value
    assert max(rank_curve(network, points)) == found.value


@relaxed
@given(st.data())
def test_the_fallback_without_the_prime_agrees(data):
    network = data.draw(networks(max_dim=3))
    cells = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    usual = functional_dimension(cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ModularJacobian", _no_prime)
        other = functional_dimension(cells)
        assert other.value == usual.value
        hidden = other.hidden_directions
    assert RationalMatrix.from_rows([*usual.null_space, *hidden, [0] * usual.parameters.count]).rank() == len(
        usual.null_space
    )


def _no_prime(*_):
    raise ZeroDivisionError


@pytest.mark.parametrize("weight", [PRIME, Fraction(1, PRIME), 3 * PRIME])
def test_weights_made_to_deceive_the_prime_do_not(weight):
    for small in (1, weight):
        net = er.Network([([[small, 0], [0, 1]], [0, "1/3"])], output=([[1, small]], [0]))
        assert functional_dimension(er.enumerate_regions(net)).value == 7
    twice = er.Network([([[weight], [weight]], [0, 0])], output=([[1, 2]], [0]))
    assert functional_dimension(er.enumerate_regions(twice)).value == 3


# -- rescalings, permutations, frozen biases -------------------------------------------------------------------------


@relaxed
@given(st.data())
def test_rescaling_and_permuting_do_not_change_it(data):
    network = data.draw(networks(max_dim=2, activations=(er.RELU, er.ABS)))
    if network.output is None:
        return
    before = functional_dimension(er.enumerate_regions(network))
    factors = [data.draw(st.sampled_from([1, 2, Fraction(1, 3)])) for _ in network.layers]
    layers, back = [], Fraction(1)
    for layer, factor in zip(network.layers, factors, strict=True):
        order = list(range(layer.n_outputs))[::-1]
        previous = list(range(layer.n_inputs))[:: -1 if layers else 1]
        rows = [[layer.weights[k][j] * factor * back for j in previous] for k in order]
        layers.append((rows, [layer.bias[k] * factor for k in order]))
        back = 1 / Fraction(factor)
    rows = [[v * back for v in row[::-1]] for row in network.output.weights]
    kinds = [list(layer) for layer in network.activations]
    other = er.Network(layers, output=(rows, network.output.bias), activation=kinds)
    assert er.equal(network, other)
    after = functional_dimension(er.enumerate_regions(other))
    assert (after.value, after.upper_bound) == (before.value, before.upper_bound)


def test_absent_and_tied_biases_are_fewer_parameters_with_their_own_bounds():
    fan = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])], output=([[1, 2, 3]], [0]))
    cells = er.enumerate_regions(fan)
    absent = functional_dimension(cells, biases="absent")
    assert (absent.parameters.count, absent.upper_bound, absent.value) == (9, 6, 6)
    tied = functional_dimension(cells, biases="tied")
    assert (tied.parameters.count, tied.upper_bound) == (11, 8)
    assert tied.value == RationalMatrix.from_rows(_tied_rows(cells)).rank()
    shifted = er.Network([([[1, 0], [0, 1]], [1, 1])], output=([[1, 2]], [0]))
    found = functional_dimension(er.enumerate_regions(shifted), biases="tied")
    assert (found.parameters.count, found.upper_bound, found.value) == (8, 7, 7)  # only the whole layer can be rescaled


def _tied_rows(cells):
    rows = [row for cell in cells for row in CellJacobian.of(cells.network, cell.pattern).rows()]
    weights = [0, 1, 3, 4, 6, 7]
    return [[*(row[k] for k in weights), row[2] + row[5] + row[8], *row[9:]] for row in rows]


@pytest.mark.parametrize(
    ("biases", "message"), [("absent", "not zero"), ("tied", "not equal"), ("other", "choose free")]
)
def test_biases_that_are_not_as_said_are_refused(biases, message):
    cells = er.enumerate_regions(er.Network([([[1], [1]], [0, 1])], output=([[1, 1]], [0])))
    with pytest.raises(InputError, match=message):
        functional_dimension(cells, biases=biases)


# -- smooth points ---------------------------------------------------------------------------------------------------


def test_a_neuron_at_its_breakpoint_behind_a_layer_that_is_off_does_no_harm():
    dark = er.Network([([[0]], [0]), ([[1]], [-1])], output=([[1]], [0]))
    found = functional_dimension(er.enumerate_regions(dark))
    assert (found.n_smooth, found.value) == (1, 1)
    light = er.Network([([[0]], [0]), ([[1]], [1])], output=([[1]], [0]))
    assert functional_dimension(er.enumerate_regions(light)).value is None


def test_a_breakpoint_between_equal_slopes_is_smooth():
    marked = er.PiecewiseLinear([0], [1, 1], (0, 0))
    found = functional_dimension(
        er.enumerate_regions(er.Network([([[0]], [0])], output=([[1]], [0]), activation=marked))
    )
    assert (found.n_smooth, found.value) == (1, 2)


def test_a_batch_with_a_point_on_a_wall_is_refused():
    hinge = er.Network([([[1]], [0])], output=([[2]], [0]))
    with pytest.raises(InputError, match="neurons 0 are at a breakpoint"):
        batch_rank(hinge, [[1], [0]])


# -- incomplete lists, and networks that are nearly nothing ------------------------------------------------------------


def test_an_incomplete_list_gives_a_marked_lower_bound_unless_it_meets_the_upper_bound():
    network = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])], output=([[1, 2, 3]], [0]))
    exact = functional_dimension(er.enumerate_regions(network)).value
    for limit in range(1, 7):
        cells = er.enumerate_regions(network, max_cells=limit)
        found = functional_dimension(cells)
        assert found.value <= exact
        assert (found.status is Status.EXACT) == (found.value == found.upper_bound)
        with pytest.raises(UndecidedError, match="not found"):
            _ = found.hidden_directions
        if found.status is Status.LOWER_BOUND:
            with pytest.raises(UndecidedError, match="stopped"):
                _ = found.has_hidden_symmetries


def test_networks_without_hidden_neurons():
    affine = er.Network([], output=([[1, 2], [3, 4]], [0, 0]))
    assert functional_dimension(er.enumerate_regions(affine)).value == 6
    identity = functional_dimension(er.enumerate_regions(er.Network([], input_dim=2)))
    assert (identity.value, identity.upper_bound, identity.null_space) == (0, 0, ())


def test_a_slice_shows_only_what_varies_along_it():
    network = er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[1, 2]], [0]))
    line = er.Slice([0, 0], [[1, 1]])
    found = functional_dimension(er.enumerate_regions(network, line))
    assert found.value < functional_dimension(er.enumerate_regions(network)).value
    ts = [[t] for t in (-2, -1, 1, 2, 3)]
    assert found.value == batch_rank(network, [line.lift(t) for t in ts])


# -- the pieces ------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, PRIME - 1), st.integers(0, PRIME - 1)), min_size=1))
def test_products_and_sums_modulo_the_prime(pairs):
    first, second = np.array(pairs, dtype=np.uint64).T
    assert mul_mod(first, second).tolist() == [a * b % PRIME for a, b in pairs]
    assert add_mod(first, second).tolist() == [(a + b) % PRIME for a, b in pairs]


def test_products_at_the_edges_of_the_residues():
    edges = [0, 1, 2**30, 2**31 - 1, 2**31, 2**60, PRIME - 1]
    pairs = [(a, b) for a in edges for b in edges]
    first, second = np.array(pairs, dtype=np.uint64).T
    assert mul_mod(first, second).tolist() == [a * b % PRIME for a, b in pairs]


@relaxed
@given(st.data())
def test_exact_and_modular_jacobians_agree_and_the_walk_agrees_with_both(data):
    network = data.draw(networks(max_dim=3))
    domain = data.draw(domains(network.input_dim))
    cells = er.enumerate_regions(network, domain)
    parameters, lift = Parameters(network), domain.lift_matrix()
    patterns = cells.codec.unpack(cells.packed).astype(np.int64)
    modular = ModularJacobian(parameters, lift)
    residues = modular.rows(patterns).tolist()
    exact = [row for cell in cells for row in CellJacobian.of(network, cell.pattern, lift).rows()]
    for row, image in zip(exact, residues, strict=True):  # equal up to the common denominator
        assert RationalMatrix.from_rows([row]).rank() == any(image)
        lead = next((k for k, value in enumerate(row) if value), None)
        if lead is not None:
            scale = image[lead] * pow(row[lead], -1, PRIME) % PRIME
            assert [value * scale % PRIME for value in row] == image
    direction = data.draw(st.lists(st.integers(-1, 1), min_size=parameters.count, max_size=parameters.count))
    still = not any(sum(a * v for a, v in zip(row, direction, strict=True)) for row in exact)
    assert leaves_unchanged(parameters, patterns, [direction], lift) == still
    assert still != modular.moves(patterns, [v % PRIME for v in direction]).any()


def test_gradients_are_finite_differences_that_are_exact_on_a_cell():
    network = random_network(2, (3, 3), rng=3)
    point = [Fraction(1, 7), Fraction(2, 5)]
    [row] = gradient_rows(network, point)
    parameters = Parameters(network)
    step = Fraction(1, 10**9)
    unit = [[int(i == k) for i in range(parameters.count)] for k in range(parameters.count)]
    slopes = [(parameters.moved(v, step)(point)[0] - network(point)[0]) / step for v in unit]
    lead = next(k for k, value in enumerate(row) if value)
    assert [value * slopes[lead] / row[lead] for value in row] == slopes  # f is affine in one parameter at a time
    assert np.allclose(float_jacobian(network, np.array([[float(v) for v in point]]))[0], np.array(slopes, dtype=float))


@pytest.mark.slow
def test_a_network_of_5_10_10_10_1_takes_minutes():
    cells = er.enumerate_regions(random_network(5, (10, 10, 10), rng=0))
    found = functional_dimension(cells)
    assert len(cells) == 171142
    assert (found.value, found.upper_bound) == (260, 261)
