"""Networks as plain lists, evaluated with `Fraction` and nothing of the package: what the package is compared with.

Strategies draw integer weights in {-2..2} with duplicate and zero rows first, since degenerate networks are the normal
case here, and general rationals second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st

from exactregions.errors import ExactRegionsError
from exactregions.network import Network

Rational = Fraction | int


@dataclass(frozen=True)
class Kind:
    """An activation: its JSON form, its formula, its breakpoints."""

    form: Any
    formula: Callable[[Rational], Rational]
    breakpoints: tuple[Rational, ...]

    def piece(self, value: Rational) -> int:
        """The left-open rule: as many breakpoints as lie strictly below."""
        return sum(value > mark for mark in self.breakpoints)


KINDS = [
    Kind("relu", lambda z: max(z, 0), (0,)),
    Kind("leaky_relu(1/10)", lambda z: z if z > 0 else Fraction(z, 10), (0,)),
    Kind("abs", abs, (0,)),
    Kind("hardtanh[-1,1]", lambda z: min(max(z, -1), 1), (-1, 1)),
    Kind("hardsigmoid", lambda z: min(max(Fraction(z) / 6 + Fraction(1, 2), 0), 1), (-3, 3)),
    Kind("relu6", lambda z: min(max(z, 0), 6), (0, 6)),
    Kind(
        {"breakpoints": ["-1", "0", "1/2"], "slopes": [1, "-1/2", "-1/2", 3], "anchor": [0, 1]},
        lambda z: _bent(Fraction(z)),
        (-1, 0, Fraction(1, 2)),
    ),
]


def _bent(z: Fraction) -> Fraction:
    if z <= -1:
        return Fraction(3, 2) + (z + 1)
    return 1 - z / 2 if z <= Fraction(1, 2) else Fraction(3, 4) + 3 * (z - Fraction(1, 2))


@dataclass(frozen=True)
class Plain:
    """A network as nested lists."""

    layers: list[tuple[list[list[Rational]], list[Rational]]]
    kinds: list[list[Kind]]
    output: tuple[list[list[Rational]], list[Rational]] | None
    size: int

    def network(self) -> Network:
        return Network(
            self.layers,
            output=self.output,
            activation=[[kind.form for kind in layer] for layer in self.kinds],
            input_dim=self.size,
        )

    def run(self, point: Sequence[Rational]) -> tuple[tuple[int, ...], list[list[Rational]], tuple[Rational, ...]]:
        """Pattern, pre-activations and value."""
        signal, pattern, found = list(point), [], []
        for (W, b), kinds in zip(self.layers, self.kinds, strict=True):
            values = affine(W, b, signal)
            found.append(values)
            pattern += [kind.piece(value) for kind, value in zip(kinds, values, strict=True)]
            signal = [kind.formula(value) for kind, value in zip(kinds, values, strict=True)]
        return tuple(pattern), found, tuple(affine(*self.output, signal) if self.output else signal)


def affine(W: Sequence[Sequence[Rational]], b: Sequence[Rational], x: Sequence[Rational]) -> list[Rational]:
    return [sum((w * v for w, v in zip(row, x, strict=True)), shift) for row, shift in zip(W, b, strict=True)]


INTEGERS = st.integers(-2, 2)
RATIONALS = st.fractions(-3, 3, max_denominator=6)


@st.composite
def plains(draw: st.DrawFn, *, kinds: Sequence[Kind] = KINDS, numbers: st.SearchStrategy[Any] | None = None) -> Plain:
    """Networks of up to three hidden layers of up to four neurons, 1 to 4 inputs."""
    entry = draw(st.sampled_from([INTEGERS, RATIONALS])) if numbers is None else numbers
    size = width = draw(st.integers(1, 4))
    layers, drawn_kinds = [], []
    for _ in range(draw(st.integers(0, 3))):
        count = draw(st.integers(1, 4))
        layers.append(_layer(draw, entry, count, width))
        drawn_kinds.append(draw(st.lists(st.sampled_from(kinds), min_size=count, max_size=count)))
        width = count
    output = _layer(draw, entry, draw(st.integers(1, 3)), width) if draw(st.booleans()) else None
    return Plain(layers, drawn_kinds, output, size)


def _layer(draw: st.DrawFn, entry: st.SearchStrategy[Any], count: int, width: int) -> Any:
    W = [draw(st.lists(entry, min_size=width, max_size=width)) for _ in range(count)]
    b = draw(st.one_of(st.just([0] * count), st.lists(entry, min_size=count, max_size=count)))
    if count > 1 and draw(st.booleans()):
        W[1], b[1] = [-w for w in W[0]], -b[0]
    return W, b


def points(size: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(INTEGERS, st.fractions(-4, 4, max_denominator=4)), min_size=size, max_size=size)


class Refusal:
    """The text of the error that a `with` block must raise: one line that holds every fragment."""

    def __init__(self, kind: type[ExactRegionsError], *fragments: str) -> None:
        self._context = pytest.raises(kind)
        self._fragments = fragments

    def __enter__(self) -> None:
        self._info = self._context.__enter__()

    def __exit__(self, *parts: object) -> bool:
        if not self._context.__exit__(*parts):
            return False
        text = str(self._info.value)
        assert "\n" not in text
        assert "Traceback" not in text
        for fragment in self._fragments:
            assert fragment in text, text
        return True
