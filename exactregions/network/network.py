"""The network: affine layers, a piecewise-linear activation for every hidden neuron, an optional affine output layer.

Neurons are numbered layer by layer, first layer first.  All numbers are rationals; what a float network means is what
its stored floats mean.  A network computes nothing by itself in floating point: evaluation, patterns and affine maps
are exact, by the forward pass of `exactregions.network.forward`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np

from exactregions.errors import InputError, ShapeError
from exactregions.network import fingerprint, forward
from exactregions.network.activations import RELU, PiecewiseLinear, activation_from_json
from exactregions.rational import IntMatrix, RationalMatrix, to_fraction_matrix, to_fractions

__all__ = ["AffineLayer", "Network"]


@dataclass(frozen=True, slots=True)
class AffineLayer:
    """The affine map x -> W x + b, exactly.

    Parameters
    ----------
    matrix : RationalMatrix
        Shape (n, m + 1): the weights, then the bias as last column.
    """

    matrix: RationalMatrix

    @classmethod
    def from_weights(cls, weights: object, bias: object, *, inputs: int | None = None, where: str = "") -> AffineLayer:
        """Read weights (n rows of m) and bias (n), each number exactly as stored or written."""
        rows = to_fraction_matrix(weights, columns=inputs, where=f"{where}, weights" if where else "weights")
        place = f"{where}, bias" if where else "bias"
        shifts = to_fractions(bias, where=place)
        if not rows:
            raise ShapeError("a layer needs at least one neuron", where=where or None)
        if len(shifts) != len(rows):
            raise ShapeError(f"{len(shifts)} entries where {len(rows)} are wanted, one for each row of W", where=place)
        return cls(RationalMatrix.from_rows([(*row, shift) for row, shift in zip(rows, shifts, strict=True)]))

    @property
    def n_inputs(self) -> int:
        """Number of columns of W."""
        return self.matrix.shape[1] - 1

    @property
    def n_outputs(self) -> int:
        """Number of rows of W."""
        return self.matrix.shape[0]

    @property
    def weights(self) -> tuple[tuple[Fraction, ...], ...]:
        """W, row by row."""
        return tuple(row[:-1] for row in self.matrix.to_fractions())

    @property
    def bias(self) -> tuple[Fraction, ...]:
        """The vector b."""
        return tuple(row[-1] for row in self.matrix.to_fractions())

    def after(self, inner: RationalMatrix) -> AffineLayer:
        """Compose with an affine map given as an (m + 1, k + 1) matrix whose last row is (0, ..., 0, 1)."""
        return AffineLayer((self.matrix @ inner).reduced())


class Network:
    """A piecewise-linear feed-forward network over the rationals.

    Parameters
    ----------
    layers : sequence of (W, b)
        The hidden layers; W of shape (n, m), b of length n.  Numbers may be ints, floats, fractions or strings.
    output : (W, b), optional
        An affine output layer.  Without it, the network's value is the last hidden layer's activation vector.
    activation : PiecewiseLinear, name, or list
        One for all neurons, or a list with one a layer, or within that list a list with one a neuron.
    input_dim : int, optional
        Needed only if there is no layer at all; otherwise checked.

    Raises
    ------
    InputError
        For numbers that are not finite rationals, shapes that do not fit, unknown activations.

    Examples
    --------
    >>> tent = Network([([[1], [1]], [0, "-1/2"])], output=([[2, -4]], [0]))
    >>> tent(["1/4"]), tent.pattern_at(["3/4"])
    ((Fraction(1, 2),), (1, 1))
    """

    __slots__ = ("__dict__", "activations", "input_dim", "layers", "output")

    layers: tuple[AffineLayer, ...]
    activations: tuple[tuple[PiecewiseLinear, ...], ...]
    output: AffineLayer | None
    input_dim: int

    def __init__(
        self,
        layers: Sequence[Sequence[object] | AffineLayer],
        *,
        output: Sequence[object] | AffineLayer | None = None,
        activation: object = RELU,
        input_dim: int | None = None,
    ) -> None:
        hidden: list[AffineLayer] = []
        size = input_dim
        for index, pair in enumerate(layers, start=1):
            hidden.append(_read_layer(pair, size, f"layer {index}"))
            size = hidden[-1].n_outputs
        last = None if output is None else _read_layer(output, size, "output layer")
        first = hidden[0] if hidden else last
        if first is None and input_dim is None:
            raise InputError("a network without layers needs input_dim")
        self._set(tuple(hidden), _spread(activation, hidden), last, first.n_inputs if first else int(input_dim or 0))

    def _set(
        self,
        layers: tuple[AffineLayer, ...],
        activations: tuple[tuple[PiecewiseLinear, ...], ...],
        output: AffineLayer | None,
        input_dim: int,
    ) -> None:
        self.layers = layers
        self.activations = activations
        self.output = output
        self.input_dim = input_dim
        if input_dim < 0 or (input_dim == 0 and layers):
            raise ShapeError("the input must have at least one coordinate")

    @classmethod
    def from_parts(
        cls,
        layers: Sequence[AffineLayer],
        activations: Sequence[Sequence[PiecewiseLinear]],
        output: AffineLayer | None,
        input_dim: int,
    ) -> Network:
        """Assemble a network from layers that are exact already."""
        network = cls.__new__(cls)
        network._set(tuple(layers), tuple(map(tuple, activations)), output, input_dim)
        return network

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of neurons in each hidden layer."""
        return tuple(layer.n_outputs for layer in self.layers)

    @cached_property
    def n_neurons(self) -> int:
        """Number of hidden neurons, N."""
        return sum(self.widths)

    @cached_property
    def layer_starts(self) -> tuple[int, ...]:
        """Number of the first neuron of each layer, and N at the end."""
        return (0, *accumulate(self.widths))

    @cached_property
    def output_dim(self) -> int:
        """Number of outputs."""
        if self.output is not None:
            return self.output.n_outputs
        return self.widths[-1] if self.layers else self.input_dim

    @cached_property
    def neurons(self) -> tuple[PiecewiseLinear, ...]:
        """The activation of every neuron, in the order of patterns."""
        return tuple(activation for layer in self.activations for activation in layer)

    @cached_property
    def integer_activations(self) -> tuple[forward.IntegerActivations, ...]:
        """The activations in integers, layer by layer, for the forward pass."""
        return tuple(map(forward.IntegerActivations.of, self.activations))

    def layer_of(self, neuron: int) -> tuple[int, int]:
        """Return the layer (from 0) and the place within it of a neuron."""
        if not 0 <= neuron < self.n_neurons:
            raise InputError(f"no neuron {neuron}: they are numbered 0 to {self.n_neurons - 1}")
        layer = next(k for k, start in enumerate(self.layer_starts[1:]) if neuron < start)
        return layer, neuron - self.layer_starts[layer]

    @cached_property
    def has_zero_bias(self) -> bool:
        """Whether every bias of the hidden layers is zero."""
        return not any(shift for layer in self.layers for shift in layer.bias)

    @cached_property
    def is_positively_homogeneous(self) -> bool:
        """Whether all hidden activations satisfy phi(c t) = c phi(t) for c > 0."""
        return all(activation.is_positively_homogeneous for activation in set(self.neurons))

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the canonical text of the network: see `exactregions.network.fingerprint`."""
        return fingerprint.digest(self)

    def __call__(self, point: object) -> tuple[Fraction, ...]:
        """Exact value at a rational point, as `evaluate`."""
        return self.evaluate(point)

    def evaluate(self, point: object) -> tuple[Fraction, ...]:
        """Exact value of the network at a rational point of length `input_dim`."""
        passed = forward.at_point(self, self._read_point(point))
        return tuple(row[0] for row in passed.output.to_fractions())

    def pre_activations(self, point: object) -> tuple[tuple[Fraction, ...], ...]:
        """Exact pre-activations z(x), layer by layer."""
        passed = forward.at_point(self, self._read_point(point))
        return tuple(tuple(row[0] for row in layer.to_fractions()) for layer in passed.pre_activations)

    def pattern_at(self, point: object) -> tuple[int, ...]:
        """Pieces of all neurons at a point, by the left-open rule: a neuron at a breakpoint is on the piece left of it.

        On a wall this need not be the pattern of a cell; `pattern_beyond` gives the cell on a chosen side.
        """
        return forward.at_point(self, self._read_point(point)).pattern

    def pattern_beyond(self, point: object, direction: object | None = None) -> tuple[int, ...]:
        """Pattern just beyond a point: at x + eps v for every small enough eps > 0.

        Without a direction, the point is moved by eps e_1 + eps^2 e_2 + ... instead, which leads off every wall, so
        that the answer is the pattern of a cell that has the point in its closure.
        """
        start = self._read_point(point)
        moves = None if direction is None else [self._read_point(direction)]
        return forward.beyond(self, start, moves).pattern

    def breakpoints_at(self, point: object) -> tuple[bool, ...]:
        """For every neuron, whether its pre-activation is exactly at a breakpoint at the point."""
        values = [value for layer in self.pre_activations(point) for value in layer]
        return tuple(value in phi.breakpoints for value, phi in zip(values, self.neurons, strict=True))

    def forms(self, pattern: Sequence[int]) -> tuple[RationalMatrix, ...]:
        """Pre-activations on a pattern as affine forms: for each layer a matrix (n, d + 1), constants last."""
        return forward.on_pattern(self, self.check_pattern(pattern)).pre_activations

    def pre_activation_form(self, neuron: int, pattern: Sequence[int]) -> tuple[tuple[Fraction, ...], Fraction]:
        """z_i on a pattern as (a, c) with z_i(x) = a.x + c; only the pieces of earlier layers matter."""
        layer, place = self.layer_of(neuron)
        row = self.forms(pattern)[layer].to_fractions()[place]
        return row[:-1], row[-1]

    def affine_map(self, pattern: Sequence[int]) -> AffineLayer:
        """The affine map that the network's value follows on a pattern, as a layer with `weights` and `bias`."""
        return AffineLayer(forward.on_pattern(self, self.check_pattern(pattern)).output.reduced())

    def check_pattern(self, pattern: Sequence[int]) -> tuple[int, ...]:
        """Return the pattern as a tuple, or say which neuron's piece does not exist."""
        if len(pattern) != self.n_neurons:
            raise ShapeError(f"a pattern of {len(pattern)} pieces for {self.n_neurons} neurons")
        for neuron, (piece, phi) in enumerate(zip(pattern, self.neurons, strict=True)):
            if not isinstance(piece, (int, np.integer)) or not 0 <= piece < phi.n_pieces:
                raise InputError(
                    f"no piece {piece}: {phi} has pieces 0 to {phi.n_pieces - 1}", where=f"neuron {neuron}"
                )
        return tuple(int(piece) for piece in pattern)

    def composed_with(self, inner: RationalMatrix) -> Network:
        """Return the network t -> f(M t + o), for `inner` = [[M, o], [0, 1]]: how a `Slice` is enumerated."""
        layers = (*self.layers, *([self.output] if self.output else []))
        if not layers:  # the identity becomes the affine map itself
            image = RationalMatrix(IntMatrix(inner.numerators.tolist()[:-1]), inner.denominator)
            return Network.from_parts([], [], AffineLayer(image), inner.shape[1] - 1)
        parts = [layers[0].after(inner), *layers[1:]]
        return Network.from_parts(
            parts[: len(self.layers)], self.activations, parts[-1] if self.output else None, inner.shape[1] - 1
        )

    def _read_point(self, point: object) -> tuple[Fraction, ...]:
        read = to_fractions(point, where="point")
        if len(read) != self.input_dim:
            raise ShapeError(f"a point of {len(read)} coordinates for a network of {self.input_dim} inputs")
        return read

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        sizes = "-".join(map(str, (self.input_dim, *self.widths, *([self.output_dim] if self.output else []))))
        kinds = ", ".join(dict.fromkeys(map(str, self.neurons)))
        return f"<Network {sizes} {kinds or 'affine'}>"


def _read_layer(pair: Sequence[object] | AffineLayer, size: int | None, where: str) -> AffineLayer:
    if isinstance(pair, AffineLayer):
        if size is not None and pair.n_inputs != size:
            raise ShapeError(f"{pair.n_inputs} inputs where {size} are wanted", where=where)
        return pair
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ShapeError("a layer is a pair (W, b)", where=where)
    return AffineLayer.from_weights(pair[0], pair[1], inputs=size, where=where)


def _spread(activation: object, hidden: Sequence[AffineLayer]) -> tuple[tuple[PiecewiseLinear, ...], ...]:
    """Give every neuron its activation, from one for all, one a layer, or one a neuron."""
    if not isinstance(activation, (list, tuple)):
        phi = activation_from_json(activation, where="activation")
        return tuple((phi,) * layer.n_outputs for layer in hidden)
    if len(activation) != len(hidden):
        raise ShapeError(f"{len(activation)} activations for {len(hidden)} hidden layers", where="activation")
    return tuple(_spread_layer(kind, layer.n_outputs, index) for index, (kind, layer) in _numbered(activation, hidden))


def _numbered(
    kinds: Sequence[object], hidden: Sequence[AffineLayer]
) -> Iterator[tuple[int, tuple[object, AffineLayer]]]:
    return enumerate(zip(kinds, hidden, strict=True), start=1)


def _spread_layer(kind: object, width: int, index: int) -> tuple[PiecewiseLinear, ...]:
    where = f"layer {index}, activation"
    if not isinstance(kind, (list, tuple)):
        return (activation_from_json(kind, where=where),) * width
    if len(kind) != width:
        raise ShapeError(f"{len(kind)} activations for {width} neurons", where=where)
    return tuple(activation_from_json(one, where=f"{where}, neuron {place}") for place, one in enumerate(kind))
