"""Preimages of disjoint sets are disjoint, and a point of the image may have an open preimage.

The notes appeal to continuity for the first; it holds for any map.  Here: two different patterns first differ in a
neuron whose form is the same on both, and the two cells lie on opposite sides of one of its breakpoints.

For the second: where every neuron of the first layer is off, the whole region is sent to the point 0.
"""

from __future__ import annotations

from itertools import combinations, islice
from math import comb

from exactregions.lp import Feasible, StrictSystem, solve
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, RELU_ONLY, WHOLE_SPACE, first_layer_walls
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_PAIRS = 20_000


@register(
    "preimages_disjoint",
    title="Preimages of disjoint sets are disjoint",
    text="Any two cells are disjoint: they lie on opposite sides of a breakpoint of the first neuron in which they"
    " differ.",
    latex=r"S \cap T = \emptyset \implies f^{-1}(S) \cap f^{-1}(T) = \emptyset",
    source="seed 001, where continuity is invoked for it",
    route="the form of the first differing neuron by two forward passes, and its values at both witnesses",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS,),
)
def check_disjoint(subject: Subject) -> Outcome:
    """Separate pairs of cells by the first neuron in which they differ."""
    forms = [
        [row for layer in subject.network.forms(cell.pattern) for row in layer.to_fractions()] for cell in subject.cells
    ]
    pairs = 0
    for first, second in islice(combinations(subject.cells, 2), _PAIRS):
        pairs += 1
        neuron = next((k for k, (a, b) in enumerate(zip(first.pattern, second.pattern, strict=True)) if a != b), None)
        if neuron is None:
            return fails({"pattern_listed_twice": first.text})
        ours = [forms[cell.index][neuron] for cell in (first, second)]
        low, high = sorted((first, second), key=lambda cell: cell.pattern[neuron])
        mark = subject.network.neurons[neuron].breakpoints[low.pattern[neuron]]
        below, above = (
            sum((a * x for a, x in zip(ours[0], cell.witness, strict=False)), ours[0][-1]) for cell in (low, high)
        )
        if ours[0] != ours[1] or not below <= mark < above:
            return fails(
                {"patterns": [first.text, second.text], "neuron": subject.place(neuron), "values": [below, above]}
            )
    return holds(pairs=pairs, of=comb(len(subject.cells), 2))


@register(
    "origin_expands",
    title="The point 0 of the layer image has an open preimage",
    text="The point 0 of the first layer's image is the image of an open set of inputs.",
    latex=r"\operatorname{int} \{x : \mathrm{ReLU}(W_1 x + b_1) = 0\} \ne \emptyset",
    source="seed 001: (0, 0) expanded to an entire region",
    route="one exact linear program on the first layer, against the listed patterns",
    scope=Scope.OPEN,
    hypotheses=(HAS_NEURONS, RELU_ONLY, WHOLE_SPACE),
)
def check_origin(subject: Subject) -> Outcome:
    """Decide whether all neurons of the first layer can be off on an open set."""
    width = subject.network.widths[0]
    listed = [cell for cell in subject.cells if not any(cell.pattern[:width])]
    rows = [tuple([-entry for entry in row]) for _, _, row in first_layer_walls(subject)]
    stuck = [k for k, row in enumerate(rows) if not any(row[:-1]) and row[-1] < 0]
    answer = solve(StrictSystem.from_rows([row for row in rows if any(row[:-1])], subject.dim))
    possible = isinstance(answer, Feasible) and not stuck
    if possible != bool(listed):
        return fails({"possible": possible, "listed_cells_with_all_off": len(listed)})
    if possible:
        return holds(cells=[cell.text for cell in listed], point=listed[0].witness)
    if stuck:
        return fails({"neuron_always_on": stuck[0]}, reason="a neuron without weights has a positive bias")
    weights = {} if isinstance(answer, Feasible) else dict(answer.multipliers)
    return fails(
        {"multipliers": {str(k): weight for k, weight in weights.items()}},
        reason="with these weights the pre-activations of the first layer sum to a number >= 0, so one is always >= 0",
    )
