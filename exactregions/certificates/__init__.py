"""Proofs that a list of cells is right, and the files that carry them.

`prove` decides whether a list of patterns is exactly the list of cells; observers are how engines report what they
find.  The files are specified in ``proofs_checks/FORMAT.md`` and checked by ``python -m proofs_checks check FILE``.
"""

from __future__ import annotations
