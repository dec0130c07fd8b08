"""Helpers of the tests of certificates."""

from __future__ import annotations

import io
import json
from functools import cache

from exactregions.certificates import prove
from exactregions.network.formats import from_json
from proofs_checks.checker import check
from proofs_checks.reading import Refused
from tests.oracles import NETWORKS

__all__ = ["certificate_of", "dump", "lines_of", "reason_of"]

ENTRIES = {entry["name"]: entry for entry in NETWORKS}


def dump(lines):
    """Return the bytes of a certificate."""
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def reason_of(lines):
    """Return the reason for which the trusted checker refuses a certificate; None if it accepts."""
    try:
        check(io.BytesIO(lines if isinstance(lines, bytes) else dump(lines)))
    except Refused as refused:
        return refused.reason
    return None


def lines_of(path):
    """Return the lines of a plain certificate."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@cache
def _text_of(name, folder):
    network, domain = from_json(ENTRIES[name])
    path = folder / f"{name}.jsonl"
    assert prove(network, domain, ENTRIES[name]["patterns"], certificate=path).holds
    return path.read_text()


def certificate_of(name, folder):
    """Return a fresh copy of the lines that `prove` writes for an oracle network."""
    return [json.loads(line) for line in _text_of(name, folder).splitlines()]
