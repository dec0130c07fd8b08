"""A table of rational points: float64 where a float64 is exactly the point, fractions where it is not.

A witness may be any point of an open cell, so nearly all can be chosen with short dyadic coordinates; the few that need
more stand in a dictionary beside the array.  Nothing is rounded: a coordinate goes into the array only if it equals the
float that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["WitnessTable"]

Point = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class WitnessTable:
    """Points of R^d, one a cell.

    Parameters
    ----------
    floats : ndarray of float64, shape (n, d)
        The points; rows listed in `exact` hold a nearby float for drawing only.
    exact : mapping of int to tuple of Fraction
        The points that are not float64.
    """

    floats: NDArray[np.float64]
    exact: Mapping[int, Point] = field(default_factory=dict)

    @classmethod
    def from_points(cls, points: Iterable[Sequence[Fraction]], dim: int) -> WitnessTable:
        """Store points without rounding."""
        rows: list[list[float]] = []
        exact: dict[int, Point] = {}
        for index, point in enumerate(points):
            near = [_nearest(value) for value in point]
            if any(Fraction(f) != value for f, value in zip(near, point, strict=True)):
                exact[index] = tuple(point)
            rows.append(near)
        return cls(np.array(rows, dtype=np.float64).reshape(len(rows), dim), exact)

    def __len__(self) -> int:
        return len(self.floats)

    def __getitem__(self, index: int) -> Point:
        if (point := self.exact.get(index)) is not None:
            return point
        return tuple([Fraction(value) for value in self.floats[index].tolist()])

    def __iter__(self) -> Iterator[Point]:
        return (self[index] for index in range(len(self)))

    def permuted(self, order: NDArray[np.intp]) -> WitnessTable:
        """Return the table with row order[i] at place i."""
        exact = {place: self.exact[old] for place, old in enumerate(order.tolist()) if old in self.exact}
        return WitnessTable(self.floats[order], exact)


def _nearest(value: Fraction) -> float:
    """Return a float near the value, finite in any case."""
    try:
        return float(value)
    except OverflowError:
        return float(np.finfo(np.float64).max) * (1 if value > 0 else -1)
