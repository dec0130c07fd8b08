"""The result object: counts, cells, lookup, graph, files, display."""

from __future__ import annotations

import json
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.lp import Irredundant, StrictSystem, redundancy
from exactregions.lp.facets import find_facets
from exactregions.network.formats import from_json
from exactregions.rational import IntMatrix
from exactregions.regions import WitnessTable
from tests.oracles import NETWORKS
from tests.strategies import domains, networks

CROSS = er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[1, 1]], [0]))


def test_cells_are_found_by_index_iteration_and_point():
    found = er.enumerate_regions(CROSS)
    assert [cell.text for cell in found] == ["00", "01", "10", "11"]
    assert found[-1].text == "11"
    assert found.cell_at([2, -1]).index == 2
    with pytest.raises(IndexError, match="no cell 4"):
        found[4]


def test_a_point_on_a_wall_or_outside_has_no_cell_and_the_error_says_why():
    found = er.enumerate_regions(CROSS, er.Box([-1, -1], [1, 1]))
    with pytest.raises(er.InputError, match="on a wall: neurons 0 are at a breakpoint"):
        found.cell_at([0, "1/2"])
    with pytest.raises(er.InputError, match="not inside the domain"):
        found.cell_at([2, 2])


def test_the_graph_has_plain_attributes_and_names_the_neurons_that_change():
    graph = er.enumerate_regions(CROSS).graph()
    assert nx.is_isomorphic(graph, nx.cycle_graph(4))
    assert graph.nodes[0] == {"pattern": "00", "strict": True}
    assert graph.edges[0, 1] == {"neurons": [1]}
    assert json.loads(json.dumps(nx.node_link_data(graph, edges="edges")))


def test_a_cell_knows_its_irredundant_inequalities_and_map():
    found = er.enumerate_regions(CROSS, er.Box([-3, -3], [1, 1]))
    cell = found.cell_at(["1/2", "1/2"])
    assert [str(row) for row in cell.irredundant] == ["+1 x1 +0 > 0", "+1 x2 +0 > 0", "-1 x1 +1 > 0", "-1 x2 +1 > 0"]
    assert [row.neurons for row in cell.irredundant] == [(0,), (1,), (), ()]
    assert (cell.affine_map.weights, cell.affine_map.bias) == (((1, 1),), (0,))
    assert cell.is_bounded
    assert cell.neighbours == (found.cell_at([-1, "1/2"]).index, found.cell_at(["1/2", -1]).index)


def test_unbounded_cells_are_told_from_bounded_ones():
    triangle = er.Network([([[1, 0], [0, 1], [-1, -1]], [0, 0, 1])])
    found = er.enumerate_regions(triangle)
    assert [cell.text for cell in found if cell.is_bounded] == ["111"]


def test_degenerate_neurons_are_named():
    found = er.enumerate_regions(er.Network([([[1]], [0]), ([[1]], [0])]))
    assert [(cell.text, cell.degenerate) for cell in found] == [("0|0", (1,)), ("1|1", ())]
    assert (found.n_cells, found.n_strict) == (2, 1)


@pytest.mark.parametrize("entry", NETWORKS[::5], ids=lambda entry: entry["name"])
def test_save_and_load_lose_nothing(entry, tmp_path):
    network, domain = from_json(entry)
    found = er.enumerate_regions(network, domain)
    found.save(tmp_path / "cells.npz")
    back = er.RegionComplex.load(tmp_path / "cells.npz")
    assert back.summary() == found.summary()
    assert back.patterns() == found.patterns()
    assert list(back.witnesses) == list(found.witnesses)
    assert back.facets.tolist() == found.facets.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["cells.npz"]


def test_witnesses_beyond_float64_survive_a_file(tmp_path):
    width = Fraction(1, 10**40)
    found = er.enumerate_regions(er.Network([([[1], [1]], [-1, -1 - width])]))
    assert len(found.witnesses.exact) == 1
    found.save(tmp_path / "cells.npz")
    back = er.RegionComplex.load(tmp_path / "cells.npz")
    assert 1 < back[back.index_of((1, 0))].witness[0] < 1 + width


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04broken", b"\x80\x04."])
def test_files_that_are_no_complex_are_refused(tmp_path, content):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(er.InputError, match=r"x\.npz"):
        er.RegionComplex.load(path)


def test_an_archive_whose_parts_contradict_each_other_is_refused(tmp_path):
    found = er.enumerate_regions(CROSS)
    found.save(tmp_path / "good.npz")
    arrays = dict(np.load(tmp_path / "good.npz"))
    header = json.loads(arrays["header"].tobytes())
    spoiled = {
        "shorter": {"witnesses": arrays["witnesses"][:-1]},
        "twice": {"patterns": arrays["patterns"][[0, 0, 1, 2]]},
        "facets": {"facets": np.array([[0, 9]])},
        "network": {"header": _bytes({**header, "fingerprint": "0" * 64})},
        "version": {"header": _bytes({**header, "version": 99})},
        "domain": {"header": _bytes({**header, "domain": "R^3"})},
    }
    for name, change in spoiled.items():
        np.savez(tmp_path / f"{name}.npz", **{**arrays, **change})
        with pytest.raises(er.InputError, match=name):
            er.RegionComplex.load(tmp_path / f"{name}.npz")


def _bytes(header):
    return np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)


def test_display_says_what_the_result_is():
    found = er.enumerate_regions(CROSS)
    assert repr(found) == "<RegionComplex: 4 cells (4 strict) of <Network 2-2-1 relu> on R^2>"
    html = found._repr_html_()
    assert "<code>01</code>" in html
    assert "exact" in html
    assert repr(er.enumerate_regions(CROSS, max_cells=2)).startswith("<RegionComplex: at least 2 cells")


def test_witness_table_keeps_points_that_are_not_floats():
    table = WitnessTable.from_points([(Fraction(1, 2),), (Fraction(1, 3),)], 1)
    assert list(table) == [(Fraction(1, 2),), (Fraction(1, 3),)]
    assert list(table.permuted(np.array([1, 0]))) == [(Fraction(1, 3),), (Fraction(1, 2),)]


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_facets_are_the_irredundant_rows_by_linear_programming(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    cell = found[data.draw(st.integers(0, len(found) - 1))]
    rows = cell.inequalities.matrix
    facets = find_facets(rows, cell.witness)
    system = StrictSystem(rows)
    by_lp = [k for k in range(rows.nrows()) if isinstance(redundancy(system, k), Irredundant)]
    assert [facet.row for facet in facets] == by_lp
    for facet in facets:
        signs = system.evaluate(facet.point)
        assert signs[facet.row] == 0
        assert all(value > 0 for k, value in enumerate(signs) if k != facet.row)


def test_facet_finding_refuses_a_witness_that_is_not_inside():
    with pytest.raises(er.UndecidedError, match="not strictly inside"):
        find_facets(IntMatrix([[1, 0], [-1, 1]]), (Fraction(1),))


def test_facets_are_found_where_floats_overflow():
    big = 10**400
    rows = IntMatrix([[big, 0, 0], [0, big, 0], [-1, 0, 1], [0, -1, 1], [-big, -big, 3 * big]])
    assert [facet.row for facet in find_facets(rows, (Fraction(1, big), Fraction(1, 2)))] == [0, 1, 2, 3]
