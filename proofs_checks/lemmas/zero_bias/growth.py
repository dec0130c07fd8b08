"""The growth d N^(d-1) of Appendix D, read as an upper bound for one network without biases.

At depth one the generic count is 2 sum C(N-1, i), i < d: it is 2 > 1 for d = 1, 2 N = d N^(d-1) for d = 2, and
N^2 - N + 2 <= 3 N^2 for d = 3.  For d = 2 it is about the mean: single deep networks go over 2 N.
"""

from __future__ import annotations

from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, HOMOGENEOUS, WHOLE_SPACE
from proofs_checks.lemmas.support.related import zero_bias_complex
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds


@register(
    "zero_bias_growth",
    title="Without biases, at most d N^(d-1) cells",
    text="The network with all hidden biases put to 0 has at most d N^(d-1) activation regions.",
    latex=r"\#\{\text{activation regions of } N_0\} \le d\,N^{d-1}",
    source="Hanin & Rolnick 2019, Appendix D: expected growth, read as a bound",
    route="the network without biases enumerated, against the number",
    scope=Scope.FALSE,
    hypotheses=(WHOLE_SPACE, HOMOGENEOUS, HAS_NEURONS),
)
def check(subject: Subject) -> Outcome:
    """Compare the number of strict cells without biases with d N^(d-1)."""
    plain = subject.cached(zero_bias_complex)
    neurons, dim = subject.network.n_neurons, subject.dim
    bound = dim * neurons ** (dim - 1)
    if plain.n_strict <= bound:
        return holds(n_strict=plain.n_strict, bound=bound)
    return fails(
        {"n_strict": plain.n_strict, "bound": bound, "N": neurons, "d": dim},
        reason="on the line 0 parts two cells" if dim == 1 else "the growth is that of a mean, and no bound",
    )
