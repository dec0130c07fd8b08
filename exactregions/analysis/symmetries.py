"""Hidden symmetries, explained: the deficit of the functional dimension, attributed to mechanisms by linear algebra.

A *hidden symmetry* is one beyond permutations and positive rescalings (Grigsby, Lindsey and Rolnick 2023); locally
there are some iff the functional dimension misses its upper bound.  Every mechanism of `mechanisms` that is at work
brings null directions along.  Taken in order, each is credited with the dimensions that it adds to the span of the
rescalings and of all before it; so nothing is counted twice, and what the span of all misses is called unexplained, and
given.

On a domain with sides, the network is also studied on the whole flat around it.  Its null space there is part of the
null space on the domain; the mechanisms are credited there, and the difference is credited to the bounded domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactregions.analysis.functional_dimension import FunctionalDimension, functional_dimension
from exactregions.analysis.mechanisms import Finding, MechanismKind, find_mechanisms
from exactregions.analysis.null_space import Direction, independent_of, rank
from exactregions.analysis.parameters import Biases
from exactregions.domains import Domain, Slice, WholeSpace
from exactregions.enumeration import enumerate_regions
from exactregions.errors import UndecidedError
from exactregions.regions import RegionComplex, Status

__all__ = ["Attribution", "SymmetryReport", "symmetries", "whole_flat"]


@dataclass(frozen=True, slots=True)
class Attribution:
    """A mechanism at work, and its part of the deficit.

    Attributes
    ----------
    finding : Finding
    predicted : int
        Hidden dimensions that it would cause alone.
    credited : int
        Those that none of the mechanisms before it causes.
    """

    finding: Finding
    predicted: int
    credited: int

    def facts(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "kind": self.finding.kind.value,
            "neurons": list(self.finding.neurons),
            "predicted": self.predicted,
            "credited": self.credited,
            "witness": self.finding.witness,
        }


@dataclass(frozen=True, slots=True)
class SymmetryReport:
    """What is hidden in a network's parameters, and why.

    Attributes
    ----------
    dimension : FunctionalDimension
    attributions : tuple of Attribution
        Every mechanism found, in the order of crediting.
    unexplained : tuple of integer vectors
        Null directions that, with all the others, complete the null space.
    """

    dimension: FunctionalDimension
    attributions: tuple[Attribution, ...]
    unexplained: tuple[Direction, ...]

    @property
    def credits(self) -> dict[MechanismKind, int]:
        """The deficit by mechanism, without the zeros."""
        found: dict[MechanismKind, int] = {}
        for part in self.attributions:
            if part.credited:
                found[part.finding.kind] = found.get(part.finding.kind, 0) + part.credited
        return found

    def facts(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "functional_dimension": self.dimension.value,
            "upper_bound": self.dimension.upper_bound,
            "parameters": self.dimension.parameters.count,
            "deficit": self.dimension.deficit if self.dimension.status is Status.EXACT else None,
            "n_smooth": self.dimension.n_smooth,
            "mechanisms": [part.facts() for part in self.attributions],
            "unexplained": len(self.unexplained),
        }

    def text(self) -> str:
        """Return the report as a few lines."""
        known = self.dimension
        if known.value is None:
            return (
                f"no cell is parametrically smooth: the functional dimension is not defined (bound {known.upper_bound})"
            )
        if known.status is not Status.EXACT:
            return f"functional dimension at least {known.value}, at most {known.upper_bound}: the search was stopped"
        lines = [f"functional dimension {known.value} of at most {known.upper_bound}"]
        for part in self.attributions:
            neurons = ", ".join(map(str, part.finding.neurons))
            what = f"{part.finding.kind.value} ({neurons})" if neurons else part.finding.kind.value
            lines.append(f"  {part.credited} of the deficit: {what}: {part.finding.witness}")
        lines.append(
            f"  {len(self.unexplained)} of the deficit: unexplained" if known.deficit else "no hidden symmetry"
        )
        return "\n".join(lines)


def symmetries(cells: RegionComplex, *, biases: Biases = "free", max_cells: int = 200_000) -> SymmetryReport:
    """Compute the functional dimension and attribute what is missing to mechanisms.

    Parameters
    ----------
    cells : RegionComplex
        Complete.
    biases : {"free", "tied", "absent"}
        See `Parameters`.
    max_cells : int
        If the domain has sides, the most cells to list on the whole flat around it.

    Raises
    ------
    UndecidedError
        If the list of cells is not complete, or has more than `max_cells` on the whole flat.

    Examples
    --------
    >>> import exactregions as er
    >>> net = er.Network([([[1, 0], [0, 0]], [0, -1])], output=([[1, 1]], [0]))
    >>> print(symmetries(er.enumerate_regions(net)).text())
    functional dimension 4 of at most 7
      3 of the deficit: stably unactivated (1): on piece 0, of slope 0, in all 2 smooth cells
      0 of the deficit: restricted image (2): what enters it where it has an effect spans 2 of 3 dimensions
      0 of the deficit: unexplained
    """
    if cells.status is not Status.EXACT:
        raise UndecidedError(
            f"mechanisms cannot be told from {len(cells)} cells of a search that was stopped",
            remedy="list all cells; functional_dimension() gives a lower bound from these",
        )
    dimension = functional_dimension(cells, biases=biases)
    if dimension.value is None:
        return SymmetryReport(dimension, (), ())
    around = whole_flat(cells.domain)
    if around is None:
        return _attributed(dimension, find_mechanisms(cells, dimension))
    whole = enumerate_regions(cells.network, around, max_cells=max_cells)
    if whole.status is not Status.EXACT:
        raise UndecidedError(f"there are more than {max_cells} cells on {around}", remedy="raise max_cells")
    return _on_domain(cells, dimension, whole, biases)


def whole_flat(domain: Domain) -> Domain | None:
    """Return the flat that a domain is a part of, or None if it is all of it.

    Examples
    --------
    >>> from exactregions import Box
    >>> print(whole_flat(Box([0, 0], [1, 1])), whole_flat(WholeSpace(3)))
    R^2 None
    """
    if not domain.integer_rows():
        return None
    return Slice(domain.origin, domain.directions) if isinstance(domain, Slice) else WholeSpace(domain.dim)


def _on_domain(
    cells: RegionComplex, dimension: FunctionalDimension, whole: RegionComplex, biases: Biases
) -> SymmetryReport:
    """Credit what is hidden on the whole flat first, and the rest to the bounded domain."""
    beyond = functional_dimension(whole, biases=biases)
    known = _attributed(beyond, find_mechanisms(whole, beyond))
    places = independent_of(beyond.null_space, dimension.hidden_directions)
    if not places:
        return SymmetryReport(dimension, known.attributions, known.unexplained)
    directions = tuple(dimension.hidden_directions[k] for k in places)
    here = _attributed(dimension, find_mechanisms(cells, dimension))
    seen = {(part.finding.kind, part.finding.neurons) for part in known.attributions}
    local = [part.finding for part in here.attributions if (part.finding.kind, part.finding.neurons) not in seen]
    details = "; ".join(f"{one.kind.value} ({', '.join(map(str, one.neurons))})" for one in local)
    witness = f"{len(cells)} cells, and {len(whole)} on the whole flat"
    finding = Finding(
        MechanismKind.BOUNDED_DOMAIN, (), f"{witness}; there only: {details}" if details else witness, directions
    )
    extra = Attribution(finding, len(directions), len(directions))
    return SymmetryReport(dimension, (*known.attributions, extra), known.unexplained)


def _attributed(dimension: FunctionalDimension, findings: Sequence[Finding]) -> SymmetryReport:
    """Credit each finding with the dimensions that it adds to the rescalings and to those before it."""
    rescalings = dimension.parameters.rescalings
    base = dimension.parameters.n_rescalings  # more than len(rescalings) where some vanish at these parameters
    span: list[Sequence[Fraction | int]] = list(rescalings)
    reached, parts = max(base, len(span)), []
    for finding in findings:
        alone = max(base, rank([*rescalings, *finding.directions])) - base
        span += [finding.directions[k] for k in independent_of(span, finding.directions)]
        credited = max(base, len(span)) - reached
        reached += credited
        parts.append(Attribution(finding, alone, credited))
    left = independent_of(span, dimension.hidden_directions)
    surplus = max(0, base - len(span))  # null directions that stand for the rescalings that vanish
    return SymmetryReport(dimension, tuple(parts), tuple(dimension.hidden_directions[k] for k in left[surplus:]))
