"""Different faces have different sign sequences (Masden 2022, Theorem 14); here without any genericity.

Faces as sets of points come from the generators of the closed cells, their sequences from evaluating the network at
points that linear programs found: if the map from faces to sequences were not injective, the two counts would differ.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import LISTABLE_FACES
from proofs_checks.lemmas.support.partial import f_vector, find_partial_regions
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "sign_sequences_injective",
    title="Sign sequences name faces",
    text="Different faces of the complex have different sign sequences.",
    latex=r"C \ne D \implies s(C) \ne s(D)",
    source="Masden 2022, Theorem 14",
    route="faces counted as sets of generators, against sequences evaluated at points of linear programs",
    scope=Scope.EVERY,
    hypotheses=(LISTABLE_FACES,),
)
def check(subject: Subject) -> Outcome:
    """Compare the number of faces with the number of sequences, in each dimension."""
    sequences = f_vector(subject.cached(find_partial_regions), subject.dim)
    faces = list(subject.complex.f_vector)
    hole = next((facet for facet in subject.crossings if facet.neighbour is None), None)
    if hole is not None:
        return fails({"beyond": hole.point, "unlisted_pattern": subject.text(hole.pattern)})
    if faces != sequences:
        return fails({"faces": faces, "sign_sequences": sequences})
    return holds(f_vector=faces)
