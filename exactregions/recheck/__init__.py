"""A second checker of certificates: fast, and independent of all that makes them.

`check` verifies the files that proofs_checks/FORMAT.md specifies.  It was written from that document alone and shares
no code with the small checker of proofs_checks, nor with the prover; the tests demand that both checkers agree on
every file.  It computes with integer matrices (flint) where the small one computes with Python's integers; the small
one stays the authority.
"""

from __future__ import annotations

from exactregions.recheck.checking import check
from exactregions.recheck.verdicts import Limits, Verdict

__all__ = ["Limits", "Verdict", "check"]
