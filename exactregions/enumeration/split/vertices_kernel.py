"""The vertex kernel: cells by their vertices, which carry the pre-activations of the current layer.

Pre-activations are continuous, so a vertex has one vector of them whatever cell it is seen from, and on a cell of the
earlier layers they are affine: a new vertex on the edge (A, B), cut by wall k, has the values
    z = al z(A) + be z(B),   al = |z_k(B)| / (|z_k(A)| + |z_k(B)|),   be = 1 - al,
and no affine form is ever needed.  A cell is cut by double description (as in `cones`); when a layer is done its vertices
go to the next layer's `Buffer`, all of them through one matrix product (`finish`).  Vertices are homogeneous, so unbounded
cells are cells like all others.

**Certified signs** (float mode).  Every vertex has bounds eI >= max_j |z_j - z*_j| and e2 >= |(z, x) - (z*, x*)|_2, starred
values being exact for one positive multiple of the true vertex.

*Interpolation.*  With a = |z_k(A)|, b = |z_k(B)| known up to eA, eB and a* + b* >= a + b - eA - eB =: s > 0,
|b/(a+b) - b*/(a*+b*)| = |b(a* - a) - a(b* - b)| / ((a+b)(a*+b*)) <= min((al eA + be eB)/s, 1) =: t, and the same with the opposite
sign for a/(a+b); the three roundings of al add 3.01 u al.  So, from al zA - al* zA* = al (zA - zA*) + (al - al*) zA* and
|zA* - zB*| <= |zA - zB| + eA + eB, and two more roundings,
    e = al eA + be eB + t (|zA - zB| + eA + eB) + 6 u (al|zA| + be|zB| + al eA + be eB),
with maxima for eI, 2-norms for e2 (t stays the same).  z_k itself is exactly 0, as is every entry that is at both ends.
*Layer step.*  A feature is slope times z (the slope of the cell's side of the row), so it errs by at most lip e + 2.01 u |a|; then |z' - z'*|_2 <=
|M|_2 e + g |M|_F (|(a, x0)| + e), and row by row with the row's norm; g = (columns + 6) u covers any order of
summation and the rounding of the entries.  If all features are exactly 0, and x0 or the bias is, z' is exactly 0.
A sign is taken if |z| > eI; from the ends of its edge if they agree; otherwise the vertex is computed afresh
(`vertices_refine`), and failing that the sign stays *unknown*: a node that needs an unknown sign is handed out undecided.
All bounds are inflated by 1 + 1e-6 for their own rounding, and by TINY for underflow.

*Integer mode.*  The same with z = |z_k(B)| z(A) + |z_k(A)| z(B) in integers held by float64, divided by the common divisor of
the coordinates (values are integral forms of the coordinates, so it divides them too); a node whose numbers could reach
2^53 is handed out.  No error, true zeros.

The kernel keeps its state in arrays (`Buffer`, `Scratch`, `control`), so it stops when an output is full and is called again;
nothing is changed before it is known that a node can be finished.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from exactregions.enumeration.split.bits import ctz, popcount
from exactregions.enumeration.split.vertices_refine import OPTIONS, TINY, U, refine, sign_of_wall

__all__ = ["Buffer", "Out", "RefineWork", "Scratch", "advance", "finish"]

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_UP = 1.0 + 1e-6
_LIMIT = 9007199254740992.0
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_NONE = np.uint64(0)
# why `advance` returns
DONE, NEXT_FULL, OUT_FULL, GROW_RAYS, GROW_LIST, GROW_STACK, OPEN_FULL = range(7)
# control words
CELL, DEPTH, COLUMNS, N_CELLS, N_STRICT, N_OUT, N_OPEN, N_RAYS, N_REFINED, N_WALL, N_NODES, DEGENERATE, N_SPLIT = range(
    13
)
N_CONTROL = 16
# counts of a buffer
VERTICES, ENTRIES, CELLS = range(3)


class Buffer(NamedTuple):
    """Cells of the earlier layers with their vertices, shared; one for each layer."""

    A: Floats  # (cap, columns): features of the layer before, and x_0: the rows that meet M_l
    Z: Floats  # (cap, R_l): pre-activations
    X: Floats  # (cap, h): coordinates
    eI: Floats
    e2: Floats  # of features' pre-activations and coordinates before `finish`, of (Z, X) after
    P: Words  # (cap, words): rows with z > 0, certified
    N: Words
    Q: Words  # unknown
    zero: NDArray[np.bool_]  # all features exactly 0
    vertex: Ints  # entries: vertex of a cell
    mask: Words  # and its incident slots
    start: Ints  # (cells + 1): entries of each cell
    slots: Codes  # (cells, 64): which wall a slot is
    signs: Words  # (cells, words of all layers): rows with g > 0 in earlier layers
    zeros: Words  # degenerate rows
    count: Ints


class Scratch(NamedTuple):
    """Rays and stack of the cell in work."""

    val: Floats  # (cap, R): pre-activations of the rows that cut the layer cell
    full: Floats  # (cap, R), or (1, 1) in the last layer
    xs: Floats  # (cap, h)
    eI: Floats
    e2: Floats
    P: Words  # (cap, words)
    N: Words
    Q: Words
    line: Words  # mask of the line that a ray was made on
    ends: Ints  # (cap, 2): the pair that it was interpolated from, or -1
    source: Ints  # vertex of the buffer, or -1
    index: Ints  # lists of nodes: ray
    mask: Words  # and its incident slots
    stack: Ints  # (depth, 4): list start, length, free ray, free list place
    slots: Codes  # (depth, 64)
    up: Ints
    down: Ints
    on: Ints
    columns: Ints  # (R,): the rows that cut
    words: Words  # (9, words)
    stamp: Ints  # (cap of rays)


class Out(NamedTuple):
    """Leaves, and undecided subtrees."""

    signs: Words  # (cap, words)
    zeros: Words
    points: Floats  # (cap, h)
    open_up: Words  # (cap, words): rows with g > 0
    open_down: Words
    open_layer: Ints


class RefineWork(NamedTuple):
    """Arrays for `refine`."""

    M: Floats
    D: Floats
    T: Floats
    v: Floats
    v2: Floats
    walls: Ints
    z: Floats
    x: Floats
    bounds: Floats
    row: Floats
    row_of: Ints
    column_of: Ints
    known: Words  # (2, words)
    sums: Floats  # (4, h)


@njit(**OPTIONS)
def _classify(values: Any, error: float, n: int, exact_zero: bool, walls: Any, first: int, P: Any, N: Any, Q: Any) -> None:  # fmt: skip
    """Set the sign bits of a vertex's pre-activations; only rows that are walls get any."""
    for q in range((n + 63) >> 6):
        up = down = nil = _NONE
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
def finish(net: Any, layer: int, integral: bool, buf: Any) -> None:
    """Bound the errors of a buffer's pre-activations after the matrix product, and set the sign bits."""
    n, width = net.rows[layer], net.cols[layer]
    g = (width + 6) * U
    lip = net.lipschitz[layer - 1]
    for v in range(buf.count[VERTICES]):
        total = largest = 0.0
        for k in range(width):
            value = buf.A[v, k]
            total += value * value
            largest = max(largest, abs(value))
        exact = False
        if integral:
            exact = net.absolute[layer] * largest < _LIMIT
            buf.eI[v] = 0.0 if exact else math.inf
        elif buf.zero[v]:
            exact = True
            for j in range(n):
                buf.Z[v, j] = 0.0
            buf.eI[v] = 0.0
        else:
            norm = math.sqrt(total) * _UP
            old = buf.e2[v]
            error = (lip * old + 2.01 * U * norm) * _UP + TINY
            buf.eI[v] = net.row_norm[layer] * (error + g * (norm + error)) * _UP + TINY
            two = net.spectral[layer] * error + g * net.frobenius[layer] * (norm + error)
            buf.e2[v] = math.sqrt(two * two + old * old) * _UP + TINY
        _classify(buf.Z[v], buf.eI[v], n, exact, net.walls, net.word_start[layer], buf.P[v], buf.N[v], buf.Q[v])


@njit(**OPTIONS)
def classify_start(net: Any, buf: Any, values: Any) -> None:
    """Set the sign bits of the start's vertices from exact signs."""
    for v in range(buf.count[VERTICES]):
        _classify(values[v], 0.0, net.rows[0], True, net.walls, net.word_start[0], buf.P[v], buf.N[v], buf.Q[v])


@njit(**OPTIONS)
def _settle(net: Any, layer: int, buf: Any, cell: int, entry: int, doubtful: Any, work: Any, control: Any) -> None:
    """Compute a vertex of the buffer afresh, because a sign that its cell needs is unknown."""
    v = buf.vertex[entry]
    control[N_REFINED] += 1
    signs = buf.signs[cell]
    n = net.rows[layer]
    ok = refine(
        net, layer, signs, buf.mask[entry], buf.slots[cell], buf.X[v], buf.e2[v], work.z, work.x, work.bounds, work
    )
    if not ok:
        return
    for j in range(n):
        buf.Z[v, j] = work.z[j]
    for i in range(net.cols[0]):
        buf.X[v, i] = work.x[i]
    buf.eI[v] = work.bounds[0]
    buf.e2[v] = work.bounds[1]
    words = (n + 63) >> 6
    known_up, known_down = work.known[0], work.known[1]
    for q in range(words):
        known_up[q], known_down[q] = buf.P[v, q], buf.N[v, q]
    _classify(buf.Z[v], buf.eI[v], n, False, net.walls, net.word_start[layer], buf.P[v], buf.N[v], buf.Q[v])
    for q in range(words):
        buf.P[v, q] |= known_up[q]
        buf.N[v, q] |= known_down[q]
        # zeros that were exact stay so: an entry is unknown only if it was before
        buf.Q[v, q] &= doubtful[q] & ~(buf.P[v, q] | buf.N[v, q])
        left = buf.Q[v, q]
        while left != 0:
            bit = ctz(left)
            left &= left - _ONE
            sign = sign_of_wall(
                net, layer, 64 * q + np.int64(bit), signs, work.x, work.bounds[2], work.row, work.v, work.v2
            )
            control[N_WALL] += 1
            if sign > 0:
                buf.P[v, q] |= _ONE << bit
                buf.Q[v, q] &= ~(_ONE << bit)
            elif sign < 0:
                buf.N[v, q] |= _ONE << bit
                buf.Q[v, q] &= ~(_ONE << bit)


@njit(**OPTIONS)
def _load(net: Any, layer: int, integral: bool, buf: Any, scr: Any, work: Any, control: Any, cell: int) -> int:
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
        doubt = False
        for q in range(words):
            if W[2, q] & ~(W[0, q] & W[1, q]) != 0:
                doubt = True
        if not doubt:
            break
        if attempt == 1 or integral:
            return -1
        for e in range(first, last):
            v = buf.vertex[e]
            unknown = False
            for q in range(words):
                unknown = unknown or (buf.Q[v, q] & ~(W[0, q] & W[1, q]) != 0)
            if unknown:
                for q in range(words):
                    W[3, q] = buf.Q[v, q]
                _settle(net, layer, buf, cell, e, W[3], work, control)
    m = 0
    for q in range(words):
        cut = W[0, q] & W[1, q]
        while cut != 0:
            scr.columns[m] = 64 * q + np.int64(ctz(cut))
            cut &= cut - _ONE
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
        scr.eI[i], scr.e2[i] = buf.eI[v], buf.e2[v]
        for q in range(compact):
            up = down = unknown = _NONE
            for c in range(64 * q, min(m, 64 * q + 64)):
                j = scr.columns[c]
                to = np.uint64(c & 63)
                at = np.uint64(j & 63)
                up |= ((buf.P[v, j >> 6] >> at) & _ONE) << to
                down |= ((buf.N[v, j >> 6] >> at) & _ONE) << to
                unknown |= ((buf.Q[v, j >> 6] >> at) & _ONE) << to
            scr.P[i, q], scr.N[i, q], scr.Q[i, q] = up, down, unknown
        scr.line[i] = 0
        scr.ends[i, 0] = scr.ends[i, 1] = -1
        scr.source[i] = v
        scr.index[i] = i
        scr.mask[i] = buf.mask[first + i]
    for s in range(64):
        scr.slots[0, s] = buf.slots[cell, s]
    scr.stack[0, 0], scr.stack[0, 1], scr.stack[0, 2], scr.stack[0, 3] = 0, count, count, count
    return m


@njit(**OPTIONS)
def _open(net: Any, layer: int, buf: Any, cell: int, up: Any, down: Any, out: Any, control: Any) -> None:
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
def _spread(scr: Any, m: int, words: int, compact: Any, rest: Any, target: Any) -> None:
    """Put the bits of the rows that cut among those of the rows that do not."""
    for q in range(words):
        target[q] = rest[q]
    for c in range(m):
        if (compact[c >> 6] >> np.uint64(c & 63)) & _ONE:
            j = scr.columns[c]
            target[j >> 6] |= _ONE << np.uint64(j & 63)


@njit(**OPTIONS)
def _emit(net: Any, layer: int, buf: Any, scr: Any, cell: int, out: Any, control: Any, signs: Any, point: Any) -> None:
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
def _push(net: Any, layer: int, integral: bool, buf: Any, scr: Any, nxt: Any, cell: int, m: int, node: int, signs: Any) -> None:  # fmt: skip  # noqa: E501
    """Put a finished cell of this layer into the next layer's buffer; there is room."""
    n = net.rows[layer]
    first = net.row_start[layer]
    begin, length = scr.stack[node, 0], scr.stack[node, 1]
    for e in range(begin, begin + length):
        r = scr.index[e]
        v = nxt.count[VERTICES]
        nxt.count[VERTICES] += 1
        source = scr.source[r]
        zero = True
        for j in range(n):
            value = buf.Z[source, j] if source >= 0 else scr.full[r, j]
            side = (signs[j >> 6] >> np.uint64(j & 63)) & _ONE
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
        nxt.e2[v] = scr.e2[r]
        k = nxt.count[ENTRIES]
        nxt.vertex[k] = v
        nxt.mask[k] = scr.mask[e]
        nxt.count[ENTRIES] += 1
    c = nxt.count[CELLS]
    nxt.start[c + 1] = nxt.count[ENTRIES]
    prefix = net.word_start[layer]
    for q in range(prefix):
        nxt.signs[c, q] = buf.signs[cell, q]
        nxt.zeros[c, q] = buf.zeros[cell, q]
    for q in range((n + 63) >> 6):
        nxt.signs[c, prefix + q] = signs[q]
        nxt.zeros[c, prefix + q] = net.walls[prefix + q] & ~(scr.words[0, q] | scr.words[1, q])
    for s in range(64):
        nxt.slots[c, s] = scr.slots[node, s]
    nxt.count[CELLS] += 1


@njit(**OPTIONS)
def _features_vanish(net: Any, layer: int, buf: Any, scr: Any, m: int, r: int, signs: Any, unit: float) -> bool:
    """Whether all features at a vertex, and the bias's part, are exactly 0: by the cell's certified signs, not values."""
    for j in range(net.rows[layer]):
        up = (signs[j >> 6] >> np.uint64(j & 63)) & _ONE
        if net.slopes[net.row_start[layer] + j, 1 if up != 0 else 0] != 0.0:
            source = scr.source[r]
            value = buf.Z[source, j] if source >= 0 else scr.full[r, j]
            if value != 0.0 or not _is_zero(net, layer, buf, scr, m, r, j):
                return False
    return unit == 0.0 or net.bias_norm[layer + 1] == 0.0


@njit(**OPTIONS)
def _is_zero(net: Any, layer: int, buf: Any, scr: Any, m: int, r: int, row: int) -> bool:
    """Whether a pre-activation at a ray is known to be exactly 0: a wall without any sign bit, known or unknown.

    A row that does not cut the layer's cell is zero inside an edge exactly if it is at both ends, so it is zero at a new
    ray if it is at both vertices that it was interpolated from.
    """
    q, bit = row >> 6, _ONE << np.uint64(row & 63)
    if net.walls[net.word_start[layer] + q] & bit == 0:
        return False
    for c in range(m):
        if scr.columns[c] == row:
            at = _ONE << np.uint64(c & 63)
            return bool((scr.P[r, c >> 6] | scr.N[r, c >> 6] | scr.Q[r, c >> 6]) & at == 0)
    return _is_zero_outside(net, layer, buf, scr, m, r, row)


@njit(**OPTIONS)
def _is_zero_outside(net: Any, layer: int, buf: Any, scr: Any, m: int, r: int, row: int) -> bool:
    """Whether a row that does not cut the layer's cell is known to be exactly 0 at a ray."""
    q, bit = row >> 6, _ONE << np.uint64(row & 63)
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


@njit(**OPTIONS)
def _between(net: Any, layer: int, last: bool, integral: bool, buf: Any, scr: Any, m: int, k: int, p: int, q: int, line: Any, r: int) -> bool:  # fmt: skip  # noqa: E501
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
        if not (va > scr.eI[A] and vb < -scr.eI[B]):
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
        if not worst < _LIMIT:
            return False
        _divide(scr, r, h, m, 0 if last else n)
        scr.eI[r] = scr.e2[r] = 0.0
        return True
    total = a + b
    scale = 1.0 / total if total > 0.0 else 0.5
    al, be = b * scale, a * scale
    eA, eB = scr.eI[A], scr.eI[B]
    spread = total - eA - eB
    base = al * eA + be * eB
    t = min(base / spread * _UP, 1.0) if spread > 0.0 else 1.0  # both weights lie in [0, 1]
    gap = size = 0.0
    for c in range(m):
        x, y = scr.val[A, c], scr.val[B, c]
        scr.val[r, c] = al * x + be * y
        gap = max(gap, abs(x - y))
        size = max(size, al * abs(x) + be * abs(y))
    scr.val[r, k] = 0.0
    error = (base + t * (gap + eA + eB) + 6 * U * (size + base)) * _UP + TINY
    scr.eI[r] = error if error < 1e300 else math.inf
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
    base = al * scr.e2[A] + be * scr.e2[B]
    error = base + t * (math.sqrt(gap2) * _UP + scr.e2[A] + scr.e2[B]) + 6 * U * (math.sqrt(size2) * _UP + base)
    error = error * _UP + TINY
    scr.e2[r] = error if error < 1e300 else math.inf
    return True


@njit(**OPTIONS)
def _afresh(net: Any, layer: int, last: bool, buf: Any, scr: Any, cell: int, m: int, mask: Any, slots: Any, k: int, r: int, work: Any, control: Any) -> bool:  # fmt: skip  # noqa: E501
    """Replace a ray by its refined self, if that succeeds."""
    control[N_REFINED] += 1
    if not refine(net, layer, buf.signs[cell], mask, slots, scr.xs[r], scr.e2[r], work.z, work.x, work.bounds, work):
        return False
    for c in range(m):
        scr.val[r, c] = work.z[scr.columns[c]]
    scr.val[r, k] = 0.0
    for i in range(net.cols[0]):
        scr.xs[r, i] = work.x[i]
    if not last:
        for j in range(net.rows[layer]):
            # what was exactly 0 stays so
            if not (scr.full[r, j] == 0.0 and _is_zero_outside(net, layer, buf, scr, m, r, j)):
                scr.full[r, j] = work.z[j]
    scr.eI[r], scr.e2[r] = work.bounds[0], work.bounds[1]
    return True


@njit(**OPTIONS)
def _sign_bits(net: Any, layer: int, last: bool, integral: bool, buf: Any, scr: Any, cell: int, m: int, k: int, p: int, q: int, r: int, mask: Any, slots: Any, work: Any, control: Any) -> None:  # fmt: skip  # noqa: E501
    """Set the sign bits of a new ray: inherited where both ends agree, else by its value and error."""
    fresh = 0
    for w in range((m + 63) >> 6):
        p_up, p_down, q_up, q_down = scr.P[p, w], scr.N[p, w], scr.P[q, w], scr.N[q, w]
        doubt = scr.Q[p, w] | scr.Q[q, w]
        up, down = p_up | q_up, p_down | q_down
        inherit = ~doubt & ~(up & down)
        rest = (up | down | doubt) & ~inherit
        up, down = up & inherit, down & inherit
        if k >> 6 == w:
            bit = ~(_ONE << np.uint64(k & 63))
            up, down, rest = up & bit, down & bit, rest & bit
        unknown = _NONE
        error = scr.eI[r]
        while rest != 0:
            at = ctz(rest)
            rest &= rest - _ONE
            c = 64 * w + np.int64(at)
            one = _ONE << at
            value = scr.val[r, c]
            if value > error:
                up |= one
                continue
            if value < -error:
                down |= one
                continue
            if integral:
                continue
            if fresh == 0:
                fresh = 1 if _afresh(net, layer, last, buf, scr, cell, m, mask, slots, k, r, work, control) else -1
                error = scr.eI[r]
                value = scr.val[r, c]
                if value > error:
                    up |= one
                    continue
                if value < -error:
                    down |= one
                    continue
            sign = 0
            if fresh == 1:
                control[N_WALL] += 1
                sign = sign_of_wall(
                    net, layer, scr.columns[c], buf.signs[cell], work.x, work.bounds[2], work.row, work.v, work.v2
                )
            if sign > 0:
                up |= one
            elif sign < 0:
                down |= one
            else:
                unknown |= one
        scr.P[r, w], scr.N[r, w], scr.Q[r, w] = up, down, unknown


@njit(**OPTIONS)
def _cut(net: Any, layer: int, last: bool, integral: bool, coarse: float, buf: Any, scr: Any, cell: int, m: int, node: int, k: int, work: Any, control: Any) -> int:  # fmt: skip  # noqa: E501
    """Replace a node by its two children; return 0, or GROW_RAYS, or GROW_LIST, or -1 if it is to be handed out."""
    h = net.cols[0]
    d = h - 1
    begin, length, free, place = scr.stack[node, 0], scr.stack[node, 1], scr.stack[node, 2], scr.stack[node, 3]
    kq, kb = k >> 6, _ONE << np.uint64(k & 63)
    n_up = n_down = n_on = 0
    used = _NONE
    for e in range(begin, begin + length):
        r = scr.index[e]
        used |= scr.mask[e]
        if scr.P[r, kq] & kb:
            scr.up[n_up] = e
            n_up += 1
        elif scr.N[r, kq] & kb:
            scr.down[n_down] = e
            n_down += 1
        else:
            scr.on[n_on] = e
            n_on += 1
    if used == _ALL:
        return -1
    slot = ctz(~used)
    slot_bit = _ONE << slot
    slots = scr.slots[node]
    kept = slots[slot]
    slots[slot] = (layer << 20) | scr.columns[k]
    fresh = free
    status = 0
    room = scr.index.shape[0]
    new_list = place  # new rays' masks are first collected behind the list, at most one place each
    for a in range(n_up):
        e_p = scr.up[a]
        mask_p = scr.mask[e_p]
        p = scr.index[e_p]
        simple = popcount(mask_p) == d
        for b in range(n_down):
            e_q = scr.down[b]
            common = mask_p & scr.mask[e_q]
            if popcount(common) + 1 < d:
                continue
            if not simple and popcount(scr.mask[e_q]) != d:
                adjacent = True
                for e in range(begin, begin + length):
                    if scr.mask[e] & common == common and e != e_p and e != e_q:
                        adjacent = False
                        break
                if not adjacent:
                    continue
            if fresh == scr.eI.shape[0]:
                status = GROW_RAYS
                break
            if new_list + 1 >= room:
                status = GROW_LIST
                break
            q = scr.index[e_q]
            if not _between(net, layer, last, integral, buf, scr, m, k, p, q, common, fresh):
                status = -1
                break
            mask = common | slot_bit
            if not integral and not scr.eI[fresh] <= coarse:
                _afresh(net, layer, last, buf, scr, cell, m, mask, slots, k, fresh, work, control)
            _sign_bits(net, layer, last, integral, buf, scr, cell, m, k, p, q, fresh, mask, slots, work, control)
            scr.index[new_list] = fresh
            scr.mask[new_list] = mask
            new_list += 1
            fresh += 1
        if status != 0:
            break
    made = fresh - free
    if status == 0 and place + made + n_up + n_down + 2 * (n_on + made) > room:
        status = GROW_LIST
    if status != 0:
        slots[slot] = kept
        return status
    control[N_RAYS] += made
    # children's lists stand behind the new rays: they may overlap nothing that the parent's siblings need
    at = new_list
    first_up = at
    for a in range(n_up):
        scr.index[at], scr.mask[at] = scr.index[scr.up[a]], scr.mask[scr.up[a]]
        at += 1
    at = _shared(scr, n_on, place, made, slot_bit, at)
    first_down = at
    for a in range(n_down):
        scr.index[at], scr.mask[at] = scr.index[scr.down[a]], scr.mask[scr.down[a]]
        at += 1
    at = _shared(scr, n_on, place, made, slot_bit, at)
    shared = n_on + made
    for s in range(64):
        scr.slots[node + 1, s] = slots[s]
    for child, where, count in ((node, first_up, n_up + shared), (node + 1, first_down, n_down + shared)):
        scr.stack[child, 0], scr.stack[child, 1], scr.stack[child, 2], scr.stack[child, 3] = where, count, fresh, at
    return 0


@njit(**OPTIONS)
def _shared(scr: Any, n_on: int, place: int, made: int, slot_bit: Any, at: int) -> int:
    for a in range(n_on):
        scr.index[at], scr.mask[at] = scr.index[scr.on[a]], scr.mask[scr.on[a]] | slot_bit
        at += 1
    for a in range(made):
        scr.index[at], scr.mask[at] = scr.index[place + a], scr.mask[place + a]
        at += 1
    return at


@njit(**OPTIONS)
def _pair(net: Any, layer: int, buf: Any, scr: Any, cell: int, m: int, node: int, k: int, out: Any, work: Any, control: Any) -> None:  # fmt: skip  # noqa: E501
    """Emit the two leaves that one last cut makes, each with a point: no ray is needed."""
    h = net.cols[0]
    words = (net.rows[layer] + 63) >> 6
    begin, length = scr.stack[node, 0], scr.stack[node, 1]
    kq, kb = k >> 6, _ONE << np.uint64(k & 63)
    W = scr.words
    sums = work.sums
    point, inside = sums[2], sums[3]
    value_down = value_up = 0.0
    for i in range(h):
        sums[0, i] = sums[1, i] = point[i] = 0.0
    for e in range(begin, begin + length):
        r = scr.index[e]
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
        _spread(scr, m, words, W[6], W[7], W[8])
        _emit(net, layer, buf, scr, cell, out, control, W[8], inside)


@njit(**OPTIONS)
def advance(net: Any, layer: int, last: bool, integral: bool, listing: bool, coarse: float, buf: Any, scr: Any, nxt: Any, out: Any, work: Any, control: Any) -> int:  # fmt: skip  # noqa: E501
    """Search the cells of a layer's buffer until all are done or an output is full; return which."""
    h = net.cols[0]
    words = (net.rows[layer] + 63) >> 6
    W = scr.words
    while True:
        if control[N_OPEN] + 1 >= out.open_layer.shape[0]:
            return OPEN_FULL
        if control[DEPTH] == 0:
            if control[CELL] + 1 >= buf.count[CELLS]:
                return DONE
            cell = control[CELL] + 1
            if buf.start[cell + 1] - buf.start[cell] > min(scr.eI.shape[0], scr.index.shape[0]) - 8:
                return GROW_RAYS if scr.eI.shape[0] <= scr.index.shape[0] else GROW_LIST
            control[CELL] = cell
            m = _load(net, layer, integral, buf, scr, work, control, cell)
            if m < 0:
                for q in range(words):
                    W[3, q] = W[4, q] = 0
                _open(net, layer, buf, cell, W[3], W[4], out, control)
                continue
            # rows that do not cut: W[5] on the side g > 0, W[7] copies it for `_spread`
            for q in range(words):
                W[5, q] = W[0, q] & ~W[1, q]
                W[7, q] = W[5, q]
            control[COLUMNS] = m
            control[DEPTH] = 1
        cell = control[CELL]
        m = control[COLUMNS]
        compact = (m + 63) >> 6
        node = control[DEPTH] - 1
        if node + 2 >= scr.stack.shape[0]:
            return GROW_STACK
        begin, length = scr.stack[node, 0], scr.stack[node, 1]
        for q in range(compact):
            up = down = unknown = _NONE
            for e in range(begin, begin + length):
                r = scr.index[e]
                up |= scr.P[r, q]
                down |= scr.N[r, q]
                unknown |= scr.Q[r, q]
            W[3, q], W[4, q], W[2, q] = up, down, unknown
        k = -1
        n_cut = 0
        doubtful = False
        for q in range(compact):
            both = W[3, q] & W[4, q]
            n_cut += np.int64(popcount(both))
            doubtful = doubtful or (W[2, q] & ~both != 0)
            clear = both & ~W[2, q]
            if k < 0 and clear != 0:
                k = 64 * q + np.int64(ctz(clear))
        if doubtful or (n_cut > 0 and k < 0):
            _give_up(net, layer, buf, scr, cell, m, compact, words, out, control)
            continue
        if n_cut == 0:
            if last:
                if listing:
                    if control[N_OUT] + 1 >= out.signs.shape[0]:
                        return OUT_FULL
                    point = work.sums[2]
                    for i in range(h):
                        point[i] = 0.0
                    for e in range(begin, begin + length):
                        for i in range(h):
                            point[i] += scr.xs[scr.index[e], i]
                    _spread(scr, m, words, W[3], W[7], W[8])
                    _emit(net, layer, buf, scr, cell, out, control, W[8], point)
                control[N_CELLS] += 1
                control[N_STRICT] += 1 - control[DEGENERATE]
            else:
                full = nxt.count[VERTICES] + length > nxt.eI.shape[0] or nxt.count[CELLS] + 1 >= nxt.start.shape[0]
                if full or nxt.count[ENTRIES] + length > nxt.vertex.shape[0]:
                    return NEXT_FULL
                _spread(scr, m, words, W[3], W[7], W[8])
                _push(net, layer, integral, buf, scr, nxt, cell, m, node, W[8])
            control[DEPTH] = node
            control[N_NODES] += 1
            continue
        if last and n_cut == 1:
            if listing:
                if control[N_OUT] + 2 >= out.signs.shape[0]:
                    return OUT_FULL
                _pair(net, layer, buf, scr, cell, m, node, k, out, work, control)
            control[N_CELLS] += 2
            control[N_STRICT] += 2 * (1 - control[DEGENERATE])
            control[DEPTH] = node
            control[N_NODES] += 1
            continue
        status = _cut(net, layer, last, integral, coarse, buf, scr, cell, m, node, k, work, control)
        if status > 0:
            return status
        if status < 0:
            _give_up(net, layer, buf, scr, cell, m, compact, words, out, control)
            continue
        control[DEPTH] = node + 2
        control[N_NODES] += 1


@njit(**OPTIONS)
def _give_up(net: Any, layer: int, buf: Any, scr: Any, cell: int, m: int, compact: int, words: int, out: Any, control: Any) -> None:  # fmt: skip  # noqa: E501
    """Hand out the node on top of the stack."""
    W = scr.words
    for q in range(compact):
        known = ~W[2, q]
        W[6, q] = W[3, q] & ~W[4, q] & known
    _spread(scr, m, words, W[6], W[5], W[7])
    for q in range(compact):
        W[6, q] = W[4, q] & ~W[3, q] & ~W[2, q]
    for q in range(words):
        W[8, q] = W[1, q] & ~W[0, q]
    _spread(scr, m, words, W[6], W[8], W[8])
    _open(net, layer, buf, cell, W[7], W[8], out, control)
    for q in range(words):
        W[7, q] = W[5, q]
    control[DEPTH] -= 1
