"""Subjects of the oracle networks, made once."""

from __future__ import annotations

from functools import cache

from exactregions.network.formats.json_text import from_json
from proofs_checks.lemmas import Subject
from tests.oracles import NETWORKS, domain_of

ENTRIES = {entry["name"]: entry for entry in NETWORKS}


@cache
def subject(name):
    return Subject(network(name), domain_of(ENTRIES[name]), samples=4)


def network(name):
    return from_json(ENTRIES[name])[0]
