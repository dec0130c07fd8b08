"""From (network, domain) to the problem that the kernels of `split` search: homogeneous, two-slope, small.

Three exact steps, none of which rounds:

1. *Own coordinates.*  A slice is composed into the first layer, and idle directions are dropped, as for every engine
   (`exactregions.enumeration.reduce`); `columns` are the coordinates kept.
2. *Homogeneous coordinates* (x_1, ..., x_d, x_0) with x_0 > 0, last: unbounded cells become pointed cones like all
   others, a direction being a ray with x_0 = 0.  If the domain is the whole space, all biases are 0 and every
   activation is positively homogeneous, cells are cones already and x_0 is left out (`is_cone`): d coordinates.
   That does not hold on a domain with sides.
3. *Two slopes.*  A neuron with breakpoints xi_1 < ... < xi_T becomes T *rows* g_k = z - xi_k x_0, each with one wall,
   {g_k = 0}, and phi(z) = phi(xi_1) x_0 + sum_k u_k, where u_k = `slopes`[k][g_k > 0] * g_k is the row's *feature*:
   slopes (p_0, p_1) for k = 1 and (0, p_k - p_(k-1)) for k > 1 (p_k the slope of phi on piece k; check: on piece k the
   sum telescopes to p_k z plus the constant that continuity demands).  The constants phi(xi_1) go into the next layer's
   bias.  A neuron without breakpoint is one row that is no wall.  So for every network
       g_1 = A_1 x,   g_l = A_l (u_(l-1); x_0),   u_l = slope by the sign of g_l, times g_l,
   and the piece of a neuron is the number of its rows with g > 0.  ReLU: one row a neuron, slopes (0, 1).

For directions (x_0 = 0) the same formulas give the recession map, since all of it is positively homogeneous.

`float_layers` rounds the exact entries to nearest: each differs from the exact one by at most 2^-53 of it, so kernels
that count one more rounding a product are right for every rational network.
`integer_layers` scales g_l by a positive integer s_l, so that integral coordinates have integral values everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import gcd

import numpy as np
from numpy.typing import NDArray

from exactregions.domains import Domain
from exactregions.enumeration.reduce import essential_coordinates, in_own_coordinates, put_back
from exactregions.network import Network, PiecewiseLinear
from exactregions.rational import IntMatrix, RationalMatrix, common_denominator, primitive

__all__ = ["FloatLayer", "HomogeneousProblem", "IntegerLayer", "RowLayer", "homogeneous_problem"]

_SMALLEST, _LARGEST = 2.0**-100, 2.0**100
_MANTISSA = 1 << 53
_ZERO = (Fraction(0),)
_MOST_KEPT = 8  # domains of a network


@dataclass(frozen=True, slots=True)
class RowLayer:
    """One layer of the two-slope form, exact.

    Attributes
    ----------
    matrix : RationalMatrix
        A_l: shape (R_l, n_coordinates) for the first layer, (R_l, R_(l-1) + 1) for later ones, column x_0 last.
    slopes : tuple of pairs of Fraction
        For each row its slope for g <= 0 and for g > 0.
    neurons : tuple of int
        For each row the neuron, within the layer, that it belongs to; rows of a neuron are consecutive, in the order
        of its breakpoints.
    is_wall : tuple of bool
        False for the single row of a neuron that has no breakpoint.
    """

    matrix: RationalMatrix
    slopes: tuple[tuple[Fraction, Fraction], ...]
    neurons: tuple[int, ...]
    is_wall: tuple[bool, ...]

    @property
    def n_rows(self) -> int:
        """R_l."""
        return len(self.slopes)


@dataclass(frozen=True, slots=True)
class FloatLayer:
    """A `RowLayer` rounded to nearest float64; C-contiguous arrays.

    Attributes
    ----------
    weights : float64 array of shape (R_l, n_coordinates) or (R_l, R_(l-1))
        Without the column of x_0 from the second layer on; the first layer keeps all coordinates.
    bias : float64 array of shape (R_l,)
        The column of x_0 (zeros for the first layer, whose weights have it).
    slopes : float64 array of shape (R_l, 2)
    is_wall : bool array of shape (R_l,)
    """

    weights: NDArray[np.float64]
    bias: NDArray[np.float64]
    slopes: NDArray[np.float64]
    is_wall: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class IntegerLayer:
    """A `RowLayer` in integers: values are s_l g_l and features t_l u_l for positive integers s_l and t_l.

    The arrays are as in `FloatLayer`, and all their entries are integers below 2^53 in magnitude.
    """

    weights: NDArray[np.float64]
    bias: NDArray[np.float64]
    slopes: NDArray[np.float64]
    is_wall: NDArray[np.bool_]


@dataclass(frozen=True)
class HomogeneousProblem:
    """What the kernels search.

    Attributes
    ----------
    network : Network
        The network in the coordinates of `domain` (composed with the slice, if there was one); its patterns are those
        of the network that was given.
    domain : Domain
        Never a `Slice`.
    columns : tuple of int
        The coordinates of the domain that are kept; the others are 0.
    is_cone : bool
        Whether x_0 is left out.
    n_coordinates : int
        Length of a homogeneous vector: len(columns) + 1, or len(columns) for cones.
    domain_rows : tuple of tuples of int
        Primitive integer rows, each meaning row . x > 0, in homogeneous coordinates; without x_0 > 0.
    layers : tuple of RowLayer
    start_rows : tuple of int
        Rows of the first layer that, together with x_0 (unless `is_cone`) and the domain's rows, have rank
        n_coordinates, and are as few as possible: the 2^len(start_rows) choices of their signs split the domain into
        pointed cones.  Over the whole space these cones are simplicial.
    """

    network: Network
    domain: Domain
    columns: tuple[int, ...]
    is_cone: bool
    n_coordinates: int
    domain_rows: tuple[tuple[int, ...], ...]
    layers: tuple[RowLayer, ...]
    start_rows: tuple[int, ...]

    @property
    def dim(self) -> int:
        """Effective dimension: the projective one, n_coordinates - 1."""
        return self.n_coordinates - 1

    @cached_property
    def wall_numbers(self) -> list[list[int]]:
        """For each layer its rows that are walls, numbered through the rows of all layers."""
        starts = (0, *accumulate(layer.n_rows for layer in self.layers))
        return [
            [start + row for row, is_wall in enumerate(layer.is_wall) if is_wall]
            for start, layer in zip(starts, self.layers, strict=False)
        ]

    def lift(self, ray: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
        """Take a homogeneous vector with x_0 > 0 (any vector, for cones) to a point of the domain."""
        scale = 1 if self.is_cone else ray[-1]
        point = [Fraction(value) / scale for value in ray[: len(self.columns)]]
        return put_back(point, self.columns, self.domain.dim)

    def lift_floats(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take affine reduced points (n, len(columns)), x_0 = 1, to points of the domain, without rounding."""
        lifted = np.zeros((len(points), self.domain.dim))
        lifted[:, list(self.columns)] = points
        return lifted

    def float_layers(self) -> tuple[FloatLayer, ...] | None:
        """Return the layers in float64, or None if entries overflow or are so small that products could underflow."""
        return self._float_layers

    def integer_layers(self) -> tuple[IntegerLayer, ...] | None:
        """Return the layers in integers, or None if an entry reaches 2^53."""
        return self._integer_layers

    @cached_property
    def _float_layers(self) -> tuple[FloatLayer, ...] | None:
        found: list[FloatLayer] = []
        for layer in self.layers:
            entries = layer.matrix.to_floats()
            pairs = list(dict.fromkeys(layer.slopes))
            place = {pair: index for index, pair in enumerate(pairs)}
            slopes = RationalMatrix.from_rows(pairs).to_floats()[[place[pair] for pair in layer.slopes]]
            for table in (entries, slopes):
                used = np.abs(table[table != 0])
                if used.size and not (used.min() >= _SMALLEST and used.max() <= _LARGEST):
                    return None
            walls = np.array(layer.is_wall, np.bool_)
            weights, bias = _split(entries, first=not found)
            found.append(FloatLayer(weights, bias, slopes, walls))
        return tuple(found)

    @cached_property
    def _integer_layers(self) -> tuple[IntegerLayer, ...] | None:
        found: list[IntegerLayer] = []
        factor = 1  # t of the layer before; 1 for the coordinates themselves
        for layer in self.layers:
            width = layer.matrix.shape[1]
            flat = [int(value) for value in layer.matrix.numerators.entries()]
            if found and factor != 1:
                flat[width - 1 :: width] = [value * factor for value in flat[width - 1 :: width]]
            scale = layer.matrix.denominator * factor
            divisor = gcd(scale, *flat)
            if max(map(abs, flat)) // divisor >= _MANTISSA:
                return None
            unit = common_denominator(slope for pair in layer.slopes for slope in pair)
            slopes = [[int(slope * unit) for slope in pair] for pair in layer.slopes]
            factor = scale // divisor * unit
            if max(abs(slope) for pair in slopes for slope in pair) >= _MANTISSA:
                return None
            entries = np.array([value // divisor for value in flat], np.float64).reshape(layer.n_rows, width)
            weights, bias = _split(entries, first=not found)
            walls = np.array(layer.is_wall, np.bool_)
            found.append(IntegerLayer(weights, bias, np.array(slopes, np.float64), walls))
        return tuple(found)


def homogeneous_problem(network: Network, domain: Domain) -> HomogeneousProblem:
    """Reduce a network on a domain to the form that the kernels search; kept with the network for its last domains.

    Raises
    ------
    ShapeError
        If the domain does not fit the network's input.

    Examples
    --------
    >>> from exactregions.domains import WholeSpace
    >>> wide = Network([([[1, 1, 2], [1, 1, 0]], [0, 1])])
    >>> problem = homogeneous_problem(wide, WholeSpace(3))
    >>> problem.columns, problem.n_coordinates, problem.start_rows
    ((0, 2), 3, (0, 1))
    """
    kept: dict[Domain, HomogeneousProblem] = network.__dict__.setdefault("_homogeneous_problems", {})
    if domain not in kept:
        found = _reduce(network, domain)
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[domain] = found
    return kept[domain]


def _reduce(network: Network, domain: Domain) -> HomogeneousProblem:
    network, domain = in_own_coordinates(network, domain)
    sides = [primitive(row) for row in domain.integer_rows()]
    columns = essential_coordinates(network, domain)
    is_cone = not sides and bool(columns) and network.has_zero_bias and network.is_positively_homogeneous
    kept = [*columns, *(() if is_cone else (domain.dim,))]
    rows = tuple(tuple(row[i] for i in kept) for row in sides)
    layers = _row_layers(network, kept)
    starts = _start_rows(rows, layers[0].matrix if layers else None, len(kept), is_cone=is_cone)
    return HomogeneousProblem(network, domain, columns, is_cone, len(kept), rows, layers, starts)


def _row_layers(network: Network, kept: Sequence[int]) -> tuple[RowLayer, ...]:
    layers: list[RowLayer] = []
    constants: list[Fraction] = []  # phi(xi_1) of the neurons before
    for layer, activations in zip(network.layers, network.activations, strict=True):
        if _is_plain(activations, constants, layers, kept, network.input_dim):
            slope = tuple([(phi.slopes[0], phi.slopes[1]) for phi in activations])
            count = len(activations)
            layers.append(RowLayer(layer.matrix, slope, tuple(range(count)), (True,) * count))
            constants = [phi.anchor[1] for phi in activations]
            continue
        table = layer.matrix.to_fractions()
        if layers:
            before = layers[-1].neurons
            table = tuple(
                (*(row[j] for j in before), row[-1] + sum(w * c for w, c in zip(row, constants, strict=False) if c))
                for row in table
            )
        else:
            table = tuple(tuple(row[i] for i in kept) for row in table)
        rows, slopes, neurons, walls = [], [], [], []
        for neuron, (row, phi) in enumerate(zip(table, activations, strict=True)):
            for mark, pair in _marks(phi):
                # on cones every mark is 0, and the last column is no bias
                rows.append((*row[:-1], row[-1] - mark) if mark else row)
                slopes.append(pair)
                neurons.append(neuron)
                walls.append(bool(phi.breakpoints))
        layers.append(RowLayer(RationalMatrix.from_rows(rows), tuple(slopes), tuple(neurons), tuple(walls)))
        constants = [phi.anchor[1] for phi in activations]
    return tuple(layers)


def _is_plain(
    activations: Sequence[PiecewiseLinear],
    constants: Sequence[Fraction],
    layers: Sequence[RowLayer],
    kept: Sequence[int],
    n_inputs: int,
) -> bool:
    """Whether a layer's matrix can stay as it is: one breakpoint, 0, for each neuron, and each column used once."""
    if any(phi.breakpoints != _ZERO for phi in activations) or any(constants):
        return False
    if layers:
        return layers[-1].n_rows == len(set(layers[-1].neurons))
    return list(kept) == list(range(n_inputs + 1))


def _marks(phi: PiecewiseLinear) -> list[tuple[Fraction, tuple[Fraction, Fraction]]]:
    """Return (breakpoint, slopes) of the rows of a neuron."""
    if not phi.breakpoints:
        return [(Fraction(0), (phi.slopes[0], phi.slopes[0]))]
    steps = phi.slopes
    pairs = [(steps[0], steps[1])]
    pairs += [(Fraction(0), after - before) for before, after in pairwise(steps[1:])]
    return list(zip(phi.breakpoints, pairs, strict=True))


def _start_rows(
    sides: Sequence[Sequence[int]], first: RationalMatrix | None, size: int, *, is_cone: bool
) -> tuple[int, ...]:
    """Complete x_0 and the domain's rows to full rank with first-layer rows, well-conditioned ones if floats agree."""
    given: list[Sequence[int]] = [] if is_cone else [(0,) * (size - 1) + (1,)]
    given += sides
    rank = IntMatrix(len(given), size, [entry for row in given for entry in row]).rank() if given else 0
    if rank == size or first is None:
        return ()
    rows = [list(map(int, row)) for row in first.numerators.tolist()]
    order = list(range(len(rows)))
    if not sides:
        order = _pivoted(first.to_floats(), size if is_cone else size - 1) or order
    flat = [entry for row in (*given, *(rows[i] for i in order)) for entry in row]
    stacked = RationalMatrix(IntMatrix(len(given) + len(rows), size, flat)).transpose()
    return tuple(sorted(order[i - len(given)] for i in stacked.pivot_columns() if i >= len(given)))


def _pivoted(first: NDArray[np.float64], rank: int) -> list[int]:
    """Order rows so that those come first that a pivoted QR factorisation takes: a proposal, checked exactly."""
    table = first[:, :rank]
    if not np.isfinite(table).all():
        return []
    order: list[int] = []
    for _ in range(min(rank, len(first))):
        with np.errstate(over="ignore"):
            norms = (table * table).sum(axis=1)
        norms[order] = -1.0
        best = int(norms.argmax())
        order.append(best)
        if norms[best] > 0:
            unit = table[best] / np.sqrt(norms[best])
            table = table - np.outer(table @ unit, unit)
    return order + [i for i in range(len(first)) if i not in set(order)]


def _split(table: NDArray[np.float64], *, first: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if first:
        return np.ascontiguousarray(table), np.zeros(len(table))
    return np.ascontiguousarray(table[:, :-1]), np.ascontiguousarray(table[:, -1])
