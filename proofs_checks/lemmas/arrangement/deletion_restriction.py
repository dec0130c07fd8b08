"""r(A) = r(A without H) + r(A restricted to H), for each hyperplane H of the first layer in turn.

The recursion behind r(k, d) = r(k-1, d) + r(k-1, d-1), on the arrangement at hand, whatever its position.  Regions with
and without H are counted by the sides of the hyperplanes that witnesses lie on; those of the restriction by enumerating
the restricted arrangement in its own coordinates.
"""

from __future__ import annotations

from exactregions import Network, WholeSpace, count_cells
from exactregions.arrangements.deletion import restrict
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.first_layer import FEW_WALLS, hyperplanes, sign_vectors
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, WHOLE_SPACE
from proofs_checks.lemmas.support.subject import Row, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "deletion_restriction",
    title="Deletion and restriction",
    text="For every wall H of the first layer, its regions are as many as those without H and those of the rest"
    " within H.",
    latex=r"r(\mathcal{A}) = r(\mathcal{A} \setminus H) + r(\mathcal{A}^{H})",
    source="Zaslavsky 1975; seed 001",
    route="regions by the signs at witnesses; the restriction enumerated in coordinates of its own",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS, WHOLE_SPACE, FEW_WALLS),
)
def check(subject: Subject) -> Outcome:
    """Delete each hyperplane in turn."""
    rows = hyperplanes(subject)
    signs = sign_vectors(subject, rows)
    for place, wall in enumerate(rows):
        others = [row for row in rows if row is not wall]
        without = len({(*sides[:place], *sides[place + 1 :]) for sides in signs})
        within = _count(sorted(restrict(others, wall)), subject.dim - 1)
        if len(signs) != without + within:
            return fails({"hyperplane": list(map(str, wall)), "all": len(signs), "without": without, "within": within})
    return holds(hyperplanes=len(rows), regions=len(signs))


def _count(rows: list[Row], dim: int) -> int:
    if not rows or dim == 0:
        return 1
    network = Network([([row[:-1] for row in rows], [row[-1] for row in rows])])
    return count_cells(network, WholeSpace(dim)).n_cells
