# ruff: noqa: C901 - kernels: a call inside a loop has its price
"""Deletion and restriction on residues, compiled: a depth-first search that keeps nothing but its own path.

Rows are hyperplanes with their entries modulo several primes, each row divided so that its leading entry is 1; an array
of rows has shape (rows, primes, columns), the constant last.  What the search decides, whether an entry is 0 and
whether two rows are equal, is decided by all primes at once; what that proves is said in the module `residues`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["EVENT", "LIMIT", "UNLUCKY", "normalise", "subtree"]

Ints = NDArray[np.int64]

UNLUCKY = -1  # an entry is 0 modulo some of the primes only, and a pivot was wanted
EVENT = -2  # something is 0 modulo all primes, but they are too few to prove it
LIMIT = -3  # more restrictions than allowed
_Function = TypeVar("_Function", bound=Callable[..., Any])
_SORT_FROM = 48  # rows; below, comparing pairs is faster than sorting


def _compiled(function: _Function) -> _Function:
    return cast("_Function", njit(cache=True, nogil=True)(function))


@_compiled
def _inverse(value: int, prime: int) -> int:
    """Inverse modulo a prime, by the extended Euclidean algorithm."""
    a, b, x, y = value, prime, 1, 0
    while b:
        q = a // b
        a, b = b, a - q * b
        x, y = y, x - q * y
    return x % prime


@_compiled
def normalise(rows: Ints, leads: Ints, n: int, columns: int, primes: Ints, full: bool, scratch: Ints) -> int:
    """Find leading entries, divide by them, and merge equal rows; return how many are left, or a failure.

    Rows without a normal (all but the last of the columns are 0) are dropped.
    """
    n_primes = len(primes)
    kept = 0
    for h in range(n):
        lead = -1
        for c in range(columns - 1):
            zeros = 0
            for j in range(n_primes):
                zeros += rows[h, j, c] == 0
            if zeros == 0:
                lead = c
                break
            if zeros < n_primes:
                return UNLUCKY
            if not full:
                return EVENT
        if lead < 0:
            continue
        leads[kept] = lead
        if kept != h:
            for j in range(n_primes):
                for c in range(columns):
                    rows[kept, j, c] = rows[h, j, c]
        kept += 1
    for j in range(n_primes):
        p = primes[j]
        product = 1
        for h in range(kept):  # one inverse serves all rows
            scratch[h] = product
            product = product * rows[h, j, leads[h]] % p
        product = _inverse(product, p) if kept else 1
        for h in range(kept - 1, -1, -1):
            factor = product * scratch[h] % p
            product = product * rows[h, j, leads[h]] % p
            for c in range(columns):
                rows[h, j, c] = rows[h, j, c] * factor % p
    return _merge(rows, leads, kept, columns, n_primes, full)


@_compiled
def _equal(rows: Ints, a: int, b: int, columns: int, n_primes: int) -> bool:
    for c in range(columns):
        for j in range(n_primes):
            if rows[a, j, c] != rows[b, j, c]:
                return False
    return True


@_compiled
def _merge(rows: Ints, leads: Ints, n: int, columns: int, n_primes: int, full: bool) -> int:
    """Remove repeated rows, by pairs or after sorting by a hash of the residues."""
    gone = np.zeros(n, dtype=np.bool_)
    repeats = 0
    if n < _SORT_FROM:
        for a in range(n):
            if gone[a]:
                continue
            for b in range(a + 1, n):
                if not gone[b] and _equal(rows, a, b, columns, n_primes):
                    gone[b] = True
                    repeats += 1
    else:
        keys = np.zeros(n, dtype=np.int64)
        for h in range(n):
            for c in range(columns):
                keys[h] = keys[h] * 1000003 + rows[h, 0, c]
        order = np.argsort(keys)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and keys[order[stop]] == keys[order[start]]:
                stop += 1
            for x in range(start, stop):
                if gone[order[x]]:
                    continue
                for y in range(x + 1, stop):
                    if not gone[order[y]] and _equal(rows, order[x], order[y], columns, n_primes):
                        gone[order[y]] = True
                        repeats += 1
            start = stop
    if repeats == 0:
        return n
    if not full:
        return EVENT
    kept = 0
    for h in range(n):
        if gone[h]:
            continue
        if kept != h:
            leads[kept] = leads[h]
            for j in range(n_primes):
                for c in range(columns):
                    rows[kept, j, c] = rows[h, j, c]
        kept += 1
    return kept


@_compiled
def _restrict(source: Ints, leads: Ints, i: int, columns: int, primes: Ints, target: Ints) -> None:
    """Write the rows before row i, restricted to it, with one column less; they are not normalised yet."""
    pivot = leads[i]
    for h in range(i):
        for j in range(len(primes)):
            p = primes[j]
            factor = p - source[h, j, pivot]
            k = 0
            for c in range(columns):
                if c != pivot:
                    target[h, j, k] = (source[h, j, c] + factor * source[i, j, c]) % p
                    k += 1


@_compiled
def _independent(rows: Ints, n: int, columns: int, prime: int, work: Ints) -> bool:
    """Whether the normals are independent modulo the first prime, which proves that they are."""
    for h in range(n):
        for c in range(columns - 1):
            work[h, c] = rows[h, 0, c]
    for h in range(n):
        pivot = -1
        for c in range(columns - 1):
            if work[h, c]:
                pivot = c
                break
        if pivot < 0:
            return False
        scale = _inverse(work[h, pivot], prime)
        for g in range(h + 1, n):
            if work[g, pivot]:
                factor = prime - work[g, pivot] * scale % prime
                for c in range(columns - 1):
                    work[g, c] = (work[g, c] + factor * work[h, c]) % prime
    return True


@_compiled
def subtree(
    stack: Ints, leads: Ints, first: int, dim: int, primes: Ints, full: bool, whitney: Ints, budget: int
) -> int:
    """Add to `whitney` the sets without a broken circuit whose last element is row `first` of the top level.

    Returns the number of restrictions made, or a failure.
    """
    size = stack.shape[1]
    counts, place = np.zeros(dim + 1, dtype=np.int64), np.zeros(dim + 1, dtype=np.int64)
    scratch = np.zeros(size, dtype=np.int64)
    work = np.zeros((dim + 1, dim + 1), dtype=np.int64)
    counts[0], place[0] = first + 1, first
    depth, made = 0, 0
    while depth >= 0:
        if place[depth] == counts[depth]:
            depth -= 1
            continue
        i, columns = place[depth], dim - depth + 1
        place[depth] += 1
        made += 1
        if made > budget:
            return LIMIT
        whitney[depth + 1] += 1
        if i == 0 or depth + 1 == dim:
            continue
        _restrict(stack[depth], leads[depth], i, columns, primes, stack[depth + 1])
        n = normalise(stack[depth + 1], leads[depth + 1], i, columns - 1, primes, full, scratch)
        if n < 0:
            return n
        left = dim - depth - 1
        if left == 1:
            whitney[depth + 2] += n
        elif 1 < n <= left and _independent(stack[depth + 1], n, columns - 1, primes[0], work):
            ways = 1
            for k in range(1, n + 1):
                ways = ways * (n - k + 1) // k
                whitney[depth + 1 + k] += ways
        elif n > 0:
            depth += 1
            counts[depth], place[depth] = n, 0
    return made
