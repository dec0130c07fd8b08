"""The independent backend: cvxpy's solvers propose, an elimination over Q proves; it shares no code with the others.

A strict system a_i.x + c_i > 0 has a solution iff the cone {(x, h) : a_i.x + c_i h > 0, h > 0} is not empty.  The
program max {t : rows.z >= t, |z| <= 1} looks for its deepest point; t = 0 is its value iff the system has no solution,
and its multipliers then are a Farkas vector.  A solver's 1e-9 cannot tell the two apart, so the program is zoomed
(iterative refinement: Gleixner, Steffy, Wolter, *INFORMS J. Comput.* 28, 2016): the approximate z becomes the origin,
exactly, and the program for what is left is scaled up, which gains some 20 bits a round.

After each round two exact attempts are made.  The point is checked as a witness.  The multipliers that look positive
are moved to a near exact solution of sum lambda_i a_i = 0, with sum lambda_i c_i = 0 added or not, and checked as a
Farkas vector.  An interior-point solver tends to a solution that is positive wherever any is, so that moving it a
little keeps it positive.  When the rounds are used up, `UndecidedError` is raised: nothing is guessed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import UndecidedError
from exactregions.lp.system import (
    Feasible,
    Form,
    Infeasible,
    Optimum,
    Point,
    ProofError,
    StrictSystem,
    Unbounded,
    evaluate_form,
    shorten,
)
from exactregions.rational import RationalMatrix, round_to_bits

__all__ = ["chebyshev_centre", "minimise", "solve"]

Floats = NDArray[np.float64]

_ROUNDS = 24
_ROOM_BITS = 6  # the box is this much larger than the worst violation
_STALL_BITS = 8
_CUTOFFS = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0.0)  # how small a multiplier is left out of a proposed support
_FAR = 1e6  # rows farther away than this many zoomed units are kept at that distance
_SOLVERS = ("CLARABEL", "SCIPY")  # SciPy's own HiGHS: the one of highspy prints a banner when cvxpy starts it


def _unit_rows(system: StrictSystem) -> list[tuple[Fraction, ...]]:
    """Rows divided by powers of two, so that the largest entry is between 1/2 and 1."""
    scaled = []
    for entries in system.rows.tolist():
        row = [int(v) for v in entries]
        size = max(abs(v) for v in row).bit_length()
        scaled.append(tuple([Fraction(v, 1 << size) for v in row]))
    return scaled


def _exponent(value: Fraction) -> int:
    """Largest-integer logarithm to base 2 of a positive rational, up to one."""
    return value.numerator.bit_length() - value.denominator.bit_length()


def _dyadic(value: float, bits: int) -> Fraction:
    return round_to_bits(Fraction(value), bits) if np.isfinite(value) else Fraction(0)


def _dot(row: Sequence[Fraction], point: Sequence[Fraction]) -> Fraction:
    return sum((a * x for a, x in zip(row, point, strict=True)), Fraction(0))


@dataclass(frozen=True, slots=True)
class _Reply:
    """A solver's point and the multipliers of the rows."""

    point: Floats
    weights: Floats
    boxed: bool


class _Program:
    """min {g.u - t : rows.u + shift >= t, |u| <= 1, t <= cap} for changing shifts; cap = 0 fixes t at 0."""

    def __init__(self, rows: Floats, direction: Floats, *, deepest: bool) -> None:
        import cvxpy as cp

        count, size = rows.shape
        self._shift = cp.Parameter(count)
        self._point = cp.Variable(size)
        depth: Any = cp.Variable() if deepest else 0.0
        self._rows = rows @ self._point + self._shift >= depth
        box = [self._point <= 1, self._point >= -1]
        limits = [depth <= 1] if deepest else []
        self._problem = cp.Problem(cp.Minimize(direction @ self._point - depth), [self._rows, *box, *limits])
        self._error = cp.error.SolverError

    def ask(self, shift: Floats, solver: str) -> _Reply | None:
        """Return the solver's reply, or None if it fails."""
        self._shift.value = shift
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an inaccurate reply is still a proposal
            try:
                self._problem.solve(solver=solver)
            except self._error:
                return None
        point, weights = self._point.value, self._rows.dual_value
        if point is None or weights is None or not (np.isfinite(point).all() and np.isfinite(weights).all()):
            return None
        point, weights = np.atleast_1d(point), np.abs(np.atleast_1d(weights))
        return _Reply(point, weights, bool(np.abs(point).max() > 0.99))


class _Zoom:
    """An exact centre and a scale: the program in u stands for z = centre + u / 2**bits."""

    def __init__(self, rows: Sequence[tuple[Fraction, ...]], constants: Sequence[Fraction], centre: Point) -> None:
        self.rows, self.constants = rows, constants
        self.centre = centre
        self.bits = 0
        self.slacks = self._evaluate()

    def _evaluate(self) -> list[Fraction]:
        return [_dot(row, self.centre) + c for row, c in zip(self.rows, self.constants, strict=True)]

    def shift(self) -> Floats:
        """Return the slacks in zoomed units, far ones pulled in; floats will do, since the next round corrects."""
        factor, far = Fraction(2) ** self.bits, Fraction(_FAR)
        return np.array([float(max(-far, min(far, slack * factor))) for slack in self.slacks])

    def move(self, step: Floats) -> None:
        """Move the centre by a step in zoomed units."""
        factor = Fraction(2) ** -self.bits
        steps = [_dyadic(float(v), 50) * factor for v in step]
        self.centre = tuple([x + s for x, s in zip(self.centre, steps, strict=True)])
        self.slacks = self._evaluate()


def solve(system: StrictSystem) -> Feasible | Infeasible:
    """Decide a strict system through cvxpy.

    Raises
    ------
    UndecidedError
        If neither proof is found.

    Examples
    --------
    >>> gap = StrictSystem.from_rows([[1, 0], [-1, "1/1152921504606846976"]], 1)
    >>> 0 < solve(gap).witness[0] < Fraction(1, 2**60)
    True
    """
    dim = system.dim
    if system.n_rows == 0:
        return Feasible(system, (Fraction(0),) * dim)
    homogeneous = [*_unit_rows(system), (*[Fraction(0)] * dim, Fraction(1))]
    floats = np.array([[float(v) for v in row] for row in homogeneous])
    program = _Program(floats, np.zeros(dim + 1), deepest=True)
    zoom = _Zoom(homogeneous, [Fraction(0)] * len(homogeneous), (Fraction(0),) * (dim + 1))
    stalls, violation = 0, None
    for turn in range(_ROUNDS):
        reply = program.ask(zoom.shift(), _SOLVERS[turn % 2])
        if reply is None:
            continue
        answer = _as_farkas(system, homogeneous, reply.weights[:-1])
        if answer is not None:
            return answer
        zoom.move(reply.point)
        if min(zoom.slacks) > 0:
            height = zoom.centre[dim]
            return Feasible(system, shorten(system, tuple([z / height for z in zoom.centre[:dim]])))
        worst = -min(zoom.slacks)
        stalls = stalls + 1 if reply.boxed and violation is not None and 16 * worst > violation else 0
        violation = worst
        zoom.bits = (zoom.bits + 20 if worst == 0 else -_exponent(worst) - _ROOM_BITS) - _STALL_BITS * stalls
    raise UndecidedError(
        f"cvxpy led to no proof for a system of {system.n_rows} rows in dimension {dim}",
        remedy='use the backend "highs" or "exact", which always decide',
    )


def _supports(weights: Floats) -> Iterator[list[int]]:
    """Proposed supports, in the order of falling and of rising weight.

    The first members are solved for, the last ones keep what the solver said: tiny weights are best solved for when
    they matter, and best kept when they are noise.
    """
    order = np.argsort(-weights, kind="stable")
    top = float(weights.max(initial=0.0))
    seen = set()
    for cutoff in _CUTOFFS:
        support = [int(i) for i in order if weights[i] > cutoff * top]
        if support and len(support) not in seen:
            seen.add(len(support))
            yield support
            yield support[::-1]


def _as_farkas(system: StrictSystem, rows: Sequence[tuple[Fraction, ...]], weights: Floats) -> Infeasible | None:
    """Move the multipliers to an exact solution and try them as a proof."""
    for support in _supports(weights):
        guess = [_dyadic(float(weights[i]), 60) for i in support]
        for width in (system.dim, system.dim + 1):
            equations = [[rows[i][k] for i in support] for k in range(width)]
            exact = _nearby(equations, [Fraction(0)] * width, guess)
            if exact is None or min(exact) <= 0:
                continue
            pairs = zip(support, exact, strict=True)
            multipliers = [(i, value * _ratio(system, rows, i)) for i, value in pairs]
            try:
                return Infeasible(system, tuple(sorted(multipliers)))
            except ProofError:
                continue
    return None


def _ratio(system: StrictSystem, rows: Sequence[tuple[Fraction, ...]], index: int) -> Fraction:
    """Scaled row over integer row, a power of two."""
    for k, entry in enumerate(rows[index]):
        if entry:
            return entry / int(system.rows[index, k])
    return Fraction(1)


def _nearby(
    matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction], guess: Sequence[Fraction]
) -> list[Fraction] | None:
    """Return an exact solution y of matrix y = right near a guess, or None if there is none.

    The guess is kept in the free columns, which come as late as possible; the pivot columns are solved for.
    """
    table = RationalMatrix.from_rows(matrix, columns=len(guess))
    pivots = table.pivot_columns()
    equations = table.transpose().pivot_columns()
    free = sorted(set(range(len(guess))) - set(pivots))
    solution = list(guess)
    rest = [[right[e] - sum((matrix[e][j] * guess[j] for j in free), Fraction(0))] for e in equations]
    if pivots:
        square = RationalMatrix.from_rows([[matrix[e][j] for j in pivots] for e in equations])
        for j, (value,) in zip(pivots, square.solve(RationalMatrix.from_rows(rest)).to_fractions(), strict=True):
            solution[j] = value
    if any(_dot(row, solution) != value for row, value in zip(matrix, right, strict=True)):
        return None
    return solution


def minimise(form: Form, system: StrictSystem) -> Optimum | Unbounded | Infeasible:
    """Minimise an affine form over the closure of a strict system through cvxpy.

    Raises
    ------
    UndecidedError
        If no proof is found.
    """
    answer = solve(system)
    if isinstance(answer, Infeasible):
        return answer
    dim, start = system.dim, answer.witness
    if not any(form[:-1]):
        return Optimum(form, system, form[-1], start, ())
    size = max(abs(f) for f in form[:-1])
    goal = np.array([float(f / size) for f in form[:-1]])
    rows = _unit_rows(system)
    normals = [row[:-1] for row in rows]
    floats = np.array([[float(v) for v in row] for row in normals]).reshape(len(rows), dim)
    if not len(rows):
        return Unbounded(form, system, start, tuple([-f for f in form[:-1]]))
    program = _Program(floats, goal, deepest=False)
    for solver in _SOLVERS:
        reply = program.ask(np.zeros(len(rows)), solver)
        ray = None if reply is None else _as_ray(form, system, normals, start, reply)
        if ray is not None:
            return ray
    zoom = _Zoom(normals, [row[-1] for row in rows], start)
    zoom.bits = -max([1, *[_exponent(abs(x)) + 1 for x in start if x]])
    for turn in range(_ROUNDS):
        reply = program.ask(zoom.shift(), _SOLVERS[turn % 2])
        if reply is None:
            continue
        optimum = _as_optimum(form, system, rows, zoom, reply)
        if optimum is not None:
            return optimum
        if reply.boxed:
            zoom.bits -= _STALL_BITS
            continue
        zoom.move(reply.point)
        zoom.bits += 10
    raise UndecidedError(
        f"cvxpy led to no proof of a minimum over {system.n_rows} rows in dimension {dim}",
        remedy='use the backend "highs" or "exact", which always decide',
    )


def _as_ray(
    form: Form, system: StrictSystem, normals: Sequence[tuple[Fraction, ...]], start: Point, reply: _Reply
) -> Unbounded | None:
    """Move a falling direction exactly into the planes that it seems to lie in, and try it as a ray."""
    falls = [float(_dot(normal, [_dyadic(float(v), 50) for v in reply.point])) for normal in normals]
    for cutoff in _CUTOFFS:
        guess = [_dyadic(float(v), 50) for v in reply.point]
        tight = [normals[i] for i, fall in enumerate(falls) if abs(fall) < cutoff]
        ray = _nearby(tight, [Fraction(0)] * len(tight), guess)
        if ray is None:
            continue
        try:
            return Unbounded(form, system, start, tuple(ray))
        except ProofError:
            continue
    return None


def _as_optimum(
    form: Form, system: StrictSystem, rows: Sequence[tuple[Fraction, ...]], zoom: _Zoom, reply: _Reply
) -> Optimum | None:
    """Make the rows that seem to matter exactly tight and the multipliers exact, and try both as a proof."""
    dim = system.dim
    size = max(abs(f) for f in form[:-1])
    factor = Fraction(2) ** -zoom.bits
    near = [x + _dyadic(float(u), 50) * factor for x, u in zip(zoom.centre, reply.point, strict=True)]
    for support in _supports(reply.weights):
        guess = [_dyadic(float(reply.weights[i]), 60) * size for i in support]
        weights = _nearby([[rows[i][k] for i in support] for k in range(dim)], form[:-1], guess)
        point = _nearby([rows[i][:-1] for i in support], [-rows[i][-1] for i in support], near)
        if weights is None or point is None or min(weights) < 0:
            continue
        pairs = zip(support, weights, strict=True)
        multipliers = sorted((i, value * _ratio(system, rows, i)) for i, value in pairs if value)
        where = tuple(point)
        try:
            return Optimum(form, system, evaluate_form(form, where), where, tuple(multipliers))
        except ProofError:
            continue
    return None


def chebyshev_centre(system: StrictSystem) -> tuple[Floats, float]:
    """Centre and radius of a largest ball in the closed polyhedron, in floating point.

    A numerical description of a cell, not a proof of anything: use `exactregions.lp.solve` to decide.

    Returns
    -------
    centre : ndarray of shape (d,)
    radius : float
        ``inf`` if balls of any size fit; the centre then is that of a ball of radius 1.

    Raises
    ------
    UndecidedError
        If no ball of positive radius shows in floating point.

    Examples
    --------
    >>> centre, radius = chebyshev_centre(StrictSystem.from_rows([[1, 0, 0], [0, 1, 0], [-1, 0, 1], [0, -1, 1]], 2))
    >>> centre.round(6).tolist(), round(radius, 6)
    ([0.5, 0.5], 0.5)
    """
    import cvxpy as cp

    dim = system.dim
    rows = np.array([[float(v) for v in row] for row in _unit_rows(system)]).reshape(system.n_rows, dim + 1)
    lengths = np.linalg.norm(rows[:, :-1], axis=1)
    centre, radius = cp.Variable(dim), cp.Variable()
    inside = [rows[:, :-1] @ centre + rows[:, -1] >= cp.multiply(lengths, radius)] if len(rows) else []
    problem = cp.Problem(cp.Maximize(radius), inside)
    unbounded = not inside
    try:
        if inside:
            problem.solve(solver="CLARABEL")
            unbounded = problem.status in {"unbounded", "unbounded_inaccurate"}
        if unbounded:
            cp.Problem(cp.Minimize(cp.sum_squares(centre)), [*inside, radius == 1]).solve(solver="CLARABEL")
    except cp.error.SolverError as error:
        raise UndecidedError(f"no Chebyshev centre: {error}") from error
    if centre.value is None or radius.value is None or not radius.value > 0:
        raise UndecidedError("no ball of positive radius shows in floating point", remedy="decide with lp.solve")
    return np.array(centre.value, dtype=np.float64), float("inf") if unbounded else float(radius.value)
