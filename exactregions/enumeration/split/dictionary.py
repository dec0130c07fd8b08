"""B3: cells by a dictionary of vertices, for effective dimension 6 and more (right in any dimension from 1 on).

`search` hands out cells whose existence is proved, and *undecided* nodes: signs of some rows such that every cell that
is not listed has the signs of exactly one of them.  The count is exact once an exact method has finished those.  See
`dictionary_kernel` for the algorithm, `dictionary_certify` for the proofs.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.dictionary_certify import UNKNOWN
from exactregions.enumeration.split.dictionary_kernel import (
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
    advance,
)
from exactregions.enumeration.split.dictionary_problem import (
    Start,
    build_nets,
    new_work,
    reason_unsupported,
    start_jobs,
)
from exactregions.enumeration.split.reduction import ReducedProblem
from exactregions.patterns import PatternCodec

__all__ = ["Cells", "Outcome", "search", "supports"]

_LOG = logging.getLogger(__name__)
_ROWS = 4096  # rows of an output buffer
_STRETCH = 1 << 18  # cells counted between two looks at the caller
_OPEN_ROWS = 1024
_FEW_JOBS = 64
_NO_JOBS_DEPTH = -1


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
    undecided : int8 array of shape (n, rows of all layers)
        0: g <= 0, 1: g > 0, 2: g identically 0, -1: open.  Nodes that another method must finish.
    complete : bool
        False if the search was cancelled or the budget was spent.
    decisions : dict
        How many walls were minimised, pivots made, walls that cut, refusals and leaves proved, constants, nodes undecided.
    """

    n_cells: int = 0
    n_degenerate: int = 0
    undecided: list[NDArray[np.int8]] = field(default_factory=list)
    complete: bool = True
    decisions: dict[str, int] = field(default_factory=dict)

    def _add(self, control: NDArray[np.int64]) -> None:
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


def supports(problem: ReducedProblem) -> str | None:
    """Return None if `search` can take the problem, else the reason why not."""
    return reason_unsupported(problem)


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

    def run(self, jobs: Jobs, low: int, high: int) -> Iterator[tuple[int, int, Cells | None, NDArray[np.int8]]]:
        """Search jobs low..high-1; yield (cells, degenerate ones, their data, undecided nodes) as buffers fill."""
        control = self.work.control
        control[COUNTERS:] = 0
        control[DEPTH], control[NEXT_JOB], control[LAST_JOB] = -1, low, high
        control[EMIT], control[SPLIT_DEPTH] = self.emit, _NO_JOBS_DEPTH
        control[ROOM] = _ROWS if self.emit else _STRETCH
        status = 1
        while status == 1:
            control[[FOUND, UNDECIDED, DEGENERATES]] = 0
            status = advance(self.net, self.work, jobs, self.out)
            found, open_ = int(control[FOUND]), int(control[UNDECIDED])
            cells = None
            if self.emit:
                out = self.out
                cells = Cells(
                    out.patterns[:found].copy(), out.witnesses[:found].copy(), out.degenerate[:found].astype(np.bool_)
                )
            yield found, int(control[DEGENERATES]), cells, self.out.undecided[:open_].copy()


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
    """Return the start nodes, cut further if they are few, so that threads have something to share."""
    jobs = start_jobs(start, 0, start.n_jobs)
    if start.n_jobs >= _FEW_JOBS:
        return jobs
    depth = max(1, (_FEW_JOBS // start.n_jobs).bit_length())
    control, room = worker.work.control, start.n_jobs << depth
    more = _empty_jobs(start.net, room)
    out = worker.out._replace(jobs=more, undecided=np.zeros((room + _OPEN_ROWS, worker.work.signs.size), np.int8))
    control[:] = 0
    control[DEPTH], control[LAST_JOB], control[SPLIT_DEPTH], control[ROOM] = -1, start.n_jobs, depth, _STRETCH
    if advance(start.net, worker.work, jobs, out):
        return jobs  # cancelled
    outcome.undecided.extend([row.copy()[None] for row in out.undecided[: control[UNDECIDED]]])
    outcome._add(control)
    count = int(control[SPLIT])
    return Jobs(*(table[:count] for table in more))


def search(
    problem: ReducedProblem,
    *,
    emit: Emit | None = None,
    threads: int = 1,
    max_cells: int | None = None,
    cancel: NDArray[np.uint8] | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Outcome:
    """Search a problem.

    Parameters
    ----------
    problem : ReducedProblem
        One that `supports` accepts.
    emit : callable, optional
        Receives the cells, in an order that does not depend on the number of threads; without it they are only counted.
    threads : int
    max_cells : int, optional
        Stop soon after so many cells.
    cancel : uint8 array of shape (1,), optional
        Set it to 1 to stop the search from another thread.
    progress : callable, optional
        Called with the fraction of start nodes that are done and the number of cells so far.
    """
    flag = np.zeros(1, np.uint8) if cancel is None else cancel
    outcome = Outcome()
    codec = PatternCodec.of(problem.network)
    starts = build_nets(problem)
    for number, start in enumerate(starts):
        run = _Run(start, codec, outcome, emit, flag, max_cells)
        run.all_jobs(threads, lambda part, at=number: progress and progress((at + part) / len(starts), outcome.n_cells))
        if not outcome.complete:
            break
    return outcome


class _Run:
    """The search of one array form."""

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

    def _worker(self) -> _Worker:
        with self.lock:
            if self.idle:
                return self.idle.pop()
        return _Worker(self.start.net, self.codec, _OPEN_ROWS, emit=self.emit is not None, cancel=self.cancel)

    def _free(self, worker: _Worker) -> None:
        with self.lock:
            self.idle.append(worker)

    def all_jobs(self, threads: int, done: Callable[[float], object]) -> None:
        """Search all jobs, in order."""
        worker = self._worker()
        jobs = _split(self.start, worker, self.outcome)
        self._free(worker)
        count = len(jobs.layer)
        size = max(1, count // 64)
        blocks = [(low, min(low + size, count)) for low in range(0, count, size)]
        if threads <= 1:
            for low, high in blocks:
                self._one_thread(jobs, low, high)
                done(high / count)
                if self.cancel[0]:
                    self.outcome.complete = False
                    return
        else:
            self._many_threads(jobs, blocks, threads, done)

    def _one_thread(self, jobs: Jobs, low: int, high: int) -> None:
        worker = self._worker()
        for part in worker.run(jobs, low, high):
            self._take(*part)
        self.outcome._add(worker.work.control)
        self._free(worker)

    def _many_threads(
        self, jobs: Jobs, blocks: list[tuple[int, int]], threads: int, done: Callable[[float], object]
    ) -> None:
        pending: deque[
            tuple[int, Future[tuple[list[tuple[int, int, Cells | None, NDArray[np.int8]]], NDArray[np.int64]]]]
        ]
        pending = deque()
        left = iter(blocks)
        with ThreadPoolExecutor(threads) as pool:
            for low, high in left:
                pending.append((high, pool.submit(self._collect, jobs, low, high)))
                if len(pending) < 4 * threads:
                    continue
                self._receive(*pending.popleft(), len(jobs.layer), done)
            while pending:
                self._receive(*pending.popleft(), len(jobs.layer), done)
        if self.cancel[0]:
            self.outcome.complete = False

    def _collect(
        self, jobs: Jobs, low: int, high: int
    ) -> tuple[list[tuple[int, int, Cells | None, NDArray[np.int8]]], NDArray[np.int64]]:
        worker = self._worker()
        parts = list(worker.run(jobs, low, high))
        control = worker.work.control.copy()
        self._free(worker)
        return parts, control

    def _receive(
        self,
        high: int,
        future: Future[tuple[list[tuple[int, int, Cells | None, NDArray[np.int8]]], NDArray[np.int64]]],
        count: int,
        done: Callable[[float], object],
    ) -> None:
        parts, control = future.result()
        for part in parts:
            self._take(*part)
        self.outcome._add(control)
        done(high / count)

    def _take(self, found: int, degenerate: int, cells: Cells | None, undecided: NDArray[np.int8]) -> None:
        outcome = self.outcome
        outcome.n_cells += found
        outcome.n_degenerate += degenerate
        if len(undecided):
            outcome.undecided.append(undecided)
        if self.emit is not None and cells is not None and found:
            self.emit(cells)
        if self.max_cells is not None and outcome.n_cells >= self.max_cells:
            self.cancel[0] = 1
