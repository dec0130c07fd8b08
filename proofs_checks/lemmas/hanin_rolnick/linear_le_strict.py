"""Lemma 3 (a), with strict regions: false where a neuron is identically at a breakpoint on an open set.

Hanin and Rolnick state it for every choice of weights; their activation regions are strict, so points where a neuron
is degenerate are in none, and a linear region may consist of such points only: the tent map on R, the maximum of three
numbers, a neuron without weights and bias.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "linear_le_strict",
    title="#linear regions <= #strict regions",
    text="There are at most as many linear regions as activation regions in the strict sense.",
    latex=r"\#\{\text{linear regions}\} \le \#\{\text{activation regions}\}",
    source="Hanin & Rolnick 2019, Lemma 3 (a), as stated for every parameter",
    route="components of the graph of facets found by crossing; strictness from the forms of each cell",
    scope=Scope.ALMOST_EVERY,
)
def check(subject: Subject) -> Outcome:
    """Compare the counts; a counterexample names a linear region without a strict cell."""
    counts = {"n_linear": subject.n_linear, "n_strict": subject.n_strict}
    if subject.n_linear <= subject.n_strict:
        return holds(counts)
    cells = subject.cells
    region = next(part for part in subject.linear_regions if not any(cells[k].is_strict for k in part))
    degenerate = sum(not cell.is_strict for cell in cells)
    return fails(
        {
            **counts,
            "linear_region_without_strict_cell": [cells[k].text for k in region],
            "point": cells[region[0]].witness,
            "degenerate_neurons": [[subject.place(neuron) for neuron in cells[k].degenerate] for k in region],
        },
        reason=f"degenerate neurons: {degenerate} of {len(cells)} cells have one",
    )
