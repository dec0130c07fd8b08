"""Farkas multipliers from a vertex: a form that is non-negative on a cone, as a combination of rows tight there.

Let C be the closed cone of a path, pointed modulo its lines, f >= 0 on it a linear form, and a the *anchor*: x_0, or,
on cones, a row of the path.  Among the rays with a > 0 let v be one where f / a is smallest; f' = f - (f(v) / a(v)) a
is then non-negative on all rays (where a = 0, it is f), so on C, and 0 at v.  By Farkas' lemma it is a non-negative
combination of the rows that vanish at v.  If these are only as many as it takes to make v a ray (v is *simple*), each
edge at v leaves one of them, r_k, and leads to a ray w_k where the others still vanish; evaluating there gives the
multiplier, f'(w_k) / r_k(w_k).  Else the exact simplex finds multipliers among the rows at v.  So
    f = sum_k lambda_k r_k + (f(v) / a(v)) a,
which refutes f < 0: the rows r_k > 0 together with -f > 0 add up to -(f(v) / a(v)) a, where x_0 = 1 is a constant.

Everything is in integers.  Floats order the candidates for v: a wrong order shows as a negative multiplier, and then
the exact simplex decides with all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, inf, lcm
from operator import mul

from exactregions.enumeration.split.cones import Cone
from exactregions.errors import UndecidedError
from exactregions.lp import Infeasible, StrictSystem
from exactregions.lp.exact import solve

__all__ = ["Cut", "Support"]

Ints = Sequence[int]


@dataclass(frozen=True, slots=True)
class Cut:
    """A row of a path in reduced homogeneous coordinates.

    Attributes
    ----------
    name : str or None
        As certificates cite it; empty for x_0 > 0, which is no row but a constant; None for a row that another one of
        the path implies, and that is not to be cited.
    entries : tuple of int
        The row as certificates define it, times `unit`.
    unit : int
        Positive.
    """

    name: str | None
    entries: tuple[int, ...]
    unit: int

    def named(self, name: str | None, sign: int = 1) -> Cut:
        """Return the row, or its negative, under a name."""
        return Cut(name, self.entries if sign > 0 else tuple([-entry for entry in self.entries]), self.unit)


Terms = list[tuple[Cut, int]]


class Support:
    """The rows of a path where they meet, for as many refutations on its cone as are wanted.

    Parameters
    ----------
    cone : Cone
        With one constraint for each of `cuts`, in that order.
    cuts : sequence of Cut
    is_cone : bool
        Whether there is no x_0; else it is the last coordinate.

    Examples
    --------
    >>> right = Cone.whole(2).split(1)[0].split(0)[0]  # x_0 >= 0 and x >= 0
    >>> support = Support(right, [Cut("", (0, 1), 1), Cut("L0", (1, 0), 1)], is_cone=False)
    >>> row = Cut("U1", (-2, -1), 1)  # -2 x - 1 > 0
    >>> support.refute(row, [2 * x + unit for x, unit in right.rays])
    {'L0': 2, 'U1': 1}
    """

    def __init__(self, cone: Cone, cuts: Sequence[Cut], *, is_cone: bool) -> None:
        self.cone, self.cuts = cone, cuts
        last = cone.size - 1
        self.anchor = Cut("", (*(0,) * last, 1), 1)
        if is_cone and cuts:  # without cuts there is nothing to refute
            self.anchor = cuts[-1]
            self.heights = [sum(map(mul, self.anchor.entries, ray)) for ray in cone.rays]
        else:
            self.heights = [ray[last] for ray in cone.rays]
        self._raised = [place for place, height in enumerate(self.heights) if height > 0]
        self._edges: dict[int, list[tuple[Cut, int, int]] | None] = {}

    def refute(self, row: Cut, values: Ints) -> dict[str, int]:
        """Return coprime multipliers, by the names of rows, which prove that a row cannot hold on the cone.

        Parameters
        ----------
        row : Cut
            A row that is nowhere positive, and not zero.
        values : sequence of int
            What its negative is at the cone's rays.
        """
        found = self._at_vertex(row, values, self._lowest(values))
        if found is None:
            found = self._by_simplex(row)
        weights = [weight * cut.unit for cut, weight in found]
        divisor = gcd(*weights)
        return {
            cut.name: weight // divisor for (cut, _), weight in zip(found, weights, strict=True) if weight and cut.name
        }

    def _lowest(self, values: Ints) -> int:
        """Return a ray where values / heights is about smallest, among those with a positive height."""
        best, least = self._raised[0], inf
        for place in self._raised:
            try:
                quotient = values[place] / self.heights[place]
            except OverflowError:
                continue
            if quotient < least:
                best, least = place, quotient
        return best

    def _at_vertex(self, row: Cut, values: Ints, vertex: int) -> Terms | None:
        """Combine the rows at a vertex and the anchor; None if values / heights is not smallest there."""
        value, height = values[vertex], self.heights[vertex]
        edges = self._edges_at(vertex)
        if edges is None:
            tight = self.cone.masks[vertex]
            rows = [cut for place, cut in enumerate(self.cuts) if tight >> place & 1 and cut.name is not None]
            shifted = [height * a + value * b for a, b in zip(row.entries, self.anchor.entries, strict=True)]
            found = _combination(rows, shifted, self.cone.size)
            if found is None:
                return None
            scale, terms = found
        else:
            parts = []
            for cut, end, slope in edges:
                rise = height * values[end] - value * self.heights[end]
                if rise < 0:
                    return None
                if rise:
                    parts.append((cut, rise, slope))
            scale = lcm(*[slope for _, _, slope in parts])
            terms = [(cut, rise * (scale // slope)) for cut, rise, slope in parts]
        return [*terms, (self.anchor, scale * value), (row, scale * height)]

    def _edges_at(self, vertex: int) -> list[tuple[Cut, int, int]] | None:
        """For each row tight at a simple vertex, where the edge ends that leaves it, and the row's value there."""
        if vertex not in self._edges:
            cone = self.cone
            tight = left = cone.masks[vertex]
            found: list[tuple[Cut, int, int]] | None = None
            if tight.bit_count() == cone.size - len(cone.lines) - 1:
                found = []
                while left:
                    bit = left & -left
                    left ^= bit
                    others = tight ^ bit
                    for end, mask in enumerate(cone.masks):
                        if mask & others == others and end != vertex:
                            cut = self.cuts[bit.bit_length() - 1]
                            found.append((cut, end, sum(map(mul, cut.entries, cone.rays[end]))))
                            break
            self._edges[vertex] = found
        return self._edges[vertex]

    def _by_simplex(self, row: Cut) -> Terms:
        """Combine any of the rows."""
        found = _combination([cut for cut in self.cuts if cut.name is not None], row.entries, self.cone.size)
        if found is None:
            raise UndecidedError("internal error: no multipliers for a row that cannot hold")
        return [*found[1], (row, found[0])]


def _combination(cuts: Sequence[Cut], row: Ints, size: int) -> tuple[int, Terms] | None:
    """Return s > 0 and terms that add up to -s row, by the exact simplex; None if there are none."""
    if not any(row):
        return 1, []
    answer = solve(StrictSystem.from_rows([(*entries, 0) for entries in (*(cut.entries for cut in cuts), row)], size))
    if not isinstance(answer, Infeasible):
        return None
    weights = {place: int(weight) for place, weight in answer.multipliers}
    return weights.pop(len(cuts)), [(cuts[place], weight) for place, weight in weights.items()]
