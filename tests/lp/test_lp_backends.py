"""What each backend promises by itself: termination, integers of any size, silence, short witnesses, speed."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from exactregions.errors import UndecidedError
from exactregions.lp import Feasible, Infeasible, Optimum, StrictSystem, exact, highs, minimise, solve
from exactregions.lp.convex import chebyshev_centre


def test_the_exact_simplex_ends_on_the_cycling_example_of_beale():
    rows = [
        ["-1/4", 60, "1/25", -9, 0],
        ["-1/2", 90, "1/50", -3, 0],
        [0, 0, -1, 0, 1],
        *[[int(j == k) for j in range(4)] + [0] for k in range(4)],
    ]
    system = StrictSystem.from_rows(rows, 4)
    form = (Fraction(-3, 4), Fraction(150), Fraction(-1, 50), Fraction(6), Fraction(0))
    from_apex = exact.minimise(form, system, start=(Fraction(0),) * 4)
    assert from_apex.value == Fraction(-1, 20)
    assert exact.minimise(form, system).value == Fraction(-1, 20)


@pytest.mark.parametrize("greedy", [0, 10])
def test_the_exact_simplex_ends_on_degenerate_cones_by_either_rule(greedy, monkeypatch):
    monkeypatch.setattr(exact, "_GREEDY_STEPS_PER_ROW", greedy)
    rng = random.Random(greedy)
    for dim in (2, 3, 4):
        rows = [[rng.randint(-2, 2) for _ in range(dim)] + [0] for _ in range(40)]
        system = StrictSystem.from_rows([*rows, *rows], dim)
        assert type(exact.solve(system)) is type(highs.solve(system))
        cone = StrictSystem.from_rows([[abs(v) for v in row[:2]] + row[2:] for row in rows], dim)
        end = exact.minimise(
            (*[Fraction(rng.randint(-3, 3)) for _ in range(dim)], Fraction(0)), cone, start=(Fraction(0),) * dim
        )
        assert not isinstance(end, Optimum) or end.value == 0


def test_the_exact_simplex_decides_hundreds_of_rows():
    rng = random.Random(4)
    rows = [[rng.randint(-50, 50) for _ in range(4)] + [rng.randint(1, 50)] for _ in range(300)]
    assert isinstance(exact.solve(StrictSystem.from_rows(rows, 4)), Feasible)
    cut = [*rows, *[[-v for v in row[:-1]] + [-row[-1]] for row in rows[:1]]]
    assert len(exact.solve(StrictSystem.from_rows(cut, 4)).multipliers) >= 2


def test_the_exact_simplex_may_start_anywhere():
    system = StrictSystem.from_rows([[1, 0], [-1, 1]], 1)
    for start in (Fraction(-7, 3), Fraction(1, 3), Fraction(10**20)):
        assert isinstance(exact.solve(system, start=(start,)), Feasible)
        assert isinstance(exact.solve(system.with_rows([[-1, 0]]), start=(start,)), Infeasible)


@pytest.mark.parametrize("bits", [100, 900, 1100, 5000])
@pytest.mark.parametrize("backend", ["highs", "exact", "convex"])
def test_integers_of_any_length(bits, backend):
    big = 1 << bits
    slab = [[big, 0], [-(big + 1), big]]
    assert isinstance(solve(StrictSystem.from_rows(slab, 1), backend=backend), Feasible)
    closed = [[big, -(big + 1)], [-big, big]]
    assert isinstance(solve(StrictSystem.from_rows(closed, 1), backend=backend), Infeasible)


@pytest.mark.parametrize("backend", ["highs", "exact"])
def test_entries_of_very_different_length_in_one_row(backend):
    far = StrictSystem.from_rows([[1, -(1 << 3000)], [-1, (1 << 3000) + 1]], 1)
    assert isinstance(solve(far, backend=backend), Feasible)
    thin = StrictSystem.from_rows([[1, 0], [-(1 << 3000), 1]], 1)
    assert isinstance(solve(thin, backend=backend), Feasible)
    assert isinstance(solve(thin.with_rows([[1 << 3000, -1]]), backend=backend), Infeasible)


def test_witnesses_of_roomy_cells_are_short():
    rng = random.Random(1)
    for _ in range(20):
        rows = [[rng.getrandbits(160) - (1 << 159) for _ in range(3)] + [1 << 159] for _ in range(12)]
        answer = solve(StrictSystem.from_rows(rows, 3))
        assert max(v.denominator.bit_length() for v in answer.witness) <= 6


def test_highs_fallback_gives_the_same_answers(monkeypatch):
    """With every proposal thrown away, the exact simplex decides alone."""
    monkeypatch.setattr(highs, "_solve_dual", lambda *_: None)
    assert isinstance(solve(StrictSystem.from_rows([[1, 0], [-1, 1]], 1)), Feasible)
    assert isinstance(solve(StrictSystem.from_rows([[1, 0], [-1, 0]], 1)), Infeasible)
    monkeypatch.setattr(highs, "_optimum_at", lambda *_: None)
    assert minimise([1, 0], StrictSystem.from_rows([[1, -3]], 1)).value == 3


def test_false_proposals_never_become_answers(monkeypatch):
    """Whatever the float solver says, answers stay right: here it lies at random."""
    rng = random.Random(7)
    truth = highs._solve_dual

    def liar(columns, costs, right):
        told = truth(columns, costs, right)
        duals = [rng.uniform(-2, 2) for _ in told.equation_duals]
        count = len(told.columns)
        return highs._DualSolution(duals, sorted(rng.sample(range(len(columns)), count)), told.equations)

    monkeypatch.setattr(highs, "_solve_dual", liar)
    for seed in range(60):
        own = random.Random(seed)
        rows = [[own.randint(-3, 3) for _ in range(3)] for _ in range(6)]
        system = StrictSystem.from_rows(rows, 2)
        assert type(highs.solve(system)) is type(exact.solve(system))


def test_cell_lp_proposes_tight_rows_from_one_question_to_the_next():
    square = StrictSystem.from_rows([[1, 0, 0], [0, 1, 0], [-1, 0, 1], [0, -1, 1], [-1, -1, 5]], 2)
    cell = highs.CellLP(square)
    assert cell.minimise([1.0, 2.0]).tight == (0, 1)
    assert cell.minimise([-1.0, -2.0]).tight == (2, 3)
    assert 0 in cell.minimise_row(0).tight
    assert cell.minimise_row(4).tight == (2, 3)
    assert cell.minimise([1.0, 2.0]).point == pytest.approx((0.0, 0.0))
    assert highs.CellLP(StrictSystem.from_rows([[1, 0]], 1)).minimise([-1.0]) is None


def test_no_solver_writes_to_standard_output():
    script = (
        "from exactregions.lp import *\n"
        "s = StrictSystem.from_rows([[1, 0], [-1, 1]], 1)\n"
        "t = StrictSystem.from_rows([[1, 0], [-1, 0]], 1)\n"
        "[(solve(x, backend=b), minimise([1, 0], x, backend=b)) for b in BACKENDS for x in (s, t)]\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_lp_loads_neither_cvxpy_nor_scipy():
    script = "import sys, exactregions.lp; assert not {'cvxpy', 'scipy', 'highspy'} & set(sys.modules), sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_convex_says_so_when_it_finds_no_proof(monkeypatch):
    monkeypatch.setattr("exactregions.lp.convex._ROUNDS", 0)
    with pytest.raises(UndecidedError, match=r"no proof.*backend"):
        solve(StrictSystem.from_rows([[1, 0]], 1), backend="convex")


def test_chebyshev_centre_of_a_triangle_and_of_a_wedge():
    triangle = StrictSystem.from_rows([[1, 0, 0], [0, 1, 0], [-3, -4, 12]], 2)
    centre, radius = chebyshev_centre(triangle)
    assert centre == pytest.approx([1, 1], abs=1e-6)
    assert radius == pytest.approx(1, abs=1e-6)
    wedge = StrictSystem.from_rows([[1, 0, 0], [0, 1, 0]], 2)
    centre, radius = chebyshev_centre(wedge)
    assert radius == float("inf")
    assert (centre > 0.9).all()
    assert chebyshev_centre(StrictSystem.from_rows([], 2))[1] == float("inf")


def test_chebyshev_centre_of_an_empty_cell_is_refused():
    with pytest.raises(UndecidedError, match="no ball"):
        chebyshev_centre(StrictSystem.from_rows([[1, 0], [-1, -1]], 1))


@pytest.mark.benchmark
@pytest.mark.parametrize("expected", [Feasible, Infeasible])
def test_thirty_rows_in_three_dimensions_take_well_under_a_millisecond(expected):
    rng = np.random.default_rng(3)
    seconds = []
    for _ in range(300):
        floats = rng.standard_normal((30, 4))
        if expected is Feasible:
            floats[:, 3] = abs(floats[:, 3])
        rows = [[int(v * 2.0**160) | rng.integers(1 << 40).item() for v in row] for row in floats.tolist()]
        system = StrictSystem.from_rows(rows, 3)
        begin = time.perf_counter()
        answer = solve(system)
        seconds.append(time.perf_counter() - begin)
        assert isinstance(answer, expected)
    assert statistics.median(seconds) < 1e-3
