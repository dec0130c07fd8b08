"""Whether a list of cells is complete and right, decided without the engine that made it.

* `prove` settles the patterns with linear programs alone: none missing, none spurious, none twice.
* Every witness is put into the network, which must answer with the cell's pattern, strictly.
* The facets that the complex reports are compared with those found by crossing (`Subject.crossings`).
* The flags of degenerate neurons are compared with evaluation at the witness.

So a cell removed, two cells merged, a facet or a witness moved: each is found, and named.
"""

from __future__ import annotations

from exactregions import Status, prove
from exactregions.certificates import Proof
from exactregions.errors import ExactRegionsError
from exactregions.rational import format_rational
from proofs_checks.lemmas.support.subject import Point, Subject

__all__ = ["find_damage", "show"]


def find_damage(subject: Subject) -> str | None:
    """Return None if the complex is complete and right, else what is wrong with it."""
    try:
        return _patterns(subject) or _witnesses(subject) or _facets(subject)
    except ExactRegionsError as error:
        return str(error)


def _patterns(subject: Subject) -> str | None:
    if subject.complex.status is not Status.EXACT:
        return f"the search was stopped early, after {len(subject.cells)} cells"
    answer = prove(subject.network, subject.domain, subject.complex.patterns(), max_counterexamples=1)
    if isinstance(answer, Proof):
        return None
    for missing in answer.missing:
        return f"the cell {subject.text(missing.pattern)} is missing; it holds {show(missing.witness)}"
    for spurious in answer.spurious:
        return f"the listed pattern {subject.text(spurious.pattern)} has no cell"
    return "a pattern is listed twice" if answer.duplicates else "an entry is no pattern of the network"


def _witnesses(subject: Subject) -> str | None:
    for cell in subject.cells:
        if not subject.domain.contains(cell.witness):
            return f"the witness {show(cell.witness)} of {cell.text} is outside the domain"
        at = [neuron for neuron, here in enumerate(subject.network.breakpoints_at(cell.witness)) if here]
        if subject.network.pattern_at(cell.witness) != cell.pattern or tuple(at) != cell.degenerate:
            return f"the witness {show(cell.witness)} is not inside {cell.text}"
        if bool(subject.complex.strict[cell.index]) == bool(at):
            return f"the flag of degenerate neurons is wrong on {cell.text}"
    return None


def _facets(subject: Subject) -> str | None:
    for facet in subject.crossings:
        if facet.neighbour is None:
            return f"beyond {show(facet.point)} on the boundary of {subject.cells[facet.cell].text} no cell is listed"
    told = {(int(i), int(j)) for i, j in subject.complex.facets}
    for i, j in sorted(told ^ set(subject.facets)):
        names = f"{subject.cells[i].text} and {subject.cells[j].text}"
        return f"{names} are listed as neighbours and are not" if (i, j) in told else f"{names} share a facet unlisted"
    return None


def show(point: Point) -> str:
    """Write a point."""
    return f"({', '.join(map(format_rational, point))})"
