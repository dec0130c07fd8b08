"""Dictionaries of vertices: pivots, the primal simplex method, points inside a cell.  Proposals, no proofs.

T[k, r] is the coefficient of basic slack k in row r, T[d, r] the row's value at the vertex.  Rows 0..d-1 are x, rows
d..bound-1 the other constraints of the cell, the rest pending walls.  `basis` and `names` say which constraint (or, for
pending rows, which wall of the layer) a slack or a row is.
"""

# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: C901
# (kernels: Numba types them, and splitting hot loops into calls costs more than it explains)

from __future__ import annotations

import numpy as np
from numba import njit

from exactregions.enumeration.split.dictionary_certify import OPTIONS
from exactregions.enumeration.split.dictionary_state import LPS, PIVOTS

__all__ = [
    "cut",
    "inner_point",
    "minimise",
    "pivot",
    "point_in_leaf",
    "points_beside_cut",
    "rebuild",
    "size",
    "swap_rows",
]


@njit(**OPTIONS)
def pivot(T, d, rows, row, k, column, factors):
    """Exchange the basic slack k with the variable of a row."""
    inverse = 1.0 / T[k, row]
    for i in range(d + 1):
        factors[i] = -T[i, row] * inverse
    for r in range(rows):
        column[r] = T[k, r]
    for i in range(d + 1):
        if i == k:
            for r in range(rows):
                T[k, r] = inverse * column[r]
            T[k, row] = inverse
        else:
            factor = factors[i]
            for r in range(rows):
                T[i, r] += factor * column[r]
            T[i, row] = factor


@njit(**OPTIONS)
def cut(T, upper, d, rows, row, k, sign, column, factors):
    """Pivot a wall's row into slack k, for the side `sign` into `upper` and for the other into T.

    The slack of the side where the wall is negative is the wall's negative: its column is reversed.
    """
    inverse = 1.0 / T[k, row]
    for i in range(d + 1):
        factors[i] = -T[i, row] * inverse
    for r in range(rows):
        column[r] = T[k, r]
    column[row] = 1.0
    for i in range(d + 1):
        factor = factors[i]
        T[i, row] = 0.0
        if i == k:
            first = inverse if sign == 1 else -inverse
            for r in range(rows):
                upper[k, r] = first * column[r]
                T[k, r] = -first * column[r]
        else:
            for r in range(rows):
                value = T[i, r] + factor * column[r]
                T[i, r] = value
                upper[i, r] = value


@njit(**OPTIONS)
def swap_rows(T, d, names, first, second):
    """Exchange two rows that are not x."""
    if first != second:
        for k in range(d + 1):
            value = T[k, first]
            T[k, first] = T[k, second]
            T[k, second] = value
        name = names[first]
        names[first] = names[second]
        names[second] = name


@njit(**OPTIONS)
def size(T, d, row):
    """Return the largest entry of a row."""
    size = 0.0
    for k in range(d + 1):
        size = max(size, abs(T[k, row]))
    return size


@njit(**OPTIONS)
def inner_point(T, spare, d, bound, column, factors, x, side):
    """Propose a point inside from a vertex on more than d constraints: a vertex of the cell shrunk a little.

    Each constraint is moved inwards by its own small amount, and a dual simplex search repairs what that violates, the
    objective being the sum of the slacks.  T is spoilt; False if the shrunk cells are empty or the search is too long.
    """
    for i in range(d + 1):
        for r in range(bound):
            spare[i, r] = T[i, r]
    shrink = 1.0 / 64
    for _ in range(4):
        shrink *= 1.0 / 64
        for k in range(d):
            for r in range(bound):
                T[k, r] = spare[k, r]
            T[k, bound] = 1.0  # the objective, as one more row
        for r in range(bound):
            value = spare[d, r]
            for k in range(d):
                value += spare[k, r] * shrink * (1.0 + ((k * 37) % 64) / 64.0)
            T[d, r] = value if r < d else value - shrink * (1.0 + ((r * 23 + 11) % 64) / 64.0)
        T[d, bound] = 0.0
        for _ in range(200 + 10 * d):
            row = -1
            worst = 0.0
            for r in range(d, bound):
                if T[d, r] < worst:
                    worst = T[d, r]
                    row = r
            if row < 0:
                for i in range(d):
                    x[side, i] = T[d, i]
                return True
            best = -1
            ratio = np.inf
            for k in range(d):
                if T[k, row] > 1e-11 and T[k, bound] < ratio * T[k, row]:
                    ratio = T[k, bound] / T[k, row]
                    best = k
            if best < 0:
                break
            pivot(T, d, bound + 1, row, best, column, factors)
    return False


@njit(**OPTIONS)
def minimise(T, basis, names, d, bound, rows, row, sign, fine, column, factors, control):
    """Minimise sign * row; return the column along which it passes 0 strictly inside the cell, or -1 at an optimum."""
    scale = 0.0
    for k in range(d + 1):
        scale = max(scale, abs(T[k, row]))
    price_limit = -scale * (1e-14 if fine else 1e-10)
    control[LPS] += 1
    for step in range(400 + 20 * d):
        best = -1
        price = price_limit
        for k in range(d):
            value = T[k, row] * sign
            if value < price:
                best = k
                if step > 40 + 2 * d:  # Bland's rule, against cycling
                    break
                price = value
        if best < 0:
            return -1
        for r in range(d, bound):
            slope = T[best, r]
            column[r] = max(T[d, r], 0.0) / -slope if slope < -1e-11 else np.inf
        shortest = np.inf
        leaving = -1
        for r in range(d, bound):
            if column[r] < shortest:
                shortest = column[r]
                leaving = r
        reach = -T[d, row] / T[best, row]
        if reach < shortest * (1.0 - 1e-12) and shortest > 1e-13:
            return best
        if leaving < 0:
            return -1  # cannot happen but by rounding
        pivot(T, d, rows, leaving, best, column, factors)
        control[PIVOTS] += 1
        name = basis[best]
        basis[best] = names[leaving]
        names[leaving] = name
    return -1


@njit(**OPTIONS)
def rebuild(T, basis, names, d, bound, pending, C, forms, scratch):
    """Compute the dictionary of a basis from the forms by Gauss-Jordan elimination; False if singular in floats."""
    for a in range(d):
        for i in range(d):
            scratch[a, i] = C[basis[a], i]
            T[a, i] = 0.0
        T[a, a] = 1.0
    # rows of T[:, :d] hold the inverse, transposed at the end: T[k, i] = X_ik
    for a in range(d):
        best = a
        for r in range(a, d):
            if abs(scratch[r, a]) > abs(scratch[best, a]):
                best = r
        if not abs(scratch[best, a]) > 0.0:
            return False
        if best != a:
            for i in range(d):
                scratch[a, i], scratch[best, i] = scratch[best, i], scratch[a, i]
                T[a, i], T[best, i] = T[best, i], T[a, i]
        inverse = 1.0 / scratch[a, a]
        for i in range(d):
            scratch[a, i] *= inverse
            T[a, i] *= inverse
        for r in range(d):
            factor = scratch[r, a]
            if r != a and factor != 0.0:
                for i in range(d):
                    scratch[r, i] -= factor * scratch[a, i]
                    T[r, i] -= factor * T[a, i]
    for a in range(d):
        for i in range(a):
            T[a, i], T[i, a] = T[i, a], T[a, i]
    for i in range(d):
        value = 0.0
        for k in range(d):
            value -= T[k, i] * C[basis[k], d]
        T[d, i] = value
    for r in range(d, bound + pending):
        form = C[names[r]] if r < bound else forms[names[r]]
        for k in range(d + 1):
            value = form[d] if k == d else 0.0
            for i in range(d):
                value += form[i] * T[k, i]
            T[k, r] = value
    return True


@njit(**OPTIONS)
def points_beside_cut(T, d, bound, row, k, total, x):
    """Propose points on both sides of a cut in column k, without the pivot: it adds one column to the edges' sum."""
    for r in range(bound):
        total[r] = 0.0
    ratio = 0.0
    for i in range(d):
        if i != k:
            ratio += T[i, row]
            for r in range(bound):
                total[r] += T[i, r]
    inverse = 1.0 / T[k, row]
    ratio *= inverse
    move = -T[d, row] * inverse
    for side in range(2):
        slope = (inverse if side == 1 else -inverse) - ratio
        step = min(1.0, -0.5 * move / slope) if slope < 0.0 else 1.0  # slack k itself: move + step * slope > 0
        for r in range(d, bound):
            along = total[r] + slope * T[k, r]
            if along < 0.0:
                step = min(step, -0.5 * (T[d, r] + move * T[k, r]) / along)
        for i in range(d):
            x[side, i] = T[d, i] + move * T[k, i] + step * (total[i] + slope * T[k, i])


@njit(**OPTIONS)
def point_in_leaf(T, d, bound, total, x):
    """Propose a point: from the vertex along the sum of the edges, at most halfway to the next constraint."""
    for r in range(bound):
        total[r] = T[0, r]
    for k in range(1, d):
        for r in range(bound):
            total[r] += T[k, r]
    step = 1.0
    for r in range(d, bound):
        if total[r] < 0.0:
            step = min(step, -0.5 * T[d, r] / total[r])
    for i in range(d):
        x[0, i] = T[d, i] + step * total[i]
