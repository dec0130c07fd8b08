"""The complex at size: d3-32x2, 46,886 cells, with adjacency, linear regions and f-vector."""

from __future__ import annotations

import time

import pytest

import exactregions as er
from exactregions.regions.assemble import complex_by_subdivision
from tests.oracles import LADDER_COUNTS
from tests.oracles.ladder import build


def ladder(name):
    layers = build(name)
    return er.Network(layers[:-1], output=layers[-1])


@pytest.mark.parametrize("name", ["d2-16x2", "d3-8x2", "d3-16x2", "d4-8x2", "zb-d3-16x2"])
def test_the_subdivision_counts_the_ladder(name):
    assert (
        complex_by_subdivision(ladder(name), er.WholeSpace(ladder(name).input_dim)).n_cells
        == (LADDER_COUNTS[name]["n_cells"])
    )


@pytest.mark.slow
def test_d3_32x2_has_its_structure_within_a_minute_and_two_gigabytes():
    import resource

    began = time.perf_counter()
    found = complex_by_subdivision(ladder("d3-32x2"), er.WholeSpace(3))
    assert found.n_cells == LADDER_COUNTS["d3-32x2"]["n_cells"] == 46_886
    assert found.f_vector == (44_742, 136_309, 138_452, 46_886)
    found.face_complex.check_euler()
    found.face_complex.check_closed()
    assert found.n_facets == 138_452
    assert found.n_linear == found.n_closed_connected == found.n_affine_maps == 46_886
    assert found.degrees()["max"] == 16
    assert time.perf_counter() - began < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * 1024**2  # kilobytes


@pytest.mark.slow
def test_d3_32x2_fills_the_box():
    box = er.Box([-1] * 3, [1] * 3)
    found = complex_by_subdivision(ladder("d3-32x2"), box)
    assert found.check_volume() == 8
    found.face_complex.check_euler()
