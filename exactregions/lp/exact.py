"""The rational simplex: decides every strict system and every linear program over Q, and always terminates.

One algorithm, the descent along edges: from a point of {v : a_i.v + s_i >= 0}, with s_i >= 0 at the start v = 0, walk
to a minimum of f.v.  The state is a basis of n linear forms, at first the coordinates, later rows that are tight.  As
long as f = sum lambda_k (form k) has lambda_k != 0 on a coordinate or lambda_k < 0 on a row, f falls along the line
that leaves form k and keeps the others; the first row to stop that line replaces form k, and a line that nothing stops
is a ray along which f falls for ever.  When no such k is left, lambda >= 0 proves the minimum.  Coordinates never come
back, and after a fixed number of steps both choices take the lowest row number, so no basis repeats (Bland, *Math.
Oper. Res.* 2, 1977).  Nothing is assumed on the rows: duplicates, zero rows, no vertex, no rows at all are no special
cases.

A strict system a_i.x + c_i > 0 is the program max {t : a_i.x + c_i >= t, t <= 1}, which has the point x = 0,
t = min(c_i, 1) and a maximum t* by the cap.  The walk stops with a witness as soon as t > 0.  Otherwise t* <= 0, and
its multipliers satisfy sum lambda_i a_i = 0, sum lambda_i + mu = 1, sum lambda_i c_i + mu = t* with mu, lambda >= 0;
lambda = 0 would make t* = mu = 1, so lambda is a Farkas vector.

The inverse of the basis is kept as an integer matrix over its determinant and updated without fractions (Bareiss).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction

from exactregions.lp.system import (
    Feasible,
    Form,
    Infeasible,
    Optimum,
    Point,
    StrictSystem,
    Unbounded,
    coprime_multipliers,
    evaluate_form,
    shorten,
)
from exactregions.rational import Int, IntMatrix, integer_row, primitive

__all__ = ["minimise", "solve"]

_COORDINATE = -1
_GREEDY_STEPS_PER_ROW = 10


class _End(Enum):
    MINIMUM = 1
    RAY = 2
    ENOUGH = 3


class _Descent:
    """Minimise f.v over {v : a_i.v + s_i >= 0} from v = 0.

    Parameters
    ----------
    rows : IntMatrix of shape (m, n+1)
        (a_i, s_i), with s_i >= 0.
    objective : sequence of n integers
    """

    def __init__(self, rows: IntMatrix, objective: Sequence[int]) -> None:
        self.size = len(objective)
        self.rows = rows
        self.objective = IntMatrix(1, self.size, objective)
        self.basis = [_COORDINATE] * self.size
        self.adjugate = IntMatrix(self.size, self.size, _identity(self.size))
        self.determinant = Int(1)
        self.position = [Int(0)] * self.size  # v, times the determinant
        self.direction: list[Int] = []
        self.weights: list[Int] = []  # lambda, times the determinant

    def run(self, enough: Callable[[_Descent], bool] = lambda _: False) -> _End:
        """Walk until a minimum, a ray, or until `enough` holds for the state."""
        greedy = _GREEDY_STEPS_PER_ROW * (self.rows.nrows() + self.size)
        while not enough(self):
            self.weights = (self.objective * self.adjugate).entries()
            leaving = self._leaving(greedy > 0)
            if leaving is None:
                return _End.MINIMUM
            column = [self.adjugate[k, leaving] for k in range(self.size)]
            self.direction = [-v for v in column] if self.weights[leaving] > 0 else column
            entering = self._entering()
            if entering is None:
                return _End.RAY
            self._exchange(leaving, entering, column)
            greedy -= 1
        return _End.ENOUGH

    def _leaving(self, greedy: bool) -> int | None:
        for place, row in enumerate(self.basis):
            if row == _COORDINATE and self.weights[place] != 0:
                return place
        negative = [place for place, weight in enumerate(self.weights) if weight < 0]
        if greedy:
            return min(negative, key=self.weights.__getitem__, default=None)
        return min(negative, key=self.basis.__getitem__, default=None)

    def _entering(self) -> int | None:
        """First row to become zero along the direction; the lowest number of several."""
        pairs = [entry for pair in zip(self.position, self.direction, strict=True) for entry in pair]
        product = (self.rows * IntMatrix(self.size + 1, 2, [*pairs, self.determinant, 0])).entries()
        best: int | None = None
        best_slack = best_fall = Int(0)
        for row, slope in enumerate(product[1::2]):
            if slope < 0:
                slack, fall = product[2 * row], -slope
                if best is None or slack * best_fall < best_slack * fall:
                    best, best_slack, best_fall = row, slack, fall
        return best

    def _exchange(self, place: int, row: int, column: list[Int]) -> None:
        """Put a row into the basis; with B the matrix of forms, adjugate = determinant * B^-1."""
        size, old = self.size, self.determinant
        along = (IntMatrix(1, size, [self.rows[row, k] for k in range(size)]) * self.adjugate).entries()
        pivot = along[place]
        along[place] = pivot - old
        if pivot < 0:
            pivot, along = -pivot, [-v for v in along]
        scaled = self.adjugate * pivot - IntMatrix(size, 1, column) * IntMatrix(1, size, along)
        self.adjugate = IntMatrix(size, size, [v // old for v in scaled.entries()])
        self.determinant = pivot
        self.basis[place] = row
        offsets = [0 if r == _COORDINATE else -self.rows[r, size] for r in self.basis]
        self.position = (self.adjugate * IntMatrix(size, 1, offsets)).entries()

    def moved(self, start: Sequence[int], scale: int) -> Point:
        """Return the point (start + v) / scale."""
        determinant = int(self.determinant)
        steps = zip(start, self.position, strict=False)
        return tuple([Fraction(p * determinant + int(v), scale * determinant) for p, v in steps])

    def row_weights(self) -> list[tuple[int, int]]:
        """Rows with a positive multiplier and that multiplier times the determinant, in the order of the rows."""
        pairs = zip(self.basis, self.weights, strict=True)
        return sorted((row, int(weight)) for row, weight in pairs if weight != 0)


def _identity(size: int) -> list[int]:
    return [int(i == j) for i in range(size) for j in range(size)]


def solve(system: StrictSystem, *, start: Point | None = None) -> Feasible | Infeasible:
    """Decide a strict system.

    Parameters
    ----------
    system : StrictSystem
    start : tuple of d Fractions, optional
        Where to begin; it affects speed only.

    Examples
    --------
    >>> solve(StrictSystem.from_rows([[1, 0], [-1, 1]], 1)).witness
    (Fraction(1, 2),)
    >>> solve(StrictSystem.from_rows([[1, 0], [-3, 0]], 1)).multipliers
    ((0, Fraction(3, 1)), (1, Fraction(1, 1)))
    """
    dim, count = system.dim, system.n_rows
    origin = start or (Fraction(0),) * dim
    values, scale = system.values(origin)
    margin = min([Int(scale), *values])
    table = system.rows.tolist()
    flat: list[int | Int] = []
    for row, value in zip(table, values, strict=True):
        flat.extend(row[:-1])
        flat.append(-1)
        flat.append(value - margin)
    flat.extend([0] * dim)
    flat.append(-1)
    flat.append(scale - margin)
    descent = _Descent(IntMatrix(count + 1, dim + 2, flat), [0] * dim + [-1])
    end = descent.run(lambda state: margin * state.determinant + state.position[dim] > 0)
    if end is _End.ENOUGH:
        return Feasible(system, shorten(system, descent.moved(integer_row(origin)[0], scale)))
    weights = [(row, weight) for row, weight in descent.row_weights() if row < count]
    return Infeasible(system, coprime_multipliers(weights))


def minimise(form: Form, system: StrictSystem, *, start: Point | None = None) -> Optimum | Unbounded | Infeasible:
    """Minimise an affine form over the closure of a strict system that has a solution.

    Parameters
    ----------
    form : tuple of d+1 Fractions
        The constant last.
    system : StrictSystem
    start : tuple of d Fractions, optional
        A point of the closed polyhedron, where the walk begins; without it, the strict system is decided first.

    Returns
    -------
    Optimum, Unbounded, or Infeasible
        Infeasible only without a start.

    Examples
    --------
    >>> triangle = StrictSystem.from_rows([[1, 0, 0], [0, 1, 0], [-1, -2, 1]], 2)
    >>> minimise((Fraction(-1), Fraction(-1), Fraction(0)), triangle).value
    Fraction(-1, 1)
    """
    if start is None:
        answer = solve(system)
        if isinstance(answer, Infeasible):
            return answer
        start = answer.witness
    origin, scale = integer_row(start)
    values, _ = system.values(start)
    table = system.rows.tolist()
    flat = [entry for row, value in zip(table, values, strict=True) for entry in (*row[:-1], value)]
    objective, factor = integer_row(form[:-1])
    descent = _Descent(IntMatrix(system.n_rows, system.dim + 1, flat), objective)
    end = descent.run()
    point = descent.moved(origin, scale)
    if end is _End.RAY:
        ray = primitive([int(v) for v in descent.direction])
        return Unbounded(form, system, point, tuple(map(Fraction, ray)))
    denominator = factor * int(descent.determinant)
    multipliers = tuple((row, Fraction(weight, denominator)) for row, weight in descent.row_weights())
    return Optimum(form, system, evaluate_form(form, point), point, multipliers)
