from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactregions.errors import FormatError, InputError, NonFiniteError, ShapeError, UnsupportedError
from exactregions.network import (
    ABS,
    HARD_SIGMOID,
    HARD_TANH,
    IDENTITY,
    RELU,
    RELU6,
    PiecewiseLinear,
    activation_from_json,
    hard_tanh,
    leaky_relu,
)
from tests.network.reference import KINDS, Kind, Refusal

NUMBERS = st.fractions(-4, 4, max_denominator=4)


@st.composite
def functions(draw: st.DrawFn) -> PiecewiseLinear:
    marks = sorted(draw(st.sets(NUMBERS, max_size=4)))
    slopes = draw(st.lists(st.sampled_from([0, 1, -1, Fraction(1, 3), 2]), min_size=len(marks) + 1, max_size=5))
    return PiecewiseLinear(marks, slopes[: len(marks) + 1], (draw(NUMBERS), draw(NUMBERS)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.form)[:16])
@given(z=NUMBERS)
def test_values_and_pieces_are_those_of_the_formula(kind: Kind, z: Fraction) -> None:
    phi = activation_from_json(kind.form)
    assert phi(z) == kind.formula(z)
    assert phi.piece_of(z) == kind.piece(z)
    for mark in kind.breakpoints:
        assert phi.piece_of(mark) == kind.piece(mark)


@given(functions())
def test_neighbouring_pieces_meet_at_their_breakpoint(phi: PiecewiseLinear) -> None:
    pieces = list(zip(phi.slopes, phi.offsets, strict=True))
    for mark, ((p, q), (r, s)) in zip(phi.breakpoints, pairwise(pieces), strict=True):
        assert p * mark + q == r * mark + s == phi(mark)


@given(functions(), NUMBERS)
def test_the_anchor_may_be_any_point_of_the_graph(phi: PiecewiseLinear, t: Fraction) -> None:
    assert PiecewiseLinear(phi.breakpoints, phi.slopes, (t, phi(t))) == phi


@given(functions())
def test_the_json_form_is_read_back(phi: PiecewiseLinear) -> None:
    again = activation_from_json(json.loads(json.dumps(phi.to_json())))
    assert again == phi
    assert again.offsets == phi.offsets


@given(functions(), NUMBERS, st.fractions(0, 5).filter(bool))
def test_positive_homogeneity_means_scaling(phi: PiecewiseLinear, z: Fraction, c: Fraction) -> None:
    if phi.is_positively_homogeneous:
        assert phi(c * z) == c * phi(z)
    else:
        assert phi(0) != 0 or any(mark != 0 for mark in phi.breakpoints)


def test_pieces_are_left_open() -> None:
    assert (RELU.piece_of(0), RELU.piece_of(Fraction(1, 10**30))) == (0, 1)
    assert [HARD_TANH.piece_of(z) for z in (-2, -1, 0, 1, 2)] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("name", "phi"),
    [
        ("relu", RELU),
        ("ReLU", RELU),
        ("abs", ABS),
        ("identity", IDENTITY),
        ("hardtanh", HARD_TANH),
        ("hardtanh[-1,1]", HARD_TANH),
        ("hardtanh[-1/2, 3]", hard_tanh("-1/2", 3)),
        ("hardsigmoid", HARD_SIGMOID),
        ("relu6", RELU6),
        ("leaky_relu(0.1)", leaky_relu("1/10")),
        ("prelu(-2)", leaky_relu(-2)),
    ],
)
def test_names(name: str, phi: PiecewiseLinear) -> None:
    assert activation_from_json(name) == phi


def test_short_names_are_found_again() -> None:
    names = [RELU.name, ABS.name, IDENTITY.name, leaky_relu("1/10").name, HARD_TANH.name, RELU6.name]
    assert names == ["relu", "abs", "identity", "leaky_relu(1/10)", "hardtanh[-1,1]", "hardtanh[0,6]"]
    assert HARD_SIGMOID.name is None
    assert str(HARD_SIGMOID) == "piecewise_linear[-3,3; 0,1/6,0]"


def test_a_breakpoint_between_equal_slopes_is_kept() -> None:
    line = leaky_relu(1)
    assert line != IDENTITY
    assert line.n_pieces == 2
    assert activation_from_json(line.to_json()) == line


@pytest.mark.parametrize("name", ["softplus", "gelu", "leaky_relu", "hardtanh[1]", ""])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with Refusal(UnsupportedError, "layer 2", "unsupported activation", "leaky_relu(a)"):
        activation_from_json(name, where="layer 2")


GOOD = {"breakpoints": [0], "slopes": [0, 1], "anchor": [0, 0]}


@pytest.mark.parametrize(
    ("change", "kind", "fragment"),
    [
        ({"breakpoints": [0, 0], "slopes": [0, 1, 2]}, InputError, "strictly increasing"),
        ({"breakpoints": [1, 0], "slopes": [0, 1, 2]}, InputError, "strictly increasing"),
        ({"slopes": [1]}, ShapeError, "2 slopes"),
        ({"slopes": [0, "nan"]}, NonFiniteError, "slopes, entry 1"),
        ({"breakpoints": ["x"]}, FormatError, "breakpoints, entry 0"),
        ({"anchor": [0]}, ShapeError, "[t, value]"),
        ({"anchor": 0}, ShapeError, "[t, value]"),
        ({"offset": 3}, FormatError, "unknown fields offset"),
    ],
)
def test_a_wrong_object_is_refused(change: dict[str, object], kind: type[InputError], fragment: str) -> None:
    with Refusal(kind, "layer 2", fragment):
        activation_from_json(GOOD | change, where="layer 2")


def test_an_incomplete_object_is_refused() -> None:
    with Refusal(FormatError, "layer 2", "lacks anchor, slopes"):
        activation_from_json({"breakpoints": [0]}, where="layer 2")


@pytest.mark.parametrize("value", [None, 3, ["relu"]])
def test_other_things_are_no_activation(value: object) -> None:
    with Refusal(FormatError, "cannot be a"):
        activation_from_json(value)


def test_an_anchor_that_is_no_pair_is_refused() -> None:
    for anchor in (0, "00", (0, 0, 0)):
        with Refusal(ShapeError, "[t, value]"):
            PiecewiseLinear([0], [0, 1], anchor)  # type: ignore[arg-type]


def test_an_inverted_clip_is_refused() -> None:
    with Refusal(InputError, "strictly increasing"):
        activation_from_json("hardtanh[1,-1]")
