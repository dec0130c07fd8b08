# ruff: noqa: E501 - kernels: state is passed as arguments, and a call inside a loop has its price
# mypy: disable-error-code="untyped-decorator, no-any-return"
# (kernels: Numba types them, from arrays that are Any here)
"""Cells leave the vertex kernel: to the next layer, as leaves, or undecided; see `vertices_kernel`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from exactregions.enumeration.split.vertices_rays import is_zero
from exactregions.enumeration.split.vertices_refine import OPTIONS
from exactregions.enumeration.split.vertices_state import (
    CELLS,
    DEPTH,
    ENTRIES,
    N_OPEN,
    N_OUT,
    ONE,
    VERTICES,
)


@njit(**OPTIONS)
def hand_out(net: Any, layer: int, buf: Any, cell: int, up: Any, down: Any, out: Any, control: Any) -> None:
    """Hand out a subtree: earlier layers as in the cell, this layer as far as it is decided."""
    at = control[N_OPEN]
    prefix = net.word_start[layer]
    for q in range(prefix):
        out.open_up[at, q] = buf.signs[cell, q]
        out.open_down[at, q] = ~buf.signs[cell, q]
    for q in range((net.rows[layer] + 63) >> 6):
        out.open_up[at, prefix + q] = up[q]
        out.open_down[at, prefix + q] = down[q]
    out.open_layer[at] = layer
    control[N_OPEN] += 1


@njit(**OPTIONS)
def give_up(
    net: Any, layer: int, buf: Any, scr: Any, cell: int, m: int, compact: int, words: int, out: Any, control: Any
) -> None:
    """Hand out the node on top of the stack."""
    W = scr.words
    for q in range(compact):
        known = ~W[2, q]
        W[6, q] = W[3, q] & ~W[4, q] & known
    spread(scr, m, words, W[6], W[5], W[7])
    for q in range(compact):
        W[6, q] = W[4, q] & ~W[3, q] & ~W[2, q]
    for q in range(words):
        W[8, q] = W[1, q] & ~W[0, q]
    spread(scr, m, words, W[6], W[8], W[8])
    hand_out(net, layer, buf, cell, W[7], W[8], out, control)
    for q in range(words):
        W[7, q] = W[5, q]
    control[DEPTH] -= 1


@njit(**OPTIONS, inline="always")
def spread(scr: Any, m: int, words: int, compact: Any, rest: Any, target: Any) -> None:
    """Put the bits of the rows that cut among those of the rows that do not."""
    for q in range(words):
        target[q] = rest[q]
    for c in range(m):
        if (compact[c >> 6] >> np.uint64(c & 63)) & ONE:
            j = scr.columns[c]
            target[j >> 6] |= ONE << np.uint64(j & 63)


@njit(**OPTIONS)
def emit(net: Any, layer: int, buf: Any, scr: Any, cell: int, out: Any, control: Any, signs: Any, point: Any) -> None:
    """Write a leaf: its rows with g > 0, its degenerate rows, a point."""
    at = control[N_OUT]
    prefix = net.word_start[layer]
    for q in range(prefix):
        out.signs[at, q] = buf.signs[cell, q]
        out.zeros[at, q] = buf.zeros[cell, q]
    for q in range((net.rows[layer] + 63) >> 6):
        out.signs[at, prefix + q] = signs[q]
        out.zeros[at, prefix + q] = net.walls[prefix + q] & ~(scr.words[0, q] | scr.words[1, q])
    for i in range(net.cols[0]):
        out.points[at, i] = point[i]
    control[N_OUT] += 1


@njit(**OPTIONS)
def emit_pair(
    net: Any, layer: int, buf: Any, scr: Any, cell: int, m: int, node: int, k: int, out: Any, work: Any, control: Any
) -> None:
    """Emit the two leaves that one last cut makes, each with a point: no ray is needed."""
    h = net.cols[0]
    words = (net.rows[layer] + 63) >> 6
    begin, length = scr.stack[node, 0], scr.stack[node, 1]
    kq, kb = k >> 6, ONE << np.uint64(k & 63)
    W = scr.words
    sums = work.sums
    point, inside = sums[2], sums[3]
    value_down = value_up = 0.0
    for i in range(h):
        sums[0, i] = sums[1, i] = point[i] = 0.0
    for e in range(begin, begin + length):
        r = scr.ray[e]
        side = 1 if scr.P[r, kq] & kb else 0 if scr.N[r, kq] & kb else 2
        for i in range(h):
            point[i] += scr.xs[r, i]
            if side < 2:
                sums[side, i] += scr.xs[r, i]
        if side == 1:
            value_up += abs(scr.val[r, k])
        elif side == 0:
            value_down += abs(scr.val[r, k])
    middle = value_up - value_down
    for side in range(2):
        # all rays, and so many of this side's more that the wall is well behind
        wrong = -middle if side == 1 else middle
        size = value_up if side == 1 else value_down
        more = 1.0 + 2.0 * max(wrong, 0.0) / size if size > 0.0 else 1.0
        for i in range(h):
            inside[i] = point[i] + more * sums[side, i]
        for q in range((m + 63) >> 6):
            W[6, q] = W[3, q] & ~W[4, q]
        W[6, kq] = (W[6, kq] | kb) if side == 1 else (W[6, kq] & ~kb)
        spread(scr, m, words, W[6], W[7], W[8])
        emit(net, layer, buf, scr, cell, out, control, W[8], inside)


@njit(**OPTIONS, inline="always")
def number(names: Any, a: int, b: int, wall: int) -> int:
    """Return the number of the vertex where a wall meets the edge between two vertices."""
    low, high = min(a, b), max(a, b)
    mixed = (low * 0x1E3779B97F4A7C15) ^ (high * 0x42B2AE3D27D4EB4F) ^ (wall * 0x165667B19E3779F9)
    at = (mixed ^ (mixed >> 29)) & (names.name.shape[0] - 1)
    if names.first[at] == low and names.second[at] == high and names.wall[at] == wall:
        return names.name[at]
    number = names.numbers[0]
    names.numbers[0] += 1
    names.first[at], names.second[at], names.wall[at], names.name[at] = low, high, wall, number
    return number


@njit(**OPTIONS, inline="always")
def push(
    net: Any,
    layer: int,
    integral: bool,
    buf: Any,
    scr: Any,
    nxt: Any,
    names: Any,
    cell: int,
    m: int,
    node: int,
    signs: Any,
) -> None:
    """Put a finished cell of this layer into the next layer's buffer; there is room."""
    n = net.rows[layer]
    first = net.row_start[layer]
    begin, length = scr.stack[node, 0], scr.stack[node, 1]
    for e in range(begin, begin + length):
        r = scr.ray[e]
        name = scr.name[r]
        at = name & (names.placed.shape[0] - 1)
        k = nxt.sizes[ENTRIES]
        nxt.mask[k] = scr.mask[e]
        nxt.sizes[ENTRIES] += 1
        if names.placed[at] == name and names.epoch[at] == names.numbers[2]:
            nxt.vertex[k] = names.place[at]
            continue
        v = nxt.sizes[VERTICES]
        nxt.sizes[VERTICES] += 1
        nxt.vertex[k] = v
        names.placed[at], names.epoch[at], names.place[at] = name, names.numbers[2], v
        source = scr.source[r]
        zero = True
        for j in range(n):
            value = buf.Z[source, j] if source >= 0 else scr.full[r, j]
            side = (signs[j >> 6] >> np.uint64(j & 63)) & ONE
            value *= net.slopes[first + j, 1] if side != 0 else net.slopes[first + j, 0]
            nxt.A[v, j] = value
            zero = zero and value == 0.0
        unit = scr.xs[r, net.unit] if net.unit >= 0 else 0.0
        nxt.A[v, n] = unit
        if zero and not integral:
            zero = _features_vanish(net, layer, buf, scr, m, r, signs, unit)
        nxt.zero[v] = zero
        for i in range(net.cols[0]):
            nxt.X[v, i] = scr.xs[r, i]
        nxt.e_two[v] = scr.e_two[r]
    c = nxt.sizes[CELLS]
    nxt.start[c + 1] = nxt.sizes[ENTRIES]
    prefix = net.word_start[layer]
    for q in range(prefix):
        nxt.signs[c, q] = buf.signs[cell, q]
        nxt.zeros[c, q] = buf.zeros[cell, q]
    for q in range((n + 63) >> 6):
        nxt.signs[c, prefix + q] = signs[q]
        nxt.zeros[c, prefix + q] = net.walls[prefix + q] & ~(scr.words[0, q] | scr.words[1, q])
    for s in range(64):
        nxt.slots[c, s] = scr.slots[node, s]
    nxt.sizes[CELLS] += 1


@njit(**OPTIONS)
def _features_vanish(net: Any, layer: int, buf: Any, scr: Any, m: int, r: int, signs: Any, unit: float) -> bool:
    """Whether all features at a vertex, and the bias's part, are exactly 0: by the cell's certified signs, not values."""
    for j in range(net.rows[layer]):
        up = (signs[j >> 6] >> np.uint64(j & 63)) & ONE
        if net.slopes[net.row_start[layer] + j, 1 if up != 0 else 0] != 0.0:
            source = scr.source[r]
            value = buf.Z[source, j] if source >= 0 else scr.full[r, j]
            if value != 0.0 or not is_zero(net, layer, buf, scr, m, r, j):
                return False
    return unit == 0.0 or net.bias_norm[layer + 1] == 0.0
