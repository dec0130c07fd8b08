"""The result of an enumeration: all cells of a network on a domain, in columns.

Patterns are packed bits, sorted; witnesses are exact points; neighbours are pairs of indices.  `Cell` objects are made
when asked for.  A complex says what it is: `exact` only if the search was complete, else `lower_bound`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactregions.domains import Domain, Slice
from exactregions.errors import InputError, UndecidedError
from exactregions.network import Network
from exactregions.patterns import Pattern, PatternCodec
from exactregions.rational import to_fractions
from exactregions.regions.adjacency import (
    degree_statistics,
    facet_pairs,
    neighbour_arrays,
    region_graph,
    renumber,
    shared_facet,
)
from exactregions.regions.cell import Cell
from exactregions.regions.faces import Face, FaceComplex
from exactregions.regions.geometry import CellGeometry
from exactregions.regions.inequalities import CellInequalities, inequalities
from exactregions.regions.linear_regions import LinearRegion, LinearRegions
from exactregions.regions.subdivision import Subdivision, bit_widths, subdivide
from exactregions.regions.witnesses import WitnessTable

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl

    from exactregions.regions.tables import Rows

__all__ = ["RegionComplex", "Status"]

_MAX_DIM_OF_FACES = 6  # above it, vertices are many and facets are found cell by cell instead


class Status(StrEnum):
    """What a count is: all cells, or those found before the search was stopped."""

    EXACT = "exact"
    LOWER_BOUND = "lower_bound"


class RegionComplex:
    """All cells that an engine found.

    Parameters
    ----------
    network, domain : Network, Domain
        The problem.
    patterns : ndarray of uint8, shape (n, n_bytes)
        Packed patterns, distinct, in any order.
    witnesses : WitnessTable
        One point inside each cell, in the domain's own coordinates.
    strict : ndarray of bool, shape (n,)
        Whether each cell is free of degenerate neurons.
    facets : ndarray of int64, shape (m, 2), optional
        Pairs of cells that share a facet; computed when asked for if not given.
    status, engine, seconds, method
        What the result is and where it comes from.

    Examples
    --------
    >>> import exactregions as er
    >>> lines = er.enumerate_regions(er.Network([([[1, 0], [0, 1]], [0, 0])]))
    >>> len(lines), lines.n_facets, lines.cell_at([1, -1]).text
    (4, 4, '10')
    """

    def __init__(
        self,
        network: Network,
        domain: Domain,
        patterns: NDArray[np.uint8],
        witnesses: WitnessTable,
        strict: NDArray[np.bool_],
        *,
        facets: NDArray[np.int64] | None = None,
        status: Status = Status.EXACT,
        engine: str = "",
        seconds: float = 0.0,
        method: Mapping[str, int] | None = None,
    ) -> None:
        self.network = network
        self.domain = domain
        self.codec = PatternCodec.of(network)
        order = self.codec.order(patterns)
        self.packed = np.ascontiguousarray(patterns[order])
        self.witnesses = witnesses.permuted(order)
        self.strict = strict[order]
        self.status = Status(status)
        self.engine = engine
        self.seconds = seconds
        self.method = dict(method or {})
        self._facets = None if facets is None else renumber(facets, order)

    # -- counts ------------------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        """Number of cells (full-dimensional, convex, open)."""
        return len(self.packed)

    @property
    def n_strict(self) -> int:
        """Number of cells without a degenerate neuron: activation regions of Hanin and Rolnick."""
        return int(self.strict.sum())

    @property
    def n_facets(self) -> int:
        """Number of facets: pairs of cells that share one."""
        return len(self.facets)

    @property
    def n_linear(self) -> int:
        """Number of linear regions: maximal open connected sets on which the network is affine (R4).

        Raises
        ------
        UndecidedError
            If the search was stopped: regions may be joined by cells not found, so this would be no bound either way.
        """
        self._need_all("linear regions")
        return self.affine_pieces.n_linear

    @property
    def n_closed_connected(self) -> int:
        """Number of maximal closed connected sets on which the network equals one affine map (R5); see `n_linear`."""
        self._need_all("closed connected regions")
        return self.affine_pieces.n_closed_connected

    @property
    def n_affine_maps(self) -> int:
        """Number of distinct affine maps on cells (R6)."""
        return self.affine_pieces.n_affine_maps

    @property
    def n_patterns_any_dimension(self) -> int:
        """Number of left-open patterns of all points of the domain, whatever the dimension of their set (R1)."""
        return self.face_complex.n_patterns_any_dimension

    @property
    def f_vector(self) -> tuple[int, ...]:
        """Number of faces of dimension 0, 1, ..., d in the closures of the cells, inside the domain."""
        return self.face_complex.f_vector

    def _need_all(self, what: str) -> None:
        if self.status is not Status.EXACT:
            raise UndecidedError(
                f"{what} cannot be counted from {len(self)} cells of a search that was stopped: more may join them",
                remedy="linear_regions() groups the cells found",
            )

    def __len__(self) -> int:
        return self.n_cells

    # -- structure ---------------------------------------------------------------------------------------------

    @cached_property
    def labels(self) -> list[int]:
        """The patterns, each as one integer: what names a cell in `subdivision`."""
        spare = 8 * self.packed.shape[1] - sum(bit_widths(self.network))
        return [int.from_bytes(row.tobytes(), "big") >> spare for row in self.packed]

    @cached_property
    def subdivision(self) -> Subdivision:
        """The closed cells by vertices and rays, exactly; found anew, neuron by neuron, along the listed patterns.

        Raises
        ------
        InputError
            If a listed pattern has no cell.
        """
        found = subdivide(self.own_network, self.own_domain, self.labels)
        for index, label in enumerate(self.labels):
            if label not in found.cells:
                raise InputError(
                    f"the pattern {self.codec.format(self.pattern(index))} has no cell", where="subdivision"
                )
        return found

    def geometry_of(self, index: int) -> CellGeometry | None:
        """Return the geometry of a cell if the subdivision was made, else None."""
        if "subdivision" not in self.__dict__:
            return None
        return CellGeometry(self.subdivision.generators, self.subdivision.cells[self.labels[index]])

    @cached_property
    def face_complex(self) -> FaceComplex:
        """All faces with their incidence; see `exactregions.regions.faces`."""
        return FaceComplex.of(self)

    def faces(self, dim: int) -> list[Face]:
        """Return all faces of a dimension inside the domain, with their states."""
        return self.face_complex.faces(dim)

    def partial_regions(self, count: int) -> list[Face]:
        """Return all non-empty sets on which exactly `count` neurons are at a breakpoint."""
        return self.face_complex.partial_regions(count)

    @cached_property
    def affine_pieces(self) -> LinearRegions:
        """The cells grouped by their affine maps; see `exactregions.regions.linear_regions`."""
        return LinearRegions(self)

    def linear_regions(self) -> list[LinearRegion]:
        """Return the linear regions (R4): cells joined across facets where the affine map is the same."""
        return self.affine_pieces.regions

    def check_volume(self) -> Fraction:
        """Check that the volumes of the cells sum to the volume of the domain, exactly, and return it.

        Cells do not overlap, so in a bounded domain equality proves that none is missing.

        Raises
        ------
        InputError
            If the sum differs: cells are missing.  If the domain is unbounded.
        """
        from exactregions.regions.volumes import check_volume

        return check_volume(self)

    # -- cells -------------------------------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """Dimension of the domain's own coordinates."""
        return self.domain.dim

    @cached_property
    def own_network(self) -> Network:
        """The network on the domain's own coordinates: composed with the embedding of a slice."""
        matrix = self.domain.lift_matrix()
        return self.network if matrix is None else self.network.composed_with(matrix)

    @cached_property
    def own_domain(self) -> Domain:
        """The domain without its embedding."""
        return self.domain.inner if isinstance(self.domain, Slice) else self.domain

    def pattern(self, index: int) -> Pattern:
        """Return the pattern of a cell."""
        return tuple(map(int, self.codec.unpack(self.packed[index : index + 1])[0]))

    def patterns(self) -> list[Pattern]:
        """Return all patterns, sorted."""
        return [tuple(row) for row in self.codec.unpack(self.packed).tolist()]

    def pattern_texts(self) -> list[str]:
        """Return all patterns as printed, in the order of the cells."""
        return [self.codec.format(pattern) for pattern in self.patterns()]

    def inequalities_of(self, pattern: Sequence[int]) -> CellInequalities:
        """Return the rows of a pattern in the domain's own coordinates."""
        return inequalities(self.own_network, self.own_domain, pattern)

    def __getitem__(self, index: int) -> Cell:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"no cell {index}: there are {len(self)}")
        return Cell(self, place)

    def __iter__(self) -> Iterator[Cell]:
        return (Cell(self, index) for index in range(len(self)))

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {row.tobytes(): index for index, row in enumerate(self.packed)}

    def index_of(self, pattern: Sequence[int]) -> int | None:
        """Return the index of the cell with a pattern, or None."""
        return self._places.get(self.codec.pack([self.codec.check(pattern)])[0].tobytes())

    def cell_at(self, point: object) -> Cell:
        """Return the cell that contains a point given in the domain's own coordinates.

        Raises
        ------
        InputError
            If the point is outside the domain, on a wall, or in a cell that a stopped search did not reach.
        """
        t = to_fractions(point, where="point")
        if not self.domain.contains(t):
            raise InputError("the point is not inside the domain", where="cell_at")
        index = self.index_of(self.own_network.pattern_at(t))
        if index is not None and Cell(self, index).inequalities.holds_at(t):
            return Cell(self, index)
        if any(self.own_network.breakpoints_at(t)):
            at = [k for k, here in enumerate(self.own_network.breakpoints_at(t)) if here]
            raise InputError(
                f"the point is on a wall: neurons {', '.join(map(str, at))} are at a breakpoint there",
                where="cell_at",
                remedy="move it, or ask network.pattern_beyond(point, direction) for the cell on one side",
            )
        raise InputError(f"the point's cell is not among the {len(self)} found ({self.status.value})", where="cell_at")

    # -- adjacency ---------------------------------------------------------------------------------------------

    @property
    def facets(self) -> NDArray[np.int64]:
        """Pairs (i, j), i < j, of cells that share a facet inside the domain, sorted; shape (m, 2)."""
        if self._facets is None:
            if self.dim <= _MAX_DIM_OF_FACES:
                self._facets = self.face_complex.neighbour_pairs
            else:
                self._facets = facet_pairs((cell.inequalities, cell.pattern, cell.witness) for cell in self)
        return self._facets

    @cached_property
    def neighbour_arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Arrays (starts, cells): the neighbours of cell k are ``cells[starts[k] : starts[k + 1]]``, increasing."""
        return neighbour_arrays(self.facets, len(self))

    def neighbours_of(self, index: int) -> tuple[int, ...]:
        """Return the cells that share a facet with a cell."""
        starts, cells = self.neighbour_arrays
        return tuple(cells[starts[index] : starts[index + 1]].tolist())

    def degrees(self) -> dict[str, Any]:
        """Return statistics of the number of neighbours of a cell: ``min``, ``mean`` (exact), ``max``, ``counts``."""
        return degree_statistics(self.facets, len(self))

    def facet_point(self, first: int, second: int) -> tuple[Fraction, ...]:
        """Return a point in the relative interior of the facet between two cells.

        Raises
        ------
        InputError
            If they share none.
        """
        cells = self[first].inequalities, self[second].inequalities
        opposite = {tuple(-entry for entry in row) for row in cells[1].rows}
        for row in cells[0].rows:
            if row in opposite and (point := shared_facet(*cells, row)) is not None:
                return point
        raise InputError(f"cells {first} and {second} share no facet", where="facet_point")

    def crossing_neurons(self, first: int, second: int) -> tuple[int, ...]:
        """Return the neurons whose piece differs between two cells."""
        pair = zip(self.pattern(first), self.pattern(second), strict=True)
        return tuple(neuron for neuron, (a, b) in enumerate(pair) if a != b)

    def graph(self) -> nx.Graph:
        """Return the region adjacency graph.

        Nodes are cell indices with attributes `pattern` and `strict`; every edge is a facet and has the attribute
        `neurons`, the list of those that change piece across it.
        """
        return region_graph(self)

    def to_polars(self, rows: Rows = "cells") -> pl.DataFrame:
        """Return a polars table with one row a cell, or with ``rows="facets"`` one row a facet."""
        from exactregions.regions.tables import to_polars

        return to_polars(self, rows)

    def to_pandas(self, rows: Rows = "cells") -> pd.DataFrame:
        """Return a pandas table with one row a cell, or with ``rows="facets"`` one row a facet."""
        from exactregions.regions.tables import to_pandas

        return to_pandas(self, rows)

    # -- files and display -------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the complex to a file, without loss; see `exactregions.regions.storage`."""
        from exactregions.regions.storage import save  # storage imports this module

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> RegionComplex:
        """Read a complex written by `save`."""
        from exactregions.regions.storage import load  # storage imports this module

        return load(path)

    def summary(self) -> dict[str, Any]:
        """Return what the result is, as plain values, keyed as in the command line's JSON."""
        return {
            "network": self.network.fingerprint,
            "input_dim": self.network.input_dim,
            "hidden": list(self.network.widths),
            "domain": str(self.domain),
            "engine": self.engine,
            "status": self.status.value,
            "n_cells": self.n_cells,
            "n_strict": self.n_strict,
            "seconds": round(self.seconds, 6),
        }

    def __repr__(self) -> str:
        words = "" if self.status is Status.EXACT else "at least "
        count = f"{words}{self.n_cells} cells ({self.n_strict} strict)"
        return f"<RegionComplex: {count} of {self.network!r} on {self.domain}>"

    def _repr_html_(self) -> str:
        from exactregions.regions.display import as_html

        return as_html(self)
