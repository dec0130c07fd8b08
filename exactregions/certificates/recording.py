"""An observer that proves what an engine found, and writes the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

from exactregions.certificates.observers import CollectingObserver, Problem
from exactregions.certificates.prove import prove
from exactregions.certificates.results import Counterexamples, Proof

__all__ = ["CertifyingObserver"]


@dataclass(slots=True)
class CertifyingObserver(CollectingObserver):
    """Collects the cells, and at the end proves that they are all, writing a certificate.

    If the engine stopped early, the certificate proves a lower bound.

    Parameters
    ----------
    path : path-like
        Where the certificate goes; gzip if it ends in ``.gz``.

    Attributes
    ----------
    answer : Proof or Counterexamples, or None
        What came of it, once the engine has ended; None before, and if it was stopped before the first cell.

    Examples
    --------
    >>> import tempfile, exactregions as er
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     observer = CertifyingObserver(path=f"{folder}/cells.jsonl.gz")
    ...     _ = er.enumerate_regions(er.Network([([[1], [2]], [0, 1])]), observer=observer)
    ...     observer.answer.n_cells, observer.answer.certificate.exists()
    (3, True)
    """

    path: str | PathLike[str] = "certificate.jsonl.gz"
    problem: Problem | None = None
    answer: Proof | Counterexamples | None = None

    def start(self, problem: Problem) -> None:
        """Keep the problem."""
        self.problem = problem

    def end(self, n_cells: int, n_strict: int, *, complete: bool) -> None:
        """Prove the list, and write the certificate."""
        CollectingObserver.end(self, n_cells, n_strict, complete=complete)
        if self.problem is not None and (complete or self.patterns):
            self.answer = prove(
                self.problem.network,
                self.problem.domain,
                self.patterns,
                witnesses=self.witnesses,
                certificate=self.path,
                complete=complete,
            )
