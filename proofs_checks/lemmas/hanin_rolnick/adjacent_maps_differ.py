"""The linear regions assumption: cells that share a facet carry different affine maps.

Then linear regions are cells.  It is a hypothesis of Grigsby, Lindsey and Rolnick (2023) and of much else; generically
it fails only where some layer is entirely off, and integer weights make it fail elsewhere too.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "adjacent_maps_differ",
    title="Linear regions assumption",
    text="Two cells that share a facet carry different affine maps, so that every linear region is one cell.",
    latex=r"R(A), R(A')\ \text{share a facet} \implies N|_{R(A)} \ne N|_{R(A')}",
    source="Grigsby, Lindsey & Rolnick 2023, linear regions assumption",
    route="affine maps compared across every facet found by crossing",
    scope=Scope.FALSE,
)
def check(subject: Subject) -> Outcome:
    """Look for a facet with one affine map on both sides."""
    hidden = [pair for pair in subject.facets if subject.maps[pair[0]] == subject.maps[pair[1]]]
    if not hidden:
        return holds(facets=len(subject.facets))
    first, second = (subject.cells[k] for k in hidden[0])
    rows, shifts = subject.maps[hidden[0][0]]
    return fails(
        {
            "patterns": [first.text, second.text],
            "points": [first.witness, second.witness],
            "weights": rows,
            "bias": shifts,
        },
        reason=_cause(subject, hidden[0]),
        facets=len(subject.facets),
        invisible_facets=len(hidden),
    )


def _cause(subject: Subject, pair: tuple[int, int]) -> str:
    """Say whether the function is constant there, or two maps coincide."""
    rows, _ = subject.maps[pair[0]]
    if not any(entry for row in rows for entry in row):
        return "the network is constant on both cells"
    changed = [k for k, (a, b) in enumerate(zip(*(subject.cells[i].pattern for i in pair), strict=True)) if a != b]
    return f"neurons {', '.join(map(str, changed))} change piece without a trace in the output"
