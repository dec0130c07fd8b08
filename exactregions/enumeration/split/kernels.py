"""The compiled kernels behind one interface: which one to run, and their output as `Chunk`s.

Nothing here compiles or imports compiled code until a kernel is run, so that small networks, which the exact rung
answers at once, do not wait for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, prod
from queue import SimpleQueue
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.chunks import Chunk, Prefix
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.errors import InputError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

__all__ = ["Plan", "Wanted", "choose", "run_kernel"]

_FEW_CELLS = 2000  # the exact rung takes a fraction of a second for these, less than loading compiled code
_SMALL_INTEGERS = 1 << 12
_LARGEST_VERTEX_DIM, _LARGEST_INTEGER_DIM = 4, 6  # measured: beyond, the dictionary is faster
_LARGEST_FACET_DIM = 12  # the vertex kernel knows the facets; to find them cell by cell takes longer up to here


@dataclass(frozen=True, slots=True)
class Plan:
    """A rung to begin with, and the kernel that climbs it (None for the exact rung)."""

    rung: str
    kernel: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to hand out of each cell: nothing but its number, pattern and witness, or these and its facets."""

    listing: bool
    faceting: bool = False


def choose(problem: HomogeneousProblem, rung: str, kernel: str, *, faceting: bool = False) -> Plan:
    """Pick the rung and the kernel; for facets, the vertex kernel if it may.

    Raises
    ------
    InputError
        If what is asked for cannot run on this problem.
    """
    if rung == "exact" or (faceting and problem.n_coordinates < 2):  # one ray or two, and no facet has rays
        return Plan("exact", None)
    if rung == "auto" and kernel == "auto" and _most_cells(problem) <= _FEW_CELLS:
        return Plan("exact", None)
    asked = rung
    if rung == "auto":
        within = kernel == "vertices" or (kernel == "auto" and problem.dim <= _LARGEST_INTEGER_DIM)
        rung = "integer" if within and _has_small_integers(problem) else "float"
    if kernel == "auto":
        largest = _LARGEST_FACET_DIM if faceting else _LARGEST_VERTEX_DIM
        kernel = "vertices" if problem.dim <= largest or rung == "integer" else "dictionary"
    reason = _reason_against(problem, rung, kernel)
    if reason is None:
        return Plan(rung, kernel)
    if rung == "float" and kernel == "dictionary" and _reason_against(problem, rung, "vertices") is None:
        return Plan(rung, "vertices")
    if asked != "auto":
        raise InputError(reason, where=f"rung {rung!r}, kernel {kernel!r}", remedy="use rung='exact' or 'auto'")
    return Plan("exact", None)


def _has_small_integers(problem: HomogeneousProblem) -> bool:
    layers = problem.integer_layers()
    return layers is not None and all(np.abs(layer.weights).max() <= _SMALL_INTEGERS for layer in layers)


def _most_cells(problem: HomogeneousProblem) -> int:
    """Bound the number of cells: each layer's walls cut a cell into at most sum C(n, i) ones, i up to the dimension."""
    return prod(
        sum(comb(walls, i) for i in range(min(problem.dim + problem.is_cone, walls) + 1))
        for walls in (sum(layer.is_wall) for layer in problem.layers)
    )


def _reason_against(problem: HomogeneousProblem, rung: str, kernel: str) -> str | None:
    if kernel == "vertices":
        from exactregions.enumeration.split.vertices import can_search

        with _one_blas_thread():
            fits = can_search(problem, integral=rung == "integer")
        if fits:
            return None
        return "the numbers of this network do not fit, or it has no hidden layer"
    if rung == "integer":
        return "the dictionary kernel has no integer mode"
    from exactregions.enumeration.split.dictionary import supports

    return supports(problem)


def run_kernel(
    problem: HomogeneousProblem, plan: Plan, wanted: Wanted, *, threads: int, max_cells: int | None
) -> Iterator[Chunk]:
    """Yield the chunks of the plan's kernel."""
    if plan.kernel == "vertices":
        return _vertices(problem, wanted, integral=plan.rung == "integer", threads=threads)
    return _dictionary(problem, listing=wanted.listing, threads=threads, max_cells=max_cells)


def _vertices(problem: HomogeneousProblem, wanted: Wanted, *, integral: bool, threads: int) -> Iterator[Chunk]:
    """Run the vertex kernel; its matrix products take one core each, since threads of BLAS would wait on each other."""
    from exactregions.enumeration.split.vertices import search_vertices

    with _one_blas_thread():
        yield from search_vertices(
            problem, integral=integral, listing=wanted.listing, faceting=wanted.faceting, threads=threads
        )


def _one_blas_thread() -> AbstractContextManager[object]:
    return cast("AbstractContextManager[object]", _blas().limit(limits=1, user_api="blas"))


@cache
def _blas() -> ThreadpoolController:
    """Return the loaded BLAS libraries, NumPy's among them; finding them takes longer than counting a small network."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _dictionary(problem: HomogeneousProblem, *, listing: bool, threads: int, max_cells: int | None) -> Iterator[Chunk]:
    """Run the dictionary kernel in a thread of its own, so that closing this generator stops it in good order."""
    from exactregions.enumeration.split.dictionary import Cells, Outcome, search

    cancel = np.zeros(1, np.uint8)
    queue: SimpleQueue[Callable[[], Chunk | None]] = SimpleQueue()

    def emit(cells: Cells) -> None:
        queue.put(lambda: _cells_chunk(problem, cells.patterns, cells.witnesses, cells.degenerate))

    reported = [0, 0]

    def report(fraction: float, outcome: Outcome) -> None:
        """Hand on how far the search is, and what was counted since last time."""
        cells, strict = (0, 0) if listing else (outcome.n_cells, outcome.n_cells - outcome.n_degenerate)
        chunk = Chunk(cells - reported[0], strict - reported[1], fraction=fraction)
        reported[:] = cells, strict
        queue.put(lambda: chunk)

    def work() -> None:
        try:
            outcome = search(
                problem,
                emit=emit if listing else None,
                threads=threads,
                max_cells=max_cells,
                cancel=cancel,
                progress=report,
            )
        except BaseException as error:  # handed to the caller's thread, whatever it is
            failure = error

            def fail() -> Chunk | None:
                raise failure

            queue.put(fail)
            return
        report(1.0, outcome)
        undecided = [_prefix(problem, row) for part in outcome.undecided for row in np.atleast_2d(part)]
        last = Chunk(0, 0, undecided=undecided, decisions=dict(outcome.decisions), complete=outcome.complete)
        queue.put(lambda: last)
        queue.put(lambda: None)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        while (chunk := queue.get()()) is not None:
            yield chunk
    finally:
        cancel[0] = 1
        worker.join()


def _cells_chunk(
    problem: HomogeneousProblem,
    patterns: NDArray[np.uint8],
    witnesses: NDArray[np.float64],
    degenerate: NDArray[np.bool_],
) -> Chunk:
    points = witnesses if problem.is_cone else witnesses[:, :-1]
    lifted = problem.lift_floats(points)
    chunk = Chunk(len(patterns), int((~degenerate).sum()), patterns, lifted)
    if degenerate.any():
        # a point strictly inside is at a breakpoint of exactly the degenerate neurons
        marks = np.zeros((len(patterns), problem.network.n_neurons), np.bool_)
        for place in np.flatnonzero(degenerate).tolist():
            marks[place] = problem.network.breakpoints_at([Fraction(x) for x in lifted[place].tolist()])
        chunk.degenerate = np.packbits(marks, axis=1)
    return chunk


def _prefix(problem: HomogeneousProblem, row: NDArray[np.int8]) -> Prefix:
    """Translate 0 and 2 (g <= 0), 1 (g > 0), -1 (open) to sides, and drop layers that are open altogether."""
    sides, at = [], 0
    for layer in problem.layers:
        part = row[at : at + layer.n_rows].tolist()
        sides.append(tuple([1 if sign == 1 else 0 if sign < 0 else -1 for sign in part]))
        at += layer.n_rows
    while sides and not any(sides[-1]):
        sides.pop()
    return tuple(sides)
