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
    rows: IntMatrix,
    witness: Sequence[Fraction],
    *,
    known: Iterable[int] = (),
    rng: np.random.Generator | None = None,
) -> list[Facet]:
    """Find all irredundant rows of a cell, exactly.

    Parameters
    ----------
    rows : IntMatrix of shape (m, d + 1)
        Rows (a_1, ..., a_d, c), meaning a.x + c > 0; no a is zero, and no row is a positive multiple of another.
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
    >>> square = IntMatrix([[1, 0, 0], [-1, 0, 1], [0, 1, 0], [0, -1, 1], [-1, -1, 5]])
    >>> [facet.row for facet in find_facets(square, (Fraction(1, 2), Fraction(1, 2)))]
    [0, 1, 2, 3]
    """
    if rows.nrows() == 0:
        return []
    return _Search(rows, witness, known, rng or np.random.default_rng(0)).run()


class _Search:
    """State of one search: which rows are facets, which are settled, and the float picture used for proposals."""

    def __init__(
        self, rows: IntMatrix, witness: Sequence[Fraction], known: Iterable[int], rng: np.random.Generator
    ) -> None:
        self.rows = rows
        self.dim = rows.ncols() - 1
        self.rng = rng
        self.witness = tuple(witness)
        numerators, self.scale = integer_row(self.witness)
        self.homogeneous = [*numerators, self.scale]
        self.table = [[int(entry) for entry in row] for row in rows.tolist()]
        self.slacks = [int(value) for value in (rows * IntMatrix(self.dim + 1, 1, self.homogeneous)).entries()]
        if min(self.slacks) <= 0:
            raise UndecidedError("the witness of a cell is not strictly inside it")
        self.polar = _polar_points(self.table, self.slacks, self.scale)
        self.facets: dict[int, Facet | None] = dict.fromkeys(known)
        self.pending = set(range(len(self.table))) - set(self.facets)

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
        falls = [-int(value) for value in (self.rows * IntMatrix(self.dim + 1, 1, [*steps, 0])).entries()]
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
                    self._try_rays(proposal.point)
                else:
                    self._combine(proposal.support, rows)
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
                self._combine(proposal.support, sorted(self.pending))
            before = len(self.facets)
            if index in self.pending:
                self._try_rays(proposal.point)
            if index in self.pending and len(self.facets) == before:
                stuck.add(index)

    def _try_rays(self, direction: NDArray[np.float64]) -> None:
        """Follow a ray that should leave through an unknown facet; perturb it if it meets several rows at once."""
        for attempt in range(_RETRIES):
            spread = 0.0 if attempt == 0 else 2.0 ** (-4 * attempt)
            noise = self.rng.standard_normal(self.dim) * spread * float(np.max(np.abs(direction)))
            if self.first_hit(direction + noise) is not None:
                return

    def _combine(self, support: Sequence[int], candidates: Sequence[int]) -> None:
        """Settle those of the candidates that the supporting rows imply, by exact multipliers.

        With M the supporting normals, row i of the product a_i M^-1 holds its multipliers; its product with the
        supports' slacks is what s_i must reach.
        """
        if not 0 < len(support) <= self.dim:
            return
        basis = [self.table[j][:-1] for j in support]
        columns = list(range(self.dim))
        if len(support) < self.dim:
            columns = RationalMatrix(IntMatrix(basis)).pivot_columns()
        try:
            inverse = RationalMatrix(IntMatrix([[row[k] for k in columns] for row in basis])).inverse()
        except (ZeroDivisionError, ValueError):  # dependent supports
            return
        wanted = IntMatrix([[self.table[i][k] for k in columns] for i in candidates])
        multipliers = wanted * inverse.numerators
        needed = (multipliers * IntMatrix(len(support), 1, [self.slacks[j] for j in support])).entries()
        spanned = (multipliers * IntMatrix(basis)).tolist() if len(support) < self.dim else None
        for place, index in enumerate(candidates):
            if min(multipliers[place, k] for k in range(len(support))) < 0:
                continue
            if spanned and any(
                got != entry * inverse.denominator
                for got, entry in zip(spanned[place], self.table[index][:-1], strict=True)
            ):
                continue
            if self.slacks[index] * inverse.denominator >= needed[place]:
                self.pending.discard(index)

    def _settle_exactly(self, index: int) -> None:
        """Decide one row by the exact simplex, which looks for a point beyond it that satisfies all others strictly.

        Rows that are strictly feasible together with the opposite of row i show a point q beyond it; the segment from
        the witness to q crosses row i where every other row is positive.  Otherwise row i is redundant: an interior
        point of its facet would have strictly feasible points beyond it.
        """
        row = self.table[index]
        others = [other for place, other in enumerate(self.table) if place != index]
        beyond = [-entry for entry in row]
        answer = solve_exactly(StrictSystem.from_rows([*others, beyond], self.dim))
        self.pending.discard(index)
        if isinstance(answer, Infeasible):
            return
        inside = Fraction(self.slacks[index], self.scale)
        outside = sum((a * x for a, x in zip(row, answer.witness, strict=False)), Fraction(row[-1]))
        time = inside / (inside - outside)
        point = tuple(w + time * (q - w) for w, q in zip(self.witness, answer.witness, strict=True))
        self.facets[index] = Facet(index, point)


def _polar_points(rows: Sequence[Sequence[int]], slacks: Sequence[int], scale: int) -> NDArray[np.float64] | None:
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
