# ruff: noqa: C901, E501 - kernels: state is passed as arguments, and a call inside a loop has its price
# mypy: disable-error-code="untyped-decorator, no-any-return"
# (kernels: Numba types them, from arrays that are Any here)
"""Cells enter the vertex kernel: errors and signs after the matrix product, and the rows that cut; see `vertices_kernel`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from exactregions.enumeration.split.bits import ctz
from exactregions.enumeration.split.vertices_rays import classify
from exactregions.enumeration.split.vertices_refine import OPTIONS, TINY, U, refine, sign_of_wall
from exactregions.enumeration.split.vertices_state import (
    DEGENERATE,
    LIMIT,
    N_REFINED,
    N_WALL,
    NONE,
    ONE,
    UP,
    VERTICES,
)


@njit(**OPTIONS)
def finish(net: Any, layer: int, integral: bool, buf: Any) -> None:
    """Bound the errors of a buffer's pre-activations after the matrix product, and set the sign bits."""
    n, width = net.rows[layer], net.cols[layer]
    g = (width + 6) * U
    lip = net.lipschitz[layer - 1]
    for v in range(buf.sizes[VERTICES]):
        total = largest = 0.0
        for k in range(width):
            value = buf.A[v, k]
            total += value * value
            largest = max(largest, abs(value))
        exact = False
        if integral:
            exact = net.absolute[layer] * largest < LIMIT
            buf.e_max[v] = 0.0 if exact else math.inf
        elif buf.zero[v]:
            exact = True
            for j in range(n):
                buf.Z[v, j] = 0.0
            buf.e_max[v] = 0.0
        else:
            norm = math.sqrt(total) * UP
            old = buf.e_two[v]
            error = (lip * old + 2.01 * U * norm) * UP + TINY
            buf.e_max[v] = net.row_norm[layer] * (error + g * (norm + error)) * UP + TINY
            two = net.spectral[layer] * error + g * net.frobenius[layer] * (norm + error)
            buf.e_two[v] = math.sqrt(two * two + old * old) * UP + TINY
        classify(buf.Z[v], buf.e_max[v], n, exact, net.walls, net.word_start[layer], buf.P[v], buf.N[v], buf.Q[v])


@njit(**OPTIONS)
def classify_start(net: Any, buf: Any, values: Any) -> None:
    """Set the sign bits of the start's vertices from exact signs."""
    for v in range(buf.sizes[VERTICES]):
        classify(values[v], 0.0, net.rows[0], True, net.walls, net.word_start[0], buf.P[v], buf.N[v], buf.Q[v])


@njit(**OPTIONS)
def _settle(net: Any, layer: int, buf: Any, cell: int, entry: int, doubtful: Any, work: Any, control: Any) -> None:
    """Compute a vertex of the buffer afresh, because a sign that its cell needs is unknown."""
    v = buf.vertex[entry]
    control[N_REFINED] += 1
    signs = buf.signs[cell]
    n = net.rows[layer]
    ok = refine(
        net, layer, signs, buf.mask[entry], buf.slots[cell], buf.X[v], buf.e_two[v], work.z, work.x, work.bounds, work
    )
    if not ok:
        return
    for j in range(n):
        buf.Z[v, j] = work.z[j]
    for i in range(net.cols[0]):
        buf.X[v, i] = work.x[i]
    buf.e_max[v] = work.bounds[0]
    buf.e_two[v] = work.bounds[1]
    words = (n + 63) >> 6
    known_up, known_down = work.known[0], work.known[1]
    for q in range(words):
        known_up[q], known_down[q] = buf.P[v, q], buf.N[v, q]
    classify(buf.Z[v], buf.e_max[v], n, False, net.walls, net.word_start[layer], buf.P[v], buf.N[v], buf.Q[v])
    for q in range(words):
        buf.P[v, q] |= known_up[q]
        buf.N[v, q] |= known_down[q]
        # zeros that were exact stay so: an entry is unknown only if it was before
        buf.Q[v, q] &= doubtful[q] & ~(buf.P[v, q] | buf.N[v, q])
        left = buf.Q[v, q]
        while left != 0:
            bit = ctz(left)
            left &= left - ONE
            sign = sign_of_wall(
                net, layer, 64 * q + np.int64(bit), signs, work.x, work.bounds[2], work.row, work.v, work.v2
            )
            control[N_WALL] += 1
            if sign > 0:
                buf.P[v, q] |= ONE << bit
                buf.Q[v, q] &= ~(ONE << bit)
            elif sign < 0:
                buf.N[v, q] |= ONE << bit
                buf.Q[v, q] &= ~(ONE << bit)


@njit(**OPTIONS, inline="always")
def load(
    net: Any, layer: int, integral: bool, buf: Any, scr: Any, names: Any, work: Any, control: Any, cell: int
) -> int:
    """Take a cell of the buffer into the scratch; return the number of rows that cut it, or -1 if that is undecided."""
    words = (net.rows[layer] + 63) >> 6
    first, last = buf.start[cell], buf.start[cell + 1]
    W = scr.words
    for attempt in range(2):
        for q in range(words):
            W[0, q] = W[1, q] = W[2, q] = 0
        for e in range(first, last):
            v = buf.vertex[e]
            for q in range(words):
                W[0, q] |= buf.P[v, q]
                W[1, q] |= buf.N[v, q]
                W[2, q] |= buf.Q[v, q]
        # a row of both signs cuts the cell, so that its sign is wanted everywhere, if it can be had
        doubt = unsettled = False
        for q in range(words):
            if W[2, q] != 0:
                unsettled = True
            if W[2, q] & ~(W[0, q] & W[1, q]) != 0:
                doubt = True
        last_try = attempt == 1 or integral
        if not unsettled or (last_try and not doubt):
            break
        if last_try:
            return -1
        for e in range(first, last):
            v = buf.vertex[e]
            unknown_here = False
            for q in range(words):
                W[3, q] = buf.Q[v, q]
                unknown_here = unknown_here or buf.Q[v, q] != 0
            if unknown_here:
                _settle(net, layer, buf, cell, e, W[3], work, control)
    m = 0
    for q in range(words):
        cut = W[0, q] & W[1, q]
        while cut != 0:
            scr.columns[m] = 64 * q + np.int64(ctz(cut))
            cut &= cut - ONE
            m += 1
    control[DEGENERATE] = 0
    prefix = net.word_start[layer]
    for q in range(prefix):
        if buf.zeros[cell, q] != 0:
            control[DEGENERATE] = 1
    for q in range(words):
        if net.walls[prefix + q] & ~(W[0, q] | W[1, q]) != 0:
            control[DEGENERATE] = 1
    count = last - first
    compact = (m + 63) >> 6
    for i in range(count):
        v = buf.vertex[first + i]
        for c in range(m):
            scr.val[i, c] = buf.Z[v, scr.columns[c]]
        for t in range(net.cols[0]):
            scr.xs[i, t] = buf.X[v, t]
        scr.e_max[i], scr.e_two[i] = buf.e_max[v], buf.e_two[v]
        for q in range(compact):
            up = down = unknown = NONE
            for c in range(64 * q, min(m, 64 * q + 64)):
                j = scr.columns[c]
                to = np.uint64(c & 63)
                at = np.uint64(j & 63)
                up |= ((buf.P[v, j >> 6] >> at) & ONE) << to
                down |= ((buf.N[v, j >> 6] >> at) & ONE) << to
                unknown |= ((buf.Q[v, j >> 6] >> at) & ONE) << to
            scr.P[i, q], scr.N[i, q], scr.Q[i, q] = up, down, unknown
        scr.line[i] = 0
        scr.ends[i, 0] = scr.ends[i, 1] = -1
        scr.source[i] = v
        scr.name[i] = names.numbers[1] + v
        scr.ray[i] = i
        scr.mask[i] = buf.mask[first + i]
    for s in range(64):
        scr.slots[0, s] = buf.slots[cell, s]
    scr.stack[0, 0], scr.stack[0, 1], scr.stack[0, 2], scr.stack[0, 3] = 0, count, count, count
    scr.stack[0, 4] = 0
    return m
