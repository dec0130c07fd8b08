"""How fast `split` counts, beside other packages, on the same networks in the same run.

Each package lives in a virtual environment of its own, and is run by that environment's Python::

    python -m venv affinitree && affinitree/bin/pip install affinitree==0.23.0
    python -m venv relucent && relucent/bin/pip install torch relucent==1.0.0
    python tests/benchmarks/peers.py --peer affinitree=affinitree/bin/python --peer relucent=relucent/bin/python

==========  ===========  ===========================================================================================
package     counts over  how
==========  ===========  ===========================================================================================
affinitree  R^d          a decision tree, infeasible paths removed by linear programs; compiled, float64
relucent    R^d          walks from cell to cell; linear programs of Gurobi, with error bounds; Python
parx        R^d          walks from cell to cell; HiGHS, tolerances; Python (its Julia methods are not run)
regioncam   [-1, 1]^2    a planar subdivision; compiled, weights rounded to float32; two inputs only
==========  ===========  ===========================================================================================

Networks come in order of size.  In each round every tool counts once in a fresh process; a quick search is repeated
there, and the median taken, and a search of more than 10 seconds is not repeated in later rounds.  Times are CPU
seconds of the search, with compiled code loaded and the network converted to a package's own form, ours by a first
count; for ours, the time of a whole process, imports and set-up included, is in brackets.  A multiple is the median
over rounds of the package's time over ours.  `>` marks a search that was stopped at the limit of CPU time (there,
imports count), `out of memory` one that took more than 4 GB; the package is then given no further network but the
last, which has no biases, so that all walls meet in the origin.  A wrong count is shown as one.  The script fails
(exit code 1) only if our own count is wrong.

The truth is the frozen count of `tests/oracles`.  There is none of d2-256x4 in the square; there it is the number of
cells that we list, all distinct and each with a point that is certainly inside: a lower bound in any case.

At the end, each package that works over R^d counts the ReLU networks of `tests/oracles/networks.json` that floats hold
exactly: small, many of them degenerate, with counts made in rational arithmetic.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from peer_adapters import TOOLS

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = Path(__file__).with_name("peer_adapters.py")
OURS = "exactregions"
BOX_TOOLS = ("regioncam",)
SPACE_NETWORKS = (
    *("d2-16x2", "d3-8x2", "d4-8x2", "d10-12x1", "d3-16x2", "d2-32x3", "d4-16x2", "d3-32x2", "d6-10x2", "d5-8x3"),
    *("d8-10x2", "zb-d3-16x2"),
)
BOX_NETWORKS = ("d2-16x2", "d2-32x3", "d2-64x3", "d2-128x3", "d2-256x4")
TARGET = 20  # times every package over R^d that finishes
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
MOST_MEMORY = 4 << 30  # bytes that a package may take
_SLOW = 10.0

Outcome = dict[str, Any]


def count(name: str, *, box: bool) -> Outcome:
    """Count by `split` in this process, warm; return cells and CPU seconds."""
    sys.path.insert(0, str(ROOT))
    import exactregions as er
    from tests.oracles.ladder import build

    network = er.Network(build(name)[:-1])
    domain = er.Box([-1] * network.input_dim, [1] * network.input_dim) if box else None
    er.count_cells(network, domain, engine="split")
    seconds: list[float] = []
    while not seconds or (sum(seconds) < 1 and len(seconds) < 7):
        began = time.process_time()
        found = er.count_cells(network, domain, engine="split")
        seconds.append(time.process_time() - began)
    return {"cells": found.n_cells, "cpu": statistics.median(seconds), "exact": found.status is er.Status.EXACT}


def ours(name: str, *, box: bool) -> Outcome:
    """Count by `split` in a fresh process."""
    return _run([sys.executable, __file__, "--inside", name, *(["--box"] if box else [])], None)[0]


def ours_cold(name: str, *, box: bool) -> float:
    """CPU seconds of a process that imports the package, counts once, and ends."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import exactregions as er; "
        f"from tests.oracles.ladder import build; n = er.Network(build({name!r})[:-1]); d = n.input_dim; "
        f"er.count_cells(n, {'er.Box([-1] * d, [1] * d)' if box else 'None'}, engine='split'); print('{{}}')"
    )
    return float(_run([sys.executable, "-c", code], None)[0]["process"])


def theirs(tool: str, python: str, networks: Iterable[Path], seconds: int) -> list[Outcome]:
    """Count by another package in a fresh process, which is ended after so many seconds of CPU time."""
    return _run([python, str(ADAPTERS), tool, *map(str, networks)], seconds)


def _run(command: list[str], seconds: int | None) -> list[Outcome]:
    """Run a process group to its end, or end it; return its answers and how it failed, with the CPU time of it all."""
    before = _children()
    process = subprocess.Popen(
        command,
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    stopped_after, why = None, ""
    out = None
    try:
        while out is None:
            try:
                out, _ = process.communicate(timeout=0.5)
            except subprocess.TimeoutExpired:
                spent, resident = _group_usage(process.pid)
                if seconds is not None and (spent > seconds or resident > MOST_MEMORY):
                    stopped_after, why = spent, "timeout" if spent > seconds else "memory"
                    os.killpg(process.pid, signal.SIGKILL)
    finally:
        if out is None:  # interrupted: a group of its own would go on
            os.killpg(process.pid, signal.SIGKILL)
    answers: list[Outcome] = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    total = _children() - before
    if stopped_after is not None:
        answers.append({why: True})
        total = max(total, stopped_after)
    elif process.returncode:
        answers.append({"error": f"exit code {process.returncode}"})
    return [answer | {"process": total} for answer in answers]


def _group_usage(group: int) -> tuple[float, int]:
    """CPU seconds that a process group has spent so far, and its resident memory in bytes (Linux)."""
    ticks = pages = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[2]) == group:
            ticks += sum(map(int, fields[11:15]))  # its own time, and that of children it has waited for
            pages += int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(
    names: Iterable[str], peers: Mapping[str, str], *, box: bool, rounds: int, seconds: int
) -> list[dict[str, Any]]:
    """Measure networks, smallest first, printing a row of the table for each; return the figures."""
    from tests.oracles import LADDER_COUNTS

    figures: list[dict[str, Any]] = []
    out_of_time: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            truth = _count_in_box(name) if box else LADDER_COUNTS[name]["n_cells"]
            path = _save(name, Path(folder))
            runs: dict[str, list[Outcome]] = {OURS: [], **{tool: [] for tool in peers}}
            for _ in range(rounds):
                runs[OURS].append(ours(name, box=box))
                for tool, python in peers.items():
                    done = runs[tool]
                    if (tool not in out_of_time or name.startswith("zb")) and not (
                        done and done[-1].get("cpu", _SLOW) >= _SLOW
                    ):
                        done.append(theirs(tool, python, [path], seconds)[0])
            out_of_time.update(tool for tool, done in runs.items() if done and {"timeout", "memory"} & set(done[-1]))
            cold = ours_cold(name, box=box)
            summary = {tool: _summary(done, runs[OURS], truth) for tool, done in runs.items()}
            summary[OURS]["process"] = cold
            figures.append({"name": name, "domain": "[-1, 1]^d" if box else "R^d", "cells": truth, "tools": summary})
            print(_row(figures[-1]), flush=True)
    return figures


def _count_in_box(name: str) -> int:
    """Return the frozen count in (-1, 1)^d, or that of our listing."""
    from tests.oracles import LADDER_BOX_COUNTS

    if name in LADDER_BOX_COUNTS:
        return int(LADDER_BOX_COUNTS[name])
    import exactregions as er
    from tests.oracles.ladder import build

    network = er.Network(build(name)[:-1])
    box = er.Box([-1] * network.input_dim, [1] * network.input_dim)
    return er.enumerate_regions(network, box, engine="split").n_cells


def _save(name: str, folder: Path) -> Path:
    from tests.oracles.ladder import build

    return _write(folder / f"{name}.npz", build(name))


def _write(path: Path, layers: Iterable[tuple[Any, Any]]) -> Path:
    import numpy as np

    arrays: dict[str, Any] = {}
    for index, (weights, bias) in enumerate(layers, start=1):
        arrays[f"W{index}"], arrays[f"b{index}"] = np.asarray(weights, float), np.asarray(bias, float)
    np.savez(path, **arrays)
    return path


def _summary(runs: list[Outcome], reference: list[Outcome], truth: int) -> Outcome:
    """One tool on one network: its status, CPU seconds, and how many times ours they are."""
    if not runs:
        return {"status": "not run"}
    last = runs[-1]
    if "cpu" not in last:
        multiple = last["process"] / statistics.median(one["cpu"] for one in reference)
        status = next((word for word in ("timeout", "memory") if word in last), "error")
        return {"status": status, "cpu": last["process"], "multiple": multiple, "message": last.get("error")}
    right = all(one["cells"] == truth and one.get("exact", True) for one in runs)
    return {
        "status": "right" if right else "wrong",
        "cells": last["cells"],
        "cpu": statistics.median(one["cpu"] for one in runs),
        "process": statistics.median(one["process"] for one in runs),
        "multiple": statistics.median(one["cpu"] / base["cpu"] for one, base in zip(runs, reference, strict=False)),
        "rounds": len(runs),
        "version": last.get("version"),
    }


def _row(one: Mapping[str, Any]) -> str:
    cells = [_text(tool, outcome) for tool, outcome in one["tools"].items()]
    return f"| {one['name']} | {one['cells']:,} | " + " | ".join(cells) + " |"


def _text(tool: str, outcome: Outcome) -> str:
    status = str(outcome["status"])
    if status in ("not run", "error"):
        return status
    seconds = _seconds(outcome["cpu"])
    if tool == OURS:
        text = f"{seconds} ({_seconds(outcome['process'])})"
    elif status == "memory":
        return f"out of memory after {seconds}"
    elif status == "timeout":
        return f"> {seconds}: > {_two_digits(outcome['multiple'])} times"
    else:
        text = f"{seconds}: {_two_digits(outcome['multiple'])} times"
    return text if status == "right" else f"wrong: {_counts(outcome['cells'])}, {text}"


def _counts(cells: int | list[int]) -> str:
    return " or ".join(f"{n:,}" for n in ([cells] if isinstance(cells, int) else cells))


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 10 else f"{value:.1f} s" if value >= 1 else f"{1000 * value:.3g} ms"


def _two_digits(value: float) -> str:
    digits = 1 - len(str(int(value)))
    return f"{value:.1f}" if value < 10 else f"{round(value, digits + 1):,.0f}"


def header(tools: Iterable[str], *, box: bool) -> str:
    """Return the head of the Markdown table."""
    titles = ["network", "cells in (-1, 1)^d" if box else "cells", OURS, *tools]
    return f"| {' | '.join(titles)} |\n|---|---:|{'---:|' * (len(titles) - 2)}"


def oracles(peers: Mapping[str, str], seconds: int) -> list[dict[str, Any]]:
    """Let packages count the small oracle networks; print and return how often each is right."""
    import exactregions as er
    from tests.oracles import NETWORKS

    with tempfile.TemporaryDirectory() as folder:
        entries = [entry for entry in NETWORKS if entry["activation"] == "relu" and entry["domain"][0] == "R"]
        entries = [entry for entry in entries if _float_layers(entry)]
        paths = [_write(Path(folder, f"{e['name']}.npz"), _float_layers(e) or []) for e in entries]
        counts = [er.count_cells(er.Network(e["layers"]), engine="split").n_cells for e in entries]
        answers = {OURS: [{"cells": n} for n in counts]}
        for tool, python in peers.items():
            found = theirs(tool, python, paths, seconds)
            answers[tool] = found + found[-1:] * (len(paths) - len(found))  # a tool that ended early answers no more
    figures = []
    for tool, given in answers.items():
        wrong = {
            e["name"]: [one.get("cells", one.get("error", "out of time")), e["n_cells"]]
            for e, one in zip(entries, given, strict=True)
            if one.get("cells") != e["n_cells"]
        }
        errors = sum(not isinstance(answer, int) for answer, _ in wrong.values())
        figures.append({"tool": tool, "networks": len(entries), "wrong": wrong})
        right = len(entries) - len(wrong)
        print(f"| {tool} | {right} of {len(entries)} | {len(wrong) - errors} | {errors} |", flush=True)
    return figures


def _float_layers(entry: Mapping[str, Any]) -> list[tuple[Any, Any]] | None:
    """Return the layers as floats, an output layer last, or None if a number is no float."""
    from fractions import Fraction

    layers = []
    for weights, bias in [*entry["layers"], entry["output_layer"] or ([["1"] * len(entry["layers"][-1][1])], ["0"])]:
        if any(Fraction(float(Fraction(v))) != Fraction(v) for row in (*weights, bias) for v in row):
            return None
        layers.append(([[float(Fraction(v)) for v in row] for row in weights], [float(Fraction(v)) for v in bias]))
    return layers


def machine() -> dict[str, Any]:
    """Say when and on what the figures were measured."""
    import numpy as np

    return {
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def parse_peers(texts: Iterable[str]) -> dict[str, str]:
    """Read NAME=PYTHON options."""
    peers = dict(text.partition("=")[::2] for text in texts)
    if unknown := set(peers) - set(TOOLS):
        raise SystemExit(f"no package {', '.join(sorted(unknown))}; --peer NAME=PYTHON takes {', '.join(TOOLS)}")
    return {tool: str(Path(python).absolute()) for tool, python in peers.items()}


def report(peers: Mapping[str, str], *, rounds: int, seconds: int, names: Iterable[str] = ()) -> dict[str, Any]:
    """Print all tables for the packages given, or those of chosen networks; return their figures."""
    chosen = list(names)
    figures: dict[str, Any] = {}
    for key, box, networks in (("space", False, SPACE_NETWORKS), ("box", True, BOX_NETWORKS)):
        tools = {tool: python for tool, python in peers.items() if (tool in BOX_TOOLS) == box}
        if tools:
            print(f"\n{header(tools, box=box)}", flush=True)
            wanted = [name for name in networks if not chosen or name in chosen]
            figures[key] = compare(wanted, tools, box=box, rounds=rounds, seconds=seconds)
    space = {tool: python for tool, python in peers.items() if tool not in BOX_TOOLS}
    if space and not chosen:
        print("\n| small networks | right | wrong | no answer |\n|---|---:|---:|---:|", flush=True)
        figures["oracles"] = oracles(space, seconds)
    missed = [
        f"{tool} on {one['name']} ({outcome['multiple']:.1f} times)"
        for one in figures.get("space", [])
        for tool, outcome in one["tools"].items()
        if tool != OURS and outcome["status"] == "right" and outcome["multiple"] < TARGET
    ]
    if space:
        print(f"\nat least {TARGET} times every package over R^d that finishes: {', '.join(missed) or 'reached'}")
    return figures


def is_right(figures: Mapping[str, Any]) -> bool:
    """Whether all our own counts are."""
    rows = [*figures.get("space", []), *figures.get("box", [])]
    small = [one for one in figures.get("oracles", []) if one["tool"] == OURS]
    return all(one["tools"][OURS]["status"] == "right" for one in rows) and not any(one["wrong"] for one in small)


def main() -> int:
    """Compare, and print Markdown tables; return 0 unless our own count is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NETWORK", help="only these networks")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON", help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=300, help="CPU seconds that a package has for a network")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--box", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(count(options.inside, box=options.box)))
        return 0
    peers = parse_peers(options.peer)
    if not peers:
        parser.error("no --peer NAME=PYTHON given")
    sys.path.insert(0, str(ROOT))
    measured = machine()
    print(", ".join(f"{key} {value}" for key, value in measured.items()))
    figures = report(peers, rounds=options.rounds, seconds=options.timeout, names=options.names)
    if options.json:
        options.json.write_text(json.dumps({**measured, **figures}, indent=1) + "\n", encoding="utf-8")
    return 0 if is_right(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
