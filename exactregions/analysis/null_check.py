"""Does a direction in parameter space leave the function unchanged to first order, on every cell of a list?  Over Q.

The derivative of a pre-activation along a direction is an affine form as well, dz^l = [V | b]_l (h^{l-1}, 1) + W_l
dh^{l-1}, dh^l = D_l dz^l.  Cells that agree up to some layer agree in all of this up to there, so the sorted patterns
are walked as a tree; and where dh vanishes and no later layer moves, the whole subtree is settled at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from exactregions.analysis.parameters import Parameters
from exactregions.rational import IntMatrix, RationalMatrix, common_denominator

__all__ = ["leaves_unchanged"]

_Moves = dict[int, RationalMatrix | None]  # direction: dh of the layer before, None for zero


def leaves_unchanged(
    parameters: Parameters,
    patterns: NDArray[np.integer],
    directions: Sequence[Sequence[Fraction | int]],
    lift: RationalMatrix | None = None,
) -> bool:
    """Whether every direction has derivative zero, as a form, on the cells of all patterns.

    Parameters
    ----------
    parameters : Parameters
    patterns : ndarray of int, shape (n, n_neurons)
        Of smooth cells.
    directions : sequence of vectors in the parameters
    lift : RationalMatrix, optional
        The embedding of a slice.

    Examples
    --------
    >>> from exactregions import Network
    >>> hinge = Parameters(Network([([[1]], [0])], output=([[2]], [0])))
    >>> both = np.array([[0], [1]])
    >>> leaves_unchanged(hinge, both, [(1, 0, -2, 0)]), leaves_unchanged(hinge, both, [(1, 0, 0, 0)])
    (True, False)
    """
    if not directions or not len(patterns):
        return True
    size = parameters.network.input_dim + 1
    first = lift or RationalMatrix(IntMatrix(size, size, [int(i == j) for i in range(size) for j in range(size)]))
    walk = _Walk(parameters, directions)
    ordered = np.unique(patterns, axis=0) if patterns.shape[1] else patterns[:1]
    return walk.settled(0, ordered, first, dict.fromkeys(range(len(directions))))


class _Walk:
    def __init__(self, parameters: Parameters, directions: Sequence[Sequence[Fraction | int]]) -> None:
        self.network = parameters.network
        self.affine = [layer.matrix for layer in parameters.layers]
        self.weights = [_without_last_column(matrix) for matrix in self.affine]
        self.changes = [parameters.matrices(direction) for direction in directions]

    def settled(self, layer: int, patterns: NDArray[np.integer], entering: RationalMatrix, moves: _Moves) -> bool:
        """Whether all directions vanish below a node: what enters a layer, and the moves of that."""
        moves = {
            k: move
            for k, move in moves.items()
            if move is not None or any(change is not None for change in self.changes[k][layer:])
        }
        if not moves:
            return True
        if layer == len(self.affine):
            return all(move is None for move in moves.values())
        forms = self.affine[layer] @ entering
        shifted = {k: self._derivative(layer, k, entering, move) for k, move in moves.items()}
        if layer == len(self.network.layers):
            return all(move is None for move in shifted.values())
        start, end = self.network.layer_starts[layer], self.network.layer_starts[layer + 1]
        kinds = self.network.activations[layer]
        for group in _groups(patterns, start, end):
            pieces = group[0, start:end].tolist()
            slopes = [phi.slopes[p] for phi, p in zip(kinds, pieces, strict=True)]
            offsets = [phi.offsets[p] for phi, p in zip(kinds, pieces, strict=True)]
            below = {k: None if move is None else _activated(move, slopes, None) for k, move in shifted.items()}
            if not self.settled(layer + 1, group, _activated(forms, slopes, offsets) or forms, below):
                return False
        return True

    def _derivative(
        self, layer: int, k: int, entering: RationalMatrix, move: RationalMatrix | None
    ) -> RationalMatrix | None:
        change = self.changes[k][layer]
        terms = [] if change is None else [change @ entering]
        if move is not None:
            terms.append(self.weights[layer] @ move)
        if not terms:
            return None
        scale = lcm(*[term.denominator for term in terms])
        total = terms[0].numerators * (scale // terms[0].denominator)
        for term in terms[1:]:
            total += term.numerators * (scale // term.denominator)
        return RationalMatrix(total, scale) if any(total.entries()) else None


def _groups(patterns: NDArray[np.integer], start: int, end: int) -> list[NDArray[np.integer]]:
    """Split sorted patterns that agree before `start` into those that agree before `end`."""
    part = patterns[:, start:end]
    cuts = np.flatnonzero((part[1:] != part[:-1]).any(axis=1)) + 1
    return np.split(patterns, cuts)


def _without_last_column(matrix: RationalMatrix) -> RationalMatrix:
    rows = [row[:-1] for row in matrix.numerators.tolist()]
    flat = [entry for row in rows for entry in row]
    return RationalMatrix(IntMatrix(len(rows), matrix.shape[1] - 1, flat), matrix.denominator)


def _activated(
    form: RationalMatrix, slopes: Sequence[Fraction], offsets: Sequence[Fraction] | None
) -> RationalMatrix | None:
    """Multiply rows by slopes; with offsets add these and the row of constants; without, None stands for zero."""
    scale = common_denominator([*slopes, *(offsets or [])])
    one = form.denominator * scale
    columns = form.shape[1]
    flat: list[int] = []
    for place, (row, slope) in enumerate(zip(form.numerators.tolist(), slopes, strict=True)):
        factor = int(slope * scale)
        entries = [int(entry) * factor for entry in row] if factor else [0] * columns
        if offsets is not None:
            entries[-1] += int(offsets[place] * one)
        flat += entries
    if offsets is None:
        return RationalMatrix(IntMatrix(*form.shape, flat), one) if any(flat) else None
    flat += [0] * (columns - 1) + [one]
    return RationalMatrix(IntMatrix(form.shape[0] + 1, columns, flat), one)
