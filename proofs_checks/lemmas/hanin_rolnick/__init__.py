"""Hanin & Rolnick 2019, *Deep ReLU Networks Have Surprisingly Few Activation Patterns*: lemmas 1 to 3, theorems 5 and 10."""

from proofs_checks.lemmas.hanin_rolnick import (
    linear_le_cells,
    linear_le_strict,
    distinct_gradients,
    heuristic_upper_bound,
)

__all__ = [
    "linear_le_cells",
    "linear_le_strict",
    "distinct_gradients",
    "heuristic_upper_bound",
]
