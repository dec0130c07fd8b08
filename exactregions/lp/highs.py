"""The fast backend: HiGHS proposes in floating point, rationals decide.

With rows scaled to unit normals, the program max {t : a_i.x + c_i >= t, t <= 1} asks for the deepest point of a cell.
HiGHS solves its dual, min {sum lambda_i c_i + mu : sum lambda_i a_i = 0, sum lambda_i + mu = 1, lambda, mu >= 0}, which
has only d+1 equations.  If t seems positive, the point is rounded to as few binary digits as its depth allows; if not,
the basis is taken to be the support of a Farkas vector, and solved in Q.  A proposal becomes an answer only through the
check that every proof makes of itself; when none of them stands, the exact simplex decides.  No float and no tolerance
chooses between the answers, they only choose what is tried first.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactregions.lp import exact
from exactregions.lp.system import (
    Feasible,
    Form,
    Infeasible,
    Optimum,
    Point,
    ProofError,
    StrictSystem,
    Unbounded,
    coprime_multipliers,
    evaluate_form,
    shorten,
)
from exactregions.rational import Int, IntMatrix, RationalMatrix, integer_row

if TYPE_CHECKING:
    import highspy

__all__ = ["CellLP", "Proposal", "minimise", "new_solver", "solve"]

Floats = NDArray[np.float64]

_FLOAT_BITS = 500  # squares of such numbers are still floats
_LARGEST = 2.0**_FLOAT_BITS
_local = threading.local()


def new_solver() -> highspy.Highs:
    """Return a silent solver on one thread.

    It is made from the base of ``highspy.Highs``, whose own constructor prints a banner on standard output before any
    option can be set.
    """
    import highspy

    base: Any = highspy.Highs.__base__
    solver = base()
    for option, value in {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "solver": "simplex",
        "simplex_scale_strategy": 0,  # rows come with unit normals
        "primal_feasibility_tolerance": 1e-10,  # the finest that HiGHS takes; they steer proposals only
        "dual_feasibility_tolerance": 1e-10,
    }.items():
        solver.setOptionValue(option, value)
    return solver


def _solver() -> highspy.Highs:
    """One solver a thread, since making one costs more than a solve."""
    if not hasattr(_local, "solver"):
        _local.solver = new_solver()
    return _local.solver


def float_rows(rows: IntMatrix) -> tuple[Floats, list[int]]:
    """Rows of integers of any size as floats with unit normals, and about the factors, as positive integers."""
    count, width = rows.nrows(), rows.ncols()
    entries = rows.entries()
    shifts = None
    try:
        floats = np.array(list(map(float, entries)), dtype=np.float64).reshape(count, width)
    except OverflowError:
        shifts, floats = _shifted_rows(entries, count, width)
    if shifts is None and floats.size and np.abs(floats).max() > _LARGEST:
        shifts, floats = _shifted_rows(entries, count, width)
    norms = np.sqrt(np.einsum("ij,ij->i", floats[:, :-1], floats[:, :-1]))
    np.maximum(norms, np.abs(floats[:, -1]) * 2.0**-30, out=norms)
    norms[norms == 0] = 1.0
    factors = [max(1, int(norm)) for norm in norms.tolist()]
    if shifts is not None:
        factors = [factor << shift for factor, shift in zip(factors, shifts, strict=True)]
    return floats / norms[:, None], factors


def _shifted_rows(entries: Sequence[Int], count: int, width: int) -> tuple[list[int], Floats]:
    """Divide each row by a power of two so that its entries and their squares are floats."""
    shifts, floats = [], []
    for i in range(count):
        row = entries[i * width : (i + 1) * width]
        shift = max(0, max(map(Int.bit_length, row)) - _FLOAT_BITS)
        shifts.append(shift)
        floats.append([float(v >> shift) for v in row])
    return shifts, np.array(floats, dtype=np.float64).reshape(count, width)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The arrays of a dense program that depend on its shape only."""

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    continuous: NDArray[np.int32]
    zeros: Floats
    infinities: Floats


@lru_cache(maxsize=64)
def _frame(vectors: int, length: int) -> _Frame:
    return _Frame(
        np.arange(0, vectors * length + 1, length, dtype=np.int32),
        np.tile(np.arange(length, dtype=np.int32), vectors),
        np.zeros(max(vectors, length), dtype=np.int32),
        np.zeros(max(vectors, length)),
        np.full(max(vectors, length), np.inf),
    )


@dataclass(frozen=True, slots=True)
class _DualSolution:
    """What HiGHS proposes: the multipliers of the equations, the basic columns, and the equations they determine."""

    equation_duals: list[float]
    columns: list[int]
    equations: list[int]


def _solve_dual(columns: Floats, costs: Floats, right: Floats) -> _DualSolution | None:
    """Propose a solution of min {costs.lambda : sum lambda_i columns_i = right, lambda >= 0}."""
    from highspy import HighsModelStatus

    count, length = columns.shape
    frame = _frame(count, length)
    solver = _solver()
    solver.passModel(
        count, length, count * length, 1, 1, 0.0,
        costs, frame.zeros[:count], frame.infinities[:count], right, right,
        frame.starts, frame.indices, columns.ravel(), frame.continuous[:count],
    )  # fmt: skip
    solver.run()
    if solver.getModelStatus() != HighsModelStatus.kOptimal:
        return None
    basic = solver.getBasicVariables()[1].tolist()
    idle = {-1 - index for index in basic if index < 0}
    duals = list(solver.getSolution().row_dual)
    return _DualSolution(duals, sorted(i for i in basic if i >= 0), [k for k in range(length) if k not in idle])


def solve(system: StrictSystem) -> Feasible | Infeasible:
    """Decide a strict system; see `exactregions.lp.solve`.

    Examples
    --------
    >>> solve(StrictSystem.from_rows([[1, 0], [-1, "1/1152921504606846976"]], 1)).witness[0] < Fraction(1, 2**60)
    True
    """
    dim, count = system.dim, system.n_rows
    if count == 0:
        return Feasible(system, (Fraction(0),) * dim)
    floats, factors = float_rows(system.rows)
    columns = np.ones((count + 1, dim + 1))
    columns[:count, :dim] = floats[:, :dim]
    columns[count, :dim] = 0.0
    right = np.zeros(dim + 1)
    right[dim] = 1.0
    proposal = _solve_dual(columns, np.append(floats[:, dim], 1.0), right)
    if proposal is None:
        return exact.solve(system)
    depth = proposal.equation_duals[dim]
    point = [-y for y in proposal.equation_duals[:dim]]
    answer: Feasible | Infeasible | None = None
    if 0 < depth < math.inf:
        answer = _round(system, point, depth)
    if answer is None:
        answer = _settle(system, factors, proposal)
    return answer or exact.solve(system, start=_dyadic(point, 40))


def _dyadic(point: Sequence[float], bits: int) -> Point:
    """Multiples of 2**-bits near a float point; zero where it is not a number."""
    scale = 1 << bits
    scaled = [math.ldexp(x, bits) if abs(x) < _LARGEST else 0.0 for x in point]
    return tuple([Fraction(round(x), scale) for x in scaled])


def _round(system: StrictSystem, point: Sequence[float], depth: float) -> Feasible | None:
    """Try the float point with as many binary digits as a ball of radius `depth` leaves to choose, then with more."""
    fewest = max(0, math.ceil(math.log2(math.sqrt(len(point)) + 1.0) - math.log2(depth)) - 1)
    for bits in (fewest, fewest + 2, fewest + 20):
        if bits > _FLOAT_BITS:
            return None
        try:
            return Feasible(system, _dyadic(point, bits))
        except ProofError:
            continue
    return None


def _settle(system: StrictSystem, factors: Sequence[int], proposal: _DualSolution) -> Feasible | Infeasible | None:
    """Solve the proposed basis in Q, for the multipliers and for the point, and see whether one of them is a proof."""
    dim, count = system.dim, system.n_rows
    entries: list[int | Int] = []
    constants: list[int | Int] = []
    for row in proposal.columns:
        whole = [0] * dim + [1, 1] if row == count else _augmented(system, row, factors[row])
        entries.extend([whole[k] for k in proposal.equations])
        constants.append(whole[-1])
    size = len(proposal.columns)
    matrix = RationalMatrix(IntMatrix(size, size, entries))
    target = IntMatrix(size, 1, [int(k == dim) for k in proposal.equations])
    try:
        weights = matrix.transpose().solve(RationalMatrix(target)).numerators.entries()
    except ZeroDivisionError:
        return None
    pairs = [(row, int(w)) for row, w in zip(proposal.columns, weights, strict=True) if row < count and w != 0]
    if pairs and all(weight > 0 for _, weight in pairs):
        try:
            return Infeasible(system, coprime_multipliers(pairs))
        except ProofError:
            pass
    solution = matrix.solve(RationalMatrix(IntMatrix(size, 1, constants)))
    point = [Fraction(0)] * (dim + 1)
    for place, k in enumerate(proposal.equations):
        point[k] = -solution.entry(place, 0)
    try:
        answer = Feasible(system, tuple(point[:dim]))
    except ProofError:
        return None
    return Feasible(system, shorten(system, answer.witness))


def _augmented(system: StrictSystem, row: int, factor: int) -> list[int | Int]:
    rows, dim = system.rows, system.dim
    return [*[rows[row, k] for k in range(dim)], factor, rows[row, dim]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What HiGHS suggests as a minimum over a cell; nothing of it is proved.

    Attributes
    ----------
    tight : tuple of int
        Rows that are zero at the suggested minimum and determine it; independent, at most d.
    point : tuple of d floats
    """

    tight: tuple[int, ...]
    point: tuple[float, ...]


class CellLP:
    """Proposals for many linear programs over one cell, each starting from the basis of the one before.

    Parameters
    ----------
    system : StrictSystem
    solver : highspy.Highs, optional
        A solver to use for this cell from now on; without it, one is made.

    Examples
    --------
    >>> cell = CellLP(StrictSystem.from_rows([[1, 0, 0], [0, 1, 0], [-1, -2, 1]], 2))
    >>> cell.minimise([-1.0, -1.0]).tight
    (1, 2)
    >>> 2 in cell.minimise_row(2).tight
    True
    """

    def __init__(self, system: StrictSystem, *, solver: highspy.Highs | None = None) -> None:
        count, dim = system.n_rows, system.dim
        self.dim = dim
        self.rows, self.factors = float_rows(system.rows)
        self._lower = -self.rows[:, dim]
        self._solver = solver or new_solver()
        frame = _frame(count, dim)
        self._columns = np.arange(dim, dtype=np.int32)
        normals = np.ascontiguousarray(self.rows[:, :dim])
        self._solver.passModel(
            dim, count, count * dim, 2, 1, 0.0,
            frame.zeros[:dim], -frame.infinities[:dim], frame.infinities[:dim], self._lower, frame.infinities[:count],
            frame.starts, frame.indices, normals.ravel(), frame.continuous[:dim],
        )  # fmt: skip

    def minimise(self, direction: Sequence[float] | Floats) -> Proposal | None:
        """Propose a minimum of direction.x over the closed cell; None where HiGHS finds no minimum."""
        from highspy import HighsModelStatus

        self._solver.changeColsCost(self.dim, self._columns, np.asarray(direction, dtype=np.float64))
        self._solver.run()
        if self._solver.getModelStatus() != HighsModelStatus.kOptimal:
            return None
        basic = set((-1 - self._solver.getBasicVariables()[1]).tolist())
        tight = tuple(row for row in range(len(self._lower)) if row not in basic)
        return Proposal(tight, tuple(self._solver.getSolution().col_value))

    def minimise_row(self, index: int, *, relaxed: bool = True) -> Proposal | None:
        """Propose a minimum of one row over the other rows; `relaxed` keeps it above -1 (of unit normal) meanwhile."""
        bound = self._lower[index] - 1.0 if relaxed else self._lower[index]
        self._solver.changeRowBounds(index, bound, np.inf)
        try:
            return self.minimise(self.rows[index, : self.dim])
        finally:
            self._solver.changeRowBounds(index, self._lower[index], np.inf)


def minimise(form: Form, system: StrictSystem) -> Optimum | Unbounded | Infeasible:
    """Minimise an affine form over the closure of a strict system; see `exactregions.lp.minimise`."""
    answer = solve(system)
    if isinstance(answer, Infeasible):
        return answer
    target, _ = float_rows(IntMatrix(1, system.dim + 1, integer_row(form)[0]))
    if system.n_rows and system.dim:
        proposal = CellLP(system, solver=_solver()).minimise(target[0, : system.dim])
        optimum = None if proposal is None else _optimum_at(form, system, proposal)
        if optimum is not None:
            return optimum
    return exact.minimise(form, system, start=answer.witness)


def _optimum_at(form: Form, system: StrictSystem, proposal: Proposal) -> Optimum | None:
    """Solve the rows that seem tight in Q, for the multipliers and for the point."""
    dim, tight = system.dim, proposal.tight
    if len(tight) > dim:
        return None
    normals = IntMatrix(len(tight), dim, [system.rows[row, k] for row in tight for k in range(dim)])
    used = list(range(dim)) if len(tight) == dim else RationalMatrix(normals).pivot_columns()
    if len(used) < len(tight):
        return None
    size = len(tight)
    square = RationalMatrix(IntMatrix(size, size, [system.rows[row, k] for row in tight for k in used]))
    wanted = RationalMatrix.from_rows([[form[k]] for k in used], columns=1)
    constants = RationalMatrix(IntMatrix(size, 1, [-system.rows[row, dim] for row in tight]))
    # coordinates that the tight rows leave free keep the float's value
    point = list(_dyadic(proposal.point, 20))
    free = [k for k in range(dim) if k not in used]
    try:
        weights = square.transpose().solve(wanted).transpose().to_fractions()
        if free:
            rest = RationalMatrix(IntMatrix(size, len(free), [system.rows[row, k] for row in tight for k in free]))
            shift = rest @ RationalMatrix.from_rows([[point[k]] for k in free], columns=1)
            constants = RationalMatrix(
                constants.numerators * Int(shift.denominator) - shift.numerators, shift.denominator
            )
        solution = square.solve(constants)
    except ZeroDivisionError:
        return None
    for place, k in enumerate(used):
        point[k] = solution.entry(place, 0)
    pairs = zip(tight, weights[0] if weights else (), strict=True)
    multipliers = tuple((row, weight) for row, weight in pairs if weight != 0)
    where = tuple(point)
    try:
        return Optimum(form, system, evaluate_form(form, where), where, multipliers)
    except ProofError:
        return None
