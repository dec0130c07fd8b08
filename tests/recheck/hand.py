"""Certificates written by hand from FORMAT.md, as lists of JSON values, one for each line."""

from __future__ import annotations

import copy
import hashlib
import io
import json

from exactregions.recheck import check

__all__ = ["HARD_TANH", "RELU", "certificate", "dump", "edited", "problem", "verdict"]

RELU = {"breakpoints": ["0"], "slopes": ["0", "1"], "anchor": ["0", "0"]}
HARD_TANH = {"breakpoints": ["-1", "1"], "slopes": ["0", "1", "0"], "anchor": ["-1", "-1"]}


def canonical_text(network):
    """Return the text of section 3."""
    lines = ["exactregions-network 1", f"input {network['input_dim']}"]
    for (weights, bias), activation in zip(network["layers"], network["activation"], strict=True):
        lines.append(f"layer {len(weights)}")
        for row, constant, phi in zip(weights, bias, activation, strict=True):
            walls = " ".join(["breakpoints", *phi["breakpoints"]])
            tail = f"| {walls} ; slopes {' '.join(phi['slopes'])} ; anchor {' '.join(phi['anchor'])}"
            lines.append(" ".join([*row, constant, tail]))
    if network["output_layer"] is None:
        lines.append("output none")
    else:
        weights, bias = network["output_layer"]
        lines.append(f"output {len(weights)}")
        lines += [" ".join([*row, constant]) for row, constant in zip(weights, bias, strict=True)]
    return "".join(line + "\n" for line in lines)


def problem(kind, layers, domain, *, activation=RELU, output=None, n_inputs=1):
    """Return line 1; layers are pairs of lists of strings."""
    network = {
        "input_dim": n_inputs,
        "layers": [[weights, bias] for weights, bias in layers],
        "activation": [[activation] * len(bias) for _, bias in layers],
        "output_layer": output,
    }
    fingerprint = hashlib.sha256(canonical_text(network).encode()).hexdigest()
    head = {"format": "exactregions-certificate", "version": 1, "kind": kind}
    return {**head, "network": network, "domain": domain, "fingerprint": fingerprint}


OPPOSITE = [([["1"], ["-1"]], ["0", "1/2"])]  # z_0 = x, z_1 = 1/2 - x
CHAIN = [([["1"]], ["0"]), ([["1"]], ["-1"])]  # z_1 = relu(x) - 1
FLAT = [([["1"], ["0"]], ["0", "-1"])]  # z_1 = -1
AXES = [([["1", "0"], ["0", "1"]], ["0", "0"])]


def _tree(layers, domain, claim, *nodes, **options):
    n_cells, n_strict, complete = claim
    head = {"n_cells": n_cells, "n_strict": n_strict, "complete": complete}
    return [problem("regions", layers, domain, **options), head, *nodes]


CERTIFICATES = {
    "opposite": _tree(
        OPPOSITE,
        [["0", "2"]],
        (2, 2, True),
        {"neuron": 0, "pieces": [{"d0": "1", "U0": "1"}, "child"]},
        {"neuron": 1, "pieces": ["child", "child"]},
        {"witness": ["1"]},
        {"witness": ["1/4"]},
    ),
    "chain": _tree(
        CHAIN,
        "R^1",
        (3, 3, True),
        {"neuron": 0, "pieces": ["child", "child"]},
        {"neuron": 1, "pieces": ["child", "constant"]},
        {"witness": ["-7/3"]},
        {"neuron": 1, "pieces": ["child", "child"]},
        {"witness": ["1/2"]},
        {"witness": ["2"]},
    ),
    "flat": _tree(
        FLAT,
        "R^1",
        (2, 2, True),
        {"neuron": 1, "pieces": ["child", "constant"]},
        {"neuron": 0, "pieces": ["child", "child"]},
        {"witness": ["-1"]},
        {"witness": ["1"]},
    ),
    "degenerate": _tree(
        [([["0"]], ["0"])],
        "R^1",
        (1, 0, True),
        {"neuron": 0, "pieces": ["child", "constant"]},
        {"witness": ["0"]},
    ),
    "part": _tree(
        AXES,
        "R^2",
        (1, 1, False),
        *[{"neuron": i, "pieces": ["open", "child"]} for i in (1, 0)],
        {"witness": ["1", "1"]},
        n_inputs=2,
    ),
    "empty": _tree(OPPOSITE, {"A": [["0"]], "b": ["0"]}, (0, 0, True), {"empty": {"d0": "1"}}),
    "nothing hidden": _tree([], [["0", "1"]], (1, 1, True), {"witness": ["1/3"]}),
    "hard tanh": _tree(
        [([["1"], ["2"]], ["0", "0"])],
        {"origin": ["1"], "directions": [["1"]], "inner": {"A": [["-1"]], "b": ["0"]}},  # x = 1 + t with t > 0
        (1, 1, True),
        {"neuron": 0, "pieces": [{"d0": "1", "U0": "1"}, {"U0": "1", "d0": "1"}, "child"]},
        {"neuron": 1, "pieces": [{"d0": "2", "U1": "1"}, {"L0": "2", "U1": "1"}, "child"]},
        {"witness": ["1/1000000007"]},
        activation=HARD_TANH,
    ),
    "infeasible": [
        problem("infeasible", OPPOSITE, "R^1"),
        {"pattern": [0, 0]},
        {"excluded": {"U0": "1/2", "U1": "1/2"}},
    ],
    "infeasible constant": [problem("infeasible", FLAT, "R^1"), {"pattern": [1, 1]}, {"excluded": "constant"}],
    "point": [problem("point", CHAIN, "R^1"), {"pattern": [1, 0], "strict": True}, {"witness": ["1/2"]}],
    "facet": [problem("facet", CHAIN, "R^1"), {"patterns": [[1, 1], [1, 0]]}, {"witness": ["1"]}],
    "merge": [
        problem("merge", OPPOSITE, "R^1", output=[[["0", "1"]], ["7"]]),
        {"patterns": [[0, 1], [1, 1]]},
        {"witness": ["0"]},
    ],
}


def certificate(name):
    """Return a fresh copy of a certificate that must be accepted."""
    return copy.deepcopy(CERTIFICATES[name])


def dump(lines):
    """Return the bytes of a certificate; a line may also be given as text."""
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode()


def verdict(lines, **options):
    """Check lines, or bytes."""
    return check(io.BytesIO(lines if isinstance(lines, bytes) else dump(lines)), **options)


def edited(name, line, **fields):
    """Return a certificate with fields of one line (from 1) replaced."""
    lines = certificate(name)
    lines[line - 1].update(fields)
    return lines
