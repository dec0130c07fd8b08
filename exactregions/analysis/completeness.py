"""Completeness by counting: a second proof, independent of the certificate, that a list of cells is complete.

The cells of a network with one hidden layer are the regions of the arrangement of its walls, for the pattern is
constant on a region and two regions are told apart by a neuron.  So if n different patterns each have a witness, a
point where the pattern's inequalities hold strictly, then n is at most the number of regions; and if n *equals* that
number, which Zaslavsky's theorem gives without any list, nothing is missing.  On the whole space the number is
(-1)^d chi(-1); on another convex domain it comes from deletion and restriction relative to the domain
(`arrangements.count_inside`).  Nothing here trusts an engine: patterns and witnesses are checked again, in rationals.
"""

from __future__ import annotations

from dataclasses import dataclass

from exactregions.arrangements import Arrangement, CharacteristicPolynomial, count_inside
from exactregions.domains import Domain, Slice, WholeSpace
from exactregions.errors import InputError, UndecidedError
from exactregions.network import AffineLayer, Network
from exactregions.regions import RegionComplex

__all__ = ["CountIdentity", "count_by_arrangement", "prove_by_counting"]


@dataclass(frozen=True, slots=True)
class CountIdentity:
    """The number of witnessed patterns beside the number of regions.

    Attributes
    ----------
    n_listed : int
        Different patterns, each with a witness that was checked.
    n_regions : int
        Number of regions of the arrangement of walls in the domain.
    arrangement : Arrangement
        The walls, in the domain's own coordinates.
    polynomial : CharacteristicPolynomial or None
        chi(t), if the domain is a whole space; otherwise the regions were counted inside the domain.
    degenerate_neurons : tuple of int
        Neurons identically at a breakpoint: they have no wall.
    """

    n_listed: int
    n_regions: int
    arrangement: Arrangement
    polynomial: CharacteristicPolynomial | None
    degenerate_neurons: tuple[int, ...]

    @property
    def holds(self) -> bool:
        """Whether the list is complete."""
        return self.n_listed == self.n_regions

    @property
    def n_missing(self) -> int:
        """How many cells the list lacks."""
        return self.n_regions - self.n_listed

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        how = f"(-1)^{self.polynomial.dim} chi(-1), chi(t) = {self.polynomial}" if self.polynomial else "in the domain"
        verdict = "complete" if self.holds else f"{self.n_missing} missing"
        return f"{self.n_listed} witnessed patterns, {self.n_regions} regions ({how}): {verdict}"


def prove_by_counting(cells: RegionComplex, *, max_nodes: int | None = None) -> CountIdentity:
    """Compare the list of cells of a network with one hidden layer with the number of regions of its walls.

    Parameters
    ----------
    cells : RegionComplex
        Complete or not, of a network with one hidden layer, on any domain.
    max_nodes : int, optional
        Limit on the work of counting, see `Arrangement.count` and `count_inside`.

    Returns
    -------
    CountIdentity
        True in a condition iff the list is complete.

    Raises
    ------
    InputError
        If the network does not have exactly one hidden layer.
    UndecidedError
        If a witness is not in the cell of its pattern, so that the list proves nothing; or the limit was reached.

    Examples
    --------
    >>> import exactregions as er
    >>> found = er.enumerate_regions(er.Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])]))
    >>> print(prove_by_counting(found))
    7 witnessed patterns, 7 regions ((-1)^2 chi(-1), chi(t) = t^2 - 3*t + 3): complete
    """
    network = _with_one_layer(cells.own_network)
    arrangement = Arrangement.of_network(network)
    patterns = set(cells.patterns())
    for cell in cells:
        witness = cell.witness
        if not cells.own_domain.contains(witness) or network.pattern_at(witness) != cells.pattern(cell.index):
            raise UndecidedError(f"the witness of pattern {cell.text} is not in its cell", where=f"cell {cell.index}")
        _check_strict(network, witness, cell.text)
    polynomial = None
    if isinstance(cells.own_domain, WholeSpace):
        polynomial = arrangement.count(max_nodes=max_nodes)
        n_regions = polynomial.n_regions
    else:
        n_regions = count_inside(arrangement, cells.own_domain, max_systems=max_nodes)
    return CountIdentity(len(patterns), n_regions, arrangement, polynomial, _degenerate(network))


def count_by_arrangement(
    network: Network, domain: Domain | None = None, *, max_nodes: int | None = None
) -> tuple[int, int]:
    """Count the cells and the strict cells of a network with one hidden layer, without listing them.

    Parameters
    ----------
    network : Network
    domain : Domain, optional
        The whole space by default.
    max_nodes : int, optional
        Limit on the work, see `Arrangement.count`.

    Returns
    -------
    (n_cells, n_strict)
        The second is 0 if some neuron is identically at a breakpoint, since that neuron is degenerate in every cell.

    Examples
    --------
    >>> count_by_arrangement(Network([([[1, 2], [3, 4], [5, 7]], [1, 0, 2])]))
    (7, 7)
    >>> count_by_arrangement(Network([([[1, 2], [0, 0]], [1, 0])]))
    (2, 0)
    """
    matrix = None if domain is None else domain.lift_matrix()
    own = network if matrix is None else network.composed_with(matrix)
    inner = domain.inner if isinstance(domain, Slice) else domain
    arrangement = Arrangement.of_network(_with_one_layer(own))
    if inner is None or isinstance(inner, WholeSpace):
        n_cells = arrangement.count(max_nodes=max_nodes).n_regions
    else:
        n_cells = count_inside(arrangement, inner, max_systems=max_nodes)
    return n_cells, 0 if arrangement.degenerate_rows else n_cells


def _with_one_layer(network: Network) -> Network:
    if len(network.layers) != 1:
        raise InputError(
            f"counting proves completeness for one hidden layer, not for {len(network.layers)}",
            remedy="use exactregions.prove, which is for any depth",
        )
    return network


def _check_strict(network: Network, witness: object, text: str) -> None:
    """Require that a witness is on no wall; a degenerate neuron has none."""
    layer: AffineLayer = network.layers[0]
    at = network.breakpoints_at(witness)
    for neuron, (weights, here) in enumerate(zip(layer.weights, at, strict=True)):
        if here and any(weights):
            raise UndecidedError(f"the witness of pattern {text} is on a wall", where=f"neuron {neuron}")


def _degenerate(network: Network) -> tuple[int, ...]:
    layer, phis = network.layers[0], network.activations[0]
    return tuple(
        neuron
        for neuron, (weights, shift, phi) in enumerate(zip(layer.weights, layer.bias, phis, strict=True))
        if not any(weights) and shift in phi.breakpoints
    )
