"""Sign sequences of faces (Masden 2022; Grigsby & Lindsey 2022)."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.sign_sequences import injective  # isort: skip
from proofs_checks.lemmas.sign_sequences import zeros_equal_codimension  # isort: skip
from proofs_checks.lemmas.sign_sequences import euler  # isort: skip
from proofs_checks.lemmas.sign_sequences import reconstruction  # isort: skip
from proofs_checks.lemmas.sign_sequences import bounded_decision_component  # isort: skip

__all__ = ["bounded_decision_component", "euler", "injective", "reconstruction", "zeros_equal_codimension"]
