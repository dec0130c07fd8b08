"""Irredundant rows: which of many inequalities bound a cell, with a point inside each facet, and a proof for the rest.

Put the origin at a strict witness w of the cell {x : a_i.x + c_i > 0}, and let s_i = a_i.w + c_i > 0.  With
b_i = -a_i / s_i the cell is {w + u : b_i.u < 1 for all i}, and by polar duality (Ziegler, *Lectures on Polytopes*, 2.3)
row i is irredundant iff b_i is a vertex of conv({0, b_1, ..., b_m}).  Two facts decide every row, both exactly:

* **ray**: if b_i.v > max(0, b_j.v) for all j != i, the ray w + t v leaves the cell through the relative interior of
  facet i, at t = 1 / b_i.v;
* **combination**: if a_i = sum lambda_j a_j with lambda >= 0 and s_i >= sum lambda_j s_j over other rows, then row i is
  implied by those rows, and no point of the cell's boundary lies on it alone.

Directions for rays and supports for combinations are proposed in floating point (NumPy, and HiGHS on the rows that are
known facets: Clarkson's scheme, so that its programs stay small); what the proposals leave open goes to the exact
simplex.  Comparing quotients of integers by Python's division is exact as far as it is used: that division rounds
correctly, rounding is monotone, so different rounded quotients are in the same order as the true ones; equal ones are
compared by cross-multiplication.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import UndecidedError
from exactregions.lp.exact import solve as solve_exactly
from exactregions.lp.proposals import PolarLP, propose_from_vertices
from exactregions.lp.system import Infeasible, StrictSystem
from exactregions.rational import IntMatrix, RationalMatrix, integer_row

__all__ = ["Facet", "find_facets"]

Row = tuple[int, ...]
_DIRECTION_BITS = 20
_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Facet:
    """A row that bounds the cell, and a point in the relative interior of its facet.

    Attributes
    ----------
    row : int
        Index into the rows that were given.
    point : tuple of Fraction
        Row `row` is zero there and every other row is positive.
    """

    row: int
    point: tuple[Fraction, ...]


def find_facets(
    rows: Sequence[Row],
    witness: Sequence[Fraction],
    *,
    known: Iterable[int] = (),
    rng: np.random.Generator | None = None,
) -> list[Facet]:
    """Find all irredundant rows of a cell, exactly.

    Parameters
    ----------
    rows : sequence of m integer rows (a_1, ..., a_d, c)
        Meaning a.x + c > 0; a is not zero, and no row is a positive multiple of another.
    witness : sequence of d Fractions
        A point that satisfies all rows strictly.
    known : iterable of int, optional
        Rows known to be irredundant; no point is looked for on them, and they are left out of the answer.
    rng : numpy Generator, optional
        Source of the trial directions; they affect speed only.

    Returns
    -------
    list of Facet
        In the order of the rows.

    Raises
    ------
    UndecidedError
        If a given witness is not strictly inside (a fault of the caller).

    Examples
    --------
    >>> square = [(1, 0, 0), (-1, 0, 1), (0, 1, 0), (0, -1, 1), (-1, -1, 5)]
    >>> [facet.row for facet in find_facets(square, (Fraction(1, 2), Fraction(1, 2)))]
    [0, 1, 2, 3]
    """
    if not rows:
        return []
    return _Search(rows, witness, known, rng or np.random.default_rng(0)).run()


class _Search:
    """State of one search: which rows are facets, which are settled, and the float picture used for proposals."""

    def __init__(
        self, rows: Sequence[Row], witness: Sequence[Fraction], known: Iterable[int], rng: np.random.Generator
    ) -> None:
        self.rows = rows
        self.dim = len(rows[0]) - 1
        self.rng = rng
        self.witness = tuple(witness)
        numerators, self.scale = integer_row(self.witness)
        self.normals = IntMatrix(len(rows), self.dim, [entry for row in rows for entry in row[:-1]])
        shifted = IntMatrix(len(rows), self.dim + 1, [entry for row in rows for entry in row]) * IntMatrix(
            self.dim + 1, 1, [*numerators, self.scale]
        )
        self.slacks = [int(value) for value in shifted.entries()]
        if min(self.slacks) <= 0:
            raise UndecidedError("the witness of a cell is not strictly inside it")
        self.polar = _polar_points(rows, self.slacks, self.scale)
        self.facets: dict[int, Facet | None] = dict.fromkeys(known)
        self.pending = set(range(len(rows))) - set(self.facets)

    def run(self) -> list[Facet]:
        if self.pending and self.polar is not None:
            self._shoot(_trial_directions(self.polar, self.dim))
            self._settle_with_vertices(self.polar)
            self._settle_with_lp(self.polar)
        for index in sorted(self.pending):
            self._settle_exactly(index)
        found = sorted(self.facets.items())
        return [facet for _, facet in found if facet is not None]

    def _shoot(self, directions: NDArray[np.float64]) -> None:
        """Follow rays, each row of `directions` one; all winners that are unique, exactly, become facets."""
        if self.polar is None:
            return
        gains = self.polar @ directions.T
        winners = gains.argmax(axis=0)
        tried: set[int] = set()
        for column in np.argsort(-gains[winners, np.arange(len(winners))], kind="stable"):
            row = int(winners[column])
            if row in self.pending and row not in tried and gains[row, column] > 0:
                tried.add(row)
                self.first_hit(directions[column])

    def first_hit(self, direction: NDArray[np.float64]) -> int | None:
        """Follow one ray exactly; return the row it leaves through if that row is alone there."""
        size = float(np.max(np.abs(direction)))
        if not np.isfinite(size) or size == 0:
            return None
        steps = [round(value * (1 << _DIRECTION_BITS)) for value in (direction / size).tolist()]
        falls = [-int(value) for value in (self.normals * IntMatrix(self.dim, 1, steps)).entries()]
        best, ties = self._largest_quotient(falls)
        if best is None or ties:
            return None
        if best in self.pending:
            time = Fraction(self.slacks[best], falls[best] * self.scale)
            point = tuple([x + time * step for x, step in zip(self.witness, steps, strict=True)])
            self.facets[best] = Facet(best, point)
            self.pending.discard(best)
        return best

    def _largest_quotient(self, falls: Sequence[int]) -> tuple[int | None, bool]:
        """Index of the largest positive falls[i] / slacks[i], and whether another one equals it."""
        best, rounded, ties = None, 0.0, False
        for index, (fall, slack) in enumerate(zip(falls, self.slacks, strict=True)):
            if fall <= 0:
                continue
            try:
                quotient = fall / slack
            except OverflowError:
                quotient = float("inf")
            if best is None or quotient > rounded:
                best, rounded, ties = index, quotient, False
            elif quotient == rounded:
                difference = fall * self.slacks[best] - falls[best] * slack
                if difference > 0:
                    best, ties = index, False
                elif difference == 0:
                    ties = True
        return best, ties

    def _settle_with_vertices(self, polar: NDArray[np.float64]) -> None:
        """Settle all rows at once where the known facets have few enough vertices to list them all."""
        while self.pending:
            candidates = sorted(self.pending)
            for proposal, rows in propose_from_vertices(polar, sorted(self.facets), candidates):
                if proposal.exceeds:
                    self._try_rays(proposal.point, rows[0])
                else:
                    self._combine(proposal.support)
            if len(self.pending) == len(candidates):
                return

    def _settle_with_lp(self, polar: NDArray[np.float64]) -> None:
        """Clarkson's scheme: programs over the known facets only; every outcome is checked exactly."""
        lp: PolarLP | None = None
        stuck: set[int] = set()
        while remaining := self.pending - stuck:
            index = min(remaining)
            lp = lp or PolarLP(polar)
            for facet in self.facets:
                lp.require(facet)
            proposal = lp.maximise(index)
            if proposal is None:
                stuck.add(index)
                continue
            if not proposal.exceeds:
                self._combine(proposal.support)
            before = len(self.facets)
            if index in self.pending:
                self._try_rays(proposal.point, index)
            if index in self.pending and len(self.facets) == before:
                stuck.add(index)

    def _try_rays(self, direction: NDArray[np.float64], index: int) -> None:
        """Follow a ray that should leave through an unknown facet; perturb it if it meets two rows at once."""
        for attempt in range(_RETRIES):
            spread = 0.0 if attempt == 0 else 2.0 ** (-4 * attempt)
            noise = self.rng.standard_normal(self.dim) * spread * float(np.max(np.abs(direction)))
            before = len(self.facets)
            self.first_hit(direction + noise)
            if len(self.facets) > before or index not in self.pending:
                return

    def _combine(self, support: Sequence[int]) -> None:
        """Settle every pending row that the supporting rows imply, by exact multipliers."""
        if not support or self.polar is None:
            return
        candidates = sorted(self.pending)
        multipliers = _multipliers(self.normals, support, candidates)
        if multipliers is None:
            return
        numerators, denominator = multipliers
        slack_of = [self.slacks[j] for j in support]
        for row, index in zip(numerators, candidates, strict=True):
            if row is None or min(row) < 0:
                continue
            if self.slacks[index] * denominator >= sum([m * s for m, s in zip(row, slack_of, strict=True)]):
                self.pending.discard(index)

    def _settle_exactly(self, index: int) -> None:
        """Decide one row by the exact simplex, which looks for a point beyond it that satisfies all others strictly.

        Rows that are strictly feasible together with the opposite of row i show a point q beyond it; the segment from
        the witness to q crosses row i where every other row is positive.  Otherwise row i is redundant: an interior
        point of its facet would have strictly feasible points beyond it.
        """
        beyond = tuple([-entry for entry in self.rows[index]])
        others = [row for place, row in enumerate(self.rows) if place != index]
        answer = solve_exactly(StrictSystem.from_rows([*others, beyond], self.dim))
        self.pending.discard(index)
        if isinstance(answer, Infeasible):
            return
        row = self.rows[index]
        inside = Fraction(self.slacks[index], self.scale)
        outside = sum((a * x for a, x in zip(row, answer.witness, strict=False)), Fraction(row[-1]))
        time = inside / (inside - outside)
        point = tuple(w + time * (q - w) for w, q in zip(self.witness, answer.witness, strict=True))
        self.facets[index] = Facet(index, point)


def _polar_points(rows: Sequence[Row], slacks: Sequence[int], scale: int) -> NDArray[np.float64] | None:
    """b_i = -a_i / s_i in floating point, or None where they are out of its range."""
    try:
        table = [[-(entry * scale) / slack for entry in row[:-1]] for row, slack in zip(rows, slacks, strict=True)]
    except OverflowError:
        return None
    return np.array(table)


def _trial_directions(polar: NDArray[np.float64], dim: int) -> NDArray[np.float64]:
    """Both ways along each axis, and along each polar point, which is how a vertex tends to show itself."""
    norms = np.linalg.norm(polar, axis=1, keepdims=True)
    own = polar / np.where((norms > 0) & np.isfinite(norms), norms, 1.0)
    axes = np.eye(dim) if dim <= 16 else np.zeros((0, dim))
    return np.concatenate([own, axes, -axes])


def _multipliers(
    normals: IntMatrix, support: Sequence[int], candidates: Sequence[int]
) -> tuple[list[list[int] | None], int] | None:
    """Exact lambda with a_i = sum lambda_j a_j over the support, as integers over one positive denominator.

    A candidate outside the span of the support gets None; a dependent support gives None altogether.
    """
    dim, size = normals.ncols(), len(support)
    table = normals.tolist()
    base = IntMatrix(size, dim, [entry for j in support for entry in table[j]])
    targets = [entry for i in candidates for entry in table[i]]
    wanted = IntMatrix(len(candidates), dim, targets)
    columns = list(range(dim))
    if size < dim:
        columns = RationalMatrix(base).pivot_columns()
        if len(columns) < size:
            return None
    elif size > dim:
        return None
    square = IntMatrix(size, size, [table[j][k] for j in support for k in columns])
    try:
        inverse = RationalMatrix(square).inverse()
    except ZeroDivisionError:
        return None
    right = IntMatrix(len(candidates), size, [table[i][k] for i in candidates for k in columns])
    product = right * inverse.numerators
    rows: list[list[int] | None] = [list(map(int, row)) for row in product.tolist()]
    if size < dim:
        spanned = (product * base).tolist()
        scaled = wanted.tolist()
        for place, (left, target) in enumerate(zip(spanned, scaled, strict=True)):
            if any(a != b * inverse.denominator for a, b in zip(left, target, strict=True)):
                rows[place] = None
    return rows, inverse.denominator
