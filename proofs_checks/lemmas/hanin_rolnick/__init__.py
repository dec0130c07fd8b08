"""Hanin & Rolnick 2019, *Deep ReLU Networks Have Surprisingly Few Activation Patterns*: lemmas 1-3, theorem 5."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.hanin_rolnick import cells_convex  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import cells_are_components  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import linear_le_cells  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import linear_le_strict  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import linear_regions_are_unions  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import distinct_gradients  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import adjacent_maps_differ  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import partial_regions_convex  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import local_partial_count  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import heuristic_upper_bound  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import expected_counts  # isort: skip
from proofs_checks.lemmas.hanin_rolnick import crofton_line  # isort: skip

__all__ = [
    "adjacent_maps_differ",
    "cells_are_components",
    "cells_convex",
    "crofton_line",
    "distinct_gradients",
    "expected_counts",
    "heuristic_upper_bound",
    "linear_le_cells",
    "linear_le_strict",
    "linear_regions_are_unions",
    "local_partial_count",
    "partial_regions_convex",
]
