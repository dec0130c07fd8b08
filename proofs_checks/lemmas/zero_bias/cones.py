"""Appendix D: the cells of a network without biases are convex cones.

Every form on a cell then has constant 0; conversely that is checked on the cell's inequalities, and on the network
itself by evaluating at multiples of a point.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HOMOGENEOUS, WHOLE_SPACE, ZERO_BIAS
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_FACTORS = (Fraction(1, 1000), Fraction(2), Fraction(1000))


@register(
    "zero_bias_cones",
    title="Without biases, cells are cones",
    text="If all hidden biases are 0, every cell is an open convex cone.",
    latex=r"b = 0,\ x \in R(A),\ c > 0 \implies c x \in R(A)",
    source="Hanin & Rolnick 2019, Appendix D",
    route="constants of all irredundant and redundant rows; patterns at multiples of a point by evaluation",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS, ZERO_BIAS),
)
def check(subject: Subject) -> Outcome:
    """Look for a row with a constant, or a multiple of a point in another cell."""
    for cell in subject.cells:
        for row in cell.inequalities.rows:
            if row[-1]:
                return fails({"pattern": cell.text, "row": list(map(str, row))})
        for factor in _FACTORS:
            point = tuple([factor * x for x in cell.witness])
            if subject.network.pattern_at(point) != cell.pattern:
                return fails({"pattern": cell.text, "point": cell.witness, "factor": factor})
    return holds(cells=len(subject.cells))
