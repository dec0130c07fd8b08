"""Each proof class refuses what is not a proof, beside a control that it accepts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactregions.errors import InputError, ShapeError, UndecidedError
from exactregions.lp import (
    Bounded,
    Feasible,
    Infeasible,
    Irredundant,
    Optimum,
    ProofError,
    Receding,
    Redundant,
    StrictSystem,
    Unbounded,
)

UNIT = StrictSystem.from_rows([[1, 0], [-1, 1]], 1)  # 0 < x < 1
EMPTY = StrictSystem.from_rows([[1, 0, -1], [0, 1, -1], [-1, -2, 3], [1, 1, 5]], 2)  # sum 1, 2, 1 gives 0 > 0
HALF_PLANE = StrictSystem.from_rows([[1, 0, 0]], 2)
TINY = Fraction(1, 10**30)


def test_a_proof_error_is_an_undecided_error():
    assert issubclass(ProofError, UndecidedError)


@pytest.mark.parametrize("point", [TINY, Fraction(1, 2), 1 - TINY])
def test_a_point_strictly_inside_is_a_witness(point):
    assert Feasible(UNIT, (point,)).witness == (point,)


@pytest.mark.parametrize("point", [Fraction(0), Fraction(1), -TINY, 1 + TINY, Fraction(5)])
def test_a_point_on_a_wall_or_outside_is_no_witness(point):
    with pytest.raises(ProofError, match="row"):
        Feasible(UNIT, (point,))


@pytest.mark.parametrize("witness", [(), (Fraction(1, 2), Fraction(1, 2))])
def test_a_witness_of_another_dimension_is_refused(witness):
    with pytest.raises(ProofError, match="dimension 1"):
        Feasible(UNIT, witness)


def test_a_farkas_vector_is_accepted_and_expanded():
    proof = Infeasible(EMPTY, ((0, Fraction(1)), (1, Fraction(2)), (2, Fraction(1))))
    assert proof.dense() == (1, 2, 1, 0)


@pytest.mark.parametrize(
    "multipliers",
    [
        (),
        ((0, Fraction(0)), (1, Fraction(0)), (2, Fraction(0))),
        ((0, Fraction(1)), (1, Fraction(2)), (2, Fraction(1)), (3, Fraction(0))),
        ((0, Fraction(-1)), (1, Fraction(-2)), (2, Fraction(-1))),
        ((0, Fraction(1)), (1, Fraction(2)), (2, 1 + TINY)),
        ((1, Fraction(2)), (0, Fraction(1)), (2, Fraction(1))),
        ((0, Fraction(1)), (1, Fraction(1)), (1, Fraction(1)), (2, Fraction(1))),
        ((0, Fraction(1)), (1, Fraction(2)), (2, Fraction(1)), (4, Fraction(1))),
        ((-1, Fraction(1)), (0, Fraction(1)), (1, Fraction(2)), (2, Fraction(1))),
        ((0, 1.0), (1, 2.0), (2, 1.0)),
    ],
    ids=["empty", "zero", "one zero", "negative", "off", "unsorted", "repeated", "no row", "row -1", "floats"],
)
def test_what_is_no_farkas_vector_is_refused(multipliers):
    with pytest.raises(ProofError):
        Infeasible(EMPTY, multipliers)


def test_a_positive_combined_constant_proves_nothing():
    with pytest.raises(ProofError, match="constant"):
        Infeasible(UNIT, ((0, Fraction(1)), (1, Fraction(1))))


def test_an_optimum_needs_value_point_and_multipliers():
    form = (Fraction(-2), Fraction(7))
    good = {"value": Fraction(5), "point": (Fraction(1),), "multipliers": ((1, Fraction(2)),)}
    assert Optimum(form, UNIT, **good).value == 5
    for change in (
        {"value": Fraction(5) - TINY},
        {"point": (1 + TINY,)},
        {"point": (1 - TINY,)},
        {"point": ()},
        {"multipliers": ((1, 2 + TINY),)},
        {"multipliers": ((0, Fraction(-2)),)},
        {"multipliers": ()},
        {"value": Fraction(6), "point": (Fraction(1, 2),)},
    ):
        with pytest.raises(ProofError):
            Optimum(form, UNIT, **(good | change))


def test_an_unbounded_form_needs_a_point_inside_and_a_falling_ray():
    form, point, ray = (Fraction(-1), Fraction(1), Fraction(0)), (Fraction(0), Fraction(3)), (Fraction(1), Fraction(0))
    assert Unbounded(form, HALF_PLANE, point, ray).ray == ray
    for bad_point, bad_ray in [
        ((-TINY, Fraction(0)), ray),
        (point, (Fraction(0), Fraction(0))),
        (point, (Fraction(1), Fraction(1))),
        (point, (-TINY, Fraction(-1))),
        (point, (Fraction(1),)),
    ]:
        with pytest.raises(ProofError):
            Unbounded(form, HALF_PLANE, bad_point, bad_ray)


def test_redundancy_needs_other_rows_that_imply_the_row():
    system = StrictSystem.from_rows([[1, 0], [1, 1], [-1, 5], [0, 3]], 1)
    assert Redundant(system, 1, ((0, Fraction(1)),)).index == 1
    assert Redundant(system, 3, ()).multipliers == ()
    for index, multipliers in [
        (0, ((1, Fraction(1)),)),
        (1, ((1, Fraction(1)),)),
        (1, ((0, 1 + TINY),)),
        (1, ()),
        (1, ((2, Fraction(-1)),)),
    ]:
        with pytest.raises(ProofError):
            Redundant(system, index, multipliers)


def test_irredundancy_needs_a_point_that_violates_the_row_alone():
    system = StrictSystem.from_rows([[1, 0], [1, 1], [-1, 5]], 1)
    assert Irredundant(system, 0, (Fraction(-1),)).facet_point((Fraction(1),)) == (0,)
    for index, point in [(0, Fraction(0)), (0, -1 - TINY), (1, Fraction(-2)), (2, Fraction(5))]:
        with pytest.raises(ProofError):
            Irredundant(system, index, (point,))
    with pytest.raises(InputError, match="strictly"):
        Irredundant(system, 0, (Fraction(-1),)).facet_point((Fraction(0),))


def test_boundedness_needs_normals_that_span_positively():
    strip = StrictSystem.from_rows([[1, 0, 0], [-1, 0, 1]], 2)
    assert Bounded(UNIT, ((0, Fraction(2)), (1, Fraction(2)))).bounded
    for system, multipliers in [
        (UNIT, ((0, Fraction(1)),)),
        (UNIT, ((0, Fraction(1)), (1, 1 + TINY))),
        (UNIT, ()),
        (strip, ((0, Fraction(1)), (1, Fraction(1)))),
    ]:
        with pytest.raises(ProofError):
            Bounded(system, multipliers)
    assert not Receding(strip, (Fraction(0), Fraction(-3))).bounded
    for ray in [(Fraction(0), Fraction(0)), (TINY, Fraction(1)), (Fraction(1),)]:
        with pytest.raises(ProofError):
            Receding(strip, ray)


def test_rows_of_fractions_are_scaled_by_a_positive_factor_and_integers_kept():
    system = StrictSystem.from_rows([["-1/2", "1/3"], [4, -6], [0.5, "0.1"]], 1)
    assert system.rows.tolist() == [[-3, 2], [4, -6], [5, 1]]
    assert system.evaluate([Fraction(1, 2)]) == [Fraction(1, 2), Fraction(-4), Fraction(7, 2)]


def test_a_row_of_another_length_names_its_place():
    with pytest.raises(ShapeError, match="row 1"):
        StrictSystem.from_rows([[1, 2], [1, 2, 3]], 1)


def test_a_system_needs_a_matrix():
    with pytest.raises(InputError, match="from_rows"):
        StrictSystem([[1, 0]])


def test_rows_are_added_after_and_taken_out():
    longer = UNIT.with_rows([["1/2", 3]])
    assert longer.rows.tolist() == [[1, 0], [-1, 1], [1, 6]]
    assert longer.without_row(0).rows.tolist() == [[-1, 1], [1, 6]]
