"""The checks that the dictionary kernel's answers rest on: sign refused, sign attained.  All else is a proposal.

A node of the search is a cell Q = {x : g_q(x) > 0 for the constraints q of its path}, x in R^d, with affine g_q.  The
list of cells is complete and free of spurious ones if (a) each time a wall is dropped because a form f keeps one sign
on Q, that is true, and (b) each leaf has a point that attains its pattern.  `no_cut` proves (a) and `attained` (b); a
failed pivot, a wrong basis, a lost digit can make them refuse, never accept.  The forms come from `dictionary_forms`.

Notation.  u = 2^-53; every float operation returns its exact value times 1 + t, |t| <= u, plus at most 2^-1075 where a
product underflows.  gamma(n) = 1.01 n u is more than n u / (1 - n u), Higham's bound for a sum of n products in any
order ("Accuracy and Stability of Numerical Algorithms", 3.1), for every n below 2^40.  Starred quantities are exact. A
number that the problem stores is within eta of its exact value, relatively: eta = 0 if nothing was rounded, else
1.0000001 u (rounding to nearest, no entry below 2^-200, so a stored zero is a zero).  Each bound is itself computed
from non-negative floats in fewer than 10^6 operations; the factor `INFLATE` = 1 + 10^-9 covers their rounding and all
products of two errors, and `TINY` = 2^-900 all underflow.  A test passes only as `value > bound`: infinity and NaN
fail. No fused or reassociated arithmetic is asked for (fastmath is off; contraction would only make the errors
smaller).

**No cut.**  Let M* (rows a = 1..d) and c* hold the linear and constant parts of d constraints, X and v the dictionary's
proposals of (M*)^-1 and of the vertex, E = I - M* X with absolute column sums at most c_k, rho = max c_k < 1/2.  Then
M* X = I - E is invertible, so M* is, and (M*)^-1 = X (I - E)^-1.  Write f* = l0* + sum_k lam*_k g_k*, that is,
lam* = f* X (I - E)^-1, l0* = f*(x*), x* the exact vertex.  Let y = f* X, L = max |y_k|.  In the maximum norm of
rows, |yE| <= rho |y|, so w = y (I - E)^-1 has |w| <= L / (1 - rho), and lam* = y + w E gives
    |lam*_k - y_k| <= c_k L / (1 - rho).                                                                     (1)
With r* = M* v + c*, x* - v = -(M*)^-1 r*, so f*(x*) - f*(v) = -lam* r* and
    |l0* - f*(v)| <= |r*|_1 L / (1 - rho).                                                                   (2)
y and f*(v) are computed with errors at most (gamma(d + 1) N + D) max_i |X_ik| and (gamma(d + 2) N + D) max(1, |v|).
If all lam*_k >= 0 and l0* > 0, then f* > 0 on Q.  The computed values exceed their bounds, or lam*_k is an exact zero
by this rule: M* is invertible, so f* has one expansion in its rows; if n of the rows lie in a space V of dimension at
most n that holds f*, these n rows span V, and all other lam*_k are 0.  V is spanned by some *generators* of a *level*:
 * Level 0: the coordinates.  A form lies in the span of those in its support.
 * Level m > 0: the linear parts of the neurons of layer m - 1 that are active (slope of their piece not 0).  On the
   cell, the forms of the layers from m on are combinations of them and constants: `supports` says of which.  So V has
   dimension at most the number of those that are not constant, at most that of the whole level (`ranks`).
If the problem is homogeneous (no constant is added anywhere), the same holds for the forms with their constants in
R^(d + 1), constant generators counted; there the d rows and 1 are a basis, so l0* is 0, too, and f* > 0 if a lam*_k is.
Which generators: those of f, then more until as many rows are spanned as there are generators, then all.

On integers `no_cut_exactly` decides true zeros as well.  It verifies M Y = det I for integers Y and det != 0, in sums
of integers whose magnitudes add up to less than 2^53, hence without rounding: Y / det is the inverse, and det lam* =
f Y, det l0* = f_0 det - (f Y) c are integers, again exact.  f* >= 0 on Q if none of them is negative (over det), and
f* > 0 on Q, which is open, unless all are zero; then f* is identically 0.

**Attained.**  x is a float vector, hence an exact rational point.  Going forward through the layers, with |h|_max <= H
and error at most e in each feature, a row has error at most (gamma(K + 2) + eta)(|w|_1 H + |b|) + |w|_1 e, |w|_1 <=
`norms`.  Every row that is not identically 0 on the cell must exceed its bound in the sign that the pattern gives it.
A row that is (sign `DEGENERATE`) is exactly 0 wherever the earlier layers have the given signs.
"""

# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: C901
# (kernels: Numba types them, and splitting hot loops into calls costs more than it explains)

from __future__ import annotations

import numpy as np
from numba import njit

from exactregions.enumeration.split.bits import popcount

__all__ = [
    "DEGENERATE",
    "OPTIONS",
    "UNKNOWN",
    "attained",
    "basis_bounds",
    "no_cut",
    "no_cut_exactly",
    "structural_zeros",
]

# nothing is allocated inside, so Numba's reference counts, two atomic operations an array and a call, only cost time
OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy", "fastmath": False, "_nrt": False}
UNKNOWN, DEGENERATE = -1, 2  # signs: 0 for g <= 0, 1 for g > 0, DEGENERATE for g identically 0 (a case of g <= 0)

UNIT = 2.0**-53
GAMMA = 1.01 * UNIT
INFLATE = 1.0 + 1e-9
TINY = 2.0**-900
INTEGERS = 2.0**53
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@njit(**OPTIONS)
def basis_bounds(T, basis, constraints, errors, d, bounds, scratch):
    """Bound how far the dictionary is from the exact inverse; whether rho < 1/2.

    T[k, i] is X_ik, T[d] is v.  Fills `bounds` with c_1..c_d, max_i |X_ik| for k = 1..d, then |r*|_1, max(1, |v|),
    1 / (1 - rho).
    """
    spread = 0.0
    constants = 0.0
    for i in range(d):
        scratch[d, i] = 0.0  # sum over a of |M_ai|
        bounds[i] = 0.0
        bounds[d + i] = 0.0
        for k in range(d):
            scratch[i, k] = T[k, i]
    for a in range(d):
        q = basis[a]
        spread += errors[q]
        constants += abs(constraints[q, d])
        for i in range(d):
            scratch[d, i] += abs(constraints[q, i])
        for k in range(d):
            scratch[d + 1, k] = 0.0
        scratch[d + 1, a] = -1.0
        for i in range(0, d - 3, 4):  # four at a time: the inner loop is short, its entry costs more than its work
            x0, x1, x2, x3 = constraints[q, i], constraints[q, i + 1], constraints[q, i + 2], constraints[q, i + 3]
            for k in range(d):
                scratch[d + 1, k] += (scratch[i, k] * x0 + scratch[i + 1, k] * x1) + (
                    scratch[i + 2, k] * x2 + scratch[i + 3, k] * x3
                )
        for i in range(d - d % 4, d):
            x0 = constraints[q, i]
            for k in range(d):
                scratch[d + 1, k] += scratch[i, k] * x0
        for k in range(d):
            bounds[k] += abs(scratch[d + 1, k])
    for k in range(d):
        scratch[d + 1, k] = 1.0
    for i in range(d):
        x0 = scratch[d, i]
        for k in range(d):
            value = abs(scratch[i, k])
            scratch[d + 1, k] += x0 * value
            bounds[d + k] = max(bounds[d + k], value)
    rho = 0.0
    for k in range(d):
        column = (bounds[k] + GAMMA * (d + 2) * scratch[d + 1, k] + spread * bounds[d + k]) * INFLATE + TINY
        if not column < 0.5:
            return False
        bounds[k] = column
        rho = max(rho, column)
    residual = 0.0
    products = constants
    reach = 1.0
    for i in range(d):
        v = T[d, i]
        products += scratch[d, i] * abs(v)
        reach = max(reach, abs(v))
    for a in range(d):
        q = basis[a]
        value = constraints[q, d]
        for i in range(d):
            value += constraints[q, i] * T[d, i]
        residual += abs(value)
    bounds[2 * d] = (residual + GAMMA * (d + 2) * products + spread * reach) * INFLATE + TINY
    bounds[2 * d + 1] = reach
    bounds[2 * d + 2] = INFLATE / (1.0 - rho)
    return True


@njit(**OPTIONS)
def _support(q, level, places, masks, supports, active, neurons, neuron_of):
    """Return whether constraint q lies in the span of a level's generators, and a set that holds those it needs."""
    if level == 0:
        return True, masks[q]
    at = places[q, 0]
    if at >= level:
        return True, supports[at, places[q, 1], level]
    if at == level - 1:
        i = neuron_of[at, places[q, 1]]
        if active[at, i]:
            return True, np.uint64(1) << np.uint64(i) if neurons[at] <= 64 else ALL
    return False, ALL


@njit(**OPTIONS)
def structural_zeros(
    basis, places, masks, supports, layer, row, active, ranks, solid, neurons, neuron_of, homogeneous, zero
):
    """Mark the multipliers of a row that are exact zeros by the support rule; return whether l0* is one, too.

    `places` is (layer, row) of each constraint, or (-1, side); `masks` its support in the coordinates of x; `supports`
    those of all rows at all levels; `solid` the generators of each level whose forms are not constant.
    """
    d = len(basis)
    for k in range(d):
        zero[k] = 0
    constant = False
    for level in range(layer + 1):
        chosen = supports[layer, row, level]
        for _ in range(d + 2):
            size = popcount(chosen) if chosen != ALL else np.uint64(2 * d + 2)
            need = min(np.int64(popcount(chosen & solid[level]) if chosen != ALL else size), ranks[level, 0])
            count = 0
            more = ALL
            for k in range(d):
                within, support = _support(basis[k], level, places, masks, supports, active, neurons, neuron_of)
                if within and support & ~chosen == 0:
                    count += 1
                elif within and support & chosen != 0 and popcount(support & ~chosen) < popcount(more):
                    more = support & ~chosen
            flat = homogeneous and level > 0 and count >= min(np.int64(size), ranks[level, 1])
            if flat or count >= need:
                constant = constant or flat
                for k in range(d):
                    within, support = _support(basis[k], level, places, masks, supports, active, neurons, neuron_of)
                    if not (within and support & ~chosen == 0):
                        zero[k] = 1
                break
            if chosen == ALL:
                break
            chosen |= more
    return constant


@njit(**OPTIONS)
def no_cut(T, F, FN, FD, layer, row, sign, d, bounds, multipliers, zero, use_zero, zero_constant):
    """Whether sign * f* > 0 on the cell is proved by the multipliers at this basis; `bounds` from `basis_bounds`."""
    norm = FN[layer, row]
    error = FD[layer, row]
    top = 0.0
    for k in range(d):
        value = 0.0
        for i in range(d):
            value += F[layer, row, i] * T[k, i]
        multipliers[k] = value * sign
        top = max(top, abs(value) + (GAMMA * (d + 1) * norm + error) * bounds[d + k] * INFLATE + TINY)
    top = top * bounds[2 * d + 2] * INFLATE
    positive = False
    for k in range(d):
        if use_zero and zero[k]:
            continue
        bound = ((GAMMA * (d + 1) * norm + error) * bounds[d + k] + top * bounds[k]) * INFLATE + TINY
        if not multipliers[k] > bound:
            return False
        positive = True
    if zero_constant:
        return positive
    value = F[layer, row, d]
    for i in range(d):
        value += F[layer, row, i] * T[d, i]
    bound = ((GAMMA * (d + 2) * norm + error) * bounds[2 * d + 1] + top * bounds[2 * d]) * INFLATE + TINY
    return value * sign > bound


@njit(**OPTIONS)
def no_cut_exactly(T, basis, constraints, errors, F, FD, layer, row, sign, d, scratch):
    """As `no_cut`, on integers: 1 if sign * f* > 0 on the cell is proved, 2 if f* is identically 0, else 0.

    `scratch` has 2 d + 2 rows.  For integral problems only: forms without error hold integers.
    """
    if FD[layer, row] != 0.0:
        return 0
    for a in range(d):
        if errors[basis[a]] != 0.0:
            return 0
        for i in range(d):
            scratch[a, i] = constraints[basis[a], i]
    det = 1.0  # proposed by elimination in floats
    for a in range(d):
        best = a
        for r in range(a + 1, d):
            if abs(scratch[r, a]) > abs(scratch[best, a]):
                best = r
        pivot = scratch[best, a]
        if not abs(pivot) > 0.0:
            return 0
        det *= pivot if best == a else -pivot
        for i in range(d):
            scratch[best, i], scratch[a, i] = scratch[a, i], scratch[best, i]
        for r in range(a + 1, d):
            factor = scratch[r, a] / pivot
            for i in range(a, d):
                scratch[r, i] -= factor * scratch[a, i]
    det = np.rint(det)
    if not 0.0 < abs(det) < INTEGERS:
        return 0
    for k in range(d):
        for i in range(d):
            scratch[d + i, k] = np.rint(det * T[k, i])
    for a in range(d):  # verified: M Y = det I, all sums below 2^53
        for k in range(d):
            value = 0.0
            total = 0.0
            for i in range(d):
                term = constraints[basis[a], i] * scratch[d + i, k]
                value += term
                total += abs(term)
            if not total < INTEGERS or value != (det if a == k else 0.0):
                return 0
    side = sign if det > 0.0 else -sign
    constant = F[layer, row, d] * det
    total = abs(constant)
    nonzero = False
    for k in range(d):
        value = 0.0
        size = 0.0
        for i in range(d):
            term = F[layer, row, i] * scratch[d + i, k]
            value += term
            size += abs(term)
        term = value * constraints[basis[k], d]
        constant -= term
        total += abs(term)
        if not size < INTEGERS or not total < INTEGERS or value * side < 0.0:
            return 0
        nonzero = nonzero or value != 0.0
    if constant * side < 0.0 or not total < INTEGERS:
        return 0
    return 1 if nonzero or constant != 0.0 else 2


@njit(**OPTIONS)
def attained(
    point,
    sides,
    first,
    W,
    b,
    norms,
    top,
    slope,
    shift,
    widths,
    neurons,
    first_row,
    wall,
    plain,
    signs,
    offsets,
    rounding,
    values,
):
    """Whether a homogeneous float point attains the signs strictly, inside the domain's sides.

    `top` bounds `norms` and |b| in each layer; `plain` marks layers of ReLU neurons with stored slopes 0 and 1.
    `first` is the transposed first layer, `W` holds the transposed later ones; `values` is a scratch of two rows.
    """
    size = len(point)
    largest = 0.0
    for c in range(size):
        largest = max(largest, abs(point[c]))
    for r in range(sides.shape[0]):
        value = 0.0
        total = 0.0
        for c in range(size):
            value += sides[r, c] * point[c]
            total += abs(sides[r, c] * point[c])
        if not value > (GAMMA * (size + 2) + rounding) * total * INFLATE + TINY:
            return False
    error = 0.0
    terms = size
    for layer in range(len(widths)):
        width = widths[layer]
        out = values[0]
        inputs = values[1]
        for j in range(width):
            out[j] = b[layer, j]
        if layer == 0:
            for c in range(0, size - 3, 4):
                x0, x1, x2, x3 = point[c], point[c + 1], point[c + 2], point[c + 3]
                for j in range(width):
                    out[j] += (first[c, j] * x0 + first[c + 1, j] * x1) + (first[c + 2, j] * x2 + first[c + 3, j] * x3)
            for c in range(size - size % 4, size):
                x0 = point[c]
                for j in range(width):
                    out[j] += first[c, j] * x0
        else:
            for i in range(0, terms - 3, 4):
                x0, x1, x2, x3 = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
                for j in range(width):
                    out[j] += (W[layer, i, j] * x0 + W[layer, i + 1, j] * x1) + (
                        W[layer, i + 2, j] * x2 + W[layer, i + 3, j] * x3
                    )
            for i in range(terms - terms % 4, terms):
                x0 = inputs[i]
                for j in range(width):
                    out[j] += W[layer, i, j] * x0
        relative = (GAMMA * (terms + 2) + rounding) * INFLATE
        at = offsets[layer]
        # one bound for all rows first, without a branch; where that does not do, a bound for each row
        worst = (relative * (top[layer, 0] * largest + top[layer, 1]) + top[layer, 0] * error) * INFLATE + TINY
        bad = 0
        for j in range(width):
            value = out[j] if signs[at + j] == 1 else -out[j]
            bad |= not value > worst
        if bad:
            for j in range(width):
                sign = signs[at + j]
                if not wall[layer, j]:
                    continue
                if sign == DEGENERATE:
                    out[j] = 0.0
                    continue
                value = relative * (norms[layer, j] * largest + abs(b[layer, j])) + norms[layer, j] * error
                value = value * INFLATE + TINY
                if not (out[j] if sign == 1 else -out[j]) > value:
                    return False
        if layer + 1 == len(widths):
            break
        largest = 0.0
        error = 0.0
        terms = neurons[layer]
        if plain[layer]:
            for i in range(terms):
                inputs[i] = out[i] if signs[at + i] == 1 else 0.0
            for i in range(terms):
                largest = max(largest, inputs[i])
            error = worst
            continue
        for i in range(terms):
            row = first_row[layer, i]
            piece = 0
            for r in range(row, first_row[layer, i + 1]):
                if signs[offsets[layer] + r] == 1:
                    piece += 1
            p = slope[layer, i, piece]
            kappa = shift[layer, i, piece]
            if p == 1.0 and kappa == 0.0:
                inputs[i] = out[row]
                error = max(error, worst + rounding * abs(out[row]))
            else:
                inputs[i] = p * out[row] + kappa
                total = abs(p * out[row]) + abs(kappa)
                if p != 0.0 or kappa != 0.0:
                    error = max(error, (abs(p) * worst + (rounding + 3.0 * UNIT) * total) * INFLATE + TINY)
            largest = max(largest, abs(inputs[i]))
    return True
