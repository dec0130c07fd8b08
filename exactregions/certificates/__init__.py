"""Proofs that a list of cells is right, and the files that carry them.

`prove` decides whether a list of patterns is exactly the list of cells; `decide_pattern`, `certify_point`,
`decide_facet` and `decide_merge` answer smaller questions; observers are how engines report what they find.  The files
are specified in ``proofs_checks/FORMAT.md`` and checked by ``python -m proofs_checks check FILE``.
"""

from __future__ import annotations

from exactregions.certificates.observers import CollectingObserver, NullObserver, Observer, Problem
from exactregions.certificates.prove import prove
from exactregions.certificates.recording import CertifyingObserver
from exactregions.certificates.results import Counterexamples, Duplicate, Malformed, Missing, Proof, Spurious
from exactregions.certificates.small import (
    CellProof,
    FacetProof,
    NoCellProof,
    certify_point,
    decide_facet,
    decide_merge,
    decide_pattern,
)
from exactregions.certificates.writer import CertificateWriter

__all__ = [
    "CellProof",
    "CertificateWriter",
    "CertifyingObserver",
    "CollectingObserver",
    "Counterexamples",
    "Duplicate",
    "FacetProof",
    "Malformed",
    "Missing",
    "NoCellProof",
    "NullObserver",
    "Observer",
    "Problem",
    "Proof",
    "Spurious",
    "certify_point",
    "decide_facet",
    "decide_merge",
    "decide_pattern",
    "prove",
]
