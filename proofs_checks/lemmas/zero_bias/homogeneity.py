"""Appendix D: a network without hidden biases satisfies N(c x) = c N(x) for every c > 0 (the output bias apart).

Symbolically: on every cell the affine map has no constant beyond the output bias, and the cell is a cone.  And exactly,
at rational points and factors.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HOMOGENEOUS, WHOLE_SPACE, ZERO_BIAS
from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_FACTORS = (Fraction(1, 7), Fraction(3), Fraction(10**6))


@register(
    "zero_bias_homogeneous",
    title="Without biases, N(c x) = c N(x)",
    text="If all hidden biases are 0, then N(c x) - b = c (N(x) - b) for every c > 0, b being the output bias.",
    latex=r"N(c x) = c\,N(x), \quad c > 0",
    source="Hanin & Rolnick 2019, Appendix D",
    route="constants of the affine map of every cell, and evaluation at multiples of points in cells and on facets",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS, ZERO_BIAS),
)
def check(subject: Subject) -> Outcome:
    """Look for a constant in an affine map, or a multiple with another value."""
    output = subject.network.output
    shift = output.bias if output is not None else (Fraction(0),) * subject.network.output_dim
    for cell, (_, constants) in zip(subject.cells, subject.maps, strict=True):
        if constants != shift:
            return fails({"pattern": cell.text, "constants": constants, "output_bias": shift})
    points = [cell.witness for cell in subject.cells] + [facet.point for facet in subject.crossings]
    for facet in subject.crossings:
        if facet.neighbour is None:
            return fails({"beyond": facet.point, "unlisted_pattern": subject.text(facet.pattern)})
    for point in points:
        value = _less(subject.network(point), shift)
        for factor in _FACTORS:
            scaled = _less(subject.network(tuple([factor * x for x in point])), shift)
            if scaled != tuple([factor * v for v in value]):
                return fails({"point": point, "factor": factor, "values": [value, scaled]})
    return holds(cells=len(subject.cells), points=len(points), factors=_FACTORS)


def _less(value: Point, shift: Point) -> Point:
    return tuple([v - b for v, b in zip(value, shift, strict=True)])
