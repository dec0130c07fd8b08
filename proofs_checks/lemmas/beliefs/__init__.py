"""Beliefs that are false, kept as checks that must fail on their counterexamples."""

from proofs_checks.lemmas.beliefs import (
    hamming,
    linear_regions_convex,
)

__all__ = [
    "hamming",
    "linear_regions_convex",
]
