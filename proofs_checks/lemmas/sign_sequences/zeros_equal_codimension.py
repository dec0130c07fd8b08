"""A face with k neurons at a breakpoint has codimension k, if the network is supertransversal.

Two coincident walls, three lines through a point, or a degenerate neuron violate it; then reconstruction from vertices
and every count that flips one sign a step go wrong.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import LISTABLE_FACES, LOW_DIMENSION, WHOLE_SPACE
from proofs_checks.lemmas.support.partial import PartialRegion, f_vector, find_partial_regions, signs
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_TEXT = "On every face, the number of neurons at a breakpoint equals the codimension of the face."
_LATEX = r"\#\{i : s_i(C) = 0\} = \operatorname{codim} C"
_SOURCE = "Masden 2022, Lemma 16, for supertransversal networks"
_ROUTE = "faces by descent from facet to facet, named by evaluating the network at a point inside"


@register(
    "zeros_equal_codimension",
    title="Zeros equal codimension",
    scope=Scope.ALMOST_EVERY,
    hypotheses=(WHOLE_SPACE, LOW_DIMENSION, LISTABLE_FACES),
    text=_TEXT,
    latex=_LATEX,
    source=_SOURCE,
    route=_ROUTE,
)
def check(subject: Subject) -> Outcome:
    """Look for a face with another number of zeros (d at most 2)."""
    return _compare(subject)


@register(
    "zeros_equal_codimension_any_d",
    title="Zeros equal codimension, in every dimension and domain",
    scope=Scope.ALMOST_EVERY,
    hypotheses=(LISTABLE_FACES,),
    text=_TEXT,
    latex=_LATEX,
    source=_SOURCE,
    route=_ROUTE,
)
def check_any(subject: Subject) -> Outcome:
    """Look for a face with another number of zeros."""
    return _compare(subject)


def _compare(subject: Subject) -> Outcome:
    regions = subject.cached(find_partial_regions)
    vector = f_vector(regions, subject.dim)
    odd = [region for region in regions.values() if len(region.zeros) != subject.dim - region.dim]
    if not odd:
        return holds(f_vector=vector)
    counts = [0] * (subject.dim + 1)
    for region in odd:
        counts[region.dim] += 1
    first = min(odd, key=lambda region: region.state)
    return fails(
        {
            "signs": signs(subject, first.state),
            "codimension": subject.dim - first.dim,
            "zeros": len(first.zeros),
            "point": first.points[0],
        },
        reason=_cause(subject, first),
        f_vector=vector,
        violating_faces=counts,
    )


def _cause(subject: Subject, region: PartialRegion) -> str:
    names = ", ".join(map(str, region.zeros))
    if region.dim == subject.dim:
        return f"neuron {names} is at its breakpoint on an open set"
    return f"neurons {names} are at a breakpoint together on a set of dimension {region.dim}"
