"""Lower bounds on the most regions that a shape of network can have, exact maxima where known, and estimates.

A lower bound here is about the *best* network of a shape: it is a construction (see `constructions`), and a particular
network may have fewer.  The conditions are those under which the construction exists; without them the formulas exceed
proven upper bounds.  Biases must be free: without them a one-layer network already has fewer regions.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, prod

from exactregions.analysis.bound import Bound, Condition, Kind, Notion
from exactregions.analysis.shapes import Shape, central_regions, generic_regions

__all__ = [
    "arora_2018",
    "hanin_rolnick",
    "maximum_on_line",
    "maximum_one_layer",
    "montufar_2014",
    "pascanu_2013",
    "serra_2018_lower",
    "zero_bias_estimate",
]


def _free_biases(shape: Shape) -> Condition:
    return Condition("biases are free", not shape.zero_bias)


def _two_pieces(shape: Shape) -> Condition:
    return Condition("ReLU (activations of two pieces, one of them constant)", shape.collapsing and shape.pieces == 2)


def _at_least(shape: Shape, factor: int = 1, *, but_last: bool = False) -> Condition:
    least = factor * shape.input_dim
    widths = shape.widths[:-1] if but_last else shape.widths
    text = "every layer" + (" but the last" if but_last else "")
    name = "n_0" if factor == 1 else f"{factor} n_0"
    return Condition(f"{text} at least {name} = {least} wide", all(width >= least for width in widths))


def _last(shape: Shape) -> int:
    return generic_regions(shape.widths[-1], shape.input_dim) if shape.widths else 1


def pascanu_2013(shape: Shape) -> Bound:
    """Product over l < L of floor(n_l / n_0), times r(n_L, n_0).

    Examples
    --------
    >>> pascanu_2013(Shape(2, (32, 32, 32))).value
    135424
    """
    value = prod(width // shape.input_dim for width in shape.widths[:-1]) * _last(shape)
    conditions = (_at_least(shape), _two_pieces(shape), _free_biases(shape))
    source = "Pascanu, Montufar, Bengio 2013, Theorem 1"
    return Bound("pascanu_2013", Kind.LOWER, Notion.CELLS, source, value, conditions)


def montufar_2014(shape: Shape) -> Bound:
    """Product over l < L of floor(n_l / n_0)^(n_0), times r(n_L, n_0).

    Examples
    --------
    >>> montufar_2014(Shape(2, (4, 2))).value
    16
    """
    n0 = shape.input_dim
    value = prod((width // n0) ** n0 for width in shape.widths[:-1]) * _last(shape)
    conditions = (_at_least(shape), _two_pieces(shape), _free_biases(shape))
    source = "Montufar, Pascanu, Cho, Bengio 2014, Theorem 5"
    return Bound("montufar_2014", Kind.LOWER, Notion.CELLS, source, value, conditions)


def serra_2018_lower(shape: Shape) -> Bound:
    """Product over l < L of (floor(n_l / n_0) + 1)^(n_0), times r(n_L, n_0).

    Narrower layers than 3 n_0 cannot fold so often: for (2; 2, 2) the formula gives 16, the upper bound 11.

    Examples
    --------
    >>> serra_2018_lower(Shape(2, (6, 6))).value, serra_2018_lower(Shape(2, (2, 2))).formula
    (352, 16)
    """
    n0 = shape.input_dim
    value = prod((width // n0 + 1) ** n0 for width in shape.widths[:-1]) * _last(shape)
    # the paper asks it of the last layer too, which folds nothing: `constructions.serra_fold` does without
    conditions = (_at_least(shape, 3, but_last=True), _two_pieces(shape), _free_biases(shape))
    source = "Serra, Tjandraatmadja, Ramalingam 2018, Theorem 7"
    return Bound("serra_2018_lower", Kind.LOWER, Notion.CELLS, source, value, conditions)


def arora_2018(shape: Shape) -> Bound:
    """2 sum over i < n_0 of C(m-1, i), times n_2 ... n_L: a zonotope's gauge of 2 m neurons, then sawtooths.

    The theorem has k layers of w neurons, w^k; sawtooths of different widths multiply just as well.

    Examples
    --------
    >>> arora_2018(Shape(2, (6, 3))).value
    18
    """
    first, *later = shape.widths or (0,)
    value = central_regions(first // 2, shape.input_dim) * prod(later)
    source = "Arora, Basu, Mianjy, Mukherjee 2018, Theorem 3.9 (as remembered)"
    return Bound("arora_2018", Kind.LOWER, Notion.LINEAR, source, value, (_two_pieces(shape), _free_biases(shape)))


def maximum_one_layer(shape: Shape) -> Bound:
    """One hidden layer in general position: r(n, d), with parallel walls for more pieces.

    Examples
    --------
    >>> maximum_one_layer(Shape(10, (49,))).value
    10825279046
    """
    width = shape.widths[0] if shape.widths else 0
    value = generic_regions(width, shape.input_dim, shape.pieces)
    if shape.zero_bias:
        value = central_regions(width, shape.input_dim)
    source = "Zaslavsky 1975; with zero bias Schlaefli 1852, Cover 1965"
    conditions = (Condition("one hidden layer", shape.depth == 1),)
    return Bound("maximum_one_layer", Kind.MAXIMUM, Notion.CELLS, source, value, conditions)


def maximum_on_line(shape: Shape) -> Bound:
    """One input: the product of n_l + 1 if all layers before the last have at least 3 neurons; smaller if not.

    Two ReLUs make a function of three pieces whose slopes cannot alternate in sign, so it has at most two zeros: with
    widths (2, n) the most is 3 + 2 n, not 3 (n + 1).  One ReLU makes one zero at most, and (1, n) gives n + 2.

    Examples
    --------
    >>> [maximum_on_line(Shape(1, widths)).value for widths in ((3, 3), (2, 2), (2, 3), (1, 4))]
    [16, 7, 9, 6]
    """
    widths = shape.widths
    value: int | None
    if all(width >= 3 for width in widths[:-1]):
        value = prod(width + 1 for width in widths)
    elif len(widths) == 2:
        value = 3 + 2 * widths[1] if widths[0] == 2 else widths[1] + 2
    else:
        value = None
    source = "Serra, Tjandraatmadja, Ramalingam 2018, Theorem 6, with its widths corrected as in the docstring"
    known = Condition("all layers before the last at least 3 wide, or two layers", value is not None)
    conditions = (Condition("one input", shape.input_dim == 1), known, _two_pieces(shape), _free_biases(shape))
    return Bound("maximum_on_line", Kind.MAXIMUM, Notion.CELLS, source, value, conditions)


def hanin_rolnick(shape: Shape) -> Bound:
    """N^d / d!: the leading order of the expected number for a random network of any depth; not a bound.

    Already a generic layer has more: r(N, 2) = N^2/2 + N/2 + 1.

    Examples
    --------
    >>> hanin_rolnick(Shape(2, (32, 32, 32))).formula
    Fraction(4608, 1)
    """
    value = Fraction(shape.n_neurons**shape.input_dim, factorial(shape.input_dim))
    source = "Hanin, Rolnick 2019, Theorem 5 without its constants"
    enough = Condition("N >= d", shape.n_neurons >= shape.input_dim)
    return Bound("hanin_rolnick", Kind.ESTIMATE, Notion.CELLS, source, value, (enough, _free_biases(shape)))


def zero_bias_estimate(shape: Shape) -> Bound:
    """2 sum over i < d of C(N-1, i), about 2 N^(d-1) / (d-1)!: a zero-bias network as one layer of all its neurons.

    Examples
    --------
    >>> zero_bias_estimate(Shape(2, (32, 32, 32), zero_bias=True)).formula
    192
    """
    total = shape.n_neurons
    value = 2 * sum(comb(total - 1, k) for k in range(shape.input_dim)) if total else 1
    source = "Hanin, Rolnick 2019, Appendix D: growth n_0 N^(n_0 - 1); exact for one generic layer"
    conditions = (Condition("zero bias and positively homogeneous activations", shape.zero_bias),)
    return Bound("zero_bias_estimate", Kind.ESTIMATE, Notion.CELLS, source, value, conditions)
