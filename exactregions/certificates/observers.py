"""The recorder seam: the one small interface through which engines tell what they find.

An engine calls `start` once, `cell` for every cell as it is settled, `progress` now and then, and `end` once.  Whatever
wants to know (a progress bar, a list, a certificate) implements this protocol; engines know nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from exactregions.domains import Domain
from exactregions.network import Network
from exactregions.patterns import Pattern

__all__ = ["CollectingObserver", "NullObserver", "Observer", "Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What an engine was asked.

    Attributes
    ----------
    network, domain : Network, Domain
        As the user gave them.
    engine : str
        The engine's name.
    """

    network: Network
    domain: Domain
    engine: str


class Observer(Protocol):
    """What an engine tells; see the module's docstring for when."""

    def start(self, problem: Problem) -> None:
        """Say that the search begins."""

    def cell(self, pattern: Pattern, witness: tuple[Fraction, ...], strict: bool) -> None:
        """Report one cell, its witness in the domain's own coordinates."""

    def progress(self, done: int, waiting: int) -> None:
        """Report how many cells are settled, and how many are known to wait (by `split`: about how many)."""

    def end(self, n_cells: int, n_strict: int, *, complete: bool) -> None:
        """Say that the search is over, and whether it found everything."""


class NullObserver:
    """Takes no notice."""

    def start(self, problem: Problem) -> None:
        """Do nothing."""

    def cell(self, pattern: Pattern, witness: tuple[Fraction, ...], strict: bool) -> None:
        """Do nothing."""

    def progress(self, done: int, waiting: int) -> None:
        """Do nothing."""

    def end(self, n_cells: int, n_strict: int, *, complete: bool) -> None:
        """Do nothing."""


@dataclass(slots=True)
class CollectingObserver(NullObserver):
    """Keeps what it is told, in order.

    Examples
    --------
    >>> import exactregions as er
    >>> seen = CollectingObserver()
    >>> _ = er.enumerate_regions(er.Network([([[1]], [0])]), observer=seen)
    >>> sorted(seen.patterns), seen.complete
    ([(0,), (1,)], True)
    """

    patterns: list[Pattern] = field(default_factory=list)
    witnesses: list[tuple[Fraction, ...]] = field(default_factory=list)
    strict: list[bool] = field(default_factory=list)
    complete: bool | None = None

    def cell(self, pattern: Pattern, witness: tuple[Fraction, ...], strict: bool) -> None:
        """Keep the cell."""
        self.patterns.append(pattern)
        self.witnesses.append(witness)
        self.strict.append(strict)

    def end(self, n_cells: int, n_strict: int, *, complete: bool) -> None:
        """Keep whether the search was complete."""
        self.complete = complete
