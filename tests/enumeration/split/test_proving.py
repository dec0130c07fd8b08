"""The exact rung's certificates are accepted by both checkers, for every network, and say what the engines say."""

from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.certificates.writer import CertificateWriter
from exactregions.enumeration.split import certifying, proving
from exactregions.enumeration.split.certifying import stream_proof
from exactregions.enumeration.split.cones import Cone
from exactregions.enumeration.split.homogeneous import homogeneous_problem
from exactregions.enumeration.split.multipliers import Cut, Support
from exactregions.enumeration.split.proving import prove_cells
from exactregions.errors import EmptyDomainError, UndecidedError
from exactregions.network.formats import from_json
from exactregions.patterns import PatternCodec
from exactregions.recheck import check as recheck
from proofs_checks.checker import check
from tests.oracles import ARRANGEMENTS, LADDER_COUNTS, NETWORKS
from tests.oracles.ladder import build
from tests.strategies import domains, networks

DRAWN = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SMALL_ARRANGEMENTS = [entry for entry in ARRANGEMENTS if entry["regions"] <= 500]


def proved(network, domain, path):
    """Prove by searching; let both checkers read the certificate; return the sorted patterns and the claim."""
    with CertificateWriter(path, network, domain) as writer:
        leaves = list(prove_cells(homogeneous_problem(network, domain), writer))
        writer.finish(len(leaves), sum(leaf.strict for leaf in leaves), complete=True)
    data = path.read_bytes()
    problem, claim = check(io.BytesIO(data))
    verdict = recheck(io.BytesIO(data))
    assert verdict.accepted, verdict
    assert problem.fingerprint == verdict.fingerprint == network.fingerprint
    assert (verdict.n_cells, verdict.n_strict, verdict.complete) == (claim["n_cells"], claim["n_strict"], True)
    for leaf in leaves:
        assert domain.contains(leaf.witness)
        assert network.pattern_at(domain.lift(leaf.witness)) == leaf.pattern
    return sorted(leaf.pattern for leaf in leaves), claim


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_oracle_networks(entry, tmp_path):
    network, domain = from_json(entry)
    patterns, claim = proved(network, domain, tmp_path / "proof.jsonl")
    assert claim == {"n_cells": entry["n_cells"], "n_strict": entry["n_strict"], "complete": True}
    codec = PatternCodec.of(network)
    assert patterns == sorted(codec.parse(text) for text in entry["patterns"])


@pytest.mark.parametrize("entry", SMALL_ARRANGEMENTS, ids=lambda entry: entry["name"])
def test_oracle_arrangements_with_their_many_non_simple_vertices(entry, tmp_path):
    network = er.Network([([row[:-1] for row in entry["rows"]], [row[-1] for row in entry["rows"]])])
    _, claim = proved(network, er.WholeSpace(network.input_dim), tmp_path / "proof.jsonl")
    assert claim["n_cells"] == entry["regions"]


@DRAWN
@given(data=st.data())
def test_drawn_networks_on_drawn_domains(data, tmp_path):
    network = data.draw(networks())
    domain = data.draw(domains(network.input_dim))
    try:
        listed = er.enumerate_regions(network, domain, engine="brute")
    except EmptyDomainError:
        with pytest.raises(EmptyDomainError):
            proved(network, domain, tmp_path / "proof.jsonl")
        return
    patterns, claim = proved(network, domain, tmp_path / "proof.jsonl")
    assert patterns == sorted(listed.patterns())
    assert claim["n_strict"] == listed.n_strict


@pytest.mark.parametrize("name", ["d2-16x2", "d3-8x2", "zb-d3-16x2"])
def test_ladder(name, tmp_path):
    network = er.Network(build(name)[:-1])
    path = tmp_path / "proof.jsonl.gz"
    counted = er.count_cells(network, engine="split", certify=path)
    assert counted.n_cells == LADDER_COUNTS[name]["n_cells"]
    verdict = recheck(path)
    assert verdict.accepted
    assert verdict.n_cells == counted.n_cells
    assert not list(tmp_path.glob(".*"))


def test_several_breakpoints_and_constant_neurons_in_one_tree(tmp_path):
    stairs = er.PiecewiseLinear([-1, 0, "1/2", 2], [0, 1, "1/3", -1, 2], (-1, 0))
    layers = [([[1, 0], [0, 0], [1, 1], [2, 0]], [0, "1/2", "-1/2", 0]), ([[1, -1, 0, 1], [0, 0, 0, 0]], [0, 2])]
    network = er.Network(layers, activation=[[stairs, er.HARD_TANH, er.ABS, stairs], stairs])
    patterns, _ = proved(network, er.WholeSpace(2), tmp_path / "proof.jsonl")
    assert patterns == sorted(er.enumerate_regions(network, engine="walk").patterns())


def test_no_hidden_neuron(tmp_path):
    network = er.Network([], output=([[1, 2]], [0]), input_dim=2)
    assert proved(network, er.Box([0, 0], [1, 1]), tmp_path / "proof.jsonl")[0] == [()]


def test_the_engine_streams_and_the_list_is_what_is_proved(tmp_path, monkeypatch):
    network = er.Network(build("d3-8x2")[:-1])
    monkeypatch.setattr("exactregions.certificates.recording.prove", None)  # not called
    found = er.enumerate_regions(network, engine="split", certify=tmp_path / "proof.jsonl")
    verdict = recheck(tmp_path / "proof.jsonl")
    assert (verdict.accepted, verdict.n_cells) == (True, found.n_cells)


@pytest.mark.parametrize("fault", ["missing", "another", "count", "strict"])
def test_no_result_if_kernel_and_proof_disagree(fault, tmp_path):
    network, domain = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])]), er.WholeSpace(2)
    found = er.enumerate_regions(network, domain)
    table, n_cells, n_strict = found.packed, found.n_cells, found.n_strict
    if fault == "missing":
        table = table[:-1]
    elif fault == "another":
        table = table.copy()
        table[-1] ^= 0b00100000
    elif fault == "count":
        n_cells += 1
    else:
        n_strict -= 1
    path = tmp_path / "proof.jsonl"
    with pytest.raises(UndecidedError, match="disagree"):
        stream_proof(network, domain, path, n_cells=n_cells, n_strict=n_strict, patterns=table)
    assert not list(tmp_path.iterdir())
    stream_proof(network, domain, path, n_cells=found.n_cells, n_strict=found.n_strict, patterns=found.packed)
    assert recheck(path).accepted


def test_a_wrong_multiplier_is_rejected_by_the_checkers(tmp_path, monkeypatch):
    right = Support.refute

    def wrong(self, row, values):
        found = right(self, row, values)
        return {name: value + (place == 0) for place, (name, value) in enumerate(found.items())}

    monkeypatch.setattr(proving.Support, "refute", wrong)
    network, domain = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])]), er.WholeSpace(2)
    path = tmp_path / "proof.jsonl"
    stream_proof(network, domain, path, n_cells=7, n_strict=7)
    assert recheck(path).reason == "not-farkas"


def test_a_row_that_can_hold_has_no_multipliers():
    right = Cone.whole(2).split(1)[0].split(0)[0]  # x >= 0
    support = Support(right, [Cut("", (0, 1), 1), Cut("L0", (1, 0), 1)], is_cone=False)
    with pytest.raises(UndecidedError, match="no multipliers"):
        support.refute(Cut("U1", (1, -1), 1), [unit - x for x, unit in right.rays])  # x - 1 > 0 holds at 2


def test_beyond_five_dimensions_the_list_is_proved(tmp_path):
    network = er.Network([([[int(i == j) for j in range(6)] for i in range(6)], [1] * 6)])
    assert not certifying.proves_while_searching(network, er.WholeSpace(6))
    counted = er.count_cells(network, engine="split", certify=tmp_path / "proof.jsonl")
    assert counted.n_cells == 64
    assert recheck(tmp_path / "proof.jsonl").n_cells == 64
