"""The Jacobian of a network in its parameters, cell by cell: exactly, and modulo 2^61 - 1 for many cells at once.

On a cell let D_l be the diagonal matrix of the slopes taken in layer l, h^l the affine forms of its activations (h^0
the inputs), and G^l the derivative of the output by the pre-activations of layer l: G^{L+1} = I, and
G^l = G^{l+1} W_{l+1} D_l.  Then d f_o / d W^l_ij = G^l_oi h^{l-1}_j and d f_o / d b^l_i = G^l_oi.  Each is an affine
form on the cell, so its d + 1 coefficients are d + 1 rows, and these span what the Jacobians at all points of the cell
span (d + 1 affinely independent points suffice: Grigsby, Lindsey, Meyerhoff and Wu 2022, *decisive sets*).  A column
[V | b] of directions has the derivative sum_l G^l [V | b]_l (h^{l-1}, 1), which needs no row of the matrix.

A cell counts if its points are *parametrically smooth*, that is, if the output is smooth in parameters and input near
them.  It is unless a neuron is identically at a breakpoint where its slope changes and a path leads on from it that no
flat neuron closes; since a weight may be perturbed whatever it is, every path counts, so that only a later layer that
is flat as a whole closes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from exactregions.network.forward import on_pattern
from exactregions.rational import IntMatrix, RationalMatrix, common_denominator

if TYPE_CHECKING:
    from exactregions.analysis.parameters import Parameters
    from exactregions.network import Network
    from exactregions.regions import RegionComplex

__all__ = ["PRIME", "CellJacobian", "ModularJacobian", "add_mod", "is_smooth", "mul_mod", "smooth_cells"]

PRIME = (1 << 61) - 1
_MASK = np.uint64(PRIME)
_U = np.uint64

Residues = NDArray[np.uint64]


def _reduce(value: Residues) -> Residues:
    value = (value & _MASK) + (value >> _U(61))
    return value - _MASK * (value >= _MASK)


def mul_mod(first: Residues, second: Residues) -> Residues:
    """Multiply residues modulo 2^61 - 1, entry by entry, by halves of 31 and 30 bits.

    Examples
    --------
    >>> int(mul_mod(np.array([PRIME - 2], np.uint64), np.array([5], np.uint64))[0]) == PRIME - 10
    True
    """
    low = _U((1 << 31) - 1)
    ah, al, bh, bl = first >> _U(31), first & low, second >> _U(31), second & low
    middle = ah * bl + al * bh  # below 2^62; 2^62 is 2, and 2^31 * 2^30 is 1
    high = (ah * bh << _U(1)) + (middle >> _U(30)) + ((middle & _U((1 << 30) - 1)) << _U(31))
    return _reduce(_reduce(high) + al * bl)


def add_mod(first: Residues, second: Residues) -> Residues:
    """Add residues modulo 2^61 - 1."""
    total = first + second
    return total - _MASK * (total >= _MASK)


def _matmul(left: Residues, right: Residues) -> Residues:
    """Product of (..., n, m) and (..., m, k) modulo the prime."""
    total: Residues | None = None
    for j in range(left.shape[-1]):
        term = mul_mod(left[..., :, j, None], right[..., j, None, :])
        total = term if total is None else add_mod(total, term)
    if total is None:
        return np.zeros((*left.shape[:-1], right.shape[-1]), np.uint64)
    return total


def is_smooth(network: Network, pattern: Sequence[int], degenerate: Sequence[int]) -> bool:
    """Whether points of a cell are parametrically smooth, given its neurons identically at a breakpoint.

    Examples
    --------
    >>> from exactregions import Network
    >>> dark = Network([([[0]], [0]), ([[1]], [-1])], output=([[1]], [0]))
    >>> is_smooth(dark, (0, 0), [0]), is_smooth(Network(dark.layers[:1]), (0,), [0])
    (True, False)
    """
    bent = set()
    for neuron in degenerate:  # it is on the piece left of the breakpoint
        slopes = network.neurons[neuron].slopes
        if slopes[pattern[neuron]] != slopes[pattern[neuron] + 1]:
            bent.add(neuron)
    if not bent:
        return True
    starts = network.layer_starts
    last = network.layer_of(max(bent))[0]
    for layer in range(last + 1, len(network.layers)):
        members = range(starts[layer], starts[layer + 1])
        if all(k not in bent and network.neurons[k].slopes[pattern[k]] == 0 for k in members):
            return True
    return False


def smooth_cells(cells: RegionComplex) -> NDArray[np.int64]:
    """Indices of the cells whose points are parametrically smooth."""
    keep = cells.strict.copy()
    for index in np.flatnonzero(~keep).tolist():
        cell = cells[index]
        keep[index] = is_smooth(cells.own_network, cell.pattern, cell.degenerate)
    return np.flatnonzero(keep).astype(np.int64)


@dataclass(frozen=True, slots=True)
class CellJacobian:
    """The exact Jacobian of one cell in factors.

    Attributes
    ----------
    inputs : tuple of RationalMatrix
        For each affine layer the forms of what enters it, and a last row (0, ..., 0, 1): shape (n + 1, d + 1).
    gradients : tuple of RationalMatrix
        For each affine layer the derivative of the output by its value: shape (n_out, n).
    """

    inputs: tuple[RationalMatrix, ...]
    gradients: tuple[RationalMatrix, ...]

    @classmethod
    def of(cls, network: Network, pattern: Sequence[int], lift: RationalMatrix | None = None) -> CellJacobian:
        """Compute it on a pattern; `lift` is the embedding of a slice, on whose coordinates forms are then written."""
        size = network.input_dim + 1
        first = lift or RationalMatrix(IntMatrix(size, size, [int(i == j) for i in range(size) for j in range(size)]))
        forms = on_pattern(network, pattern).pre_activations
        inputs, slopes = [first], []
        for layer, (kinds, form) in enumerate(zip(network.activations, forms, strict=True)):
            taken = [pattern[network.layer_starts[layer] + k] for k in range(len(kinds))]
            slopes.append([phi.slopes[piece] for phi, piece in zip(kinds, taken, strict=True)])
            shifts = [phi.offsets[piece] for phi, piece in zip(kinds, taken, strict=True)]
            inputs.append(_activated(form if lift is None else form @ lift, slopes[-1], shifts))
        affine = (*network.layers, *([network.output] if network.output else []))
        back = RationalMatrix(
            IntMatrix(network.output_dim, network.output_dim, np.eye(network.output_dim, dtype=int).ravel().tolist())
        )
        gradients = []
        for layer in reversed(range(len(affine))):
            if layer < len(slopes):
                back = _scaled_columns(back, slopes[layer])
            gradients.append(back)
            back = back @ _weights(affine[layer].matrix)
        return cls(tuple(inputs[: len(affine)]), tuple(reversed(gradients)))

    @property
    def scale(self) -> int:
        """The positive integer that `rows` are multiplied with."""
        pairs = zip(self.gradients, self.inputs, strict=True)
        return common_denominator(Fraction(1, g.denominator * h.denominator) for g, h in pairs)

    def rows(self) -> list[list[int]]:
        """All rows of the Jacobian as integers over one denominator, output by output, coefficient by coefficient."""
        pairs = list(zip(self.gradients, self.inputs, strict=True))
        scale = self.scale
        factors = [scale // (g.denominator * h.denominator) for g, h in pairs]
        tables = [(g.numerators.tolist(), h.numerators.transpose().tolist()) for g, h in pairs]
        outputs, columns = self.gradients[0].shape[0], self.inputs[0].shape[1]
        return [
            [
                int(slope * entry * factor)
                for (g, h), factor in zip(tables, factors, strict=True)
                for slope in g[output]
                for entry in h[column]
            ]
            for output in range(outputs)
            for column in range(columns)
        ]


def _weights(matrix: RationalMatrix) -> RationalMatrix:
    rows = [row[:-1] for row in matrix.numerators.tolist()]
    return RationalMatrix(
        IntMatrix(len(rows), matrix.shape[1] - 1, [v for row in rows for v in row]), matrix.denominator
    )


def _scaled_columns(matrix: RationalMatrix, factors: Sequence[Fraction]) -> RationalMatrix:
    scale = common_denominator(factors)
    whole = [int(factor * scale) for factor in factors]
    flat = [entry * factor for row in matrix.numerators.tolist() for entry, factor in zip(row, whole, strict=True)]
    return RationalMatrix(IntMatrix(*matrix.shape, flat), matrix.denominator * scale).reduced()


def _activated(form: RationalMatrix, slopes: Sequence[Fraction], shifts: Sequence[Fraction]) -> RationalMatrix:
    """Apply slope and offset to each row, and append the row (0, ..., 0, 1)."""
    scale = common_denominator([*slopes, *shifts])
    one = form.denominator * scale
    flat: list[int] = []
    for row, slope, shift in zip(form.numerators.tolist(), slopes, shifts, strict=True):
        entries = [int(entry) * int(slope * scale) for entry in row]
        entries[-1] += int(shift * one)
        flat += entries
    flat += [0] * (form.shape[1] - 1) + [one]
    return RationalMatrix(IntMatrix(form.shape[0] + 1, form.shape[1], flat), one).reduced()


class ModularJacobian:
    """The Jacobians of many cells modulo 2^61 - 1.

    Parameters
    ----------
    parameters : Parameters
    lift : RationalMatrix or None
        The embedding of a slice.

    Raises
    ------
    ZeroDivisionError
        If the prime divides a denominator.
    """

    def __init__(self, parameters: Parameters, lift: RationalMatrix | None = None) -> None:
        network = parameters.network
        self.parameters = parameters
        self.widths = network.widths
        self.layer_starts = network.layer_starts
        self.output_dim = network.output_dim
        self.layers = [_residues(layer.matrix) for layer in parameters.layers]
        size = network.input_dim + 1
        self.first = np.eye(size, dtype=np.uint64) if lift is None else _residues(lift)
        most = max((phi.n_pieces for phi in network.neurons), default=1)
        self.slopes = np.zeros((network.n_neurons, most), np.uint64)
        self.shifts = np.zeros((network.n_neurons, most), np.uint64)
        for neuron, phi in enumerate(network.neurons):
            for piece, (slope, shift) in enumerate(zip(phi.slopes, phi.offsets, strict=True)):
                self.slopes[neuron, piece], self.shifts[neuron, piece] = _residue(slope), _residue(shift)

    def factors(self, patterns: NDArray[np.integer]) -> tuple[list[Residues], list[Residues]]:
        """Forms entering each affine layer (B, n + 1, d + 1), and gradients by its value (B, n_out, n)."""
        count = len(patterns)
        here = np.arange(patterns.shape[1])
        slope, shift = self.slopes[here, patterns], self.shifts[here, patterns]
        inputs = [np.broadcast_to(self.first, (count, *self.first.shape))]
        unit = np.zeros((count, 1, self.first.shape[1]), np.uint64)
        unit[:, :, -1] = 1
        for layer in range(len(self.widths)):
            part = slice(self.layer_starts[layer], self.layer_starts[layer + 1])
            values = mul_mod(_matmul(self.layers[layer][None], inputs[-1]), slope[:, part, None])
            values[:, :, -1] = add_mod(values[:, :, -1], shift[:, part])
            inputs.append(np.concatenate([values, unit], axis=1))
        back = np.broadcast_to(np.eye(self.output_dim, dtype=np.uint64), (count, self.output_dim, self.output_dim))
        gradients = []
        for layer in reversed(range(len(self.layers))):
            if layer < len(self.widths):
                part = slice(self.layer_starts[layer], self.layer_starts[layer + 1])
                back = mul_mod(back, slope[:, None, part])
            gradients.append(back)
            if layer:
                back = _matmul(back, self.layers[layer][None, :, :-1])
        return inputs[: len(self.layers)], gradients[::-1]

    def rows(self, patterns: NDArray[np.integer]) -> Residues:
        """All rows: shape (B * n_out * (d + 1), number of parameters)."""
        inputs, gradients = self.factors(patterns)
        blocks = []
        for h, g in zip(inputs, gradients, strict=True):
            block = mul_mod(g[:, :, None, :, None], h.transpose(0, 2, 1)[:, None, :, None, :])
            blocks.append(block.reshape(*block.shape[:3], -1))
        full = np.concatenate(blocks, axis=3).reshape(-1, self.parameters.full_count)
        groups = self.parameters.groups
        found = full[:, [entries[0] for entries in groups]]
        for column, entries in enumerate(groups):
            for entry in entries[1:]:
                found[:, column] = add_mod(found[:, column], full[:, entry])
        return found

    def moves(self, patterns: NDArray[np.integer], direction: Sequence[int]) -> NDArray[np.bool_]:
        """For each cell, whether its derivative along a direction of residues is not zero modulo the prime."""
        full = np.zeros(self.parameters.full_count, np.uint64)
        for value, entries in zip(direction, self.parameters.groups, strict=True):
            full[list(entries)] = value
        inputs, gradients = self.factors(patterns)
        total = np.zeros((len(patterns), self.output_dim, self.first.shape[1]), np.uint64)
        for start, shape, h, g in zip(self.parameters.starts, self.parameters.shapes, inputs, gradients, strict=False):
            change = full[start : start + shape[0] * shape[1]].reshape(shape)
            if change.any():
                total = add_mod(total, _matmul(g, _matmul(change[None], h)))
        return np.asarray(total.any(axis=(1, 2)))


def _residue(value: Fraction) -> int:
    if value.denominator % PRIME == 0:
        raise ZeroDivisionError("the prime divides a denominator")
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


def _residues(matrix: RationalMatrix) -> Residues:
    if matrix.denominator % PRIME == 0:
        raise ZeroDivisionError("the prime divides a denominator")
    inverse = pow(matrix.denominator, -1, PRIME)
    return np.array([[int(v) * inverse % PRIME for v in row] for row in matrix.numerators.tolist()], dtype=np.uint64)
