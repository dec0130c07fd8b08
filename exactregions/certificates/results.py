"""What `prove` answers: a proof, or the counterexamples."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from exactregions.domains import Domain
from exactregions.network import Network
from exactregions.patterns import Pattern

__all__ = ["Counterexamples", "Duplicate", "Malformed", "Missing", "Proof", "Spurious"]


@dataclass(frozen=True, slots=True)
class Missing:
    """A cell that the list lacks.

    Attributes
    ----------
    pattern : tuple of int
    witness : tuple of Fraction
        A point strictly inside, in the domain's own coordinates.
    strict : bool
        Whether no neuron is degenerate on it.
    """

    pattern: Pattern
    witness: tuple[Fraction, ...]
    strict: bool


@dataclass(frozen=True, slots=True)
class Spurious:
    """A pattern of the list that has no cell.

    Attributes
    ----------
    position : int
        Where it stands in the list (of a repeated pattern: where it stands first).
    pattern : tuple of int
    farkas : dict of str to int, or None
        Multipliers by the names of rows (see ``proofs_checks/FORMAT.md``), which prove it.
    constant_neuron : int or None
        Instead of multipliers: a neuron that is constant on the pattern, on another piece.
    """

    position: int
    pattern: Pattern
    farkas: dict[str, int] | None
    constant_neuron: int | None = None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A pattern that the list has more than once.

    Attributes
    ----------
    positions : tuple of int
        All places where it stands.
    pattern : tuple of int
    """

    positions: tuple[int, ...]
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Malformed:
    """An entry of the list that is no pattern of the network.

    Attributes
    ----------
    position : int
    text : str
        The entry, shortened.
    message : str
        What is wrong with it.
    """

    position: int
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class Proof:
    """The list of patterns is right: it has exactly the cells of the network on the domain.

    Attributes
    ----------
    network, domain : Network, Domain
    n_cells, n_strict : int
    complete : bool
        False if only this was proved, that all listed patterns are cells.
    n_refutations : int
        How many absent pieces were refuted.
    certificate : Path or None
        The file that proves it to others.
    """

    network: Network
    domain: Domain
    n_cells: int
    n_strict: int
    complete: bool
    n_refutations: int
    certificate: Path | None

    @property
    def holds(self) -> bool:
        """True."""
        return True


@dataclass(frozen=True, slots=True)
class Counterexamples:
    """The list of patterns is wrong, and this is what is wrong with it.

    Attributes
    ----------
    network, domain : Network, Domain
    missing, spurious, duplicates, malformed : tuples
    n_right : int
        Patterns that were confirmed to be cells before the search ended.
    exhaustive : bool
        Whether these are all counterexamples; False if the limit was reached.
    """

    network: Network
    domain: Domain
    missing: tuple[Missing, ...]
    spurious: tuple[Spurious, ...]
    duplicates: tuple[Duplicate, ...]
    malformed: tuple[Malformed, ...]
    n_right: int
    exhaustive: bool

    @property
    def holds(self) -> bool:
        """False."""
        return False

    def __len__(self) -> int:
        return len(self.missing) + len(self.spurious) + len(self.duplicates) + len(self.malformed)
