"""Engines report through observers, and one of them writes the certificate."""

from __future__ import annotations

import gzip
from contextlib import suppress

import pytest

import exactregions as er
from exactregions.certificates import CertificateWriter, CertifyingObserver
from exactregions.certificates.writer import encode
from exactregions.errors import UndecidedError
from tests.certificates.common import reason_of

NETWORK = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])])


@pytest.mark.parametrize("engine", ["walk", "brute"])
@pytest.mark.parametrize("domain", [None, er.Box([-1, -1], [1, 1]), er.Slice([0, 1], [[1, 1]])])
def test_an_engine_certifies_while_it_runs(engine, domain, tmp_path):
    observer = CertifyingObserver(path=tmp_path / "certificate.gz")
    found = er.enumerate_regions(NETWORK, domain, engine=engine, observer=observer)
    assert observer.answer.n_cells == found.n_cells
    assert reason_of(observer.answer.certificate.read_bytes()) is None


def test_a_search_that_stopped_early_certifies_a_lower_bound(tmp_path):
    observer = CertifyingObserver(path=tmp_path / "certificate.jsonl")
    er.enumerate_regions(NETWORK, max_cells=3, observer=observer)
    assert not observer.answer.complete
    assert 0 < observer.answer.n_cells <= 3
    assert reason_of(observer.answer.certificate.read_bytes()) is None


def test_certificates_are_reproducible(tmp_path):
    texts = []
    for name in ("a.gz", "b.gz"):
        observer = CertifyingObserver(path=tmp_path / name)
        er.enumerate_regions(NETWORK, observer=observer)
        texts.append(gzip.decompress((tmp_path / name).read_bytes()))
    assert texts[0] == texts[1]


def test_a_writer_that_fails_leaves_an_old_certificate_alone(tmp_path):
    path = tmp_path / "certificate.jsonl"
    path.write_text("old")
    with suppress(RuntimeError), CertificateWriter(path, NETWORK, er.WholeSpace(2)) as writer:
        writer.node(0, ["child", "child"])
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_lines_beyond_the_limit_of_the_format_are_not_written():
    with pytest.raises(UndecidedError, match="too long"):
        encode({"witness": ["1" * 100]}, limit=100)
