"""Walk: from cell to neighbouring cell over the region adjacency graph, every step decided exactly.

For each cell all facets are found (`exactregions.lp.facets`), and each facet that lies inside the domain is crossed: an
exact forward pass just beyond a point p of its relative interior, in the outward direction v, gives the neighbour's
pattern.  That one direction tells is a theorem: on the facet every pre-activation is affine, and one that is at a
breakpoint at p is so all over the facet (its wall would otherwise cut the cell); if it stays there along v too, it is
identically at the breakpoint on the neighbour, which is what the left-open rule wants to hear.  So coincident walls,
in one layer or across layers, need no case of their own, and nothing is guessed by a flip.

The complex is face to face, so every facet inside the domain has one neighbour, and the interior of a convex domain
minus the faces of codimension two is connected: the walk reaches every cell (Grigsby and Lindsey, 2022).
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from exactregions.certificates.observers import NullObserver, Observer, Problem
from exactregions.domains import Box, Domain
from exactregions.enumeration.reduce import ReducedProblem, in_own_coordinates, reduce_problem
from exactregions.errors import EmptyDomainError, InputError, UndecidedError
from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.lp.facets import Facet, find_facets
from exactregions.network import Network
from exactregions.patterns import Pattern, PatternCodec
from exactregions.rational import IntMatrix, integer_row, primitive, round_to_bits, to_fractions
from exactregions.regions import CellInequalities, RegionComplex, Status, WitnessTable, inequalities

__all__ = ["walk"]

Row = tuple[int, ...]
Point = tuple[Fraction, ...]


@dataclass(slots=True)
class _Visit:
    """A cell that was seen: where it was entered, how far from the start, and the neighbours known so far."""

    pattern: Pattern
    depth: int
    entry: Point
    inward: Row | None
    known: dict[Row, int] = field(default_factory=dict)
    witness: Point | None = None
    strict: bool = True


def walk(
    network: Network,
    domain: Domain,
    *,
    start: object | None = None,
    max_cells: int | None = None,
    max_depth: int | None = None,
    observer: Observer | None = None,
) -> RegionComplex:
    """List all cells by walking the region adjacency graph.

    Parameters
    ----------
    network, domain : Network, Domain
        The problem.
    start : array-like, optional
        Where to begin, in the domain's own coordinates; it may lie on a wall.
    max_cells, max_depth : int, optional
        Stop after so many cells, or so many facets away from the start; if that leaves cells out, the result's status
        is `lower_bound`.
    observer : Observer, optional
        Told of every cell as it is settled.

    Returns
    -------
    RegionComplex
        With its facets.  After Ctrl-C, what was found, with status `lower_bound`.

    Raises
    ------
    EmptyDomainError
        If the domain has no interior.
    InputError
        If the start is not in the domain.
    """
    began = time.perf_counter()
    search = _Walk(network, domain, max_cells, max_depth, observer or NullObserver())
    search.begin(start)
    search.run()
    return search.result(time.perf_counter() - began)


class _Walk:
    def __init__(
        self, network: Network, domain: Domain, max_cells: int | None, max_depth: int | None, observer: Observer
    ) -> None:
        if max_cells is not None and max_cells < 1:
            raise InputError(f"max_cells is at least 1, not {max_cells}")
        if max_depth is not None and max_depth < 0:
            raise InputError(f"max_depth is at least 0, not {max_depth}")
        self.network, self.domain = network, domain
        self.problem: ReducedProblem = reduce_problem(network, domain)
        self.max_cells, self.max_depth = max_cells, max_depth
        self.observer = observer
        self.visits: list[_Visit] = []
        self.places: dict[Pattern, int] = {}
        self.edges: list[tuple[int, int]] = []
        self.queue: deque[int] = deque()
        self.complete = True
        self.rng = np.random.default_rng(0)

    def begin(self, start: object | None) -> None:
        """Find the first cell: the one that the start is in, or just off it where it lies on a wall."""
        own_network, own_domain = in_own_coordinates(self.network, self.domain)
        if start is None:
            point = _interior_point(own_domain)
        else:
            point = to_fractions(start, where="start")
            if not self.domain.contains(point):
                raise InputError("the start is not inside the domain", where="start", remedy="domains are open")
        self.observer.start(Problem(self.network, self.domain, "walk"))
        pattern = own_network.pattern_beyond(point)
        cell = inequalities(self.problem.network, self.problem.domain, pattern)
        answer = solve(StrictSystem(cell.matrix))
        if not isinstance(answer, Feasible):
            raise UndecidedError("the cell at the start was found empty, which cannot be")
        self._see(pattern, 0, answer.witness, None)

    def run(self) -> None:
        try:
            while self.queue:
                self._settle(self.queue.popleft())
                self.observer.progress(len(self.visits) - len(self.queue), len(self.queue))
        except KeyboardInterrupt:
            self.complete = False

    def _see(self, pattern: Pattern, depth: int, entry: Point, inward: Row | None) -> int | None:
        """Note a cell that was reached; None if a limit keeps it out."""
        if (place := self.places.get(pattern)) is not None:
            return place
        if self.max_cells is not None and len(self.visits) >= self.max_cells:
            self.complete = False
            return None
        place = self.places[pattern] = len(self.visits)
        self.visits.append(_Visit(pattern, depth, entry, inward))
        self.queue.append(place)
        return place

    def _settle(self, place: int) -> None:
        """Find all facets of a cell and cross those not crossed yet."""
        visit = self.visits[place]
        cell = self._locate(visit)
        self.observer.cell(visit.pattern, self._lift(visit), visit.strict)
        if self.max_depth is not None and visit.depth > self.max_depth:
            return
        index = {row: k for k, row in enumerate(cell.rows)}
        try:
            known = [index[row] for row in visit.known]
        except KeyError:
            raise UndecidedError("two cells disagree on the facet between them, which cannot be") from None
        for facet in find_facets(cell.matrix, visit.witness or (), known=known, rng=self.rng):
            if cell.is_wall(facet.row):
                self._cross(place, cell.rows[facet.row], facet)

    def _cross(self, place: int, row: Row, facet: Facet) -> None:
        """Enter the neighbour beyond a facet, and note the facet with both cells."""
        outward = primitive([-entry for entry in row])
        pattern = self.problem.network.pattern_beyond(facet.point, outward[:-1])
        depth = self.visits[place].depth + 1
        if pattern not in self.places and self.max_depth is not None and depth > self.max_depth:
            self.complete = False
            return
        if (other := self._see(pattern, depth, facet.point, outward)) is None:
            return
        if other == place or outward in self.visits[other].known:
            raise UndecidedError("a facet was found to have more than one neighbour, which cannot be")
        self.visits[place].known[row] = other
        self.visits[other].known[outward] = place
        self.edges.append((place, other))

    def _locate(self, visit: _Visit) -> CellInequalities:
        """Return the cell's rows; on the first call settle its witness."""
        cell = inequalities(self.problem.network, self.problem.domain, visit.pattern)
        if cell.contradiction is not None:
            raise UndecidedError("a crossing led to a pattern that has no cell, which cannot be")
        if visit.witness is None:
            visit.witness = _inner_point(cell.matrix, visit.entry, visit.inward)
            visit.strict = not cell.degenerate
        return cell

    def _lift(self, visit: _Visit) -> Point:
        return self.problem.lift(visit.witness or ())

    def result(self, seconds: float) -> RegionComplex:
        """Assemble the complex; cells that were reached but not settled get their witness here."""
        for visit in self.visits:
            if visit.witness is None:
                self._locate(visit)
        codec = PatternCodec.of(self.network)
        status = Status.EXACT if self.complete else Status.LOWER_BOUND
        complex_ = RegionComplex(
            self.network,
            self.domain,
            codec.pack([visit.pattern for visit in self.visits]),
            WitnessTable.from_points(map(self._lift, self.visits), self.domain.dim),
            np.array([visit.strict for visit in self.visits], dtype=bool),
            facets=np.array(self.edges, dtype=np.int64).reshape(len(self.edges), 2),
            status=status,
            engine="walk",
            seconds=seconds,
        )
        self.observer.end(complex_.n_cells, complex_.n_strict, complete=self.complete)
        return complex_


def _interior_point(domain: Domain) -> Point:
    """Return a point inside a domain, or raise EmptyDomainError with the reason."""
    if isinstance(domain, Box):
        return tuple((a + b) / 2 for a, b in zip(domain.lower, domain.upper, strict=True))
    rows = domain.integer_rows()
    if not rows:
        return (Fraction(0),) * domain.dim
    answer = solve(StrictSystem.from_rows(rows, domain.dim))
    if isinstance(answer, Feasible):
        return answer.witness
    involved = ", ".join(str(row) for row, _ in answer.multipliers)
    raise EmptyDomainError(f"the domain has no interior: its rows {involved} contradict each other", where=str(domain))


def _inner_point(rows: IntMatrix, entry: Point, inward: Row | None) -> Point:
    """Return a short point strictly inside a cell, from one inside it or on the facet where it was entered.

    From a facet it goes inward half the way to where the cell is left, or one unit where it is not.
    """
    if inward is None:
        return _shorten(rows, entry)
    move, (numerators, scale) = inward[:-1], integer_row(entry)
    columns = [value for pair in zip([*numerators, scale], [*move, 0], strict=True) for value in pair]
    exit_time: Fraction | None = None
    for value, slope in (rows * IntMatrix(len(move) + 1, 2, columns)).tolist():
        if slope < 0:
            when = Fraction(int(value), -int(slope) * scale)
            exit_time = when if exit_time is None or when < exit_time else exit_time
    step = Fraction(1, max(map(abs, move))) if exit_time is None else exit_time / 2
    return _shorten(rows, tuple([x + step * v for x, v in zip(entry, move, strict=True)]))


def _shorten(rows: IntMatrix, target: Point) -> Point:
    """Return the given inner point with the fewest bits (in steps) that keep it strictly inside."""
    for bits in (6, 14, 26, 52, 104, 208, 416):
        candidate = tuple([round_to_bits(value, bits) for value in target])
        numerators, scale = integer_row(candidate)
        if all(value > 0 for value in (rows * IntMatrix(len(target) + 1, 1, [*numerators, scale])).entries()):
            return candidate
    return target
