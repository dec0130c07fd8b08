"""The upper bound of Serra, Tjandraatmadja and Ramalingam (2018), summed as printed: over numbers of off units."""

from __future__ import annotations

from functools import cache
from math import comb

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import RELU_ONLY, WHOLE_SPACE
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "serra_upper_bound",
    title="The bound of Serra et al.",
    text="A ReLU network has at most the number of cells of the bound of Serra, Tjandraatmadja and Ramalingam.",
    latex=r"\#\{\text{cells}\} \le \sum_{(j_1, \dots, j_L)} \prod_l \binom{n_l}{j_l},\quad"
    r" 0 \le j_l \le \min(d, n_1 - j_1, \dots, n_{l-1} - j_{l-1}, n_l)",
    source="Serra, Tjandraatmadja & Ramalingam 2018, Theorem 1",
    route="the printed sum, layer by layer, against the count",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, RELU_ONLY),
)
def check(subject: Subject) -> Outcome:
    """Compare the count with the bound."""
    bound = serra_sum(subject.dim, subject.network.widths)
    if len(subject.cells) > bound:
        return fails({"n_cells": len(subject.cells), "bound": bound})
    return holds(n_cells=len(subject.cells), bound=bound, attained=len(subject.cells) == bound)


def serra_sum(dim: int, widths: tuple[int, ...]) -> int:
    """Sum the products of C(n_l, j_l), keeping only the dimension that is left.

    Examples
    --------
    >>> serra_sum(2, (3, 3)), serra_sum(10, (3, 7, 5))
    (40, 3201)
    """

    @cache
    def rest(layer: int, room: int) -> int:
        if layer == len(widths):
            return 1
        width = widths[layer]
        return sum(comb(width, j) * rest(layer + 1, min(room, width - j)) for j in range(min(room, width) + 1))

    return rest(0, dim)
