"""Walls bend at earlier walls, and are continuous there.

Across a facet every pre-activation passes from one affine form to another; the two agree on the facet's hyperplane,
that is, their difference is a multiple of the facet's row.  So each wall that reaches the facet goes on from the same
points.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, RELU_ONLY, condition
from proofs_checks.lemmas.support.subject import Point, Row, Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@condition("at least two hidden layers")
def _DEEP(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    depth = len(subject.network.layers)
    return None if depth > 1 else f"there are {depth}"


@register(
    "walls_continuous",
    title="Bend lines are continuous",
    text="Across every facet the two affine forms of each pre-activation agree on the facet's hyperplane.",
    latex=r"z_i|_{R(A)} - z_i|_{R(A')} \in \mathbb{Q} \cdot h, \quad h = 0\ \text{the hyperplane of the common facet}",
    source="seed 001: continuous at the bend point",
    route="forms of both patterns by two forward passes, their difference against the facet's row",
    scope=Scope.EVERY,
    hypotheses=(HAS_NEURONS,),
)
def check_continuous(subject: Subject) -> Outcome:
    """Compare the forms of every neuron across every facet."""
    bends = 0
    for facet in subject.crossings:
        if facet.neighbour is None:
            return fails({"beyond": facet.point, "unlisted_pattern": subject.text(facet.pattern)})
    for (i, j), facet in subject.facets.items():
        for neuron, (one, other) in enumerate(zip(_forms(subject, i), _forms(subject, j), strict=True)):
            difference = tuple([a - b for a, b in zip(one, other, strict=True)])
            if any(difference):
                bends += 1
                if not _is_multiple(difference, facet.row):
                    return fails(
                        {"neuron": subject.place(neuron), "facet": list(map(str, facet.row)), "forms": [one, other]}
                    )
    return holds(facets=len(subject.facets), bends=bends)


@register(
    "one_on_parallel",
    title="Where one neuron is on, the next walls are parallel to it",
    text="On a cell where exactly one neuron of a layer is on, the walls of the next layer are parallel to that"
    " neuron's.",
    latex=r"A_l = (0, \dots, 1_j, \dots, 0) \implies \nabla z^{l+1}_i = w_{ij} \nabla z^{l}_j",
    source="seed 001: H3 is parallel to H2 where only neuron 2 is active",
    route="gradients of both layers' forms on each such cell",
    scope=Scope.EVERY,
    hypotheses=(RELU_ONLY, _DEEP),
)
def check_parallel(subject: Subject) -> Outcome:
    """Compare gradients where one neuron of a layer is on."""
    network, starts = subject.network, subject.network.layer_starts
    cells = 0
    for cell in subject.cells:
        forms = _forms(subject, cell.index)
        for depth in range(len(network.layers) - 1):
            on = [k for k in range(starts[depth], starts[depth + 1]) if cell.pattern[k]]
            if len(on) != 1:
                continue
            cells += 1
            for place, row in enumerate(network.layers[depth + 1].weights):
                weight = row[on[0] - starts[depth]]
                wanted = tuple([weight * a for a in forms[on[0]][:-1]])
                if forms[starts[depth + 1] + place][:-1] != wanted:
                    return fails({"pattern": cell.text, "neuron": [depth + 1, place]})
    return holds(cells_and_layers=cells)


def _forms(subject: Subject, index: int) -> list[Point]:
    return [row for layer in subject.network.forms(subject.cells[index].pattern) for row in layer.to_fractions()]


def _is_multiple(difference: Point, row: Row) -> bool:
    pivot = next(k for k, entry in enumerate(row) if entry)
    return all(difference[k] * row[pivot] == difference[pivot] * row[k] for k in range(len(row)))
