"""Both checkers, written apart from one document, give the same verdict for the same reason."""

from __future__ import annotations

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
from tests.recheck.hand import CERTIFICATES, certificate, dump
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
    """Return the reason of the small checker; None if it accepts."""
    try:
        small_check(io.BytesIO(data))
    except Refused as refused:
        return refused.reason
    return None


def code(reason):
    return 0 if reason is None else 2 if reason.startswith(("bad-", "unknown-")) else 1


def data_of(lines):
    return lines if isinstance(lines, bytes) else dump(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_on_every_frozen_file(path):
    found = check(path)
    assert found.reason == small(path.read_bytes())
    assert found.code == ("accept", "reject", "malformed").index(path.parent.name)


def test_the_folders_are_not_empty():
    assert {path.parent.name for path in FILES} == {"accept", "reject", "malformed"}
    assert len(FILES) > 150


@pytest.mark.parametrize("name", CERTIFICATES)
def test_on_good_certificates(name):
    assert small(dump(certificate(name))) is None


@pytest.mark.parametrize("reason", BAD)
def test_on_bad_certificates(reason):
    for index, (lines, _) in enumerate(BAD[reason]):
        assert code(small(data_of(lines))) == code(reason), (reason, index)


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
        found, expected = check(io.BytesIO(data)), small(data)
        assert found.accepted == (expected is None), data
        # one may stop at a missing line where the other has seen that the one before it cannot be read
        assert found.code == code(expected) or {found.reason, expected} & {"bad-fields", "bad-rational"}, data
        reasons.add(expected)
    assert len(reasons) > 8


@pytest.mark.parametrize("seed", range(4))
def test_on_damaged_bytes(seed):
    rng = random.Random(seed)
    originals = [dump(certificate(name)) for name in CERTIFICATES]
    for _ in range(150):
        data = bytearray(rng.choice(originals))
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(2)] = bytes([rng.choice(b'0123456789-/[]{}",: \t\r\nNaIe\\\x00\xff')])
        if rng.random() < 0.2:
            data = bytearray(gzip.compress(bytes(data)))
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        data = bytes(data)
        assert check(io.BytesIO(data)).accepted == (small(data) is None), data
