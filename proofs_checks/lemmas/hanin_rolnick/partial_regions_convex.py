"""Theorem 10's partial regions: sets on which r given neurons are at a breakpoint and the others on given pieces.

Each is convex, for every choice of weights: on it all pre-activations are affine.  They are the relatively open faces
of the complex, so that a state names one face only; the check meets every face from several cells and evaluates the
network at the middle of what it has met.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import LISTABLE_FACES
from proofs_checks.lemmas.support.partial import find_partial_regions, signs, state_at
from proofs_checks.lemmas.support.segments import point_on
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "partial_regions_convex",
    title="Partial regions are convex",
    text="For every r, every set on which exactly r neurons are at a breakpoint, with the others on given pieces,"
    " is convex.",
    latex=r"\{x : z(x) = \xi_z\ (z \in Z),\ \xi_{a_z} < z(x) < \xi_{a_z + 1}\ (z \notin Z)\}\ \text{is convex}",
    source="Hanin & Rolnick 2019, Appendix C",
    route="middles of points of one state, met from different cells, are evaluated",
    scope=Scope.EVERY,
    hypotheses=(LISTABLE_FACES,),
)
def check(subject: Subject) -> Outcome:
    """Evaluate the network at middles of points with one state."""
    regions = subject.cached(find_partial_regions)
    middles = 0
    for region in regions.values():
        if len(region.dims) > 1:
            return fails({"signs": signs(subject, region.state), "dimensions": sorted(region.dims)})
        for first, second in combinations(region.points, 2):
            middles += 1
            middle = point_on(first, second, Fraction(1, 2))
            if state_at(subject.network, middle) != region.state:
                return fails({"signs": signs(subject, region.state), "points": [first, second], "middle": middle})
    by_zeros: dict[int, int] = {}
    for region in regions.values():
        by_zeros[len(region.zeros)] = by_zeros.get(len(region.zeros), 0) + 1
    missing = _hole(subject)
    if missing is not None:
        return fails(missing, reason="a face borders on a cell that is not listed")
    return holds(by_r=dict(sorted(by_zeros.items())), middles=middles)


def _hole(subject: Subject) -> dict[str, object] | None:
    hole = next((facet for facet in subject.crossings if facet.neighbour is None), None)
    return None if hole is None else {"beyond": hole.point, "unlisted_pattern": subject.text(hole.pattern)}
