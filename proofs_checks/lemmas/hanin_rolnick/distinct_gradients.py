"""Lemma 3 (c): strict cells with a neuron on in every layer have different gradients, for almost all weights.

The sets of open paths differ, hence the gradients as polynomials in the weights, hence they agree on a null set only.
Integer weights, folds and zero biases are in it, and so the check finds equal pairs on them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations, pairwise

from exactregions.regions import Cell
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import OUTPUT_LAYER, RELU_ONLY
from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_LATEX = r"A \ne A',\ \text{each with a neuron on in every layer} \implies \nabla N|_{R(A)} \ne \nabla N|_{R(A')}"
_ROUTE = "gradients as rational matrices, from one forward pass a cell; every pair compared"


@register(
    "distinct_gradients",
    title="Different patterns, different gradients",
    text="Two strict cells, each with a neuron on in every layer, have different gradients.",
    latex=_LATEX,
    source="Hanin & Rolnick 2019, Lemma 3 (c), for almost every parameter",
    route=_ROUTE,
    scope=Scope.ALMOST_EVERY,
    hypotheses=(RELU_ONLY, OUTPUT_LAYER),
)
def check(subject: Subject) -> Outcome:
    """Group the eligible strict cells by gradient."""
    return _compare(subject, [cell for cell in subject.cells if cell.is_strict])


@register(
    "distinct_gradients_cells",
    title="Different patterns, different gradients, with all cells",
    text="Two cells, degenerate ones included, each with a neuron on in every layer, have different gradients.",
    latex=_LATEX,
    source="Hanin & Rolnick 2019, Lemma 3 (c), read with cells",
    route=_ROUTE,
    scope=Scope.ALMOST_EVERY,
    hypotheses=(RELU_ONLY, OUTPUT_LAYER),
)
def check_cells(subject: Subject) -> Outcome:
    """Group the eligible cells by gradient."""
    return _compare(subject, subject.cells)


def _compare(subject: Subject, cells: Iterable[Cell]) -> Outcome:
    starts = subject.network.layer_starts
    eligible = [cell for cell in cells if _on_everywhere(cell, starts)]
    groups: dict[tuple[Point, ...], list[Cell]] = defaultdict(list)
    for cell in eligible:
        groups[subject.maps[cell.index][0]].append(cell)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    if not pairs:
        return holds(eligible_cells=len(eligible), vacuous=len(eligible) < 2)
    first, second = min(pairs, key=lambda pair: (pair[0].index, pair[1].index))
    return fails(
        {
            "patterns": [first.text, second.text],
            "gradient": subject.maps[first.index][0],
            "points": [first.witness, second.witness],
            "same_affine_map": subject.maps[first.index] == subject.maps[second.index],
        },
        reason="the weights are not generic: the gradients of two sets of open paths coincide",
        eligible_cells=len(eligible),
        equal_pairs=len(pairs),
    )


def _on_everywhere(cell: Cell, starts: tuple[int, ...]) -> bool:
    return all(any(cell.pattern[low:high]) for low, high in pairwise(starts))
