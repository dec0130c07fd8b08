"""The claim that relative volumes of regions of a layer's input are generally preserved in the input carving.

Measured exactly in the notes' window (-4, 6)^2.  Each region of layer 2 has an area in the input, and an area in the
plane that layer 2 sees: the image under layer 1, where each cell's area is multiplied by the determinant of its affine
map.  The shares differ, since the determinant is 0 wherever a neuron of layer 1 is off; on the one cell where it is
not, it is a constant, and the shares are preserved exactly.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from exactregions import Box, enumerate_regions
from exactregions.regions import Cell
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.related import truncate
from proofs_checks.lemmas.support.seed_network import letters, notes_layers
from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.support.vertices import vertices_of
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_WINDOW = Box([-4, -4], [6, 6])


@register(
    "seed001_relative_volumes",
    title="Seed 001: relative volumes are preserved",
    text="The regions of layer 2 have the same shares of area in the input window as in the plane that layer 2 sees.",
    latex=r"\frac{\operatorname{vol} f_1(S)}{\operatorname{vol} f_1(X)} = \frac{\operatorname{vol}"
    r" S}{\operatorname{vol} X}",
    source="seed 001: generally preserved in the input carving",
    route="exact areas of polygons, and determinants of the first layer's affine maps",
    scope=Scope.EXAMPLE,
    hypotheses=(notes_layers(2),),
)
def check(subject: Subject) -> Outcome:
    """Measure every region of layer 2 in both planes."""
    found = enumerate_regions(truncate(subject.network, 2), _WINDOW)
    first = truncate(subject.network, 1)
    areas: dict[str, Fraction] = defaultdict(Fraction)
    images: dict[str, Fraction] = defaultdict(Fraction)
    inside: dict[str, Fraction] = defaultdict(Fraction)
    for cell in found:
        name, area = letters(cell.pattern[2:4]), area_of(cell)
        (a, b), (c, d) = first.affine_map(cell.pattern[:2]).weights
        areas[name] += area
        images[name] += abs(a * d - b * c) * area
        if cell.pattern[:2] == (1, 1):
            inside[name] += area
    before, after, within = (_shares(one) for one in (areas, images, inside))
    facts = {"window": "(-4, 6)^2", "shares_of_input": before, "shares_of_image": after, "shares_within_aa": within}
    if sum(areas.values()) != 100:
        return fails({"areas_sum_to": sum(areas.values())})
    if before == after:
        return holds(facts)
    return fails(
        facts, reason="layer 1 sends the regions ai, ia and ii to lines and a point; on aa it keeps all shares"
    )


def area_of(cell: Cell) -> Fraction:
    """Area of a bounded cell in the plane: its vertices in order around their mean, by exact comparison."""
    corners = vertices_of(cell, 2)
    lowest = corners[0]
    ordered = [lowest, *_by_angle(lowest, corners[1:])]
    twice = sum(
        (p[0] * q[1] - p[1] * q[0] for p, q in zip(ordered, [*ordered[1:], ordered[0]], strict=True)), Fraction(0)
    )
    return abs(twice) / 2


def _by_angle(start: Point, points: list[Point]) -> list[Point]:
    """Sort points of a convex polygon by slope from its leftmost corner (leftmost first, then lowest)."""
    vertical = sorted((p for p in points if p[0] == start[0]), key=lambda p: p[1])
    others = sorted((p for p in points if p[0] != start[0]), key=lambda p: (p[1] - start[1]) / (p[0] - start[0]))
    return [*others, *vertical]


def _shares(areas: dict[str, Fraction]) -> dict[str, Fraction]:
    total = sum(areas.values())
    return {name: areas[name] / total for name in sorted(areas) if areas[name]}
