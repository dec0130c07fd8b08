"""`prove` finds a proof for every true list, and exactly what is wrong with every other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.certificates import Proof, prove
from exactregions.certificates.branch import Branch, own_problem
from exactregions.errors import InputError
from exactregions.network.formats import from_json
from exactregions.patterns import PatternCodec
from proofs_checks.checker import check
from tests.certificates.common import dump, lines_of, reason_of
from tests.oracles import LADDER_COUNTS, NETWORKS
from tests.oracles.ladder import build
from tests.strategies import domains, networks

DRAWN = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def ids(entry):
    return entry["name"]


@pytest.mark.parametrize("entry", NETWORKS, ids=ids)
def test_oracle_lists_are_proved_and_the_certificate_is_accepted(entry, tmp_path):
    network, domain = from_json(entry)
    path = tmp_path / "certificate.jsonl.gz"
    proof = prove(network, domain, entry["patterns"], certificate=path)
    assert isinstance(proof, Proof)
    assert (proof.n_cells, proof.n_strict) == (entry["n_cells"], entry["n_strict"])
    with path.open("rb") as stream:
        problem, claim = check(stream)
    assert problem.fingerprint == network.fingerprint
    assert claim == {"n_cells": entry["n_cells"], "n_strict": entry["n_strict"], "complete": True}


@pytest.mark.parametrize("entry", NETWORKS, ids=ids)
def test_any_one_pattern_removed_is_reported_missing(entry):
    network, domain = from_json(entry)
    codec, patterns = PatternCodec.of(network), entry["patterns"]
    for position, pattern in enumerate(patterns):
        answer = prove(network, domain, [*patterns[:position], *patterns[position + 1 :]])
        assert not answer.holds
        assert answer.exhaustive
        assert len(answer) == 1
        (missing,) = answer.missing
        assert codec.format(missing.pattern) == pattern
        assert network.pattern_at(domain.lift(missing.witness)) == missing.pattern
        assert not any(network.breakpoints_at(domain.lift(missing.witness))) or not missing.strict


def check_spurious(network, domain, spurious):
    """Recompute the proof that a pattern has no cell, from the definitions."""
    own_network, own_domain = own_problem(network, domain)
    branch = Branch(own_network, own_domain)
    rows = {}
    for neuron, piece in enumerate(spurious.pattern):
        legal = branch.legal_piece(neuron)
        if legal is None:
            rows |= {row.name: row for row in branch.piece_rows(neuron, piece)}
        if neuron == spurious.constant_neuron:
            assert legal not in (None, piece)
            return
        branch.decide(neuron, piece)
    rows |= {row.name: row for row in branch.rows if row.name[0] == "d"}
    assert all(value > 0 for value in spurious.farkas.values())
    sums = [
        sum(value * rows[name].entries[k] / rows[name].factor for name, value in spurious.farkas.items())
        for k in range(own_domain.dim + 1)
    ]
    assert sums[:-1] == [0] * own_domain.dim
    assert sums[-1] <= 0


@pytest.mark.parametrize("entry", [e for e in NETWORKS if e.get("n_hidden", 9) <= 6], ids=ids)
def test_every_added_pattern_is_reported_spurious(entry):
    network, domain = from_json(entry)
    codec, patterns = PatternCodec.of(network), entry["patterns"]
    counts = [phi.n_pieces for phi in network.neurons]
    added = [codec.format(pattern) for pattern in np.ndindex(*counts)]
    added = [pattern for pattern in added if pattern not in patterns]
    for pattern in added:
        answer = prove(network, domain, [*patterns, pattern])
        assert [codec.format(spurious.pattern) for spurious in answer.spurious] == [pattern]
        assert len(answer) == 1
        assert answer.n_right == len(patterns)
        assert answer.spurious[0].position == len(patterns)
        check_spurious(network, domain, answer.spurious[0])
    if added:
        answer = prove(network, domain, [*added, *patterns], max_counterexamples=10_000)
        assert len(answer.spurious) == len(answer) == len(added)


@DRAWN
@given(st.data())
def test_removals_additions_and_repetitions_are_told_exactly(data):
    network = data.draw(networks())
    domain = data.draw(domains(network.input_dim))
    truth = er.enumerate_regions(network, domain).patterns()
    counts = [phi.n_pieces for phi in network.neurons]
    removed = set(data.draw(st.lists(st.sampled_from(truth), max_size=3)))
    random = data.draw(st.lists(st.tuples(*(st.integers(0, count - 1) for count in counts)), max_size=3))
    added = set(random) - set(truth)
    kept = [pattern for pattern in truth if pattern not in removed]
    repeated = data.draw(st.sampled_from(kept)) if kept and data.draw(st.booleans()) else None
    listed = data.draw(st.permutations([*kept, *added, *([repeated] if repeated else [])]))
    answer = prove(network, domain, listed, max_counterexamples=1000)
    if answer.holds:
        assert (removed, added, repeated) == (set(), set(), None)
        return
    assert {missing.pattern for missing in answer.missing} == removed
    assert {spurious.pattern for spurious in answer.spurious} == added
    assert [duplicate.pattern for duplicate in answer.duplicates] == ([repeated] if repeated else [])
    assert answer.exhaustive
    for spurious in answer.spurious:
        check_spurious(network, domain, spurious)


@DRAWN
@given(st.data())
def test_drawn_networks_are_certified(tmp_path, data):
    network = data.draw(networks())
    domain = data.draw(domains(network.input_dim))
    found = er.enumerate_regions(network, domain)
    path = tmp_path / "certificate.jsonl"
    hints = [cell.witness for cell in found] if data.draw(st.booleans()) else None
    assert prove(network, domain, found.patterns(), witnesses=hints, certificate=path).holds
    assert reason_of(path.read_bytes()) is None


def test_wrong_witnesses_are_only_bad_hints():
    network = er.Network([([[1, 0], [0, 1]], [0, 0])])
    patterns = ["00", "01", "10", "11"]
    assert prove(network, None, patterns, witnesses=[[5, 5], None, ["1", "-1"], [0]]).holds


def test_lower_bounds_leave_the_rest_open(tmp_path):
    network, domain = from_json(next(e for e in NETWORKS if e["name"] == "lines_4_4_integer"))
    patterns = er.enumerate_regions(network, domain).patterns()[::3]
    path = tmp_path / "certificate.jsonl"
    proof = prove(network, domain, patterns, certificate=path, complete=False)
    assert (proof.holds, proof.n_cells, proof.complete) == (True, len(patterns), False)
    lines = lines_of(path)
    assert reason_of(lines) is None
    lines[1]["complete"] = True
    assert reason_of(dump(lines)) == "open-in-complete"


@pytest.mark.parametrize("domain", [er.Polyhedron([[1], [-1]], [0, 0]), er.Polyhedron([[0]], [0])])
@pytest.mark.parametrize("layers", [[([[1]], [0])], []])
def test_an_empty_list_claims_an_empty_domain(tmp_path, domain, layers):
    network = er.Network(layers, output=([[1]], [0]))
    path = tmp_path / "certificate.jsonl"
    assert prove(network, domain, [], certificate=path).n_cells == 0
    assert reason_of(path.read_bytes()) is None
    answer = prove(network, None, [])
    assert len(answer.missing) == 2 ** len(layers)


def test_a_network_without_hidden_neurons_has_one_cell(tmp_path):
    network = er.Network([], output=([[1, 2]], [0]))
    path = tmp_path / "certificate.jsonl"
    assert prove(network, None, [""], certificate=path).n_cells == 1
    assert reason_of(path.read_bytes()) is None
    assert prove(network, None, [(), ()]).duplicates[0].positions == (0, 1)


def test_entries_that_are_no_patterns_are_named():
    network = er.Network([([[1], [1]], [0, 1])])
    answer = prove(network, None, ["00", "11", "01", "1", "12", (0, 1, 0), (0, 0.5), 7, "0|1"])
    assert [entry.position for entry in answer.malformed] == [3, 4, 5, 6, 7, 8]
    assert not answer.missing
    table = np.array([[0, 0], [0, 1], [1, 1]])
    assert prove(network, None, table).holds
    assert prove(network, None, table.astype(bool)).holds
    assert [entry.position for entry in prove(network, None, table + 1).malformed] == [1, 2]


def test_the_limit_is_kept_and_told():
    network = er.Network([(np.eye(6, dtype=int).tolist(), [0] * 6)])
    answer = prove(network, None, [], max_counterexamples=5)
    assert (len(answer.missing), answer.exhaustive) == (5, False)
    assert prove(network, None, [], max_counterexamples=64).exhaustive
    assert len(prove(network, None, ["2" * 6] * 9, max_counterexamples=5).malformed) == 5


def test_no_certificate_is_left_behind_when_the_list_is_wrong(tmp_path):
    network = er.Network([([[1]], [0])])
    path = tmp_path / "certificate.jsonl"
    assert not prove(network, None, ["0"], certificate=path).holds
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        {"domain": er.WholeSpace(2)},
        {"witnesses": [[0]]},
        {"max_counterexamples": 0},
        {"patterns": [], "complete": False},
    ],
)
def test_bad_input_is_refused(arguments):
    network = er.Network([([[1]], [0])])
    given = {"domain": None, "patterns": ["0", "1"], **arguments}
    with pytest.raises(InputError):
        prove(network, **given)


def test_deep_networks_have_long_numbers(tmp_path):
    rng = np.random.default_rng(1)
    layers = [(rng.normal(size=(3, 2)), rng.normal(size=3))]
    layers += [(rng.normal(size=(3, 3)), rng.normal(size=3)) for _ in range(12)]
    network = er.Network(layers)
    found = er.enumerate_regions(network)
    path = tmp_path / "certificate.jsonl"
    assert prove(network, None, found.patterns(), certificate=path).holds
    assert reason_of(path.read_bytes()) is None


def ladder_network(name):
    *hidden, output = build(name)
    return er.Network(hidden, output=output)


LADDER = [name for name, entry in LADDER_COUNTS.items() if entry["n_cells"] <= 6023]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if LADDER_COUNTS[n]["n_cells"] > 800 else []) for n in LADDER]
)
def test_ladder_networks_are_certified(name, tmp_path):
    network = ladder_network(name)
    found = er.enumerate_regions(network)
    path = tmp_path / "certificate.jsonl.gz"
    hints = [cell.witness for cell in found]
    proof = prove(network, None, found.patterns(), witnesses=hints, certificate=path)
    assert (proof.n_cells, found.n_strict) == (LADDER_COUNTS[name]["n_cells"], proof.n_strict)
    with path.open("rb") as stream:
        assert check(stream)[1]["n_cells"] == proof.n_cells


def test_thin_slivers_are_neither_lost_nor_invented():
    width = Fraction(1, 2**60)
    network = er.Network([([[1, 0], [1, 0], [0, 1]], [0, -width, 0])])
    found = er.enumerate_regions(network)
    assert found.n_cells == 6
    assert prove(network, None, found.patterns()).holds
    assert len(prove(network, None, [p for p in found.patterns() if p[0] == p[1]]).missing) == 2
