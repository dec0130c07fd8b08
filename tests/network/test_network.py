from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exactregions.domains import Slice
from exactregions.errors import EmptyDomainError, FormatError, InputError, NonFiniteError, ShapeError, UnsupportedError
from exactregions.network import ABS, HARD_TANH, RELU, AffineLayer, Network
from exactregions.rational import RationalMatrix
from tests.network.reference import INTEGERS, KINDS, Plain, Refusal, plains, points

TINY = Fraction(1, 10**15)


@given(plains(), st.data())
def test_evaluation_agrees_with_plain_fractions(plain: Plain, data: st.DataObject) -> None:
    network, x = plain.network(), data.draw(points(plain.size))
    pattern, found, value = plain.run(x)
    assert network(x) == network.evaluate(x) == value
    assert network.pre_activations(x) == tuple(map(tuple, found))
    assert network.pattern_at(x) == pattern
    flat = [z for layer in found for z in layer]
    kinds = [kind for layer in plain.kinds for kind in layer]
    assert network.breakpoints_at(x) == tuple(z in kind.breakpoints for z, kind in zip(flat, kinds, strict=True))


@given(plains(), st.data())
def test_the_forms_and_the_map_of_a_pattern_hold_where_the_pattern_does(plain: Plain, data: st.DataObject) -> None:
    network, x = plain.network(), data.draw(points(plain.size))
    pattern, found, value = plain.run(x)
    forms = network.forms(pattern)
    assert [[at(row, x) for row in layer.to_fractions()] for layer in forms] == found
    answer = network.affine_map(pattern)
    assert tuple(at((*row, b), x) for row, b in zip(answer.weights, answer.bias, strict=True)) == value
    for neuron in range(network.n_neurons):
        layer, place = network.layer_of(neuron)
        coefficients, constant = network.pre_activation_form(neuron, pattern)
        assert at((*coefficients, constant), x) == found[layer][place]


def at(row: Any, x: Any) -> Fraction:
    return sum((a * v for a, v in zip(row[:-1], x, strict=True)), row[-1])


@given(plains(numbers=INTEGERS), st.data())
def test_beyond_a_point_is_the_pattern_a_tiny_step_away(plain: Plain, data: st.DataObject) -> None:
    network = plain.network()
    x, v = (data.draw(st.lists(INTEGERS, min_size=plain.size, max_size=plain.size)) for _ in range(2))
    stepped = [a + TINY * b for a, b in zip(x, v, strict=True)]
    assert network.pattern_beyond(x, v) == plain.run(stepped)[0]


@given(plains(numbers=INTEGERS), st.data())
def test_beyond_a_point_without_direction_leads_off_every_wall(plain: Plain, data: st.DataObject) -> None:
    network = plain.network()
    x = data.draw(st.lists(INTEGERS, min_size=plain.size, max_size=plain.size))
    stepped = [a + TINY ** (k + 1) for k, a in enumerate(x)]
    pattern = network.pattern_beyond(x)
    assert pattern == plain.run(stepped)[0]
    marks = network.breakpoints_at(stepped)
    for neuron, (at_mark, phi) in enumerate(zip(marks, network.neurons, strict=True)):
        if at_mark:  # only where the pre-activation is a breakpoint on the whole cell
            coefficients, constant = network.pre_activation_form(neuron, pattern)
            assert not any(coefficients)
            assert constant in phi.breakpoints


def test_on_a_wall_the_left_piece_is_taken_and_the_sides_differ() -> None:
    cross = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])])
    assert cross.pattern_at([0, 0]) == (0, 0, 0)
    assert cross.pattern_at([1, 0]) == (1, 0, 1)
    assert cross.pattern_beyond([0, 0], [1, -1]) == (1, 0, 0)
    assert cross.pattern_beyond([0, 0], [-1, 1]) == (0, 1, 0)
    assert cross.pattern_beyond([0, 0]) == (1, 1, 1)
    assert cross.pattern_beyond([0, 0], [0, 0]) == (0, 0, 0)
    assert cross.pattern_beyond([0, 0], ["-1/3", 0]) == (0, 0, 0)


def test_a_neuron_that_stays_at_its_breakpoint_takes_the_left_piece() -> None:
    dead = Network([([[1], [0]], [0, 0]), ([[1, 1]], [0])])
    assert dead.pattern_beyond([0], [1]) == (1, 0, 1)
    assert dead.pattern_beyond([0], [-1]) == (0, 0, 0)
    assert dead.breakpoints_at([-1]) == (False, True, True)


@given(plains(), st.data())
def test_the_network_on_a_slice_is_the_network_after_the_lift(plain: Plain, data: st.DataObject) -> None:
    assume(plain.layers or plain.output)
    k = data.draw(st.integers(1, plain.size))
    try:
        domain = Slice(data.draw(points(plain.size)), [data.draw(points(plain.size)) for _ in range(k)])
    except EmptyDomainError:
        return
    inside = plain.network().composed_with(domain.lift_matrix())
    t = data.draw(points(k))
    assert inside.input_dim == k
    assert inside(t) == plain.network()(domain.lift(t))
    assert inside.pattern_at(t) == plain.network().pattern_at(domain.lift(t))


def test_names_and_counts_of_a_network() -> None:
    network = Network([([[1, 2]] * 3, [0] * 3), ([[1, 1, 1]], [1])], output=([[1]] * 2, [0, 0]), activation="abs")
    assert (network.input_dim, network.widths, network.output_dim, network.n_neurons) == (2, (3, 1), 2, 4)
    assert network.layer_starts == (0, 3, 4)
    assert [network.layer_of(neuron) for neuron in range(4)] == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert network.neurons == (ABS,) * 4
    assert repr(network) == "<Network 2-3-1-2 abs>"
    assert not network.has_zero_bias
    assert network.is_positively_homogeneous
    with Refusal(InputError, "no neuron 4", "0 to 3"):
        network.layer_of(4)


def test_networks_without_hidden_layers_are_affine_maps() -> None:
    assert Network([], output=([[1, 2]], [3]))([1, 1]) == (6,)
    identity = Network([], input_dim=2)
    assert (identity(["1/2", 3]), identity.pattern_at([0, 0]), identity.output_dim) == ((Fraction(1, 2), 3), (), 2)
    assert repr(identity) == "<Network 2 affine>"
    with Refusal(InputError, "input_dim"):
        Network([])


def test_an_activation_may_differ_from_layer_to_layer_and_neuron_to_neuron() -> None:
    layers = [([[1], [1]], [0, 0]), ([[1, 1]], [0])]
    network = Network(layers, activation=["abs", [HARD_TANH]])
    assert network.activations == ((ABS, ABS), (HARD_TANH,))
    mixed = Network(layers, activation=[[RELU, "abs"], "relu"])
    assert mixed([-3]) == (3,)


def test_layers_given_as_affine_layers_are_taken_as_they_are() -> None:
    first = AffineLayer.from_weights([[1, "1/2"]], [0])
    assert Network([first], output=first.after(RationalMatrix.from_rows([[1, 0], [1, 0], [0, 1]])))
    with Refusal(ShapeError, "output layer", "2 inputs where 1"):
        Network([first], output=first)


NAN = float("nan")


@pytest.mark.parametrize(
    ("build", "kind", "fragments"),
    [
        (lambda: Network([([[1, 2]], [0]), ([[1, 2]], [0])]), ShapeError, ["layer 2, weights, row 0", "1 are wanted"]),
        (lambda: Network([([[1, 2]], [0, 1])]), ShapeError, ["layer 1, bias", "one for each row"]),
        (lambda: Network([([[1, 2]], [0])], output=([[1, 1]], [0])), ShapeError, ["output layer, weights, row 0"]),
        (lambda: Network([([[1, 2], [1]], [0, 0])]), ShapeError, ["layer 1, weights, row 1"]),
        (lambda: Network([([[1, NAN]], [0])]), NonFiniteError, ["layer 1, weights, row 0, entry 1"]),
        (lambda: Network([(np.ones((1, 1)), np.array([NAN]))]), NonFiniteError, ["layer 1, bias, entry 0"]),
        (lambda: Network([([[True]], [0])]), InputError, ["layer 1, weights, row 0, entry 0", "boolean"]),
        (lambda: Network([([["a"]], [0])]), FormatError, ["layer 1, weights, row 0, entry 0"]),
        (lambda: Network([([], [])]), ShapeError, ["layer 1", "at least one neuron"]),
        (lambda: Network([([[]], [0])]), ShapeError, ["at least one coordinate"]),
        (lambda: Network([([[1]],)]), ShapeError, ["layer 1", "pair"]),
        (lambda: Network([{"W": [[1]], "b": [0]}]), ShapeError, ["layer 1", "pair"]),
        (lambda: Network([5]), ShapeError, ["layer 1", "pair"]),
        (lambda: Network([([[1]], [0])], input_dim=2), ShapeError, ["layer 1", "2 are wanted"]),
        (lambda: Network([([[1]], [0])], activation="softplus"), UnsupportedError, ["activation", "softplus"]),
        (lambda: Network([([[1]], [0])], activation=["relu"] * 2), ShapeError, ["2 activations for 1 hidden"]),
        (lambda: Network([([[1]], [0])], activation=[["relu"] * 2]), ShapeError, ["layer 1, activation", "1 neurons"]),
        (lambda: Network([([[1]], [0])], activation=[["gelu"]]), UnsupportedError, ["layer 1, activation, neuron 0"]),
    ],
)
def test_what_is_no_network_is_refused_with_its_place(build: Any, kind: type[InputError], fragments: list[str]) -> None:
    with Refusal(kind, *fragments):
        build()


def test_points_and_patterns_that_do_not_fit_are_refused() -> None:
    network = Network([([[1, 2]], [0])])
    with Refusal(ShapeError, "1 coordinates", "2 inputs"):
        network([1])
    with Refusal(NonFiniteError, "point, entry 1"):
        network([1, NAN])
    with Refusal(ShapeError, "2 pieces for 1"):
        network.forms([0, 0])
    with Refusal(InputError, "neuron 0", "no piece 2", "0 to 1"):
        network.affine_map([2])
    with Refusal(InputError, "no piece 0.5"):
        network.affine_map([0.5])


def test_all_kinds_of_the_reference_are_read() -> None:
    forms = [[kind.form for kind in KINDS]]
    network = Network([([[1]] * len(KINDS), [0] * len(KINDS))], activation=forms)
    assert [phi.n_pieces for phi in network.neurons] == [len(kind.breakpoints) + 1 for kind in KINDS]
