"""What counting costs on the ladder networks, as a multiple of forward passes, in the same run.

::

    python tests/benchmarks/ladder.py                     # every network that has a target
    python tests/benchmarks/ladder.py d3-32x2 d6-16x2     # or chosen ones; --all for the whole ladder
    python tests/benchmarks/ladder.py --json ladder.json
    python tests/benchmarks/ladder.py --peer affinitree=peer/bin/python    # other packages after it, as `peers.py` does

Each network is counted over the whole space by `split`, certified, on one thread, in a process of its own.  After one
run that loads or compiles the kernels and sets the problem up exactly (which is kept with the network), rounds
alternate between a count and the *floor*: a NumPy forward pass in float64 over as many random points as there are
cells, in one batch (of at most 65,536 points), with the signs of all neurons packed into bits; one BLAS thread.  A
count also needs the points; the floor is given them.  A pass in smaller batches, which stay in the cache, is a harder
floor, and is shown next to it.  Figures are medians over the rounds, of which quick networks have more than
`--rounds`.

==============  ==============================================================================================
column          meaning
==============  ==============================================================================================
cells           cells found; the script fails (exit code 1) if that is not the frozen count of `tests/oracles`
method          cells settled by each rung of arithmetic, and subtrees handed to the exact rung if there are any
CPU             CPU time of a count
cells/s         cells in a CPU second
bytes/cell      what listing keeps of each cell: its packed pattern and a float64 witness; counting keeps nothing
ns/cell         CPU time of a count, divided by the cells
forward ns      CPU time of the forward pass, divided by the points: in one batch, and in batches of the best size
multiple        median over the rounds of their ratio, for either
target          what the first multiple is aimed at, and whether it is reached
peak MB         peak resident memory of the process after the first count, and before it (libraries, and the network)
==============  ==============================================================================================

The multiples depend on the machine: on how well its BLAS does, and on what else runs on it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peers import ONE_THREAD, ROOT, is_right, machine, parse_peers, report

TARGETS = {  # CPU time a cell over CPU time of a forward pass a point
    "d2-64x3": 1.5,
    "d2-128x3": 1.5,
    "d2-256x4": 1.0,
    "d3-32x2": 5,
    "d3-64x2": 2,
    "arr-d3-100": 5,
    "d4-16x2": 7,
    "d4-32x2": 7,
    "d5-8x3": 12,
    "d5-16x2": 12,
    "d6-10x2": 12,
    "d6-16x2": 12,
    "d8-10x2": 15,
    "d10-10x2": 15,
    "d16-12x2": 15,
}
_MOST_ROUNDS, _ENOUGH = 25, 3.0  # seconds of CPU
_BATCH, _SMALLER = 1 << 16, (256, 1024, 4096, 16384)
_HEADER = (
    "| network | cells | method | CPU | cells/s | bytes/cell | ns/cell | forward ns | multiple | target | peak MB |",
    "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|",
)


def measure(name: str, rounds: int) -> dict[str, Any]:
    """Count one network and pass points through it, in turn; return the figures."""
    sys.path.insert(0, str(ROOT))
    import numpy as np

    import exactregions as er
    from tests.oracles import LADDER_COUNTS
    from tests.oracles.ladder import build

    layers = build(name)[:-1]
    network = er.Network(layers)
    before = _peak()
    found = er.count_cells(network, engine="split")
    peak = _peak()
    passing = _forward(layers)
    best = min(_SMALLER, key=lambda batch: min(_cpu(lambda: passing(1 << 15, batch)) for _ in range(2)))
    tasks = (
        lambda: er.count_cells(network, engine="split"),
        lambda: passing(found.n_cells, _BATCH),
        lambda: passing(found.n_cells, best),
    )
    rows: list[list[float]] = []
    while len(rows) < rounds or (len(rows) < _MOST_ROUNDS and np.sum(rows) < _ENOUGH):
        rows.append([_cpu(task) for task in tasks])
    seconds = np.array(rows)
    count, one_batch, small_batches = np.median(seconds, axis=0) / found.n_cells * 1e9
    multiple, hard_multiple = np.median(seconds[:, :1] / seconds[:, 1:], axis=0)
    rungs = ("cells_float", "cells_integer", "cells_exact", "escalated")
    return {
        "name": name,
        "cells": found.n_cells,
        "right": found.n_cells == LADDER_COUNTS[name]["n_cells"] and found.status is er.Status.EXACT,
        "method": {key.removeprefix("cells_"): found.method[key] for key in rungs if found.method.get(key)},
        "cpu_s": float(count) * found.n_cells / 1e9,
        "cells_per_s": 1e9 / float(count),
        "bytes_per_cell": _bytes_per_cell(network),
        "rounds": len(rows),
        "ns_per_cell": float(count),
        "forward_ns": [float(one_batch), float(small_batches)],
        "multiple": [float(multiple), float(hard_multiple)],
        "target": TARGETS.get(name),
        "peak_mb": peak,
        "before_mb": before,
    }


def _forward(layers: list[tuple[Any, Any]]) -> Callable[[int, int], None]:
    """Return a function that passes so many points, in batches, through the layers and packs the signs."""
    import numpy as np

    points = np.random.default_rng(0).normal(size=(_BATCH, np.shape(layers[0][0])[1]))
    tables = [(np.ascontiguousarray(np.transpose(weights)), np.asarray(bias)) for weights, bias in layers]

    def run(count: int, batch: int) -> None:
        for done in range(0, count, batch):
            signal = points[: min(batch, count - done)]
            for weights, bias in tables:
                values = signal @ weights
                values += bias
                np.packbits(values > 0, axis=1)
                signal = np.maximum(values, 0.0, out=values)

    return run


def _bytes_per_cell(network: Any) -> int:
    """Bytes that a listing keeps of a cell, from the arrays of a short one."""
    import exactregions as er
    from exactregions.enumeration.split import split

    found: Any = split(network, er.WholeSpace(network.input_dim), max_cells=1)
    return int((found.patterns.nbytes + found.points.nbytes) // found.n_cells)


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _peak() -> float:
    """Peak resident memory of this process so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _row(one: dict[str, Any]) -> str:
    target, (multiple, hard), (forward, small) = one["target"], one["multiple"], one["forward_ns"]
    aim = "" if target is None else f"{target:g} {'reached' if multiple <= target else 'missed'}"
    method = ", ".join(f"{key} {value:,}" for key, value in one["method"].items())
    return (
        f"| {one['name']} | {one['cells']:,} | {method} | {one['cpu_s']:.2g} s | {one['cells_per_s'] / 1e3:,.0f} k "
        f"| {one['bytes_per_cell']} | {one['ns_per_cell']:.0f} | {forward:.0f}, {small:.0f} "
        f"| {multiple:.2f}, {hard:.2f} | {aim} | {one['peak_mb']:.0f} ({one['before_mb']:.0f}) |"
    )


def main() -> int:
    """Measure the networks asked for, and print a Markdown table; return 0 unless a count is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NETWORK", help="names of the ladder, such as d3-32x2")
    parser.add_argument("--all", action="store_true", help="the whole ladder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON", help="see peers.py")
    parser.add_argument("--timeout", type=int, default=300, help="CPU seconds that a peer has for a network")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.rounds)))
        return 0
    sys.path.insert(0, str(ROOT))
    from tests.oracles.ladder import LADDER

    names = options.names or (list(LADDER) if options.all else list(TARGETS))
    unknown = [name for name in names if name not in LADDER]
    if unknown:
        parser.error(f"not on the ladder: {', '.join(unknown)}; there are {', '.join(LADDER)}")
    measured = machine()
    print(", ".join(f"{key} {value}" for key, value in measured.items()), end="\n\n")
    print("\n".join(_HEADER), flush=True)
    figures = []
    for name in names:
        command = [sys.executable, __file__, "--one", name, "--rounds", str(options.rounds)]
        out = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=True)
        figures.append(json.loads(out.stdout))
        print(_row(figures[-1]), flush=True)
        if not figures[-1]["right"]:
            print(f"{name}: the count is wrong", file=sys.stderr)
    peers = parse_peers(options.peer)
    beside = report(peers, rounds=options.rounds, seconds=options.timeout, names=options.names) if peers else {}
    if options.json:
        written = json.dumps({**measured, "ladder": figures, **beside}, indent=1)
        options.json.write_text(written + "\n", encoding="utf-8")
    return 0 if all(one["right"] for one in figures) and is_right(beside) else 1


if __name__ == "__main__":
    sys.exit(main())
