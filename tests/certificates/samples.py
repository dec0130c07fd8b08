"""Networks and certificates by hand that the frozen files are made from, and what changes a line of them."""

from __future__ import annotations

from copy import deepcopy

from tests.proofs_checks.toy import network, problem

TENT = network([([[1], [1]], [0, "-1/2"]), ([[2, -4], [2, -4]], [0, "-1/2"])], ([[2, -4]], [0]))
CROSS = network([([[1, 0], [0, 1]], [0, 0])], ([[1, 1]], [0]))  # the axes of the plane
TWINS = network([([[1, 0], [2, 0], [-1, 0]], [0, 0, 0])], ([[1, 1, -1]], [0]))  # one wall, three neurons
LADDER = network([([[1], [1], [1]], [0, -1, -2])], ([[1, -2, 1]], [0]))
EMPTY_A = {"A": [["1", "0"], ["-1", "0"]], "b": ["0", "0"]}


def cross_lines():
    """Return a proof for the quadrants, by hand."""
    both = ["child", "child"]
    leaves = [{"witness": [x, y]} for x in ("-1", "1") for y in ("-1/2", "1/2")]
    inner = {"neuron": 1, "pieces": both}
    claim = {"n_cells": 4, "n_strict": 4, "complete": True}
    return [problem(CROSS, "R^2"), claim, {"neuron": 0, "pieces": both}, inner, *leaves[:2], inner, *leaves[2:]]


def twins_lines():
    """Return a proof for three neurons with one wall: two cells, 001 and 110."""
    return [
        problem(TWINS, "R^2"),
        {"n_cells": 2, "n_strict": 2, "complete": True},
        {"neuron": 0, "pieces": ["child", "child"]},
        {"neuron": 1, "pieces": ["child", {"U0": "2", "L1": "1"}]},
        {"neuron": 2, "pieces": [{"U0": "1", "U2": "1"}, "child"]},
        {"witness": ["-1", "0"]},
        {"neuron": 1, "pieces": [{"L0": "2", "U1": "1"}, "child"]},
        {"neuron": 2, "pieces": ["child", {"L0": "1", "L2": "1"}]},
        {"witness": ["1", "0"]},
    ]


def small(kind, net, domain, claim, proof):
    """Return a certificate of three lines."""
    return [problem(net, domain, kind), claim, proof]


FACET = small("facet", TWINS, "R^2", {"patterns": [[0, 0, 1], [1, 1, 0]]}, {"witness": ["0", "5"]})
MERGE = small("merge", LADDER, "R^1", {"patterns": [[1, 0, 0], [1, 1, 0]]}, {"witness": ["1"]})
HIDDEN = network([([[1], [1]], [0, -1])], ([[1, 0]], [0]))  # the second wall cannot be seen
HIDDEN_MERGE = small("merge", HIDDEN, "R^1", {"patterns": [[1, 0], [1, 1]]}, {"witness": ["1"]})
INFEASIBLE = small("infeasible", LADDER, "R^1", {"pattern": [0, 1]}, {"excluded": {"U0": "1", "L1": "1"}})
DEAD = network([([[1], [0]], [0, -1])])
DEAD_PATTERN = small("infeasible", DEAD, "R^1", {"pattern": [1, 1]}, {"excluded": "constant"})
POINT = small("point", TENT, "R^1", {"pattern": [0, 0, 0, 0], "strict": False}, {"witness": ["-1/3"]})
SKEW = network([([[1, 0], [1, 1]], [0, 0])])  # two lines that are not orthogonal
CROSS_FACET = small("facet", CROSS, "R^2", {"patterns": [[0, 0], [0, 1]]}, {"witness": ["-1", "0"]})


WRONG_CLAIMS = [  # they can be read
    ("infeasible", INFEASIBLE, {"pattern": [0, 2]}),
    ("point", POINT, {"pattern": [0, 0, 0]}),
    ("facet", FACET, {"patterns": [[0, 0], [1, 1, 0]]}),
    ("merge", HIDDEN_MERGE, {"patterns": [[1, 0], [1, 7]]}),
]


def edit(lines, number, **changes):
    """Return a copy with fields of line `number` changed, and the fingerprint made right unless it was changed."""
    copy = deepcopy(lines)
    copy[number - 1] = {**copy[number - 1], **changes}
    return copy


def with_line(lines, number, line):
    """Return a copy with another line `number`."""
    return [*lines[: number - 1], line, *lines[number:]]
