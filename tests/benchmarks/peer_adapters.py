"""Counts regions with another package: run by the Python of that package's environment, never by ours.

::

    peer/bin/python tests/benchmarks/peer_adapters.py TOOL NET.npz... [--cells N]

Prints one JSON object for each network: `cells` and `cpu` (seconds of user and system time of the search, its worker
processes included; loading the package and the network is not), or `error`.  A search of less than a second is
repeated, and `cpu` is the median.  `TOOL` is a key of `TOOLS`.  This file needs NumPy and the package, nothing else;
the npz files hold W1, b1, W2, b2, ..., the output layer last, as `tests.oracles.ladder` writes them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
from collections.abc import Callable
from importlib.metadata import version
from typing import Any
from unittest import mock

import numpy as np

Layers = list[tuple[Any, Any]]
Search = Callable[[], int]


def affinitree(layers: Layers, limit: int | None) -> Search:
    """Distil the network into a decision tree over R^d, and count its leaves."""
    from affinitree import AffFunc, Architecture, builder

    _refuse(limit)

    def search() -> int:
        architecture = Architecture(layers[0][0].shape[1])
        for weights, bias in layers[:-1]:
            architecture.linear(AffFunc.from_mats(weights, bias))
            architecture.relu()
        architecture.linear(AffFunc.from_mats(*layers[-1]))
        return int(builder.from_layers(architecture).num_terminals())

    return search


def relucent(layers: Layers, limit: int | None) -> Search:
    """Walk from cell to cell over R^d, with one worker."""
    import torch
    from relucent import Complex

    torch.set_num_threads(1)
    steps: list[Any] = []
    for weights, bias in layers:
        layer = torch.nn.Linear(weights.shape[1], weights.shape[0], dtype=torch.float64)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(weights))
            layer.bias.copy_(torch.from_numpy(bias))
        steps += [layer, torch.nn.ReLU()]
    start = torch.from_numpy(_start(layers))

    def search() -> int:
        found = Complex(torch.nn.Sequential(*steps[:-1]))
        found.bfs(start, nworkers=1, max_polys=float("inf") if limit is None else limit)
        return len(found)

    return search


def parx(layers: Layers, limit: int | None) -> Search:
    """Walk from cell to cell over R^d, by the method that needs no Julia, though the package asks for it on import."""
    with mock.patch("shutil.which", return_value="julia"):
        from parx.methods import get_method

    _refuse(limit)
    find = get_method("exact_python")
    weights, biases = ([layer[k] for layer in layers[:-1]] for k in range(2))
    return lambda: len(find(weights, biases, _start(layers)).patterns)


def regioncam(layers: Layers, limit: int | None) -> Search:
    """Cut the square [-1, 1]^2 into faces; weights are rounded to float32."""
    from regioncam import Regioncam

    _refuse(limit)
    rounded = [(np.ascontiguousarray(W.T, np.float32), b.astype(np.float32)) for W, b in layers[:-1]]

    def search() -> int:
        square = Regioncam(size=1)
        for weights, bias in rounded:
            square.linear(weights, bias)
            square.relu()
        return int(square.num_faces)

    return search


TOOLS: dict[str, Callable[[Layers, int | None], Search]] = {
    "affinitree": affinitree,
    "relucent": relucent,
    "parx": parx,
    "regioncam": regioncam,
}


def _start(layers: Layers) -> Any:
    """Return a point to walk from; the packages' own choice, the origin, is on a wall of many small networks."""
    return np.random.default_rng(0).normal(size=(1, layers[0][0].shape[1]))


def _refuse(limit: int | None) -> None:
    if limit is not None:
        raise ValueError("this tool cannot be stopped after so many cells")


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _timed(search: Search) -> dict[str, Any]:
    seconds: list[float] = []
    counts: set[int] = set()
    while not seconds or (sum(seconds) < 1 and len(seconds) < 7):
        began = _cpu()
        counts.add(search())
        seconds.append(_cpu() - began)
    return {"cells": counts.pop() if len(counts) == 1 else sorted(counts), "cpu": statistics.median(seconds)}


def main() -> None:
    """Count the networks, one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--cells", type=int, help="stop after so many, if the tool can")
    options = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print goes to standard error
    for path in options.networks:
        data = np.load(path)
        layers = [(data[f"W{i}"], data[f"b{i}"]) for i in range(1, len(data.files) // 2 + 1)]
        try:
            answer = _timed(TOOLS[options.tool](layers, options.cells))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of compiled code is no Exception
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps({**answer, "version": version(options.tool)}), file=answers, flush=True)


if __name__ == "__main__":
    main()
