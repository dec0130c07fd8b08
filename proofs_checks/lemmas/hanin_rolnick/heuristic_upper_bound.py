"""The heuristic N^d / d! of Theorem 5, read as an upper bound: false, and false for every generic shallow network.

It is the leading term of the count: one hidden layer in general position has the sum of C(N, i) up to d, which for
d = 1 is N + 1 > N, and for d = 2 is more than N^2 / 2 for every N.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import WHOLE_SPACE
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "heuristic_upper_bound",
    title="N^d / d! is an upper bound",
    text="A network with N neurons and d inputs has at most N^d / d! activation regions.",
    latex=r"\#\{\text{activation regions}\} \le N^d / d!",
    source="Hanin & Rolnick 2019, section 3: a heuristic for the average at initialisation, often quoted as a bound",
    route="the count of strict cells against the number",
    scope=Scope.FALSE,
    hypotheses=(WHOLE_SPACE,),
)
def check(subject: Subject) -> Outcome:
    """Compare the count with N^d / d!."""
    neurons, dim = subject.network.n_neurons, subject.dim
    bound = Fraction(neurons**dim, factorial(dim))
    if subject.n_strict <= bound:
        return holds(n_strict=subject.n_strict, bound=bound)
    return fails(
        {"n_strict": subject.n_strict, "bound": bound, "N": neurons, "d": dim},
        reason="N^d / d! is the leading term of a mean, without the lower terms, and no bound",
    )
