"""From an arrangement to its essential, connected parts.

Rows (a, b) are vectors; together with the hyperplane at infinity (0, ..., 0, 1) they are a linear matroid, the cone.
In coordinates of a basis that holds infinity, [I | A], three facts make it smaller.

* Coordinates that no hyperplane uses are gone: the arrangement is essential.
* If the hyperplanes fall into blocks that share no coordinate but that of infinity, the arrangement is a product, and
  chi is the product of those of the blocks (Orlik and Terao 2.50).
* In a block that does not use the coordinate of infinity, all hyperplanes pass through a point.  Any of them may be
  sent to infinity, chi = (t - 1) chi', which takes away one hyperplane and one dimension.

So 40 neurons with independent weights are 40 blocks of one element each, and a central arrangement costs no more than
an affine one of a dimension less.
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
    """A block, as an affine arrangement.

    Attributes
    ----------
    dim : int
        Dimension of the affine arrangement.
    rows : tuple of canonical rows (a_1, ..., a_dim, b)
    central : bool
        Whether the block is central, so that one of its hyperplanes is at infinity and the factor t - 1 is left over.
    """

    dim: int
    rows: tuple[Row, ...]
    central: bool


def parts(rows: Sequence[Row], dim: int) -> list[Part]:
    """Split distinct hyperplanes (a_1, ..., a_dim, b), a != 0, into parts whose polynomials multiply.

    Examples
    --------
    A line that crosses two parallel ones:

    >>> for part in parts([(1, 0, 0), (0, 1, 0), (0, 1, -1)], 2):
    ...     print(part)
    Part(dim=0, rows=(), central=True)
    Part(dim=1, rows=((1, -1), (1, 0)), central=False)
    """
    vectors = [(*(0,) * dim, 1), *rows]
    columns = RationalMatrix(IntMatrix(len(vectors), dim + 1, [v for row in vectors for v in row]).transpose())
    reduced, _, rank = columns.numerators.rref()
    table = [[int(reduced[i, j]) for j in range(len(vectors))] for i in range(rank)]
    infinity = table[0]  # the first vector is in the basis
    found = []
    for coordinates, members in _blocks(table):
        central = not any(infinity[j] for j in members)
        near = coordinates[:-1] if central else coordinates
        last = table[coordinates[-1]] if central else infinity
        images = {canonical_row([*[table[i][j] for i in near], last[j]]) for j in members}
        # in a central block, the basis vector of the last coordinate is the one at infinity
        proper = sorted(image for image in images if any(image[:-1]))
        found.append(Part(len(near), tuple(proper), central))
    return found


def _blocks(table: list[list[int]]) -> list[tuple[list[int], list[int]]]:
    """Return the blocks: coordinates (all but the first), and the elements (all but infinity) that use them."""
    leader = list(range(len(table)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    used = [[i for i in range(1, len(table)) if table[i][j]] for j in range(len(table[0]))]
    for coordinates in used:
        for i in coordinates[1:]:
            first, second = sorted((find(coordinates[0]), find(i)))
            leader[second] = first
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for i in range(1, len(table)):
        groups.setdefault(find(i), ([], []))[0].append(i)
    for j, coordinates in enumerate(used):
        if coordinates:
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
        if part.central:
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
