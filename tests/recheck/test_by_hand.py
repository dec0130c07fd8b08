"""Certificates written by hand from FORMAT.md: all kinds are accepted, and every reason of section 9 is reached."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import pytest

from exactregions.errors import InputError
from exactregions.recheck import check
from tests.recheck.hand import CERTIFICATES, HARD_TANH, certificate, dump, edited, problem, verdict

FORMAT = Path(__file__).parents[2] / "proofs_checks" / "FORMAT.md"


def without(name, line):
    lines = certificate(name)
    del lines[line - 1]
    return lines


def with_line(name, line, value):
    lines = certificate(name)
    lines[line - 1] = value
    return lines


def with_network(**fields):
    lines = certificate("opposite")
    lines[0]["network"].update(fields)
    return lines


def with_weight(text):
    return with_network(layers=[[[[text], ["-1"]], ["0", "1/2"]]])


def with_vector(vector):
    return edited("opposite", 3, pieces=[vector, "child"])


def pair(first, second, witness, *, kind="facet", output=None):
    head = problem(kind, [([["1"], ["-1"]], ["0", "1/2"])], "R^1", output=output)
    return [head, {"patterns": [first, second]}, {"witness": [witness]}]


GOOD = dump(certificate("opposite"))
BAD = {  # reason: certificates, each with the line where it is wrong
    "bad-gzip": [(gzip.compress(GOOD)[:-1], 6), (gzip.compress(GOOD) + b"\0\0" + GOOD, 6), (b"\x1f\x8b" + GOOD, 1)],
    "bad-end": [(GOOD[:-1], 6), (GOOD[:-9], 6), (b"x", 1)],
    "bad-size": [(with_network(input_dim=1025), 1),
                 (edited("hard tanh", 1, domain={"origin": ["1"], "directions": [["1"]] * 1025}), 1),
                 (with_line("opposite", 5, '{"witness": ["' + "1" * 2**23 + '"]}'), 5),
                 (edited("opposite", 5, witness=["1" * 100_001]), 5), (b"[" * 2**26 + b"\n", 1)],
    "bad-json": [(with_line("opposite", 3, ""), 3), (with_line("opposite", 3, "{} {}"), 3), (b"\xef\xbb\xbf" + GOOD, 1),
                 (with_line("opposite", 3, "[" * 100_000), 3), (with_line("opposite", 3, '{"a": 01}'), 3),
                 (with_line("opposite", 3, '{"a": "\x01"}'), 3), (with_line("opposite", 3, "{'a': 1}"), 3)],
    "bad-keys": [(with_line("opposite", 5, '{"witness": ["1"], "witness": ["1"]}'), 5),
                 (with_line("opposite", 5, '{"empty": {"d0": "1", "d\\u0030": "1"}}'), 5)],
    "bad-number": [(with_line("opposite", 2, f'{{"n_cells": {number}, "n_strict": 2, "complete": true}}'), 2)
                   for number in ("2.0", "2e0", "-0", "NaN", "Infinity", "-Infinity", "1" * 16, "9" * 50_000)],
    "bad-rational": [(edited("opposite", 5, witness=[text]), 5)
                     for text in ("2/2", "1/1", "01", "1/02", "+1", "-0", "0/3", "1/0", "1.0", " 1", "1\n", "1/-2", "",
                                  "-", "1/", "/2", "--1", "1e3", "0x1", "\u0661", "\ud800", "inf", 1, None, ["1"])],
    "bad-fields": [(b"[]\n", 1), *[(edited("opposite", 1, fingerprint=value), 1) for value in (0, None, ["0"], {})],
                   (edited("point", 2, pattern=[0, "0"])[:2], 2), (edited("infeasible", 2, pattern=[-1])[:2], 2),
                   (edited("facet", 2, patterns=[[9], "10"])[:2], 2), (edited("merge", 2, patterns=[[9], [None]]), 2),
                   (with_vector({"d1000000000": "1"}), 3), (edited("opposite", 1, more=1), 1),
                   (edited("opposite", 1, network=[]), 1), (edited("opposite", 2, n_cells=-2), 2),
                   (edited("opposite", 2, n_cells=True), 2), (edited("opposite", 2, complete=1), 2),
                   (edited("opposite", 3, neuron="0"), 3), (edited("opposite", 3, pieces={}), 3),
                   (edited("opposite", 3, pieces=["child", "Child"]), 3), (with_line("opposite", 3, {}), 3),
                   (with_line("opposite", 3, []), 3), (with_line("opposite", 3, {"witness": "11"}), 3),
                   (with_vector({"d00": "1"}), 3), (with_vector({"X0": "1"}), 3), (with_vector({"U": "1"}), 3),
                   (with_vector({"d" + "9" * 5000: "1"}), 3),
                   (with_vector({"U0\n": "1"}), 3), (edited("point", 2, pattern="10"), 2),
                   (edited("infeasible", 3, excluded="open"), 3), (edited("facet", 2, patterns=[[1, 1]]), 2)],
    "bad-network": [(with_network(input_dim=0), 1), (with_network(input_dim=2), 1),
                    (with_network(output_layer=[[], []]), 1), (with_network(layers=[[[], []]]), 1),
                    (with_network(activation=[]), 1), (with_network(activation=["relu"]), 1),
                    (with_network(output_layer=[[["1"]], ["0"]]), 1)]
                   + [(with_network(activation=[[HARD_TANH, {**HARD_TANH, **change}]]), 1)
                      for change in ({"breakpoints": ["1", "-1"]}, {"breakpoints": ["-1", "-1"]},
                                     {"slopes": ["0", "1"]}, {"anchor": ["1", "1"]}, {"anchor": ["-1"]})],
    "bad-domain": [(edited("opposite", 1, domain=value), 1)
                   for value in ("R^2", "R^01", "r^1", None, 1, [], [["0"]], [["0", "1"]] * 2, ["01"],
                                 {"A": [["1"]], "b": []}, {"A": [["1", "1"]], "b": ["1"]},
                                 {"origin": ["0"], "directions": []}, {"origin": [], "directions": [["1"]]},
                                 {"origin": ["0"], "directions": [["1"]], "inner": "R^2"})],
    "unknown-format": [(b"", 1), (gzip.compress(b""), 1), (edited("opposite", 1, format="x"), 1), (b"{}\n", 1)],
    "unknown-version": [(b'{"format": "exactregions-certificate"}\n', 1), (edited("opposite", 1, version=2), 1),
                        (edited("opposite", 1, version=True), 1)],
    "unknown-kind": [(edited("opposite", 1, kind="count"), 1), (edited("opposite", 1, kind=["point"]), 1)],
    "fingerprint-mismatch": [(with_weight("2"), 1), (edited("opposite", 1, fingerprint=""), 1)],
    "unfinished": [(without("opposite", 6), 6), (certificate("opposite")[:1], 2), (certificate("point")[:2], 3),
                   (edited("point", 2, pattern=[7])[:2], 3), (edited("facet", 2, patterns=[[], []])[:2], 3)],
    "after-the-end": [(dump(certificate(name)) + end, len(CERTIFICATES[name]) + 1)
                      for name in CERTIFICATES for end in (b"\n", b"\x00\xff", b'{"witness": ["1"]}\n')],
    "no-such-neuron": [(edited("opposite", 4, neuron=2), 4)],
    "duplicate-neuron": [(edited("opposite", 4, neuron=0), 4)],
    "undecided-input": [(edited("chain", 3, neuron=1), 3)],
    "piece-count": [(edited("opposite", 4, pieces=["child"]), 4), (edited("opposite", 4, pieces=["child"] * 3), 4)],
    "wrong-constant-piece": [(edited("flat", 3, pieces=["child", "child"]), 3), (edited("point", 2, pattern=[0, 1]), 3),
                             (edited("degenerate", 3, pieces=["child", "child"]), 3)],
    "not-constant": [(edited("opposite", 3, pieces=["constant", "child"]), 3),
                     (edited("infeasible", 3, excluded="constant"), 3)],
    "legal-piece": [(edited("flat", 3, pieces=["constant", "constant"]), 3),
                    (edited("infeasible constant", 2, pattern=[1, 0]), 3)],
    "open-in-complete": [(edited("opposite", 4, pieces=["child", "open"]), 4), (edited("part", 2, complete=True), 3)],
    "no-such-row": [(with_vector({name: "1"}), 3)
                    for name in ("d2", "L0", "U1", "U2", "L1", "d999999999")]
                   + [(edited("flat", 4, pieces=[{"U1": "1"}, "child"]), 4)],
    "negative-multiplier": [(with_vector({"d0": "1", "U0": "1", "d1": "-1"}), 3)],
    "zero-multipliers": [(with_vector({}), 3), (with_vector({"d0": "0"}), 3)],
    "not-farkas": [(with_vector({"d0": "1", "U0": "1" + "0" * 30 + "1/1" + "0" * 31}), 3),
                   (with_vector({"d0": "1"}), 3),
                   (edited("opposite", 4, pieces=[{"L0": "1", "U1": "1"}, "child"]), 4),
                   (edited("empty", 1, domain={"A": [["0"]], "b": ["1/9"]}), 3),
                   (edited("infeasible", 1, **problem("infeasible", [([["1"], ["-1"]], ["0", "-1/2"])], "R^1")), 3)],
    "early-leaf": [(without("opposite", 4), 4)],
    "witness-length": [(edited("opposite", 5, witness=[]), 5), (edited("opposite", 5, witness=["1", "1"]), 5)],
    "witness-not-inside": [(edited("opposite", 5, witness=["1/2"]), 5), (edited("opposite", 5, witness=["2"]), 5),
                           (edited("opposite", 5, witness=["5" * 30 + "/1" + "1" * 30]), 5),
                           (edited("hard tanh", 5, witness=["0"]), 5), (edited("point", 3, witness=["1"]), 3),
                           (edited("facet", 3, witness=["-1"]), 3), (edited("facet", 1, domain=[["0", "1"]]), 3)],
    "wrong-count": [(edited("opposite", 2, n_cells=3), 7), (edited("opposite", 2, n_strict=1), 7),
                    (edited("degenerate", 2, n_strict=1), 5), (edited("point", 2, strict=False), 3)],
    "wrong-pattern": [(edited("point", 2, pattern=[1]), 3), (edited("point", 2, pattern=[1, 2]), 3),
                      (edited("infeasible", 2, pattern=[]), 3), (edited("infeasible", 2, pattern=[0, 0, 0]), 3),
                      (edited("facet", 2, patterns=[[1, 1], [1]]), 3)],
    "not-a-facet": [(pair([1, 1], [1, 1], "1/4"), 3), (pair([1, 1], [1, 1], "0"), 3)],
    "maps-differ": [(pair([1, 1], [0, 1], "0", kind="merge"), 3),
                    (pair([1, 1], [0, 1], "0", kind="merge", output=[[["1", "1"]], ["0"]]), 3)],
}  # fmt: skip


@pytest.mark.parametrize("name", CERTIFICATES)
def test_accepted(name):
    found = verdict(certificate(name))
    assert found.accepted, found
    assert (found.code, found.reason, found.line) == (0, None, len(CERTIFICATES[name]))


@pytest.mark.parametrize(
    ("reason", "lines", "line"),
    [
        pytest.param(reason, lines, line, id=f"{reason}-{index}")
        for reason, cases in BAD.items()
        for index, (lines, line) in enumerate(cases)
    ],
)
def test_refused(reason, lines, line):
    found = verdict(lines)
    assert (found.reason, found.line) == (reason, line)
    assert found.code == (2 if reason.startswith(("bad-", "unknown-")) else 1)
    assert found.fingerprint is found.kind is found.n_cells is None


def test_control_of_the_facets_and_merges():
    assert verdict(pair([1, 1], [0, 1], "0")).accepted


def test_every_reason_is_reached():
    section = FORMAT.read_text().split("## 9.")[1].split("## 10.")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    reasons = {reason for row in rows for reason in re.findall("`([a-z-]+)`", row)}
    assert reasons - {"bad-network-file", "other-network"} == set(BAD)


def test_fingerprint_of_another_network():
    wanted = certificate("opposite")[0]["fingerprint"]
    assert verdict(GOOD, network_fingerprint=wanted).accepted
    found = verdict(GOOD, network_fingerprint="0" * 64)
    assert (found.code, found.reason, found.line) == (1, "other-network", 1)
    found = verdict(GOOD[:-1], network_fingerprint="0" * 64)  # the certificate is judged first
    assert (found.code, found.reason, found.line) == (2, "bad-end", 6)


def test_the_example_of_the_format():
    text = FORMAT.read_text().split("## 11.")[1].split("```")[1].strip().split("\n")
    lines = ["".join(text[:4]), *text[4:]]
    found = verdict(lines)
    assert found.accepted
    assert found.fingerprint == "ed5ec17639b7aa3b6d5e6a4ba76e3568bbc0a35cd0827855f9e8f0e98d353a60"
    assert (found.n_cells, found.n_strict, found.complete, found.domain) == (2, 2, True, '[["0", "1"]]')
    assert str(found).endswith('domain [["0", "1"]]: exactly 2 cells, exactly 2 of them strict')


def test_statements_are_spelled_out():
    assert str(verdict(certificate("part"))).endswith("R^2: at least 1 cells, at least 1 of them strict")
    assert str(verdict(certificate("infeasible"))).endswith("no cell has a pattern that begins with 0 0")
    assert str(verdict(certificate("point"))).endswith("1 0 is the pattern of a strict cell")
    assert str(verdict(certificate("facet"))).endswith("1 1 and 1 0 are cells that share a facet")
    assert str(verdict(certificate("merge"))).endswith("share a facet and belong to one linear region")
    assert str(verdict(b"[]\n")) == "malformed, line 1: bad-fields"
    sides = {"A": [["1"]] * 99, "b": ["2"] * 99}
    long = verdict(edited("nothing hidden", 1, domain=sides))
    assert long.accepted
    assert len(str(long)) < 500
    assert "sha256" in str(long)


def test_line_of_a_fault_in_a_later_gzip_member():
    parts = [dump([line]) for line in edited("opposite", 6, witness=["1"])]
    found = verdict(b"".join(gzip.compress(part) for part in parts))
    assert (found.reason, found.line) == ("witness-not-inside", 6)


def test_files_paths_and_slow_streams(tmp_path):
    class Slow(io.RawIOBase):
        def __init__(self, data):
            self.data = io.BytesIO(data)

        def read(self, size=-1):
            return self.data.read(min(size, 1))

    path = tmp_path / "c.jsonl"
    path.write_bytes(GOOD)
    assert check(path).accepted
    assert check(str(path)).accepted
    for data in (GOOD, gzip.compress(GOOD)):
        assert check(Slow(data)).accepted
    with pytest.raises(InputError, match="cannot be opened"):
        check(tmp_path)
    with pytest.raises(InputError, match="cannot be opened"):
        check(tmp_path / "absent")
