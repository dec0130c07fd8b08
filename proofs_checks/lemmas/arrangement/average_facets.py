"""On average a cell has at most 2 d facets.

For arrangements that is a theorem (Fukuda, Saito, Tamura and Tokuyama 1991, for every arrangement with a vertex).
For networks it is an observation that every network seen so far confirms.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import WHOLE_SPACE
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, fails, holds


@register(
    "average_facets",
    title="At most 2 d facets on average",
    text="The average number of facets of a cell is at most 2 d.",
    latex=r"2 f_{d-1} / f_d \le 2 d",
    source="known for hyperplane arrangements; for networks, an observation",
    route="facets by crossing them",
    hypotheses=(WHOLE_SPACE,),
)
def check(subject: Subject) -> Outcome:
    """Compare twice the number of facets with 2 d times the number of cells."""
    average = Fraction(2 * len(subject.facets), len(subject.cells))
    facts = {
        "average": average,
        "bound": 2 * subject.dim,
        "n_facets": len(subject.facets),
        "n_cells": len(subject.cells),
    }
    return fails(facts) if average > 2 * subject.dim else holds(facts)
