"""Zaslavsky's theorem on the first layer: its regions and bounded regions from the characteristic polynomial.

r = (-1)^d chi(-1), and b = (-1)^d chi(1) bounded ones if the normals span the space (none if they do not).  The
polynomial knows nothing of cells: it is a sum over sets of hyperplanes with a common point (Whitney).
"""

from __future__ import annotations

from exactregions.lp import Bounded, StrictSystem, is_bounded
from exactregions.rational import IntMatrix
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.first_layer import FEW_WALLS, characteristic_polynomial, hyperplanes, sign_vectors
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, WHOLE_SPACE
from proofs_checks.lemmas.support.subject import Row, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_HYPOTHESES = (HAS_NEURONS, WHOLE_SPACE, FEW_WALLS)


@register(
    "zaslavsky_regions",
    title="Zaslavsky: regions",
    text="The walls of the first layer cut R^d into (-1)^d chi(-1) regions.",
    latex=r"r(\mathcal{A}) = (-1)^d \chi_{\mathcal{A}}(-1)",
    source="Zaslavsky 1975",
    route="Whitney's sum over sets of hyperplanes, or deletion-restriction, against signs at witnesses",
    scope=Scope.EVERY,
    hypotheses=_HYPOTHESES,
)
def check_regions(subject: Subject) -> Outcome:
    """Compare the number of sign vectors with the polynomial at -1."""
    rows, dim = hyperplanes(subject), subject.dim
    chi = characteristic_polynomial(rows, dim)
    predicted = (-1) ** dim * sum(c * (-1) ** k for k, c in enumerate(chi))
    facts = {"regions": len(sign_vectors(subject, rows)), "predicted": predicted, "chi_low_to_high": chi}
    return holds(facts) if facts["regions"] == predicted else fails(facts)


@register(
    "zaslavsky_bounded",
    title="Zaslavsky: bounded regions",
    text="Of the regions of the first layer's walls (-1)^d chi(1) are bounded, if the normals span R^d, else none.",
    latex=r"b(\mathcal{A}) = (-1)^{d} \chi_{\mathcal{A}}(1)",
    source="Zaslavsky 1975",
    route="boundedness of each region by an exact linear program, against Whitney's sum",
    scope=Scope.EVERY,
    hypotheses=_HYPOTHESES,
)
def check_bounded(subject: Subject) -> Outcome:
    """Compare the number of bounded regions with the polynomial at 1."""
    rows, dim = hyperplanes(subject), subject.dim
    rank = int(IntMatrix(len(rows), dim, [entry for row in rows for entry in row[:-1]]).rank())
    predicted = (-1) ** dim * sum(characteristic_polynomial(rows, dim)) if rank == dim else 0
    bounded = sum(_is_bounded(rows, sides, dim) for sides in sign_vectors(subject, rows))
    facts = {"bounded": bounded, "predicted": predicted, "rank": rank}
    return holds(facts) if bounded == predicted else fails(facts)


def _is_bounded(rows: list[Row], sides: tuple[bool, ...], dim: int) -> bool:
    signed = [row if above else tuple([-entry for entry in row]) for row, above in zip(rows, sides, strict=True)]
    return isinstance(is_bounded(StrictSystem.from_rows(signed, dim)), Bounded)
