"""Lemma 3 (b): the closure of a linear region is the closure of a union of activation regions.

True for almost every choice of weights.  With strict regions it fails exactly where a neuron is degenerate: points of
that cell are in a linear region but in the closure of no strict region.  With cells it is true for every choice: the
gradient jumps across a facet iff the affine maps differ there, which is checked by the maps themselves.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_LATEX = r"\overline{\text{linear region}} = \overline{\textstyle\bigcup_{A \in \mathcal{A}} R(A)}"


@register(
    "linear_regions_are_unions",
    title="Lemma 3 (b), with strict regions",
    text="The closure of each linear region is the closure of a union of strict regions.",
    latex=_LATEX,
    source="Hanin & Rolnick 2019, Lemma 3 (b), for almost every parameter",
    route="a cell on which a neuron is degenerate, by its forms, lies in the closure of no strict region",
    scope=Scope.ALMOST_EVERY,
)
def check_strict(subject: Subject) -> Outcome:
    """Look for an open set outside the closures of all strict cells."""
    for cell in subject.cells:
        at = [neuron for neuron, here in enumerate(subject.network.breakpoints_at(cell.witness)) if here]
        if at:
            return fails(
                {"pattern": cell.text, "point": cell.witness, "degenerate_neurons": [subject.place(k) for k in at]},
                reason="a neuron is identically at its breakpoint around that point, which no strict region comes near",
            )
    return holds(linear_regions=subject.n_linear, strict=subject.n_strict)


@register(
    "linear_regions_are_unions_of_cells",
    title="Lemma 3 (b), with cells",
    text="The closure of each linear region is the closure of a union of cells.",
    latex=_LATEX,
    source="Hanin & Rolnick 2019, Lemma 3 (b), read with cells",
    route="affine maps on both sides of every facet: they agree on it, and elsewhere iff the region goes on",
    scope=Scope.EVERY,
)
def check_cells(subject: Subject) -> Outcome:
    """Look for a facet where the two maps disagree, or a cell that no linear region has."""
    for facet in subject.crossings:
        if facet.neighbour is None:
            return fails({"beyond": facet.point, "unlisted_pattern": subject.text(facet.pattern)})
        first, second = (subject.maps[k] for k in (facet.cell, facet.neighbour))
        if _value(first, facet.point) != _value(second, facet.point):
            return fails({"discontinuous_at": facet.point, "patterns": [subject.cells[facet.cell].text]})
    members = sorted(k for part in subject.linear_regions for k in part)
    if members != list(range(len(subject.cells))):
        return fails({"cells_in_linear_regions": members})
    return holds(linear_regions=subject.n_linear, cells=len(members), facets=len(subject.facets))


def _value(affine: tuple[tuple[Point, ...], Point], point: Point) -> Point:
    rows, shifts = affine
    return tuple(
        sum((w * x for w, x in zip(row, point, strict=True)), Fraction(shift))
        for row, shift in zip(rows, shifts, strict=True)
    )
