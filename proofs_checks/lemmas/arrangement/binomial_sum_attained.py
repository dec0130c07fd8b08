"""One hidden layer of N neurons cuts R^d into sum C(N, i), i <= d, cells, generically, and never more."""

from __future__ import annotations

from math import comb

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import ONE_BREAKPOINT, ONE_LAYER, WHOLE_SPACE, find_special_position
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "binomial_sum_attained",
    title="One layer attains the sum of binomials",
    text="One hidden layer of N neurons has the sum of C(N, i) over i <= d cells.",
    latex=r"\#\{\text{cells}\} = \sum_{i=0}^{d} \binom{N}{i}",
    source="Schlaefli; Zaslavsky 1975; quoted in seed 001",
    route="the count against the formula",
    scope=Scope.ALMOST_EVERY,
    hypotheses=(ONE_LAYER, ONE_BREAKPOINT, WHOLE_SPACE),
)
def check(subject: Subject) -> Outcome:
    """Compare the count with the sum."""
    total = sum(comb(subject.network.n_neurons, k) for k in range(subject.dim + 1))
    counts = {"n_cells": len(subject.cells), "binomial_sum": total}
    if len(subject.cells) == total:
        return holds(counts)
    return fails(counts, reason=find_special_position(subject) or "")
