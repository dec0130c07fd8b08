"""LRA and TPIC, exact predicates on the complex, and the theorem that they suffice for having no hidden symmetry.

Grigsby, Lindsey and Rolnick (2023), as remembered: if a ReLU network with an affine output layer is generic and
supertransversal, if every activation region is a linear region (*linear regions assumption*, LRA), and if the bent
hyperplanes of any two neurons in adjacent layers meet transversely (*transverse pairwise intersection condition*,
TPIC), then it has no hidden symmetries.  The conditions are sufficient, not necessary.

LRA compares the affine maps across every facet.  TPIC looks for a face of codimension 2 at which both neurons are at a
breakpoint, and at which they cross: of the facets around it on which one stays at its breakpoint, the other is below
its own on one and above it on another, and so the other way round.  On a line there is no such face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exactregions.domains import WholeSpace
from exactregions.errors import UndecidedError
from exactregions.network import RELU
from exactregions.regions import RegionComplex, Status
from exactregions.regions.genericity import Verdict, generic, supertransversal

__all__ = [
    "SufficientConditions",
    "linear_regions_assumption",
    "sufficient_conditions",
    "transverse_pairwise_intersections",
]


def linear_regions_assumption(cells: RegionComplex) -> Verdict:
    """Whether the affine maps of any two cells that share a facet differ.

    Raises
    ------
    UndecidedError
        If the list of cells is not complete and no two with one map were found.

    Examples
    --------
    >>> import exactregions as er
    >>> bent = er.Network([([[1], [-1]], [0, 0])], output=([[1, -1]], [0]))
    >>> print(linear_regions_assumption(er.enumerate_regions(bent)).reason)
    cells 01 and 10 have the same affine map on both sides of a facet (coincidence)
    """
    maps = cells.affine_pieces.map_of_cell
    for i, j in cells.facets.tolist():
        if maps[i] == maps[j]:
            why = cells.affine_pieces.merge(i, j).reason.value
            texts = cells[i].text, cells[j].text
            return Verdict(
                False, f"cells {texts[0]} and {texts[1]} have the same affine map on both sides of a facet ({why})"
            )
    _need_all(cells, "LRA")
    return Verdict(True)


def transverse_pairwise_intersections(cells: RegionComplex) -> Verdict:
    """Whether the bent hyperplanes of any two neurons in adjacent layers meet transversely somewhere in the domain.

    Raises
    ------
    UndecidedError
        If the list of cells is not complete: what was not found may hold the intersection.

    Examples
    --------
    >>> import exactregions as er
    >>> cross = er.Network([([[1, 0]], [0]), ([[1]], [-1])])
    >>> print(transverse_pairwise_intersections(er.enumerate_regions(cross)).reason)
    neurons 0 and 1 meet transversely at no face of codimension 2
    """
    _need_all(cells, "TPIC")
    starts = cells.network.layer_starts
    wanted = {
        (i, j)
        for layer in range(len(starts) - 2)
        for i in range(starts[layer], starts[layer + 1])
        for j in range(starts[layer + 1], starts[layer + 2])
    }
    if cells.dim >= 2 and wanted:
        wanted -= _crossing_pairs(cells, wanted)
    if not wanted:
        return Verdict(True)
    first, second = min(wanted)
    return Verdict(False, f"neurons {first} and {second} meet transversely at no face of codimension 2")


def _need_all(cells: RegionComplex, what: str) -> None:
    if cells.status is not Status.EXACT:
        raise UndecidedError(f"{what} cannot be decided from {len(cells)} cells of a search that was stopped")


def _crossing_pairs(cells: RegionComplex, wanted: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the pairs among those wanted that cross at some face of codimension 2."""
    faces = cells.face_complex
    corners = faces.states(cells.dim - 2)
    facets = faces.states(cells.dim - 1)
    around = faces.cofaces(cells.dim - 2)
    found: set[tuple[int, int]] = set()
    for corner, state in enumerate(corners.tolist()):
        at = [k for k, code in enumerate(state) if code % 2]
        beside = [facets[k].tolist() for k in around[corner]]
        for pair in wanted - found if len(at) > 1 else ():
            if pair[0] in at and pair[1] in at and _cross(*pair, state, beside):
                found.add(pair)
    return found


def _cross(i: int, j: int, state: Sequence[int], beside: Sequence[Sequence[int]]) -> bool:
    """Whether along the bend of either neuron the other passes from below its breakpoint to above it."""
    along_i = {facet[j] for facet in beside if facet[i] == state[i]}
    along_j = {facet[i] for facet in beside if facet[j] == state[j]}
    return {state[j] - 1, state[j] + 1} <= along_i and {state[i] - 1, state[i] + 1} <= along_j


@dataclass(frozen=True, slots=True)
class SufficientConditions:
    """The hypotheses of the theorem, each with the reason where it fails.

    Attributes
    ----------
    in_scope : Verdict
        ReLU, an affine output layer, the whole input space.
    generic, supertransversal, lra, tpic : Verdict
    """

    in_scope: Verdict
    generic: Verdict
    supertransversal: Verdict
    lra: Verdict
    tpic: Verdict

    @property
    def hold(self) -> bool:
        """Whether all hold, so that by the theorem there are no hidden symmetries."""
        return all((self.in_scope, self.generic, self.supertransversal, self.lra, self.tpic))

    def facts(self) -> dict[str, dict[str, str | bool]]:
        """Return plain values for JSON."""
        return {
            name: {"holds": verdict.holds, "reason": verdict.reason}
            for name in ("in_scope", "generic", "supertransversal", "lra", "tpic")
            for verdict in [getattr(self, name)]
        }


def sufficient_conditions(cells: RegionComplex) -> SufficientConditions:
    """Decide every hypothesis of the theorem on one network.

    Examples
    --------
    >>> import exactregions as er
    >>> net = er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])], output=([[1, 2, 3]], [0]))
    >>> sufficient_conditions(er.enumerate_regions(net)).hold
    True
    """
    network = cells.network
    scope = Verdict(True)
    if set(network.neurons) - {RELU}:
        scope = Verdict(False, "an activation is not ReLU")
    elif network.output is None:
        scope = Verdict(False, "there is no affine output layer")
    elif not isinstance(cells.domain, WholeSpace):
        scope = Verdict(False, "the domain is not the whole input space")
    return SufficientConditions(
        scope,
        generic(network),
        supertransversal(cells),
        linear_regions_assumption(cells),
        transverse_pairwise_intersections(cells),
    )
