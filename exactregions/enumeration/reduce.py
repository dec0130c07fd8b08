"""From a network and a domain to the equivalent problem that engines search: no slice, no idle input directions.

A slice is composed into the first layer, exactly, and its inner domain takes its place.  If the rows of W_1 together
with those of the domain span less than the input space, all pre-activations are constant along their common kernel K,
so cells are products with it; fixing the coordinates that are no pivot columns (`essential_coordinates`) at 0 meets
every coset of K exactly once, so it meets every cell, keeps patterns, facets and bounded directions in bijection, and
moves no number.  Witnesses are put back by `lift`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.domains import Box, Domain, Polyhedron, Slice, WholeSpace
from exactregions.errors import ShapeError
from exactregions.network import Network
from exactregions.rational import IntMatrix, RationalMatrix

__all__ = ["ReducedProblem", "check_fit", "essential_coordinates", "in_own_coordinates", "put_back", "reduce_problem"]


@dataclass(frozen=True, slots=True)
class ReducedProblem:
    """An equivalent problem over the kept coordinates of the domain.

    Attributes
    ----------
    network : Network
        Takes the kept coordinates.
    domain : WholeSpace, Box or Polyhedron
        Over the kept coordinates.
    kept : tuple of int
        The coordinates kept; all others are 0.
    dim : int
        Number of the domain's own coordinates.
    """

    network: Network
    domain: Domain
    kept: tuple[int, ...]
    dim: int

    def lift(self, point: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """Put a point back into the domain's own coordinates."""
        return put_back(point, self.kept, self.dim)


def check_fit(network: Network, domain: Domain) -> None:
    """Raise ShapeError unless the domain lies in the network's input space."""
    if domain.ambient_dim != network.input_dim:
        raise ShapeError(
            f"the domain is for {domain.ambient_dim} inputs but the network has {network.input_dim}",
            where=str(domain),
        )


def in_own_coordinates(network: Network, domain: Domain) -> tuple[Network, Domain]:
    """Return the network on the domain's own coordinates, and the domain without its embedding."""
    check_fit(network, domain)
    if isinstance(domain, Slice):
        matrix = domain.lift_matrix()
        if matrix is not None:
            return network.composed_with(matrix), domain.inner
    return network, domain


def reduce_problem(network: Network, domain: Domain) -> ReducedProblem:
    """Compose the slice, if any, and drop idle directions."""
    network, domain = in_own_coordinates(network, domain)
    size = domain.dim
    everything = ReducedProblem(network, domain, tuple(range(size)), size)
    if isinstance(domain, Box) or size == 0 or not network.layers:
        return everything
    kept = essential_coordinates(network, domain)
    if len(kept) in (0, size):
        return everything
    embed = [[int(place == column) for column in kept] + [0] for place in range(size)]
    smaller = network.composed_with(RationalMatrix.from_rows([*embed, [0] * len(kept) + [1]]))
    return ReducedProblem(smaller, _restrict(domain, kept), kept, size)


def essential_coordinates(network: Network, domain: Domain) -> tuple[int, ...]:
    """Return independent columns of the first layer's weights and the domain's rows: the coordinates to keep.

    Parameters
    ----------
    network, domain : Network, Domain
        As `in_own_coordinates` returns them.
    """
    rows = [row[:-1] for row in domain.integer_rows()]
    if network.layers:
        rows += [tuple(map(int, row[:-1])) for row in network.layers[0].matrix.numerators.tolist()]
    if not rows or not domain.dim:
        return ()
    flat = [entry for row in rows for entry in row]
    return tuple(RationalMatrix(IntMatrix(len(rows), domain.dim, flat)).pivot_columns())


def put_back(point: Iterable[Fraction], kept: Sequence[int], dim: int) -> tuple[Fraction, ...]:
    """Return the point of `dim` coordinates that has those of `point` in the places `kept`, and 0 elsewhere."""
    full = [Fraction(0)] * dim
    for place, value in zip(kept, point, strict=True):
        full[place] = value
    return tuple(full)


def _restrict(domain: Domain, kept: Sequence[int]) -> Domain:
    if isinstance(domain, Polyhedron):
        return Polyhedron([[row[k] for k in kept] for row in domain.A], domain.b, dim=len(kept))
    return WholeSpace(len(kept))
