"""The front of `split`: pick a kernel and a rung, let the next rung finish what one leaves open, join the chunks.

The ladder of rungs: `float` (float64 with a proved error bound on every sign), `integer` (the same search on integers
held exactly), `exact` (double description on unbounded integers).  A kernel hands out the prefix of every subtree in
which it could not decide a sign, and nothing of that subtree; the exact rung searches it, so that each cell is found by
one rung.  A network that forces the last rung has the same answer, only later.

Subtrees do not overlap, so patterns are distinct; listing checks that, and it checks every witness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from exactregions.domains import Domain
from exactregions.enumeration.split.chunks import Chunk, exact_chunk
from exactregions.enumeration.split.exact import search_exact
from exactregions.enumeration.split.facets import Facets, HalfFacets, facets_of_cells, join
from exactregions.enumeration.split.homogeneous import HomogeneousProblem, homogeneous_problem
from exactregions.enumeration.split.kernels import Plan, Wanted, choose, run_kernel
from exactregions.errors import EmptyDomainError, InputError, UndecidedError
from exactregions.network import Network
from exactregions.patterns import PatternCodec

__all__ = ["Progress", "SplitResult", "split"]

Progress = Callable[[int, int], None]
_MODES = ("count", "list", "facets")
_RUNGS = ("auto", "float", "integer", "exact")
_KERNELS = ("auto", "vertices", "dictionary")
_BATCH = 256


@dataclass(frozen=True, slots=True)
class SplitResult:
    """All cells, or those found before the search was stopped.

    Attributes
    ----------
    n_cells, n_strict : int
        All cells, and those without a degenerate neuron.
    status : str
        ``"exact"`` or ``"lower_bound"``.
    method : mapping of str to int
        Cells settled by each rung (``cells_float``, ``cells_integer``, ``cells_exact``), subtrees handed to the exact
        rung (``escalated``), and counters of the kernel.
    patterns : uint8 array (n_cells, n_bytes), or None when only counting
        Packed by `PatternCodec`, sorted.
    points : float64 array (n_cells, dim of the domain), or None when only counting
        One point strictly inside each cell, in the domain's own coordinates; the floats are the exact coordinates,
        except in rows that `exact_points` has.
    exact_points : mapping of int to tuple of Fraction
        Exact witnesses of the rows where no float64 point was found to lie inside.
    degenerate : uint8 array (n_cells, ceil(N / 8)), or None
        Degenerate neurons of each cell as bits, first neuron most significant; None if no cell has one.
    facets : Facets, or None unless the mode is ``"facets"``
        Pairs of cells that share a facet, with the neurons that change piece across it.
    """

    n_cells: int
    n_strict: int
    status: str
    method: Mapping[str, int]
    patterns: NDArray[np.uint8] | None = None
    points: NDArray[np.float64] | None = None
    exact_points: Mapping[int, tuple[Fraction, ...]] = field(default_factory=dict)
    degenerate: NDArray[np.uint8] | None = None
    facets: Facets | None = None

    @property
    def strict(self) -> NDArray[np.bool_]:
        """For each cell whether it has no degenerate neuron."""
        if self.degenerate is None:
            return np.ones(self.n_cells, np.bool_)
        flagged = np.asarray(self.degenerate.any(axis=1), dtype=np.bool_)
        return ~flagged


def split(
    network: Network,
    domain: Domain,
    *,
    mode: str = "list",
    rung: str = "auto",
    kernel: str = "auto",
    threads: int = 1,
    max_cells: int | None = None,
    progress: Progress | None = None,
) -> SplitResult:
    """Find all cells of a network on a domain by splitting it, depth first, neuron by neuron.

    Parameters
    ----------
    network, domain : Network, Domain
        The problem.
    mode : {"list", "count", "facets"}
        Whether to return patterns and witnesses, or only their number (in memory that does not grow with it), or
        patterns and witnesses and which cells share a facet.  The vertex kernel and the exact rung know the facets of a
        cell and hand them out in about the time of the list; the dictionary kernel, which `auto` takes for facets
        only beyond 12 dimensions, does not, and they are then found by exact linear programs, cell after cell.
    rung : {"auto", "float", "integer", "exact"}
        Where to begin on the ladder of arithmetics; whatever a rung cannot decide goes on to the exact one.
    kernel : {"auto", "vertices", "dictionary"}
        The compiled kernel; by default the one that suits the effective dimension.
    threads : int
        Number of threads; the result does not depend on it.
    max_cells : int, optional
        Stop once so many cells are found; the status is then `lower_bound`.
    progress : callable, optional
        Called now and then with the number of cells found so far, and about how many still wait: an estimate from the
        prefixes of the search that are done, 0 where none can be made.

    Raises
    ------
    EmptyDomainError
        If the domain has no interior.
    InputError
        If an option is unknown, or the rung asked for cannot run on this network.
    UndecidedError
        If a check fails; no answer is given then.

    Examples
    --------
    >>> from exactregions.domains import WholeSpace
    >>> lines = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])])
    >>> split(lines, WholeSpace(2), rung="exact").n_cells
    7
    >>> halves = split(Network([([[1], [1]], [0, 0])]), WholeSpace(1), mode="facets")
    >>> halves.facets.pairs.tolist(), halves.facets.neurons_of(0)
    ([[0, 1]], (0, 1))
    """
    for value, allowed, name in ((mode, _MODES, "mode"), (rung, _RUNGS, "rung"), (kernel, _KERNELS, "kernel")):
        if value not in allowed:
            raise InputError(f"no {name} {value!r}", remedy=f"choose one of {', '.join(allowed)}")
    if threads < 1 or (max_cells is not None and max_cells < 1):
        raise InputError("threads and max_cells are at least 1")
    problem = homogeneous_problem(network, domain)
    wanted = Wanted(listing=mode != "count", faceting=mode == "facets")
    plan = choose(problem, rung, kernel, faceting=wanted.faceting)
    search = _chunks(problem, plan, wanted, threads=threads, max_cells=max_cells)
    return _collect(problem, search, wanted, max_cells=max_cells, progress=progress)


def _chunks(
    problem: HomogeneousProblem, plan: Plan, wanted: Wanted, *, threads: int, max_cells: int | None
) -> Generator[tuple[str, Chunk], None, None]:
    """Yield (rung, chunk) from the chosen kernel, each followed by the exact rung on what it left open."""
    if plan.kernel is None:
        yield from _exact(problem, (), wanted)
        return
    for chunk in run_kernel(problem, plan, wanted, threads=threads, max_cells=max_cells):
        yield plan.rung, chunk
        for prefix in chunk.undecided:
            yield from _exact(problem, prefix, wanted)


def _exact(
    problem: HomogeneousProblem, prefix: tuple[tuple[int, ...], ...], wanted: Wanted
) -> Iterator[tuple[str, Chunk]]:
    cells = search_exact(problem, prefix)
    while batch := list(islice(cells, _BATCH)):
        yield "exact", exact_chunk(problem, batch, listing=wanted.listing, faceting=wanted.faceting)


def _collect(
    problem: HomogeneousProblem,
    search: Generator[tuple[str, Chunk], None, None],
    wanted: Wanted,
    *,
    max_cells: int | None,
    progress: Progress | None,
) -> SplitResult:
    kept: list[Chunk] = []
    method: Counter[str] = Counter()
    n_cells = n_strict = likely = 0
    complete = True
    try:
        for rung, chunk in search:
            n_cells += chunk.n_cells
            n_strict += chunk.n_strict
            method[f"cells_{rung}"] += chunk.n_cells
            method["escalated"] += len(chunk.undecided)
            method.update(chunk.decisions)
            complete = complete and chunk.complete
            if wanted.listing and chunk.n_cells:
                kept.append(chunk)
            if progress is not None:
                likely = round(n_cells / chunk.fraction) if chunk.fraction > 0 else likely
                progress(n_cells, max(likely - n_cells, 0))
            if max_cells is not None and n_cells >= max_cells:
                complete = not any(rest.n_cells or rest.undecided or not rest.complete for _, rest in search)
                break
    except KeyboardInterrupt:
        complete = False
    finally:
        search.close()
    status = "exact" if complete else "lower_bound"
    if not n_cells and status == "exact":
        raise EmptyDomainError("the domain has no interior, so it has no cell", where=str(problem.domain))
    if not wanted.listing:
        return SplitResult(n_cells, n_strict, status, dict(method))
    return _assemble(problem, kept, wanted, n_strict, status, dict(method))


def _assemble(
    problem: HomogeneousProblem, kept: list[Chunk], wanted: Wanted, n_strict: int, status: str, method: dict[str, int]
) -> SplitResult:
    """Join the chunks and sort the cells by pattern."""
    codec = PatternCodec.of(problem.network)
    patterns = np.concatenate([np.zeros((0, codec.n_bytes), np.uint8), *(chunk.patterns for chunk in kept)])
    points = np.concatenate([np.zeros((0, problem.domain.dim)), *(chunk.points for chunk in kept)])
    order = codec.order(patterns)
    patterns, points = patterns[order], points[order]
    if len(patterns) > 1 and bool((patterns[1:] == patterns[:-1]).all(axis=1).any()):
        raise UndecidedError("internal error: split found a pattern twice")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    exact, start = {}, 0
    for chunk in kept:
        exact.update({int(place[start + row]): point for row, point in chunk.exact_points.items()})
        start += chunk.n_cells
    flags = None
    if n_strict < len(patterns):
        width = -(-problem.network.n_neurons // 8)
        parts = [np.zeros((c.n_cells, width), np.uint8) if c.degenerate is None else c.degenerate for c in kept]
        flags = np.concatenate(parts)[order]
    facets = None
    if wanted.faceting:
        halves = _half_facets(problem, kept, place, patterns, points, exact)
        facets = join(problem, patterns, halves, complete=status == "exact")
    return SplitResult(len(patterns), n_strict, status, method, patterns, points, exact, flags, facets)


def _half_facets(
    problem: HomogeneousProblem,
    kept: list[Chunk],
    place: NDArray[np.intp],
    patterns: NDArray[np.uint8],
    points: NDArray[np.float64],
    exact_points: Mapping[int, tuple[Fraction, ...]],
) -> HalfFacets:
    """Gather the facets of all cells, cells being numbered anew; those of a kernel that does not tell are found now."""
    cells, rows, start = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    silent = [np.zeros(0, np.int64)]
    for chunk in kept:
        own = place[start : start + chunk.n_cells].astype(np.int64)
        start += chunk.n_cells
        if chunk.facet_counts is None:
            silent.append(own)
        else:
            cells.append(np.repeat(own, chunk.facet_counts))
            rows.append(chunk.facet_rows.astype(np.int64))
    found = facets_of_cells(problem, patterns, points, exact_points, np.concatenate(silent))
    return HalfFacets(np.concatenate([*cells, found.cells]), np.concatenate([*rows, found.rows]))
