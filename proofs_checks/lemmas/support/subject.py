"""The subject of a check: a network on a domain, with its cells and what is derived from them by independent routes.

A slice is replaced by the network on the slice's own coordinates.  Facets are found by crossing: from a point inside
each facet of each cell the network is evaluated just beyond it, which names the neighbour by exact evaluation alone,
without matching cells in pairs and without the adjacency that the engine reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import networkx as nx

import exactregions as er
from exactregions.domains import Domain, Slice
from exactregions.lp.facets import find_facets
from exactregions.network import AffineLayer, Network
from exactregions.regions import Cell, RegionComplex

__all__ = ["Facet", "Point", "Row", "Subject", "oriented"]

Point = tuple[Fraction, ...]
Row = tuple[int, ...]
AffineMap = tuple[tuple[Point, ...], Point]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet seen from one cell.

    Attributes
    ----------
    cell : int
        The cell that it was found on.
    row : Row
        (a, c): the cell lies where a.x + c > 0.
    point : Point
        In the relative interior of the facet.
    pattern : tuple of int
        The pattern just beyond.
    neighbour : int or None
        The listed cell with that pattern.
    """

    cell: int
    row: Row
    point: Point
    pattern: tuple[int, ...]
    neighbour: int | None


class Subject:
    """A network on a domain, as a check sees it.

    Parameters
    ----------
    network : Network
    domain : Domain, optional
        The whole space by default.
    complex_ : RegionComplex, optional
        Its cells; enumerated when first asked for if not given.
    samples : int
        Number of random networks for statistical statements.

    Examples
    --------
    >>> subject = Subject(er.Network([([[1, 0], [0, 1]], [0, 0])]))
    >>> len(subject.cells), len(subject.facets), subject.n_linear
    (4, 4, 4)
    """

    def __init__(
        self,
        network: Network,
        domain: Domain | None = None,
        *,
        complex_: RegionComplex | None = None,
        samples: int = 12,
    ) -> None:
        where = domain if domain is not None else er.WholeSpace(network.input_dim)
        if complex_ is not None:
            network, where = complex_.own_network, complex_.own_domain
        elif isinstance(where, Slice):
            matrix = where.lift_matrix()
            network, where = (network if matrix is None else network.composed_with(matrix)), where.inner
        self.network = network
        self.domain = where
        self.samples = samples
        self._complex = complex_
        self._memory: dict[Callable[..., Any], Any] = {}

    def cached(self, function: Callable[[Subject], T]) -> T:
        """Return ``function(self)``, computed once."""
        if function not in self._memory:
            self._memory[function] = function(self)
        found: T = self._memory[function]
        return found

    @property
    def dim(self) -> int:
        """Dimension d."""
        return self.domain.dim

    @cached_property
    def complex(self) -> RegionComplex:
        """The list of cells that the checks are about."""
        return er.enumerate_regions(self.network, self.domain) if self._complex is None else self._complex

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, in the order of their patterns."""
        return tuple(self.complex)

    @cached_property
    def n_strict(self) -> int:
        """Number of cells without a degenerate neuron, by their own inequalities."""
        return sum(cell.is_strict for cell in self.cells)

    @cached_property
    def crossings(self) -> tuple[Facet, ...]:
        """All facets of all cells, each seen from either side."""
        found = []
        for cell in self.cells:
            rows = cell.inequalities
            for facet in find_facets(rows.matrix, cell.witness):
                if rows.is_wall(facet.row):
                    row = rows.rows[facet.row]
                    beyond = self.network.pattern_beyond(facet.point, [-a for a in row[:-1]])
                    found.append(Facet(cell.index, row, facet.point, beyond, self.complex.index_of(beyond)))
        return tuple(found)

    @cached_property
    def facets(self) -> dict[tuple[int, int], Facet]:
        """The facets between listed cells i < j, by the pair."""
        found: dict[tuple[int, int], Facet] = {}
        for facet in self.crossings:
            if facet.neighbour is not None:
                pair = (min(facet.cell, facet.neighbour), max(facet.cell, facet.neighbour))
                found.setdefault(pair, facet)
        return dict(sorted(found.items()))

    @cached_property
    def neighbours(self) -> list[set[int]]:
        """For each cell those that share a facet with it."""
        table: list[set[int]] = [set() for _ in self.cells]
        for i, j in self.facets:
            table[i].add(j)
            table[j].add(i)
        return table

    @cached_property
    def maps(self) -> list[AffineMap]:
        """The affine map of the network on each cell."""
        return [_plain(cell.affine_map) for cell in self.cells]

    @cached_property
    def linear_regions(self) -> list[tuple[int, ...]]:
        """Cells joined across facets where the affine maps agree: connected components of a networkx graph."""
        graph = nx.Graph()
        graph.add_nodes_from(range(len(self.cells)))
        graph.add_edges_from((i, j) for i, j in self.facets if self.maps[i] == self.maps[j])
        return sorted(tuple(sorted(part)) for part in nx.connected_components(graph))

    @property
    def n_linear(self) -> int:
        """Number of linear regions."""
        return len(self.linear_regions)

    def text(self, pattern: tuple[int, ...]) -> str:
        """A pattern as printed."""
        return self.complex.codec.format(pattern)

    def place(self, neuron: int) -> list[int]:
        """Layer and place of a neuron, both from 0."""
        return list(self.network.layer_of(neuron))


def oriented(row: Row) -> Row:
    """Return a hyperplane's row with a positive first coefficient."""
    return row if next(entry for entry in row if entry) > 0 else tuple([-entry for entry in row])


def _plain(layer: AffineLayer) -> AffineMap:
    return layer.weights, layer.bias
