"""The dictionary kernel: counts, and above all that its certificates refuse what is wrong."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.enumeration.split import dictionary
from exactregions.enumeration.split.dictionary import search, supports
from exactregions.enumeration.split.dictionary_certify import (
    DEGENERATE,
    attained,
    basis_bounds,
    no_cut,
    no_cut_exactly,
    structural_zeros,
)
from exactregions.enumeration.split.dictionary_problem import build_nets, new_work
from exactregions.enumeration.split.exact import search_exact
from exactregions.enumeration.split.homogeneous import homogeneous_problem
from exactregions.patterns import PatternCodec
from exactregions.rational import RationalMatrix
from tests.oracles import LADDER_BOX_COUNTS, LADDER_COUNTS
from tests.oracles.ladder import LADDER, build
from tests.strategies import domains, networks

QUICK = {"d4-8x2", "d4-16x2", "d5-8x3", "d6-10x2", "d10-12x1", "zb-d4-16x2", "zb-d5-12x2"}


def ladder(name, domain=None):
    network = er.Network(build(name)[:-1])
    return homogeneous_problem(network, domain or er.WholeSpace(network.input_dim))


def sides(problem, row):
    """Signs of a node in the exact rung's words."""
    found, at = [], 0
    for layer in problem.layers:
        part = row[at : at + layer.n_rows].tolist()
        found.append(tuple(1 if sign == 1 else 0 if sign < 0 else -1 for sign in part))
        at += layer.n_rows
    while found and not any(found[-1]):
        found.pop()
    return tuple(found)


def all_cells(problem, **options):
    """Cells as (pattern, degenerate?), the kernel's and then those of open nodes; float points; the kernel's count."""
    codec = PatternCodec.of(problem.network)
    found, points = [], []

    def take(cells):
        found.extend(zip(map(tuple, codec.unpack(cells.patterns).tolist()), cells.degenerate.tolist(), strict=True))
        points.extend(cells.witnesses.tolist())

    outcome = search(problem, emit=take, **options)
    assert outcome.n_cells == len(found)
    assert outcome.n_degenerate == sum(flat for _, flat in found)
    own = len(found)
    for row in (row for part in outcome.undecided for row in part):
        found += [(cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem, sides(problem, row))]
    return found, points, own


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
        for name in LADDER_COUNTS
        if LADDER[name][0] >= 4 and name != "d4-32x2"
    ],
)
def test_ladder_counts_with_nothing_undecided(name):
    outcome = search(ladder(name))
    assert (outcome.n_cells, outcome.undecided, outcome.complete) == (LADDER_COUNTS[name]["n_cells"], [], True)


@pytest.mark.parametrize("name", ["d3-8x2", "d4-8x2", "d4-16x2", "d6-10x2", "d10-12x1"])
def test_ladder_counts_in_a_box(name):
    dim = LADDER[name][0]
    outcome = search(ladder(name, er.Box([-1] * dim, [1] * dim)))
    assert (outcome.n_cells, outcome.undecided) == (LADDER_BOX_COUNTS[name], [])


def test_output_does_not_depend_on_threads():
    problem = ladder("d4-8x2")
    assert all_cells(problem) == all_cells(problem, threads=3)


def test_patterns_are_distinct_and_float_points_attain_them_exactly():
    problem = ladder("d4-8x2")
    found, points, own = all_cells(problem)
    assert len(set(found)) == own == 2943
    for (pattern, _), point in list(zip(found, points, strict=True))[::13]:
        assert problem.network.pattern_at(problem.lift([Fraction(x) for x in point])) == pattern


def test_stops_at_a_budget_and_when_cancelled():
    problem = ladder("d6-10x2")
    outcome = search(problem, max_cells=100)
    assert 100 <= outcome.n_cells < 55_590
    assert not outcome.complete
    assert search(problem, cancel=np.ones(1, np.uint8)).n_cells == 0


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_with_the_exact_rung_it_finds_what_the_exact_rung_finds(data):
    network = data.draw(networks(max_dim=4, max_neurons=8))
    problem = homogeneous_problem(network, data.draw(domains(network.input_dim)))
    if supports(problem) is None:
        found, _, _ = all_cells(problem)
        assert sorted(found) == sorted((cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem))


@pytest.mark.parametrize("seed", range(6))
def test_float_networks_of_all_kinds(seed):
    rng = np.random.default_rng(seed)
    kinds = [er.RELU, er.HARD_TANH, er.leaky_relu("1/10"), er.ABS]
    layers = [(rng.normal(size=(4, 3)), rng.normal(size=4)), (rng.normal(size=(3, 4)) / 3, rng.normal(size=3))]
    network = er.Network(layers, activation=[kinds[seed % 4], kinds[(seed + 1) % 4]])
    for domain in (er.WholeSpace(3), er.Box([-1] * 3, [1] * 3), er.Slice([0.1, 0.2, 0.3], [[1, 2, 0], [0, 1, 3]])):
        problem = homogeneous_problem(network, domain)
        found, _, _ = all_cells(problem)
        assert sorted(found) == sorted((cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem))


@pytest.mark.parametrize("zero_bias", [False, True])
def test_integer_networks_need_no_exact_rung(zero_bias):
    """True zeros everywhere: vertices on many walls, repeated walls, degenerate neurons."""
    rng = np.random.default_rng(5)
    layers = [(rng.integers(-1, 2, (6, 4)), rng.integers(-1, 2, 6) * (not zero_bias)) for _ in range(1)]
    layers.append((rng.integers(-1, 2, (4, 6)), rng.integers(-1, 2, 4) * (not zero_bias)))
    problem = homogeneous_problem(er.Network(layers), er.WholeSpace(4))
    found, _, own = all_cells(problem)
    assert own == len(found)
    assert sorted(found) == sorted((cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem))


@pytest.mark.parametrize("seed", range(4))
def test_a_wrong_start_basis_costs_time_not_cells(seed, monkeypatch):
    """The search starts outside the domain, so its pivots mean nothing: what it proves is still true."""
    rng = np.random.default_rng(seed)
    network = er.Network([(rng.normal(size=(4, 3)), rng.normal(size=4)), (rng.normal(size=(3, 4)), rng.normal(size=3))])
    problem = homogeneous_problem(network, er.Polyhedron([[1, 1, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], [1, 2, 2, 2]))
    truth = sorted((cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem))
    for basis in ([0, 1, 2], [1, 2, 3], [0, 1, 3]):
        wrong = [type(s)(s.net, np.array(basis), s.fixed, s.free) for s in build_nets(problem)]
        monkeypatch.setattr(dictionary, "build_nets", lambda _, starts=wrong: starts)
        found, _, _ = all_cells(problem)
        assert sorted(found) == truth


def test_reasons_not_to_search():
    line = er.Network([([[1]], [0])])
    assert supports(homogeneous_problem(line, er.WholeSpace(1))) == "effective dimension 0"
    affine = er.Network([([[1, 0], [0, 1]], [0, 1])], activation=[[er.IDENTITY, er.RELU]])
    assert "without breakpoint" in supports(homogeneous_problem(affine, er.WholeSpace(2)))
    tiny = er.Network([([[1, 0], [0, 1]], ["1e-300", 1])])
    assert "too small" in supports(homogeneous_problem(tiny, er.WholeSpace(2)))


def test_numbers_beyond_the_safe_range_are_left_to_the_exact_rung():
    wide = [([[1, "1e-130"], ["1e-130", 1]], [1, 1]), ([["1e-50", "1e-50"]], ["1e-55"])]
    problem = homogeneous_problem(er.Network(wide, activation=er.hard_tanh(0, "1e50")), er.WholeSpace(2))
    found, _, _ = all_cells(problem)
    assert sorted(found) == sorted((cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem))


class Basis:
    """A cell {x : Mx + c > 0}, a form, and a dictionary proposed for it."""

    def __init__(self, matrix, constants, form, *, errors=0.0):
        d = len(matrix)
        self.d = d
        self.C = np.column_stack([np.asarray(matrix, float), np.asarray(constants, float)])
        self.CD = np.full(d, errors)
        inverse = np.linalg.inv(self.C[:, :d])
        self.T = np.zeros((d + 1, d))
        self.T[:d] = inverse.T
        self.T[d] = -inverse @ self.C[:, d]
        self.F = np.asarray(form, float).reshape(1, 1, d + 1)
        self.FN = np.abs(self.F).sum(axis=2) * 1.000001
        self.FD = np.full((1, 1), errors)
        self.order = np.arange(d)
        self.zero = np.zeros(d, np.int64)

    def float_proof(self, sign=1.0, *, use_zero=False, zero_constant=False):
        bounds, scratch = np.zeros(2 * self.d + 3), np.zeros((2 * self.d + 2, self.d))
        if not basis_bounds(self.T, self.order, self.C, self.CD, self.d, bounds, scratch):
            return False
        return no_cut(
            self.T, self.F, self.FN, self.FD, 0, 0, sign, self.d, bounds, np.zeros(self.d), self.zero, use_zero,
            zero_constant,
        )  # fmt: skip

    def integer_proof(self, sign=1.0):
        scratch = np.zeros((2 * self.d + 2, self.d))
        return no_cut_exactly(self.T, self.order, self.C, self.CD, self.F, self.FD, 0, 0, sign, self.d, scratch)

    def truth(self, sign=1.0):
        """Whether all multipliers are >= 0 and the constant is > 0, exactly."""
        exact = RationalMatrix.from_rows(self.C[:, : self.d].tolist()).transpose()
        form = [Fraction(v) for v in self.F[0, 0].tolist()]
        lam = exact.solve(RationalMatrix.from_rows([[v] for v in form[: self.d]])).to_fractions()
        lam = [row[0] * int(sign) for row in lam]
        constants = [Fraction(v) for v in self.C[:, self.d].tolist()]
        rest = form[self.d] * int(sign) - sum(a * c for a, c in zip(lam, constants, strict=True))
        return min(lam) >= 0 and rest > 0


def good_basis(rng, d=4):
    matrix, constants = rng.normal(size=(d, d)), rng.normal(size=d)
    lam = rng.uniform(0.5, 2, size=d)
    form = np.append(lam @ matrix, lam @ constants + 0.25)
    return Basis(matrix, constants, form)


@pytest.mark.parametrize("seed", range(20))
def test_no_cut_accepts_the_truth_and_refuses_what_is_not(seed):
    rng = np.random.default_rng(seed)
    basis = good_basis(rng, 2 + seed % 5)
    assert basis.float_proof()
    assert not basis.float_proof(-1.0)
    basis.F[0, 0, -1] -= 0.5  # the constant turns negative
    assert not basis.float_proof()
    other = good_basis(rng, 3)
    other.F[0, 0, :3] -= 3 * other.C[1, :3]  # the second multiplier does
    other.F[0, 0, 3] += 50
    other.FN[:] = 1e4
    assert not other.float_proof()


@pytest.mark.parametrize("entry", [(0, 0), (1, 2), (2, 1)])
def test_no_cut_refuses_a_wrong_inverse(entry):
    basis = good_basis(np.random.default_rng(3), 3)
    assert basis.float_proof()
    for value in (np.nan, np.inf, -np.inf, basis.T[entry] + 1.0, 0.0):
        saved, basis.T[entry] = basis.T[entry], value
        assert not basis.float_proof()
        basis.T[entry] = saved
    swapped = basis.T[[1, 0, 2, 3]]
    basis.T = np.ascontiguousarray(swapped)
    assert not basis.float_proof()


def test_no_cut_refuses_when_the_forms_are_too_uncertain():
    basis = good_basis(np.random.default_rng(4), 3)
    for error in (1e-14, 1e-8):
        basis.CD[:], basis.FD[:] = error, error
        assert basis.float_proof()
    basis.CD[1] = 1.0
    assert not basis.float_proof()
    basis.CD[1], basis.FD[:] = 0.0, 10.0
    assert not basis.float_proof()


@given(st.integers(0, 2**32 - 1), st.floats(-17, 1), st.integers(1, 5))
@settings(max_examples=300)
def test_no_cut_never_proves_what_is_false(seed, digits, d):
    """Bases near the border of the truth, dictionaries spoilt by noise of every size."""
    rng = np.random.default_rng(seed)
    matrix, constants = rng.normal(size=(d, d)), rng.normal(size=d)
    lam = rng.choice([0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1.0, 2.0], size=d)
    form = np.append(lam @ matrix, lam @ constants + rng.choice([0.0, 1e-16, -1e-16, 1e-3, -1e-3]))
    basis = Basis(matrix, constants, form)
    basis.T += 10.0**digits * rng.normal(size=basis.T.shape) * (rng.random(basis.T.shape) < 0.3)
    for sign in (1.0, -1.0):
        if basis.float_proof(sign):
            assert basis.truth(sign)


def test_integer_proof_decides_true_zeros():
    identity = np.eye(3)
    repeated = Basis(identity, [0, 0, 0], [2, 0, 0, 0])  # twice a constraint: on its wall, never cut
    assert not repeated.float_proof()
    assert repeated.integer_proof() == 1
    assert repeated.integer_proof(-1.0) == 0
    assert Basis(identity, [1, 2, 3], [0, 0, 0, 0]).integer_proof() == 2
    assert Basis(identity, [0, 0, 0], [1, -1, 0, 0]).integer_proof() == 0
    assert Basis(identity, [1, 0, 0], [1, 0, 0, 0]).integer_proof() == 0
    assert Basis(-2 * identity, [1, 1, 1], [-2, 0, -4, 3]).integer_proof() == 1


def test_integer_proof_refuses_wrong_or_large_inverses():
    rng = np.random.default_rng(0)
    matrix = rng.integers(-4, 5, (4, 4))
    lam = np.array([1, 0, 3, 0])
    basis = Basis(matrix, [1, 2, 3, 4], [*(lam @ matrix), 10])
    assert basis.integer_proof() == 1
    basis.T[2, 1] += 1.0
    assert basis.integer_proof() == 0
    large = Basis(matrix * 2.0**20, [1, 2, 3, 4], [*(lam @ matrix * 2.0**20), 10])
    assert large.integer_proof() == 0
    inexact = Basis(matrix, [1, 2, 3, 4], [*(lam @ matrix), 10], errors=1e-16)
    assert inexact.integer_proof() == 0


def zeros(supports, *, layer, row, active, ranks, homogeneous=False, masks=(7, 7, 7)):
    """Structural zeros of a row at the basis of layer 0's three walls."""
    places, solid = np.array([[0, 0], [0, 1], [0, 2]]), np.full(2, 2**64 - 1, np.uint64)
    zero = np.zeros(3, np.int64)
    constant = structural_zeros(
        np.arange(3), places, np.array(masks, np.uint64), np.array(supports, np.uint64), layer, row,
        np.array([active, active]), np.array(ranks), solid, np.array([3, 3]), np.array([[0, 1, 2]] * 2), homogeneous,
        zero,
    )  # fmt: skip
    return zero.tolist(), constant


def test_walls_that_see_two_neurons_have_no_other_multipliers():
    layers = [[[7, 0]] * 3, [[7, 0b101]] * 3]
    active = [True, False, True]
    assert zeros(layers, layer=1, row=0, active=active, ranks=[[3, 4], [2, 2]]) == ([0, 1, 0], False)
    assert zeros(layers, layer=1, row=0, active=active, ranks=[[3, 4], [2, 2]], homogeneous=True) == ([0, 1, 0], True)
    layers[1][0] = [7, 0b001]  # sparse: one neuron only
    assert zeros(layers, layer=1, row=0, active=active, ranks=[[3, 4], [2, 2]]) == ([0, 1, 1], False)
    layers[1][0] = [7, 0b111]  # three generators, and only two constraints among them
    assert zeros(layers, layer=1, row=0, active=active, ranks=[[3, 4], [3, 3]]) == ([0, 0, 0], False)


def test_sparse_forms_have_no_multipliers_outside_a_block():
    ranks, active = [[3, 4], [3, 4]], [True] * 3
    for support, masks, truth in (
        (0b011, (0b001, 0b011, 0b111), [0, 0, 1]),
        (0b010, (0b001, 0b011, 0b111), [0, 0, 1]),  # the block is larger than the form's own support
        (0b100, (0b001, 0b011, 0b111), [0, 0, 0]),
        (0b100, (0b011, 0b011, 0b100), [1, 1, 0]),
    ):
        found = zeros([[[support, 0]] * 3] * 2, layer=0, row=0, active=active, ranks=ranks, masks=masks)
        assert found == (truth, False)


@pytest.mark.parametrize("seed", range(8))
def test_sparse_networks(seed):
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(size=shape) * (rng.random(shape) < 0.5), rng.normal(size=shape[0])) for shape in [(5, 4), (4, 5)]
    ]
    problem = homogeneous_problem(er.Network(layers), er.WholeSpace(4))
    if supports(problem) is None:
        found, _, own = all_cells(problem)
        assert sorted(found) == sorted((cell.pattern, bool(cell.degenerate)) for cell in search_exact(problem))
        assert own >= 0.9 * len(found)


def is_attained(problem, point, signs):
    net = build_nets(problem)[0].net
    work = new_work(net)
    return attained(
        np.asarray(point, float), net.sides_points, net.first_points, net.Wt, net.b, net.norms, net.top, net.slope,
        net.shift, net.widths, net.neurons, net.first_row, net.wall, net.plain, np.asarray(signs, np.int8), net.offsets,
        net.rounding, work.values,
    )  # fmt: skip


@pytest.mark.parametrize("activation", [er.RELU, er.HARD_TANH, er.leaky_relu("1/10")])
def test_a_point_attains_its_own_signs_and_no_others(activation):
    rng = np.random.default_rng(8)
    layers = [(rng.normal(size=(4, 3)), rng.normal(size=4)), (rng.normal(size=(3, 4)), rng.normal(size=3))]
    problem = homogeneous_problem(er.Network(layers, activation=activation), er.Box([-2] * 3, [2] * 3))
    for _ in range(20):
        x = rng.uniform(-2, 2, size=3)
        pattern = problem.network.pattern_at(x)
        signs, neuron = [], 0
        for layer in problem.layers:
            for row, owner in enumerate(layer.neurons):
                place = row - layer.neurons.index(owner)
                signs.append(int(pattern[neuron + owner] > place))
            neuron += len(set(layer.neurons))
        assert is_attained(problem, [*x, 1.0], signs)
        for row in range(len(signs)):
            wrong = list(signs)
            wrong[row] = 1 - wrong[row]
            assert not is_attained(problem, [*x, 1.0], wrong)
        assert not is_attained(problem, [*(5 * x / np.abs(x).max()), 1.0], signs)  # outside the box
        assert not is_attained(problem, [*x[:2], np.nan, 1.0], signs)
        assert not is_attained(problem, [*x[:2], np.inf, 1.0], signs)


def test_a_point_on_a_wall_attains_neither_side():
    problem = homogeneous_problem(er.Network([([[1, 1], [1, -1]], [0, 0.5])]), er.WholeSpace(2))
    assert not is_attained(problem, [0.25, -0.25, 1.0], [0, 1])
    assert not is_attained(problem, [0.25, -0.25, 1.0], [1, 1])
    assert is_attained(problem, [0.25, -0.25, 1.0], [DEGENERATE, 1])  # a row that vanishes on the whole cell
