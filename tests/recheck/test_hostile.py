"""Certificates from a stranger: time and memory stay bounded, whatever the file says."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
from time import process_time

import pytest

from exactregions.recheck import Limits, check
from tests.recheck.hand import certificate, dump, edited, problem, verdict

LONG = "9" * 99_996
COPRIME = [f"1/{LONG}{index:03}1" for index in range(40)]
WIDE = [([["1"]], ["0"]), ([["3"]] * 300, ["0"] * 300), ([["7"] * 300] * 300, ["0"] * 300)]


def tree(layers, domain, *nodes, **options):
    claim = {"n_cells": 1, "n_strict": 1, "complete": False}
    return dump([problem("regions", layers, domain, **options), claim, *nodes])


def opening(n_neurons):
    return [{"neuron": neuron, "pieces": ["open", "child"]} for neuron in range(n_neurons)]


def many_pieces(count):
    denominators = range(10**9 + 1, 10**9 + 2 * count, 2)
    walls = [f"{index * below + 1}/{below}" for index, below in enumerate(denominators)]
    slopes = ["0", *[f"1/{below}" for below in denominators]]
    return {"breakpoints": walls, "slopes": slopes, "anchor": [walls[0], "0"]}


def long_multipliers():
    vector = {f"d{row}": multiplier for row, multiplier in enumerate(COPRIME)}
    return tree([([["1"] * 20], ["0"])], [["0", "1"]] * 20, {"empty": vector}, n_inputs=20)


HOSTILE = {
    "brackets": (lambda: b"[" * (2**26 - 1) + b"\n", "bad-size"),
    "fewer brackets": (lambda: b"[" * 2**20 + b"\n", "bad-json"),
    "strings": (lambda: b'["' + b'aaaa","' * 2**22 + b'"]\n', "bad-size"),
    "no line ends": (lambda: b" " * (2**26 + 1), "bad-size"),
    "bomb in line 1": (lambda: gzip.compress(b" " * 2**27), "bad-size"),
    "bomb": (lambda: gzip.compress(dump(certificate("chain")[:2]) + b" " * 2**26), "bad-size"),
    "bomb after the end": (lambda: gzip.compress(dump(certificate("chain")) + b" " * 2**26), "after-the-end"),
    "growing forms": (lambda: tree([([[LONG]], ["0"])] * 150, "R^1"), "bad-size"),
    "growing denominators": (lambda: tree([([[f"1/{LONG}"]], ["0"])] * 20, "R^1"), "bad-size"),
    "many pieces": (lambda: tree([([["1"]], ["0"])], "R^1", activation=many_pieces(4000)), "bad-size"),
    "long multipliers": (long_multipliers, "bad-size"),
    "long witness": (
        lambda: tree([([["1"] * 40], ["0"])], "R^40", *opening(1), {"witness": COPRIME}, n_inputs=40),
        "bad-size",
    ),
    "wide layers": (lambda: tree(WIDE, "R^1", *opening(301)), "unfinished"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_and_memory_are_bounded(name):
    make, reason = HOSTILE[name]
    data = make()
    limit = sys.get_int_max_str_digits()
    start = process_time()
    found = check(io.BytesIO(data))
    assert process_time() - start < 15
    assert found.reason == reason
    assert sys.get_int_max_str_digits() == limit


@pytest.mark.parametrize("name", ["brackets", "strings", "bomb", "bomb in line 1"])
def test_little_is_allocated(name):
    data = HOSTILE[name][0]()
    tracemalloc.start()
    check(io.BytesIO(data))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**28


def test_long_numbers_are_exact():
    tiny = f"1/1{'0' * 99_998}"
    lines = edited("opposite", 6, witness=[tiny])
    assert verdict(lines).accepted
    lines = edited("opposite", 5, witness=[f"5{'0' * 99_996}1/1{'0' * 99_998}"])  # 1/2 + 10^-99998
    assert verdict(lines).accepted
    lines = edited("opposite", 5, witness=[f"4{'9' * 99_997}/1{'0' * 99_998}"])
    assert verdict(lines).reason == "witness-not-inside"
    lines = edited("opposite", 3, pieces=[{"d0": LONG, "U0": LONG}, "child"])
    assert verdict(lines).accepted
    lines = edited("opposite", 3, pieces=[{"d0": LONG, "U0": LONG[:-1] + "8"}, "child"])
    assert verdict(lines).reason == "not-farkas"


def test_work_is_paid_for_by_bytes():
    limits = Limits(work=10**5, work_per_byte=0)
    assert check(io.BytesIO(dump(certificate("chain"))), limits=limits).accepted
    found = check(io.BytesIO(tree(WIDE, "R^1", *opening(301))), limits=limits)
    assert (found.code, found.reason) == (2, "bad-size")


def test_a_deep_tree_needs_no_recursion():
    n_neurons = 3000
    layers = [([["1"]] * n_neurons, [str(-index) for index in range(n_neurons)])]
    data = tree(layers, [["0", "1"]], *opening(n_neurons), {"witness": ["1/2"]})
    assert check(io.BytesIO(data)).reason == "witness-not-inside"
    layers = [([["1"]] * n_neurons, [str(index) for index in range(n_neurons)])]
    data = tree(layers, [["0", "1"]], *opening(n_neurons), {"witness": ["1/2"]})
    assert check(io.BytesIO(data)).accepted


def test_no_path_is_opened(monkeypatch, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("1")
    monkeypatch.setattr("pathlib.Path.open", None)
    monkeypatch.setattr("builtins.open", None)
    for line in (1, 2, 3):
        lines = certificate("opposite")
        lines[line - 1] = {key: str(secret) for key in lines[line - 1]}
        assert verdict(lines).code == 2
