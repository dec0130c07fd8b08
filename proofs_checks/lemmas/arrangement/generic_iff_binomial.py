"""The walls of the first layer attain the sum of C(m, i), i <= d, iff they are in general position.

General position is decided by ranks of sets of at most d + 1 walls, not by counting.
"""

from __future__ import annotations

from math import comb

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.first_layer import FEW_WALLS, hyperplanes, sign_vectors
from proofs_checks.lemmas.support.hypotheses import (
    HAS_NEURONS,
    WHOLE_SPACE,
    find_special_position,
    first_layer_walls,
)
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "binomial_iff_generic",
    title="The sum of binomials is attained iff generic",
    text="The m walls of the first layer cut R^d into the sum of C(m, i) regions, i <= d, iff they are in general"
    " position.",
    latex=r"r(\mathcal{A}) = \sum_{i=0}^{d} \binom{m}{i} \iff \mathcal{A}\ \text{generic}",
    source="Schlaefli; Zaslavsky 1975; quoted in seed 001 with <= and with =",
    route="ranks of all sets of at most d + 1 walls, against signs at witnesses",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS, WHOLE_SPACE, FEW_WALLS),
)
def check(subject: Subject) -> Outcome:
    """Compare the two sides of the equivalence."""
    count = len(first_layer_walls(subject))
    total = sum(comb(count, k) for k in range(subject.dim + 1))
    regions = len(sign_vectors(subject, hyperplanes(subject)))
    special = find_special_position(subject)
    facts: dict[str, object] = {"regions": regions, "binomial_sum": total, "generic": special is None}
    if (regions == total) != (special is None) or regions > total:
        return fails(facts, reason=special or "")
    return holds(facts, reason=special or "")
