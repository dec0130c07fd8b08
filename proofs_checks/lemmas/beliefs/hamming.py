"""Two beliefs about patterns: that a Hamming distance of one means adjacent, and that adjacent means one.

Neither is so.  Patterns do not determine adjacency (Masden 2022, Theorem 15): two cells may differ in one neuron and
lie far apart, even in generic networks.  And where walls of several neurons coincide along a facet, they all change
there.
"""

from __future__ import annotations

from exactregions.lp import Infeasible, StrictSystem, solve
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.subject import Row, Subject, oriented
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

Pair = tuple[int, int]


@register(
    "hamming1_implies_adjacent",
    title="Hamming distance one means adjacent",
    text="Two cells whose patterns differ in exactly one neuron share a facet.",
    latex=r"d_H(A, A') = 1 \implies R(A), R(A')\ \text{share a facet}",
    source="a common description of the adjacency graph; refuted by Masden 2022, Theorem 15",
    route="pairs at distance one by hashing patterns; facets by crossing them",
    scope=Scope.FALSE,
)
def check_hamming1(subject: Subject) -> Outcome:
    """Look for a pair at distance one without a facet."""
    pairs = _at_distance_one(subject)
    apart = [pair for pair in pairs if pair not in subject.facets]
    detail: dict[str, object] = {"hamming1_pairs": len(pairs), "facets": len(subject.facets)}
    if not apart:
        return holds(detail)
    detail["violating_pairs"] = len(apart)
    if any(phi.n_pieces > 2 for phi in subject.network.neurons):
        steps = [pair for pair in apart if _largest_step(subject, pair) == 1]
        detail["unit_step_reading"] = "FAILS" if steps else "HOLDS"
    first, second = (subject.cells[k] for k in apart[0])
    proof = _why_apart(subject, apart[0])
    return fails(
        {
            "patterns": [first.text, second.text],
            "points": [first.witness, second.witness],
            **({"no_common_facet": proof} if proof else {}),
        },
        detail,
        reason="their rows contradict each other on the only hyperplane that could hold a common facet"
        if proof
        else "the pieces that differ have no breakpoint in common",
    )


@register(
    "adjacent_implies_hamming1",
    title="Adjacent means Hamming distance one",
    text="The patterns of two cells that share a facet differ in exactly one neuron.",
    latex=r"R(A), R(A')\ \text{share a facet} \implies d_H(A, A') = 1",
    source="true for supertransversal networks (Masden 2022); assumed by counters that flip one neuron a step",
    route="facets by crossing them: the pattern beyond is evaluated, not flipped",
    scope=Scope.ALMOST_EVERY,
)
def check_adjacent(subject: Subject) -> Outcome:
    """Look for a facet across which several neurons change piece."""
    pairs = _at_distance_one(subject)
    detail = {"hamming1_pairs": len(pairs), "facets": len(subject.facets)}
    jumps = [pair for pair in subject.facets if len(_changes(subject, pair)) != 1]
    if not jumps:
        return holds(detail)
    first, second = (subject.cells[k] for k in jumps[0])
    facet = subject.facets[jumps[0]]
    return fails(
        {
            "patterns": [first.text, second.text],
            "facet_hyperplane": [str(entry) for entry in oriented(facet.row)],
            "hamming_distance": len(_changes(subject, jumps[0])),
            "point": facet.point,
        },
        detail,
        reason=f"the walls of neurons {', '.join(map(str, _changes(subject, jumps[0])))} coincide along the facet",
        violating_pairs=len(jumps),
    )


def _at_distance_one(subject: Subject) -> list[Pair]:
    """All pairs of cells whose patterns differ in exactly one neuron."""
    places = {cell.pattern: cell.index for cell in subject.cells}
    pairs = set()
    for pattern, index in places.items():
        for neuron, phi in enumerate(subject.network.neurons):
            for piece in range(phi.n_pieces):
                other = places.get((*pattern[:neuron], piece, *pattern[neuron + 1 :]))
                if other is not None and other != index:
                    pairs.add((min(index, other), max(index, other)))
    return sorted(pairs)


def _changes(subject: Subject, pair: Pair) -> list[int]:
    first, second = (subject.cells[k].pattern for k in pair)
    return [neuron for neuron, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]


def _largest_step(subject: Subject, pair: Pair) -> int:
    first, second = (subject.cells[k].pattern for k in pair)
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


def _why_apart(subject: Subject, pair: Pair) -> dict[str, object] | None:
    """Multipliers that show that rows of the two cells contradict each other on their common hyperplane.

    With weights w_r > 0 on rows r of the cells and a number m: sum w_r r + m h = a constant <= 0.
    """
    cells = [subject.cells[k].inequalities for k in pair]
    upper, lower = ({oriented(row) for row in cell.rows} for cell in cells)
    opposite = [
        row
        for row in cells[0].rows
        if tuple([-entry for entry in row]) in cells[1].rows and oriented(row) in upper & lower
    ]
    if len(opposite) != 1:
        return None
    wall = oriented(opposite[0])
    pivot = next(k for k, entry in enumerate(wall[:-1]) if entry)
    rows: list[Row] = [row for cell in cells for row in cell.rows if oriented(row) != wall]
    rows = list(dict.fromkeys(rows))
    reduced = [
        [wall[pivot] * a - row[pivot] * h for k, (a, h) in enumerate(zip(row, wall, strict=True)) if k != pivot]
        for row in rows
    ]
    answer = solve(StrictSystem.from_rows(reduced, subject.dim - 1))
    if not isinstance(answer, Infeasible):
        return None
    used = [(rows[k], weight * wall[pivot]) for k, weight in answer.multipliers]
    slope = -sum(weight * row[pivot] for row, weight in used) / wall[pivot]
    return {
        "hyperplane": list(map(str, wall)),
        "rows": [list(map(str, row)) for row, _ in used],
        "weights": [weight for _, weight in used],
        "weight_of_hyperplane": slope,
        "sum_is_the_constant": sum(weight * row[-1] for row, weight in used) + slope * wall[-1],
    }
