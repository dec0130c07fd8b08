"""Three statements of the notes on width: what one neuron does, how r(k, d) grows, and what a bottleneck does.

A ReLU neuron divides its input space into two regions, unless its weights are all zero.  r(k, d) = Theta(k^d) for fixed
d (with equality in the recursion, so for general position; the notes prove <= only).  And behind a first layer of rank
below d every wall is constant along the same directions: the footnote's one neuron leaves one dimension.
"""

from __future__ import annotations

from math import comb

from exactregions.rational import IntMatrix, format_rational
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, ONE_BREAKPOINT, WHOLE_SPACE, condition
from proofs_checks.lemmas.support.hypotheses import first_layer_walls as walls_of
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_LARGEST = 300


@condition("first layer of rank below d")
def _BOTTLENECK(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    rank = _normals(subject).rank()
    return None if int(rank) < subject.dim else f"its rank is {rank}"


@register(
    "neuron_divides_in_two",
    title="A neuron divides its input space into two regions",
    text="Each neuron of the first layer is off on an open set and on on another.",
    latex=r"\forall i:\ \operatorname{int}\{z_i \le \xi\} \ne \emptyset \ne \operatorname{int}\{z_i > \xi\}",
    source="seed 001, first sentence",
    route="the pieces that occur in listed patterns, against the weights",
    scope=Scope.ALMOST_EVERY,
    hypotheses=(HAS_NEURONS, ONE_BREAKPOINT, WHOLE_SPACE),
)
def check_divides(subject: Subject) -> Outcome:
    """Look for a neuron of the first layer with one piece only."""
    for neuron, _, row in walls_of(subject):
        pieces = {cell.pattern[neuron] for cell in subject.cells}
        if len(pieces) < 2 or not any(row[:-1]):
            value = subject.network.layers[0].bias[neuron]
            reason = f"its weights are zero, so it is constantly {format_rational(value)}"
            return fails({"neuron": neuron, "pieces": sorted(pieces), "weights": row[:-1]}, reason=reason)
    return holds(neurons=subject.network.widths[0])


@register(
    "generic_count_is_theta",
    title="r(k, d) = Theta(k^d)",
    text="For fixed d, (k/d)^d <= r(k, d) <= (k + 1)^d for every k >= d, r(k, d) being the sum of C(k, i), i <= d.",
    latex=r"(k/d)^d \le \sum_{i=0}^{d} \binom{k}{i} \le (k + 1)^d",
    source="seed 001: a polynomial in k of degree d",
    route="integers, for every k up to a limit; the upper half is an injection of sets into maps",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS,),
    needs_complex=False,
)
def check_theta(subject: Subject) -> Outcome:
    """Try every k from d to the limit."""
    d = subject.dim
    for k in range(d, max(_LARGEST, d) + 1):
        count = sum(comb(k, i) for i in range(d + 1))
        if not k**d <= count * d**d or not count <= (k + 1) ** d:
            return fails({"k": k, "d": d, "r": count})
    return holds(d=d, k_up_to=max(_LARGEST, d))


@register(
    "bottleneck",
    title="A bottleneck reduces every later cut",
    text="If the first layer has rank r < d, the normals of all walls of all layers lie in one subspace of"
    " dimension r.",
    latex=r"\nabla z_i|_{R(A)} \in \operatorname{row}(W_1)\ \text{for every neuron and cell}",
    source="seed 001, footnote 1, for one neuron in the first layer",
    route="rank of the first layer's weights together with the normals of every cell's rows",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS, WHOLE_SPACE, _BOTTLENECK),
)
def check_bottleneck(subject: Subject) -> Outcome:
    """Look for a wall with a normal outside the row space of the first layer."""
    first = _normals(subject)
    rank, table = int(first.rank()), [[int(entry) for entry in line] for line in first.tolist()]
    rows = 0
    for cell in subject.cells:
        for row in cell.inequalities.rows:
            rows += 1
            flat = [entry for line in [*table, list(row[:-1])] for entry in line]
            if int(IntMatrix(len(table) + 1, subject.dim, flat).rank()) > rank:
                return fails({"pattern": cell.text, "row": list(map(str, row))})
    hole = next((facet for facet in subject.crossings if facet.neighbour is None), None)
    if hole is not None:
        return fails({"beyond": hole.point, "unlisted_pattern": subject.text(hole.pattern)})
    return holds(rank=rank, rows=rows)


def _normals(subject: Subject) -> IntMatrix:
    return subject.network.layers[0].matrix.numerators * _drop_constant(subject.dim)


def _drop_constant(dim: int) -> IntMatrix:
    return IntMatrix(dim + 1, dim, [int(i == j) for i in range(dim + 1) for j in range(dim)])
