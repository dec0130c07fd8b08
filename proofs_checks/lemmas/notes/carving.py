"""Carving is a refinement: each layer cuts the cells of the layers before it, and merges none.

So the patterns at depth l are the prefixes of those at depth l + 1.  The network cut short after each layer is
enumerated by itself.  (For cells; *linear regions* may become fewer with depth.)
"""

from __future__ import annotations

from exactregions import enumerate_regions
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS
from proofs_checks.lemmas.support.related import truncate
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "carving_refines",
    title="Carving is a refinement",
    text="Every cell of the first l layers is the union, up to walls, of cells of the first l + 1; so counts never"
    " fall.",
    latex=r"\overline{R_l(A)} = \overline{\textstyle\bigcup_{B} R_{l+1}(A B)}",
    source="seed 001, the effect of depth",
    route="the networks cut short after each layer, enumerated one by one, against prefixes of the patterns",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS,),
)
def check(subject: Subject) -> Outcome:
    """Compare prefixes with the cells of the network cut short."""
    network = subject.network
    counts = []
    for depth in range(1, len(network.layers) + 1):
        found = set(enumerate_regions(truncate(network, depth), subject.domain).patterns())
        prefixes = {cell.pattern[: network.layer_starts[depth]] for cell in subject.cells}
        if found != prefixes:
            odd = min(found ^ prefixes)
            return fails({"depth": depth, "pattern": list(odd), "only": "listed" if odd in prefixes else "enumerated"})
        counts.append(len(found))
    return holds(cells_by_depth=counts)
