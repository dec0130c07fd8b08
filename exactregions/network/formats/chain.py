"""Putting a network together from operations in sequence, as loaders meet them.

A `Network` alternates affine layers and activations.  Files and modules do not: they have an affine map after an
affine map, an activation after an activation or at the very start, a flattening or a change of sign between.  `Chain`
takes the operations in order and brings them to that form exactly: neighbouring affine maps are composed over Q, and an
activation that follows no affine map gets the identity as its layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactregions.errors import ShapeError
from exactregions.network.activations import PiecewiseLinear
from exactregions.network.network import AffineLayer, Network
from exactregions.rational import IntMatrix, RationalMatrix

__all__ = ["Chain"]


class Chain:
    """A network under construction.

    Parameters
    ----------
    input_dim : int
        Number of inputs.

    Examples
    --------
    >>> from exactregions.network import RELU
    >>> chain = Chain(1)
    >>> chain.affine(AffineLayer.from_weights([[2]], [1]))
    >>> chain.affine(AffineLayer.from_weights([[3]], [0]))
    >>> chain.activate([RELU])
    >>> chain.network().layers[0].weights, chain.network().layers[0].bias
    (((Fraction(6, 1),),), (Fraction(3, 1),))
    """

    def __init__(self, input_dim: int) -> None:
        self._input_dim = input_dim
        self._layers: list[AffineLayer] = []
        self._activations: list[tuple[PiecewiseLinear, ...]] = []
        self._pending: AffineLayer | None = None

    @property
    def width(self) -> int:
        """Number of coordinates of the signal so far."""
        if self._pending is not None:
            return self._pending.n_outputs
        return self._layers[-1].n_outputs if self._layers else self._input_dim

    def affine(self, layer: AffineLayer) -> None:
        """Append an affine map."""
        if layer.n_inputs != self.width:
            raise ShapeError(f"{layer.n_inputs} inputs where {self.width} are wanted")
        self._pending = layer if self._pending is None else layer.after(_homogeneous(self._pending))

    def scale_and_shift(self, factors: Sequence[Fraction | int], shifts: Sequence[Fraction | int]) -> None:
        """Append the affine map that multiplies and shifts each coordinate by itself."""
        size = self.width
        rows = [[0] * place + [factor] + [0] * (size - place - 1) for place, factor in enumerate(factors)]
        self.affine(AffineLayer.from_weights(rows, list(shifts), inputs=size))

    def activate(self, activations: Sequence[PiecewiseLinear]) -> None:
        """Append an activation for each coordinate."""
        if len(activations) != self.width:
            raise ShapeError(f"{len(activations)} activations for {self.width} neurons")
        if self._pending is None:
            self.scale_and_shift([1] * self.width, [0] * self.width)
        if self._pending is not None:
            self._layers.append(self._pending)
            self._activations.append(tuple(activations))
            self._pending = None

    def network(self) -> Network:
        """Return the network; a last affine map becomes its output layer."""
        return Network.from_parts(self._layers, self._activations, self._pending, self._input_dim)


def _homogeneous(layer: AffineLayer) -> RationalMatrix:
    """[[W, b], [0, 1]]."""
    rows, columns = layer.matrix.shape
    unit = [0] * (columns - 1) + [layer.matrix.denominator]
    flat = [*map(int, layer.matrix.numerators.entries()), *unit]
    return RationalMatrix(IntMatrix(rows + 1, columns, flat), layer.matrix.denominator)
