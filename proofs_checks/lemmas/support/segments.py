"""A network along a segment: where, exactly, neurons are at a breakpoint.

The signal of each layer along t -> p + t (q - p) is piecewise affine in t.  It is kept by its values at knots, and each
layer adds the knots where one of its neurons crosses a breakpoint.  No pattern, no linear program and no list of cells
is used, so what is found here checks what those say; in one dimension it *is* the list of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from exactregions.network import Network
from exactregions.network.activations import PiecewiseLinear
from proofs_checks.lemmas.support.subject import Point

__all__ = ["Cut", "cut", "point_on"]

Values = list[Point]


@dataclass(frozen=True, slots=True)
class Cut:
    """What walls do to a segment.

    Attributes
    ----------
    knots : tuple of Fraction
        0 = t_0 < ... < t_m = 1; on each piece every neuron is affine, and at a breakpoint all along or nowhere inside.
    walls : frozenset of Fraction
        The t at which some neuron is at a breakpoint.
    inside_walls : frozenset of int
        Pieces i, from t_i to t_(i+1), all along which some neuron is at a breakpoint.
    by_layer : tuple of int
        For each layer, how many isolated points of (0, 1) its neurons' breakpoints take (a point counts once a neuron).
    """

    knots: tuple[Fraction, ...]
    walls: frozenset[Fraction]
    inside_walls: frozenset[int]
    by_layer: tuple[int, ...]

    @property
    def crossed(self) -> bool:
        """Whether any point of the closed segment lies on a wall."""
        return bool(self.walls)

    @property
    def middles(self) -> list[tuple[Fraction, bool]]:
        """The middle of each maximal piece between walls, and whether the piece lies inside a wall."""
        marks = [t for t in self.knots if t in self.walls or t in (0, 1)]
        found = []
        for low, high in pairwise(marks):
            flat = any(low <= self.knots[i] and self.knots[i + 1] <= high for i in self.inside_walls)
            found.append(((low + high) / 2, flat))
        return found


def point_on(start: Point, end: Point, t: Fraction) -> Point:
    """The point start + t (end - start)."""
    return tuple([a + t * (b - a) for a, b in zip(start, end, strict=True)])


def cut(network: Network, start: Point, end: Point) -> Cut:
    """Find all points of a segment where some neuron is at a breakpoint.

    Examples
    --------
    >>> import exactregions as er
    >>> tent = er.Network([([[1], [1]], [0, "-1/2"])])
    >>> sorted(cut(tent, (Fraction(-1),), (Fraction(1),)).walls)
    [Fraction(1, 2), Fraction(3, 4)]
    """
    knots: list[Fraction] = [Fraction(0), Fraction(1)]
    signal: Values = [tuple(start), tuple(end)]
    marked: list[tuple[Fraction, Fraction]] = []
    walls: set[Fraction] = set()
    counts = []
    for layer, kinds in zip(network.layers, network.activations, strict=True):
        rows = layer.matrix.to_fractions()
        values = [tuple([_affine(row, point) for row in rows]) for point in signal]
        knots, values = _refine(knots, values, kinds)
        isolated = 0
        for place, phi in enumerate(kinds):
            for mark in phi.breakpoints:
                at = [value[place] == mark for value in values]
                walls.update(t for t, here in zip(knots, at, strict=True) if here)
                flat = [k for k in range(len(at) - 1) if at[k] and at[k + 1]]
                marked += [(knots[k], knots[k + 1]) for k in flat]
                isolated += sum(at[1:-1]) if not flat else 0
        counts.append(isolated)
        signal = [tuple([phi(z) for phi, z in zip(kinds, value, strict=True)]) for value in values]
    inside = {k for k in range(len(knots) - 1) if any(low <= knots[k] and knots[k + 1] <= high for low, high in marked)}
    return Cut(tuple(knots), frozenset(walls), frozenset(inside), tuple(counts))


def _affine(row: Sequence[Fraction], point: Point) -> Fraction:
    return sum((w * x for w, x in zip(row, point, strict=False)), row[-1])


def _refine(knots: list[Fraction], values: Values, kinds: Sequence[PiecewiseLinear]) -> tuple[list[Fraction], Values]:
    """Add the knots where some value crosses a breakpoint."""
    new_knots, new_values = [knots[0]], [values[0]]
    for low, high, before, after in zip(knots, knots[1:], values, values[1:], strict=False):
        steps = set()
        for phi, u, v in zip(kinds, before, after, strict=True):
            for mark in phi.breakpoints:
                if (u < mark < v) or (v < mark < u):
                    steps.add((mark - u) / (v - u))
        for step in sorted(steps):
            new_knots.append(low + step * (high - low))
            new_values.append(point_on(before, after, step))
        new_knots.append(high)
        new_values.append(after)
    return new_knots, new_values
