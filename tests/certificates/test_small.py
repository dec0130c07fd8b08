"""Certificates about one pattern, one point, and two cells."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.certificates import CellProof, certify_point, decide_facet, decide_merge, decide_pattern
from exactregions.errors import InputError
from exactregions.network.formats import from_json
from tests.certificates.common import reason_of
from tests.oracles import NETWORKS
from tests.strategies import domains, networks


def all_patterns(network):
    return product(*(range(phi.n_pieces) for phi in network.neurons))


@pytest.mark.parametrize("entry", [e for e in NETWORKS if e.get("n_hidden", 9) <= 5], ids=lambda entry: entry["name"])
def test_every_pattern_is_decided_with_proof(entry, tmp_path):
    network, domain = from_json(entry)
    found = er.enumerate_regions(network, domain)
    path = tmp_path / "certificate.jsonl"
    for pattern in all_patterns(network):
        answer = decide_pattern(network, domain, pattern, certificate=path)
        assert isinstance(answer, CellProof) == (found.index_of(pattern) is not None)
        if isinstance(answer, CellProof):
            assert answer.strict == found[found.index_of(pattern)].is_strict
        assert reason_of(path.read_bytes()) is None


@pytest.mark.parametrize("entry", [e for e in NETWORKS if e["n_cells"] <= 17], ids=lambda entry: entry["name"])
def test_facets_are_those_of_the_adjacency_graph(entry, tmp_path):
    network, domain = from_json(entry)
    found = er.enumerate_regions(network, domain)
    path = tmp_path / "certificate.jsonl"
    facets = {tuple(sorted(map(int, pair))) for pair in found.facets}
    for pair in combinations(range(found.n_cells), 2):
        proof = decide_facet(network, domain, *map(found.pattern, pair), certificate=path)
        assert (proof is not None) == (pair in facets)
        if proof is None:
            assert not path.exists()
            continue
        assert reason_of(path.read_bytes()) is None
        path.unlink()
        maps = [found[k].affine_map.matrix.to_fractions() for k in pair]
        assert proof.merges == (maps[0] == maps[1])
        merged = decide_merge(network, domain, *map(found.pattern, pair), certificate=path)
        assert (merged is not None) == proof.merges == path.exists()
        if merged is not None:
            assert reason_of(path.read_bytes()) is None
            path.unlink()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_drawn_networks(tmp_path, data):
    network = data.draw(networks(max_neurons=5))
    domain = data.draw(domains(network.input_dim))
    found = er.enumerate_regions(network, domain)
    path = tmp_path / "certificate.jsonl"
    for first, second in found.facets[:3]:
        assert decide_facet(network, domain, found.pattern(first), found.pattern(second), certificate=path)
        assert reason_of(path.read_bytes()) is None
    cell = found[data.draw(st.integers(0, found.n_cells - 1))]
    assert certify_point(network, domain, cell.witness, certificate=path).pattern == cell.pattern
    assert reason_of(path.read_bytes()) is None


def test_points_on_walls_are_refused():
    network = er.Network([([[1]], [0])])
    with pytest.raises(InputError, match="wall"):
        certify_point(network, None, [0])
    with pytest.raises(InputError, match="domain"):
        certify_point(network, er.Box([0], [1]), [2])
    assert not certify_point(er.Network([([[0]], [0])]), None, [0]).strict
