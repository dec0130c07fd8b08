"""Subspaces of the null space of a network: which null directions a part of the parameters can make alone.

Two sources.  `inside` cuts the null space, known over Q, with a set of coordinates.  `compensating` finds the
directions that rows of some neurons of one layer, their outgoing weights and the biases after them can make without
looking at the inputs: if the neurons of a set S take the slopes p and offsets q together on some cell, what they send
to neuron j of the next layer is sum_i v_ji (p_i (w_i, b_i) + q_i e) . (h, 1), and it stays as it is to first order if

    sum_i dv_ji (p_i (w_i, b_i) + q_i e) + v_ji p_i d(w_i, b_i)  +  db_j e  =  0        for every j,

e being the unit vector of the constant.  Asked of every combination (p, q) that occurs, this is a small linear system.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from exactregions.analysis.parameters import Parameters
from exactregions.rational import RationalMatrix, primitive

__all__ = ["Direction", "compensating", "independent_of", "inside", "rank", "restricted"]

Direction = tuple[int, ...]
Row = Sequence[Fraction | int]


def rank(rows: Sequence[Row]) -> int:
    """Dimension of the span.

    Examples
    --------
    >>> rank([(1, 2), (2, 4)]), rank([])
    (1, 0)
    """
    return RationalMatrix.from_rows(rows).rank() if rows else 0


def independent_of(known: Sequence[Row], candidates: Sequence[Row]) -> list[int]:
    """Places of the candidates that, taken in order, are independent of all rows before them.

    Examples
    --------
    >>> independent_of([(1, 0, 0)], [(2, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1)])
    [1, 3]
    """
    if not candidates:
        return []
    pivots = RationalMatrix.from_rows([*known, *candidates]).transpose().pivot_columns()
    return [place - len(known) for place in pivots if place >= len(known)]


def _combinations(rows: Sequence[Row], forbidden: Sequence[Row]) -> list[Direction]:
    """Primitive combinations of the rows whose image, given row by row, vanishes."""
    if not rows:
        return []
    columns = list(zip(*forbidden, strict=True))
    factors = RationalMatrix.from_rows(columns, columns=len(rows)).kernel() if columns else _unit(len(rows))
    found = []
    for factor in factors:
        mixed = [sum(c * v for c, v in zip(factor, column, strict=True)) for column in zip(*rows, strict=True)]
        scale = RationalMatrix.from_rows([mixed])
        found.append(primitive([int(v) for v in scale.numerators.entries()]))
    return found


def _unit(size: int) -> list[Direction]:
    return [tuple(int(i == j) for i in range(size)) for j in range(size)]


def inside(null_space: Sequence[Row], coordinates: Collection[int]) -> list[Direction]:
    """Return a basis of the null directions that move only the given coordinates.

    Examples
    --------
    >>> inside([(1, 0, 1), (0, 1, 1)], [0, 1])
    [(-1, 1, 0)]
    """
    if not null_space:
        return []
    outside = [k for k in range(len(null_space[0])) if k not in coordinates]
    return _combinations(null_space, [[row[k] for k in outside] for row in null_space])


def restricted(parameters: Parameters, full: Sequence[Row]) -> list[Direction]:
    """Return a basis of the span of full vectors within the directions that the parameters allow, in the parameters."""
    if parameters.biases == "free":
        return [primitive([int(v) for v in RationalMatrix.from_rows([row]).numerators.entries()]) for row in full]
    free = {entry for entries in parameters.groups for entry in entries}
    fixed = [k for k in range(parameters.full_count) if k not in free]
    ties = [(entries[0], other) for entries in parameters.groups for other in entries[1:]]
    images = [[*(row[k] for k in fixed), *(row[a] - row[b] for a, b in ties)] for row in full]
    found = [parameters.reduced(row) for row in _combinations(full, images)]
    return [tuple(int(v) for v in row) for row in found if row is not None]


def compensating(
    parameters: Parameters, neurons: Sequence[int], taken: Iterable[tuple[Sequence[Fraction], Sequence[Fraction]]]
) -> list[tuple[int, ...]]:
    """Return a basis of the null directions of a set of neurons of one layer that hold whatever enters the layer.

    Parameters
    ----------
    parameters : Parameters
    neurons : sequence of int
        All of one layer.
    taken : iterable of (slopes, offsets)
        What the neurons take together, once for every combination that occurs on a smooth cell.

    Returns
    -------
    list of full vectors
        Rescalings of the neurons among them, where they have one.

    Examples
    --------
    >>> from exactregions import Network
    >>> single = Parameters(Network([([[2]], [1])], output=([[3]], [0])))
    >>> compensating(single, [0], [([Fraction(1)], [Fraction(0)])])
    [(-2, -1, 3, 0), (0, -1, 0, 3)]
    """
    entries = [entry for neuron in neurons for entry in parameters.incoming(neuron)]
    entries += [entry for neuron in neurons for entry in parameters.outgoing(neuron)]
    entries += parameters.next_biases(neurons[0])
    equations = [row for slopes, offsets in taken for row in _equations(parameters, neurons, slopes, offsets)]
    found = []
    for short in RationalMatrix.from_rows(equations, columns=len(entries)).kernel():
        full = [0] * parameters.full_count
        for entry, value in zip(entries, short, strict=True):
            full[entry] = value
        found.append(tuple(full))
    return found


def _equations(
    parameters: Parameters, neurons: Sequence[int], slopes: Sequence[Fraction], offsets: Sequence[Fraction]
) -> list[list[Fraction]]:
    """Coefficients, over rows, outgoing weights and next biases in turn, of what must vanish on one combination."""
    layer = parameters.network.layer_of(neurons[0])[0]
    rows = [parameters.layers[layer].matrix.to_fractions()[parameters.network.layer_of(k)[1]] for k in neurons]
    width, size, following = len(rows[0]), len(neurons), len(parameters.outgoing(neurons[0]))
    unknowns = size * (width + following) + following
    if not following:  # the activations are the output
        places = [place * width + column for place, slope in enumerate(slopes) if slope for column in range(width)]
        return [[Fraction(int(k == place)) for k in range(unknowns)] for place in places]
    weights = _outgoing_weights(parameters, neurons)
    equations = []
    for j in range(following):
        for column in range(width):
            equation = [Fraction(0)] * unknowns
            for place, (slope, offset, row) in enumerate(zip(slopes, offsets, rows, strict=True)):
                equation[place * width + column] = weights[place][j] * slope
                sent = slope * row[column] + (offset if column == width - 1 else 0)
                equation[size * width + place * following + j] = sent
            if column == width - 1:
                equation[size * (width + following) + j] = Fraction(1)
            equations.append(equation)
    return equations


def _outgoing_weights(parameters: Parameters, neurons: Sequence[int]) -> list[list[Fraction]]:
    layer = parameters.network.layer_of(neurons[0])[0] + 1
    if layer == len(parameters.layers):
        return [[] for _ in neurons]
    table = parameters.layers[layer].matrix.to_fractions()
    return [[row[parameters.network.layer_of(neuron)[1]] for row in table] for neuron in neurons]
