"""The network of a certificate (section 3), its fingerprint, and all of it that is the same on every path.

With C the common denominator of a layer's weights, biases and breakpoints, S that of its slopes and intercepts, and
E that of the activations before it, its pre-activations are integer forms over D = C E and its activations over S D,
whatever the path.  So the denominators are known beforehand, and a path needs integer matrices only (`paths`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from exactregions.rational import Int, IntMatrix
from exactregions.recheck.domain import Domain
from exactregions.recheck.integers import ONE, ZERO, common_denominator, largest, matrix, scaled
from exactregions.recheck.lines import JSON, Ratio, entries, fields, natural, ratios, table
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["Layer", "Network", "fingerprint", "integer_layers", "read_network"]

_BAD = "bad-network"
_NOTHING = (ZERO, ONE)


@dataclass(frozen=True, slots=True)
class Activation:
    """A piecewise linear function: `scale` times its slopes and intercepts, and its part of the canonical text."""

    breakpoints: list[Ratio]
    slopes: list[Int]
    intercepts: list[Int]
    scale: Int
    words: list[JSON]


_IDENTITY = Activation([], [ONE], [ZERO], ONE, [])


@dataclass(frozen=True, slots=True)
class Affine:
    """Weights with the bias as last column: as rationals, and as in the file."""

    columns: int
    rows: list[list[Ratio]]
    words: list[list[JSON]]


@dataclass(frozen=True, slots=True)
class Network:
    """The network as line 1 has it; `output` is None if there is no output layer."""

    n_inputs: int
    layers: list[tuple[Affine, list[Activation]]]
    output: Affine | None


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of the network in integers.

    Parameters
    ----------
    first : int
        Its first neuron.
    weights : IntMatrix
        Of shape (neurons, inputs + 1), the bias last: C times the weights.
    denominator, value_denominator : Int
        D of the pre-activations and S D of the activations.
    walls : list of list of Int
        For each neuron, D times its breakpoints.
    maps : list of list of (Int, Int)
        For each neuron and piece, S times the slope and S D times the intercept.
    weight_bits, before_bits, bits, value_bits : int
        Bounds on the bits of the weights and of the forms: of the activations before, the pre-activations, and the
        activations.
    """

    first: int
    weights: IntMatrix
    denominator: Int
    value_denominator: Int
    walls: list[list[Int]]
    maps: list[list[tuple[Int, Int]]]
    weight_bits: int
    before_bits: int
    bits: int
    value_bits: int


def _less(left: Ratio, right: Ratio) -> bool:
    return bool(left[0] * right[1] < right[0] * left[1])


def _pieces(
    breakpoints: list[Ratio], slopes: list[Ratio], anchor: tuple[Ratio, Ratio], budget: Budget
) -> tuple[list[Int], list[Int], Int]:
    """Return slopes and intercepts as integers, and what they were scaled by.

    q_0 = v - p_0 t, and by continuity q_k = q_(k-1) + (p_(k-1) - p_k) xi_k.
    """
    below_walls = common_denominator([*breakpoints, anchor[0]], budget)
    below_slopes = common_denominator(slopes, budget)
    scale = common_denominator([anchor[1]], budget, factor=below_walls * below_slopes)
    walls, steep = scaled([anchor[0], *breakpoints], below_walls, budget), scaled(slopes, below_slopes, budget)
    factor = scale // (below_walls * below_slopes)
    bits = largest(walls) + largest(steep) + factor.bit_length() + anchor[1][0].bit_length() + scale.bit_length()
    budget.fit(2 * len(slopes), bits)
    budget.spend(4 * len(slopes), bits, bits)
    intercepts = [*scaled([anchor[1]], scale, budget)]
    intercepts[0] -= steep[0] * walls[0] * factor
    for before, after, wall in zip(steep, steep[1:], walls[1:], strict=False):
        intercepts.append(intercepts[-1] + (before - after) * wall * factor)
    return [slope * (scale // below_slopes) for slope in steep], intercepts, scale


def _activation(value: JSON, budget: Budget) -> Activation:
    read = fields(value, ("breakpoints", "slopes", "anchor"))
    breakpoint_words = entries(read["breakpoints"], None, _BAD)
    breakpoints = ratios(breakpoint_words, budget)
    slope_words = entries(read["slopes"], len(breakpoint_words) + 1, _BAD)
    anchor_words = entries(read["anchor"], 2, _BAD)
    slopes, (start, height) = ratios(slope_words, budget), ratios(anchor_words, budget)
    if start != (breakpoints[0] if breakpoints else _NOTHING):
        raise Refused(_BAD)
    if not all(map(_less, breakpoints, breakpoints[1:])):
        raise Refused(_BAD)
    words = ["|", "breakpoints", *breakpoint_words, ";", "slopes", *slope_words, ";", "anchor", *anchor_words]
    return Activation(breakpoints, *_pieces(breakpoints, slopes, (start, height), budget), words)


def _affine(value: JSON, n_inputs: int, budget: Budget) -> Affine:
    """Read `[W, b]` with at least one row."""
    weights, biases = entries(value, 2, _BAD)
    words = [entries(row, n_inputs, _BAD) for row in entries(weights, None, _BAD)]
    if not words:
        raise Refused(_BAD)
    words = [[*row, bias] for row, bias in zip(words, entries(biases, len(words), _BAD), strict=True)]
    return Affine(n_inputs + 1, table(words, None, n_inputs + 1, budget, _BAD), words)


def read_network(value: JSON, budget: Budget) -> Network:
    """Read the network of line 1."""
    read = fields(value, ("input_dim", "layers", "activation", "output_layer"))
    width = n_inputs = natural(read["input_dim"])
    if not 1 <= n_inputs <= budget.limits.dimension:
        raise Refused("bad-size" if n_inputs else _BAD)
    layer_values = entries(read["layers"], None, _BAD)
    layers = []
    for layer_value, functions in zip(layer_values, entries(read["activation"], len(layer_values), _BAD), strict=True):
        affine = _affine(layer_value, width, budget)
        width = len(affine.rows)
        layers.append((affine, [_activation(function, budget) for function in entries(functions, width, _BAD)]))
    output = None if read["output_layer"] is None else _affine(read["output_layer"], width, budget)
    return Network(n_inputs, layers, output)


def _text(network: Network) -> Iterator[list[JSON]]:
    yield ["exactregions-network", "1"]
    yield ["input", str(network.n_inputs)]
    for affine, functions in network.layers:
        yield ["layer", str(len(affine.rows))]
        for words, function in zip(affine.words, functions, strict=True):
            yield words + function.words
    yield ["output", "none" if network.output is None else str(len(network.output.rows))]
    yield from [] if network.output is None else network.output.words


def fingerprint(network: Network) -> str:
    """Return the sha256 of the canonical text."""
    digest = hashlib.sha256()
    for words in _text(network):
        digest.update(" ".join(map(str, words)).encode("ascii") + b"\n")
    return digest.hexdigest()


def _integer_layer(
    first: int, affine: Affine, functions: list[Activation], before: tuple[Int, int], budget: Budget
) -> Layer:
    """Bring a layer to integers; `before` is the denominator and the bits of the activations that it reads."""
    walls = [number for function in functions for number in function.breakpoints]
    scale = common_denominator([*[number for row in affine.rows for number in row], *walls], budget)
    weights = matrix(affine.rows, affine.columns, scale, budget)
    weight_bits = largest(weights.entries())
    bits = weight_bits + before[1] + affine.columns.bit_length()
    denominator = scale * before[0]
    slope_scale = common_denominator([(ONE, function.scale) for function in functions], budget)
    value_denominator = slope_scale * denominator
    value_bits = value_denominator.bit_length()
    if value_bits > budget.limits.denominator_bits:
        raise Refused("bad-size")
    budget.fit(len(walls) + sum(len(function.slopes) for function in functions), value_bits)
    integer_walls, maps = [], []
    for function in functions:
        integer_walls.append(scaled(function.breakpoints, denominator, budget))
        factor = slope_scale // function.scale
        steep = [slope * factor for slope in function.slopes]
        shift = [intercept * factor * denominator for intercept in function.intercepts]
        budget.spend(2 * len(steep), largest(shift), value_bits)
        maps.append(list(zip(steep, shift, strict=True)))
        value_bits = max(value_bits, largest(steep) + bits + 1, largest(shift) + 1)
    sizes = weight_bits, before[1], bits, value_bits
    return Layer(first, weights, denominator, value_denominator, integer_walls, maps, *sizes)


def integer_layers(network: Network, domain: Domain, budget: Budget) -> tuple[list[Layer], Layer | None]:
    """Bring the hidden layers and the output layer to integers, if the forms of a path fit in memory."""
    columns = domain.dimension + 1
    before, kept, first = (domain.input_denominator, domain.input_bits), 0, 0
    layers = []
    for affine, functions in network.layers:
        layer = _integer_layer(first, affine, functions, before, budget)
        layers.append(layer)
        kept = budget.fit(len(functions) * columns, layer.bits + layer.value_bits, beside=kept)
        before, first = (layer.value_denominator, layer.value_bits), first + len(functions)
    if network.output is None:
        return layers, None
    output = _integer_layer(first, network.output, [_IDENTITY] * len(network.output.rows), before, budget)
    return layers, output
