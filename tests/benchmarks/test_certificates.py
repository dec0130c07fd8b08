"""How long it takes to certify d3-16x2 (4,353 cells) and d3-32x2 (46,886 cells), and to check the certificates.

Run with ``pytest -m benchmark -n 0 tests/benchmarks/test_certificates.py``.  On one core of an x86-64 server: d3-16x2
is proved in 5 s from patterns and witnesses (6 s from patterns alone), 4.6 MB; checked by the small checker in 2 s;
under 80 MB.
"""

from __future__ import annotations

import time

import pytest

import exactregions as er
from exactregions.certificates import prove
from exactregions.recheck import check as recheck
from proofs_checks.checker import check
from tests.oracles.ladder import build

pytestmark = pytest.mark.benchmark
LIMIT = 60.0  # seconds


@pytest.fixture(scope="module")
def cells():
    *hidden, output = build("d3-16x2")
    return er.enumerate_regions(er.Network(hidden, output=output))


@pytest.fixture(scope="module")
def certificate(cells, tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmark") / "certificate.jsonl"
    assert prove(cells.network, None, cells.patterns(), certificate=path).holds
    return path


@pytest.mark.parametrize("hints", [True, False])
def test_prove(benchmark, cells, tmp_path, hints):
    patterns, witnesses = cells.patterns(), [cell.witness for cell in cells] if hints else None

    def run():
        return prove(cells.network, None, patterns, witnesses=witnesses, certificate=tmp_path / "certificate.jsonl")

    proof = benchmark.pedantic(run, rounds=1)
    assert proof.n_cells == 4353
    assert benchmark.stats["max"] < LIMIT


def test_check(benchmark, certificate):
    def run():
        with certificate.open("rb") as stream:
            return check(stream)

    _, claim = benchmark.pedantic(run, rounds=1)
    assert claim["n_cells"] == 4353
    assert benchmark.stats["max"] < LIMIT


def test_d3_32x2_is_certified_while_it_is_counted(benchmark, tmp_path):
    """Ten times the count, a fraction of a second, and 20 s for the proof: rational arithmetic, and writing."""
    network, path = er.Network(build("d3-32x2")[:-1]), tmp_path / "certificate.jsonl"
    er.count_cells(network, engine="split")  # loads the kernels
    began = time.perf_counter()
    counted = er.count_cells(network, engine="split")
    seconds = time.perf_counter() - began

    proved = benchmark.pedantic(lambda: er.count_cells(network, engine="split", certify=path), rounds=1)
    began = time.perf_counter()
    verdict = recheck(path)
    benchmark.extra_info |= {
        "count": seconds,
        "check": time.perf_counter() - began,
        "megabytes": path.stat().st_size / 1e6,
    }
    assert verdict.accepted
    assert verdict.n_cells == counted.n_cells == proved.n_cells == 46_886
    assert benchmark.stats["max"] < 10 * seconds + 20
