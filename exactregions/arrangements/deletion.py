"""Deletion and restriction, memoised: the Whitney numbers of an affine arrangement over the integers.

For a hyperplane H of A, chi(A) = chi(A without H) - chi(A restricted to H) (Zaslavsky 1975; Orlik and Terao,
*Arrangements of Hyperplanes*, 2.57).  Deleting H_m, ..., H_1 in turn,

    chi(A) = t^n - sum_i chi({H_1, ..., H_(i-1)} restricted to H_i),

with one dimension less on the right.  Of the earlier hyperplanes some are parallel to H_i (and vanish on it) and some
coincide on it (and merge).  A restriction is kept in a canonical form: each row divided by the greatest common divisor,
with a positive leading entry, coordinates that no row uses left out, rows sorted.  Equal forms are the same
arrangement, so their polynomial is computed once.  That makes the method fast on the classical arrangements, whose
restrictions repeat; in general position, where none does, a restriction whose m normals are independent is answered by
the binomial theorem, chi = t^(n-m) (t-1)^m.  All numbers are Python integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, gcd

from exactregions.errors import UndecidedError
from exactregions.rational import IntMatrix

__all__ = ["FewRepeatsError", "Row", "WhitneyCounter", "canonical_row", "restrict"]

Row = tuple[int, ...]
_DEEPEST = 300  # levels of recursion, two Python frames each
_REPEATS = 4  # lookups for each new restriction: 5 to 15 on the classical arrangements, under 3 on random ones


class FewRepeatsError(UndecidedError):
    """Restrictions hardly repeat, so remembering them does not pay."""


def canonical_row(row: Sequence[int]) -> Row:
    """Divide a row by the greatest common divisor, with the sign that makes the first entry that is not 0 positive.

    Examples
    --------
    >>> canonical_row([0, -4, 6])
    (0, 2, -3)
    """
    divisor = gcd(*row)
    if next((entry for entry in row if entry), 0) < 0:
        divisor = -divisor
    return tuple(row) if divisor in (0, 1) else tuple([entry // divisor for entry in row])


def restrict(rows: Iterable[Row], wall: Row) -> set[Row]:
    """Restrict hyperplanes to another one, in coordinates of its own: those parallel to it vanish, equal ones merge.

    Parameters
    ----------
    rows : iterable of rows (a_1, ..., a_n, b)
        Canonical, each a hyperplane a.x + b = 0 other than the wall.
    wall : row
        With a normal that is not zero.

    Returns
    -------
    set of canonical rows with one coordinate less.

    Examples
    --------
    >>> sorted(restrict([(1, 0, 0), (1, 1, 0), (0, 1, 5)], (0, 1, 0)))
    [(1, 0)]
    """
    pivot = min((k for k, a in enumerate(wall[:-1]) if a), key=lambda k: abs(wall[k]))
    scale = wall[pivot]
    found = set()
    for row in rows:
        factor = row[pivot]
        if factor == 0:
            found.add(row[:pivot] + row[pivot + 1 :])
            continue
        image = [scale * x - factor * y for x, y in zip(row, wall, strict=True)]
        del image[pivot]
        if any(image[:-1]):
            found.add(canonical_row(image))
    return found


class WhitneyCounter:
    """Counts Whitney numbers and remembers every restriction that it meets.

    Parameters
    ----------
    max_nodes : int, optional
        Give up with `UndecidedError` when more restrictions than that have been worked out.
    patience : int, optional
        Give up with `FewRepeatsError` if after so many restrictions hardly any has been met again.

    Examples
    --------
    The braid arrangement of R^3, in coordinates x - y, y - z:

    >>> WhitneyCounter().whitney([(1, 0, 0), (0, 1, 0), (1, 1, 0)], 2)
    (1, 3, 2)
    """

    def __init__(self, *, max_nodes: int | None = None, patience: int | None = None) -> None:
        self._memo: dict[tuple[Row, ...], tuple[int, ...]] = {}
        self._lookups = 0
        self._max_nodes = max_nodes
        self._patience = patience

    @property
    def n_nodes(self) -> int:
        """Number of restrictions worked out so far."""
        return len(self._memo)

    def whitney(self, rows: Iterable[Row], dim: int) -> tuple[int, ...]:
        """Return w_0, ..., w_dim of distinct canonical rows (a_1, ..., a_dim, b) with normals that are not zero."""
        return self._of(set(rows), dim, 0)

    def _of(self, rows: set[Row], dim: int, depth: int) -> tuple[int, ...]:
        if not rows:
            return (1, *(0,) * dim)
        if dim == 1:
            return (1, len(rows))
        if depth > _DEEPEST:
            raise UndecidedError(f"deletion and restriction went deeper than {_DEEPEST} levels")
        key = _canonical(rows, dim)
        self._lookups += 1
        found = self._memo.get(key)
        if found is None:
            self._check_limits()
            found = self._compute(key, len(key[0]) - 1, depth)
            self._memo[key] = found
        return (*found, *(0,) * (dim + 1 - len(found)))

    def _check_limits(self) -> None:
        if self._max_nodes is not None and self.n_nodes >= self._max_nodes:
            raise UndecidedError(
                f"the characteristic polynomial needs more than {self._max_nodes} restrictions",
                remedy="raise max_nodes",
            )
        if self.n_nodes == self._patience and self._lookups < _REPEATS * self.n_nodes:
            raise FewRepeatsError(f"hardly any of {self.n_nodes} restrictions was met again")

    def _compute(self, rows: tuple[Row, ...], dim: int, depth: int) -> tuple[int, ...]:
        if dim == 1:
            return (1, len(rows))
        if dim == 2:
            # on each line, the points where earlier lines meet it
            return (1, len(rows), sum(len(restrict(rows[:i], row)) for i, row in enumerate(rows)))
        if len(rows) <= dim and _independent(rows):
            return tuple(comb(len(rows), k) for k in range(dim + 1))
        total = [1] + [0] * dim
        for i, row in enumerate(rows):
            for k, value in enumerate(self._of(restrict(rows[:i], row), dim - 1, depth + 1)):
                total[k + 1] += value
        return tuple(total)


def _canonical(rows: set[Row], dim: int) -> tuple[Row, ...]:
    """Sort the rows, without the coordinates that none of them uses."""
    used = [k for k, column in enumerate(zip(*rows, strict=True)) if k < dim and any(column)]
    if len(used) == dim:
        return tuple(sorted(rows))
    return tuple(sorted([(*[row[k] for k in used], row[-1]) for row in rows]))


def _independent(rows: Sequence[Row]) -> bool:
    """Whether the normals are linearly independent."""
    normals = IntMatrix(len(rows), len(rows[0]) - 1, [entry for row in rows for entry in row[:-1]])
    return int(normals.rank()) == len(rows)
