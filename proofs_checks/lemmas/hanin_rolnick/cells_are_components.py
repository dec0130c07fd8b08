"""Lemma 2: the strict cells are the connected components of the complement of all walls.

Segments between witnesses are cut exactly where a neuron is at a breakpoint.  The pieces are the vertices of a graph,
with the witnesses; a piece is joined to a witness if the segment between them meets no wall.  Its components are the
cells that the segments visit.  No facet and no adjacency goes in.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, pairwise

import networkx as nx
import numpy as np

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.segments import cut, point_on
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_ALL_PAIRS_UP_TO = 30
_SEGMENTS = 100


@register(
    "cells_are_components",
    title="Lemma 2: cells are the components between walls",
    text="The strict cells are exactly the connected components of the complement of all walls.",
    latex=r"\pi_0\bigl(\mathbb{R}^d \setminus \textstyle\bigcup_z H_z\bigr) = \{R(A) : R(A) \ne \emptyset\}",
    source="Hanin & Rolnick 2019, Lemma 2",
    route="components of an arrangement of segments between witnesses, cut exactly at walls; no adjacency",
    scope=Scope.EVERY,
)
def check(subject: Subject) -> Outcome:
    """Search for components among pieces of segments between witnesses."""
    strict = [cell for cell in subject.cells if cell.is_strict]
    homes = {cell.pattern: cell for cell in strict}
    graph = nx.Graph()
    graph.add_nodes_from(cell.index for cell in strict)
    segments = pieces = 0
    for i, j in _pairs(len(subject.cells)):
        first, second = subject.cells[i], subject.cells[j]
        segment = cut(subject.network, first.witness, second.witness)
        segments += 1
        if not segment.crossed:
            return fails(
                {"patterns": [first.text, second.text], "segment_without_wall": [first.witness, second.witness]}
            )
        for t, flat in segment.middles:
            middle = point_on(first.witness, second.witness, t)
            home = homes.get(subject.network.pattern_at(middle))
            if flat:
                continue  # inside a wall that has interior, or along a wall
            if home is None:
                return fails(
                    {"point_in_no_listed_cell": middle, "pattern": subject.text(subject.network.pattern_at(middle))}
                )
            if cut(subject.network, middle, home.witness).crossed:
                return fails({"pattern": home.text, "points_of_two_components": [middle, home.witness]})
            pieces += 1
            graph.add_edge((segments, t), home.index)
    components = len(list(nx.connected_components(graph)))
    facts = {"components": components, "strict_cells": len(strict), "segments": segments, "pieces": pieces}
    return holds(facts) if components == len(strict) else fails(facts)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    """All pairs if they are few, else some consecutive ones and some drawn with a fixed seed."""
    if count <= _ALL_PAIRS_UP_TO:
        yield from combinations(range(count), 2)
        return
    yield from islice(pairwise(range(count)), _SEGMENTS)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, count, (_SEGMENTS, 2)).tolist():
        if i != j:
            yield min(i, j), max(i, j)
