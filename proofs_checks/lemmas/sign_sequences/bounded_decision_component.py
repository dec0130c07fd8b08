"""One hidden layer of width d + 1, generic: a decision region has at most one bounded component.

A theorem of Grigsby and Lindsey (2022): the only place for a bounded component is around the one simplex that d + 1
generic hyperplanes bound.  The check cuts every cell by the zero set of the output, which becomes one more neuron, and
joins cells across facets where the output does not vanish.
"""

from __future__ import annotations

import networkx as nx

from exactregions import RELU, Network, enumerate_regions
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.audit import show
from proofs_checks.lemmas.support.hypotheses import (
    FIRST_LAYER_GENERIC,
    LISTABLE_FACES,
    ONE_LAYER,
    OUTPUT_LAYER,
    RELU_ONLY,
    WHOLE_SPACE,
    condition,
)
from proofs_checks.lemmas.support.partial import find_partial_regions
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@condition("width d + 1 and one output")
def _SHAPE(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    width, outputs = subject.network.n_neurons, subject.network.output_dim
    if (width, outputs) == (subject.dim + 1, 1):
        return None
    return f"width {width}, {outputs} outputs, d = {subject.dim}"


@condition("0 is a transversal threshold", reads_cells=True)
def _TRANSVERSAL(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    """The output vanishes at no vertex and identically on no cell; for generic walls, then identically on no face."""
    for region in subject.cached(find_partial_regions).values():
        if region.dim == 0 and not subject.network(region.points[0])[0]:
            return f"the output is 0 at the vertex {show(region.points[0])}"
    for facet in subject.crossings:
        weights, shifts = subject.maps[facet.cell]
        if not any(weights[0]) and not shifts[0]:
            return f"the output is 0 on the cell {subject.cells[facet.cell].text}"
    return None


@register(
    "bounded_decision_component",
    title="At most one bounded decision component",
    text="The sets where the output is positive, and where it is negative, have at most one bounded component each.",
    latex=r"\{x : \pm N(x) > 0\}\ \text{has at most one bounded component}",
    source="Grigsby & Lindsey 2022, for one hidden layer of width d + 1, generic and transversal",
    route="the output as one more neuron, cells joined across its facets, boundedness by exact linear programs",
    scope=Scope.EVERY,
    hypotheses=(
        ONE_LAYER,
        RELU_ONLY,
        OUTPUT_LAYER,
        _SHAPE,
        WHOLE_SPACE,
        LISTABLE_FACES,
        FIRST_LAYER_GENERIC,
        _TRANSVERSAL,
    ),
)
def check(subject: Subject) -> Outcome:
    """Count bounded components on either side of the zero set."""
    network = subject.network
    longer = Network.from_parts(
        [*network.layers, *([network.output] if network.output else [])],
        [*network.activations, (RELU,)],
        None,
        network.input_dim,
    )
    cut = Subject(longer, subject.domain, complex_=enumerate_regions(longer, subject.domain))
    graph = nx.Graph()
    graph.add_nodes_from(range(len(cut.cells)))
    graph.add_edges_from((i, j) for i, j in cut.facets if cut.cells[i].pattern[-1] == cut.cells[j].pattern[-1])
    bounded: dict[str, list[list[str]]] = {"positive": [], "negative": []}
    for part in nx.connected_components(graph):
        if all(cut.cells[k].is_bounded for k in part):
            side = "positive" if cut.cells[min(part)].pattern[-1] else "negative"
            bounded[side].append([cut.cells[k].text for k in sorted(part)])
    if any(len(parts) > 1 for parts in bounded.values()):
        return fails(bounded)
    return holds(components=len(list(nx.connected_components(graph))), bounded={k: len(v) for k, v in bounded.items()})
