"""Upper bounds on the number of cells, from the shape of a network alone.

All of them hold for every network of the shape, on every convex domain, for cells and therefore for linear regions.
Layer by layer, a cell of the earlier layers is mapped affinely into a space of some dimension d, where the n neurons
of the layer cut it as hyperplanes do.  The bounds differ in what they remember about d.  Hinz and van de Geer put them
into one frame: a histogram of cells by dimension of their image goes through one matrix a layer, which is given by

    gamma(d, n) = for each a, how many of the regions of n neurons in dimension d have an image of dimension at most a;

counting them by the number of neurons that are off gives the bound of Serra et al., saying nothing about off neurons
that of Montufar 2017, and not even using d the trivial one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import comb, prod

from exactregions.analysis.bound import Bound, Condition, Kind, Notion
from exactregions.analysis.shapes import Shape, central_regions, generic_regions

__all__ = [
    "GAMMAS",
    "Gamma",
    "gamma_montufar",
    "gamma_serra",
    "gamma_trivial",
    "hinz_van_de_geer",
    "histogram",
    "montufar_2017",
    "product_of_powers",
    "raghu_2017",
    "serra_2018",
    "trivial",
    "zero_bias",
]

Gamma = Callable[[int, int, int], Mapping[int, int]]


def gamma_trivial(d: int, n: int, pieces: int) -> dict[int, int]:
    """Every pattern of the layer, and no dimension lost beyond the width."""
    return {n: pieces**n}


def gamma_montufar(d: int, n: int, pieces: int) -> dict[int, int]:
    """Regions of n neurons in dimension d, and no dimension lost beyond the width."""
    return {n: generic_regions(n, d, pieces)}


def gamma_serra(d: int, n: int, pieces: int) -> dict[int, int]:
    """C(n, j) regions with j neurons off, whose image has dimension at most n - j."""
    return {n - j: comb(n, j) for j in range(min(d, n) + 1)}


GAMMAS: dict[str, Gamma] = {"trivial": gamma_trivial, "montufar": gamma_montufar, "serra": gamma_serra}


def histogram(shape: Shape, gamma: Gamma) -> dict[int, int]:
    """Send {n_0: 1} through the layers: v'[min(d, a)] += v[d] gamma(d, n)[a] (Hinz and van de Geer 2019).

    Returns
    -------
    dict
        For each dimension of the image of the last layer, a number of cells; the sum is the bound.

    Examples
    --------
    >>> histogram(Shape(2, (3, 3)), gamma_serra)
    {2: 16, 1: 24}
    """
    counts = {shape.input_dim: 1}
    for width in shape.widths:
        after: dict[int, int] = {}
        for d, number in counts.items():
            for a, regions in gamma(d, width, shape.pieces).items():
                after[min(d, a)] = after.get(min(d, a), 0) + number * regions
        counts = after
    return counts


def _collapsing(shape: Shape) -> Condition:
    return Condition("every activation is constant on one of its two pieces (ReLU; not leaky, abs, hard tanh)",
                     shape.collapsing)  # fmt: skip


def trivial(shape: Shape) -> Bound:
    """Number of all patterns, (T+1)^N; 2^N for ReLU.

    Examples
    --------
    >>> trivial(Shape(2, (2, 2))).value
    16
    """
    return Bound("trivial", Kind.UPPER, Notion.CELLS, "number of patterns, (T+1)^N", shape.pieces**shape.n_neurons)


def raghu_2017(shape: Shape) -> Bound:
    """Product of r(n_l, n_0): the O(k^(m n)) of Raghu et al. for n layers of width k and m inputs, with its constant.

    Examples
    --------
    >>> raghu_2017(Shape(2, (3, 1))).value
    14
    """
    value = prod(generic_regions(width, shape.input_dim, shape.pieces) for width in shape.widths)
    source = "Raghu, Poole, Kleinberg, Ganguli, Sohl-Dickstein 2017, Theorem 1 (as remembered), before O()"
    return Bound("raghu_2017", Kind.UPPER, Notion.CELLS, source, value)


def montufar_2017(shape: Shape) -> Bound:
    """Product of r(n_l, min(n_0, ..., n_(l-1))).

    Examples
    --------
    >>> montufar_2017(Shape(2, (3, 3))).value
    49
    """
    pairs = zip(shape.widths, shape.image_dims, strict=True)
    value = prod(generic_regions(width, d, shape.pieces) for width, d in pairs)
    return Bound(
        "montufar_2017", Kind.UPPER, Notion.CELLS, "Montufar 2017, Notes on the number of linear regions", value
    )


def serra_2018(shape: Shape) -> Bound:
    """Sum over j of the products of C(n_l, j_l), 0 <= j_l <= min(n_0, n_1 - j_1, ..., n_(l-1) - j_(l-1), n_l).

    Examples
    --------
    >>> serra_2018(Shape(2, (3, 3))).value, serra_2018(Shape(10, (3, 7, 5))).value
    (40, 3201)
    """
    value = sum(histogram(shape, gamma_serra).values())
    source = "Serra, Tjandraatmadja, Ramalingam 2018, Theorem 1"
    return Bound("serra_2018", Kind.UPPER, Notion.CELLS, source, value, (_collapsing(shape),))


def hinz_van_de_geer(shape: Shape, gamma: str = "serra") -> Bound:
    """The matrix recursion with one of the three gammas; with "serra" the best of them.

    Examples
    --------
    >>> hinz_van_de_geer(Shape(3, (4, 4))).value
    161
    """
    value = sum(histogram(shape, GAMMAS[gamma]).values())
    source = f"Hinz, van de Geer 2019, matrix recursion with gamma = {gamma}"
    conditions = (_collapsing(shape),) if gamma == "serra" else ()
    return Bound("hinz_van_de_geer", Kind.UPPER, Notion.CELLS, source, value, conditions)


def product_of_powers(shape: Shape) -> Bound:
    """Product of n_l^(n_0): the notes *Expressivity and Depth* state it as Theta for general position.

    r(k, d) <= k^d needs k >= 2 and d >= 2: r(k, 1) = k + 1, and r(1, d) = 2.

    Examples
    --------
    >>> product_of_powers(Shape(2, (2, 2, 2))).value
    64
    >>> product_of_powers(Shape(1, (3,))).holds
    False
    """
    conditions = (
        Condition("at least 2 inputs", shape.input_dim >= 2),
        Condition("at least 2 neurons in every layer", all(width >= 2 for width in shape.widths)),
        Condition("activations of two pieces", shape.pieces <= 2),
    )
    value = prod(width**shape.input_dim for width in shape.widths)
    source = "notes Expressivity and Depth, product of k_l^d"
    return Bound("product_of_powers", Kind.UPPER, Notion.CELLS, source, value, conditions)


def zero_bias(shape: Shape) -> Bound:
    """Without biases: 2 sum over i < n_0 of C(n_1 - 1, i), times r(n_l, d_l - 1) for every later layer.

    Walls of the first layer pass through 0.  The image of a cell under a layer is 0, or a cone on which some neuron is
    not zero, hence inside an open half-space; and n hyperplanes through 0 cut a half-space of R^d as n hyperplanes cut
    R^(d-1).

    Examples
    --------
    >>> zero_bias(Shape(2, (96,), zero_bias=True)).value
    192
    """
    first, *later = zip(shape.widths, shape.image_dims, strict=True) if shape.widths else [(0, 0)]
    value = central_regions(*first) * prod(generic_regions(width, d - 1) for width, d in later)
    source = "Schlaefli 1852, Cover 1965 for one layer; later layers as in the docstring"
    conditions = (Condition("zero bias and positively homogeneous activations", shape.zero_bias),)
    return Bound("zero_bias", Kind.UPPER, Notion.CELLS, source, value, conditions)
