"""Cells of the biased network that reach infinity in all directions of an open cone are the cells without biases.

On a cell with forms a.x + c > 0 the recession cone is {v : a.v >= 0}, full-dimensional iff a.v > 0 has a solution over
all rows.  The linear parts a are those of the network without biases on the same pieces, so that the interior of the
cone is a cell of it; and each of its cells is met, since finitely many cones cover almost all directions.
"""

from __future__ import annotations

from exactregions.lp import Feasible, StrictSystem, solve
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HOMOGENEOUS, WHOLE_SPACE
from proofs_checks.lemmas.support.related import zero_bias_complex, zero_bias_network
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "cells_at_infinity",
    title="Cells at infinity are the cells without biases",
    text="The cells whose recession cone is full-dimensional are in bijection with the cells of the network without"
    " biases: the interior of the cone is the cell.",
    latex=r"\{R_b(A) : \dim \operatorname{rec} R_b(A) = d\} \longleftrightarrow \{R_0(A')\},"
    r"\quad \operatorname{int} \operatorname{rec} R_b(A) = R_0(A')",
    source="sharpens Hanin & Rolnick 2019, Appendix D (regions outside a small radius are approximately conical)",
    route="recession directions by exact linear programs, evaluated in the network without biases",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS),
)
def check(subject: Subject) -> Outcome:
    """Match cells with an open recession cone to cells without biases."""
    plain, network = subject.cached(zero_bias_complex), zero_bias_network(subject.network)
    met: dict[int, str] = {}
    for cell in subject.cells:
        rows = [(*row[:-1], 0) for row in cell.inequalities.rows]
        answer = solve(StrictSystem.from_rows(rows, subject.dim))
        if not isinstance(answer, Feasible):
            continue
        pattern = network.pattern_beyond(answer.witness)
        index = plain.index_of(pattern)
        facts = {"pattern": cell.text, "direction": answer.witness, "zero_bias_pattern": subject.text(pattern)}
        if index is None:
            return fails(facts, reason="the direction is in no listed cell of the network without biases")
        if index in met:
            return fails({**facts, "also_from": met[index]})
        met[index] = cell.text
    if len(met) < plain.n_cells:
        index = next(k for k in range(plain.n_cells) if k not in met)
        return fails({"zero_bias_pattern": plain[index].text, "point": plain[index].witness, "reached_by": "no cell"})
    return holds(cells_at_infinity=len(met), cells=len(subject.cells))
