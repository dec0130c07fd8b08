"""Beliefs that are false, kept as checks that must fail on their counterexamples."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.beliefs import hamming  # isort: skip
from proofs_checks.lemmas.beliefs import linear_regions_convex  # isort: skip
from proofs_checks.lemmas.beliefs import more_depth  # isort: skip

__all__ = ["hamming", "linear_regions_convex", "more_depth"]
