"""Appendix D: putting all biases to 0 does not add cells.

True for strict regions and for cells, whatever the biases: see `injection` for the map that proves it.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HOMOGENEOUS, WHOLE_SPACE
from proofs_checks.lemmas.support.related import zero_bias_complex
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "zero_bias_count",
    title="Without biases, no more cells",
    text="The network with all hidden biases put to 0 has at most as many cells, and strict cells, as with any biases.",
    latex=r"\#\{\text{cells of } N_{0}\} \le \#\{\text{cells of } N_{b}\}",
    source="Hanin & Rolnick 2019, Appendix D",
    route="both networks enumerated",
    scope=Scope.EVERY,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS),
)
def check(subject: Subject) -> Outcome:
    """Compare the counts with and without biases."""
    plain = subject.cached(zero_bias_complex)
    counts = {
        "cells_zero_bias": plain.n_cells,
        "cells": len(subject.cells),
        "strict_zero_bias": plain.n_strict,
        "strict": subject.n_strict,
    }
    if plain.n_cells > len(subject.cells) or plain.n_strict > subject.n_strict:
        return fails(counts)
    return holds(counts)
