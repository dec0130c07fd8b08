"""Is a union of cells convex?  Either way with a proof.

Let U be a union of closed cells, connected across facets, and call a facet of one of its cells *outer* if the cell
beyond it is not in U.  U is convex iff all of U lies on the inner side of each of its outer facets: then U is the
intersection of those half-spaces with the domain, since a generic segment from U to a point beyond leaves U through
an outer facet.  If a point q of U is beyond the hyperplane of an outer facet, and m is inside that facet, then the line
from q to m shows it: shortly after m it is in U, shortly before m it is in the cell that is not in U.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from exactregions.errors import UndecidedError
from exactregions.lp import ProofError
from exactregions.regions.faces import FaceComplex
from exactregions.regions.inequalities import CellInequalities

if TYPE_CHECKING:
    from exactregions.regions.complex import RegionComplex

__all__ = ["NonConvex", "convexity", "outer_rows"]

Point = tuple[Fraction, ...]
Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NonConvex:
    """Two points strictly inside cells of a set, and a point of their segment strictly inside a cell that is not in it.

    Attributes
    ----------
    ends : pair of points
    between : point
    cells : tuple of three int
        The cells of the two ends, and of the point between them.
    """

    ends: tuple[Point, Point]
    between: Point
    cells: tuple[int, int, int]

    def check(self, complex_: RegionComplex, group: Sequence[int]) -> None:
        """Check the proof exactly against a set of cells; `ProofError` if it is false."""
        first, second, outside = self.cells
        if first not in group or second not in group or outside in group:
            raise ProofError("the cells named are not in and out of the set as they should be")
        for point, cell in zip((*self.ends, self.between), self.cells, strict=True):
            if not complex_[cell].inequalities.holds_at(point):
                raise ProofError(f"a point is not strictly inside cell {cell}")
        p, q = self.ends
        along = [(x - a, b - a) for a, b, x in zip(p, q, self.between, strict=True)]
        step = next(part / whole for part, whole in along if whole)
        if not 0 < step < 1 or any(part != step * whole for part, whole in along):
            raise ProofError("the point between is not on the segment")


def outer_rows(complex_: RegionComplex, cells: Sequence[int]) -> Iterator[tuple[int, int, int | None, Row]]:
    """Yield (facet, cell, neighbour beyond or None, row positive on the cell) for every outer facet of a set."""
    faces, inside = complex_.face_complex, set(cells)
    for cell in cells:
        rows: CellInequalities | None = None
        for facet in faces.parts(faces.dim, cell):
            beyond = [other for other in faces.facet_cells[facet] if other != cell]
            if beyond and beyond[0] in inside:
                continue
            rows = rows or complex_[cell].inequalities
            yield facet, cell, beyond[0] if beyond else None, _row_of(faces, rows, facet)


def convexity(complex_: RegionComplex, cells: Sequence[int]) -> NonConvex | None:
    """Return a proof that a union of cells, connected across facets, is not convex, or None if it is convex.

    Raises
    ------
    UndecidedError
        If the union is not convex, but every cell that would show it is missing from an incomplete complex.
    """
    if len(cells) == 1:
        return None
    faces = complex_.face_complex
    vectors = faces.generators.vectors
    members = sorted({g for cell in cells for g in faces.members(faces.dim, cell)})
    unlisted = False
    for facet, cell, beyond, row in outer_rows(complex_, cells):
        far = next((g for g in members if _dot(row, vectors[g]) < 0), None)
        unlisted = unlisted or (far is not None and beyond is None)
        if far is not None and beyond is not None:
            other = next(k for k in cells if far in faces.members(faces.dim, k))
            found = _prove(complex_, facet, cell, beyond, other, far, row)
            found.check(complex_, cells)
            return found
    if unlisted:
        raise UndecidedError("the cells beyond a union that is not convex were not found", where="convexity")
    return None


def _prove(complex_: RegionComplex, facet: int, cell: int, beyond: int, other: int, far: int, row: Row) -> NonConvex:
    faces = complex_.face_complex
    middle = faces.interior_point(faces.dim - 1, facet)
    q = _near(complex_[other].witness, faces, far, row)
    direction = tuple([b - a for a, b in zip(middle, q, strict=True)])
    backward = tuple([-step for step in direction])
    x = _step(complex_[beyond].inequalities, middle, direction, Fraction(1, 2))
    p = _step(complex_[cell].inequalities, middle, backward, Fraction(1))
    return NonConvex((p, q), x, (cell, other, beyond))


def _near(witness: Point, faces: FaceComplex, far: int, row: Row) -> Point:
    """A point of the open cell with that witness on the negative side of a row, towards one of its generators."""
    target, step = faces.generators.point(far), Fraction(1, 2)
    while True:
        if faces.generators.is_vertex(far):
            point = tuple([a + (1 - step) * (b - a) for a, b in zip(witness, target, strict=True)])
        else:
            point = tuple([a + b / step for a, b in zip(witness, target, strict=True)])
        if sum((a * b for a, b in zip(row, point, strict=False)), Fraction(row[-1])) < 0:
            return point
        step /= 2


def _step(cell: CellInequalities, start: Point, direction: Point, limit: Fraction) -> Point:
    """A point strictly inside a cell, from a point of its boundary in a direction that leads inside."""
    for row in cell.rows:
        slope = sum((a * b for a, b in zip(row, direction, strict=False)), Fraction(0))
        if slope < 0:
            value = sum((a * b for a, b in zip(row, start, strict=False)), Fraction(row[-1]))
            limit = min(limit, value / -slope / 2)
    return tuple([a + limit * b for a, b in zip(start, direction, strict=True)])


def _row_of(faces: FaceComplex, cell: CellInequalities, facet: int) -> Row:
    """The row of a cell that vanishes on one of its facets."""
    mask = faces.tight_rows(faces.dim - 1, facet) >> faces.subdivision.n_special
    for row, sides in zip(cell.rows, cell.sides, strict=True):
        for side in sides:
            if side.neuron >= 0 and mask >> faces.wall_bit(side.neuron, side.breakpoint) & 1:
                return row
    raise ProofError("a facet without a row, which cannot be")


def _dot(row: Row, vector: Sequence[int]) -> int:
    return sum([a * x for a, x in zip(row, vector, strict=True)])
