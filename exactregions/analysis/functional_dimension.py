"""The functional dimension of a network, exactly: how many independent ways its parameters have to change its function.

Grigsby, Lindsey, Meyerhoff and Wu (2022) define it as the largest rank of the Jacobian of theta -> (f(x))_{x in Z} over
finite batches Z of parametrically smooth points.  With every cell in hand it is the rank over Q of one matrix, the
Jacobians of all smooth cells in their coefficients stacked (see `jacobian`); any batch gives a lower bound of it.

The rank modulo 2^61 - 1 is a lower bound too.  If it meets the upper bound (see `parameters`), that is the answer.
Else the kernel modulo the prime proposes directions that leave the function unchanged, each is solved for over Q on its
own support, and verified on every smooth cell: rank + number of independent null directions = number of parameters
proves both.  Should the prime mislead, the whole matrix is reduced over Q.  Nothing is decided by floating point.

If no cell is smooth, as for x -> max(0, 0 x), the functional dimension is not defined, and its value here is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from exactregions.analysis.jacobian import PRIME, CellJacobian, ModularJacobian, smooth_cells
from exactregions.analysis.null_check import leaves_unchanged
from exactregions.analysis.parameters import Biases, Parameters
from exactregions.errors import UndecidedError
from exactregions.rational import IntMatrix, RationalMatrix, modular_echelon, primitive
from exactregions.regions import RegionComplex, Status

__all__ = ["FunctionalDimension", "functional_dimension"]

Direction = tuple[int, ...]

_CHUNK = 4096


@dataclass(frozen=True)
class FunctionalDimension:
    """The functional dimension of a network on a domain.

    Attributes
    ----------
    value : int or None
        The rank over Q; None if no cell is smooth.  With the status `lower_bound`, only proved to be at least that.
    status : Status
        `exact`, unless the list of cells was not complete and the upper bound is not met.
    parameters : Parameters
        The coordinates that null directions are written in.
    n_cells, n_smooth : int
        Cells found, and how many of them are parametrically smooth.
    """

    value: int | None
    status: Status
    parameters: Parameters
    n_cells: int
    n_smooth: int
    _search: _Search = field(repr=False, compare=False)

    @property
    def smooth(self) -> NDArray[np.int64]:
        """Indices of the smooth cells."""
        return self._search.smooth

    @property
    def upper_bound(self) -> int:
        """Number of parameters minus the dimension of the rescalings."""
        return self.parameters.upper_bound

    @property
    def deficit(self) -> int | None:
        """How far the upper bound is missed: the dimension of what is hidden beyond rescalings."""
        return None if self.value is None else self.upper_bound - self.value

    @property
    def has_hidden_symmetries(self) -> bool | None:
        """Whether the upper bound is missed; None if the functional dimension is not defined.

        Raises
        ------
        UndecidedError
            If only a lower bound is known.
        """
        if self.value is None:
            return None
        self._need_exact()
        return self.value < self.upper_bound

    @cached_property
    def hidden_directions(self) -> tuple[Direction, ...]:
        """Integer directions that, with the rescalings at these parameters, are a basis of the null space.

        Each leaves the function unchanged to first order on every smooth cell, which is verified over Q.

        Raises
        ------
        UndecidedError
            If the list of cells was not complete.
        """
        if self._search.cells.status is not Status.EXACT:
            raise UndecidedError("cells that were not found may move along a direction that those found do not feel")
        return () if self.value is None else tuple(self._search.hidden())

    @cached_property
    def null_space(self) -> tuple[tuple[Fraction | int, ...], ...]:
        """A basis of the null space: the rescalings, then `hidden_directions`."""
        return () if self.value is None else (*self.parameters.rescalings, *self.hidden_directions)

    def _need_exact(self) -> None:
        if self.status is not Status.EXACT:
            raise UndecidedError(
                f"from {self.n_cells} cells of a search that was stopped, only that it is at least {self.value} follows"
            )


def functional_dimension(cells: RegionComplex, *, biases: Biases = "free") -> FunctionalDimension:
    """Compute the functional dimension of a network on a domain from the list of its cells.

    Parameters
    ----------
    cells : RegionComplex
        Of any piecewise-linear network on any domain.  If the search was stopped early the result is marked as a lower
        bound, unless it meets the upper bound.
    biases : {"free", "tied", "absent"}
        Whether biases are parameters; see `Parameters`.

    Examples
    --------
    >>> import exactregions as er
    >>> twice = er.Network([([[1], [1]], [0, 0])], output=([[1, 2]], [0]))
    >>> found = functional_dimension(er.enumerate_regions(twice))
    >>> found.value, found.upper_bound, found.hidden_directions
    (3, 5, ((0, -2, 0, 1, 0, 0, 0), (0, 0, 0, 0, -1, 1, 0)))
    >>> functional_dimension(er.enumerate_regions(er.Network([([[0]], [0])]))).value is None
    True
    """
    search = _Search(cells, Parameters(cells.network, biases))
    rank = search.rank if len(search.smooth) else None
    exact = cells.status is Status.EXACT or rank == search.parameters.upper_bound
    return FunctionalDimension(
        rank,
        Status.EXACT if exact else Status.LOWER_BOUND,
        search.parameters,
        len(cells),
        len(search.smooth),
        search,
    )


class _Search:
    """The rank and the null space of the stacked Jacobian, modulo the prime and over Q."""

    def __init__(self, cells: RegionComplex, parameters: Parameters) -> None:
        self.cells = cells
        self.parameters = parameters
        self.smooth = smooth_cells(cells)
        self.patterns = cells.codec.unpack(cells.packed)[self.smooth].astype(np.int64)
        self.lift = cells.domain.lift_matrix()
        self.rng = np.random.default_rng(0)  # the order in which cells are looked at; no answer depends on it
        self._jacobians: dict[int, CellJacobian] = {}
        try:
            self.modular: ModularJacobian | None = ModularJacobian(parameters, self.lift)
        except ZeroDivisionError:
            self.modular = None

    # -- rank --------------------------------------------------------------------------------------------------

    @cached_property
    def rank(self) -> int:
        """The rank over Q (only a lower bound of it if the cells are not complete)."""
        if self.parameters.count == 0:
            return 0
        if self.modular is None:
            return self._exact_matrix.rank()
        rank = len(self._echelon[0])
        if rank == self.parameters.upper_bound or self.cells.status is not Status.EXACT:
            return rank
        return self.parameters.count - len(self.parameters.rescalings) - len(self.hidden())

    @cached_property
    def _echelon(self) -> tuple[list[list[int]], list[int]]:
        """Echelon form modulo the prime of the rows of the chosen cells, which span all rows unless bad luck has it."""
        echelon: list[list[int]] = []
        pivots: list[int] = []
        bound = self.parameters.upper_bound
        order = self.rng.permutation(len(self.patterns))
        block = self._rows_of_a_cell
        take, rest = order[: bound // block + 2], order[bound // block + 2 :]
        while len(take):
            self._chosen += take.tolist()
            rows = [*echelon, *self._modular.rows(self.patterns[take]).tolist()]
            echelon, pivots = modular_echelon(rows, PRIME)
            if len(echelon) >= bound:
                break
            rest = self._moving(rest, self._random_null(echelon, pivots))
            take, rest = rest[: (bound - len(echelon)) // block + 1], rest[(bound - len(echelon)) // block + 1 :]
        return echelon, pivots

    @cached_property
    def _chosen(self) -> list[int]:
        return []

    @property
    def _modular(self) -> ModularJacobian:
        if self.modular is None:
            raise UndecidedError("the modular Jacobian was asked for where the prime divides a denominator")
        return self.modular

    @property
    def _rows_of_a_cell(self) -> int:
        return self.cells.network.output_dim * (self.cells.dim + 1)

    def _random_null(self, echelon: Sequence[Sequence[int]], pivots: Sequence[int]) -> list[int]:
        """A random vector of the kernel modulo the prime."""
        vector = [int(v) for v in self.rng.integers(1, PRIME, self.parameters.count)]
        free = sorted(set(range(self.parameters.count)) - set(pivots))
        for row, pivot in zip(echelon, pivots, strict=True):
            vector[pivot] = -sum(row[column] * vector[column] for column in free) % PRIME
        return vector

    def _moving(self, places: NDArray[np.intp], direction: list[int]) -> NDArray[np.intp]:
        """The cells, among those given, whose derivative along a direction is not zero modulo the prime."""
        kept = [
            part[self._modular.moves(self.patterns[part], direction)]
            for part in np.split(places, range(_CHUNK, len(places), _CHUNK))
        ]
        return np.concatenate(kept)

    # -- null space --------------------------------------------------------------------------------------------

    def hidden(self) -> list[Direction]:
        """Null directions that complete the rescalings to a basis of the null space over Q."""
        if self._known is None and not self.parameters.count:
            self._known = []
        if self._known is None:
            self._known = self._proposed() if self.modular is not None else None
            if self._known is None:
                self._known = self._reduced_over_q()
        return self._known

    _known: list[Direction] | None = None

    def _proposed(self) -> list[Direction] | None:
        """Lift the kernel modulo the prime to Q and verify it on all cells, or None if that fails."""
        echelon, _ = self._echelon
        gauge = set(_pivots(self.parameters.rescalings))
        kept = [column for column in range(self.parameters.count) if column not in gauge]
        reduced, pivots = modular_echelon([[row[column] for column in kept] for row in echelon], PRIME)
        if len(reduced) < len(echelon):
            return None
        found = []
        for free in sorted(set(range(len(kept))) - set(pivots)):
            support = [pivot for row, pivot in zip(reduced, pivots, strict=True) if row[free]]
            direction = self._solve(sorted(kept[column] for column in [*support, free]))
            if direction is None:
                return None
            found.append(direction)
        return found if leaves_unchanged(self.parameters, self.patterns, found, self.lift) else None

    def _solve(self, support: list[int]) -> Direction | None:
        """The null direction of the chosen cells on a support where, modulo the prime, there is one only."""
        rows = self._modular.rows(self.patterns[self._chosen])[:, support].T.tolist()
        _, independent = modular_echelon(rows, PRIME)
        if len(independent) != len(support) - 1:
            return None
        block = self._rows_of_a_cell
        exact = []
        for row in independent:
            entries = self.exact_rows(self._chosen[row // block])[row % block]
            exact.append(primitive([entries[column] for column in support]))
        flat = [entry for row in exact for entry in row]
        kernel = RationalMatrix(IntMatrix(len(exact), len(support), flat)).kernel()
        direction = [0] * self.parameters.count
        for column, value in zip(support, kernel[0], strict=True):
            direction[column] = value
        return tuple(direction) if len(kernel) == 1 else None

    def _reduced_over_q(self) -> list[Direction]:
        """Complete the rescalings by the kernel of the whole matrix, reduced over Q."""
        kernel = self._exact_matrix.kernel()
        known = self.parameters.rescalings
        pivots = _pivots([*known, *kernel], transpose=True)
        return [kernel[k - len(known)] for k in pivots if k >= len(known)]

    @cached_property
    def _exact_matrix(self) -> RationalMatrix:
        rows = {primitive(row) for place in self._distinct for row in self.exact_rows(place)}
        flat = [entry for row in rows for entry in row]
        return RationalMatrix(IntMatrix(len(rows), self.parameters.count, flat))

    # -- exact Jacobians ---------------------------------------------------------------------------------------

    def jacobian(self, place: int) -> CellJacobian:
        """The exact Jacobian of a smooth cell, by its place among these."""
        if (known := self._jacobians.get(place)) is None:
            known = CellJacobian.of(self.cells.network, self.patterns[place].tolist(), self.lift)
            self._jacobians[place] = known
        return known

    def exact_rows(self, place: int) -> list[list[int]]:
        """Its rows in the parameters."""
        groups = self.parameters.groups
        return [[sum(row[k] for k in entries) for entries in groups] for row in self.jacobian(place).rows()]

    @property
    def _distinct(self) -> Iterator[int]:
        """One smooth cell of each set that agrees from its last flat layer on, where no earlier piece matters."""
        network = self.cells.network
        flat = np.zeros(self.patterns.shape, dtype=bool)
        for neuron, phi in enumerate(network.neurons):
            flat[:, neuron] = np.array([slope == 0 for slope in phi.slopes])[self.patterns[:, neuron]]
        keys = self.patterns.copy()
        for layer in range(1, len(network.layers)):
            start, end = network.layer_starts[layer], network.layer_starts[layer + 1]
            keys[flat[:, start:end].all(axis=1), :start] = -1
        return iter(np.unique(keys, axis=0, return_index=True)[1].tolist() if keys.shape[1] else range(len(keys)))


def _pivots(rows: Sequence[Sequence[Fraction | int]], *, transpose: bool = False) -> list[int]:
    if not rows:
        return []
    matrix = RationalMatrix.from_rows(rows)
    return (matrix.transpose() if transpose else matrix).pivot_columns()
