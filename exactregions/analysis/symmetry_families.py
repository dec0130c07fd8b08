"""From a null direction to a family of networks that compute one function, or a proof that it is first order only.

Along theta + t v, 0 <= t <= T, three cases reduce to the equality of two piecewise-linear networks, which is decided:

* only the last affine layer moves: f_t - f = t (f_1 - f), so equality at t = 1 is equality for every t;
* only biases move: (x, t) -> f_t(x) is itself piecewise linear, and is compared with f on the domain times (0, T);
* only rows of one hidden layer move: its pre-activations z_j + t d_j(x) run between z_j and z_j + T d_j, so it suffices
  that f does not change while every one of them is moved by any amount between 0 and T d_j, independently: the amount
  is an input, clamped by two layers of ReLU.

On the other hand, if theta + t v + t^2 w + o(t^2) keeps the function, then on every smooth cell q + J w = 0, with q the
second-order term along the straight line and J the Jacobian.  If q is not in the column space of J, then no twice
differentiable curve with velocity v keeps the function: v is a symmetry to first order only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np

from exactregions.analysis.equality import equal
from exactregions.analysis.functional_dimension import FunctionalDimension
from exactregions.analysis.jacobian import PRIME, CellJacobian
from exactregions.analysis.null_check import leaves_unchanged
from exactregions.analysis.parameters import Parameters
from exactregions.domains import Domain, Polyhedron, Slice, WholeSpace
from exactregions.errors import InputError, UndecidedError
from exactregions.network import IDENTITY, RELU, AffineLayer, Network
from exactregions.rational import RationalMatrix, integer_row, modular_echelon
from exactregions.regions import RegionComplex, Status

__all__ = ["Family", "FirstOrderOnly", "StraightFails", "follow"]

Rows = list[list[Fraction]]


@dataclass(frozen=True, slots=True)
class Family:
    """Networks theta + t v, 0 <= t <= end, that all compute the same function on the domain.

    Attributes
    ----------
    parameters : Parameters
    direction : sequence of numbers
    end : Fraction or None
        None if every t will do.
    proof : str
        Which of the arguments of the module proves it.
    """

    parameters: Parameters
    direction: tuple[Fraction | int, ...]
    end: Fraction | None
    proof: str

    def at(self, step: Fraction | int) -> Network:
        """Return a member.

        Raises
        ------
        InputError
            If the step is outside the interval.
        """
        if self.end is not None and not 0 <= step <= self.end:
            raise InputError(f"the family is proved for 0 <= t <= {self.end}, not for {step}")
        return self.parameters.moved(self.direction, step)


@dataclass(frozen=True, slots=True)
class FirstOrderOnly:
    """A null direction that is the velocity of no twice differentiable curve of networks with one function.

    Attributes
    ----------
    direction : sequence of numbers
    rank : int
        Of the Jacobian; with the second-order term as one more column it is `rank` + 1.
    """

    direction: tuple[Fraction | int, ...]
    rank: int


@dataclass(frozen=True, slots=True)
class StraightFails:
    """A null direction along which the straight line leaves the function; a curve with that velocity may not.

    Attributes
    ----------
    direction : sequence of numbers
    step : Fraction
        The least t that was tried.
    witness : tuple of Fraction
        A point of the domain where the network at that t has another value.
    """

    direction: tuple[Fraction | int, ...]
    step: Fraction
    witness: tuple[Fraction, ...]


def follow(
    cells: RegionComplex,
    dimension: FunctionalDimension,
    direction: Sequence[Fraction | int],
    *,
    end: Fraction | int = 1,
    halvings: int = 6,
) -> Family | FirstOrderOnly | StraightFails:
    """Turn a null direction into a family, on [0, end] or the first of its halves that can be proved, or refute it.

    Parameters
    ----------
    cells, dimension : RegionComplex, FunctionalDimension
        Complete, on a domain that is no slice.
    direction : sequence of numbers
        A null direction, in `dimension.parameters`.
    end : number
        The interval to try first.
    halvings : int
        How often to halve it.

    Raises
    ------
    InputError
        If the direction is not null, or the domain is a slice.
    UndecidedError
        If no straight family could be proved although its last member does compute the function.

    Examples
    --------
    >>> import exactregions as er
    >>> from exactregions.analysis.functional_dimension import functional_dimension
    >>> dead = er.Network([([[1], [0]], [0, -1])], output=([[1, 1]], [0]))
    >>> cells = er.enumerate_regions(dead)
    >>> found = functional_dimension(cells)
    >>> follow(cells, found, (0, 0, 0, 1, 0, 0, 0), end=4).end
    Fraction(1, 1)
    """
    parameters, network = dimension.parameters, cells.network
    if cells.status is not Status.EXACT or isinstance(cells.domain, Slice):
        raise InputError("a complete list of cells is wanted, on a domain that is no slice", where="follow")
    patterns = cells.codec.unpack(cells.packed)[dimension.smooth].astype(np.int64)
    if not leaves_unchanged(parameters, patterns, [direction]):
        raise InputError("the direction changes the function to first order", where="follow")
    for power in range(halvings + 1):
        step = Fraction(end) / 2**power
        if (proof := _proved(parameters, direction, step, cells.domain)) is not None:
            return Family(parameters, tuple(direction), None if proof == _LAST else step, proof)
    if dimension.value is not None and _obstructed(network, parameters, patterns, direction, dimension.value):
        return FirstOrderOnly(tuple(direction), dimension.value)
    step = Fraction(end) / 2**halvings
    answer = equal(network, parameters.moved(direction, step), cells.domain)
    if answer.witness is not None:
        return StraightFails(tuple(direction), step, answer.witness)
    raise UndecidedError(f"the network at t = {step} computes the function, but for those before it no proof was found")


_LAST = "only the last affine layer moves"
_BIASES = "only biases move"
_ROWS = "the rows of one layer move, and every amount in between was compared"


def _proved(parameters: Parameters, direction: Sequence[Fraction | int], end: Fraction, domain: Domain) -> str | None:
    """Say which argument proves the family on [0, end], or None."""
    network = parameters.network
    changes = parameters.matrices(direction)
    moving = [index for index, change in enumerate(changes) if change is not None]
    if not moving or moving == [len(network.layers)]:
        return _LAST if equal(network, parameters.moved(direction), domain).equal else None
    tables = [None if change is None else change.to_fractions() for change in changes]
    if not any(any(row[:-1]) for table in tables if table for row in table):
        lifted = _with_time(network, [[row[-1] for row in table] if table else None for table in tables])
        other = _ignoring(network, 1)
        return _BIASES if equal(lifted, other, _times(domain, [(Fraction(0), end)])).equal else None
    if len(moving) == 1:
        table = tables[moving[0]] or ()
        rows = {place: [end * v for v in row] for place, row in enumerate(table) if any(row)}
        lifted = _with_amounts(network, moving[0], rows)
        unbounded = _times(domain, [None] * len(rows))
        return _ROWS if equal(lifted, _ignoring(network, len(rows)), unbounded).equal else None
    return None


def _times(domain: Domain, sides: Sequence[tuple[Fraction, Fraction] | None]) -> Domain:
    """The product of a domain with intervals, or with lines where there is None."""
    extra = len(sides)
    normals: Rows = [[Fraction(-v) for v in row[:-1]] + [Fraction(0)] * extra for row in domain.integer_rows()]
    bounds = [Fraction(row[-1]) for row in domain.integer_rows()]
    for place, side in enumerate(sides):
        if side is not None:
            unit = [Fraction(int(k == domain.dim + place)) for k in range(domain.dim + extra)]
            normals += [[-v for v in unit], unit]
            bounds += [-side[0], side[1]]
    if not normals:
        return WholeSpace(domain.dim + extra)
    return Polyhedron(normals, bounds)


def _layer(rows: Sequence[Sequence[Fraction]]) -> AffineLayer:
    return AffineLayer(RationalMatrix.from_rows(rows))


def _rows(layer: AffineLayer) -> Rows:
    return [list(row) for row in layer.matrix.to_fractions()]


def _widened(layer: AffineLayer, extra: int) -> Rows:
    """Rows of a layer that takes more inputs, and does not use them."""
    return [[*row[:-1], *[Fraction(0)] * extra, row[-1]] for row in _rows(layer)]


def _unit(place: int, size: int) -> list[Fraction]:
    return [Fraction(int(k == place)) for k in range(size + 1)]


def _ignoring(network: Network, extra: int) -> Network:
    """The same network with more inputs that it does not use."""
    layers = [_layer(_widened(network.layers[0], extra)), *network.layers[1:]]
    return Network.from_parts(layers, network.activations, network.output, network.input_dim + extra)


def _with_time(network: Network, shifts: Sequence[Sequence[Fraction] | None]) -> Network:
    """The network (x, t) -> f(x) with t times the shifts added to the biases; t is carried along."""
    layers, kinds = [], []
    output: AffineLayer | None = None
    for index, layer in enumerate([*network.layers, *([network.output] if network.output else [])]):
        rows = _widened(layer, 1)
        for row, shift in zip(rows, shifts[index] or [Fraction(0)] * len(rows), strict=True):
            row[-2] = shift
        if index < len(network.layers) - (network.output is None):
            layers.append(_layer([*rows, _unit(layer.n_inputs, layer.n_inputs + 1)]))
            kinds.append((*network.activations[index], IDENTITY))
        elif index < len(network.layers):
            layers.append(_layer(rows))
            kinds.append(network.activations[index])
        else:
            output = _layer(rows)
    return Network.from_parts(layers, kinds, output, network.input_dim + 1)


def _with_amounts(network: Network, index: int, moves: dict[int, list[Fraction]]) -> Network:
    """The network (x, s) -> f(x) with s_j, clamped between 0 and its move, added to pre-activation j of one layer."""
    extra = len(moves)
    layers, kinds = [], []
    for before, phis in zip(network.layers[:index], network.activations, strict=False):
        carried = [_unit(before.n_inputs + k, before.n_inputs + extra) for k in range(extra)]
        layers.append(_layer([*_widened(before, extra), *carried]))
        kinds.append((*phis, *[IDENTITY] * extra))
    layer = network.layers[index]
    size = layer.n_inputs
    total = size + extra
    carry = [_unit(k, total) for k in range(size)]
    ends = [[*move[:-1], *[Fraction(0)] * extra, move[-1]] for move in moves.values()]
    amounts = [_unit(size + k, total) for k in range(extra)]
    both = list(chain.from_iterable((row, [-v for v in row]) for row in [*ends, *amounts]))
    layers.append(_layer([*carry, *both]))  # h, then for each j the parts of its end, then those of its amount
    kinds.append((*[IDENTITY] * size, *[RELU] * len(both)))
    total = size + 4 * extra
    first = [_unit(k, total) for k in [*range(size), *range(size + 2 * extra, total)]]
    excess = []
    for k in range(2 * extra):
        excess.append(_unit(size + 2 * extra + k, total))
        excess[-1][size + k] = Fraction(-1)
    layers.append(_layer([*first, *excess]))  # h, the parts of the amounts, and by how much these exceed the ends
    kinds.append((*[IDENTITY] * (size + 2 * extra), *[RELU] * (2 * extra)))
    rows = [[*row[:-1], *[Fraction(0)] * (4 * extra), row[-1]] for row in _rows(layer)]
    for k, place in enumerate(moves):
        for sign, part in ((1, 2 * k), (-1, 2 * k + 1)):
            rows[place][size + part] = Fraction(sign)
            rows[place][size + 2 * extra + part] = Fraction(-sign)
    layers.append(_layer(rows))
    kinds.append(network.activations[index])
    return Network.from_parts(
        [*layers, *network.layers[index + 1 :]],
        [*kinds, *network.activations[index + 1 :]],
        network.output,
        network.input_dim + extra,
    )


def _obstructed(
    network: Network,
    parameters: Parameters,
    patterns: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    direction: Sequence[Fraction | int],
    rank: int,
) -> bool:
    """Whether the second-order term along a direction is outside the column space of the Jacobian (by a rank)."""
    changes = parameters.matrices(direction)
    augmented = []
    for pattern in patterns.tolist():
        cell = CellJacobian.of(network, pattern)
        second = _second_order(network, pattern, cell, changes)
        scale = cell.scale
        for row, term in zip(cell.rows(), second, strict=True):
            short = [sum(row[k] for k in entries) for entries in parameters.groups]
            augmented.append([v % PRIME for v in integer_row([*map(Fraction, short), term * scale])[0]])
    return len(modular_echelon(augmented, PRIME)[0]) > rank


def _second_order(
    network: Network, pattern: Sequence[int], cell: CellJacobian, changes: Sequence[RationalMatrix | None]
) -> list[Fraction]:
    """Coefficients of t^2 in the output along theta + t v on a cell, in the order of the Jacobian's rows."""
    affine = [*network.layers, *([network.output] if network.output else [])]
    columns = cell.inputs[0].shape[1]
    first: Rows = [[Fraction(0)] * columns for _ in range(network.input_dim)]
    second = first
    for index, (layer, change) in enumerate(zip(affine, changes, strict=True)):
        move = change.to_fractions() if change else [[Fraction(0)] * (layer.n_inputs + 1)] * layer.n_outputs
        moved = _product([row[:-1] for row in move], first)
        along = _product(move, cell.inputs[index].to_fractions())
        first, second = (
            _sum(along, _product(layer.weights, first)),
            _sum(moved, _product(layer.weights, second)),
        )
        if index < len(network.layers):
            taken = pattern[network.layer_starts[index] : network.layer_starts[index + 1]]
            slopes = [phi.slopes[piece] for phi, piece in zip(network.activations[index], taken, strict=True)]
            first, second = (
                [[slope * v for v in row] for slope, row in zip(slopes, rows, strict=True)] for rows in (first, second)
            )
    return [value for row in second for value in row]


def _product(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]) -> Rows:
    columns = list(zip(*right, strict=True))
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns] for row in left]


def _sum(left: Rows, right: Rows) -> Rows:
    return [[a + b for a, b in zip(one, other, strict=True)] for one, other in zip(left, right, strict=True)]
