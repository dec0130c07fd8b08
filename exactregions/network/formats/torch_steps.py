"""The exact meaning of each traced operation: steps that a `Chain` takes.

A step knows how many coordinates it needs, if it does, so that the size of the input can be found before any step is
taken; and it keeps the shape of a sample (without the batch axis) where that is known, because a Linear layer acts on
the last axis only and constants broadcast.  Steps know nothing of PyTorch's graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import InputError, ShapeError, UnsupportedError
from exactregions.network.activations import PiecewiseLinear
from exactregions.network.formats.chain import Chain
from exactregions.network.formats.tensors import numbers
from exactregions.network.network import AffineLayer, Network
from exactregions.rational import to_fraction, to_fractions

__all__ = ["Activate", "Constant", "Flatten", "Linear", "Reshape", "ScaleAndShift", "Step", "take", "to_constant"]

Constant = NDArray[Any]  # of fractions
_SHAPE = "pass input_shape=, the shape of one sample"


@dataclass(slots=True)
class _Signal:
    chain: Chain
    shape: tuple[int, ...] | None


class Step(Protocol):
    """One operation."""

    @property
    def size(self) -> int | None:
        """Number of coordinates that it needs, if that is known."""

    @property
    def keeps_size(self) -> bool:
        """Whether as many coordinates come out as go in."""

    def apply(self, signal: _Signal) -> None:
        """Append it to the chain."""


@dataclass(frozen=True, slots=True)
class Linear:
    """x -> W x + b on the last axis, which must be the only one."""

    layer: AffineLayer
    keeps_size: bool = field(default=False, init=False)

    @property
    def size(self) -> int | None:
        """Columns of W."""
        return self.layer.n_inputs

    def apply(self, signal: _Signal) -> None:
        """Append W x + b."""
        if signal.shape is not None and len(signal.shape) != 1:
            raise UnsupportedError(
                f"a Linear layer on samples of shape {signal.shape} acts on their last axis only, which is not read",
                remedy="flatten first",
            )
        signal.chain.affine(self.layer)
        signal.shape = (self.layer.n_outputs,)


@dataclass(frozen=True, slots=True)
class Activate:
    """One activation for all coordinates, or one for each channel (the first axis of a sample)."""

    channels: tuple[PiecewiseLinear, ...]
    keeps_size: bool = field(default=True, init=False)

    @property
    def size(self) -> int | None:
        """Nothing is known: a channel may have several coordinates."""
        return None

    def apply(self, signal: _Signal) -> None:
        """Append the activations."""
        width, count = signal.chain.width, len(self.channels)
        shape = signal.shape
        if count in (1, width):
            signal.chain.activate([phi for phi in self.channels for _ in range(width // count)])
        elif shape is None:
            raise InputError(f"{count} channels on samples of unknown shape", remedy=_SHAPE)
        elif not shape or shape[0] != count:
            raise ShapeError(f"{count} channels on samples of shape {shape}")
        else:
            signal.chain.activate([phi for phi in self.channels for _ in range(prod(shape[1:]))])


@dataclass(frozen=True, slots=True)
class ScaleAndShift:
    """x -> factor * x + shift, with constants that broadcast over a sample."""

    factor: Constant
    shift: Constant
    keeps_size: bool = field(default=True, init=False)

    @property
    def size(self) -> int | None:
        """Nothing is known: constants broadcast."""
        return None

    def apply(self, signal: _Signal) -> None:
        """Append the diagonal affine map."""
        factors, shifts = (_broadcast(part, signal) for part in (self.factor, self.shift))
        signal.chain.scale_and_shift(factors, shifts)


@dataclass(frozen=True, slots=True)
class Flatten:
    """All axes of a sample into one, in row-major order."""

    size: int | None = field(default=None, init=False)
    keeps_size: bool = field(default=True, init=False)

    def apply(self, signal: _Signal) -> None:
        """Forget the shape: coordinates are kept in row-major order anyway."""
        signal.shape = (signal.chain.width,)


@dataclass(frozen=True, slots=True)
class Reshape:
    """Samples to a new shape, at most one size of it -1."""

    shape: tuple[int, ...]
    keeps_size: bool = field(default=True, init=False)

    @property
    def size(self) -> int | None:
        """The number of entries, if no size is left open."""
        return None if -1 in self.shape else prod(self.shape)

    def apply(self, signal: _Signal) -> None:
        """Set the shape, after making sure that samples stay apart."""
        width, fixed = signal.chain.width, prod(size for size in self.shape if size != -1)
        if (fixed != width) if -1 not in self.shape else (fixed == 0 or width % fixed):
            raise ShapeError(f"samples of {width} coordinates cannot take the shape {self.shape}")
        signal.shape = tuple(width // fixed if size == -1 else size for size in self.shape)


def take(steps: Sequence[tuple[str, Step]], input_shape: tuple[int, ...] | None) -> Network:
    """Take the steps, each with the place to name if it fails, and return the network."""
    size = prod(input_shape) if input_shape is not None else _needed(step for _, step in steps)
    if size is None:
        raise InputError("nothing tells the number of inputs", remedy=_SHAPE)
    signal = _Signal(Chain(size), input_shape)
    for place, step in steps:
        try:
            if step.size is not None and step.size != signal.chain.width:
                raise ShapeError(f"{step.size} inputs are wanted where {signal.chain.width} come in")
            step.apply(signal)
        except InputError as error:
            raise error.at(f"node {place!r}") from None
    return signal.chain.network()


def to_constant(value: Any, *, where: str) -> Constant:
    """Read a Python number or a tensor as an array of fractions, of shape (1,) for a single number."""
    if hasattr(value, "detach"):
        flat = to_fractions(numbers(value.reshape(-1), where=where), where=where)
        shape = tuple(value.shape) or (1,)
    else:
        flat, shape = (to_fraction(value, where=where),), (1,)
    constant = np.empty(len(flat), dtype=object)
    constant[:] = flat
    return constant.reshape(shape)


def _needed(steps: Iterable[Step]) -> int | None:
    """Return the size that the first telling step needs; everything before it keeps sizes."""
    for step in steps:
        if step.size is not None or not step.keeps_size:
            return step.size
    return None


def _broadcast(constant: Constant, signal: _Signal) -> list[Fraction]:
    width = signal.chain.width
    if constant.size == 1 or constant.shape == (width,):
        return list(np.broadcast_to(constant.reshape(-1), (width,)))
    if signal.shape is None:
        raise InputError(f"a constant of shape {constant.shape} on samples of unknown shape", remedy=_SHAPE)
    plain = constant[0] if constant.ndim == len(signal.shape) + 1 and len(constant) == 1 else constant
    try:
        return list(np.broadcast_to(plain, signal.shape).ravel())
    except ValueError:
        raise ShapeError(f"a constant of shape {constant.shape} on samples of shape {signal.shape}") from None
