"""Both checkers, written apart from one document, stop at the same line with the same verdict for the same reason.

Reasons may differ where one line has several faults of one class, and nothing but acceptance is compared where
compressed data are damaged: FORMAT.md leaves these to the checker.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from exactregions.recheck import check
from proofs_checks.checker import check as small_check
from proofs_checks.reading import Refused
from tests.recheck.hand import CERTIFICATES, certificate, dump, edited, problem
from tests.recheck.test_by_hand import BAD

FOLDER = Path(__file__).parents[1] / "certificates"
FILES = sorted(path for folder in ("accept", "reject", "malformed") for path in (FOLDER / folder).iterdir())
VALUES = [
    "child",
    "constant",
    "open",
    "0",
    "1",
    "-1",
    "1/2",
    "2/4",
    "R^1",
    None,
    True,
    0,
    1,
    -1,
    [],
    {},
    ["1"],
    {"d0": "1"},
]


def small(data):
    """Return the reason of the small checker and its line; None, 0 if it accepts."""
    try:
        small_check(io.BytesIO(data))
    except Refused as refused:
        return refused.reason, refused.line
    return None, 0


def fast(data):
    """Return the same of the fast one."""
    found = check(io.BytesIO(data))
    assert found.code == code(found.reason)
    return found.reason, 0 if found.accepted else found.line


def code(reason):
    return 0 if reason is None else 2 if reason.startswith(("bad-", "unknown-")) else 1


def class_of(answer):
    """Return the exit code and the line, which one fault or several must lead to."""
    reason, line = answer
    return code(reason), line


def data_of(lines):
    return lines if isinstance(lines, bytes) else dump(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_on_every_frozen_file(path):
    found, expected = fast(path.read_bytes()), small(path.read_bytes())
    assert found[0] == expected[0]
    assert found == expected or found[0] == "bad-gzip"
    assert code(found[0]) == ("accept", "reject", "malformed").index(path.parent.name)


def test_the_folders_are_not_empty():
    assert {path.parent.name for path in FILES} == {"accept", "reject", "malformed"}
    assert len(FILES) > 250


@pytest.mark.parametrize("name", CERTIFICATES)
def test_on_good_certificates(name):
    assert small(dump(certificate(name))) == (None, 0)


@pytest.mark.parametrize("reason", BAD)
def test_on_bad_certificates(reason):
    for index, (lines, line) in enumerate(BAD[reason]):
        found = small(data_of(lines))
        assert found == (reason, line) or found[0] == reason == "bad-gzip", (reason, index)


def places(value, path=()):
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def replacement(rng, value):
    if isinstance(value, int) and rng.random() < 0.7:
        return value + rng.choice([-1, 1])
    if isinstance(value, str) and rng.random() < 0.7 and value[-1:].isdigit() and value[0] not in "dLUR":
        number = Fraction(value)
        return str(rng.choice([-number, number + 1, number - 1, 2 * number, number + Fraction(1, 10**30)]))
    return rng.choice(VALUES)


def damaged(rng, lines):
    """Return lines with one change: of a value, of the order of values, or of lines."""
    lines = json.loads(json.dumps(lines))
    kind, at = rng.random(), rng.randrange(1, len(lines))
    if kind < 0.1:
        lines.insert(rng.randrange(1, len(lines)), lines[at])
    elif kind < 0.2:
        other = rng.randrange(1, len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif found := list(places(lines[at])):
        *path, key = rng.choice(found)
        holder = lines[at]
        for step in path:
            holder = holder[step]
        if kind < 0.3:
            del holder[key]
        elif kind < 0.4 and isinstance(holder, list):
            rng.shuffle(holder)
        else:
            holder[key] = replacement(rng, holder[key])
    return lines


@pytest.mark.parametrize("seed", range(8))
def test_on_random_changes(seed):
    rng = random.Random(seed)
    originals = [certificate(name) for name in CERTIFICATES]
    texts = [path.read_text() for path in sorted((FOLDER / "accept").glob("*.jsonl"))]
    originals += [[json.loads(line) for line in text.splitlines()] for text in texts]
    reasons = set()
    for _ in range(150):
        data = dump(damaged(rng, rng.choice(originals)))
        found, expected = fast(data), small(data)
        assert class_of(found) == class_of(expected), data
        reasons.add(expected[0])
    assert len(reasons) > 8


TYPES = [None, True, 0, 1, -1, "x", "0", [], {}, ["1"], [["1"]], {"d0": "1"}]
GONE, LONGER = object(), object()


def with_other_value(lines, number, place, value):
    """Return lines with one value replaced, left out, or made longer by one field or entry; None if it cannot be."""
    lines = copy.deepcopy(lines)
    holder, key = lines, number
    for step in place:
        holder, key = holder[key], step
    if value is GONE:
        del holder[key]
    elif value is not LONGER:
        holder[key] = value
    elif isinstance(holder[key], dict):
        holder[key]["other"] = "1"
    elif isinstance(holder[key], list) and holder[key]:
        holder[key].append(holder[key][0])
    else:
        return None
    return lines


@pytest.mark.parametrize("name", CERTIFICATES)
def test_on_values_of_any_json_type_in_any_place(name):
    original = CERTIFICATES[name]
    for number, line in enumerate(original):
        for place in [(), *places(line)]:
            for value in [GONE, LONGER, *TYPES]:
                lines = with_other_value(original, number, place, value)
                if lines is not None:
                    data = dump(lines)
                    assert fast(data) == small(data), data


@pytest.mark.parametrize("name", CERTIFICATES)
def test_on_files_that_are_cut_or_go_on(name):
    lines = dump(certificate(name)).splitlines(keepends=True)
    for end in range(len(lines) + 1):
        for rest in (b"", b"\n", b"{", b"{}\n", b"[]\n", b"\xff", b"\x1f\x8b", lines[end - 1], lines[-1][:-1]):
            data = b"".join(lines[:end]) + rest
            assert class_of(fast(data)) == class_of(small(data)), data


SHORT = {  # line 2 that can be read but is wrong, and one that cannot be read
    "infeasible": ({"pattern": [0, 9]}, {"pattern": [0, "0"]}),
    "point": ({"pattern": [9, 0], "strict": True}, {"pattern": [9, -1], "strict": True}),
    "facet": ({"patterns": [[9, 9], [1, 0]]}, {"patterns": [[9, 9], [None]]}),
    "merge": ({"patterns": [[9], [1, 1]]}, {"patterns": [[9], "11"]}),
}
NO_FACT = {"infeasible": {"excluded": {}}}  # line 3 that can be read but is wrong; of other kinds:
NO_POINT = {"witness": ["1", "2", "3"]}


@pytest.mark.parametrize("name", SHORT)
def test_line_2_of_short_kinds_is_read_before_line_3_and_judged_after(name):
    head, claim, proof = certificate(name)
    wrong, unreadable = SHORT[name]
    for second in (claim, wrong, unreadable):
        for third in (proof, NO_FACT.get(name, NO_POINT), {}, None, "cut"):
            data = dump([head, second, *([third] if isinstance(third, dict) else [])])
            data += b"{" if third == "cut" else b""
            if second is unreadable:
                expected = (2, 2)
            elif third is None:
                expected = (1, 3)
            elif third in ({}, "cut"):
                expected = (2, 3)
            else:
                expected = (0, 0) if second is claim and third is proof else (1, 3)
            assert class_of(small(data)) == class_of(fast(data)) == expected, data


def wide(n_inputs, n_directions):
    """Return a certificate without neurons, on a slice through many inputs."""
    domain = {"origin": ["0"] * n_inputs, "directions": [["0"] * n_inputs] * n_directions}
    output = [[["0"] * n_inputs], ["0"]]
    claim = {"n_cells": 1, "n_strict": 1, "complete": True}
    head = problem("regions", [], domain, output=output, n_inputs=n_inputs)
    return dump([head, claim, {"witness": ["0"] * n_directions}])


def long_line(n_bytes):
    lines = dump(certificate("chain")).splitlines(keepends=True)
    return b"".join([*lines[:-1], lines[-1][:-1].ljust(n_bytes - 1) + b"\n"])


LIMITS = {
    "inputs": (lambda beyond: wide(1024 + beyond, 1), 1),
    "directions": (lambda beyond: wide(1, 1024 + beyond), 1),
    "digits": (lambda beyond: dump(edited("chain", 8, witness=["9" * (100_000 + beyond)])), 8),
    "digits below": (lambda beyond: dump(edited("chain", 7, witness=["1/" + "9" * (100_000 + beyond)])), 7),
    "bytes": (lambda beyond: long_line(2**23 + beyond), 8),
}


@pytest.mark.parametrize("name", LIMITS)
def test_on_the_limits_that_are_the_same_for_both(name):
    make, line = LIMITS[name]
    for beyond, expected in ((0, (None, 0)), (1, ("bad-size", line))):
        assert fast(make(beyond)) == small(make(beyond)) == expected


@pytest.mark.parametrize("seed", range(4))
def test_on_damaged_bytes(seed):
    rng = random.Random(seed)
    originals = [dump(certificate(name)) for name in CERTIFICATES]
    for _ in range(150):
        data = bytearray(rng.choice(originals))
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(2)] = bytes([rng.choice(b'0123456789-/[]{}",: \t\r\nNaIe\\\x00\xff')])
        if packed := rng.random() < 0.2:
            data = bytearray(gzip.compress(bytes(data)))
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        found, expected = fast(bytes(data)), small(bytes(data))
        assert (found[0] is None) == (expected[0] is None), bytes(data)
        assert packed or class_of(found) == class_of(expected), bytes(data)
