"""How long it takes to certify d3-16x2 (4,353 cells) and to check the certificate.

Run with ``pytest -m benchmark -n 0 tests/benchmarks/test_certificates.py``.  On one core of an x86-64 server: made in
5 s from patterns and witnesses (6 s from patterns alone), 4.6 MB; checked by the small checker in 2 s; under 80 MB.
"""

from __future__ import annotations

import pytest

import exactregions as er
from exactregions.certificates import prove
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
