"""Euler's relation: the faces of a subdivision of R^d into open cells satisfy sum (-1)^k f_k = (-1)^d.

It holds for every network.  A complex with a cell missing violates it, so it is a test of completeness too, and one
that no engine uses.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import LISTABLE_FACES, LOW_DIMENSION, WHOLE_SPACE
from proofs_checks.lemmas.support.partial import f_vector, find_partial_regions
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_TEXT = "The alternating sum of the numbers of faces of dimension 0, ..., d is (-1)^d."
_LATEX = r"\sum_{k=0}^{d} (-1)^k f_k = (-1)^d"
_SOURCE = "Euler's relation for open cells of an open convex set"
_ROUTE = "faces by descent from facet to facet, named by evaluating the network at a point inside"


@register(
    "euler",
    title="Euler's relation",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, LOW_DIMENSION, LISTABLE_FACES),
    text=_TEXT,
    latex=_LATEX,
    source=_SOURCE,
    route=_ROUTE,
)
def check(subject: Subject) -> Outcome:
    """Sum the f-vector with alternating signs (d at most 2)."""
    return _sum(subject)


@register(
    "euler_any_d",
    title="Euler's relation, in every dimension and domain",
    scope=Scope.EVERY,
    hypotheses=(LISTABLE_FACES,),
    text=_TEXT,
    latex=_LATEX,
    source=_SOURCE,
    route=_ROUTE,
)
def check_any(subject: Subject) -> Outcome:
    """Sum the f-vector with alternating signs."""
    return _sum(subject)


def _sum(subject: Subject) -> Outcome:
    vector = f_vector(subject.cached(find_partial_regions), subject.dim)
    total = sum((-1) ** k * count for k, count in enumerate(vector))
    if total != (-1) ** subject.dim:
        return fails({"f_vector": vector, "alternating_sum": total})
    return holds(f_vector=vector)
