"""Are two networks the same function?  Decided exactly on a whole domain, with a point where they differ.

The difference of two networks is a network: both side by side (the shallower one carried on through identity
activations), then one output layer.  It is affine on each of its closed cells, so it vanishes on the domain iff it
vanishes at all vertices and along all rays and lines of the cells; a difference too small for floating point, or on a
region too thin, cannot hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactregions.analysis.function import Extremum, range_on
from exactregions.domains import Domain, WholeSpace
from exactregions.enumeration.reduce import in_own_coordinates
from exactregions.errors import ShapeError
from exactregions.network import IDENTITY, AffineLayer, Network
from exactregions.rational import RationalMatrix
from exactregions.regions.generators import interior_point
from exactregions.regions.subdivision import Subdivision, subdivide

__all__ = ["Equality", "difference", "equal"]

Point = tuple[Fraction, ...]
Rows = list[list[Fraction]]


@dataclass(frozen=True, slots=True)
class Equality:
    """Whether two networks agree on a domain.

    Attributes
    ----------
    equal : bool
    witness : tuple of Fraction or None
        A point of the open domain where they differ, in the domain's own coordinates.
    values : pair of tuples of Fraction, or None
        The two networks' values there.
    largest : Extremum
        The largest absolute difference of an output over the closed domain; its value is None if there is no bound.
    n_cells : int
        Number of cells of the difference, which were all looked at.
    """

    equal: bool
    witness: Point | None
    values: tuple[Point, Point] | None
    largest: Extremum
    n_cells: int

    def __bool__(self) -> bool:
        return self.equal


def equal(first: Network, second: Network, domain: Domain | None = None) -> Equality:
    """Decide whether two networks are the same function on a domain (by default the whole input space).

    Raises
    ------
    ShapeError
        If they have different numbers of inputs or outputs.

    Examples
    --------
    >>> hinge = Network([([[1]], [0])], output=([[2]], [0]))
    >>> equal(hinge, Network([([[4]], [0])], output=([["1/2"]], [0]))).equal
    True
    >>> answer = equal(hinge, Network([([[1]], [0])], output=([["2.000001"]], [0])))
    >>> answer.equal, answer.largest.value, [str(value[0]) for value in answer.values]
    (False, None, ['2', '2000001/1000000'])
    """
    where = WholeSpace(first.input_dim) if domain is None else domain
    network, inside = in_own_coordinates(difference(first, second), where)
    division = subdivide(network, inside)
    generators = division.generators
    different = any(map(any, generators.values)) or any(map(any, generators.line_values))
    largest = _largest(division, network.output_dim)
    if not different:
        return Equality(True, None, None, largest, len(division.cells))
    witness = _witness(network, division)
    x = where.lift(witness)
    return Equality(False, witness, (first(x), second(x)), largest, len(division.cells))


def difference(first: Network, second: Network) -> Network:
    """Return the network x -> first(x) - second(x)."""
    if first.input_dim != second.input_dim or first.output_dim != second.output_dim:
        raise ShapeError(
            f"networks from {first.input_dim} to {first.output_dim} and from {second.input_dim} to "
            f"{second.output_dim} dimensions cannot be subtracted"
        )
    depth = max(len(first.layers), len(second.layers))
    above, below = _deepened(first, depth), _deepened(second, depth)
    layers = []
    for index, (one, other) in enumerate(zip(above.layers, below.layers, strict=True)):
        pad_left = [Fraction(0)] * (0 if index == 0 else one.n_inputs)
        pad_right = [Fraction(0)] * (0 if index == 0 else other.n_inputs)
        rows = [[*w, *pad_right, b] for w, b in zip(one.weights, one.bias, strict=True)]
        rows += [[*pad_left, *w, b] for w, b in zip(other.weights, other.bias, strict=True)]
        layers.append(AffineLayer(RationalMatrix.from_rows(rows)))
    activations = [(*a, *b) for a, b in zip(above.activations, below.activations, strict=True)]
    one, other = _last(above), _last(below)
    out = []
    for w, b, v, c in zip(one.weights, one.bias, other.weights, other.bias, strict=True):
        if depth:
            out.append([*w, *(-entry for entry in v), b - c])
        else:
            out.append([*(p - q for p, q in zip(w, v, strict=True)), b - c])
    return Network.from_parts(layers, activations, AffineLayer(RationalMatrix.from_rows(out)), first.input_dim)


def _identity(size: int) -> AffineLayer:
    return AffineLayer(RationalMatrix.from_rows([[int(i == j) for j in range(size + 1)] for i in range(size)]))


def _last(network: Network) -> AffineLayer:
    return network.output or _identity(network.output_dim)


def _deepened(network: Network, depth: int) -> Network:
    """Carry the last hidden layer on, unchanged, until there are `depth` layers."""
    size = network.widths[-1] if network.layers else network.input_dim
    extra = depth - len(network.layers)
    return Network.from_parts(
        [*network.layers, *[_identity(size)] * extra],
        [*network.activations, *[(IDENTITY,) * size] * extra],
        network.output,
        network.input_dim,
    )


def _largest(division: Subdivision, outputs: int) -> Extremum:
    best: Extremum | None = None
    for output in range(outputs):
        found = range_on(division, output)
        for end in (found.minimum, found.maximum):
            if end.value is None:
                return end
            if best is None or abs(end.value) > (best.value or 0):
                best = Extremum(abs(end.value), end.point)
    if best is None:
        raise ShapeError("networks without outputs cannot be compared")
    return best


def _witness(network: Network, division: Subdivision) -> Point:
    """A point inside a cell where the network, which is not zero on that closed cell, is not zero."""
    generators = division.generators
    nonzero = {g for g, values in enumerate(generators.values) if any(values)}
    cell = next((cell for cell in division.cells.values() if not nonzero.isdisjoint(cell)), None)
    if cell is None:  # it varies along a line only
        cell = next(iter(division.cells.values()))
    vertices = [g for g in cell if generators.is_vertex(g)]
    centre = interior_point(generators, cell)
    moves = [generators.point(g) for g in cell if not generators.is_vertex(g)]
    moves += [tuple(Fraction(entry) for entry in line[:-1]) for line in generators.lines]
    candidates = [centre]
    candidates += [tuple(a + b for a, b in zip(centre, move, strict=True)) for move in moves]
    candidates += [
        tuple((a + b) / 2 for a, b in zip(centre, generators.point(g), strict=True)) for g in vertices
    ]  # with the centre they are affinely independent, and an affine function that vanishes at all of them is zero
    return next(point for point in candidates if any(network(point)))
