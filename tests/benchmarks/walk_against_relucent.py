"""How fast `walk` lists a ladder network, as a multiple of relucent's rate in the same run.

relucent is a peer with its own requirements (a size-limited gurobipy licence), so it lives in a virtual environment of
its own::

    python -m venv peer && peer/bin/pip install torch relucent==1.0.0
    python tests/benchmarks/walk_against_relucent.py --peer peer/bin/python [--net d3-16x2] [--rounds 3]

Both tools run alternately, one thread each, over the whole space; the figure is the median of the rounds' ratios of
cells a CPU second.  relucent's search is stopped after `--peer-cells` cells, since its rate is steady.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peers import ADAPTERS, ONE_THREAD, ROOT


def run_peer(python: str, network: Path, cells: int) -> dict[str, float]:
    """Run relucent in its own interpreter; its CPU time covers the search only, children included."""
    command = [python, str(ADAPTERS), "relucent", str(network), "--cells", str(cells)]
    environment = {**os.environ, **ONE_THREAD}
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=3600)
    return dict(json.loads(out.stdout.strip().splitlines()[-1]))


def run_walk(network: Path) -> dict[str, float]:
    """List the network with `walk`."""
    import exactregions as er

    loaded = er.load(network)
    began = time.process_time()
    found = er.enumerate_regions(loaded, engine="walk")
    return {"cells": found.n_cells, "cpu": time.process_time() - began}


def main() -> None:
    """Print every round and the median ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True, help="python of an environment with relucent 1.0.0")
    parser.add_argument("--net", default="d3-16x2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-cells", type=int, default=600)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    import numpy as np

    from tests.oracles.ladder import build

    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.npz")
        layers = enumerate(build(options.net), 1)
        np.savez(path, **{f"{k}{i}": v for i, (W, b) in layers for k, v in (("W", W), ("b", b))})
        for _ in range(options.rounds):
            peer = run_peer(options.peer, path, options.peer_cells)
            ours = run_walk(path)
            rates = [run["cells"] / run["cpu"] for run in (ours, peer)]
            ratios.append(rates[0] / rates[1])
            print(f"walk {rates[0]:8.1f} cells/s, relucent {rates[1]:8.1f} cells/s: {ratios[-1]:.1f} times")
    print(f"median ratio: {statistics.median(ratios):.1f}")


if __name__ == "__main__":
    main()
