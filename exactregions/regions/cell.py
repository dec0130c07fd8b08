"""One cell of a complex, made on demand: pattern, inequalities, witness, affine map, neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from exactregions.lp import Bounded, StrictSystem, is_bounded
from exactregions.lp.facets import find_facets
from exactregions.network import AffineLayer
from exactregions.regions.geometry import Ball, CellGeometry, NearestWall, nearest_wall
from exactregions.regions.inequalities import CellInequalities, Side

if TYPE_CHECKING:
    from exactregions.regions.complex import RegionComplex

__all__ = ["Cell", "Inequality"]


@dataclass(frozen=True, slots=True)
class Inequality:
    """One irredundant inequality a.x + c > 0 of a cell.

    Attributes
    ----------
    coefficients : tuple of int
        a, with c coprime integers.
    constant : int
        c.
    sides : tuple of Side
        The walls (neuron, breakpoint, side) or the domain's row that it stands for.
    """

    coefficients: tuple[int, ...]
    constant: int
    sides: tuple[Side, ...]

    @property
    def neurons(self) -> tuple[int, ...]:
        """Neurons that are at a breakpoint along it."""
        return tuple(side.neuron for side in self.sides if side.neuron >= 0)

    def __str__(self) -> str:
        terms = [f"{a:+d} x{k + 1}" for k, a in enumerate(self.coefficients) if a]
        return f"{' '.join(terms)} {self.constant:+d} > 0"


class Cell:
    """A cell of a `RegionComplex`: an open convex polyhedron on which the network is affine.

    Coordinates are the domain's own; `complex.domain.lift` takes points to the network's input.
    """

    def __init__(self, complex_: RegionComplex, index: int) -> None:
        self._complex = complex_
        self.index = index

    @cached_property
    def pattern(self) -> tuple[int, ...]:
        """The piece of every neuron."""
        return self._complex.pattern(self.index)

    @property
    def text(self) -> str:
        """The pattern as printed, layer by layer."""
        return self._complex.codec.format(self.pattern)

    @cached_property
    def inequalities(self) -> CellInequalities:
        """All rows of the cell, redundant ones included."""
        return self._complex.inequalities_of(self.pattern)

    @property
    def degenerate(self) -> tuple[int, ...]:
        """Neurons whose pre-activation is identically a breakpoint on the cell."""
        return self.inequalities.degenerate

    @property
    def is_strict(self) -> bool:
        """Whether no neuron is degenerate: an activation region in the sense of Hanin and Rolnick."""
        return not self.degenerate

    @property
    def witness(self) -> tuple[Fraction, ...]:
        """A rational point strictly inside."""
        return self._complex.witnesses[self.index]

    @cached_property
    def irredundant(self) -> tuple[Inequality, ...]:
        """The inequalities that bound the cell, none of them implied by the others, domain included."""
        cell = self.inequalities
        places = [facet.row for facet in find_facets(cell.matrix, self.witness)]
        return tuple(Inequality(cell.rows[k][:-1], cell.rows[k][-1], cell.sides[k]) for k in places)

    @cached_property
    def affine_map(self) -> AffineLayer:
        """The affine map of the network on the cell, in the domain's own coordinates."""
        return self._complex.own_network.affine_map(self.pattern)

    @cached_property
    def is_bounded(self) -> bool:
        """Whether the cell is bounded, decided exactly."""
        system = StrictSystem(self.inequalities.matrix)
        return isinstance(is_bounded(system), Bounded)

    @property
    def dim(self) -> int:
        """Number of the domain's own coordinates."""
        return self._complex.dim

    @cached_property
    def geometry(self) -> CellGeometry:
        """Vertices, extreme rays, lines, volume, centroid, exactly."""
        return self._complex.geometry_of(self.index) or CellGeometry.of(self)

    @property
    def volume(self) -> Fraction | None:
        """The exact volume, in the domain's own coordinates, or None if the cell is unbounded."""
        return self.geometry.volume

    def nearest_wall(self, point: object | None = None) -> NearestWall | None:
        """Return the side nearest to a point inside (by default the witness), or None if the cell has no side.

        Sides of the domain count as well; their `inequality.neurons` is empty.
        """
        return nearest_wall(self.irredundant, self.witness if point is None else point)

    def largest_ball(self) -> Ball:
        """Return a largest ball in the closed cell (Chebyshev centre), in floating point.

        Raises
        ------
        UndecidedError
            If no ball of positive radius shows in floating point.
        """
        from exactregions.lp.convex import chebyshev_centre  # cvxpy is slow to import

        centre, radius = chebyshev_centre(StrictSystem(self.inequalities.matrix))
        return Ball(centre, radius)

    @property
    def neighbours(self) -> tuple[int, ...]:
        """Indices of the cells that share a facet with this one."""
        return self._complex.neighbours_of(self.index)

    def __repr__(self) -> str:
        return f"<Cell {self.index}: {self.text}{'' if self.is_strict else ', degenerate'}>"
