"""The flats of an arrangement: its non-empty intersections, ordered by reverse inclusion, with their Moebius values.

They form a geometric semilattice.  The values come from Weisner's theorem (Stanley, *Enumerative Combinatorics* 1,
3.9.4): with H any hyperplane through the flat X,

    mu(X) = - sum of mu(Y) over the flats Y that X covers and that do not lie in H.

Then chi(t) = sum mu(X) t^dim(X): a route to the characteristic polynomial that has no step in common with deletion and
restriction, at the price of listing every flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactregions.arrangements.deletion import Row, canonical_row
from exactregions.arrangements.polynomial import CharacteristicPolynomial
from exactregions.errors import UndecidedError

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Flat", "IntersectionLattice", "intersection_lattice"]


@dataclass(frozen=True, slots=True)
class Flat:
    """A non-empty intersection of hyperplanes.

    Attributes
    ----------
    rank : int
        Codimension.
    hyperplanes : tuple of int
        All hyperplanes that contain it, by number.
    mobius : int
        mu(whole space, flat).
    """

    rank: int
    hyperplanes: tuple[int, ...]
    mobius: int


@dataclass(frozen=True, slots=True)
class IntersectionLattice:
    """All flats, by rank, and which covers which.

    Attributes
    ----------
    dim : int
    flats : tuple of Flat
        The whole space first; of each rank in the order of their hyperplanes.
    covers : tuple of (int, int)
        Pairs (i, j): flat j is in flat i, with codimension one.

    Examples
    --------
    Three concurrent lines:

    >>> lattice = intersection_lattice([(1, 0, 0), (0, 1, 0), (1, 1, 0)], 2)
    >>> lattice.whitney_second, lattice.whitney_first
    ((1, 3, 1), (1, -3, 2))
    >>> lattice.flats[-1]
    Flat(rank=2, hyperplanes=(0, 1, 2), mobius=2)
    """

    dim: int
    flats: tuple[Flat, ...]
    covers: tuple[tuple[int, int], ...]

    @property
    def whitney_second(self) -> tuple[int, ...]:
        """Number of flats of each rank."""
        counts = [0] * (self.flats[-1].rank + 1)
        for flat in self.flats:
            counts[flat.rank] += 1
        return tuple(counts)

    @property
    def whitney_first(self) -> tuple[int, ...]:
        """Sum of the Moebius values of each rank."""
        sums = [0] * (self.flats[-1].rank + 1)
        for flat in self.flats:
            sums[flat.rank] += flat.mobius
        return tuple(sums)

    @property
    def characteristic_polynomial(self) -> CharacteristicPolynomial:
        """chi(t), from the Moebius values."""
        return CharacteristicPolynomial(self.dim, tuple(map(abs, self.whitney_first)))

    def graph(self) -> nx.DiGraph:
        """Return the Hasse diagram: nodes are flat numbers with `rank`, `hyperplanes` and `mobius`, edges covers."""
        import networkx as nx

        graph = nx.DiGraph(dim=self.dim)
        for index, flat in enumerate(self.flats):
            graph.add_node(index, rank=flat.rank, hyperplanes=list(flat.hyperplanes), mobius=flat.mobius)
        graph.add_edges_from(self.covers)
        return graph


def intersection_lattice(rows: Sequence[Row], dim: int, *, max_flats: int | None = None) -> IntersectionLattice:
    """List the flats of distinct hyperplanes with normals that are not zero, rank by rank."""
    level: dict[frozenset[int], dict[int, Row]] = {frozenset(): {j: canonical_row(row) for j, row in enumerate(rows)}}
    mobius = {frozenset[int](): 1}
    numbers = {frozenset[int](): 0}
    flats = [Flat(0, (), 1)]
    covers: list[tuple[int, int]] = []
    rank = 0
    while level:
        rank += 1
        below: dict[frozenset[int], dict[int, Row]] = {}
        above: dict[frozenset[int], list[frozenset[int]]] = {}
        for flat, images in level.items():
            for group in _classes(images):
                meet = flat | group
                above.setdefault(meet, []).append(flat)
                if meet not in below:
                    below[meet] = _restricted(images, group)
                if max_flats is not None and len(flats) + len(below) > max_flats:
                    raise UndecidedError(f"there are more than {max_flats} flats", remedy="raise max_flats")
        for meet in sorted(below, key=sorted):
            first = min(meet)
            mobius[meet] = -sum(mobius[flat] for flat in above[meet] if first not in flat)
            numbers[meet] = len(flats)
            flats.append(Flat(rank, tuple(sorted(meet)), mobius[meet]))
            covers.extend((numbers[flat], numbers[meet]) for flat in above[meet])
        level = below
    return IntersectionLattice(dim, tuple(flats), tuple(sorted(covers)))


def _classes(images: dict[int, Row]) -> list[frozenset[int]]:
    """Group the hyperplanes that are the same on a flat."""
    groups: dict[Row, list[int]] = {}
    for number, row in images.items():
        groups.setdefault(row, []).append(number)
    return [frozenset(group) for group in groups.values()]


def _restricted(images: dict[int, Row], group: frozenset[int]) -> dict[int, Row]:
    """Restrict the other hyperplanes to those of a group; the parallel ones are gone."""
    wall = images[min(group)]
    pivot = next(k for k, a in enumerate(wall) if a)
    found = {}
    for number, row in images.items():
        if number not in group:
            image = [wall[pivot] * x - row[pivot] * y for x, y in zip(row, wall, strict=True)]
            del image[pivot]
            if any(image[:-1]):
                found[number] = canonical_row(image)
    return found
