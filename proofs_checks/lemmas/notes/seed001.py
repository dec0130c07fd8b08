"""What the notes say of their three-layer example: four statements that are right, and three that are not.

All of them are decided on the cells and in rationals.  In the layer-2 output plane (y1, y2), H5 is -2 y1 + y2 - 3 = 0
and H6 is -y1 - 2 y2 + 3 = 0.
"""

from __future__ import annotations

from fractions import Fraction

from exactregions.lp import Bounded, StrictSystem, is_bounded
from exactregions.regions import Cell
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.seed_network import letters, notes_layers
from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.support.vertices import meeting_point
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_SOURCE = "seed 001, Expressivity and Depth, Figure 19"
_TWO, _THREE = (notes_layers(2),), (notes_layers(3),)
_WALLS_5_6 = ((-2, 1, -3), (-1, -2, 3))


def _named(subject: Subject, depth: int) -> dict[str, Cell]:
    """One cell for each pattern of the first layers."""
    return {letters(cell.pattern[: 2 * depth]): cell for cell in subject.cells}


@register(
    "seed001_children",
    title="Seed 001: how layer 2 cuts aa and ia",
    text="Region ia is cut into iaai and iaii, and aa into aaia, aaai, aaaa and aaii.",
    latex=r"ia \to \{iaai, iaii\},\quad aa \to \{aaia, aaai, aaaa, aaii\}",
    source=_SOURCE,
    route="prefixes of the listed patterns",
    scope=Scope.EXAMPLE,
    hypotheses=_TWO,
)
def check_children(subject: Subject) -> Outcome:
    """Compare the children of ia and aa with those that the notes name."""
    names = sorted(_named(subject, 2))
    found = {head: [name for name in names if name.startswith(head)] for head in ("aa", "ia")}
    if found != {"aa": ["aaaa", "aaai", "aaia", "aaii"], "ia": ["iaai", "iaii"]}:
        return fails(found)
    return holds(found)


@register(
    "seed001_h3_parallel_h2",
    title="Seed 001: H3 is parallel to H2 on ia, and bends at H1",
    text="Where only neuron 2 is active H3 is parallel to H2; in aa it is another line, and the two meet on H1.",
    latex=r"w_{32}(w_2 \cdot x + b_2) + b_3 = 0 \parallel H_2; \quad \text{continuous where } w_1 \cdot x + b_1 \to 0",
    source=_SOURCE,
    route="the forms of neuron 3 on both regions, and the point where their zero lines meet",
    scope=Scope.EXAMPLE,
    hypotheses=_TWO,
)
def check_h3(subject: Subject) -> Outcome:
    """Compute both lines of H3 and where they meet."""
    named = _named(subject, 2)
    if not {"iaai", "aaai"} <= set(named):
        return fails({"listed": sorted(named)}, reason="a cell is not listed")
    forms = {name: subject.network.pre_activation_form(2, named[name].pattern) for name in ("iaai", "aaai")}
    (on_ia, c_ia), (on_aa, c_aa) = forms["iaai"], forms["aaai"]
    lines = [_integers((*on_ia, c_ia)), _integers((*on_aa, c_aa))]
    meet = meeting_point(lines, 2)
    if on_ia[0] != on_ia[1] or meet is None:
        return fails({"H3_on_ia": lines[0], "H3_on_aa": lines[1]})
    height = 3 * meet[0] - meet[1] + 1
    facts = {"H3_on_ia": lines[0], "H3_on_aa": lines[1], "they_meet_at": meet, "H1_there": height}
    return fails(facts) if height else holds(facts)


@register(
    "seed001_h5_h6_pass",
    title="Seed 001: where H5 and H6 pass",
    text="H6 passes through ai, aa and ia of layer 2 and is positive on all of ii; H5 passes through aa and ia only.",
    latex=r"H_6 \cap \{ai, aa, ia\} \ne \emptyset,\ z_6|_{ii} > 0; \quad H_5 \cap \{ai, ii\} = \emptyset",
    source=_SOURCE,
    route="which pieces of neurons 5 and 6 occur in listed patterns with each pattern of layer 2",
    scope=Scope.EXAMPLE,
    hypotheses=_THREE,
)
def check_pass(subject: Subject) -> Outcome:
    """Collect the pieces of neurons 5 and 6 by the pattern of layer 2."""
    seen: dict[str, tuple[set[str], set[str]]] = {}
    for name in _named(subject, 3):
        five, six = seen.setdefault(name[2:4], (set(), set()))
        five.add(name[4])
        six.add(name[5])
    split_5 = sorted(key for key, (five, _) in seen.items() if len(five) == 2)
    split_6 = sorted(key for key, (_, six) in seen.items() if len(six) == 2)
    facts = {"H5_passes": split_5, "H6_passes": split_6, "z6_on_ii": sorted(seen["ii"][1])}
    right = split_5 == ["aa", "ia"] and split_6 == ["aa", "ai", "ia"] and seen["ii"][1] == {"a"}
    return holds(facts) if right else fails(facts)


@register(
    "seed001_strip_vanishes",
    title="Seed 001: the strip vanishes",
    text="H5 and H6 intersect in the y-axis, so the small strip between them vanishes.",
    latex=r"H_5 \cap H_6 \subset \{y_1 = 0\} \implies \text{the strip } aaiaii \text{ vanishes}",
    source=_SOURCE,
    route="the point where H5 and H6 meet; a witness and a recession ray of the strip",
    scope=Scope.EXAMPLE,
    hypotheses=_THREE,
)
def check_strip(subject: Subject) -> Outcome:
    """Show the strip, and where H5 and H6 really meet."""
    strip = _named(subject, 3).get("aaiaii")
    meet = meeting_point(_WALLS_5_6, 2)
    if strip is None or meet is None:
        return holds(H5_meets_H6=meet or "nowhere")
    answer = is_bounded(StrictSystem(strip.inequalities.matrix))
    ray: Point | str = "bounded" if isinstance(answer, Bounded) else answer.ray
    return fails(
        {
            "strip": "aaiaii",
            "point": strip.witness,
            "recedes_along": ray,
            "on_the_y_axis": {"H5_at": Fraction(3), "H6_at": Fraction(3, 2)},
            "H5_meets_H6_at": meet,
        },
        reason="the two lines meet at a point with a negative first coordinate, which no output of layer 2 has",
    )


@register(
    "seed001_aaiaia",
    title="Seed 001: aaiaia is the strip beyond H5",
    text="The part of region ia of layer 2 beyond H5 corresponds to the small strip aaiaia.",
    latex=r"\{z_5 > 0\} \cap ia = aaiaia",
    source=_SOURCE,
    route="the signs of z5 and z6 at a witness of the strip, by evaluation",
    scope=Scope.EXAMPLE,
    hypotheses=_THREE,
)
def check_aaiaia(subject: Subject) -> Outcome:
    """Evaluate z5 and z6 in aaiaia and in aaiaai."""
    named = _named(subject, 3)
    strip, beyond = named.get("aaiaia"), named.get("aaiaai")
    if strip is None or beyond is None:
        return fails(
            {"listed": [name for name in ("aaiaia", "aaiaai") if name in named]}, reason="a cell is not listed"
        )
    five, six = subject.network.pre_activations(strip.witness)[2]
    if five > 0:
        return holds(point=strip.witness, z5=five)
    other = subject.network.pre_activations(beyond.witness)[2]
    return fails(
        {
            "point_of_aaiaia": strip.witness,
            "z5_and_z6": [five, six],
            "point_of_aaiaai": beyond.witness,
            "z5_and_z6_there": list(other),
        },
        reason="on aaiaia H5 is inactive and H6 active; the side where H5 is active is aaiaai",
    )


def _integers(form: Point) -> tuple[int, ...]:
    scale = 1
    for entry in form:
        scale *= entry.denominator
    return tuple([int(entry * scale) for entry in form])
