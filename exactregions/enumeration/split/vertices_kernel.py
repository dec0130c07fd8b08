# ruff: noqa: C901 - kernels: state is passed as arguments, and a call inside a loop has its price
# mypy: disable-error-code="untyped-decorator, no-any-return"
# (kernels: Numba types them, from arrays that are Any here)
"""The vertex kernel: cells by their vertices, which carry the pre-activations of the current layer.

Pre-activations are continuous, so a vertex has one vector of them whatever cell it is seen from, and on a cell of the
earlier layers they are affine: a new vertex on the edge (A, B), cut by wall k, has the values
    z = al z(A) + be z(B),   al = |z_k(B)| / (|z_k(A)| + |z_k(B)|),   be = 1 - al,
and no affine form is ever needed.  A cell is cut by double description (as in `cones`); when a layer is done its
vertices go to the next layer's `Buffer`, each once (`Names`), and all of them through one matrix product (`finish`).
Vertices are homogeneous, so unbounded cells are cells like all others.

**Certified signs** (float mode).  Every vertex has bounds e_max >= max_j |z_j - z*_j| and
e_two >= |(z, x) - (z*, x*)|_2, starred values being exact for one positive multiple of the true vertex.

*Interpolation.*  With a = |z_k(A)|, b = |z_k(B)| known up to eA, eB, and s = a + b - eA - eB > 0,
    |b/(a+b) - b*/(a*+b*)| = |b(a* - a) - a(b* - b)| / ((a+b)(a*+b*)) <= min((al eA + be eB)/s, 1) =: t,
and the same with the opposite sign for a/(a+b); the three roundings of al add 3.01 u al.  So, from
al zA - al* zA* = al (zA - zA*) + (al - al*) zA* and |zA* - zB*| <= |zA - zB| + eA + eB, and two more roundings,
    e = al eA + be eB + t (|zA - zB| + eA + eB) + 6 u (al|zA| + be|zB| + al eA + be eB),
with maxima for e_max, 2-norms for e_two (t stays the same).  z_k itself is exactly 0, as is every entry that is at
both ends.  *Layer step.*  A feature is slope times z (the slope of the cell's side of the row), so it errs by at most
lip e + 2.01 u |a|; then |z' - z'*|_2 <= |M|_2 e + g |M|_F (|(a, x0)| + e), and row by row with the row's norm;
g = (columns + 6) u covers any order of summation and the rounding of the entries.  If all features are exactly 0, and
x0 or the bias is, z' is exactly 0.

A sign is taken if |z| > e_max; from the ends of its edge if they agree; otherwise the vertex is computed afresh
(`vertices_refine`), and failing that the sign stays *unknown*: a node that needs an unknown sign is handed out
undecided.  All bounds are inflated by 1 + 1e-6 for their own rounding, and by TINY for underflow.

*Integer mode.*  The same with z = |z_k(B)| z(A) + |z_k(A)| z(B) in integers held by float64, divided by the common
divisor of the coordinates (values are integral forms of the coordinates, so it divides them too); a node whose numbers
could reach 2^53 is handed out.  No error, true zeros.

The kernel keeps its state in arrays (`Buffer`, `Scratch`, `control`), so it stops when an output is full and is called
again; nothing is changed before it is known that a node can be finished.  Numba's cache does not follow imports: after
editing `vertices_refine` or `bits`, clear __pycache__.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from exactregions.enumeration.split.bits import ctz, popcount
from exactregions.enumeration.split.vertices_facets import FACETS_OF_A_CELL, leaf_facets, pair_facets
from exactregions.enumeration.split.vertices_leave import emit, emit_pair, give_up, hand_out, number, push, spread
from exactregions.enumeration.split.vertices_load import load
from exactregions.enumeration.split.vertices_rays import afresh, between, settle_signs, sign_bits
from exactregions.enumeration.split.vertices_refine import OPTIONS
from exactregions.enumeration.split.vertices_state import (
    ALL,
    CELL,
    CELLS,
    COLUMNS,
    DEGENERATE,
    DEPTH,
    DONE,
    ENTRIES,
    GROW_LIST,
    GROW_RAYS,
    GROW_STACK,
    N_CELLS,
    N_FACETS,
    N_NODES,
    N_OPEN,
    N_OUT,
    N_RAYS,
    N_STRICT,
    NEXT_FULL,
    NONE,
    ONE,
    OPEN_FULL,
    OUT_FULL,
    STRETCH,
    VERTICES,
)

__all__ = ["advance"]


@njit(**OPTIONS, inline="always")
def _cut(
    net: Any,
    layer: int,
    last: bool,
    integral: bool,
    coarse: float,
    buf: Any,
    scr: Any,
    names: Any,
    cell: int,
    m: int,
    node: int,
    k: int,
    work: Any,
    control: Any,
) -> int:
    """Replace a node by its two children; return 0, or GROW_RAYS, or GROW_LIST, or -1 if it is to be handed out."""
    h = net.cols[0]
    d = h - 1
    begin, length, free, place = scr.stack[node, 0], scr.stack[node, 1], scr.stack[node, 2], scr.stack[node, 3]
    kq, kb = k >> 6, ONE << np.uint64(k & 63)
    n_up = n_down = n_on = 0
    used = NONE
    for e in range(begin, begin + length):
        r = scr.ray[e]
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
    if used == ALL:
        return -1
    slot = ctz(~used)
    slot_bit = ONE << slot
    slots = scr.slots[node]
    kept = slots[slot]
    slots[slot] = (layer << 20) | scr.columns[k]
    fresh = free
    status = 0
    room = scr.ray.shape[0]
    new_list = place  # new rays' masks are first collected behind the list, at most one place each
    for a in range(n_up):
        e_p = scr.up[a]
        mask_p = scr.mask[e_p]
        p = scr.ray[e_p]
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
            if fresh == scr.e_max.shape[0]:
                status = GROW_RAYS
                break
            if new_list + 1 >= room:
                status = GROW_LIST
                break
            q = scr.ray[e_q]
            if not between(net, layer, last, integral, buf, scr, m, k, p, q, common, fresh):
                status = -1
                break
            mask = common | slot_bit
            if not integral and not scr.e_max[fresh] <= coarse:
                afresh(net, layer, last, buf, scr, cell, m, mask, slots, k, fresh, work, control)
            if sign_bits(scr, m, k, p, q, fresh) and not integral:
                settle_signs(net, layer, last, buf, scr, cell, m, k, fresh, mask, slots, work, control)
            if not last:
                ends = scr.ends
                scr.name[fresh] = number(names, scr.name[ends[fresh, 0]], scr.name[ends[fresh, 1]], scr.columns[k])
            scr.ray[new_list] = fresh
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
        scr.ray[at], scr.mask[at] = scr.ray[scr.up[a]], scr.mask[scr.up[a]]
        at += 1
    at = _shared(scr, n_on, place, made, slot_bit, at)
    first_down = at
    for a in range(n_down):
        scr.ray[at], scr.mask[at] = scr.ray[scr.down[a]], scr.mask[scr.down[a]]
        at += 1
    at = _shared(scr, n_on, place, made, slot_bit, at)
    shared = n_on + made
    level = scr.stack[node, 4] + 1
    for s in range(64):
        scr.slots[node + 1, s] = slots[s]
    for child, where, count in ((node, first_up, n_up + shared), (node + 1, first_down, n_down + shared)):
        scr.stack[child, 0], scr.stack[child, 1], scr.stack[child, 2], scr.stack[child, 3] = where, count, fresh, at
        scr.stack[child, 4] = level
    return 0


@njit(**OPTIONS)
def _shared(scr: Any, n_on: int, place: int, made: int, slot_bit: Any, at: int) -> int:
    for a in range(n_on):
        scr.ray[at], scr.mask[at] = scr.ray[scr.on[a]], scr.mask[scr.on[a]] | slot_bit
        at += 1
    for a in range(made):
        scr.ray[at], scr.mask[at] = scr.ray[place + a], scr.mask[place + a]
        at += 1
    return at


@njit(**OPTIONS)
def _is_full(out: Any, control: Any) -> bool:
    """Whether the facets of two more leaves may not have room."""
    return control[N_FACETS] + 2 * (FACETS_OF_A_CELL + 1) > out.facet_rows.shape[0]


@njit(**OPTIONS)
def advance(
    net: Any,
    layer: int,
    last: bool,
    integral: bool,
    listing: bool,
    faceting: bool,
    coarse: float,
    buf: Any,
    scr: Any,
    nxt: Any,
    names: Any,
    out: Any,
    work: Any,
    control: Any,
) -> int:
    """Search the cells of a layer's buffer until all are done or an output is full; return which."""
    h = net.cols[0]
    words = (net.rows[layer] + 63) >> 6
    W = scr.words
    while True:
        if control[N_OPEN] + 1 >= out.open_layer.shape[0]:
            return OPEN_FULL
        if not listing and control[N_CELLS] >= STRETCH:
            return OUT_FULL
        if control[DEPTH] == 0:
            if control[CELL] + 1 >= buf.sizes[CELLS]:
                return DONE
            cell = control[CELL] + 1
            if buf.start[cell + 1] - buf.start[cell] > min(scr.e_max.shape[0], scr.ray.shape[0]) - 8:
                return GROW_RAYS if scr.e_max.shape[0] <= scr.ray.shape[0] else GROW_LIST
            control[CELL] = cell
            m = load(net, layer, integral, buf, scr, names, work, control, cell)
            if m < 0:
                for q in range(words):
                    W[3, q] = W[4, q] = 0
                hand_out(net, layer, buf, cell, W[3], W[4], out, control)
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
            up = down = unknown = NONE
            for e in range(begin, begin + length):
                r = scr.ray[e]
                up |= scr.P[r, q]
                down |= scr.N[r, q]
                unknown |= scr.Q[r, q]
            W[3, q], W[4, q], W[2, q] = up, down, unknown
        k = np.int64(-1)
        n_cut = np.int64(0)
        doubtful = False
        for q in range(compact):
            both = W[3, q] & W[4, q]
            n_cut += np.int64(popcount(both))
            doubtful = doubtful or (W[2, q] & ~both != 0)
            clear = both & ~W[2, q]
            if k < 0 and clear != 0:
                k = 64 * q + np.int64(ctz(clear))
        if doubtful or (n_cut > 0 and k < 0):
            give_up(net, layer, buf, scr, cell, m, compact, words, out, control)
            continue
        if n_cut == 0:
            if last:
                if listing:
                    if control[N_OUT] + 1 >= out.signs.shape[0] or (faceting and _is_full(out, control)):
                        return OUT_FULL
                    point = work.sums[2]
                    for i in range(h):
                        point[i] = 0.0
                    for e in range(begin, begin + length):
                        for i in range(h):
                            point[i] += scr.xs[scr.ray[e], i]
                    spread(scr, m, words, W[3], W[7], W[8])
                    emit(net, layer, buf, scr, cell, out, control, W[8], point)
                    if faceting:
                        leaf_facets(net, scr, node, out, control)
                control[N_CELLS] += 1
                control[N_STRICT] += 1 - control[DEGENERATE]
            else:
                full = nxt.sizes[VERTICES] + length > nxt.e_max.shape[0] or nxt.sizes[CELLS] + 1 >= nxt.start.shape[0]
                if full or nxt.sizes[ENTRIES] + length > nxt.vertex.shape[0]:
                    return NEXT_FULL
                spread(scr, m, words, W[3], W[7], W[8])
                push(net, layer, integral, buf, scr, nxt, names, cell, m, node, W[8])
            control[DEPTH] = node
            control[N_NODES] += 1
            continue
        if last and n_cut == 1:
            if listing:
                if control[N_OUT] + 2 >= out.signs.shape[0] or (faceting and _is_full(out, control)):
                    return OUT_FULL
                emit_pair(net, layer, buf, scr, cell, m, node, k, out, work, control)
                if faceting:
                    pair_facets(net, layer, scr, node, k, out, control)
            control[N_CELLS] += 2
            control[N_STRICT] += 2 * (1 - control[DEGENERATE])
            control[DEPTH] = node
            control[N_NODES] += 1
            continue
        status = _cut(net, layer, last, integral, coarse, buf, scr, names, cell, m, node, k, work, control)
        if status > 0:
            return status
        if status < 0:
            give_up(net, layer, buf, scr, cell, m, compact, words, out, control)
            continue
        control[DEPTH] = node + 2
        control[N_NODES] += 1
