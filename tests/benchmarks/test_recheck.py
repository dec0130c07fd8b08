"""How long the fast checker takes for the certificate of d3-16x2 (4,353 cells, 20,958 lines, 4.6 MB).

Run with ``pytest -m benchmark -n 0 tests/benchmarks/test_recheck.py``.  On one core of an x86-64 server: 0.7 s, where
the small checker takes 2 s.  For d5-8x3 (55,662 cells, 171,127 lines, 40 MB) it takes 5.6 s.  Memory stays under 50 MB.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import exactregions as er
from exactregions.recheck import check
from tests.oracles.ladder import build

pytestmark = pytest.mark.benchmark
LIMIT = 10.0  # seconds
MEMORY = 500 * 2**10  # kB, of a process that only checks
ALONE = """
import resource, sys
from exactregions.recheck import check
print(check(sys.argv[1]).n_cells, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    *hidden, output = build("d3-16x2")
    cells = er.enumerate_regions(er.Network(hidden, output=output))
    path = tmp_path_factory.mktemp("benchmark") / "certificate.jsonl"
    witnesses = [cell.witness for cell in cells]
    assert er.prove(cells.network, None, cells.patterns(), witnesses=witnesses, certificate=path).holds
    return path


def test_check(benchmark, certificate):
    verdict = benchmark.pedantic(check, (certificate,), rounds=1)
    assert verdict.n_cells == 4353
    assert benchmark.stats["max"] < LIMIT
    out = subprocess.run([sys.executable, "-c", ALONE, certificate], capture_output=True, text=True, check=True)
    n_cells, memory = map(int, out.stdout.split())
    assert n_cells == 4353
    assert memory < MEMORY
