"""A belief: that linear regions are convex.  Cells are; unions of them across facets need not be.

The union of cells that form a linear region is convex iff all of it lies on the inner side of each of its outer facets
(its closure then is the intersection of those half-spaces).  A cell with a point on the outer side gives a segment
between two points of the region that leaves it just beyond the facet, and its ends and a point between are the
counterexample.
"""

from __future__ import annotations

from fractions import Fraction

from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.lp.system import shorten
from exactregions.rational import round_to_bits
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.segments import point_on
from proofs_checks.lemmas.support.subject import Facet, Point, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "linear_regions_convex",
    title="Linear regions are convex",
    text="Every linear region (open, connected) is convex.",
    latex=r"\text{every linear region is convex}",
    source="often assumed; refuted by Stargalla, Hertrich & Reichman and by the network of seed 001",
    route="outer facets of each union of cells against its other cells, by exact linear programs",
    scope=Scope.FALSE,
)
def check(subject: Subject) -> Outcome:
    """Look for an outer facet with part of the region beyond it."""
    merged = sorted((part for part in subject.linear_regions if len(part) > 1), key=lambda part: (len(part), part))
    faults = [fault for part in merged if (fault := _dent(subject, part)) is not None]
    detail = {"linear_regions": subject.n_linear, "with_more_than_one_cell": len(merged)}
    if not faults:
        return holds(detail)
    return fails(
        faults[0],
        detail,
        reason="cells with one affine map meet around a cell with another",
        non_convex=len(faults),
    )


def _dent(subject: Subject, part: tuple[int, ...]) -> dict[str, object] | None:
    members = set(part)
    for facet in subject.crossings:
        if facet.cell in members and facet.neighbour not in members:
            for other in part:
                if (beyond := _point_beyond(subject, facet, other)) is not None:
                    return _segment(subject, facet, other, beyond, part)
    return None


def _point_beyond(subject: Subject, facet: Facet, other: int) -> Point | None:
    """Return a point of a cell strictly on the outer side of a facet, or None."""
    if other == facet.cell:
        return None
    rows = [*subject.cells[other].inequalities.rows, tuple([-entry for entry in facet.row])]
    answer = solve(StrictSystem.from_rows(rows, subject.dim))
    return answer.witness if isinstance(answer, Feasible) else None


def _segment(subject: Subject, facet: Facet, other: int, beyond: Point, part: tuple[int, ...]) -> dict[str, object]:
    """Return ends in the region and a point between them that is outside it."""
    inside, outside = subject.cells[facet.cell], facet.pattern
    own, wanted = (StrictSystem(subject.complex.inequalities_of(one).matrix) for one in (inside.pattern, outside))
    step = Fraction(1, 2)
    while True:
        start = shorten(own, point_on(facet.point, inside.witness, step))
        height = _value(facet.row, start)
        at = height / (height - _value(facet.row, beyond))
        for bits in range(1, 40):
            time = round_to_bits(at + Fraction(1, 2**bits), bits + 1)
            between = point_on(start, beyond, time)
            if 0 < time < 1 and wanted.satisfied_by(between):
                return {
                    "linear_region": [subject.cells[k].text for k in part],
                    "ends": [
                        {"pattern": inside.text, "point": start},
                        {"pattern": subject.cells[other].text, "point": beyond},
                    ],
                    "between": {"pattern": subject.text(outside), "point": between},
                }
        step /= 2


def _value(row: tuple[int, ...], point: Point) -> Fraction:
    return sum((a * x for a, x in zip(row, point, strict=False)), Fraction(row[-1]))
