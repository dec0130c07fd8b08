"""Networks that attain the lower bounds, with rational weights.

All use one idea: a layer that maps many pieces of its input onto the whole cube (0, 1)^d, so that every later wall is
copied into each of them.  A zigzag of one variable makes the pieces, and the last layer is an arrangement in general
position all of whose regions meet the cube: the hyperplanes {x : t^d + x_d t^(d-1) + ... + x_1 = 0} for different t in
(0, 1], of which any d meet in the polynomial with those roots, and no more than d in a point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import comb

from exactregions.errors import InputError
from exactregions.network import Network

__all__ = ["fold", "general_position", "serra_fold", "tent", "zonotope"]

_Row = list[Fraction]


def tent(depth: int) -> Network:
    """Compose the tent map x -> 2 min(x, 1 - x) with itself: 2^depth linear pieces on (0, 1) with 2 depth neurons.

    Telgarsky 2015.  Take it on the box (0, 1); on the whole line neurons become degenerate.

    Examples
    --------
    >>> import exactregions as er
    >>> er.count_cells(tent(5), er.Box([0], [1])).n_cells
    32
    """
    _need(depth >= 1, f"a depth is at least 1, not {depth}")
    first: tuple[list[list[object]], list[object]] = ([[1], [1]], [0, "-1/2"])
    later: tuple[list[list[object]], list[object]] = ([[2, -4], [2, -4]], [0, "-1/2"])
    return Network([first, *[later] * (depth - 1)], output=([[2, -4]], [0]))


def fold(input_dim: int, widths: Sequence[int]) -> Network:
    """Fold every coordinate of (0, 1)^d onto (0, 1) floor(n_l / d) times in each layer but the last.

    Montufar, Pascanu, Cho, Bengio 2014: it has at least prod floor(n_l / d)^d r(n_L, d) cells.

    Parameters
    ----------
    input_dim : int
    widths : sequence of int
        None smaller than `input_dim`.

    Examples
    --------
    >>> import exactregions as er
    >>> er.count_cells(fold(2, (4, 2)), er.Box([0, 0], [1, 1])).n_cells
    16
    """
    return _folding(input_dim, widths, _sawtooth, least=1)


def serra_fold(input_dim: int, widths: Sequence[int]) -> Network:
    """As `fold`, but each of the neurons makes one more piece, since the rays on both ends are used as well.

    Serra, Tjandraatmadja, Ramalingam 2018: at least prod (floor(n_l / d) + 1)^d r(n_L, d) cells; with one input this is
    the maximum.

    Parameters
    ----------
    input_dim : int
    widths : sequence of int
        None but the last smaller than 3 `input_dim`: two ReLUs of one variable make no zigzag of three pieces.

    Examples
    --------
    >>> import exactregions as er
    >>> er.count_cells(serra_fold(1, (3, 4))).n_cells, er.count_cells(serra_fold(2, (6, 2))).n_cells
    (20, 64)
    """
    return _folding(input_dim, widths, _zigzag, least=3)


def zonotope(input_dim: int, directions: int, width: int, depth: int) -> Network:
    """Gauge of a zonotope with m generators, folded `depth` times by sawtooths of `width` teeth.

    Arora, Basu, Mianjy, Mukherjee 2018: widths (2 m, w, ..., w) and at least 2 sum over i < d of C(m-1, i) w^k linear
    regions, for the gauge sum |b_i.x| is linear on each region of m generic hyperplanes through 0.

    Examples
    --------
    >>> import exactregions as er
    >>> er.count_cells(zonotope(2, 3, width=3, depth=1)).n_cells
    18
    """
    _need(input_dim >= 1, "a zonotope needs at least 1 input")
    _need(directions >= 1, "a zonotope needs at least 1 generator")
    _need(width >= 1, "a sawtooth has at least 1 tooth")
    _need(depth >= 1, "a fold needs at least 1 layer")
    rows = [[sign * Fraction(i) ** k for k in range(input_dim)] for i in range(1, directions + 1) for sign in (1, -1)]
    layers = [(rows, [Fraction(0)] * len(rows))]
    # read the gauge, then each layer the sawtooth of the layer before
    weights, shift = [Fraction(1)] * len(rows), Fraction(0)
    for _ in range(depth):
        marks, signs, kinks = _sawtooth(width)
        layers.append(_reading([weights], [shift], [(0, marks, signs)]))
        weights, shift = list(kinks), _value_at_zero(marks, signs, kinks)
    return Network(layers, output=([weights], [shift]))


def general_position(number: int, dim: int) -> tuple[list[_Row], _Row]:
    """Return hyperplanes W x + b = 0 in general position, all regions of which meet the open cube (0, 1)^dim.

    Examples
    --------
    >>> general_position(2, 1)
    ([[Fraction(4, 1)], [Fraction(4, 1)]], [Fraction(-3, 2), Fraction(-1, 1)])
    """
    reach = max(comb(dim, k) for k in range(dim + 1)) + 1  # the coefficients of a polynomial with roots in (0, 1]
    rows, shifts = [], []
    for i in range(1, number + 1):
        t = Fraction(i, number)
        row = [t**k for k in range(dim)]
        # x = 2 reach (u - 1/2) takes the cube of u onto the box that holds every vertex
        rows.append([2 * reach * a for a in row])
        shifts.append(t**dim - reach * sum(row))
    return rows, shifts


_Map = tuple[list[Fraction], list[int], list[Fraction]]


def _sawtooth(n: int) -> _Map:
    """Make n pieces on (0, 1), each onto (0, 1): marks, directions and weights of the neurons relu(+-(x - mark))."""
    marks = [Fraction(k, n) for k in range(n)]
    kinks = [Fraction(n)] + [Fraction(2 * n * (-1) ** k) for k in range(1, n)]
    return marks, [1] * n, kinks


def _zigzag(n: int) -> _Map:
    """Make n + 1 pieces, the two rays among them, each onto an interval that holds (0, 1), for n >= 3.

    With slopes s_0, ..., s_n the kinks are c_i = s_i - s_(i-1), and s_0 is minus the sum of the kinks of the neurons
    that face left.  Neurons 2 and 3 facing left, this asks for s_0 = s_1 - s_3: slopes -1, 1, -1, 2, -1, 1, ...
    """
    slopes = [Fraction(-1), Fraction(1), Fraction(-1), Fraction(2)]
    slopes += [Fraction((-1) ** (k + 1)) for k in range(4, n + 1)]
    lengths = [1 / abs(slope) for slope in slopes]
    span = sum(lengths)  # the zigzag is squeezed into (0, 1), rays included
    marks = [end / span for end in accumulate(lengths[:-1])]
    kinks = [(after - before) * span for before, after in pairwise(slopes)]
    signs = [-1 if i in (1, 2) else 1 for i in range(n)]
    return marks, signs, kinks


def _value_at_zero(marks: Sequence[Fraction], signs: Sequence[int], kinks: Sequence[Fraction]) -> Fraction:
    """The constant to add, so that the lowest breakpoint's value is 0."""
    return -_dot(kinks, [max(Fraction(0), s * (marks[0] - mark)) for mark, s in zip(marks, signs, strict=True)])


def _reading(
    readers: list[_Row], shifts: _Row, parts: Sequence[tuple[int, list[Fraction], list[int]]]
) -> tuple[list[_Row], _Row]:
    """Return the layer of neurons relu(+-(y_j - mark)), y being affine readings of the layer before."""
    rows, biases = [], []
    for coordinate, marks, signs in parts:
        for mark, sign in zip(marks, signs, strict=True):
            rows.append([sign * w for w in readers[coordinate]])
            biases.append(sign * (shifts[coordinate] - mark))
    return rows, biases


def _folding(input_dim: int, widths: Sequence[int], shape: Callable[[int], _Map], least: int) -> Network:
    _need(input_dim >= 1 and len(widths) >= 1, "a fold needs at least 1 input and 1 layer")
    for index, width in enumerate(widths[:-1], start=1):
        _need(width >= least * input_dim, f"a width of {width} is too small: at least {least * input_dim}", index)
    _need(widths[-1] >= 1, f"a width is at least 1, not {widths[-1]}", len(widths))
    readers = _identity(input_dim)
    shifts = [Fraction(0)] * input_dim
    layers = []
    for width in widths[:-1]:
        # neurons left over fold the first coordinates once more
        sizes = [width // input_dim + (j < width % input_dim) for j in range(input_dim)]
        maps = [shape(size) for size in sizes]
        layers.append(_reading(readers, shifts, [(j, marks, signs) for j, (marks, signs, _) in enumerate(maps)]))
        starts = [0, *accumulate(sizes)]
        readers = [[Fraction(0)] * starts[j] + kinks + [Fraction(0)] * (width - starts[j + 1])
                   for j, (_, _, kinks) in enumerate(maps)]  # fmt: skip
        shifts = [_value_at_zero(*one) for one in maps]
    rows, biases = general_position(widths[-1], input_dim)
    columns = list(zip(*readers, strict=True))
    last = [[_dot(row, column) for column in columns] for row in rows]
    moved = [b + _dot(row, shifts) for row, b in zip(rows, biases, strict=True)]
    # different output weights, so that regions are not merged by chance
    output = [Fraction(1, k + 1) for k in range(widths[-1])]
    return Network([*layers, (last, moved)], output=([output], [0]))


def _identity(size: int) -> list[_Row]:
    return [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _need(holds: bool, message: str, layer: int | None = None) -> None:
    if not holds:
        raise InputError(message, where=None if layer is None else f"layer {layer}")
