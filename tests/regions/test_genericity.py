"""Generic, transversal, supertransversal; reconstruction from vertices where it holds, and errors where not."""

from __future__ import annotations

import pytest

import exactregions as er
from exactregions.network.formats import from_json
from exactregions.regions.genericity import generic, reconstruct_from_vertices, supertransversal, transversal
from tests.oracles import NETWORKS

PLANE = [entry for entry in NETWORKS if entry["input_dim"] == 2]


def simple(found):
    return found.f_vector[0] > 0 and all(len(vertex.at_breakpoint) == found.dim for vertex in found.faces(0))


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry["name"])
def test_faces_are_reconstructed_where_all_vertices_are_simple_and_refused_where_not(entry):
    found = er.enumerate_regions(*from_json(entry))
    if simple(found) and entry["domain"].__class__ is str:
        states = {face.state for dim in range(found.dim + 1) for face in found.faces(dim)}
        assert reconstruct_from_vertices(found) == states
        assert supertransversal(found)
    else:
        with pytest.raises(er.InputError, match=r"reconstruction from vertices: .*(sides|line|at a breakpoint, not)"):
            reconstruct_from_vertices(found)


def test_reconstruction_was_tried_on_fifteen_plane_networks():
    assert sum(simple(er.enumerate_regions(*from_json(entry))) for entry in PLANE) == 15


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        ([([[1, 0], [0, 1], [1, 1]], [0, 0, 1])], None),
        ([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])], "layer 1: neurons 0, 1, 2 meet in a point"),
        ([([[1, 0], [2, 0]], [0, 1])], "layer 1: neurons 0, 1 have linearly dependent normals"),
        ([([[0, 0]], [1])], "layer 1: neurons 0 have linearly dependent normals"),
        ([([[1, 0, 0], [0, 1, 0]], [0, 0])], None),
        ([([[1, 2]], [0]), ([[1], [2]], [1, 2])], "layer 2: neurons 0, 1 meet in a point"),
    ],
)
def test_genericity_names_what_breaks_it(layers, reason):
    verdict = generic(er.Network(layers))
    assert bool(verdict) == (reason is None)
    assert verdict.reason.startswith(reason or "")


def test_two_breakpoints_make_parallel_walls_which_are_not_generic():
    assert not generic(er.Network([([[1, 0], [0, 1]], [0, 0])], activation=er.HARD_TANH))


def test_transversality_fails_where_a_neuron_is_degenerate_on_a_face():
    assert transversal(er.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [-1])]))
    through_vertex = er.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0])])
    assert "on a face of dimension 0" in transversal(through_vertex).reason
    flat = er.Network([([[0, 0]], [0])])
    assert transversal(flat).reason == "neuron 0 is at breakpoint 0 on a face of dimension 2 of the layers before it"
    clipped = er.Network([([[1]], [0]), ([[1]], [0])], activation=er.HARD_TANH)
    assert "neuron 1 is at breakpoint 0 on a face of dimension 0" in transversal(clipped).reason
    assert transversal(through_vertex, er.Box([1, -1], [2, 1]))  # the vertex is not in the box


def test_reconstruction_would_be_wrong_where_it_is_refused():
    stargalla = next(entry for entry in NETWORKS if entry["name"] == "stargalla_nonconvex")
    found = er.enumerate_regions(*from_json(stargalla))
    assert not supertransversal(found)
    with pytest.raises(er.InputError, match=r"vertex 0 has \d neurons at a breakpoint, not 2"):
        reconstruct_from_vertices(found)


def test_parallel_walls_have_the_codimension_property_but_no_vertex():
    found = er.enumerate_regions(er.Network([([[1, 0], [1, 0]], [0, 1])]))
    assert supertransversal(found)
    with pytest.raises(er.InputError, match="contains a line"):
        reconstruct_from_vertices(found)
