# ruff: noqa: C901, E501 - kernels: state is passed as arguments, and a call inside a loop has its price
# mypy: disable-error-code="untyped-decorator, no-any-return"
# (kernels: Numba types them, from arrays that are Any here)
"""New vertices of the vertex kernel: interpolation with error bounds, sign bits; see `vertices_kernel` for the proofs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from exactregions.enumeration.split.bits import ctz
from exactregions.enumeration.split.vertices_refine import OPTIONS, TINY, U, refine, sign_of_wall
from exactregions.enumeration.split.vertices_state import (
    LIMIT,
    N_REFINED,
    N_WALL,
    NONE,
    ONE,
    UP,
)


@njit(**OPTIONS)
def classify(
    values: Any, error: float, n: int, exact_zero: bool, walls: Any, first: int, P: Any, N: Any, Q: Any
) -> None:
    """Set the sign bits of a vertex's pre-activations; only rows that are walls get any."""
    for q in range((n + 63) >> 6):
        up = down = nil = NONE
        for j in range(min(64, n - 64 * q)):
            value = values[64 * q + j]
            bit = np.uint64(j)
            up |= np.uint64(value > error) << bit
            down |= np.uint64(value < -error) << bit
            nil |= np.uint64(value == 0.0) << bit
        wall = walls[first + q]
        P[q] = up & wall
        N[q] = down & wall
        unknown = wall & ~(up | down)
        Q[q] = unknown & ~nil if exact_zero else unknown


@njit(**OPTIONS)
def is_zero(net: Any, layer: int, buf: Any, scr: Any, m: int, r: int, row: int) -> bool:
    """Whether a pre-activation at a ray is known to be exactly 0: a wall without any sign bit, known or unknown.

    A row that does not cut the layer's cell is zero inside an edge exactly if it is at both ends, so it is zero at a new
    ray if it is at both vertices that it was interpolated from.
    """
    q, bit = row >> 6, ONE << np.uint64(row & 63)
    if net.walls[net.word_start[layer] + q] & bit == 0:
        return False
    for c in range(m):
        if scr.columns[c] == row:
            at = ONE << np.uint64(c & 63)
            return bool((scr.P[r, c >> 6] | scr.N[r, c >> 6] | scr.Q[r, c >> 6]) & at == 0)
    return is_zero_outside(net, layer, buf, scr, m, r, row)


@njit(**OPTIONS)
def is_zero_outside(net: Any, layer: int, buf: Any, scr: Any, m: int, r: int, row: int) -> bool:
    """Whether a row that does not cut the layer's cell is known to be exactly 0 at a ray."""
    q, bit = row >> 6, ONE << np.uint64(row & 63)
    if net.walls[net.word_start[layer] + q] & bit == 0:
        return False
    for c in range(m):
        if scr.columns[c] == row:
            return False
    # depth first over the vertices that the ray goes back to
    top = 1
    scr.stamp[0] = r
    while top > 0:
        top -= 1
        at_ray = scr.stamp[top]
        source = scr.source[at_ray]
        if source >= 0:
            if (buf.P[source, q] | buf.N[source, q] | buf.Q[source, q]) & bit != 0:
                return False
        else:
            if top + 2 > scr.stamp.shape[0]:
                return False
            scr.stamp[top] = scr.ends[at_ray, 0]
            scr.stamp[top + 1] = scr.ends[at_ray, 1]
            top += 2
    return True


@njit(**OPTIONS)
def _divide(scr: Any, r: int, h: int, m: int, n_full: int) -> None:
    """Divide an integer ray by the common divisor of its coordinates."""
    g = np.int64(0)
    for i in range(h):
        y = np.int64(abs(scr.xs[r, i]))
        while y != 0:
            g, y = y, g % y
        if g == 1:
            return
    if g > 1:
        divisor = float(g)
        for i in range(h):
            scr.xs[r, i] /= divisor
        for c in range(m):
            scr.val[r, c] /= divisor
        for j in range(n_full):
            scr.full[r, j] /= divisor


@njit(**OPTIONS, inline="always")
def between(
    net: Any,
    layer: int,
    last: bool,
    integral: bool,
    buf: Any,
    scr: Any,
    m: int,
    k: int,
    p: int,
    q: int,
    line: Any,
    r: int,
) -> bool:
    """Make ray r on the edge (p, q) where compact row k vanishes; False if integers would overflow."""
    h, n = net.cols[0], net.rows[layer]
    A, B = p, q
    if not integral:
        if scr.ends[p, 0] >= 0 and scr.line[p] == line:
            A, B = scr.ends[p, 0], scr.ends[p, 1]
        elif scr.ends[q, 0] >= 0 and scr.line[q] == line:
            A, B = scr.ends[q, 0], scr.ends[q, 1]
        va, vb = scr.val[A, k], scr.val[B, k]
        if va < 0.0:
            A, B, va, vb = B, A, vb, va
        if not (va > scr.e_max[A] and vb < -scr.e_max[B]):
            A, B, va, vb = p, q, scr.val[p, k], scr.val[q, k]
    else:
        va, vb = scr.val[A, k], scr.val[B, k]
    a, b = max(va, 0.0), max(-vb, 0.0)
    scr.ends[r, 0], scr.ends[r, 1], scr.line[r] = A, B, line
    scr.source[r] = -1
    sa, sb = scr.source[A], scr.source[B]
    if integral:
        worst = 0.0
        for c in range(m):
            scr.val[r, c] = b * scr.val[A, c] + a * scr.val[B, c]
            worst = max(worst, b * abs(scr.val[A, c]) + a * abs(scr.val[B, c]))
        for i in range(h):
            scr.xs[r, i] = b * scr.xs[A, i] + a * scr.xs[B, i]
            worst = max(worst, b * abs(scr.xs[A, i]) + a * abs(scr.xs[B, i]))
        if not last:
            for j in range(n):
                za = buf.Z[sa, j] if sa >= 0 else scr.full[A, j]
                zb = buf.Z[sb, j] if sb >= 0 else scr.full[B, j]
                scr.full[r, j] = b * za + a * zb
                worst = max(worst, b * abs(za) + a * abs(zb))
        if not worst < LIMIT:
            return False
        _divide(scr, r, h, m, 0 if last else n)
        scr.e_max[r] = scr.e_two[r] = 0.0
        return True
    total = a + b
    scale = 1.0 / total if total > 0.0 else 0.5
    al, be = b * scale, a * scale
    eA, eB = scr.e_max[A], scr.e_max[B]
    spread = total - eA - eB
    base = al * eA + be * eB
    # a spread much smaller than its terms has lost its accuracy
    t = min(base / spread * UP, 1.0) if spread > 0.01 * total else 1.0  # both weights lie in [0, 1]
    gap = size = 0.0
    for c in range(m):
        x, y = scr.val[A, c], scr.val[B, c]
        scr.val[r, c] = al * x + be * y
        gap = max(gap, abs(x - y))
        size = max(size, al * abs(x) + be * abs(y))
    scr.val[r, k] = 0.0
    error = (base + t * (gap + eA + eB) + 6 * U * (size + base)) * UP + TINY
    scr.e_max[r] = error if error < 1e300 else math.inf
    gap2 = size2 = 0.0
    for i in range(h):
        x, y = scr.xs[A, i], scr.xs[B, i]
        scr.xs[r, i] = al * x + be * y
        gap2 += (x - y) * (x - y)
        s = al * abs(x) + be * abs(y)
        size2 += s * s
    if not last:
        for j in range(n):
            x = buf.Z[sa, j] if sa >= 0 else scr.full[A, j]
            y = buf.Z[sb, j] if sb >= 0 else scr.full[B, j]
            scr.full[r, j] = al * x + be * y
            gap2 += (x - y) * (x - y)
            s = al * abs(x) + be * abs(y)
            size2 += s * s
        scr.full[r, scr.columns[k]] = 0.0
    base = al * scr.e_two[A] + be * scr.e_two[B]
    error = base + t * (math.sqrt(gap2) * UP + scr.e_two[A] + scr.e_two[B]) + 6 * U * (math.sqrt(size2) * UP + base)
    error = error * UP + TINY
    scr.e_two[r] = error if error < 1e300 else math.inf
    return True


@njit(**OPTIONS)
def afresh(
    net: Any,
    layer: int,
    last: bool,
    buf: Any,
    scr: Any,
    cell: int,
    m: int,
    mask: Any,
    slots: Any,
    k: int,
    r: int,
    work: Any,
    control: Any,
) -> bool:
    """Replace a ray by its refined self, if that succeeds."""
    control[N_REFINED] += 1
    if not refine(net, layer, buf.signs[cell], mask, slots, scr.xs[r], scr.e_two[r], work.z, work.x, work.bounds, work):
        return False
    for c in range(m):
        scr.val[r, c] = work.z[scr.columns[c]]
    scr.val[r, k] = 0.0
    for i in range(net.cols[0]):
        scr.xs[r, i] = work.x[i]
    if not last:
        for j in range(net.rows[layer]):
            # what was exactly 0 stays so
            if not (scr.full[r, j] == 0.0 and is_zero_outside(net, layer, buf, scr, m, r, j)):
                scr.full[r, j] = work.z[j]
    scr.e_max[r], scr.e_two[r] = work.bounds[0], work.bounds[1]
    return True


@njit(**OPTIONS, inline="always")
def sign_bits(scr: Any, m: int, k: int, p: int, q: int, r: int) -> bool:
    """Set the sign bits of a new ray: inherited where both ends agree, else by its value and error; whether any is unknown."""
    doubtful = False
    error = scr.e_max[r]
    for w in range((m + 63) >> 6):
        p_up, p_down, q_up, q_down = scr.P[p, w], scr.N[p, w], scr.P[q, w], scr.N[q, w]
        doubt = scr.Q[p, w] | scr.Q[q, w]
        up, down = p_up | q_up, p_down | q_down
        inherit = ~doubt & ~(up & down)
        rest = (up | down | doubt) & ~inherit
        up, down = up & inherit, down & inherit
        if k >> 6 == w:
            bit = ~(ONE << np.uint64(k & 63))
            up, down, rest = up & bit, down & bit, rest & bit
        unknown = NONE
        while rest != 0:
            at = ctz(rest)
            rest &= rest - ONE
            value = scr.val[r, 64 * w + np.int64(at)]
            above, below = np.uint64(value > error), np.uint64(value < -error)
            up |= above << at
            down |= below << at
            # with no error, as with integers, neither means 0
            unknown |= (ONE ^ (above | below | np.uint64(error == 0.0))) << at
        doubtful = doubtful or unknown != 0
        scr.P[r, w], scr.N[r, w], scr.Q[r, w] = up, down, unknown
    return doubtful


@njit(**OPTIONS)
def settle_signs(
    net: Any,
    layer: int,
    last: bool,
    buf: Any,
    scr: Any,
    cell: int,
    m: int,
    k: int,
    r: int,
    mask: Any,
    slots: Any,
    work: Any,
    control: Any,
) -> None:
    """Compute a ray afresh because some of its signs are unknown, and find those that can be found."""
    if not afresh(net, layer, last, buf, scr, cell, m, mask, slots, k, r, work, control):
        return
    error = scr.e_max[r]
    for w in range((m + 63) >> 6):
        rest = scr.Q[r, w]
        while rest != 0:
            at = ctz(rest)
            rest &= rest - ONE
            c = 64 * w + np.int64(at)
            one = ONE << at
            value = scr.val[r, c]
            sign = 1 if value > error else -1 if value < -error else 0
            if sign == 0:
                control[N_WALL] += 1
                signs = buf.signs[cell]
                sign = sign_of_wall(
                    net, layer, scr.columns[c], signs, work.x, work.bounds[2], work.row, work.v, work.v2
                )
            if sign > 0:
                scr.P[r, w] |= one
                scr.Q[r, w] &= ~one
            elif sign < 0:
                scr.N[r, w] |= one
                scr.Q[r, w] &= ~one
