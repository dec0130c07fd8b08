"""Sign sequences of faces (Masden 2022; Grigsby & Lindsey 2022)."""

from proofs_checks.lemmas.sign_sequences import (
    zeros_equal_codimension,
    euler,
)

__all__ = [
    "zeros_equal_codimension",
    "euler",
]
