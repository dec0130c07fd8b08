"""From `walk` to a certificate that both checkers accept, on every oracle network and on the ladder."""

from __future__ import annotations

import pytest

import exactregions as er
from exactregions.network.formats import from_json
from exactregions.recheck import check as recheck
from proofs_checks.checker import check
from tests.oracles import LADDER_COUNTS, NETWORKS
from tests.oracles.ladder import build


def certify_and_check(network, domain, path):
    found = er.enumerate_regions(network, domain, engine="walk", certify=path)
    with path.open("rb") as stream:
        problem, claim = check(stream)
    verdict = recheck(path)
    assert verdict.accepted
    assert problem.fingerprint == verdict.fingerprint == network.fingerprint
    assert claim == {"n_cells": found.n_cells, "n_strict": found.n_strict, "complete": True}
    assert (verdict.n_cells, verdict.n_strict, verdict.complete) == (found.n_cells, found.n_strict, True)
    return found


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_oracle_networks(entry, tmp_path):
    found = certify_and_check(*from_json(entry), tmp_path / "proof.jsonl.gz")
    assert (found.n_cells, found.n_strict) == (entry["n_cells"], entry["n_strict"])


SMALL = [name for name, entry in LADDER_COUNTS.items() if entry["n_cells"] <= 6000]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_ladder_networks_up_to_6000_cells(name, tmp_path):
    *hidden, output = build(name)
    network = er.Network(hidden, output=output)
    found = certify_and_check(network, er.WholeSpace(network.input_dim), tmp_path / "proof.jsonl")
    assert found.n_cells == LADDER_COUNTS[name]["n_cells"]
