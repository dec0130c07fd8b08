"""Sufficient conditions for having no symmetry but permutations and rescalings.

The conclusion is reached without the conditions: the functional dimension, an exact rank, meets its upper bound, so
that at these parameters every direction changes the function but those of the rescalings.
"""

from __future__ import annotations

from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.symmetry_conditions import linear_regions_assumption, transverse_pairwise_intersections
from exactregions.regions.genericity import generic, supertransversal
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import (
    HAS_NEURONS,
    LISTABLE_FACES,
    OUTPUT_LAYER,
    RELU_ONLY,
    WHOLE_SPACE,
    condition,
)
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@condition("every layer generic")
def GENERIC(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    """The arrangement of every layer is in general position."""
    return generic(subject.network).reason or None


@condition("faces with k zeros have codimension k", reads_cells=True)
def SUPERTRANSVERSAL(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """What supertransversality is used for."""
    return supertransversal(subject.complex).reason or None


@condition("LRA", reads_cells=True)
def LRA(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """Cells that share a facet have different affine maps."""
    return linear_regions_assumption(subject.complex).reason or None


@condition("TPIC", reads_cells=True)
def TPIC(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """Bent hyperplanes of any two neurons in adjacent layers meet transversely."""
    return transverse_pairwise_intersections(subject.complex).reason or None


@register(
    "no_hidden_symmetries",
    title="LRA and TPIC leave no hidden symmetry",
    text="If a generic, supertransversal ReLU network satisfies LRA and TPIC, its functional dimension is the number of"
    " parameters minus the number of hidden neurons.",
    latex=r"\dim_{\mathrm{fun}}(\theta) = P - N",
    source="Grigsby, Lindsey & Rolnick 2023, as remembered",
    route="an exact rank of the Jacobian in the parameters",
    scope=Scope.EVERY,
    hypotheses=(
        HAS_NEURONS,
        WHOLE_SPACE,
        RELU_ONLY,
        OUTPUT_LAYER,
        GENERIC,
        LISTABLE_FACES,
        SUPERTRANSVERSAL,
        LRA,
        TPIC,
    ),
)
def check(subject: Subject) -> Outcome:
    """Compare the functional dimension with its upper bound."""
    found = functional_dimension(subject.complex)
    facts: dict[str, object] = {"functional_dimension": found.value, "upper_bound": found.upper_bound}
    return holds(facts) if found.deficit == 0 else fails(facts)
