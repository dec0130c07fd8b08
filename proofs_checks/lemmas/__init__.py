"""Statements of the literature, each checked on the network in front of you.

    >>> import exactregions as er
    >>> from proofs_checks import lemmas
    >>> tent = er.Network([([[1], [1]], [0, "-1/2"])], output=([[2, -4]], [0]))
    >>> verdict = lemmas.get("hamming1_implies_adjacent")(tent)
    >>> print(verdict.answer, verdict.detail)
    HOLDS {'hamming1_pairs': 2, 'facets': 2}

`check_all` runs them all; `register` adds one.  A check decides its hypotheses exactly, rests on no list of cells that
it has not proved complete, and comes to its conclusion by a route of its own wherever there is one.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import Lemma, check_all, get, iter_checks, register, statements, unregister
from proofs_checks.lemmas.support.hypotheses import Condition, condition
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import (
    Answer,
    Estimate,
    Hypothesis,
    Outcome,
    Scope,
    Statement,
    Verdict,
    fails,
    holds,
)

# the order of these imports is the order of the table
from proofs_checks.lemmas import hanin_rolnick  # isort: skip
from proofs_checks.lemmas import zero_bias  # isort: skip
from proofs_checks.lemmas import rescaling  # isort: skip
from proofs_checks.lemmas import arrangement  # isort: skip
from proofs_checks.lemmas import sign_sequences  # isort: skip
from proofs_checks.lemmas import beliefs  # isort: skip
from proofs_checks.lemmas import notes  # isort: skip

__all__ = [
    "Answer",
    "Condition",
    "Estimate",
    "Hypothesis",
    "Lemma",
    "Outcome",
    "Scope",
    "Statement",
    "Subject",
    "Verdict",
    "arrangement",
    "beliefs",
    "check_all",
    "condition",
    "fails",
    "get",
    "hanin_rolnick",
    "holds",
    "iter_checks",
    "notes",
    "register",
    "rescaling",
    "sign_sequences",
    "statements",
    "unregister",
    "zero_bias",
]
