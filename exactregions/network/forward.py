"""The exact forward pass, on several columns at once, each a point or a direction.

A column has a homogeneous coordinate: 1 for a point, 0 for a direction.  An affine layer maps it by [W | b]; on piece k
an activation maps z to p_k z + q_k h, h being that coordinate.  So one pass serves three ends:

* the columns e_1, ..., e_d, 0 with given pieces yield every pre-activation as an affine form (a_1, ..., a_d, c);
* one point, each neuron choosing its piece by its value, is evaluation;
* a point followed by directions v_1, v_2, ..., each neuron choosing its piece by the first column that tells, is the
  pass just beyond the point: at x + eps v_1 + eps^2 v_2 + ... for all small eps > 0.  A neuron that no column tells
  apart from a breakpoint stays at it along the whole move and takes the piece on its left, by the left-open rule.

Everything is an integer over one common denominator a layer, so that no gcd is computed on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from exactregions.rational import Int, IntMatrix, RationalMatrix, common_denominator, integer_row

if TYPE_CHECKING:
    from exactregions.network.activations import PiecewiseLinear
    from exactregions.network.network import Network

__all__ = ["ForwardPass", "IntegerActivations", "at_point", "beyond", "on_pattern"]

_Choice = Callable[[int, Sequence[Int], int], int]


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """What a pass found: the pieces taken, pre-activations for each layer, and the network's value.

    Attributes
    ----------
    pattern : tuple of int
        Pieces of all neurons.
    pre_activations : tuple of RationalMatrix
        For each hidden layer, shape (n, number of columns).
    output : RationalMatrix
        Shape (output_dim, number of columns).
    """

    pattern: tuple[int, ...]
    pre_activations: tuple[RationalMatrix, ...]
    output: RationalMatrix


def on_pattern(network: Network, pattern: Sequence[int]) -> ForwardPass:
    """Affine forms of all pre-activations and of the output on a pattern; columns e_1, ..., e_d and the origin."""
    size = network.input_dim + 1
    identity = IntMatrix(size, size, [int(i == j) for i in range(size) for j in range(size)])
    heights = (*(0,) * network.input_dim, 1)
    return _propagate(network, RationalMatrix(identity), heights, lambda neuron, row, one: pattern[neuron])


def at_point(network: Network, point: Sequence[Fraction]) -> ForwardPass:
    """Evaluate at a rational point."""
    return beyond(network, point, [])


def beyond(
    network: Network, point: Sequence[Fraction], directions: Sequence[Sequence[Fraction | int]] | None
) -> ForwardPass:
    """Pass just beyond a point, in the given directions in turn (by default along e_1, ..., e_d)."""
    columns, denominator = _columns(point, directions)
    tables = [table for layer in network.integer_activations for table in layer.neurons]

    def choose(neuron: int, row: Sequence[Int], one: int) -> int:
        return _piece_beyond(tables[neuron].breakpoints, row, one)

    heights = (1, *(0,) * (columns.ncols() - 1))
    return _propagate(network, RationalMatrix(columns, denominator), heights, choose)


def _columns(point: Sequence[Fraction], directions: Sequence[Sequence[Fraction | int]] | None) -> tuple[IntMatrix, int]:
    entries, denominator = integer_row(point)
    if directions is None:
        size = len(point)
        directions = [[int(i == j) for i in range(size)] for j in range(size)]
    # a direction may be scaled by any positive number: only the signs of its images are read
    moves = [integer_row([Fraction(value) for value in move])[0] for move in directions]
    flat = [value for row in zip(entries, *moves, strict=True) for value in row]
    return IntMatrix(len(entries) + 1, 1 + len(moves), [*flat, denominator, *(0,) * len(moves)]), denominator


def _piece_beyond(breakpoints: Sequence[tuple[int, int]], row: Sequence[Int], one: int) -> int:
    """Piece of (row[0] + eps row[1] + eps^2 row[2] + ...) / one for small eps > 0."""
    value, piece = row[0], 0
    for numerator, denominator in breakpoints:
        excess = value * denominator - numerator * one if numerator else value
        if excess < 0:
            return piece
        if excess == 0:
            return piece + (next((entry for entry in row[1:] if entry != 0), 0) > 0)
        piece += 1
    return piece


@dataclass(frozen=True, slots=True)
class _IntegerActivation:
    """One neuron's breakpoints as (numerator, denominator), and slope and offset of each piece times the scale."""

    breakpoints: tuple[tuple[int, int], ...]
    terms: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class IntegerActivations:
    """The activations of a layer in integers over one scale, made once for each network."""

    scale: int
    neurons: tuple[_IntegerActivation, ...]

    @classmethod
    def of(cls, activations: Sequence[PiecewiseLinear]) -> IntegerActivations:
        """Bring slopes and offsets to their common denominator."""
        kinds = set(activations)
        scale = common_denominator(number for phi in kinds for number in (*phi.slopes, *phi.offsets))
        tables = {
            phi: _IntegerActivation(
                tuple((mark.numerator, mark.denominator) for mark in phi.breakpoints),
                tuple((int(p * scale), int(q * scale)) for p, q in zip(phi.slopes, phi.offsets, strict=True)),
            )
            for phi in kinds
        }
        return cls(scale, tuple(tables[phi] for phi in activations))


def _propagate(network: Network, columns: RationalMatrix, heights: Sequence[int], choose: _Choice) -> ForwardPass:
    pattern: list[int] = []
    found: list[RationalMatrix] = []
    signal = columns
    for layer, activations in zip(network.layers, network.integer_activations, strict=True):
        forms = layer.matrix @ signal
        found.append(forms)
        rows = forms.numerators.tolist()
        pieces = [choose(len(pattern) + place, row, forms.denominator) for place, row in enumerate(rows)]
        pattern.extend(pieces)
        signal = _activate(rows, forms.denominator, activations, pieces, heights)
    if network.output is not None:
        value = network.output.matrix @ signal
    else:
        entries = signal.numerators.entries()[: -len(heights)]
        value = RationalMatrix(IntMatrix(signal.shape[0] - 1, len(heights), entries), signal.denominator)
    return ForwardPass(tuple(pattern), tuple(found), value)


def _activate(
    rows: Sequence[Sequence[Int]],
    one: int,
    activations: IntegerActivations,
    pieces: Sequence[int],
    heights: Sequence[int],
) -> RationalMatrix:
    """Apply p z + q h on the chosen pieces, and append the row of homogeneous coordinates."""
    flat: list[Int | int] = []
    nothing = [0] * len(heights)
    for row, table, piece in zip(rows, activations.neurons, pieces, strict=True):
        factor, shift = table.terms[piece]
        if shift:
            shift *= one
            flat.extend([factor * entry + shift * height for entry, height in zip(row, heights, strict=True)])
        elif factor == 0:
            flat.extend(nothing)
        elif factor == 1:
            flat.extend(row)
        else:
            flat.extend([factor * entry for entry in row])
    unit = one * activations.scale
    flat.extend([unit * height for height in heights])
    return RationalMatrix(IntMatrix(len(rows) + 1, len(heights), flat), unit)
