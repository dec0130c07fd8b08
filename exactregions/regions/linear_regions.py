"""Linear regions: cells joined across facets where the network follows the same affine map, and five other notions.

Stargalla, Hertrich and Reichman tell six notions apart, R6 <= R5 <= R4 <= R3 <= R2 <= R1:

* R1 left-open patterns of points, any dimension of their sets;   * R2 cells;
* R3 least number of polyhedra in a polyhedral complex on which the network is affine (see `convex_pieces`);
* R4 maximal *open* connected sets on which it is affine: the default, and Hanin and Rolnick's linear regions;
* R5 maximal *closed* connected sets on which it equals one affine map: a component of {f = g} may run through faces of
  any dimension, and through cells with another map, along the slice where that map agrees with g;
* R6 distinct affine maps.

Affine maps are compared as rational matrices in lowest terms.  For R5 only maps with several R4 regions need a look.
On the relative interior of a face, f - g takes the value 0 iff some combination of its values at the generators, with
all coefficients positive, vanishes (Stiemke's lemma turns that into a strict system).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.network import AffineLayer
from exactregions.rational import IntMatrix, RationalMatrix
from exactregions.regions.convexity import NonConvex, convexity
from exactregions.regions.faces import FaceComplex

if TYPE_CHECKING:
    from exactregions.regions.complex import RegionComplex

__all__ = ["LinearRegion", "LinearRegions", "Merge", "Notions", "Reason"]

MapKey = tuple[tuple[int, ...], int]


class Reason(StrEnum):
    """Why the affine map is the same on both sides of a facet."""

    LAYER_OFF = "layer constant"  # every neuron of some layer is on a piece of slope 0, on both sides
    EQUAL_SLOPES = "equal slopes"  # the neurons that cross change to a piece with the same slope
    INVISIBLE_WALL = "invisible wall"  # no open path leads from the neurons that cross to an output
    COINCIDENCE = "coincidence"  # what the neurons contribute is there, and happens to cancel


@dataclass(frozen=True, slots=True)
class Merge:
    """A facet across which two cells of a linear region were joined, and why."""

    cells: tuple[int, int]
    neurons: tuple[int, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Notions:
    """The six counts; R3 as certified bounds.

    Attributes
    ----------
    r1, r2, r4, r5, r6 : int
    r3 : tuple of int
        Lower and upper bound.
    """

    r1: int
    r2: int
    r3: tuple[int, int]
    r4: int
    r5: int
    r6: int


class LinearRegion:
    """A maximal open connected set on which the network is affine, up to walls inside it that it does not feel."""

    def __init__(self, owner: LinearRegions, index: int, cells: tuple[int, ...]) -> None:
        self._owner = owner
        self.index = index
        self.cells = cells

    @cached_property
    def affine_map(self) -> AffineLayer:
        """The network's affine map there, in the domain's own coordinates."""
        return self._owner.complex[self.cells[0]].affine_map

    @cached_property
    def non_convexity(self) -> NonConvex | None:
        """Two points of the region whose segment leaves it, or None if the region is convex (decided exactly)."""
        return convexity(self._owner.complex, self.cells)

    @property
    def is_convex(self) -> bool:
        """Whether the region (with its inner walls) is convex."""
        return self.non_convexity is None

    @cached_property
    def merges(self) -> tuple[Merge, ...]:
        """All facets inside the region, each with the reason why the map does not change across it."""
        inside = set(self.cells)
        owner = self._owner
        return tuple(owner.merge(i, j) for i in self.cells for j in owner.complex.neighbours_of(i) if i < j in inside)

    def __repr__(self) -> str:
        return f"<LinearRegion {self.index}: {len(self.cells)} cells>"


class LinearRegions:
    """The cells of a complex grouped by affine map, by each notion.

    Parameters
    ----------
    complex_ : RegionComplex
    """

    def __init__(self, complex_: RegionComplex) -> None:
        self.complex = complex_

    @cached_property
    def map_of_cell(self) -> list[int]:
        """For each cell the number of its affine map, equal maps having equal numbers, in order of appearance."""
        places: dict[MapKey, int] = {}
        network = self.complex.own_network
        numbers = []
        for pattern in self.complex.patterns():
            matrix = network.affine_map(pattern).matrix
            key = (tuple(map(int, matrix.numerators.entries())), matrix.denominator)
            numbers.append(places.setdefault(key, len(places)))
        return numbers

    @property
    def n_affine_maps(self) -> int:
        """R6."""
        return len(set(self.map_of_cell))

    @cached_property
    def regions(self) -> list[LinearRegion]:
        """The linear regions (R4), by their first cells."""
        maps = self.map_of_cell
        pairs = [(i, j) for i, j in self.complex.facets.tolist() if maps[i] == maps[j]]
        groups = components(len(maps), pairs)
        return [LinearRegion(self, index, cells) for index, cells in enumerate(groups)]

    @property
    def n_linear(self) -> int:
        """R4."""
        return len(self.regions)

    @cached_property
    def n_closed_connected(self) -> int:
        """R5."""
        by_map: dict[int, list[LinearRegion]] = defaultdict(list)
        for region in self.regions:
            by_map[self.map_of_cell[region.cells[0]]].append(region)
        return sum(1 if len(group) == 1 else self._count_closed(group) for group in by_map.values())

    def notions(self) -> Notions:
        """All six counts.

        Examples
        --------
        >>> import exactregions as er
        >>> tent = er.Network([([[1], [1]], [0, "-1/2"])], output=([[2, -4]], [0]))
        >>> er.enumerate_regions(tent).affine_pieces.notions()
        Notions(r1=3, r2=3, r3=(3, 3), r4=3, r5=3, r6=3)
        """
        from exactregions.regions.convex_pieces import convex_pieces

        bounds = convex_pieces(self.complex)
        return Notions(
            self.complex.n_patterns_any_dimension,
            self.complex.n_cells,
            (bounds.lower, bounds.upper),
            self.complex.n_linear,
            self.complex.n_closed_connected,
            self.n_affine_maps,
        )

    # -- R5 ----------------------------------------------------------------------------------------------------

    def _count_closed(self, group: Sequence[LinearRegion]) -> int:
        """Number of components of {f = g} among the regions of one map, followed through faces from cell to cell."""
        faces = self.complex.face_complex
        cells_of = self._cells_of_faces
        home = {cell: region.index for region in group for cell in region.cells}
        target = _Target(faces, group[0].affine_map)
        left, count, seen = {region.index for region in group}, 0, set[int]()
        while left:
            count += 1
            start = next(region for region in group if region.index in left)
            queue = [cell for cell in start.cells if cell not in seen]
            seen.update(queue)
            while queue and left:
                cell = queue.pop()
                left.discard(home.get(cell, -1))
                for dim, closure in faces.closures[cell].items():
                    for face in closure if dim < faces.dim else ():
                        if not set(cells_of[dim][face]) <= seen and target.meets(dim, face):
                            fresh = set(cells_of[dim][face]) - seen
                            seen |= fresh
                            queue.extend(fresh)
        return count

    @cached_property
    def _cells_of_faces(self) -> list[list[list[int]]]:
        faces = self.complex.face_complex
        table: list[list[list[int]]] = [[[] for _ in range(count)] for count in faces.f_vector]
        for cell, closure in enumerate(faces.closures):
            for dim, level in closure.items():
                for face in level:
                    table[dim][face].append(cell)
        return table

    # -- why cells merge ---------------------------------------------------------------------------------------

    def merge(self, first: int, second: int) -> Merge:
        """Say why two neighbours with the same affine map have it."""
        neurons = self.complex.crossing_neurons(first, second)
        return Merge((first, second), neurons, self._reason(first, second, neurons))

    def _reason(self, first: int, second: int, neurons: Sequence[int]) -> Reason:
        network = self.complex.own_network
        patterns = [self.complex.pattern(first), self.complex.pattern(second)]
        slopes = [[phi.slopes[p] for phi, p in zip(network.neurons, pattern, strict=True)] for pattern in patterns]
        starts = network.layer_starts
        for begin, end in pairwise(starts):
            if not any(any(row[begin:end]) for row in slopes):
                return Reason.LAYER_OFF
        bent = [neuron for neuron in neurons if slopes[0][neuron] != slopes[1][neuron]]
        if not bent:
            return Reason.EQUAL_SLOPES
        reach = [self._open_to_output(row) for row in slopes]
        if not any(open_[neuron] for open_ in reach for neuron in bent):
            return Reason.INVISIBLE_WALL
        return Reason.COINCIDENCE

    def _open_to_output(self, slopes: Sequence[Fraction]) -> list[bool]:
        """For each neuron, whether a path of non-zero weights and slopes leads from it to an output."""
        network = self.complex.own_network
        ahead = [True] * network.output_dim
        following = network.output
        result: list[bool] = []
        for layer in reversed(range(len(network.layers))):
            begin = network.layer_starts[layer]
            if following is not None:
                rows = [row for row, open_ in zip(following.weights, ahead, strict=True) if open_]
                ahead = [any(row[j] for row in rows) for j in range(network.widths[layer])]
            result = ahead + result
            ahead = [open_ and slopes[begin + j] != 0 for j, open_ in enumerate(ahead)]
            following = network.layers[layer]
        return result


class _Target:
    """The set {f = g} for one affine map g, asked about one face after another."""

    def __init__(self, faces: FaceComplex, affine_map: AffineLayer) -> None:
        self.faces = faces
        generators, matrix = faces.generators, affine_map.matrix
        self._matrix, self._generators = matrix, generators
        self._lines = [
            self._difference(line, values)
            for line, values in zip(generators.lines, generators.line_values, strict=True)
        ]
        self._known: dict[tuple[int, int], bool] = {}

    def _difference(self, vector: Sequence[int], values: Sequence[int]) -> list[int]:
        """F - g at a generator, times a positive number."""
        image = (self._matrix.numerators * IntMatrix(len(vector), 1, list(vector))).entries()
        scale, below = self._generators.scale, self._matrix.denominator
        return [value * below - int(other) * scale for value, other in zip(values, image, strict=True)]

    def meets(self, dim: int, index: int) -> bool:
        """Whether f = g somewhere in the relative interior of a face."""
        if (known := self._known.get((dim, index))) is None:
            known = self._known[dim, index] = self._decide(dim, index)
        return known

    def _decide(self, dim: int, index: int) -> bool:
        members = self.faces.members(dim, index)
        differences = [self._difference(self._generators.vectors[g], self._generators.values[g]) for g in members]
        if not any(map(any, differences)):
            return True
        for output, column in enumerate(zip(*differences, strict=True)):
            one_sided = min(column) >= 0 or max(column) <= 0
            if any(column) and one_sided and not any(line[output] for line in self._lines):
                return False
        if len(differences[0]) == 1:
            return True
        table = [*differences, *self._lines]
        kernel = RationalMatrix(IntMatrix(table)).transpose().kernel()
        if not kernel:
            return False
        rows = [[vector[k] for vector in kernel] + [0] for k in range(len(members))]
        if not all(map(any, rows)):
            return False
        return isinstance(solve(StrictSystem.from_rows(rows, len(kernel))), Feasible)


def components(count: int, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Connected components of a graph on 0, ..., count - 1, each sorted, by their least members.

    Examples
    --------
    >>> components(4, [(3, 1)])
    [(0,), (1, 3), (2,)]
    """
    root = list(range(count))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for i, j in pairs:
        a, b = find(i), find(j)
        root[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = defaultdict(list)
    for node in range(count):
        groups[find(node)].append(node)
    return [tuple(group) for group in groups.values()]
