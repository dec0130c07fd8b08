"""Appendix D's injection, made explicit: each cell of the network without biases is sent to a cell of the biased one.

N_b(c x) / c = N_(b/c)(x) tends to N_0(x), so a sign that is strict at x without biases is the biased sign at c x for
all large c.  The check looks for such a c, as a power of two, for the witness of every cell, moves c x off the walls,
and compares: the strict neurons keep their pieces, and different cells arrive in different cells.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HOMOGENEOUS, WHOLE_SPACE
from proofs_checks.lemmas.support.related import zero_bias_complex
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_DOUBLINGS = 400


@register(
    "zero_bias_injection",
    title="The injection into the biased network's cells",
    text="Sending a cell of the network without biases to the biased cell at c x, c large, is injective and keeps every"
    " strict sign.",
    latex=r"R_0(A) \ni x \mapsto R_b\ \text{at } c\,x,\ c \gg 1,\quad \text{injective}",
    source="Hanin & Rolnick 2019, Appendix D",
    route="evaluation of the biased network at c x for an explicit c; the cells met are looked up in the list",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS),
)
def check(subject: Subject) -> Outcome:
    """Send every cell across and look for a collision."""
    plain = subject.cached(zero_bias_complex)
    images: dict[tuple[int, ...], str] = {}
    largest = Fraction(1)
    for cell in plain:
        factor = Fraction(1)
        strict = [k for k in range(subject.network.n_neurons) if k not in cell.degenerate]
        for _ in range(_DOUBLINGS):
            image = subject.network.pattern_beyond(tuple([factor * x for x in cell.witness]))
            if all(image[k] == cell.pattern[k] for k in strict):
                break
            factor *= 2
        else:
            return fails({"pattern": cell.text, "point": cell.witness, "no_factor_up_to": factor})
        largest = max(largest, factor)
        if subject.complex.index_of(image) is None:
            return fails(
                {"pattern": cell.text, "point": cell.witness, "factor": factor, "unlisted": subject.text(image)}
            )
        if image in images:
            return fails({"patterns": [images[image], cell.text], "both_arrive_in": subject.text(image)})
        images[image] = cell.text
    return holds(cells_zero_bias=plain.n_cells, cells=len(subject.cells), largest_factor=largest)
