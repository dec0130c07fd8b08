# ruff: noqa: C901, E501 - kernels: state is passed as arguments, and a call inside a loop has its price
# mypy: disable-error-code="untyped-decorator, no-any-return"
# (kernels: Numba types them, from arrays that are Any here)
"""A vertex computed afresh from the walls that meet in it, with a proved error bound: what resets grown errors.

The rows of the d walls that define a vertex are composed through the cell's pattern (`wall_form`), M x = 0 is solved by
Gauss-Jordan elimination with full pivoting, and the solution is judged by its residual, not by its history: if X is
about the inverse of the pivoted square part B of the exact rows M*, and |I - X B|_inf <= rho < 1, then for x* with the
same free coordinate (= 1), |x - x*|_inf <= |X (M* x)|_inf / (1 - rho) (Neumann series; Rump 1983).  The forward pass at
the new point has the error bounds of `vertices_kernel`; rows incident at the vertex are 0 there, exactly.

`wall_form` bounds its error in the 2-norm, step by step: for v -> (v D) W with |D| <= lipschitz,
|(vD)W - (v*D)W*| <= |W| (lip e + 2.01 u |vD|) + g |W|_F |vD|, g = (n + 6) u, as |.|_2 of |W| is at most |W|_F;
likewise for the constant.  Inflation by 1 + 1e-6 pays for the rounding of the bounds themselves, TINY for underflow
(entries of weights lie within 2^+-100, so what is lost below 2^-511 in a square weighs less).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

__all__ = ["OPTIONS", "TINY", "U", "refine", "sign_of_wall", "wall_form"]

# no reference counts: no function of the kernel allocates, and counting costs more than the work
OPTIONS = {"nogil": True, "cache": True, "_nrt": False}
U = 2.0**-53
TINY = 2.0**-340
_UP = 1.0 + 1e-6


@njit(**OPTIONS)
def wall_form(net: Any, layer: int, wall: int, signs: Any, row: Any, v: Any, v2: Any) -> float:
    """Write the form of a wall on a cell to `row`; return a bound on its error in the 2-norm."""
    h = net.cols[0]
    base = net.start[layer] + wall * net.cols[layer]
    if layer == 0:
        total = 0.0
        for i in range(h):
            row[i] = net.flat[base + i]
            total += abs(row[i])
        return U * total * _UP + TINY
    n = net.rows[layer - 1]
    total = 0.0
    for k in range(n):
        v[k] = net.flat[base + k]
        total += v[k] * v[k]
    constant = net.flat[base + n]
    error = U * math.sqrt(total) * _UP + TINY
    error_c = U * abs(constant) * _UP
    for q in range(layer - 1, -1, -1):
        n, width = net.rows[q], net.cols[q]
        inner = h if q == 0 else width - 1
        for i in range(inner):
            v2[i] = 0.0
        total = 0.0
        size_c = abs(constant)
        first = net.row_start[q]
        words = net.word_start[q]
        for k in range(n):
            bit = (signs[words + (k >> 6)] >> np.uint64(k & 63)) & np.uint64(1)
            c = v[k] * (net.slopes[first + k, 1] if bit != 0 else net.slopes[first + k, 0])
            if c == 0.0:
                continue
            total += c * c
            at = net.start[q] + k * width
            for i in range(inner):
                v2[i] += c * net.flat[at + i]
            if q > 0:
                part = c * net.flat[at + inner]
                constant += part
                size_c += abs(part)
        size = math.sqrt(total) * _UP
        scaled = net.lipschitz[q] * error + 2.01 * U * size
        error_c = (error_c + net.bias_norm[q] * scaled + (n + 6) * U * size_c) * _UP + TINY
        error = (net.spectral[q] * scaled + (n + 6) * U * net.frobenius[q] * (size + scaled)) * _UP + TINY
        for i in range(inner):
            v[i] = v2[i]
    for i in range(h):
        row[i] = v[i]
    if net.unit >= 0:
        row[net.unit] += constant
    return (error + error_c + 2 * U * (abs(row[h - 1]) + abs(constant))) * _UP


@njit(**OPTIONS)
def sign_of_wall(net: Any, layer: int, wall: int, signs: Any, x: Any, ex: float, row: Any, v: Any, v2: Any) -> int:
    """Sign of one wall's form at a point known up to ex in the 2-norm; 0 if it cannot be told."""
    error = wall_form(net, layer, wall, signs, row, v, v2)
    value = size = norm = length = 0.0
    for i in range(net.cols[0]):
        part = row[i] * x[i]
        value += part
        size += abs(part)
        norm += row[i] * row[i]
        length += x[i] * x[i]
    length = math.sqrt(length) * _UP
    bound = (math.sqrt(norm) * _UP * ex + error * (length + ex) + (net.cols[0] + 4) * U * size) * _UP + TINY
    return 1 if value > bound else -1 if value < -bound else 0


@njit(**OPTIONS)
def _null_vector(M: Any, D: Any, T: Any, X: Any, row_of: Any, column_of: Any, d: int) -> float:
    """Solve M x = 0 (d rows, d + 1 columns, row k known up to D[k] in the 2-norm), largest entry 1; return max error."""
    h = d + 1
    for k in range(d):
        largest = 0.0
        for i in range(h):
            largest = max(largest, abs(M[k, i]))
        if not (largest > 0.0 and largest < 1e300):
            return math.inf
        scale = 2.0 ** -math.floor(math.log2(largest))
        D[k] *= scale
        for i in range(h):
            M[k, i] *= scale
            T[k, i] = M[k, i]
        for i in range(d):
            T[k, h + i] = 1.0 if i == k else 0.0
    for c in range(h):
        row_of[c] = -1
    for a in range(d):
        column_of[a] = -1
    for _ in range(d):
        best, br, bc = 0.0, -1, -1
        for a in range(d):
            if column_of[a] < 0:
                for c in range(h):
                    if row_of[c] < 0 and abs(T[a, c]) > best:
                        best, br, bc = abs(T[a, c]), a, c
        if br < 0:
            return math.inf
        column_of[br], row_of[bc] = bc, br
        inverse = 1.0 / T[br, bc]
        for c in range(h + d):
            T[br, c] *= inverse
        for a in range(d):
            factor = T[a, bc]
            if a != br and factor != 0.0:
                for c in range(h + d):
                    T[a, c] -= factor * T[br, c]
    free = 0
    for c in range(h):
        if row_of[c] < 0:
            free = c
    largest = 1.0
    for c in range(h):
        X[c] = 1.0 if c == free else -T[row_of[c], free]
        largest = max(largest, abs(X[c]))
    worst = rho = 0.0
    length = largest * math.sqrt(float(h)) * _UP
    for a in range(d):
        error = 0.0
        for k in range(d):
            value = size = 0.0
            for c in range(h):
                part = M[k, c] * X[c]
                value += part
                size += abs(part)
            error += abs(T[a, h + k]) * (abs(value) + (h + 4) * U * size + D[k] * length)
        worst = max(worst, error)
        total = 0.0
        for c in range(h):
            if c != free:
                value = size = 0.0
                for k in range(d):
                    part = T[a, h + k] * M[k, c]
                    value += part
                    size += abs(part)
                total += abs(value - (1.0 if column_of[a] == c else 0.0)) + (d + 4) * U * (size + 1.0)
        for k in range(d):
            total += abs(T[a, h + k]) * D[k] * math.sqrt(float(h)) * _UP
        rho = max(rho, total)
    if not rho < 0.5:
        return math.inf
    for c in range(h):
        X[c] /= largest
    return (worst / (1.0 - rho) / largest) * _UP + 4 * U


@njit(**OPTIONS)
def refine(
    net: Any,
    layer: int,
    signs: Any,
    mask: Any,
    slots: Any,
    old: Any,
    e_old: float,
    z: Any,
    x: Any,
    bounds: Any,
    work: Any,
) -> bool:
    """Compute the vertex on the walls of `mask` and its pre-activations in `layer`.

    Writes z, x, and bounds = (largest error of z, 2-norm error of (z, x), 2-norm error of x).  `old`, a positive multiple
    of the vertex up to e_old, only settles the orientation.  Returns False if the vertex is not simple or the result is
    not certain.
    """
    h = net.cols[0]
    d = h - 1
    M, D, T, v, v2, walls = work.M, work.D, work.T, work.v, work.v2, work.walls
    count = 0
    left = mask
    slot = 0
    while left != 0:
        if left & np.uint64(1):
            if count == d:
                return False
            walls[count] = slots[slot]
            count += 1
        left >>= np.uint64(1)
        slot += 1
    if count != d or d == 0:
        return False
    on_unit = False
    for k in range(d):
        code = walls[k]
        if code >= 0:
            D[k] = wall_form(net, code >> 20, code & 0xFFFFF, signs, M[k], v, v2)
        else:
            total = 0.0
            for i in range(h):
                M[k, i] = net.domain[-1 - code, i]
                total += abs(M[k, i])
            on_unit = on_unit or (net.unit >= 0 and code == -1)
            D[k] = 0.0 if net.unit >= 0 and code == -1 else U * total * _UP + TINY
    ex = _null_vector(M, D, T, x, work.row_of, work.column_of, d)
    if not ex < 1e-3:
        return False
    ex = ex * math.sqrt(float(h)) * _UP
    dot = nx = no = 0.0
    for i in range(h):
        dot += x[i] * old[i]
        nx += x[i] * x[i]
        no += old[i] * old[i]
    nx, no = math.sqrt(nx) * _UP, math.sqrt(no) * _UP
    doubt = (nx * e_old + (no + e_old) * ex + (h + 4) * U * nx * no) * _UP
    height = x[net.unit] if net.unit >= 0 and not on_unit else 0.0
    # x_0 >= 0 at every vertex; where it is 0, the old vector tells
    if height < -ex or (abs(height) <= ex and dot < -doubt):
        for i in range(h):
            x[i] = -x[i]
    elif not (height > ex or (abs(height) <= ex and dot > doubt)):
        return False
    if on_unit:
        x[net.unit] = 0.0
    _forward(net, layer, x, ex, nx, z, walls, d, bounds, v, v2)
    return bounds[0] < 1e300 and bounds[1] < 1e300


@njit(**OPTIONS)
def _forward(
    net: Any, layer: int, x: Any, ex: float, nx: float, z: Any, walls: Any, d: int, bounds: Any, v: Any, v2: Any
) -> None:
    h = net.cols[0]
    norm, error, n_in = nx, ex, h
    for i in range(h):
        v[i] = x[i]
    for q in range(layer + 1):
        n, width = net.rows[q], net.cols[q]
        for j in range(n):
            at = net.start[q] + j * width
            value = 0.0
            for i in range(n_in):
                value += net.flat[at + i] * v[i]
            v2[j] = value
        for k in range(d):
            if walls[k] >= 0 and walls[k] >> 20 == q:
                v2[walls[k] & 0xFFFFF] = 0.0
        g = (width + 6) * U
        e_max = net.row_norm[q] * (error + g * norm) * _UP + TINY
        e_two = (net.spectral[q] * error + g * net.frobenius[q] * (norm + error)) * _UP + TINY
        if q == layer:
            for j in range(n):
                z[j] = v2[j]
            bounds[0] = e_max
            bounds[1] = math.sqrt(e_two * e_two + ex * ex) * _UP
            bounds[2] = ex
            return
        first = net.row_start[q]
        total = 0.0
        for j in range(n):
            value = v2[j] * (net.slopes[first + j, 1] if v2[j] > 0.0 else net.slopes[first + j, 0])
            v[j] = value
            total += value * value
        unit = x[net.unit] if net.unit >= 0 else 0.0
        v[n] = unit
        n_in = n + 1
        error = (net.lipschitz[q] * e_two + 2.01 * U * math.sqrt(total)) * _UP
        error = math.sqrt(error * error + ex * ex) * _UP
        norm = math.sqrt(total + unit * unit) * _UP
