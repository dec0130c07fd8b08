"""Networks without biases (Hanin & Rolnick 2019, Appendix D)."""

from proofs_checks.lemmas.zero_bias import (
    cones,
    count,
)

__all__ = [
    "cones",
    "count",
]
