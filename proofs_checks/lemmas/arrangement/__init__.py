"""Facts on hyperplane arrangements, on the first layer, and bounds on the number of cells."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.arrangement import deletion_restriction  # isort: skip
from proofs_checks.lemmas.arrangement import zaslavsky  # isort: skip
from proofs_checks.lemmas.arrangement import binomial_sum_attained  # isort: skip
from proofs_checks.lemmas.arrangement import generic_iff_binomial  # isort: skip
from proofs_checks.lemmas.arrangement import serra_upper_bound  # isort: skip
from proofs_checks.lemmas.arrangement import average_facets  # isort: skip

__all__ = [
    "average_facets",
    "binomial_sum_attained",
    "deletion_restriction",
    "generic_iff_binomial",
    "serra_upper_bound",
    "zaslavsky",
]
