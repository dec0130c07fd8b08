"""What two threads gain on the networks where it matters, and how evenly they share the work.

::

    python tests/benchmarks/threads.py [--threads 2] [--rounds 5] [NETWORK...]

Rounds alternate between a count on one thread and one on several; figures are medians of the rounds' ratios.

==========  ===========================================================================================================
column      meaning
==========  ===========================================================================================================
speed-up    wall time on one thread over wall time on several; means little unless the cores are idle
CPU         total CPU time on several threads over that on one: what sharing costs (target: at most 1.1)
outside     share of the CPU time that is spent outside the shared tasks, in the thread that hands them out
imbalance   how much longer than an even share the tasks would take on idle cores, each taken by the first free thread
            (target: at most 10 %); from the CPU time of every task, so that other work on the machine does not enter
projected   speed-up on idle cores: CPU on one thread / (outside + tasks as above), if handing out and tasks take turns,
            and CPU on one thread / an even share of all, if they overlap
by thread   CPU seconds of each thread in tasks, in the last round; uneven if other work held one up
==========  ===========================================================================================================

The script exits with 1 if a count is wrong or a target on CPU or imbalance is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
NETWORKS = ("d4-32x2", "d6-16x2", "d16-12x2")
CPU_TARGET, IMBALANCE_TARGET = 1.1, 0.1
_COLUMNS = ("network", "tasks", "speed-up", "CPU", "outside", "imbalance", "projected", "by thread")


class RecordingPool(ThreadPoolExecutor):
    """A thread pool that notes which thread ran a task, and the CPU time that it took."""

    tasks: ClassVar[list[tuple[int, float]]] = []

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """Submit work, measured."""

        def measured() -> Any:
            began = time.thread_time()
            try:
                return work(*arguments, **options)
            finally:
                self.tasks.append((threading.get_ident(), time.thread_time() - began))

        return super().submit(measured)


def makespan(tasks: list[float], threads: int) -> float:
    """Time until all tasks are done if each is taken, in order, by the thread that is free first."""
    free = [0.0] * threads
    for seconds in tasks:
        free[free.index(min(free))] += seconds
    return max(free)


def measure(name: str, threads: int, rounds: int) -> dict[str, Any]:
    """Count one network on one thread and on several, in turn."""
    import exactregions as er
    from tests.oracles import LADDER_COUNTS
    from tests.oracles.ladder import build

    network = er.Network(build(name)[:-1])

    def count(number: int) -> tuple[float, float]:
        RecordingPool.tasks.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        found = er.count_cells(network, engine="split", threads=number)
        spent = time.perf_counter() - wall, time.process_time() - cpu
        if found.n_cells != LADDER_COUNTS[name]["n_cells"]:
            raise SystemExit(f"{name}: {found.n_cells} cells on {number} threads is wrong")
        return spent

    count(1)
    rows = []
    for _ in range(rounds):
        wall, cpu = count(1)
        wall_shared, cpu_shared = count(threads)
        tasks = [seconds for _, seconds in RecordingPool.tasks]
        span, outside = makespan(tasks, threads), max(cpu_shared - sum(tasks), 0.0)
        imbalance = span * threads / sum(tasks) - 1
        projected = (cpu / (outside + span), cpu * threads / cpu_shared)
        rows.append((wall / wall_shared, cpu_shared / cpu, outside / cpu_shared, imbalance, *projected))
    keys = ("speed_up", "cpu", "outside", "imbalance", "projected_in_turn", "projected_overlapping")
    by_thread: dict[int, float] = defaultdict(float)
    for ident, seconds in RecordingPool.tasks:
        by_thread[ident] += seconds
    medians = dict(zip(keys, map(statistics.median, zip(*rows, strict=True)), strict=True))
    return {"name": name, "tasks": len(RecordingPool.tasks), **medians, "by_thread": sorted(by_thread.values())}


def _row(one: dict[str, Any]) -> str:
    by_thread = ", ".join(f"{seconds:.2f}" for seconds in one["by_thread"])
    projected = f"{one['projected_in_turn']:.2f} to {one['projected_overlapping']:.2f}"
    return (
        f"| {one['name']} | {one['tasks']} | {one['speed_up']:.2f} | {one['cpu']:.2f} | {one['outside']:.1%} "
        f"| {one['imbalance']:.1%} | {projected} | {by_thread} |"
    )


def main() -> int:
    """Measure the networks, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NETWORK", default=NETWORKS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from exactregions.enumeration.split import dictionary, vertices

    print(f"| {' | '.join(_COLUMNS)} |\n|---|{'---:|' * (len(_COLUMNS) - 1)}")
    figures = []
    with ExitStack() as patches:
        for module in (dictionary, vertices):
            patches.enter_context(mock.patch.object(module, "ThreadPoolExecutor", RecordingPool))
        for name in options.names:
            figures.append(measure(name, options.threads, options.rounds))
            print(_row(figures[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return int(any(one["cpu"] > CPU_TARGET or one["imbalance"] > IMBALANCE_TARGET for one in figures))


if __name__ == "__main__":
    sys.exit(main())
