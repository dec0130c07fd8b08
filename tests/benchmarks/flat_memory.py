"""Whether counting takes memory that grows with the count: two large runs, each in a fresh process.

::

    python tests/benchmarks/flat_memory.py                # both; several minutes
    python tests/benchmarks/flat_memory.py d16-12x2       # one of them
    python tests/benchmarks/flat_memory.py --neurons 80   # a smaller arrangement, to see what a cell costs

* `d16-12x2`, a ladder network of 3,032,001 cells, is counted in one go; its peak must stay under 500 MB.
* `arrangement`, one layer of 222 random neurons with 4 inputs, has sum_{k <= 4} C(222, k) = 100,315,659 cells, since
  the hyperplanes are in general position (Buck 1943; Zaslavsky 1975).  The count must be that, and once the search is
  warm, resident memory must not grow.

Resident memory and CPU time are sampled from `/proc` (Linux) while the counting runs.  The search counts as warm after
a tenth of the run, and 5 seconds at least; from there on, growth beyond 1 MB plus 1 % fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from math import comb
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PEAK_MB = 500
WARM_SECONDS, WARM = 5.0, 0.1
SLACK_MB, SLACK = 1.0, 0.01
_TICK, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
_RUNS = ("d16-12x2", "arrangement")


def count(run: str, neurons: int) -> dict[str, Any]:
    """Count in this process; return the figures."""
    import resource

    sys.path.insert(0, str(ROOT))
    import numpy as np

    import exactregions as er
    from tests.oracles import LADDER_COUNTS
    from tests.oracles.ladder import build

    if run == "arrangement":
        rng = np.random.default_rng(0)
        layers = [(rng.normal(size=(neurons, 4)), rng.normal(size=neurons))]
        truth = sum(comb(neurons, k) for k in range(5))
    else:
        layers, truth = build(run)[:-1], LADDER_COUNTS[run]["n_cells"]
    began = time.process_time()
    found = er.count_cells(er.Network(layers), engine="split")
    return {
        "cells": found.n_cells,
        "right": found.n_cells == truth and found.status is er.Status.EXACT,
        "escalated": found.method["escalated"],
        "cpu_s": time.process_time() - began,
        "wall_s": found.seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def watch(run: str, neurons: int, every: float) -> dict[str, Any]:
    """Count in a fresh process, and sample its memory meanwhile."""
    command = [sys.executable, __file__, run, "--neurons", str(neurons), "--inside"]
    samples: list[tuple[float, float, float]] = []
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        due = 0.0
        while process.poll() is None:
            elapsed = time.perf_counter() - began
            if elapsed >= due and (sample := _sample(process.pid)):
                samples.append((elapsed, *sample))
                due += every
            time.sleep(min(0.05, every))
        out = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise SystemExit(f"{run}: the counting process ended with exit code {process.returncode}")
    start = max(WARM_SECONDS, WARM * samples[-1][0])
    warm = [megabytes for elapsed, _, megabytes in samples if elapsed >= start]
    growth = max(warm) - warm[0] if len(warm) > 1 else None
    return {
        "run": run,
        **json.loads(out.splitlines()[-1]),
        "growth_mb": growth,
        "flat": growth is not None and growth <= SLACK_MB + SLACK * warm[0],
        "samples": [[round(value, 2) for value in row] for row in samples],
    }


def _sample(pid: int) -> tuple[float, float] | None:
    """CPU seconds and resident MB of a process, or None if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    resident = int(fields[21]) * _PAGE / 1e6
    return ((int(fields[11]) + int(fields[12])) / _TICK, resident) if resident else None


def _failures(figures: dict[str, Any]) -> list[str]:
    found = [] if figures["right"] else ["the count is wrong"]
    if figures["run"] == "arrangement" and not figures["flat"]:
        growth = figures["growth_mb"]
        found.append("too short to tell" if growth is None else f"memory grew by {growth:.1f} MB once warm")
    if figures["run"] != "arrangement" and figures["peak_mb"] >= PEAK_MB:
        found.append(f"the peak of {figures['peak_mb']:.0f} MB is not under {PEAK_MB} MB")
    return found


def main() -> int:
    """Make the runs asked for, and print the figures; return 0 unless one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(_RUNS)}; both by default")
    parser.add_argument("--neurons", type=int, default=222, help="in the layer of the arrangement")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two samples")
    parser.add_argument("--json", type=Path, help="write the figures and all samples there, too")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.runs) - set(_RUNS):
        parser.error(f"no run {', '.join(sorted(unknown))}; there are {', '.join(_RUNS)}")
    if options.inside:
        print(json.dumps(count(options.runs[0], options.neurons)))
        return 0
    everything, failed = [], False
    for run in options.runs or _RUNS:
        figures = watch(run, options.neurons, options.every)
        everything.append(figures)
        rate = 1e9 * figures["cpu_s"] / figures["cells"]
        print(f"{run}: {figures['cells']:,} cells, {figures['cpu_s']:.1f} s CPU ({rate:.0f} ns a cell), ", end="")
        print(f"{figures['wall_s']:.1f} s wall, {figures['escalated']} subtrees escalated", flush=True)
        growth = "" if figures["growth_mb"] is None else f"; growth once warm {figures['growth_mb']:.2f} MB"
        print(f"  peak {figures['peak_mb']:.0f} MB{growth}")
        shown = figures["samples"][:: max(1, len(figures["samples"]) // 12)]
        print("  resident MB at CPU seconds:", ", ".join(f"{mb:.0f} at {cpu:.0f}" for _, cpu, mb in shown))
        for failure in _failures(figures):
            print(f"{run}: {failure}", file=sys.stderr)
            failed = True
    if options.json:
        options.json.write_text(json.dumps(everything) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
