"""Lemma 1: every cell is convex, for every choice of weights and every piecewise-linear activation.

On a pattern of the earlier layers each pre-activation is one affine form, so the cell is an intersection of open half-
spaces.  The check takes the network's word only: points of each cell (its witness, points near each of its facets and
between), the vertices of its closure, and the middle of every two of them are evaluated, and must be on the cell's
pieces; and just beyond each facet the network must be on another pattern, so that the cell is no more than its rows
say.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, islice

from exactregions.network import Network
from exactregions.regions import Cell
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.audit import show
from proofs_checks.lemmas.support.segments import point_on
from proofs_checks.lemmas.support.subject import Facet, Point, Subject
from proofs_checks.lemmas.support.vertices import find_vertices
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_MIDDLES = 15_000  # looked at in all cells together, evenly
_NEAR = Fraction(1, 64)


@register(
    "cells_convex",
    title="Lemma 1: cells are convex",
    text="Every cell is the open convex polyhedron of its inequalities, for every piecewise-linear activation.",
    latex=r"R(A; \theta) = \{x : \xi_{a_z} < z(x) < \xi_{a_z + 1}\ \text{for all } z\}\ \text{is convex for every }"
    r" \theta",
    source="Hanin & Rolnick 2019, Lemma 1 and Appendix B.1",
    route="evaluation of the network at middles of sample points and of vertices, and just beyond each facet",
    scope=Scope.EVERY,
)
def check(subject: Subject) -> Outcome:
    """Evaluate at middles of points of each cell, of its vertices, and beyond its facets."""
    around: list[list[Facet]] = [[] for _ in subject.cells]
    for facet in subject.crossings:
        around[facet.cell].append(facet)
    vertices = subject.cached(find_vertices)
    most = max(6, _MIDDLES // len(subject.cells))
    middles = corners = 0
    for cell, facets in zip(subject.cells, around, strict=True):
        for facet in facets:
            if facet.pattern == cell.pattern:
                return fails({"pattern": cell.text, "still_the_same_pattern_beyond": facet.point})
        for pair in islice(combinations(_samples(cell, facets), 2), most):
            middles += 1
            if not _inside(subject.network, cell, middle := point_on(*pair, Fraction(1, 2))):
                return fails({"pattern": cell.text, "points": pair, "middle": middle})
        for pair in islice(combinations(vertices[cell.index], 2), most):
            corners += 1
            if not _in_closure(subject.network, cell, middle := point_on(*pair, Fraction(1, 2))):
                return fails({"pattern": cell.text, "vertices": pair, "middle": middle})
    return holds(cells=len(subject.cells), sides=len(subject.crossings), middles=middles, middles_of_vertices=corners)


def _samples(cell: Cell, facets: list[Facet]) -> list[Point]:
    """The witness and points between it and each facet, most of them close to the facet."""
    points = [cell.witness]
    for facet in facets:
        points += [point_on(facet.point, cell.witness, step) for step in (_NEAR, Fraction(1, 3))]
    return points


def _inside(network: Network, cell: Cell, point: Point) -> bool:
    at = [neuron for neuron, here in enumerate(network.breakpoints_at(point)) if here]
    return network.pattern_at(point) == cell.pattern and tuple(at) == cell.degenerate


def _in_closure(network: Network, cell: Cell, point: Point) -> bool:
    """Whether every pre-activation lies on the closed piece of the cell."""
    values = [value for layer in network.pre_activations(point) for value in layer]
    for z, phi, piece in zip(values, network.neurons, cell.pattern, strict=True):
        marks = phi.breakpoints
        if (piece and z < marks[piece - 1]) or (piece < len(marks) and z > marks[piece]):
            return False
    return True


@register(
    "cells_cover",
    title="Cells cover the domain",
    text="The closures of the cells cover the domain, and no two cells overlap.",
    latex=r"\bigcup_A \overline{R(A)} = \mathbb{R}^d, \qquad R(A) \cap R(A') = \emptyset\ \text{for } A \ne A'",
    source="Hanin & Rolnick 2019, section 2",
    route="every facet leads to a listed cell, found by evaluation: a closed union without boundary is everything",
    scope=Scope.EVERY,
)
def check_cover(subject: Subject) -> Outcome:
    """Cross every facet; a cell missing there is a hole in the cover."""
    for facet in subject.crossings:
        if facet.neighbour is None:
            return fails(
                {"beyond": facet.point, "from": subject.cells[facet.cell].text, "pattern": subject.text(facet.pattern)},
                reason=f"the cell beyond {show(facet.point)} is not listed",
            )
    patterns = {cell.pattern for cell in subject.cells}
    return holds(cells=len(patterns), sides_crossed=len(subject.crossings))
