"""From an arrangement to its essential, connected parts.

An affine arrangement is the central arrangement of its cone (the rows (a, b) as vectors, and the hyperplane at infinity
(0, ..., 0, 1)) seen from infinity: chi(cone) = (t - 1) chi.  The cone is a linear matroid, and two facts shrink it.
The characteristic polynomial of a matroid is the product of those of its connected components (Oxley, *Matroid Theory*,
4.2 and 15.3): in the coordinates of a basis, [I | A], the components are those of the bipartite graph of the entries
that are not 0.  And of a component without the hyperplane at infinity any element may be sent to infinity, which takes
away one hyperplane and one dimension.  So 40 neurons with independent weights are 40 components of one element each,
and a central arrangement costs no more than an affine one of a dimension less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from exactregions.arrangements.deletion import FewRepeatsError, Row, WhitneyCounter, canonical_row
from exactregions.arrangements.polynomial import multiply
from exactregions.arrangements.residues import whitney_by_residues
from exactregions.rational import IntMatrix, RationalMatrix

__all__ = ["Part", "parts", "whitney_numbers"]

_FEW = 100_000  # regions of as many hyperplanes in general position: a second at most
_FLAT = 3  # dimension up to which there are few restrictions to remember, each of many rows
_PATIENCE = 3_000  # restrictions: half a second


@dataclass(frozen=True, slots=True)
class Part:
    """A connected component of the cone, with one element at infinity.

    Attributes
    ----------
    dim : int
        Dimension of the affine arrangement that is left.
    rows : tuple of canonical rows (a_1, ..., a_dim, b)
    at_infinity : bool
        Whether the element at infinity is the cone's own; if not, the factor t - 1 belongs to this part.
    """

    dim: int
    rows: tuple[Row, ...]
    at_infinity: bool


def parts(rows: Sequence[Row], dim: int) -> list[Part]:
    """Split distinct hyperplanes (a_1, ..., a_dim, b), a != 0, into parts whose polynomials multiply.

    Examples
    --------
    Two lines that cross, and infinity, are three components of one element each:

    >>> [(part.dim, part.rows) for part in parts([(1, 0, 0), (0, 1, 0)], 2)]
    [(0, ()), (0, ()), (0, ())]
    """
    infinity = (*(0,) * dim, 1)
    vectors = [infinity, *rows]
    columns = RationalMatrix(IntMatrix(len(vectors), dim + 1, [v for row in vectors for v in row]).transpose())
    reduced, _, rank = columns.numerators.rref()
    basis = columns.pivot_columns()
    table = [[int(reduced[i, j]) for j in range(len(vectors))] for i in range(rank)]
    found = []
    for coordinates, members in _components(table, basis):
        # infinity itself, if it is in this component, is its first element; else the last of the basis does well
        far = coordinates[0] if basis[coordinates[0]] == 0 else coordinates[-1]
        near = [i for i in coordinates if i != far]
        images = {canonical_row([*[table[i][j] for i in near], table[far][j]]) for j in members if j != basis[far]}
        found.append(Part(len(near), tuple(sorted(images)), basis[far] == 0))
    return found


def _components(table: list[list[int]], basis: list[int]) -> list[tuple[list[int], list[int]]]:
    """Return the components of the bipartite graph of non-zero entries: their coordinates and their elements."""
    leader = list(range(len(table)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    touched = [[i for i, row in enumerate(table) if row[j]] for j in range(len(table[0]))]
    for coordinates in touched:
        for i in coordinates[1:]:
            first, second = sorted((find(coordinates[0]), find(i)))
            leader[second] = first
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for i in range(len(basis)):
        groups.setdefault(find(i), ([], []))[0].append(i)
    for j, coordinates in enumerate(touched):
        groups[find(coordinates[0])][1].append(j)
    return list(groups.values())


def whitney_numbers(rows: Sequence[Row], dim: int, *, max_nodes: int | None = None) -> tuple[int, ...]:
    """Return w_0, ..., w_r of distinct hyperplanes with normals that are not zero, r being their rank.

    Each part is counted by remembering restrictions, or, where these do not repeat, by the compiled search on residues,
    for which `max_nodes` is a hundred times as generous, since it is as much faster.

    Examples
    --------
    >>> whitney_numbers([(1, 0, 0), (0, 1, 0), (1, 1, 1)], 2)
    (1, 3, 3)
    """
    total: tuple[int, ...] = (1,)
    for part in parts(rows, dim):
        total = multiply(total, _whitney_of_part(part, max_nodes))
        if not part.at_infinity:
            total = multiply(total, (1, 1))
    return total


def _whitney_of_part(part: Part, max_nodes: int | None) -> tuple[int, ...]:
    """Choose the way: by size, and by whether restrictions are found to repeat."""
    most = sum(comb(len(part.rows), k) for k in range(part.dim + 1))
    limit = None if max_nodes is None else 100 * max_nodes
    if most > _FEW and part.dim <= _FLAT:
        return whitney_by_residues(part.rows, part.dim, max_nodes=limit)
    try:
        return WhitneyCounter(max_nodes=max_nodes, patience=_PATIENCE).whitney(part.rows, part.dim)
    except FewRepeatsError:
        return whitney_by_residues(part.rows, part.dim, max_nodes=limit)
