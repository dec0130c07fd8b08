"""How many r-partial regions meet a small ball around a point where k neurons are at a breakpoint.

If the k walls meet transversally there, each of the k neurons may be below, at or above, independently: C(k, r) choose
which r stay at the breakpoint, and the other k - r take either side, so the number is C(k, r) 2^(k-r).  The printed
count of Hanin and Rolnick's proof, at most 2^(k-r), leaves out the choice: at the crossing of two lines four half-lines
start, not two.  (It is right for r = 0 and r = k, and harmless in Theorem 10 up to the constant.)
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import LISTABLE_FACES, condition
from proofs_checks.lemmas.support.partial import PartialRegion, State, find_partial_regions, neighbouring, signs
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_SOURCE = "Hanin & Rolnick 2019, proof of Theorem 10"
_ROUTE = "faces found by descent, matched to the point by their states"


@condition("two transversal walls somewhere", reads_cells=True)
def _CROSSING(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    regions = subject.cached(find_partial_regions)
    if any(len(region.zeros) >= 2 for region in _transversal(subject, regions)):
        return None
    return "no point has two neurons at a breakpoint on a face of codimension two"


@register(
    "local_partial_count",
    title="C(k, r) 2^(k-r) partial regions at a point",
    text="Near a point where exactly k neurons are at a breakpoint, transversally, C(k, r) 2^(k-r) r-partial"
    " regions meet.",
    latex=r"\#\{r\text{-partial regions near } x\} = \binom{k}{r} 2^{k-r}",
    source=f"{_SOURCE}, corrected",
    route=_ROUTE,
    scope=Scope.EVERY,
    hypotheses=(LISTABLE_FACES,),
)
def check(subject: Subject) -> Outcome:
    """Count the faces around every face with as many zeros as its codimension."""
    points = 0
    for region, counts in _stars(subject):
        points += 1
        k = len(region.zeros)
        for r, count in enumerate(counts):
            if count != comb(k, r) * 2 ** (k - r):
                return fails(
                    {"signs": signs(subject, region.state), "point": region.points[0], "k": k, "r": r, "found": count},
                    reason=f"C(k, r) 2^(k-r) is {comb(k, r) * 2 ** (k - r)}",
                )
    return holds(faces=points)


@register(
    "local_partial_count_printed",
    title="At most 2^(k-r) partial regions at a point",
    text="Near a point where exactly k neurons are at a breakpoint, transversally, at most 2^(k-r) r-partial"
    " regions meet.",
    latex=r"\#\{r\text{-partial regions near } x\} \le 2^{k-r}",
    source=f"{_SOURCE}, as printed",
    route=_ROUTE,
    scope=Scope.FALSE,
    hypotheses=(LISTABLE_FACES, _CROSSING),
)
def check_printed(subject: Subject) -> Outcome:
    """Look for more than 2^(k-r) faces around a face."""
    points = 0
    for region, counts in _stars(subject):
        points += 1
        k = len(region.zeros)
        for r, count in enumerate(counts):
            if count > 2 ** (k - r):
                return fails(
                    {
                        "point": region.points[0],
                        "neurons_at_a_breakpoint": [subject.place(neuron) for neuron in region.zeros],
                        "k": k,
                        "r": r,
                        "found": count,
                        "printed": 2 ** (k - r),
                    },
                    reason="which r of the k neurons stay at their breakpoint is a choice: C(k, r) of them",
                )
    return holds(faces=points)


def _transversal(subject: Subject, regions: dict[State, PartialRegion]) -> list[PartialRegion]:
    """Faces whose codimension is the number of neurons at a breakpoint, and so are all faces around them."""
    odd = {region.state for region in regions.values() if len(region.zeros) != subject.dim - region.dim}
    plain = [region for region in regions.values() if len(region.zeros) == subject.dim - region.dim]
    return [region for region in plain if odd.isdisjoint(neighbouring(region.state))]


def _stars(subject: Subject) -> Iterator[tuple[PartialRegion, list[int]]]:
    """Yield each transversal face with the number of faces around it that have r zeros, for r = 0, ..., k."""
    regions = subject.cached(find_partial_regions)
    for region in sorted(_transversal(subject, regions), key=lambda one: (one.dim, one.state)):
        k = len(region.zeros)
        counts = [0] * (k + 1)
        for state in neighbouring(region.state):
            if state in regions:
                counts[sum(code % 2 for code in state)] += 1
        yield region, counts
