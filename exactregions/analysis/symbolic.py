"""Symbolic output with sympy: affine maps, the network as a `Piecewise`, and formulas in symbolic parameters.

Numbers become exact sympy rationals.  With symbolic parameters the weights are the symbols ``W{l}_{i}{j}`` and the
biases ``b{l}_{i}``, layers and indices from 1 and the output layer last, so that on a pattern every pre-activation is a
polynomial in them: the gradient of an output is the *path polynomial*, the sum over all open paths of the products of
the weights (Hanin and Rolnick 2019).  Meant for small networks; sympy does no exact arithmetic for anything else here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactregions.errors import InputError, ShapeError
from exactregions.network import Network

if TYPE_CHECKING:
    from exactregions.regions import Cell, RegionComplex

__all__ = [
    "affine_map",
    "inputs",
    "inside",
    "latex",
    "parameters",
    "path_polynomial",
    "piecewise",
    "pre_activations",
]


def inputs(dim: int) -> list[Any]:
    """Return the real symbols x1, ..., xd."""
    import sympy

    return [sympy.Symbol(f"x{k + 1}", real=True) for k in range(dim)]


def affine_map(cell: Cell, symbols: Sequence[Any] | None = None) -> list[Any]:
    """Return the network's value on a cell, one expression an output, in the domain's own coordinates.

    Examples
    --------
    >>> import exactregions as er
    >>> found = er.enumerate_regions(er.Network([([[2, 0], [0, 1]], [0, 0])], output=([["1/2", -3]], [1])))
    >>> affine_map(found.cell_at([1, 1]))
    [x1 - 3*x2 + 1]
    """
    x = _symbols(symbols, cell.dim)
    layer = cell.affine_map
    return [_form(row, bias, x) for row, bias in zip(layer.weights, layer.bias, strict=True)]


def inside(cell: Cell, symbols: Sequence[Any] | None = None) -> Any:
    """Return the condition that a point is in the closed cell, by its irredundant inequalities."""
    import sympy

    x = _symbols(symbols, cell.dim)
    return sympy.And(*(_form(side.coefficients, side.constant, x) >= 0 for side in cell.irredundant))


def piecewise(complex_: RegionComplex, output: int = 0, symbols: Sequence[Any] | None = None) -> Any:
    """Return one output as a `sympy.Piecewise` over the closed cells (on shared walls the pieces agree).

    Examples
    --------
    >>> import exactregions as er
    >>> piecewise(er.enumerate_regions(er.Network([([[1]], [0])])))
    Piecewise((0, x1 <= 0), (x1, x1 >= 0))
    """
    import sympy

    if not 0 <= output < complex_.network.output_dim:
        raise InputError(f"no output {output}: there are {complex_.network.output_dim}")
    x = _symbols(symbols, complex_.dim)
    return sympy.Piecewise(*((affine_map(cell, x)[output], inside(cell, x)) for cell in complex_))


def parameters(network: Network) -> list[tuple[Any, Any]]:
    """Return symbols for all weights and biases, a pair of sympy matrices for each layer, the output layer last.

    Examples
    --------
    >>> parameters(Network([([[1, 2]], [0])]))
    [(Matrix([[W1_11, W1_12]]), Matrix([[b1_1]]))]
    """
    import sympy

    layers = [*network.layers, *([network.output] if network.output else [])]
    found = []
    for number, layer in enumerate(layers, start=1):
        comma = "_" if max(layer.n_outputs, layer.n_inputs) > 9 else ""
        weights = sympy.Matrix(
            layer.n_outputs,
            layer.n_inputs,
            lambda i, j, n=number, c=comma: sympy.Symbol(f"W{n}_{i + 1}{c}{j + 1}"),
        )
        biases = sympy.Matrix(layer.n_outputs, 1, lambda i, _, n=number: sympy.Symbol(f"b{n}_{i + 1}"))
        found.append((weights, biases))
    return found


def pre_activations(network: Network, pattern: Sequence[int], symbols: Sequence[Any] | None = None) -> list[list[Any]]:
    """Return all pre-activations on a pattern, layer by layer and the outputs last, in symbolic parameters.

    Examples
    --------
    >>> pre_activations(Network([([[1]], [0])], output=([[1]], [0])), [1])
    [[W1_11*x1 + b1_1], [W2_11*(W1_11*x1 + b1_1) + b2_1]]
    """
    import sympy

    pieces = network.check_pattern(pattern)
    signal = sympy.Matrix(_symbols(symbols, network.input_dim))
    found: list[list[Any]] = []
    for index, (weights, biases) in enumerate(parameters(network)):
        forms = list(weights * signal + biases)
        found.append(forms)
        if index < len(network.layers):
            start = network.layer_starts[index]
            signal = sympy.Matrix(
                [
                    _rational(phi.slopes[pieces[start + k]]) * form + _rational(phi.offsets[pieces[start + k]])
                    for k, (form, phi) in enumerate(zip(forms, network.activations[index], strict=True))
                ]
            )
    if network.output is None:
        found.append(list(signal))
    return found


def path_polynomial(network: Network, pattern: Sequence[int], *, output: int = 0, source: int = 0) -> Any:
    """Return the derivative of an output by an input on a pattern: the sum over open paths, in symbolic weights.

    Examples
    --------
    >>> deep = Network([([[1], [1]], [0, 0]), ([[1, 1]], [0])], output=([[1]], [0]))
    >>> path_polynomial(deep, [1, 1, 1])
    W1_11*W2_11*W3_11 + W1_21*W2_12*W3_11
    >>> path_polynomial(deep, [0, 1, 1])
    W1_21*W2_12*W3_11
    """
    import sympy

    x = inputs(network.input_dim)
    if not 0 <= output < network.output_dim or not 0 <= source < network.input_dim:
        raise InputError(f"no output {output} or no input {source}")
    return sympy.expand(sympy.diff(sympy.expand(pre_activations(network, pattern, x)[-1][output]), x[source]))


def latex(expression: Any) -> str:
    """Return LaTeX for any of these expressions.

    Examples
    --------
    >>> latex(inputs(2)[0] ** 2 - 3)
    'x_{1}^{2} - 3'
    """
    import sympy

    return str(sympy.latex(expression))


def _symbols(given: Sequence[Any] | None, dim: int) -> Sequence[Any]:
    if given is None:
        return inputs(dim)
    if len(given) != dim:
        raise ShapeError(f"{len(given)} symbols for {dim} coordinates")
    return given


def _rational(value: Fraction | int) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator)


def _form(coefficients: Sequence[Fraction | int], constant: Fraction | int, x: Sequence[Any]) -> Any:
    return sum((_rational(a) * symbol for a, symbol in zip(coefficients, x, strict=True)), _rational(constant))
