"""Faces of every dimension of a complex, with nothing assumed generic: vertices, edges, ..., facets, cells.

A face is named by its *state*: for each neuron the piece that its pre-activation is on, or the breakpoint it is at.
On a face F of a cell C the rows of C that vanish on F are at their breakpoints and the others are not, and the same
state holds on no other face: the set of a state is convex, and the activation takes the same value at a breakpoint from
either piece, so that the pre-activations on it are C's, layer by layer (Masden 2022, Theorem 14, without genericity).
So faces and non-empty *partial regions* are the same thing, in any network.

Faces are found from the generators of the closed cells (`subdivision`): the proper faces of a face that are not inside
another one are the largest sets of generators that lie on a common row.  A face on the boundary of the domain or at
infinity is no face of the complex.  Each face is kept once, named by its generators, so that incidence is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import InputError
from exactregions.regions.generators import Members, interior_point
from exactregions.regions.subdivision import Subdivision

if TYPE_CHECKING:
    import networkx as nx
    import scipy.sparse

    from exactregions.regions.complex import RegionComplex

__all__ = ["Face", "FaceComplex"]


@dataclass(frozen=True, slots=True)
class Face:
    """A relatively open face inside the domain.

    Attributes
    ----------
    dim : int
        Its dimension.
    index : int
        Its place among the faces of that dimension.
    state : tuple of int
        For each neuron 2 k if it is on piece k, 2 k + 1 if it is at breakpoint k (both from 0); for ReLU that is one
        more than the sign of the pre-activation.
    generators : tuple of int
        Its vertices and rays, in the table of the subdivision.
    cell : int
        One cell that has it in its closure.
    """

    dim: int
    index: int
    state: tuple[int, ...]
    generators: Members
    cell: int

    @property
    def at_breakpoint(self) -> tuple[int, ...]:
        """The neurons at a breakpoint."""
        return tuple(neuron for neuron, code in enumerate(self.state) if code % 2)

    @property
    def pattern(self) -> tuple[int, ...]:
        """The left-open pattern of its points: a neuron at a breakpoint is on the piece left of it."""
        return tuple(code // 2 for code in self.state)

    @property
    def text(self) -> str:
        """The state as printed: pieces as digits, ``*`` at a breakpoint (with its number where there are several)."""
        return " ".join(f"*{code // 2}" if code % 2 else str(code // 2) for code in self.state)


@dataclass(frozen=True, slots=True)
class _Level:
    """The faces of one dimension: their generators, one cell each, and their facets once these are known."""

    members: list[Members]
    cells: list[int]
    parts: list[tuple[int, ...]] = field(default_factory=list)


class FaceComplex:
    """All faces of the cells of a complex, by dimension, with their incidence.

    Parameters
    ----------
    subdivision : Subdivision
    labels : sequence of int
        The keys of the cells in the subdivision, in the order of the complex.
    patterns : NDArray of int, shape (n_cells, n_neurons)
        Their patterns.
    """

    def __init__(self, subdivision: Subdivision, labels: Sequence[int], patterns: NDArray[np.integer]) -> None:
        self.subdivision = subdivision
        self.generators = subdivision.generators
        self.dim = subdivision.dim
        self.patterns = patterns
        self._outside = (1 << subdivision.n_special) - 1
        top = _Level([subdivision.cells[label] for label in labels], list(range(len(labels))))
        self._levels: dict[int, _Level] = {self.dim: top}

    @classmethod
    def of(cls, complex_: RegionComplex) -> FaceComplex:
        """Return the faces of a complex."""
        subdivision = complex_.subdivision
        return cls(subdivision, complex_.labels, complex_.codec.unpack(complex_.packed))

    def _level(self, dim: int) -> _Level:
        """The faces of a dimension, found from those of one dimension more when first asked for."""
        if not 0 <= dim <= self.dim:
            raise InputError(f"no faces of dimension {dim}: the domain has dimension {self.dim}")
        if (known := self._levels.get(dim)) is not None:
            return known
        upper = self._level(dim + 1)
        places: dict[Members, int] = {}
        level = self._levels[dim] = _Level([], [])
        for members, cell in zip(upper.members, upper.cells, strict=True):
            found = []
            for part in largest_parts(members, self.generators.tight, self._outside):
                place = places.setdefault(part, len(level.cells))
                if place == len(level.cells):
                    level.cells.append(cell)
                found.append(place)
            upper.parts.append(tuple(sorted(found)))
        level.members.extend(places)
        return level

    def _parts(self, dim: int) -> list[tuple[int, ...]]:
        """For each face of a dimension, at least 1, its facets."""
        self._level(dim - 1)
        return self._level(dim).parts

    # -- counts ------------------------------------------------------------------------------------------------

    @property
    def f_vector(self) -> tuple[int, ...]:
        """Number of faces of dimension 0, 1, ..., d inside the domain; its sides and the faces at infinity not."""
        return tuple(len(self._level(dim).members) for dim in range(self.dim + 1))

    @property
    def euler_characteristic(self) -> int:
        """The alternating sum of the f-vector: (-1)^d for a complete complex, since an open convex set has that."""
        return sum((-1) ** k * count for k, count in enumerate(self.f_vector))

    def check_euler(self) -> None:
        """Check the alternating sum against (-1)^d.

        Raises
        ------
        InputError
            If they differ, which proves that cells are missing (equality proves nothing).
        """
        if self.euler_characteristic != (-1) ** self.dim:
            raise InputError(
                f"the f-vector {self.f_vector} has the alternating sum {self.euler_characteristic}, "
                f"not {(-1) ** self.dim}",
                where="Euler identity",
                remedy="the list of cells is not complete",
            )

    def check_closed(self) -> None:
        """Check that every facet inside the domain has a cell on either side, which proves that no cell is missing.

        The interior of the domain without the faces of codimension 2 is connected, so a list of cells that is not
        empty and can be left through no facet holds all of them.  Unlike the volume identity this needs no bounds.

        Raises
        ------
        InputError
            If there is no cell, or a facet with only one.
        """
        if not self._level(self.dim).members:
            raise InputError("there is no cell", where="facets", remedy="every domain with interior has one")
        for facet, cells in enumerate(self.facet_cells):
            if len(cells) < 2:
                raise InputError(
                    f"beyond facet {facet} of cell {cells[0]} there is no cell",
                    where="facets",
                    remedy="the list of cells is not complete",
                )

    @cached_property
    def n_patterns_any_dimension(self) -> int:
        """Number of left-open patterns of all points of the domain (R1 of Stargalla, Hertrich and Reichman)."""
        return len({state.tobytes() for k in range(self.dim + 1) for state in self.states(k) // 2})

    # -- faces -------------------------------------------------------------------------------------------------

    def tight_rows(self, dim: int, index: int) -> int:
        """The rows that vanish on a face, as bits of the subdivision."""
        mask = -1
        for generator in self._level(dim).members[index]:
            mask &= self.generators.tight[generator]
        return mask

    def states(self, dim: int) -> NDArray[np.int64]:
        """States of all faces of a dimension, shape (n, n_neurons); see `Face`."""
        table = 2 * self.patterns[self._level(dim).cells].astype(np.int64)
        special, walls = self.subdivision.n_special, self.subdivision.walls
        for index in range(len(table)):
            mask = self.tight_rows(dim, index) >> special
            while mask:
                low = mask & -mask
                neuron, mark = walls[low.bit_length() - 1]
                table[index, neuron] = 2 * mark + 1
                mask ^= low
        return table

    def faces(self, dim: int) -> list[Face]:
        """All faces of a dimension, with their states."""
        states = self.states(dim).tolist()
        level = self._level(dim)
        columns = zip(states, level.members, level.cells, strict=True)
        return [Face(dim, k, tuple(state), members, cell) for k, (state, members, cell) in enumerate(columns)]

    def partial_regions(self, count: int) -> list[Face]:
        """All non-empty sets on which exactly `count` neurons are at a breakpoint and all others off theirs.

        They are the r-partial regions of Hanin and Rolnick; in a generic network their codimension is r.
        """
        return [face for dim in range(self.dim + 1) for face in self.faces(dim) if len(face.at_breakpoint) == count]

    @cached_property
    def _wall_bits(self) -> dict[tuple[int, int], int]:
        return {wall: bit for bit, wall in enumerate(self.subdivision.walls)}

    def wall_bit(self, neuron: int, mark: int) -> int:
        """The place of a breakpoint among the walls of the subdivision."""
        return self._wall_bits[neuron, mark]

    def members(self, dim: int, index: int) -> Members:
        """Generators of a face."""
        return self._level(dim).members[index]

    def parts(self, dim: int, index: int) -> tuple[int, ...]:
        """Faces of one dimension less in the closure of a face, inside the domain."""
        return self._parts(dim)[index] if dim else ()

    def interior_point(self, dim: int, index: int) -> tuple[Fraction, ...]:
        """A point in the relative interior of a face."""
        return interior_point(self.generators, self._level(dim).members[index])

    # -- incidence ---------------------------------------------------------------------------------------------

    @cached_property
    def facet_cells(self) -> list[tuple[int, ...]]:
        """For each facet the cells on its two sides (one, if the list of cells is incomplete), increasing."""
        if not self.dim:
            return []
        sides: list[list[int]] = [[] for _ in self._level(self.dim - 1).members]
        for cell, facets in enumerate(self._parts(self.dim)):
            for facet in facets:
                sides[facet].append(cell)
        return [tuple(side) for side in sides]

    @cached_property
    def neighbour_pairs(self) -> NDArray[np.int64]:
        """Pairs (i, j), i < j, of cells that share a facet, sorted; shape (m, 2)."""
        pairs = sorted(side for side in self.facet_cells if len(side) == 2)
        return np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)

    def cofaces(self, dim: int) -> list[list[int]]:
        """For each face of a dimension the faces of one dimension more that have it in their closure."""
        table: list[list[int]] = [[] for _ in self._level(dim).members]
        if dim < self.dim:
            for upper, parts in enumerate(self._parts(dim + 1)):
                for part in parts:
                    table[part].append(upper)
        return table

    def incidence_matrix(self, dim: int) -> scipy.sparse.csr_array:
        """Boundary matrix from dimension `dim` to `dim` - 1 over GF(2): shape (f_(dim-1), f_dim), entries 0 and 1."""
        import scipy.sparse

        rows = len(self._level(dim - 1).members) if dim else 0
        parts = self._parts(dim) if dim else [()] * len(self._level(0).members)
        indices = np.array([part for row in parts for part in row], dtype=np.int64)
        starts = np.cumsum([0, *map(len, parts)])
        data = np.ones(len(indices), dtype=np.uint8)
        return scipy.sparse.csc_array((data, indices, starts), shape=(rows, len(parts))).tocsr()

    def lattice(self) -> nx.DiGraph:
        """Return the face poset: nodes (dim, index) with the attribute `state`, edges from a face to its facets."""
        import networkx as nx

        graph = nx.DiGraph()
        for dim in range(self.dim + 1):
            for face in self.faces(dim):
                graph.add_node((dim, face.index), state=list(face.state))
            if dim:
                pairs = ((k, part) for k, parts in enumerate(self._parts(dim)) for part in parts)
                graph.add_edges_from(((dim, k), (dim - 1, part)) for k, part in pairs)
        return graph

    @cached_property
    def closures(self) -> list[dict[int, frozenset[int]]]:
        """For each cell, the faces in its closure by dimension."""
        found = []
        for cell in range(len(self._level(self.dim).members)):
            level = frozenset([cell])
            table = {self.dim: level}
            for dim in range(self.dim, 0, -1):
                level = frozenset(part for face in level for part in self._parts(dim)[face])
                table[dim - 1] = level
            found.append(table)
        return found


def largest_parts(members: Members, tight: Sequence[int], outside: int) -> list[Members]:
    """Facets of a face given by its generators: the largest proper subsets on a common row, those outside left out."""
    masks = [tight[g] for g in members]
    everywhere, somewhere = masks[0], 0
    for mask in masks:
        everywhere &= mask
        somewhere |= mask
    rows = somewhere & ~everywhere
    sets: dict[int, int] = {}
    while rows:
        bit = rows & -rows
        rows ^= bit
        subset = 0
        for place, mask in enumerate(masks):
            if mask & bit:
                subset |= 1 << place
        sets[subset] = sets.get(subset, 0) | bit
    kept: list[int] = []
    for subset in sorted(sets, key=int.bit_count, reverse=True):
        if not any(subset & other == subset for other in kept):
            kept.append(subset)
    return [
        tuple([g for place, g in enumerate(members) if subset >> place & 1])
        for subset in kept
        if not sets[subset] & outside
    ]
