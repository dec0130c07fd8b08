"""Tables for polars and pandas: one row a cell or a facet, nothing rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest

import exactregions as er

NETWORK = er.Network([([[3, 0], [0, 1]], ["-1/7", 0])], output=([[1, "1/3"]], [0]))
IN_BOX = er.enumerate_regions(NETWORK, er.Box([-1, -1], [1, 1]))
EVERYWHERE = er.enumerate_regions(NETWORK)


def test_polars_has_one_row_a_cell_with_exact_volume_and_map():
    table = IN_BOX.to_polars()
    assert table["pattern"].to_list() == ["00", "01", "10", "11"]
    assert sum(map(Fraction, table["volume"].to_list())) == 4
    assert table["weights"].to_list()[3] == [["3", "1/3"]]
    assert table["bias"].to_list()[3] == ["-1/7"]
    assert table["degree"].to_list() == [2] * 4
    assert table["bounded"].all()
    assert EVERYWHERE.to_polars()["volume"].null_count() == 4


def test_facets_name_their_cells_their_neurons_and_a_point():
    table = IN_BOX.to_polars("facets")
    pairs = sorted(map(list, zip(table["first"].to_list(), table["second"].to_list(), strict=True)))
    assert pairs == IN_BOX.facets.tolist()
    for row in table.iter_rows(named=True):
        assert row["neurons"] == list(IN_BOX.crossing_neurons(row["first"], row["second"]))
        at = NETWORK.breakpoints_at(row["point"])
        assert [k for k, here in enumerate(at) if here] == row["neurons"]
    assert table["visible"].all()


def test_pandas_has_the_same_columns():
    assert list(IN_BOX.to_pandas().columns) == [
        "cell", "pattern", "strict", "degree", "bounded", "volume", "volume_float", "linear_region", "weights", "bias",
    ]  # fmt: skip
    assert len(IN_BOX.to_pandas("facets")) == IN_BOX.n_facets == 4
    with pytest.raises(er.InputError, match="no table of 'edges'"):
        IN_BOX.to_pandas("edges")


def test_an_empty_table_of_facets_keeps_its_columns():
    single = er.enumerate_regions(er.Network([], input_dim=1))
    assert single.to_polars("facets").columns == ["facet", "first", "second", "neurons", "visible", "point"]
    assert single.to_polars()["pattern"].to_list() == [""]
