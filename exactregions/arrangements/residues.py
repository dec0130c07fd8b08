"""Whitney numbers from residues modulo primes, with a proof that the residues decide what the integers would.

Deletion and restriction without memory visits the sets without a broken circuit one by one (Whitney; Orlik and Terao
3.55); in general position that is the best there is, and every restriction is new.  What has to be decided on the way
is whether entries of eliminated rows vanish and whether two of them are proportional; by Sylvester's identity each of
these numbers is, up to factors that are not 0, a minor of the integer matrix of the arrangement.  Now

* a residue that is not 0 proves that the minor is not 0, whatever the prime;
* if all residues are 0 and the product of the primes exceeds Hadamard's bound for the minors, the minor is 0.

So a first run uses one prime and stops at the first zero: if it meets none, as in general position, every decision was
of the first sort.  Otherwise a second run uses as many primes as the bound asks for.  Coordinates are changed first by
an integer matrix without zeros, so that an arrangement in general position has no zeros to offer.  If a pivot vanishes
modulo some of the primes only, other primes are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt, prod

import numpy as np

from exactregions.arrangements.deletion import Row
from exactregions.errors import UndecidedError
from exactregions.rational import IntMatrix

__all__ = ["primes_below", "whitney_by_residues"]

_TOP = 1 << 31  # residues below it have products that fit into 63 bits
_ATTEMPTS = 20
_WITNESSES = (2, 3, 5, 7)  # enough for numbers below 3,215,031,751 (Pomerance, Selfridge, Wagstaff 1980)


def whitney_by_residues(rows: Sequence[Row], dim: int, *, max_nodes: int | None = None) -> tuple[int, ...]:
    """Return w_0, ..., w_dim of distinct rows (a_1, ..., a_dim, b) with normals that are not zero.

    Parameters
    ----------
    rows : sequence of rows
    dim : int
    max_nodes : int, optional
        Raise `UndecidedError` when more restrictions than that would be made.

    Examples
    --------
    >>> whitney_by_residues([(1, 0, 0), (0, 1, 0), (1, 1, 1), (1, 1, 2)], 2)
    (1, 4, 5)
    """
    if not rows or dim == 0:
        return (1, *(0,) * dim)
    dense = _dense(rows, dim)
    supply = primes_below(_TOP)
    found = _run(dense, dim, [next(supply)], proved=False, max_nodes=max_nodes)
    if found is None:
        bound = _hadamard(dense, dim + 1)
        for _ in range(_ATTEMPTS):
            primes: list[int] = []
            while prod(primes) <= bound:
                primes.append(next(supply))
            found = _run(dense, dim, primes, proved=True, max_nodes=max_nodes)
            if found is not None:
                break
    if found is None:
        raise UndecidedError(f"a pivot vanished modulo one of the primes in each of {_ATTEMPTS} attempts")
    return found


def _run(
    dense: list[list[int]], dim: int, primes: list[int], *, proved: bool, max_nodes: int | None
) -> tuple[int, ...] | None:
    """Search with given primes; None if they do not decide."""
    from exactregions.arrangements.residues_kernel import EVENT, LIMIT, UNLUCKY, normalise, subtree

    moduli = np.array(primes, dtype=np.int64)
    size = len(dense)
    stack = np.zeros((dim + 1, size, len(primes), dim + 1), dtype=np.int64)
    stack[0] = np.array([[[entry % p for entry in row] for p in primes] for row in dense], dtype=np.int64)
    leads = np.zeros((dim + 1, size), dtype=np.int64)
    whitney = np.zeros(dim + 1, dtype=np.int64)
    whitney[0] = 1
    n = normalise(stack[0], leads[0], size, dim + 1, moduli, proved, np.zeros(size, dtype=np.int64))
    left = np.iinfo(np.int64).max if max_nodes is None else max_nodes
    for first in range(n):  # an interrupt is seen between these calls
        made = subtree(stack, leads, first, dim, moduli, proved, whitney, left)
        if made == LIMIT:
            raise UndecidedError(
                f"the characteristic polynomial needs more than {max_nodes} restrictions", remedy="raise max_nodes"
            )
        if made in (EVENT, UNLUCKY):
            return None
        left -= made
    return None if n < 0 else tuple(map(int, whitney))


def _dense(rows: Sequence[Row], dim: int) -> list[list[int]]:
    """Change coordinates, x -> T x + v, by an invertible integer matrix that leaves few entries 0."""
    rng = np.random.default_rng(0)
    while True:
        change = rng.integers(1, 100, (dim, dim + 1)).tolist()
        if int(IntMatrix(dim, dim, [entry for row in change for entry in row[:-1]]).rank()) == dim:
            break
    moved = IntMatrix(len(rows), dim, [entry for row in rows for entry in row[:-1]]) * IntMatrix(
        dim, dim + 1, [entry for row in change for entry in row]
    )
    return [[*map(int, image[:-1]), int(image[-1]) + row[-1]] for image, row in zip(moved.tolist(), rows, strict=True)]


def _hadamard(rows: Sequence[Sequence[int]], size: int) -> int:
    """Bound every minor with at most `size` rows: the product of the greatest Euclidean lengths."""
    lengths = sorted((isqrt(sum(entry * entry for entry in row)) + 1 for row in rows), reverse=True)
    return prod(lengths[:size])


def primes_below(top: int) -> Iterator[int]:
    """Yield the primes below a number of at most 2^31, the largest first.

    Examples
    --------
    >>> next(primes_below(1 << 31)), list(primes_below(8))
    (2147483647, [7, 5, 3, 2])
    """
    return (number for number in range(top - 1, 1, -1) if _is_prime(number))


def _is_prime(number: int) -> bool:
    """Miller and Rabin's test with bases that leave no doubt below 2^31."""
    if number in _WITNESSES:
        return True
    if any(number % base == 0 for base in _WITNESSES):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in _WITNESSES:
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True
