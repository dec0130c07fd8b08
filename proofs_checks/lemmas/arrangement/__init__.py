"""Facts on hyperplane arrangements, and bounds on the number of cells."""

from proofs_checks.lemmas.arrangement import (
    binomial_sum_attained,
    serra_upper_bound,
    average_facets,
)

__all__ = [
    "binomial_sum_attained",
    "serra_upper_bound",
    "average_facets",
]
