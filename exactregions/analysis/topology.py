"""Betti numbers over GF(2) of closed unions of faces: level sets, decision boundaries, sub- and superlevel sets.

Let Z be a union of faces that is closed in the open domain.  The boundary operator that takes a face to the faces of
one dimension less in its closure *inside the domain* squares to zero, and its homology is that of the one-point
compactification of Z relative to the point at infinity (Borel and Moore, 1960): faces are open balls, and whatever
leaves every compact set goes to that point.  If Z is compact that is the homology of Z.  Otherwise the compactification
has one more class in dimension 0.  The domain's sides count as infinitely far away.

The homology of Z itself, where it is not compact, comes from the order complex of its faces: the closed faces are
convex and meet in faces, so Z has the homotopy type of their nerve.  Ranks are found by elimination on bit sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from exactregions.errors import InputError
from exactregions.regions.faces import FaceComplex

__all__ = ["Subcomplex", "betti_of_boundaries"]


@dataclass(frozen=True)
class Subcomplex:
    """A union of faces, closed in the domain.

    Parameters
    ----------
    faces : FaceComplex
    chosen : tuple of tuples of int
        For each dimension 0, ..., d the indices of its faces, increasing.

    Raises
    ------
    InputError
        If it is not closed: a face in the closure of a chosen one, inside the domain, is not chosen.

    Examples
    --------
    >>> import exactregions as er
    >>> complex_ = er.enumerate_regions(er.Network([([[1, 0], [0, 1]], [0, 0])]))
    >>> axes = Subcomplex(complex_.face_complex, ((0,), (0, 1, 2, 3), ()))
    >>> axes.betti(), axes.betti(compactified=False), axes.n_components
    ((1, 3, 0), (1, 0, 0), 1)
    """

    faces: FaceComplex
    chosen: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        for dim, (lower, upper) in enumerate(pairwise(self.chosen), start=1):
            inside = set(lower)
            for face in upper:
                if not inside.issuperset(self.faces.parts(dim, face)):
                    raise InputError(
                        f"face {face} of dimension {dim} is chosen without its boundary", where="subcomplex"
                    )

    @property
    def f_vector(self) -> tuple[int, ...]:
        """Number of its faces in dimension 0, 1, ..., d."""
        return tuple(map(len, self.chosen))

    @property
    def dim(self) -> int:
        """The largest dimension of its faces, -1 if it is empty."""
        return max((dim for dim, level in enumerate(self.chosen) if level), default=-1)

    @cached_property
    def components(self) -> tuple[Subcomplex, ...]:
        """The connected components."""
        root = {(dim, face): (dim, face) for dim, level in enumerate(self.chosen) for face in level}

        def find(node: tuple[int, int]) -> tuple[int, int]:
            while root[node] != node:
                root[node] = root[root[node]]
                node = root[node]
            return node

        for dim, level in enumerate(self.chosen):
            for face in level:
                for part in self.faces.parts(dim, face):
                    root[find((dim, face))] = find((dim - 1, part))
        groups: dict[tuple[int, int], list[list[int]]] = {}
        for node in root:
            groups.setdefault(find(node), [[] for _ in self.chosen])[node[0]].append(node[1])
        return tuple(Subcomplex(self.faces, tuple(map(tuple, levels))) for levels in groups.values())

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return len(self.components)

    @cached_property
    def is_compact(self) -> bool:
        """Whether it is bounded and stays away from the domain's sides."""
        generators, outside = self.faces.generators, (1 << self.faces.subdivision.n_special) - 1
        if generators.lines:
            return self.dim < 0
        return not any(
            generators.tight[g] & outside
            for dim, level in enumerate(self.chosen)
            for face in level
            for g in self.faces.members(dim, face)
        )

    @property
    def compact_components(self) -> tuple[Subcomplex, ...]:
        """The components that are bounded and stay away from the domain's sides."""
        return tuple(part for part in self.components if part.is_compact)

    def betti(self, *, compactified: bool = True) -> tuple[int, ...]:
        """Betti numbers over GF(2) in dimension 0, ..., d.

        Parameters
        ----------
        compactified : bool
            Of the one-point compactification, where the set is not compact; else of the set itself.
        """
        if self.is_compact or compactified:
            numbers = betti_of_boundaries(self._boundaries())
            return (numbers[0] + (not self.is_compact), *numbers[1:])
        return betti_of_boundaries(self._order_complex())[: len(self.chosen)]

    def _boundaries(self) -> list[list[int]]:
        """For each dimension the boundaries of its faces, as bits over the chosen faces of one dimension less."""
        tables: list[list[int]] = []
        places: dict[int, int] = {}
        for dim, level in enumerate(self.chosen):
            tables.append([sum(1 << places[part] for part in self.faces.parts(dim, face)) for face in level])
            places = {face: place for place, face in enumerate(level)}
        return tables

    def _order_complex(self) -> list[list[int]]:
        """The same for the simplicial complex of all chains of faces, each in the closure of the next."""
        below: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for dim, level in enumerate(self.chosen):
            for face in level:
                parts = [(dim - 1, part) for part in self.faces.parts(dim, face)]
                below[dim, face] = {*parts, *(node for part in parts for node in below[part])}
        chains: list[list[tuple[tuple[int, int], ...]]] = [[(node,) for node in below]]
        while chains[-1]:
            chains.append([(node, *chain) for chain in chains[-1] for node in below[chain[0]]])
        tables: list[list[int]] = [[0] * len(chains[0])]
        for shorter, longer in pairwise(chains[:-1]):
            places = {chain: place for place, chain in enumerate(shorter)}
            tables.append(
                [sum(1 << places[(*chain[:k], *chain[k + 1 :])] for k in range(len(chain))) for chain in longer]
            )
        return tables + [[] for _ in range(len(self.chosen) - len(tables))]


def betti_of_boundaries(boundaries: Sequence[Iterable[int]]) -> tuple[int, ...]:
    """Betti numbers of a chain complex over GF(2): for each dimension the boundaries of its generators, as bits.

    Examples
    --------
    >>> betti_of_boundaries([[0, 0, 0], [0b011, 0b110, 0b101]])  # a triangle's edges
    (1, 1)
    """
    sizes, ranks = [], []
    for columns in boundaries:
        pivots: dict[int, int] = {}
        size = 0
        for column in columns:
            size += 1
            left = column
            while left and (pivot := pivots.get(left.bit_length())) is not None:
                left ^= pivot
            if left:
                pivots[left.bit_length()] = left
        sizes.append(size)
        ranks.append(len(pivots))
    return tuple(size - rank - after for size, rank, after in zip(sizes, ranks, [*ranks[1:], 0], strict=True))
