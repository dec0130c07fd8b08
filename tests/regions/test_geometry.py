"""Exact geometry of cells: vertices, rays, volumes, walls; the volume identity and what it must refuse."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.lp import ProofError
from exactregions.network.formats import from_json
from exactregions.regions import WitnessTable
from exactregions.regions.geometry import CellGeometry
from exactregions.regions.volumes import domain_volume
from tests.oracles import ARRANGEMENTS, NETWORKS, SEED001
from tests.strategies import domains, networks

relaxed = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def without(complex_, missing):
    """Return the complex with one cell left out, though it claims to be whole."""
    keep = [k for k in range(len(complex_)) if k != missing]
    return er.RegionComplex(
        complex_.network,
        complex_.domain,
        complex_.packed[keep],
        WitnessTable.from_points([complex_.witnesses[k] for k in keep], complex_.dim),
        complex_.strict[keep],
    )


def seed001(depth):
    layers = [(layer["W"], layer["b"]) for layer in SEED001["layers"][:depth]]
    return er.Network(layers)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("window", ["R2", "window[-4,6]^2"])
def test_seed_001_has_these_vertices_rays_areas_and_maps(depth, window):
    domain = er.WholeSpace(2) if window == "R2" else er.Box([-4, -4], [6, 6])
    found = er.enumerate_regions(seed001(depth), domain)
    regions = SEED001[window][f"depth{depth}"]["regions"]
    wanted = {region["label"].translate(str.maketrans("ai", "10")): region for region in regions}
    assert len(found) == len(wanted)
    for cell in found:
        region = wanted[cell.text.replace("|", "")]
        shape = CellGeometry.of(cell)
        assert set(shape.vertices) == {tuple(map(Fraction, v)) for v in region["vertices"]}
        rays = {tuple(map(Fraction, r)) for r in region["recession_rays"]}
        assert {normal(r) for r in shape.rays} == {normal(r) for r in rays}
        assert shape.is_bounded == region["bounded"] == cell.is_bounded
        assert cell.volume == (Fraction(region["area"]) if "area" in region else None)
        rows = [(*w, b) for w, b in zip(cell.affine_map.weights, cell.affine_map.bias, strict=True)]
        assert rows == [tuple(map(Fraction, row)) for row in region["affine_out"]]
        if window == "R2":
            assert len(cell.irredundant) == region["n_facets"]


def normal(ray):
    size = max(map(abs, ray))
    return tuple(value / size for value in ray)


SMALL = [a for a in ARRANGEMENTS if a["regions"] <= 700 and a["d"] <= 5]


@pytest.mark.parametrize("entry", SMALL, ids=lambda entry: entry["name"])
def test_arrangements_have_as_many_bounded_cells_as_zaslavsky_says(entry):
    rows = entry["rows"]
    network = er.Network([([row[:-1] for row in rows], [row[-1] for row in rows])])
    found = er.enumerate_regions(network)
    found.subdivision  # noqa: B018  (makes the cells' geometry come from one table)
    shapes = [cell.geometry for cell in found]
    assert len(found) == entry["regions"]
    assert sum(shape.is_bounded for shape in shapes) == entry["bounded"]
    assert sum(not shape.rays for shape in shapes) == entry["relatively_bounded"]
    assert {len(shape.lineality) for shape in shapes} == {entry["d"] - entry["rank"]}


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_volumes_of_all_cells_in_a_box_sum_to_the_box(entry):
    network, domain = from_json(entry)
    box = domain if isinstance(domain, er.Box) else er.Box(["-7/2"] * network.input_dim, [3] * network.input_dim)
    found = er.enumerate_regions(network, box)
    assert found.check_volume() == domain_volume(box)
    for missing in range(0, len(found), 5) if len(found) > 1 else ():
        with pytest.raises(er.InputError, match=r"cells cover .* not complete"):
            without(found, missing).check_volume()


@relaxed
@given(st.data())
def test_volumes_sum_to_the_volume_of_any_bounded_domain(data):
    network = data.draw(networks(max_dim=3, max_neurons=6))
    size = network.input_dim
    kind = data.draw(st.sampled_from(["box", "simplex", "slice"]))
    domain = {
        "box": er.Box([-2] * size, ["5/3"] * size),
        "simplex": er.Polyhedron([*(-np.eye(size, dtype=int)).tolist(), [1] * size], [1] * size + [2]),
        "slice": er.Slice([1] * size, [[1] * size], er.Box([-3], [2])),
    }[kind]
    found = er.enumerate_regions(network, domain)
    assert found.check_volume() == domain_volume(found.own_domain)
    shapes = [CellGeometry.of(cell) for cell in found]
    assert [shape.volume for shape in shapes] == [cell.volume for cell in found]
    for cell, shape in zip(found, shapes, strict=True):
        assert cell.inequalities.holds_at(shape.centroid)


@relaxed
@given(st.data())
def test_vertices_and_rays_fit_the_inequalities_and_generate_the_cell(data):
    network = data.draw(networks(max_dim=3))
    found = er.enumerate_regions(network, data.draw(domains(network.input_dim)))
    cell = found[data.draw(st.integers(0, len(found) - 1))]
    alone = CellGeometry.of(cell)
    found.subdivision  # noqa: B018
    shape = found[cell.index].geometry
    assert shape.is_bounded == cell.is_bounded
    assert (len(shape.vertices), len(shape.rays)) == (len(alone.vertices), len(alone.rays))
    if not shape.lineality:
        assert (set(shape.vertices), set(shape.rays)) == (set(alone.vertices), set(alone.rays))
    rows = cell.inequalities.rows
    for vertex in shape.vertices:
        values = [sum(a * x for a, x in zip(row, (*vertex, 1), strict=True)) for row in rows]
        assert min(values, default=0) >= 0
    for ray in shape.rays:
        assert min((sum(a * x for a, x in zip(row, ray, strict=False)) for row in rows), default=0) >= 0
    for side in cell.irredundant:
        row = (*side.coefficients, side.constant)
        assert any(sum(a * x for a, x in zip(row, (*v, 1), strict=True)) == 0 for v in shape.vertices)


def test_a_volume_needs_a_bounded_domain():
    with pytest.raises(er.InputError, match="unbounded"):
        er.enumerate_regions(er.Network([([[1]], [0])])).check_volume()


def test_the_nearest_wall_is_given_by_its_exact_squared_distance():
    found = er.enumerate_regions(er.Network([([[3, 4], [0, 1]], [0, 0])]), er.Box([-9, -9], [9, 9]))
    cell = found.cell_at([1, 1])
    near = cell.nearest_wall(["1", "1"])
    assert (near.squared_distance, near.inequality.neurons, near.foot) == (1, (1,), (1, 0))
    corner = cell.nearest_wall(["17/2", 5])
    assert (corner.squared_distance, corner.inequality.neurons) == (Fraction(1, 4), ())
    with pytest.raises(er.InputError, match="not inside the cell"):
        cell.nearest_wall([-9, 1])
    assert er.enumerate_regions(er.Network([], input_dim=2))[0].nearest_wall([0, 0]) is None


def test_the_largest_ball_is_numerical():
    found = er.enumerate_regions(er.Network([([[1, 0], [0, 1], [-1, -1]], [0, 0, 1])]))
    ball = found.cell_at(["1/4", "1/4"]).largest_ball()
    assert ball.radius == pytest.approx(1 / (2 + 2**0.5))
    assert ball.centre == pytest.approx([1 / (2 + 2**0.5)] * 2)


def test_a_false_proof_of_non_convexity_is_refused():
    stargalla = next(e for e in NETWORKS if e["name"] == "stargalla_nonconvex")
    found = er.enumerate_regions(*from_json(stargalla))
    region = next(region for region in found.linear_regions() if not region.is_convex)
    proof = region.non_convexity
    proof.check(found, region.cells)
    other = next(k for k in range(len(found)) if k not in region.cells)
    with pytest.raises(ProofError, match="in and out"):
        proof.check(found, [other])
    swapped = type(proof)(proof.ends[::-1], proof.between, proof.cells)
    with pytest.raises(ProofError, match="not strictly inside"):
        swapped.check(found, region.cells)
    beyond = tuple(x + 1 - x for x in proof.between)
    with pytest.raises(ProofError):
        type(proof)(proof.ends, beyond, proof.cells).check(found, region.cells)
