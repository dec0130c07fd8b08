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
from exactregions.enumeration.split.homogeneous import HomogeneousProblem, homogeneous_problem
from exactregions.enumeration.split.kernels import Plan, choose, run_kernel
from exactregions.errors import EmptyDomainError, InputError, UndecidedError
from exactregions.network import Network
from exactregions.patterns import PatternCodec

__all__ = ["Progress", "SplitResult", "split"]

Progress = Callable[[int], None]
_MODES = ("count", "list")
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
    """

    n_cells: int
    n_strict: int
    status: str
    method: Mapping[str, int]
    patterns: NDArray[np.uint8] | None = None
    points: NDArray[np.float64] | None = None
    exact_points: Mapping[int, tuple[Fraction, ...]] = field(default_factory=dict)
    degenerate: NDArray[np.uint8] | None = None

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
    mode : {"list", "count"}
        Whether to return patterns and witnesses, or only their number (in memory that does not grow with it).
    rung : {"auto", "float", "integer", "exact"}
        Where to begin on the ladder of arithmetics; whatever a rung cannot decide goes on to the exact one.
    kernel : {"auto", "vertices", "dictionary"}
        The compiled kernel; by default the one that suits the effective dimension.
    threads : int
        Number of threads; the result does not depend on it.
    max_cells : int, optional
        Stop once so many cells are found; the status is then `lower_bound`.
    progress : callable, optional
        Called with the number of cells found so far, now and then.

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
    """
    for value, allowed, name in ((mode, _MODES, "mode"), (rung, _RUNGS, "rung"), (kernel, _KERNELS, "kernel")):
        if value not in allowed:
            raise InputError(f"no {name} {value!r}", remedy=f"choose one of {', '.join(allowed)}")
    if threads < 1 or (max_cells is not None and max_cells < 1):
        raise InputError("threads and max_cells are at least 1")
    problem = homogeneous_problem(network, domain)
    listing = mode == "list"
    plan = choose(problem, rung, kernel)
    search = _chunks(problem, plan, listing=listing, threads=threads, max_cells=max_cells)
    return _collect(problem, search, listing=listing, max_cells=max_cells, progress=progress)


def _chunks(
    problem: HomogeneousProblem, plan: Plan, *, listing: bool, threads: int, max_cells: int | None
) -> Generator[tuple[str, Chunk], None, None]:
    """Yield (rung, chunk) from the chosen kernel, each followed by the exact rung on what it left open."""
    if plan.kernel is None:
        yield from _exact(problem, (), listing=listing)
        return
    for chunk in run_kernel(problem, plan, listing=listing, threads=threads, max_cells=max_cells):
        yield plan.rung, chunk
        for prefix in chunk.undecided:
            yield from _exact(problem, prefix, listing=listing)


def _exact(
    problem: HomogeneousProblem, prefix: tuple[tuple[int, ...], ...], *, listing: bool
) -> Iterator[tuple[str, Chunk]]:
    cells = search_exact(problem, prefix)
    while batch := list(islice(cells, _BATCH)):
        yield "exact", exact_chunk(problem, batch, listing=listing)


def _collect(
    problem: HomogeneousProblem,
    search: Generator[tuple[str, Chunk], None, None],
    *,
    listing: bool,
    max_cells: int | None,
    progress: Progress | None,
) -> SplitResult:
    kept: list[Chunk] = []
    method: Counter[str] = Counter()
    n_cells = n_strict = 0
    status = "exact"
    try:
        for rung, chunk in search:
            n_cells += chunk.n_cells
            n_strict += chunk.n_strict
            method[f"cells_{rung}"] += chunk.n_cells
            method["escalated"] += len(chunk.undecided)
            method.update(chunk.decisions)
            if listing:
                kept.append(chunk)
            if progress is not None:
                progress(n_cells)
            if max_cells is not None and n_cells >= max_cells:
                status = "lower_bound" if next(search, None) is not None else "exact"
                break
    except KeyboardInterrupt:
        status = "lower_bound"
    finally:
        search.close()
    if not n_cells and status == "exact":
        raise EmptyDomainError("the domain has no interior, so it has no cell", where=str(problem.domain))
    if not listing:
        return SplitResult(n_cells, n_strict, status, dict(method))
    return _assemble(problem, kept, n_strict, status, dict(method))


def _assemble(
    problem: HomogeneousProblem, kept: list[Chunk], n_strict: int, status: str, method: dict[str, int]
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
    return SplitResult(len(patterns), n_strict, status, method, patterns, points, exact, flags)
