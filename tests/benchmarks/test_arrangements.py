"""How long it takes to count the regions of arrangements without listing them.

Run with ``pytest -m benchmark -n 0 tests/benchmarks/test_arrangements.py``.  On one core of a shared x86-64 server:
resonance-6 0.4 s, E7 0.7 s, arr-d10-20 0.2 s, 30 random neurons of 8 inputs (8,656,937 regions) 1.4 s, 2,000 lines
(2,001,001) 1.1 s; resonance-7 (347,326,352) and E8 (696,729,600) about a minute each.  Compiled code is loaded before.
"""

from __future__ import annotations

import pytest

from exactregions.analysis import families
from exactregions.analysis.random_networks import random_network
from exactregions.arrangements import Arrangement
from exactregions.arrangements.residues import whitney_by_residues
from tests.oracles import ARRANGEMENTS

pytestmark = pytest.mark.benchmark
ORACLE = {entry["name"]: entry for entry in ARRANGEMENTS}


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    whitney_by_residues([(1, 0), (1, 1)], 1)


@pytest.mark.parametrize(("name", "limit"), [("resonance-6", 5), ("type-E7", 10), ("net:arr-d10-20", 30)])
def test_targets(benchmark, name, limit):
    entry = ORACLE[name]
    found = benchmark.pedantic(lambda: Arrangement.from_rows(entry["rows"]).n_regions, rounds=1)
    assert found == entry["regions"]
    assert benchmark.stats["max"] < limit


@pytest.mark.parametrize(("dim", "width", "regions"), [(8, 30, 8_656_937), (2, 2000, 2_001_001), (10, 24, 4_540_386)])
def test_random_layers(benchmark, dim, width, regions):
    arrangement = Arrangement.of_network(random_network(dim, (width,), rng=1))
    assert benchmark.pedantic(lambda: arrangement.n_regions, rounds=1) == regions


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("make", "regions"),
    [(lambda: families.resonance(7), 347_326_352), (lambda: families.exceptional("E8"), 696_729_600)],
    ids=["resonance-7", "E8"],
)
def test_hundreds_of_millions(benchmark, make, regions):
    arrangement = make()
    assert benchmark.pedantic(lambda: arrangement.n_regions, rounds=1) == regions
