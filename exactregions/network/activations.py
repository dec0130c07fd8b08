"""Piecewise-linear activations, continuous by construction.

An activation is given by its breakpoints, the slope on each piece, and its value at one point (the anchor); everything
else follows by continuity, so no table of offsets can contradict itself.  Pieces are the left-open intervals
(xi_k, xi_k+1] between breakpoints, numbered from 0: for ReLU piece 0 is *off* (z <= 0) and piece 1 is *on* (z > 0).
A breakpoint between equal slopes is kept: it is part of what the user asked to count.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from exactregions.errors import FormatError, InputError, ShapeError, UnsupportedError
from exactregions.rational import format_rational, to_fraction, to_fractions

__all__ = [
    "ABS",
    "HARD_SIGMOID",
    "HARD_TANH",
    "IDENTITY",
    "RELU",
    "RELU6",
    "PiecewiseLinear",
    "activation_from_json",
    "hard_tanh",
    "leaky_relu",
]


@dataclass(frozen=True, slots=True, init=False)
class PiecewiseLinear:
    """A continuous piecewise-linear function of one variable.

    Parameters
    ----------
    breakpoints : sequence of T numbers
        Strictly increasing.
    slopes : sequence of T + 1 numbers
        Slope on each piece, left to right; neighbouring slopes may be equal.
    anchor : pair of numbers (t, value)
        The function takes this value at t.  Stored at the first breakpoint (at 0 if there is none), so that equal
        functions with equal breakpoints compare equal.

    Examples
    --------
    >>> clip = PiecewiseLinear([-1, 1], [0, 1, 0], (0, 0))
    >>> clip("1/2"), clip(7), clip.piece_of(-1), clip.piece_of(1)
    (Fraction(1, 2), Fraction(1, 1), 0, 1)
    """

    breakpoints: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    anchor: tuple[Fraction, Fraction]
    offsets: tuple[Fraction, ...] = field(compare=False, repr=False)

    def __init__(
        self, breakpoints: object, slopes: object, anchor: Sequence[object], *, where: str | None = None
    ) -> None:
        marks = to_fractions(breakpoints, where=_place(where, "breakpoints"))
        steps = to_fractions(slopes, where=_place(where, "slopes"))
        if len(steps) != len(marks) + 1:
            raise ShapeError(f"{len(marks)} breakpoints need {len(marks) + 1} slopes, not {len(steps)}", where=where)
        if any(left >= right for left, right in pairwise(marks)):
            raise InputError("breakpoints must be strictly increasing", where=where)
        if isinstance(anchor, str) or not hasattr(anchor, "__len__") or len(anchor) != 2:
            raise ShapeError("the anchor is a pair [t, value]", where=where)
        at, value = (to_fraction(part, where=_place(where, "anchor")) for part in anchor)
        origin = marks[0] if marks else Fraction(0)
        offsets = [Fraction(0)]
        for mark, (before, after) in zip(marks, pairwise(steps), strict=True):
            offsets.append(offsets[-1] + (before - after) * mark)
        piece = bisect_left(marks, at)
        shift = value - steps[piece] * at - offsets[piece]
        object.__setattr__(self, "breakpoints", marks)
        object.__setattr__(self, "slopes", steps)
        object.__setattr__(self, "offsets", tuple(offset + shift for offset in offsets))
        object.__setattr__(self, "anchor", (origin, steps[0] * origin + self.offsets[0]))

    @property
    def n_pieces(self) -> int:
        """T + 1, one more than the number of breakpoints."""
        return len(self.slopes)

    def piece_of(self, value: Fraction | int) -> int:
        """Return the number of the left-open piece that holds a pre-activation."""
        return bisect_left(self.breakpoints, value)

    def __call__(self, value: object) -> Fraction:
        """Value at a rational point."""
        point = to_fraction(value)
        piece = self.piece_of(point)
        return self.slopes[piece] * point + self.offsets[piece]

    @property
    def is_positively_homogeneous(self) -> bool:
        """Whether phi(c t) = c phi(t) for every c > 0: no breakpoint but 0, and phi(0) = 0."""
        return all(mark == 0 for mark in self.breakpoints) and not any(self.offsets)

    @property
    def name(self) -> str | None:
        """The short name understood by `activation_from_json`, or None."""
        for name in ("relu", "abs", "identity"):
            if self == _NAMED[name]:
                return name
        if self.breakpoints == RELU.breakpoints and self.anchor == RELU.anchor and self.slopes[1] == 1:
            return f"leaky_relu({format_rational(self.slopes[0])})"
        if self.slopes == HARD_TANH.slopes and self.anchor[0] == self.anchor[1]:
            return f"hardtanh[{','.join(map(format_rational, self.breakpoints))}]"
        return None

    def to_json(self) -> str | dict[str, list[str]]:
        """Return the short name where there is one, else the object with breakpoints, slopes and anchor."""
        if (name := self.name) is not None:
            return name
        return {
            "breakpoints": [format_rational(value) for value in self.breakpoints],
            "slopes": [format_rational(value) for value in self.slopes],
            "anchor": [format_rational(value) for value in self.anchor],
        }

    def __str__(self) -> str:
        if (name := self.name) is not None:
            return name
        marks = ",".join(map(format_rational, self.breakpoints))
        return f"piecewise_linear[{marks}; {','.join(map(format_rational, self.slopes))}]"


def _place(where: str | None, part: str) -> str:
    return f"{where}, {part}" if where else part


RELU = PiecewiseLinear([0], [0, 1], (0, 0))
ABS = PiecewiseLinear([0], [-1, 1], (0, 0))
HARD_TANH = PiecewiseLinear([-1, 1], [0, 1, 0], (0, 0))
HARD_SIGMOID = PiecewiseLinear([-3, 3], [0, "1/6", 0], (0, "1/2"))
RELU6 = PiecewiseLinear([0, 6], [0, 1, 0], (0, 0))
IDENTITY = PiecewiseLinear([], [1], (0, 0))


def leaky_relu(slope: object) -> PiecewiseLinear:
    """Leaky or parametric ReLU: the slope given for z <= 0, and 1 for z > 0.

    Examples
    --------
    >>> leaky_relu("1/10")(-5)
    Fraction(-1, 2)
    """
    return PiecewiseLinear([0], [slope, 1], (0, 0))


def hard_tanh(low: object = -1, high: object = 1) -> PiecewiseLinear:
    """Clip to [low, high]: PyTorch's ``Hardtanh(min_val, max_val)``."""
    return PiecewiseLinear([low, high], [0, 1, 0], (low, low))


_NAMED = {
    "relu": RELU,
    "abs": ABS,
    "hardtanh": HARD_TANH,
    "hardsigmoid": HARD_SIGMOID,
    "relu6": RELU6,
    "identity": IDENTITY,
}
_SUPPORTED = (
    "use relu, abs, leaky_relu(a), prelu(a), hardtanh[lo,hi], hardsigmoid, relu6, identity, "
    "or an object with breakpoints, slopes and anchor"
)


def activation_from_json(value: object, *, where: str | None = None) -> PiecewiseLinear:
    """Read one activation: a name such as ``relu`` or ``leaky_relu(1/10)``, or an object.

    Raises
    ------
    UnsupportedError
        For a name that is not known or not piecewise linear.
    FormatError
        For anything else.

    Examples
    --------
    >>> activation_from_json("hardtanh[-1,1]") == HARD_TANH
    True
    """
    if isinstance(value, PiecewiseLinear):
        return value
    if isinstance(value, str):
        plain = value.strip().lower()
        if plain in _NAMED:
            return _NAMED[plain]
        if match := re.fullmatch(r"(?:leaky_relu|prelu)\(([^()]+)\)", plain):
            return leaky_relu(to_fraction(match[1], where=where))
        if match := re.fullmatch(r"hardtanh\[([^,\[\]]+),([^,\[\]]+)\]", plain):
            low, high = (to_fraction(part, where=where) for part in match.groups())
            return PiecewiseLinear([low, high], [0, 1, 0], (low, low), where=where)
        raise UnsupportedError(f"unsupported activation {value[:40]!r}", where=where, remedy=_SUPPORTED)
    if isinstance(value, dict):
        if missing := {"breakpoints", "slopes", "anchor"} - set(value):
            raise FormatError(f"the activation lacks {', '.join(sorted(missing))}", where=where)
        if unknown := set(value) - {"breakpoints", "slopes", "anchor"}:
            raise FormatError(f"the activation has unknown fields {', '.join(sorted(map(str, unknown)))}", where=where)
        if not isinstance(value["anchor"], (list, tuple)):
            raise ShapeError("the anchor is a pair [t, value]", where=where)
        return PiecewiseLinear(value["breakpoints"], value["slopes"], value["anchor"], where=where)
    raise FormatError(f"an activation cannot be a {type(value).__name__}", where=where, remedy=_SUPPORTED)
