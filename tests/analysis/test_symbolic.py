"""Symbolic output: affine maps, Piecewise, path polynomials, against exact evaluation."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.analysis import symbolic
from tests.strategies import networks

few = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])


def rational(value):
    return sympy.Rational(value.numerator, value.denominator)


@few
@given(st.data())
def test_the_piecewise_function_has_the_values_of_the_network(data):
    network = data.draw(networks(max_dim=2, max_neurons=4))
    found = er.enumerate_regions(network)
    x = symbolic.inputs(network.input_dim)
    function = symbolic.piecewise(found)
    quarters = st.integers(-12, 12).map(lambda k: Fraction(k, 4))
    for _ in range(5):
        point = [data.draw(quarters) for _ in x]
        assert function.subs(dict(zip(x, map(rational, point), strict=True))) == rational(network(point)[0])


@few
@given(st.data())
def test_symbolic_parameters_give_back_the_numbers(data):
    network = data.draw(networks(max_dim=2, max_neurons=4))
    cell = er.enumerate_regions(network)[0]
    values = {}
    layers = [*network.layers, *([network.output] if network.output else [])]
    for (weights, biases), layer in zip(symbolic.parameters(network), layers, strict=True):
        for i, row in enumerate(layer.weights):
            values[biases[i]] = rational(layer.bias[i])
            values.update({weights[i, j]: rational(entry) for j, entry in enumerate(row)})
    x = symbolic.inputs(network.input_dim)
    *hidden, outputs = symbolic.pre_activations(network, cell.pattern)
    assert len(hidden) == len(network.layers)
    wanted = symbolic.affine_map(cell)
    assert [sympy.expand(form.subs(values) - other) for form, other in zip(outputs, wanted, strict=True)] == [0] * len(
        wanted
    )
    gradient = symbolic.path_polynomial(network, cell.pattern).subs(values)
    assert gradient == sympy.diff(wanted[0], x[0])


def test_open_paths_make_the_gradient():
    network = er.Network([([[1, 2], [3, 4]], [0, 0]), ([[1, 1]], [0])], output=([[1]], [0]))
    text = str(symbolic.path_polynomial(network, [1, 0, 1], source=1))
    assert text == "W1_12*W2_11*W3_11"
    assert symbolic.path_polynomial(network, [1, 1, 0]) == 0
    with pytest.raises(er.InputError, match="no output 0 or no input 5"):
        symbolic.path_polynomial(network, [1, 1, 1], source=5)


def test_latex_and_own_symbols():
    found = er.enumerate_regions(er.Network([([[1]], ["-1/2"])]))
    t = sympy.Symbol("t", real=True)
    text = symbolic.latex(symbolic.piecewise(found, symbols=[t]))
    assert r"\begin{cases}" in text
    assert r"t - \frac{1}{2}" in text
    with pytest.raises(er.InputError, match="2 symbols for 1"):
        symbolic.affine_map(found[0], [t, t])
    with pytest.raises(er.InputError, match="no output 1"):
        symbolic.piecewise(found, 1)
