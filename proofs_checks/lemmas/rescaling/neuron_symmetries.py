"""Two symmetries of the parameters: rescaling a neuron, and permuting the neurons of a layer.

A positively homogeneous neuron times c > 0, with its outgoing weights divided by c, computes the same; permuting a
layer permutes the letters of the patterns.  Neither changes a cell.  Checked exhaustively: every witness is evaluated
in the transformed network, which is enumerated too.
"""

from __future__ import annotations

from fractions import Fraction

from exactregions import Network, enumerate_regions
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, HOMOGENEOUS
from proofs_checks.lemmas.support.related import permute_neurons, rescale_neurons
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "neuron_scaling",
    title="Rescaling neurons keeps the cells",
    text="Multiplying a neuron's incoming weights and bias by c > 0 and dividing its outgoing weights by c changes"
    " neither the patterns nor the function.",
    latex=r"(W_l, b_l, W_{l+1}) \mapsto (C W_l, C b_l, W_{l+1} C^{-1}),\ C > 0\ \text{diagonal}",
    source="positive scaling symmetry; Grigsby, Lindsey & Rolnick 2023",
    route="the rescaled network enumerated, and evaluated at each witness",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS, HOMOGENEOUS),
)
def check_scaling(subject: Subject) -> Outcome:
    """Rescale neuron i by (i + 2) / 3 and compare."""
    factors = [Fraction(k + 2, 3) for k in range(subject.network.n_neurons)]
    scaled = rescale_neurons(subject.network, factors)
    same = list(range(subject.network.n_neurons))
    same_value = subject.network.output is not None
    return _compare(subject, scaled, same, same_value=same_value, transformation={"factors": factors})


@register(
    "neuron_permutation",
    title="Permuting neurons permutes the patterns",
    text="Permuting the neurons of each hidden layer permutes the letters of every pattern and changes no cell.",
    latex=r"(W_l, b_l, W_{l+1}) \mapsto (P W_l, P b_l, W_{l+1} P^{-1})",
    source="permutation symmetry",
    route="the permuted network enumerated, and evaluated at each witness",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS,),
)
def check_permutation(subject: Subject) -> Outcome:
    """Reverse every layer and compare."""
    network = subject.network
    orders = [list(reversed(range(width))) for width in network.widths]
    places = [start + k for start, order in zip(network.layer_starts, orders, strict=False) for k in order]
    permuted = permute_neurons(network, orders)
    same_value = network.output is not None
    return _compare(subject, permuted, places, same_value=same_value, transformation={"orders": orders})


def _compare(
    subject: Subject, other: Network, places: list[int], *, same_value: bool, transformation: dict[str, object]
) -> Outcome:
    """Compare cells and values; letter i of the other network is letter places[i] of this one."""
    wanted = set()
    for cell in subject.cells:
        image = tuple([cell.pattern[k] for k in places])
        wanted.add(image)
        if other.pattern_at(cell.witness) != image:
            return fails({**transformation, "pattern": cell.text, "point": cell.witness})
        if same_value and other(cell.witness) != subject.network(cell.witness):
            return fails({**transformation, "point": cell.witness, "value": other(cell.witness)})
    found = set(enumerate_regions(other, subject.domain).patterns())
    if found != wanted:
        return fails({**transformation, "pattern_on_one_side_only": subject.text(min(found ^ wanted))})
    return holds(patterns=len(wanted), values_compared=same_value)
