"""Multiplying all biases by c > 0 keeps the patterns: N_(c b)(c x) = c N_b(x) (without the output bias).

So only the ratio of the biases' scale to the window matters; on all of R^d the count does not depend on it.
"""

from __future__ import annotations

from fractions import Fraction

from exactregions import enumerate_regions
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HOMOGENEOUS, WHOLE_SPACE
from proofs_checks.lemmas.support.related import rescale_biases
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_FACTORS = (Fraction(2), Fraction(1, 3))


@register(
    "bias_scaling",
    title="Rescaling the biases keeps the patterns",
    text="Multiplying all hidden biases by one c > 0 leaves the set of patterns as it is; cells are scaled by c.",
    latex=r"\mathcal{R}(W, c\,b) = c\,\mathcal{R}(W, b), \quad c > 0",
    source="Hanin & Rolnick 2019, section 4.2",
    route="the rescaled networks enumerated, and evaluated at c times each witness",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS),
)
def check(subject: Subject) -> Outcome:
    """Compare the sets of patterns for each factor."""
    patterns = {cell.pattern for cell in subject.cells}
    for factor in _FACTORS:
        scaled = rescale_biases(subject.network, factor)
        for cell in subject.cells:
            point = tuple([factor * x for x in cell.witness])
            if scaled.pattern_at(point) != cell.pattern:
                return fails({"factor": factor, "pattern": cell.text, "point": point})
        found = set(enumerate_regions(scaled, subject.domain).patterns())
        if found != patterns:
            odd = min(found ^ patterns)
            return fails(
                {"factor": factor, "pattern": subject.text(odd), "only_in": "scaled" if odd in found else "own"}
            )
    return holds(factors=_FACTORS, patterns=len(patterns))
