"""R3: the least number of polyhedra of a polyhedral complex on which the network is affine, as certified bounds.

Every polyhedron lies in one linear region, so a convex region takes at least one and any other at
least two.  If all regions are convex but do not fit face to face (a vertex of some may lie inside an edge of another),
one polyhedron a region is impossible, which adds one.  From above, any coarsening of the cells that *is* a polyhedral
complex will do: the linear regions themselves if they are convex, or convex unions of cells found by joining
neighbours; if none of these fits together, the cells.

A coarsening into convex unions is a polyhedral complex iff for every face F of the cells all unions that contain F
agree on the set of faces in the relative interior of their least face around F: the intersection of two unions is then
the common least face around a point of its relative interior.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactregions.regions.convexity import convexity, outer_rows

if TYPE_CHECKING:
    from exactregions.regions.complex import RegionComplex

__all__ = ["ConvexPieces", "convex_pieces", "is_polyhedral_complex"]

Groups = list[tuple[int, ...]]

_MANY = 400


@dataclass(frozen=True, slots=True)
class ConvexPieces:
    """Bounds on R3.

    Attributes
    ----------
    lower, upper : int
    pieces : tuple of tuples of int
        A polyhedral complex with `upper` polyhedra, each as the cells that it is the union of.
    """

    lower: int
    upper: int
    pieces: tuple[tuple[int, ...], ...]


def convex_pieces(complex_: RegionComplex) -> ConvexPieces:
    """Return certified bounds on the least number of convex pieces (R3).

    Examples
    --------
    >>> import exactregions as er
    >>> maximum = er.Network([([[1, -1], [0, 1], [0, -1]], [0, 0, 0])], output=([[1, 1, -1]], [0]))
    >>> convex_pieces(er.enumerate_regions(maximum))
    ConvexPieces(lower=2, upper=2, pieces=((0, 1), (2, 3)))
    """
    regions = complex_.linear_regions()
    lower = sum(1 if region.is_convex else 2 for region in regions)
    whole = [region.cells for region in regions]
    if all(region.is_convex for region in regions):
        if is_polyhedral_complex(complex_, whole):
            return ConvexPieces(lower, lower, tuple(whole))
        lower += 1
    best: Groups = [(cell,) for cell in range(len(complex_))]
    for order in _orders(len(complex_)):
        joined = [piece for cells in whole for piece in _join(complex_, sorted(cells, key=order))]
        while (conflict := _conflict(complex_, joined)) is not None:
            joined[conflict : conflict + 1] = [(cell,) for cell in joined[conflict]]
        best = min(best, joined, key=len)
        if len(best) == lower:
            break
    return ConvexPieces(lower, len(best), tuple(best))


def _orders(count: int) -> list[Callable[[int], int]]:
    """Orders in which to try to join cells; the more cells, the fewer."""
    starts = range(0, count, max(1, count // 8)) if count <= _MANY else [0]
    turned: list[Callable[[int], int]] = []
    for start in starts:
        turned.append(lambda cell, start=start: (cell - start) % count)  # type: ignore[misc]
        turned.append(lambda cell, start=start: (start - cell) % count)  # type: ignore[misc]
    return turned


def _join(complex_: RegionComplex, cells: Sequence[int]) -> Groups:
    """Join neighbours within a region as long as the union stays convex."""
    groups: list[tuple[int, ...]] = [(cell,) for cell in cells]
    home = {cell: index for index, cell in enumerate(cells)}
    changed = len(cells) > 1
    while changed:
        changed = False
        for first in cells:
            for second in complex_.neighbours_of(first):
                a, b = home[first], home.get(second, home[first])
                if a == b:
                    continue
                union = tuple(sorted((*groups[a], *groups[b])))
                if convexity(complex_, union) is None:
                    groups[a], groups[b] = union, ()
                    home.update(dict.fromkeys(union, a))
                    changed = True
    return [group for group in groups if group]


def is_polyhedral_complex(complex_: RegionComplex, groups: Sequence[Sequence[int]]) -> bool:
    """Whether convex unions of cells, which cover all cells without overlap, fit face to face."""
    return _conflict(complex_, groups) is None


def _conflict(complex_: RegionComplex, groups: Sequence[Sequence[int]]) -> int | None:
    """Index of a union of several cells that does not fit its neighbours: straight where they have a corner."""
    faces = complex_.face_complex
    least: dict[tuple[int, int], tuple[frozenset[tuple[int, int]], int]] = {}
    for place, group in enumerate(groups):
        hyperplanes = sorted({row for _, _, _, row in outer_rows(complex_, group)})
        around = _signatures(complex_, group, hyperplanes)
        classes: dict[int, set[tuple[int, int]]] = defaultdict(set)
        for face, signature in around.items():
            classes[signature].add(face)
        frozen = {signature: frozenset(members) for signature, members in classes.items()}
        for face, signature in around.items():
            if face[0] < faces.dim:
                known, other = least.setdefault(face, (frozen[signature], place))
                if known != frozen[signature]:
                    return place if len(frozen[signature]) > len(known) else other
    return None


def _signatures(
    complex_: RegionComplex, group: Sequence[int], hyperplanes: Sequence[tuple[int, ...]]
) -> dict[tuple[int, int], int]:
    """For every face in the closure of a union, the set of its bounding hyperplanes that hold the face, as bits."""
    faces = complex_.face_complex
    vectors = faces.generators.vectors
    on: dict[int, int] = {}
    signatures: dict[tuple[int, int], int] = {}
    for cell in group:
        for generator in faces.members(faces.dim, cell):
            if generator not in on:
                on[generator] = sum(
                    (not sum(a * x for a, x in zip(row, vectors[generator], strict=True))) << place
                    for place, row in enumerate(hyperplanes)
                )
        for dim, closure in faces.closures[cell].items():
            for face in closure:
                mask = -1
                for generator in faces.members(dim, face):
                    mask &= on[generator]
                signatures[dim, face] = mask
    return signatures
