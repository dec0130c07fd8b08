"""All faces from the vertices: put any signs in place of the zeros of a vertex, and take the union (Masden 2022).

It is right if every face has as many zeros as its codimension and every cell has a vertex.  Without that it invents
faces, where more than d walls meet in a vertex, and misses all where there is none, as in networks whose first layer is
narrower than the input.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import LISTABLE_FACES, WHOLE_SPACE, condition
from proofs_checks.lemmas.support.partial import PartialRegion, State, find_partial_regions, neighbouring, signs
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_ZEROS = 10  # 3^10 sequences of one vertex are listed, not more


@condition("zeros equal codimension", reads_cells=True)
def _TRANSVERSAL(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    for region in subject.cached(find_partial_regions).values():
        if len(region.zeros) != subject.dim - region.dim:
            text = signs(subject, region.state)
            return f"the face {text} has {len(region.zeros)} zeros and codimension {subject.dim - region.dim}"
    return None


@condition("every cell has a vertex", reads_cells=True)
def _VERTICES(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    near = {state for vertex in _vertices(subject) for state in neighbouring(vertex.state)}
    for region in subject.cached(find_partial_regions).values():
        if region.dim == subject.dim and region.state not in near:
            return f"{signs(subject, region.state)} has none"
    return None


@condition("few zeros at a vertex", reads_cells=True)
def _FEW_ZEROS(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    most = max((len(vertex.zeros) for vertex in _vertices(subject)), default=0)
    return None if most <= _ZEROS else f"one has {most}"


_TEXT = "The faces are the sign sequences that arise from those of the vertices by putting any signs in place of zeros."
_LATEX = r"\{s(C)\} = \bigcup_{v\ \text{vertex}} \{t : t_i = s_i(v)\ \text{wherever}\ s_i(v) \ne 0\}"
_ROUTE = "faces by descent from facet to facet; the reconstruction from the vertices' sequences alone"


@register(
    "reconstruction",
    title="Reconstruction from vertices",
    text=_TEXT,
    latex=_LATEX,
    source="Masden 2022, for supertransversal networks; Gaines & Bi",
    route=_ROUTE,
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, LISTABLE_FACES, _TRANSVERSAL, _VERTICES, _FEW_ZEROS),
)
def check(subject: Subject) -> Outcome:
    """Compare the reconstruction with all faces."""
    return _compare(subject)


@register(
    "reconstruction_unconditional",
    title="Reconstruction from vertices, without hypotheses",
    text=_TEXT,
    latex=_LATEX,
    source="Masden 2022 with the hypotheses left out",
    route=_ROUTE,
    scope=Scope.FALSE,
    hypotheses=(WHOLE_SPACE, LISTABLE_FACES, _FEW_ZEROS),
)
def check_unconditional(subject: Subject) -> Outcome:
    """Compare the reconstruction with all faces, whatever they are."""
    return _compare(subject)


def _vertices(subject: Subject) -> list[PartialRegion]:
    return [region for region in subject.cached(find_partial_regions).values() if region.dim == 0]


def _compare(subject: Subject) -> Outcome:
    states = set(subject.cached(find_partial_regions))
    made: set[State] = set()
    for vertex in _vertices(subject):
        made.update(neighbouring(vertex.state))
    facts: dict[str, object] = {"faces": len(states), "reconstructed": len(made), "vertices": len(_vertices(subject))}
    if made == states:
        return holds(facts)
    invented, lost = made - states, states - made
    if invented:
        facts["invented"] = signs(subject, min(invented))
    if lost:
        facts["lost"] = signs(subject, min(lost))
        facts["point"] = subject.cached(find_partial_regions)[min(lost)].points[0]
    reason = "more walls than dimensions meet in a vertex" if invented else "there are faces without a vertex"
    return fails(facts, reason=reason)
