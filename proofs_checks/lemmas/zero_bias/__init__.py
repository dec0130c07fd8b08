"""Networks without biases (Hanin & Rolnick 2019, Appendix D)."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.zero_bias import cones  # isort: skip
from proofs_checks.lemmas.zero_bias import homogeneity  # isort: skip
from proofs_checks.lemmas.zero_bias import count  # isort: skip
from proofs_checks.lemmas.zero_bias import injection  # isort: skip
from proofs_checks.lemmas.zero_bias import at_infinity  # isort: skip
from proofs_checks.lemmas.zero_bias import growth  # isort: skip
from proofs_checks.lemmas.zero_bias import average  # isort: skip

__all__ = ["at_infinity", "average", "cones", "count", "growth", "homogeneity", "injection"]
