"""Exact answers made elsewhere, frozen here: see README.md in this folder."""

from __future__ import annotations

import json
from pathlib import Path

from exactregions.domains import domain_from_json

__all__ = [
    "ARRANGEMENTS",
    "BOUNDS",
    "LADDER_BOX_COUNTS",
    "LADDER_COUNTS",
    "NETWORKS",
    "SEED001",
    "VERDICTS",
    "domain_of",
]


def _read(name):
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


NETWORKS = _read("networks.json")
ARRANGEMENTS = _read("arrangements.json")
BOUNDS = _read("bounds.json")
VERDICTS = _read("verdicts.json")
SEED001 = _read("seed001.json")
LADDER_COUNTS = _read("ladder_counts.json")
LADDER_BOX_COUNTS = _read("ladder_box_counts.json")


def domain_of(entry):
    """Return the domain of an entry of networks.json."""
    return domain_from_json(entry["domain"])
