"""Certificates written while the exact rung searches, in memory that does not grow with the number of cells.

The compiled kernels and this search share no decision, so that each checks the other: the cells proved must be exactly
those that a kernel listed, or as many as it counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from exactregions.certificates.writer import CertificateWriter
from exactregions.domains import Domain
from exactregions.enumeration.split.homogeneous import homogeneous_problem
from exactregions.enumeration.split.proving import Leaf, prove_cells
from exactregions.errors import UndecidedError
from exactregions.network import Network
from exactregions.patterns import PatternCodec

__all__ = ["proves_while_searching", "stream_proof"]

_LARGEST_DIM = 5  # measured: beyond, cells have so many vertices that `certificates.prove` is faster
_BATCH = 1024


def proves_while_searching(network: Network, domain: Domain) -> bool:
    """Whether `stream_proof` is the faster way to a certificate: the effective dimension is small."""
    return homogeneous_problem(network, domain).dim <= _LARGEST_DIM


def stream_proof(
    network: Network,
    domain: Domain,
    path: str | PathLike[str],
    *,
    n_cells: int,
    n_strict: int,
    patterns: NDArray[np.uint8] | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Search all cells once more, exactly, and write the certificate meanwhile.

    Parameters
    ----------
    network, domain : Network, Domain
        As the user gave them.
    path : path-like
        Where the certificate goes; gzip if it ends in ``.gz``.  It appears when it is complete.
    n_cells, n_strict : int
        What a kernel found.
    patterns : uint8 array (n_cells, n_bytes), optional
        Which cells a kernel found, packed by `PatternCodec`, sorted.
    progress : callable, optional
        Called with the number of cells proved so far, now and then.

    Raises
    ------
    UndecidedError
        If the two searches disagree; no certificate is written then.
    EmptyDomainError
        If the domain has no interior.
    """
    problem = homogeneous_problem(network, domain)
    codec = PatternCodec.of(network)
    found = strict = 0
    with CertificateWriter(path, network, domain) as writer:
        for leaves in _batches(prove_cells(problem, writer)):
            found += len(leaves)
            strict += sum(leaf.strict for leaf in leaves)
            if patterns is not None and not _contains(patterns, codec.pack([leaf.pattern for leaf in leaves])):
                raise _disagreement("a cell that is proved is not in the list")
            if progress is not None:
                progress(found)
        if (found, strict) != (n_cells, n_strict):
            raise _disagreement(f"{found} cells ({strict} strict) are proved, and {n_cells} ({n_strict}) were found")
        writer.finish(found, strict, complete=True)


def _batches(leaves: Iterator[Leaf]) -> Iterator[list[Leaf]]:
    while batch := list(islice(leaves, _BATCH)):
        yield batch


def _contains(table: NDArray[np.uint8], rows: NDArray[np.uint8]) -> bool:
    """Whether all rows are in a sorted table."""
    if not rows.shape[1]:
        return bool(len(table))
    kind = f"S{rows.shape[1]}"  # padded with zeros to one length, so that rows compare byte by byte
    known, wanted = (np.ascontiguousarray(part).view(kind).ravel() for part in (table, rows))
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return bool((known[places] == wanted).all())


def _disagreement(how: str) -> UndecidedError:
    return UndecidedError(
        f"the proof and the engine split disagree: {how}; no result is given", remedy="please report this network"
    )
