"""The shape of a network, which is all that most bounds look at; and the two counts that they are made of.

r(m, d) = sum over i <= d of C(m, i) is the number of regions of m hyperplanes in general position in R^d, the most
that m hyperplanes can make (Schlaefli 1852; Zaslavsky 1975), and r(m, d) = r(m-1, d) + r(m-1, d-1).  Through a common
point they make at most 2 sum over i < d of C(m-1, i) (Schlaefli 1852; Cover 1965).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

from exactregions.errors import InputError
from exactregions.network import Network

__all__ = ["Shape", "central_regions", "generic_bounded", "generic_faces", "generic_regions"]


def generic_regions(m: int, d: int, pieces: int = 2) -> int:
    """Most regions of m neurons in R^d: r(m, d), or with parallel walls for activations of more pieces.

    A neuron with T breakpoints has T parallel walls; any k of the m families, k <= d, meet in at most T^k flats, so
    that the number is sum over k <= d of C(m, k) T^k, attained in general position.

    Parameters
    ----------
    m, d : int
    pieces : int
        T + 1; 2 for ReLU.

    Examples
    --------
    >>> generic_regions(4, 2), generic_regions(10, 3), generic_regions(2, 2, pieces=3)
    (11, 176, 9)
    """
    _need_non_negative(m=m, d=d)
    return sum(comb(m, k) * (pieces - 1) ** k for k in range(min(m, d) + 1))


def generic_bounded(m: int, d: int) -> int:
    """Bounded regions of m hyperplanes in general position in R^d: C(m-1, d).

    Examples
    --------
    >>> generic_bounded(10, 3)
    84
    """
    _need_non_negative(m=m, d=d)
    return comb(m - 1, d) if m else int(d == 0)


def central_regions(m: int, d: int) -> int:
    """Most regions of m hyperplanes through one point of R^d.

    Examples
    --------
    >>> central_regions(10, 3), central_regions(3, 2), central_regions(0, 5)
    (92, 6, 1)
    """
    _need_non_negative(m=m, d=d)
    return 2 * sum(comb(m - 1, k) for k in range(d)) if m and d else 1


def generic_faces(m: int, d: int, k: int) -> int:
    """Faces of dimension k of m hyperplanes in general position in R^d: C(m, d-k) r(m-d+k, k).

    Examples
    --------
    >>> [generic_faces(4, 2, k) for k in (0, 1, 2)]
    [6, 16, 11]
    """
    _need_non_negative(m=m, d=d, k=k)
    return comb(m, d - k) * generic_regions(m - d + k, k) if k <= d and m >= d - k else 0


def _need_non_negative(**numbers: int) -> None:
    for name, value in numbers.items():
        if value < 0:
            raise InputError(f"{name} = {value} is negative")


@dataclass(frozen=True)
class Shape:
    """Input dimension, hidden widths, and what the bounds have to know about the activations.

    Parameters
    ----------
    input_dim : int
    widths : tuple of int
        Hidden widths, first layer first.
    pieces : int
        The most pieces that an activation has, T + 1: 2 for ReLU.
    collapsing : bool
        Whether every activation is constant on one of its two pieces, as ReLU is: then a neuron that is off takes away
        a dimension of the layer's image.
    zero_bias : bool
        Whether all walls are cones: every bias is zero and so is every breakpoint.

    Examples
    --------
    >>> Shape(2, (32, 32, 32)).image_dims
    (2, 2, 2)
    >>> Shape(10, (3, 7, 5)).n_neurons, Shape(10, (3, 7, 5)).image_dims
    (15, (10, 3, 3))
    """

    input_dim: int
    widths: tuple[int, ...]
    pieces: int = 2
    collapsing: bool = True
    zero_bias: bool = False

    def __post_init__(self) -> None:
        numbers = (self.input_dim, *self.widths)
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in numbers):
            raise InputError(f"widths are positive integers, not {', '.join(map(str, numbers))}")
        if self.pieces < 1:
            raise InputError(f"an activation has at least one piece, not {self.pieces}")

    @classmethod
    def of(cls, network: Network) -> Shape:
        """Return the shape of a network."""
        kinds = set(network.neurons)
        return cls(
            network.input_dim,
            network.widths,
            pieces=max((phi.n_pieces for phi in kinds), default=1),
            collapsing=all(phi.n_pieces == 2 and 0 in phi.slopes for phi in kinds),
            zero_bias=network.has_zero_bias and network.is_positively_homogeneous,
        )

    @classmethod
    def parse(cls, widths: Sequence[int]) -> Shape:
        """Read (input, hidden, hidden, ...) of a ReLU network."""
        if not widths:
            raise InputError("an architecture has at least an input dimension")
        return cls(widths[0], tuple(widths[1:]))

    @property
    def n_neurons(self) -> int:
        """N, the number of hidden neurons."""
        return sum(self.widths)

    @property
    def depth(self) -> int:
        """L, the number of hidden layers."""
        return len(self.widths)

    @cached_property
    def image_dims(self) -> tuple[int, ...]:
        """d_l = min(n_0, ..., n_(l-1)): most dimensions that the input of each hidden layer can have."""
        dims, least = [], self.input_dim
        for width in self.widths:
            dims.append(least)
            least = min(least, width)
        return tuple(dims)

    def __str__(self) -> str:
        return f"({self.input_dim}; {', '.join(map(str, self.widths))})"
