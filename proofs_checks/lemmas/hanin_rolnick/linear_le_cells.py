"""Lemma 3 (a), with cells: there are at most as many linear regions as cells.

Each linear region holds a cell, for every choice of weights.  The check counts linear regions as the components of a
graph on the cells whose edges are facets found by crossing.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "linear_le_cells",
    title="#linear regions <= #cells",
    text="There are at most as many linear regions as cells (patterns by the left-open rule, with interior).",
    latex=r"\#\{\text{linear regions}\} \le \#\{\text{cells}\}",
    source="Hanin & Rolnick 2019, Lemma 3 (a), read with cells",
    route="components of the graph of facets found by crossing, joined where the affine maps agree",
    scope=Scope.EVERY,
)
def check(subject: Subject) -> Outcome:
    """Compare the two counts."""
    counts = {"n_linear": subject.n_linear, "n_cells": len(subject.cells)}
    if subject.n_linear > len(subject.cells):
        return fails(counts)
    return holds(counts)
