"""The shape of one cell, exactly: vertices, extreme rays, lines, volume, centroid, the wall nearest to a point.

Vertices and rays come from the subdivision of the whole complex if that was made, else from the cell's irredundant rows
alone by double description.  The largest ball is the exception: its centre is irrational in general, so it is given in
floating point and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import InputError, ShapeError
from exactregions.rational import to_fractions
from exactregions.regions.generators import Generators, Members
from exactregions.regions.subdivision import polyhedron
from exactregions.regions.volumes import simplex_volume, simplices, volume

if TYPE_CHECKING:
    from exactregions.regions.cell import Cell, Inequality

__all__ = ["Ball", "CellGeometry", "NearestWall"]

Point = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class NearestWall:
    """The side of a cell nearest to a point inside.

    Attributes
    ----------
    squared_distance : Fraction
        In the domain's own coordinates.
    inequality : Inequality
        The side; the first of several at the same distance.
    foot : tuple of Fraction
        The nearest point of its hyperplane, which is in the closed cell.
    """

    squared_distance: Fraction
    inequality: Inequality
    foot: Point


@dataclass(frozen=True, slots=True)
class Ball:
    """A largest ball inside a cell, in floating point: a description, not a proof of anything.

    Attributes
    ----------
    centre : ndarray of float64
    radius : float
        ``inf`` if balls of any size fit.
    """

    centre: NDArray[np.float64]
    radius: float


@dataclass(frozen=True, slots=True)
class CellGeometry:
    """Exact geometry of one closed cell, in the domain's own coordinates.

    Parameters
    ----------
    generators : Generators
    members : tuple of int
        The cell's own among them.

    Examples
    --------
    >>> import exactregions as er
    >>> triangle = er.Network([([[1, 0], [0, 1], [-1, -1]], [0, 0, 1])])
    >>> shape = er.enumerate_regions(triangle).cell_at(["1/4", "1/4"]).geometry
    >>> [tuple(map(str, vertex)) for vertex in shape.vertices], shape.volume
    ([('0', '0'), ('0', '1'), ('1', '0')], Fraction(1, 2))
    """

    generators: Generators
    members: Members

    @classmethod
    def of(cls, cell: Cell) -> CellGeometry:
        """Return the geometry of a cell from its own inequalities."""
        rows = [(*side.coefficients, side.constant) for side in cell.irredundant]
        generators = polyhedron(rows, cell.dim)
        return cls(generators, tuple(range(len(generators.vectors))))

    @property
    def vertices(self) -> tuple[Point, ...]:
        """The vertices, sorted; if the cell contains lines, points of its minimal faces, one each."""
        return tuple(sorted(self.generators.point(g) for g in self.members if self.generators.is_vertex(g)))

    @property
    def rays(self) -> tuple[Point, ...]:
        """Directions of the extreme rays, as primitive integer vectors, sorted; modulo the lines if there are any."""
        return tuple(sorted(self.generators.point(g) for g in self.members if not self.generators.is_vertex(g)))

    @property
    def lineality(self) -> tuple[Point, ...]:
        """A basis of the lines that the cell contains."""
        return tuple(tuple(map(Fraction, line[:-1])) for line in self.generators.lines)

    @property
    def is_bounded(self) -> bool:
        """Whether there are neither rays nor lines."""
        return not self.rays and not self.lineality

    @property
    def volume(self) -> Fraction | None:
        """The volume, or None if the cell is unbounded."""
        return volume(self.generators, self.members)

    @property
    def centroid(self) -> Point:
        """The centre of mass of a bounded cell.

        Raises
        ------
        InputError
            If the cell is unbounded.
        """
        if not self.is_bounded:
            raise InputError("an unbounded cell has no centroid")
        total, moment = Fraction(0), [Fraction(0)] * (len(self.generators.vectors[0]) - 1)
        for simplex in simplices(self.members, self.generators.tight):
            share = simplex_volume(self.generators, simplex)
            corners = [self.generators.point(g) for g in simplex]
            total += share
            means = [sum(column, Fraction(0)) / len(corners) for column in zip(*corners, strict=True)]
            moment = [a + share * b for a, b in zip(moment, means, strict=True)]
        return tuple(value / total for value in moment)


def nearest_wall(sides: Sequence[Inequality], point: object) -> NearestWall | None:
    """Return the nearest of a cell's irredundant sides to a point inside, or None if the cell has no side.

    The distance to the boundary of a polyhedron is the least distance to the hyperplanes of its sides.

    Raises
    ------
    InputError
        If the point is not inside.
    """
    x = to_fractions(point, where="point")
    best: tuple[Fraction, Inequality, Fraction] | None = None
    for side in sides:
        if len(side.coefficients) != len(x):
            raise ShapeError(f"a point of {len(x)} coordinates in dimension {len(side.coefficients)}")
        value = sum((a * b for a, b in zip(side.coefficients, x, strict=True)), Fraction(side.constant))
        if value <= 0:
            raise InputError(f"the point is not inside the cell: {side} fails", where="nearest wall")
        step = value / sum(a * a for a in side.coefficients)
        if best is None or step * value < best[0]:
            best = step * value, side, step
    if best is None:
        return None
    squared, side, step = best
    return NearestWall(squared, side, tuple([b - step * a for a, b in zip(side.coefficients, x, strict=True)]))
