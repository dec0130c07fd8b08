"""What a user gets without choosing: every ladder network and every arrangement, counted."""

from __future__ import annotations

import pytest

import exactregions as er
from exactregions.enumeration.split import split
from tests.enumeration.split.checks import arrangement
from tests.oracles import ARRANGEMENTS, LADDER_BOX_COUNTS, LADDER_COUNTS
from tests.oracles.ladder import build


def sized(key, count):
    return pytest.param(key, id=key if isinstance(key, str) else key["name"], marks=[pytest.mark.slow][count < 10**6 :])


@pytest.mark.parametrize("name", [sized(name, entry["n_cells"]) for name, entry in LADDER_COUNTS.items()])
def test_ladder(name):
    network = er.Network(build(name)[:-1])
    dim = network.input_dim
    found = split(network, er.WholeSpace(dim), mode="count")
    count = LADDER_COUNTS[name]["n_cells"]
    assert (found.n_cells, found.n_strict, found.status) == (count, count, "exact")
    if name in LADDER_BOX_COUNTS:
        found = split(network, er.Box([-1] * dim, [1] * dim), mode="count")
        assert found.n_cells == LADDER_BOX_COUNTS[name]


@pytest.mark.parametrize("entry", [sized(entry, entry["regions"]) for entry in ARRANGEMENTS])
def test_arrangements(entry):
    found = split(arrangement(entry), er.WholeSpace(entry["d"]), mode="count")
    assert (found.n_cells, found.n_strict, found.status) == (entry["regions"], entry["regions"], "exact")
