"""Seed 001, the notes *Expressivity and Depth*: general statements, and those about their example."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.notes import carving  # isort: skip
from proofs_checks.lemmas.notes import walls_bend  # isort: skip
from proofs_checks.lemmas.notes import preimages  # isort: skip
from proofs_checks.lemmas.notes import widths  # isort: skip
from proofs_checks.lemmas.notes import seed001  # isort: skip
from proofs_checks.lemmas.notes import relative_volumes  # isort: skip

__all__ = ["carving", "preimages", "relative_volumes", "seed001", "walls_bend", "widths"]
