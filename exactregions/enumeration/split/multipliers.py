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
from math import gcd, lcm
from operator import mul

from exactregions.enumeration.split.cones import Cone
from exactregions.errors import UndecidedError
from exactregions.lp import Infeasible, StrictSystem
from exactregions.lp.exact import solve

__all__ = ["Cut", "Refusal", "multipliers"]

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


Terms = list[tuple[Cut, int]]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that cannot hold on a cone.

    Attributes
    ----------
    row : Cut
        The row.
    values : sequence of int
        What its negative, which is non-negative on the cone and not zero, is at the cone's rays.
    """

    row: Cut
    values: Ints


def multipliers(cone: Cone, cuts: Sequence[Cut], refusal: Refusal, *, is_cone: bool) -> dict[str, int]:
    """Return coprime multipliers, by the names of rows, which prove that a row cannot hold on a cone.

    Parameters
    ----------
    cone : Cone
        With one constraint for each of `cuts`, in that order.
    cuts : sequence of Cut
    refusal : Refusal
    is_cone : bool
        Whether there is no x_0; else it is the last coordinate.

    Examples
    --------
    >>> right = Cone.whole(2).split(1)[0].split(0)[0]  # x_0 >= 0 and x >= 0
    >>> cuts = [Cut("", (0, 1), 1), Cut("L0", (1, 0), 1)]
    >>> row = Cut("U1", (-2, -1), 1)  # -2 x - 1 > 0
    >>> multipliers(right, cuts, Refusal(row, [-sum(map(mul, row.entries, ray)) for ray in right.rays]), is_cone=False)
    {'L0': 2, 'U1': 1}
    """
    size = cone.size
    anchor = cuts[-1] if is_cone else Cut("", (*(0,) * (size - 1), 1), 1)
    heights = [sum(map(mul, anchor.entries, ray)) for ray in cone.rays] if is_cone else [r[size - 1] for r in cone.rays]
    best = _lowest(refusal.values, heights)
    found = _at_vertex(cone, cuts, refusal, anchor, heights, best)
    if found is None:
        found = _by_simplex(cuts, refusal.row, size)
    weights = [weight * cut.unit for cut, weight in found]
    divisor = gcd(*weights)
    return {cut.name: weight // divisor for (cut, _), weight in zip(found, weights, strict=True) if weight and cut.name}


def _lowest(values: Ints, heights: Ints) -> int:
    """Return a ray where values / heights is about smallest, among those with a positive height."""
    best, least = -1, 0.0
    for place, (value, height) in enumerate(zip(values, heights, strict=True)):
        if height > 0:
            try:
                quotient = value / height
            except OverflowError:
                quotient = float("inf")
            if best < 0 or quotient < least:
                best, least = place, quotient
    return best


def _at_vertex(
    cone: Cone, cuts: Sequence[Cut], refusal: Refusal, anchor: Cut, heights: Ints, vertex: int
) -> Terms | None:
    """Combine the rows at a vertex and the anchor; None if the vertex is not where values / heights is smallest."""
    value, height = refusal.values[vertex], heights[vertex]
    tight = cone.masks[vertex]
    if tight.bit_count() == cone.size - len(cone.lines) - 1:
        found = _along_edges(cone, cuts, refusal.values, heights, vertex)
        if found is None:
            return None
        scale, terms = found
    else:
        rows = [cut for place, cut in enumerate(cuts) if tight >> place & 1 and cut.name is not None]
        shifted = tuple([height * a + value * b for a, b in zip(refusal.row.entries, anchor.entries, strict=True)])
        answer = _combination(rows, shifted, cone.size)
        if answer is None:
            return None
        scale, terms = answer
    return [(refusal.row, scale * height), (anchor, scale * value), *terms]


def _along_edges(cone: Cone, cuts: Sequence[Cut], values: Ints, heights: Ints, vertex: int) -> tuple[int, Terms] | None:
    """Return s > 0 and terms that add up to s f', for a simple vertex; None if one of them is negative."""
    value, height = values[vertex], heights[vertex]
    masks, rays = cone.masks, cone.rays
    parts: list[tuple[Cut, int, int]] = []
    tight = left = masks[vertex]
    while left:
        bit = left & -left
        left ^= bit
        others = tight ^ bit
        end = next(place for place, mask in enumerate(masks) if mask & others == others and place != vertex)
        rise = height * values[end] - value * heights[end]
        if rise < 0:
            return None
        if rise:
            cut = cuts[bit.bit_length() - 1]
            parts.append((cut, rise, sum(map(mul, cut.entries, rays[end]))))
    scale = lcm(*[slope for _, _, slope in parts])
    return scale, [(cut, rise * (scale // slope)) for cut, rise, slope in parts]


def _by_simplex(cuts: Sequence[Cut], row: Cut, size: int) -> Terms:
    """Combine any of the rows."""
    found = _combination([cut for cut in cuts if cut.name is not None], row.entries, size)
    if found is None:
        raise UndecidedError("internal error: no multipliers for a row that cannot hold")
    return [(row, found[0]), *found[1]]


def _combination(cuts: Sequence[Cut], row: Ints, size: int) -> tuple[int, Terms] | None:
    """Return s > 0 and terms that add up to -s row, by the exact simplex; None if there are none."""
    if not any(row):
        return 1, []
    answer = solve(StrictSystem.from_rows([(*entries, 0) for entries in (*(cut.entries for cut in cuts), row)], size))
    if not isinstance(answer, Infeasible):
        return None
    weights = {place: int(weight) for place, weight in answer.multipliers}
    return weights.pop(len(cuts)), [(cuts[place], weight) for place, weight in weights.items()]
