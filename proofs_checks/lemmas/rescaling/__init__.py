"""Transformations of a network that keep its patterns."""

from proofs_checks.lemmas.rescaling import (
    bias_scaling,
)

__all__ = [
    "bias_scaling",
]
