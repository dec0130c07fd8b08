"""A hyperplane arrangement over Q, as somebody wrote it down: rows may repeat, be opposite, or be no hyperplane at all.

A row (a, b) stands for {x : a.x + b = 0}.  If a = 0 and b != 0 that set is empty and the row cuts nothing; if a = 0 and
b = 0 it is the whole space, a degenerate row, as a neuron with zero weights and zero bias is.  Neither is a hyperplane;
both are reported by their numbers.  Rows that are multiples of each other are one hyperplane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from exactregions.arrangements.deletion import Row, canonical_row
from exactregions.arrangements.flats import IntersectionLattice, intersection_lattice
from exactregions.arrangements.polynomial import CharacteristicPolynomial
from exactregions.arrangements.reduction import whitney_numbers
from exactregions.errors import InputError, ShapeError
from exactregions.network import Network
from exactregions.rational import IntMatrix, integer_row, to_fractions

__all__ = ["Arrangement"]


@dataclass(frozen=True)
class Arrangement:
    """A finite set of hyperplanes in R^dim, with the rows that it was read from.

    Parameters
    ----------
    dim : int
        Dimension d of the space.
    hyperplanes : tuple of rows (a_1, ..., a_d, b)
        Distinct, coprime integers, the first that is not 0 positive, in the order of first appearance.
    sources : tuple of tuples of int
        For each hyperplane, the numbers of the rows that describe it.
    empty_rows : tuple of int
        Rows (0, b) with b != 0: they cut nothing.
    degenerate_rows : tuple of int
        Rows (0, 0): true everywhere.

    Examples
    --------
    >>> crossing = Arrangement.from_rows([[1, 0, 0], [0, "1/2", 0], [-3, 0, 0], [0, 0, 1], [0, 0, 0]])
    >>> crossing.hyperplanes, crossing.sources
    (((1, 0, 0), (0, 1, 0)), ((0, 2), (1,)))
    >>> crossing.empty_rows, crossing.degenerate_rows, crossing.n_regions
    ((3,), (4,), 4)
    """

    dim: int
    hyperplanes: tuple[Row, ...]
    sources: tuple[tuple[int, ...], ...]
    empty_rows: tuple[int, ...] = ()
    degenerate_rows: tuple[int, ...] = ()

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]], dim: int | None = None) -> Arrangement:
        """Read rows (a_1, ..., a_d, b), each the hyperplane a.x + b = 0, of any exact numbers.

        Parameters
        ----------
        rows : iterable of sequences of d+1 numbers
        dim : int, optional
            d; needed only if there are no rows.

        Raises
        ------
        ShapeError
            If a row does not have d+1 entries, or there is neither a row nor `dim`.
        """
        found: dict[Row, list[int]] = {}
        empty: list[int] = []
        degenerate: list[int] = []
        for index, row in enumerate(rows):
            read = to_fractions(row, where=f"row {index}")
            dim = len(read) - 1 if dim is None else dim
            if len(read) != dim + 1 or dim < 0:
                raise ShapeError(f"{len(read)} entries where {dim + 1} are wanted", where=f"row {index}")
            if any(read[:-1]):
                found.setdefault(canonical_row(integer_row(read)[0]), []).append(index)
            else:
                (empty if read[-1] else degenerate).append(index)
        if dim is None:
            raise ShapeError("an arrangement without rows needs its dimension")
        sources = tuple(map(tuple, found.values()))
        return cls(dim, tuple(found), sources, tuple(empty), tuple(degenerate))

    @classmethod
    def of_network(cls, network: Network) -> Arrangement:
        """Return the walls of a network with one hidden layer: one row for each neuron and breakpoint, in that order.

        Raises
        ------
        InputError
            If the network does not have exactly one hidden layer: the walls of deeper ones are bent.

        Examples
        --------
        >>> tent = Network([([[1], [1]], [0, "-1/2"])])
        >>> Arrangement.of_network(tent).hyperplanes
        ((1, 0), (2, -1))
        """
        if len(network.layers) != 1:
            raise InputError(
                f"the walls of a network with {len(network.layers)} hidden layers are no hyperplane arrangement",
                remedy="one hidden layer is needed",
            )
        (layer,), (activations,) = network.layers, network.activations
        rows = [
            (*weights, shift - mark)
            for weights, shift, phi in zip(layer.weights, layer.bias, activations, strict=True)
            for mark in phi.breakpoints
        ]
        return cls.from_rows(rows, network.input_dim)

    @property
    def n_hyperplanes(self) -> int:
        """Number of distinct hyperplanes."""
        return len(self.hyperplanes)

    @cached_property
    def rank(self) -> int:
        """Dimension of the span of the normals."""
        normals = [entry for row in self.hyperplanes for entry in row[:-1]]
        return int(IntMatrix(self.n_hyperplanes, self.dim, normals).rank())

    @cached_property
    def is_central(self) -> bool:
        """Whether some point lies on every hyperplane."""
        flat = [entry for row in self.hyperplanes for entry in row]
        return int(IntMatrix(self.n_hyperplanes, self.dim + 1, flat).rank()) == self.rank

    @property
    def is_essential(self) -> bool:
        """Whether the normals span the space."""
        return self.rank == self.dim

    @cached_property
    def characteristic_polynomial(self) -> CharacteristicPolynomial:
        """chi(t); see `count` for a limit on the work."""
        return self.count()

    def count(self, *, max_nodes: int | None = None) -> CharacteristicPolynomial:
        """Compute the characteristic polynomial by deletion and restriction.

        Restrictions are remembered where they repeat, as in the classical arrangements; where they do not, as in
        general position, a compiled search on residues takes over (see `reduction.whitney_numbers`).

        Parameters
        ----------
        max_nodes : int, optional
            Raise `UndecidedError` when more restrictions than that are needed, or a hundred times as many in compiled
            code: in general position their number grows as binomial coefficients do.
        """
        return CharacteristicPolynomial(self.dim, whitney_numbers(self.hyperplanes, self.dim, max_nodes=max_nodes))

    @property
    def n_regions(self) -> int:
        """Number of regions, by Zaslavsky's theorem."""
        return self.characteristic_polynomial.n_regions

    @property
    def n_bounded(self) -> int:
        """Number of bounded regions."""
        return self.characteristic_polynomial.n_bounded

    @property
    def n_relatively_bounded(self) -> int:
        """Number of regions bounded up to the directions that all hyperplanes share."""
        return self.characteristic_polynomial.n_relatively_bounded

    def lattice(self, *, max_flats: int | None = None) -> IntersectionLattice:
        """List the flats (non-empty intersections) with their order and Moebius values.

        Raises
        ------
        UndecidedError
            If there are more than `max_flats`.
        """
        return intersection_lattice(self.hyperplanes, self.dim, max_flats=max_flats)

    def network(self) -> Network:
        """Return the one-layer ReLU network whose cells are the regions, one neuron a hyperplane."""
        if not self.hyperplanes:
            raise InputError("an arrangement without hyperplanes is no layer of neurons")
        return Network([([row[:-1] for row in self.hyperplanes], [row[-1] for row in self.hyperplanes])])
