"""The search: depth-first over walls, a vertex dictionary at every node, pivots by the primal simplex method.

At a node the cell Q = {g_q > 0} has a basis of d constraints; x and every other constraint and every pending wall of
the layer are affine in the d basic slacks s_k: row r is T[d, r] + sum_k T[k, r] s_k, columns contiguous.  Rows 0..d-1
are x, then come the other constraints, then the pending walls.  At s = 0 the dictionary is at a vertex of Q.

One wall at a time is minimised (or maximised, by its sign at the vertex).  If it reaches 0 before another constraint
blocks, it cuts Q: pivoted into the basis, it makes one dictionary that serves both children, up to the sign of its
column, so no phase 1 is ever needed.  If it is optimal before, it does not cut; `no_cut` must prove that, and the wall
is dropped.  Whatever is not proved makes the node *undecided*: its signs are handed out, and another method finishes.

What saves time: pending walls live in the dictionary; walls that already show one sign in their row are dropped
without a pivot (scan); the wall least likely to cut comes first (order); bounds on a basis are shared by all walls
dropped there; a last cut yields both leaves at once, without a pivot.  None of this is trusted: see
`dictionary_certify`.

A vertex may lie on a pending wall (integer networks); then it is first asked whether the wall is positive anywhere.  A
leaf whose vertex lies on more than d constraints gets its point from a vertex of the cell shrunk a little.

The kernel keeps its state in `Work`, so it can return when the output is full and be called again.  Numba's cache does
not follow imports: after editing a module that this one imports, clear __pycache__.
"""

# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: C901
# (kernels: Numba types them, and splitting hot loops into calls costs more than it explains)

from __future__ import annotations

import numpy as np
from numba import njit

from exactregions.enumeration.split.dictionary_certify import (
    DEGENERATE,
    OPTIONS,
    UNKNOWN,
    attained,
    basis_bounds,
    no_cut,
    no_cut_exactly,
    structural_zeros,
)
from exactregions.enumeration.split.dictionary_forms import compose
from exactregions.enumeration.split.dictionary_pivots import (
    cut,
    inner_point,
    minimise,
    point_in_leaf,
    points_beside_cut,
    rebuild,
    size,
    swap_rows,
)
from exactregions.enumeration.split.dictionary_state import (
    CONSTANTS,
    CUT_DEPTH,
    CUTS,
    DEGENERATES,
    DEPTH,
    EMIT,
    FOUND,
    LAST_JOB,
    LAYER,
    LEAVES,
    N_BOUND,
    N_CONSTRAINTS,
    N_PENDING,
    NEXT_JOB,
    OPEN,
    PIVOTS,
    REFUSALS,
    ROOM,
    SIDE,
    SPLIT,
    SPLIT_DEPTH,
    UNDECIDED,
    WALL,
)

__all__ = ["advance"]


@njit(**OPTIONS)
def _constrain(C, CD, CM, places, F, FD, FM, place, layer, row, sign):
    """Store the constraint sign * form > 0 in a place of the path."""
    for i in range(C.shape[1]):
        C[place, i] = F[layer, row, i] * sign
    CD[place] = FD[layer, row]
    CM[place] = FM[layer, row, 0]
    places[place, 0] = layer
    places[place, 1] = row


@njit(**OPTIONS)
def _imply(first_row, neuron_of, signs, at, layer, row, sign):
    """Set a wall's sign, and with it those of its neuron's other breakpoints that follow: g_1 > g_2 > ..."""
    signs[at + row] = sign
    i = neuron_of[layer, row]
    if sign == 1:
        for r in range(first_row[layer, i], row):
            if signs[at + r] == UNKNOWN:
                signs[at + r] = 1
    else:
        for r in range(row + 1, first_row[layer, i + 1]):
            if signs[at + r] == UNKNOWN:
                signs[at + r] = 0


@njit(**OPTIONS)
def _imply_all(first_row, signs, at, layer, n_neurons):
    """Let every sign of a layer imply those of the same neuron's other breakpoints."""
    for i in range(n_neurons):
        seen = False
        for r in range(first_row[layer, i + 1] - 1, first_row[layer, i] - 1, -1):
            seen = seen or signs[at + r] == 1
            if seen and signs[at + r] == UNKNOWN:
                signs[at + r] = 1
        seen = False
        for r in range(first_row[layer, i], first_row[layer, i + 1]):
            seen = seen or signs[at + r] == 0 or signs[at + r] == DEGENERATE
            if seen and signs[at + r] == UNKNOWN:
                signs[at + r] = 0


@njit(**OPTIONS)
def _lift(lift, x, side, homogeneous, point):
    """Take a proposed x to a homogeneous point; rounding only moves the proposal."""
    d = lift.shape[1] - 1
    if not homogeneous:  # x itself, then 1
        for i in range(d):
            point[i] = x[side, i]
        point[d] = 1.0
        return
    for c in range(len(point)):
        value = lift[c, d]
        for i in range(d):
            value += lift[c, i] * x[side, i]
        point[c] = value


@njit(**OPTIONS)
def _drop(T, d, names, signs, at, bound, pending):
    """Remove the pending rows whose sign is known; return how many are left."""
    r = bound
    while r < bound + pending:
        if signs[at + names[r]] == UNKNOWN:
            r += 1
        else:
            pending -= 1
            last = bound + pending
            if r != last:
                for k in range(d + 1):
                    T[k, r] = T[k, last]
                names[r] = names[last]
    return pending


@njit(**OPTIONS)
def _refuse(net, work, T, basis, layer, row, sign, bounded):
    """Prove that sign * g_row > 0 on the cell (return 1), or that g_row is identically 0 (2); 0 if neither is proved.

    First plainly, then with structural zeros, then on integers; `bounded` says whether `bounds` belong to this basis.
    """
    d = len(basis)
    if bounded:
        if no_cut(
            T, work.F, work.FN, work.FD, layer, row, sign, d, work.bounds, work.multipliers, work.zero, False, False
        ):
            return 1
        constant = structural_zeros(
            basis, work.places, work.CM, work.FM, layer, row, work.active, work.ranks, work.solid, net.neurons,
            net.neuron_of, net.homogeneous, work.zero,
        )  # fmt: skip
        if no_cut(
            T, work.F, work.FN, work.FD, layer, row, sign, d, work.bounds, work.multipliers, work.zero, True, constant
        ):
            return 1
    if net.integral:
        return no_cut_exactly(T, basis, work.C, work.CD, work.F, work.FD, layer, row, sign, d, work.scratch)
    return 0


@njit(**OPTIONS)
def _enter(net, work, T, names, layer, bound, d):
    """List the pending walls of a layer and their rows; decide those that are constant.  Return their number, or -1."""
    at = net.offsets[layer]
    pending = 0
    decided = True
    for j in range(net.widths[layer]):
        sign = work.signs[at + j]
        if sign != UNKNOWN:
            continue
        if not net.wall[layer, j]:
            work.signs[at + j] = 0
            continue
        if work.FM[layer, j, 0] == np.uint64(0):
            value = work.F[layer, j, d]
            error = work.FD[layer, j]
            work.control[CONSTANTS] += 1
            if value > error:
                work.signs[at + j] = 1
            elif -value > error:
                work.signs[at + j] = 0
            elif value == 0.0 and error == 0.0:
                work.signs[at + j] = DEGENERATE
            else:
                decided = False
            continue
        r = bound + pending
        names[r] = j
        pending += 1
        for k in range(d + 1):
            value = work.F[layer, j, d] if k == d else 0.0
            for i in range(d):
                value += work.F[layer, j, i] * T[k, i]
            T[k, r] = value
    return pending if decided else -1


@njit(**OPTIONS)
def _load(net, work, jobs, job, d):
    """Rebuild a saved node in slot 0; False if its basis is singular in floats."""
    for g in range(len(work.signs)):
        work.signs[g] = jobs.signs[job, g]
    layer = jobs.layer[job]
    for below in range(1, layer + 1):
        compose(
            below, net.widths, net.neurons, net.first_row, net.W, net.b, net.slope, net.shift, work.signs, net.offsets,
            (work.F, work.FN, work.FD, work.FM, work.active, work.ranks, work.solid), (work.G, work.GN, work.GD),
            net.rounding, net.integral,
        )  # fmt: skip
    count = jobs.n_constraints[job]
    for q in range(count):
        g = jobs.constraints[job, q]
        if g >= 0:
            at = 0
            while at + 1 < len(net.offsets) and net.offsets[at + 1] <= g:
                at += 1
            _constrain(
                work.C, work.CD, work.CM, work.places, work.F, work.FD, work.FM, q, at, g - net.offsets[at],
                1.0 if work.signs[g] == 1 else -1.0,
            )  # fmt: skip
        else:
            norm = 0.0
            work.CM[q] = np.uint64(0)
            for i in range(d + 1):
                work.C[q, i] = net.sides[-1 - g, i]
                norm += abs(net.sides[-1 - g, i])
                if i < d and net.sides[-1 - g, i] != 0.0:
                    work.CM[q] |= np.uint64(1) << np.uint64(i)
            work.CD[q] = net.rounding * norm * (1.0 + 1e-9)
            work.places[q, 0] = -1
            work.places[q, 1] = -1 - g
    bound = d
    for k in range(d):
        work.basis[0, k] = jobs.basis[job, k]
    for q in range(count):
        used = False
        for k in range(d):
            used = used or jobs.basis[job, k] == q
        if not used:
            work.names[0, bound] = q
            bound += 1
    node = work.nodes[0]
    node[N_BOUND] = bound
    node[N_PENDING] = 0
    node[N_CONSTRAINTS] = count
    node[LAYER] = layer
    node[CUT_DEPTH] = 0
    return rebuild(work.T[0], work.basis[0], work.names[0], d, bound, 0, work.C, work.F[layer], work.scratch)


@njit(**OPTIONS)
def _save(net, work, jobs, slot, bound, count, layer, d):
    """Hand out the node in a slot as a job."""
    job = work.control[SPLIT]
    work.control[SPLIT] += 1
    for g in range(len(work.signs)):
        jobs.signs[job, g] = work.signs[g] if g < net.offsets[layer] + net.widths[layer] else UNKNOWN
    jobs.layer[job] = layer
    jobs.n_constraints[job] = count
    for q in range(count):
        at = work.places[q, 0]
        jobs.constraints[job, q] = net.offsets[at] + work.places[q, 1] if at >= 0 else -1 - work.places[q, 1]
    for k in range(d):
        jobs.basis[job, k] = work.basis[slot, k]


@njit(**OPTIONS)
def _write(signs, neurons, first_row, offsets, bits, several, point, at, patterns, witnesses):
    """Write a proved leaf: the packed pattern and the point."""
    for c in range(len(point)):
        witnesses[at, c] = point[c]
    if not several:  # a bit a neuron
        for p in range(patterns.shape[1]):
            byte = 0
            for g in range(8 * p, min(8 * p + 8, len(signs))):
                byte |= (signs[g] == 1) << (8 * p + 7 - g)
            patterns[at, p] = byte
        return
    for p in range(patterns.shape[1]):
        patterns[at, p] = 0
    place = 0
    bit = 0
    for layer in range(len(neurons)):
        for i in range(neurons[layer]):
            piece = 0
            for r in range(first_row[layer, i], first_row[layer, i + 1]):
                if signs[offsets[layer] + r] == 1:
                    piece += 1
            taken = bits[place]
            place += 1
            for t in range(taken):
                if (piece >> (taken - 1 - t)) & 1:
                    patterns[at, bit >> 3] |= np.uint8(1 << (7 - (bit & 7)))
                bit += 1


@njit(**OPTIONS)
def _leave_open(signs, undecided, control, last):
    """Hand out the signs of an undecided node; rows from `last` on are unknown."""
    at = control[UNDECIDED]
    control[UNDECIDED] += 1
    control[OPEN] += 1
    for g in range(len(signs)):
        undecided[at, g] = signs[g] if g < last else UNKNOWN


@njit(**OPTIONS)
def _scan(
    T, basis, names, F, FN, FD, layer, bound, pending, d, ready, signs, at, C, CD, bounds, scratch, multipliers, zero
):
    """Drop pending walls that show one sign; return (rows left, bounds ready?, the row to branch on)."""
    best = bound
    best_score = np.inf
    r = bound
    while r < bound + pending:
        value = T[d, r]
        below = 0.0
        above = 0.0
        for k in range(d):
            t = T[k, r]
            below -= min(t, 0.0)
            above += max(t, 0.0)
        against = below if value > 0.0 else above
        size = abs(value)
        if against <= 1e-10 * (below + above) and size > 1e-12 * (below + above):
            if ready == 0:
                ready = 1 if basis_bounds(T, basis, C, CD, d, bounds, scratch) else 2
            sign = 1 if value > 0.0 else 0
            if ready == 1 and no_cut(
                T, F, FN, FD, layer, names[r], 2.0 * sign - 1.0, d, bounds, multipliers, zero, False, False
            ):
                signs[at + names[r]] = sign
                pending -= 1
                last = bound + pending
                if r != last:
                    for k in range(d + 1):
                        T[k, r] = T[k, last]
                    names[r] = names[last]
                continue
        score = against / size if size > 0.0 else np.inf
        if score < best_score:
            best_score = score
            best = r
        r += 1
    return pending, ready, best


@njit(**OPTIONS)
def advance(net, work, jobs, out):
    """Search until the jobs are done (return 0), the output is full (1), or the caller cancels (2)."""
    # hot arrays by name: passing whole tuples to small functions would cost more than the functions
    widths, neurons, offsets, first_row, neuron_of = net.widths, net.neurons, net.offsets, net.first_row, net.neuron_of
    control, signs, bounds, scratch = work.control, work.signs, work.bounds, work.scratch
    C, CD, CM, places = work.C, work.CD, work.CM, work.places
    F, FN, FD, FM = work.F, work.FN, work.FD, work.FM
    column, factors, x, point = work.column, work.factors, work.x, work.point
    W, b, norms, slope, shift, wall_at = net.W, net.b, net.norms, net.slope, net.shift, net.wall
    sides, first_points, Wt, lift, values = net.sides_points, net.first_points, net.Wt, net.lift, work.values
    stack, nodes, saved, all_bases, all_names = work.T, work.nodes, work.saved, work.basis, work.names
    top, plain, homogeneous = net.top, net.plain, net.homogeneous
    multipliers, zero, several, rounding = work.multipliers, work.zero, net.several, net.rounding
    forms, features = (F, FN, FD, FM, work.active, work.ranks, work.solid), (work.G, work.GN, work.GD)
    undecided, cancel, bits, degenerate = out.undecided, out.cancel, out.bits, out.degenerate
    patterns, witnesses = out.patterns, out.witnesses
    d = C.shape[1] - 1
    n_layers = len(widths)
    slot = control[DEPTH]
    splitting = control[SPLIT_DEPTH] >= 0
    while True:
        # ---- take the node in the slot, or a new job
        if control[FOUND] + 2 > control[ROOM] or control[UNDECIDED] + 3 > undecided.shape[0]:
            control[DEPTH] = slot
            return 1
        if cancel[0]:
            control[DEPTH] = slot
            return 2
        entering = False
        if slot < 0:
            job = control[NEXT_JOB]
            if job >= control[LAST_JOB]:
                control[DEPTH] = slot
                return 0
            control[NEXT_JOB] += 1
            slot = 0
            if not _load(net, work, jobs, job, d):
                _leave_open(signs, undecided, control, offsets[jobs.layer[job]] + widths[jobs.layer[job]])
                slot = -1
                continue
            entering = True
        bound = nodes[slot, N_BOUND]
        pending = nodes[slot, N_PENDING]
        count = nodes[slot, N_CONSTRAINTS]
        layer = nodes[slot, LAYER]
        depth = nodes[slot, CUT_DEPTH]
        T = stack[slot]
        basis = all_bases[slot]
        names = all_names[slot]
        at = offsets[layer]
        if not entering:  # the second side of a cut
            for j in range(widths[layer]):
                signs[at + j] = saved[slot, j]
            wall = nodes[slot, WALL]
            sign = nodes[slot, SIDE]
            signs[at + wall] = sign
            _constrain(C, CD, CM, places, F, FD, FM, count - 1, layer, wall, 2.0 * sign - 1.0)
            if several:
                _imply(first_row, neuron_of, signs, at, layer, wall, sign)
                pending = _drop(T, d, names, signs, at, bound, pending)
        ready = 0
        rebuilt = False
        # ---- go down along first sides
        while True:
            if entering:
                pending = _enter(net, work, T, names, layer, bound, d)
                entering = False
                if pending < 0:
                    _leave_open(signs, undecided, control, at + widths[layer])
                    break
            if splitting and depth >= control[SPLIT_DEPTH]:
                _save(net, work, out.jobs, slot, bound, count, layer, d)
                break
            best = bound
            if pending:
                left = pending
                pending, ready, best = _scan(
                    T, basis, names, F, FN, FD, layer, bound, pending, d, ready, signs, at, C, CD, bounds, scratch,
                    multipliers, zero,
                )  # fmt: skip
                control[REFUSALS] += left - pending
                if several and pending < left:
                    _imply_all(first_row, signs, at, layer, neurons[layer])
                    pending = _drop(T, d, names, signs, at, bound, pending)
                    continue
            k = -1
            if pending:
                swap_rows(T, d, names, bound, best)
                wall = names[bound]
                before = control[PIVOTS]
                sign = 1 if T[d, bound] > 0.0 else 0
                k = 0
                if abs(T[d, bound]) <= 1e-12 * size(T, d, bound):  # the vertex is on the wall: is it positive anywhere?
                    sign = 0
                    k = minimise(
                        T, basis, names, d, bound, bound + pending, bound, -1.0, rebuilt, column, factors, control
                    )
                    sign = 1 if k >= 0 else 0
                if k >= 0:
                    k = minimise(
                        T, basis, names, d, bound, bound + pending, bound, 2.0 * sign - 1.0, rebuilt, column, factors,
                        control,
                    )  # fmt: skip
                if control[PIVOTS] != before:
                    ready = 0
                if k < 0:
                    if ready == 0:
                        ready = 1 if basis_bounds(T, basis, C, CD, d, bounds, scratch) else 2
                    proof = _refuse(net, work, T, basis, layer, wall, 2.0 * sign - 1.0, ready == 1)
                    if proof:
                        control[REFUSALS] += 1
                        signs[at + wall] = sign if proof == 1 else DEGENERATE
                        if several:
                            _imply(first_row, neuron_of, signs, at, layer, wall, signs[at + wall])
                        pending = _drop(T, d, names, signs, at, bound, pending)
                        continue
                    if not rebuilt and rebuild(T, basis, names, d, bound, pending, C, F[layer], scratch):
                        rebuilt = True
                        ready = 0
                        continue
                    _leave_open(signs, undecided, control, at + widths[layer])
                    break
                control[CUTS] += 1
            elif layer + 1 < n_layers:
                layer += 1
                at = offsets[layer]
                for g in range(at, at + widths[layer]):
                    signs[g] = UNKNOWN
                compose(
                    layer, widths, neurons, first_row, W, b, slope, shift, signs,
                    offsets, forms,
                    features, rounding, net.integral,
                )  # fmt: skip
                entering = True
                rebuilt = False
                continue
            if layer + 1 == n_layers and pending <= 1:
                # ---- one leaf, or two beside a last cut
                if splitting:
                    if pending == 0:
                        _save(net, work, out.jobs, slot, bound, count, layer, d)
                        break
                else:
                    if pending == 1:
                        points_beside_cut(T, d, bound, bound, k, column, x)
                        for j in range(widths[layer]):
                            saved[slot, j] = signs[at + j]
                    else:
                        point_in_leaf(T, d, bound, column, x)
                    pivoted = False
                    for side in range(1 + pending):
                        if pending == 1:
                            for j in range(widths[layer]):
                                signs[at + j] = saved[slot, j]
                            signs[at + wall] = side
                            if several:
                                _imply(first_row, neuron_of, signs, at, layer, wall, side)
                        _lift(lift, x, side, homogeneous, point)
                        proved = attained(
                            point, sides, first_points, Wt, b, norms, top, slope, shift,
                            widths, neurons, first_row, wall_at, plain, signs, offsets, rounding, values,
                        )  # fmt: skip
                        if not proved:
                            if pending == 1 and not pivoted:
                                cut(T, stack[slot + 1], d, bound + 1, bound, k, 1, column, factors)
                                pivoted = True
                            below = stack[slot + 1] if side == 1 else T
                            if inner_point(below, stack[slot + 2], d, bound + pending, column, factors, x, side):
                                _lift(lift, x, side, homogeneous, point)
                                proved = attained(
                                    point, sides, first_points, Wt, b, norms, top, slope, shift,
                                    widths, neurons, first_row, wall_at, plain, signs, offsets, rounding, values,
                                )  # fmt: skip
                        if proved:
                            control[LEAVES] += 1
                            flat = False
                            for g in range(len(signs)):
                                flat = flat or signs[g] == DEGENERATE
                            control[DEGENERATES] += flat
                            if control[EMIT]:
                                degenerate[control[FOUND]] = flat
                                _write(
                                    signs, neurons, first_row, offsets, bits, several, point, control[FOUND], patterns,
                                    witnesses,
                                )  # fmt: skip
                            control[FOUND] += 1
                        else:
                            _leave_open(signs, undecided, control, len(signs))
                    break
            # ---- a cut: one pivot serves both sides; the second waits in this slot, the first goes on in the next
            upper = stack[slot + 1]
            cut(T, upper, d, bound + pending, bound, k, sign, column, factors)
            control[PIVOTS] += 1
            names[bound] = basis[k]
            basis[k] = count
            bound += 1
            pending -= 1
            count += 1
            depth += 1
            rows = bound + pending
            nodes[slot, N_BOUND] = bound
            nodes[slot, N_PENDING] = pending
            nodes[slot, N_CONSTRAINTS] = count
            nodes[slot, LAYER] = layer
            nodes[slot, CUT_DEPTH] = depth
            nodes[slot, WALL] = wall
            nodes[slot, SIDE] = 1 - sign
            for j in range(widths[layer]):
                saved[slot, j] = signs[at + j]
            slot += 1
            for i in range(d):
                all_bases[slot, i] = basis[i]
            for r in range(d, rows):
                all_names[slot, r] = names[r]
            T = upper
            basis = all_bases[slot]
            names = all_names[slot]
            signs[at + wall] = sign
            _constrain(C, CD, CM, places, F, FD, FM, count - 1, layer, wall, 2.0 * sign - 1.0)
            if several:
                _imply(first_row, neuron_of, signs, at, layer, wall, sign)
                pending = _drop(T, d, names, signs, at, bound, pending)
            ready = 0
            rebuilt = False
        slot -= 1
