"""B3: cells by a dictionary of vertices, for effective dimension 6 and more (right in any dimension from 1 on).

`search` hands out cells whose existence is proved, and *undecided* nodes: signs of some rows such that every cell that
is not listed has the signs of exactly one of them.  The count is exact once an exact method has finished those.  See
`dictionary_kernel` for the algorithm, `dictionary_certify` for the proofs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.dictionary_certify import UNKNOWN
from exactregions.enumeration.split.dictionary_kernel import advance
from exactregions.enumeration.split.dictionary_problem import (
    Start,
    build_nets,
    new_work,
    reason_unsupported,
    start_jobs,
)
from exactregions.enumeration.split.dictionary_state import (
    CONSTANTS,
    COUNTERS,
    CUTS,
    DEGENERATES,
    DEPTH,
    EMIT,
    FOUND,
    LAST_JOB,
    LEAVES,
    LPS,
    NEXT_JOB,
    OPEN,
    PIVOTS,
    REFUSALS,
    ROOM,
    SPLIT,
    SPLIT_DEPTH,
    UNDECIDED,
    Jobs,
    Net,
    Out,
)
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.patterns import PatternCodec

__all__ = ["Cells", "Outcome", "search", "supports"]

_ROWS = 4096  # rows of an output buffer
_STRETCH = 1 << 18  # cells counted between two looks at the caller
_OPEN_ROWS = 1024
_FEW_JOBS = 64
_MOST_JOBS = 4096


@dataclass(frozen=True, slots=True)
class Cells:
    """Some proved cells.

    Attributes
    ----------
    patterns : uint8 array of shape (n, n_bytes)
        Packed as by `PatternCodec`.
    witnesses : float64 array of shape (n, n_coordinates)
        Homogeneous points strictly inside, in the coordinates of the reduced problem (x_0 = 1 last, but for cones).
    degenerate : bool array of shape (n,)
        Whether some neuron is identically at a breakpoint on the cell.
    """

    patterns: NDArray[np.uint8]
    witnesses: NDArray[np.float64]
    degenerate: NDArray[np.bool_]


@dataclass(slots=True)
class Outcome:
    """What a search found.

    Attributes
    ----------
    n_cells, n_degenerate : int
        Proved cells, and how many of them have a degenerate neuron.
    undecided : list of int8 arrays of shape (n, rows of all layers)
        0: g <= 0, 1: g > 0, 2: g identically 0, -1: open.  Nodes that another method must finish.
    complete : bool
        False if the search was cancelled or the budget was spent.
    decisions : dict
        How many walls were minimised, pivots made, walls that cut, refusals and leaves proved, constant walls, and
        nodes left undecided.
    """

    n_cells: int = 0
    n_degenerate: int = 0
    undecided: list[NDArray[np.int8]] = field(default_factory=list)
    complete: bool = True
    decisions: dict[str, int] = field(default_factory=dict)

    def add(self, control: NDArray[np.int64]) -> None:
        """Add a worker's counters."""
        for name, word in _NAMES.items():
            self.decisions[name] = self.decisions.get(name, 0) + int(control[word])


_NAMES = {
    "minimised": LPS,
    "pivots": PIVOTS,
    "cuts": CUTS,
    "refusals": REFUSALS,
    "constants": CONSTANTS,
    "leaves": LEAVES,
    "undecided": OPEN,
}
Emit = Callable[[Cells], None]


def supports(problem: HomogeneousProblem) -> str | None:
    """Return None if `search` can take the problem, else the reason why not."""
    return reason_unsupported(problem)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one call of the kernel found."""

    found: int
    degenerate: int
    cells: Cells
    undecided: NDArray[np.int8]
    control: NDArray[np.int64]


class _Worker:
    """One thread's state and output buffers."""

    def __init__(self, net: Net, codec: PatternCodec, n_open: int, *, emit: bool, cancel: NDArray[np.uint8]) -> None:
        self.net, self.work, self.emit = net, new_work(net), emit
        rows = _ROWS if emit else 1
        self.out = Out(
            bits=np.array([max(1, (pieces - 1).bit_length()) for pieces in codec.pieces], np.int64),
            patterns=np.zeros((rows, codec.n_bytes), np.uint8),
            witnesses=np.zeros((rows, net.lift.shape[0])),
            degenerate=np.zeros(rows, np.uint8),
            undecided=np.zeros((n_open, int(net.widths.sum())), np.int8),
            jobs=_empty_jobs(net, 1),
            cancel=cancel,
        )

    def run(self, jobs: Jobs, stretch: int) -> Iterator[_Part]:
        """Search some jobs; yield what is found as buffers fill, or as so many cells are counted."""
        control, out = self.work.control, self.out
        control[:] = 0
        control[DEPTH], control[LAST_JOB], control[EMIT], control[SPLIT_DEPTH] = -1, len(jobs.layer), self.emit, -1
        control[ROOM] = _ROWS if self.emit else stretch
        status = 1
        while status == 1:
            control[[FOUND, UNDECIDED, DEGENERATES]] = 0
            control[COUNTERS:] = 0
            status = advance(self.net, self.work, jobs, out)
            found = int(control[FOUND])
            rows = found if self.emit else 0
            cells = Cells(
                out.patterns[:rows].copy(), out.witnesses[:rows].copy(), out.degenerate[:rows].astype(np.bool_)
            )
            undecided = out.undecided[: control[UNDECIDED]].copy()
            yield _Part(found, int(control[DEGENERATES]), cells, undecided, control.copy())


def _empty_jobs(net: Net, count: int) -> Jobs:
    d, total = net.lift.shape[1] - 1, int(net.widths.sum())
    return Jobs(
        np.full((count, total), UNKNOWN, np.int8),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, len(net.sides) + total), np.int64),
        np.zeros((count, d), np.int64),
    )


def _split(start: Start, worker: _Worker, outcome: Outcome) -> Jobs:
    """Cut the start nodes, if they are few, a few levels down, so that threads have something to share."""
    jobs = start_jobs(start, 0, start.n_jobs)
    depth = max(1, (_FEW_JOBS // start.n_jobs).bit_length())
    control, room = worker.work.control, start.n_jobs << depth
    more = _empty_jobs(start.net, room)
    out = worker.out._replace(jobs=more, undecided=np.zeros((room + _OPEN_ROWS, worker.work.signs.size), np.int8))
    control[:] = 0
    control[DEPTH], control[LAST_JOB], control[SPLIT_DEPTH], control[ROOM] = -1, start.n_jobs, depth, _STRETCH
    if advance(start.net, worker.work, jobs, out):
        return jobs  # cancelled
    if control[UNDECIDED]:
        outcome.undecided.append(out.undecided[: control[UNDECIDED]].copy())
    outcome.add(control)
    return _slice_jobs(more, 0, int(control[SPLIT]))


def _slice_jobs(jobs: Jobs, low: int, high: int) -> Jobs:
    part = slice(low, high)
    return Jobs(jobs.signs[part], jobs.layer[part], jobs.n_constraints[part], jobs.constraints[part], jobs.basis[part])


def search(
    problem: HomogeneousProblem,
    *,
    emit: Emit | None = None,
    threads: int = 1,
    max_cells: int | None = None,
    cancel: NDArray[np.uint8] | None = None,
    progress: Callable[[float, Outcome], None] | None = None,
) -> Outcome:
    """Search a problem.

    Parameters
    ----------
    problem : HomogeneousProblem
        One that `supports` accepts.
    emit : callable, optional
        Receives the cells, in an order that does not depend on the number of threads; without it they are only counted.
    threads : int
    max_cells : int, optional
        Stop soon after so many cells.
    cancel : uint8 array of shape (1,), optional
        Set it to 1 to stop the search from another thread.
    progress : callable, optional
        Called now and then with the fraction of start nodes that are done, and what is found so far.
    """
    flag = np.zeros(1, np.uint8) if cancel is None else cancel
    outcome = Outcome()
    starts = build_nets(problem)
    if not all(start.safe for start in starts):
        outcome.undecided.append(np.full((1, sum(layer.n_rows for layer in problem.layers)), UNKNOWN, np.int8))
        return outcome
    for number, start in enumerate(starts):
        run = _Run(start, PatternCodec.of(problem.network), outcome, emit, flag, max_cells)
        for part in run.blocks(threads):
            if progress is not None:
                progress((number + part) / len(starts), outcome)
        if flag[0]:
            outcome.complete = False
            break
    return outcome


class _Run:
    """The search of one array form, in blocks of jobs."""

    def __init__(
        self,
        start: Start,
        codec: PatternCodec,
        outcome: Outcome,
        emit: Emit | None,
        cancel: NDArray[np.uint8],
        max_cells: int | None,
    ) -> None:
        self.start, self.codec, self.outcome, self.emit, self.cancel = start, codec, outcome, emit, cancel
        self.max_cells = max_cells
        self.idle: list[_Worker] = []
        self.lock = Lock()
        self.jobs: Jobs | None = None
        self.count = start.n_jobs
        if self.count < _FEW_JOBS:
            worker = self._worker()
            self.jobs = _split(start, worker, outcome)
            self.count = len(self.jobs.layer)
            self.idle.append(worker)

    def blocks(self, threads: int) -> Iterator[float]:
        """Search all blocks in order, taking in what they find; yield the fraction that is done, now and then."""
        size = min(_MOST_JOBS, max(1, self.count // _FEW_JOBS if threads > 1 else self.count))
        ends = [(low, min(low + size, self.count)) for low in range(0, self.count, size)]
        if threads <= 1:
            for low, high in ends:
                for part in self._search(low, high):
                    self._take(part)
                    yield (low + max(int(part.control[NEXT_JOB]) - 1, 0)) / self.count
                    if self.cancel[0]:
                        return
                yield high / self.count
            return
        waiting: deque[tuple[int, Future[list[_Part]]]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            for low, high in [*ends, *[(0, 0)] * (4 * threads)]:
                if high:
                    waiting.append((high, pool.submit(lambda a, b: list(self._search(a, b)), low, high)))
                if waiting and (not high or len(waiting) >= 4 * threads):
                    end, future = waiting.popleft()
                    for part in future.result():
                        self._take(part)
                    yield end / self.count

    def _worker(self) -> _Worker:
        with self.lock:
            if self.idle:
                return self.idle.pop()
        return _Worker(self.start.net, self.codec, _OPEN_ROWS, emit=self.emit is not None, cancel=self.cancel)

    def _search(self, low: int, high: int) -> Iterator[_Part]:
        jobs = start_jobs(self.start, low, high) if self.jobs is None else _slice_jobs(self.jobs, low, high)
        worker = self._worker()
        stretch = _STRETCH if self.max_cells is None else min(_STRETCH, self.max_cells)
        yield from worker.run(jobs, stretch)
        with self.lock:
            self.idle.append(worker)

    def _take(self, part: _Part) -> None:
        outcome = self.outcome
        outcome.n_cells += part.found
        outcome.n_degenerate += part.degenerate
        outcome.add(part.control)
        if len(part.undecided):
            outcome.undecided.append(part.undecided)
        if self.emit is not None and part.found:
            self.emit(part.cells)
        if self.max_cells is not None and outcome.n_cells >= self.max_cells:
            self.cancel[0] = 1
