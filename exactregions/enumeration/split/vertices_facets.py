# mypy: disable-error-code="untyped-decorator, no-any-return"
# (kernels: Numba types them, from arrays that are Any here)
"""The facets of a leaf of the vertex kernel, from the incidences that it has at hand; see `vertices_kernel`.

A closed cell is a pointed full-dimensional cone, and the masks of its rays are complete: bit s is set exactly if slot s
vanishes on the ray.  Write R(s) for the rays on slot s, which generate the face F(s) of the cone.  Every facet is some
F(s), since the slots that are in use define the cone; every proper face lies in a facet; and faces are ordered as their
ray sets are.  So F(s) is a facet iff R(s) is in no larger R(t), and then no smaller: it is enough to look at the slots
t that vanish on all of R(s).  Slots with the same rays are one facet, kept once.  (Coordinates are two or more, so that
a facet has rays; slots without any are not in use.)

The last cut, f = 0 in a cell P, needs no new ray: the facets of {f >= 0} in P are the wall itself and the sets
{f >= 0} in F, for each facet F of P with a ray where f > 0.  If F has none, f <= 0 on F, and what remains of it lies in
a smaller face (not all of F remains: then f would have one sign on P).

A slot of the domain, or x_0 (the facet at infinity), is written down nowhere: nothing of the complex lies beyond.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from exactregions.enumeration.split.bits import ctz
from exactregions.enumeration.split.vertices_refine import OPTIONS
from exactregions.enumeration.split.vertices_state import ALL, N_FACETS, N_OUT, NONE, ONE, Out

__all__ = ["FACETS_OF_A_CELL", "leaf_facets", "pair_facets", "take_facets"]

FACETS_OF_A_CELL = 64  # the slots of a mask


@njit(**OPTIONS)
def _facet_slots(scr: Any, begin: int, length: int, shared: Any) -> Any:
    """Return the slots that are facets of the cone over a node's rays."""
    for s in range(64):
        shared[s] = ALL  # the slots that vanish on all rays on s
    used = NONE
    for e in range(begin, begin + length):
        mask = scr.mask[e]
        used |= mask
        left = mask
        while left != 0:
            s = ctz(left)
            left &= left - ONE
            shared[s] &= mask
    facets = used
    left = used
    while left != 0:
        s = ctz(left)
        left &= left - ONE
        others = shared[s] & ~(ONE << s)
        while others != 0:
            t = ctz(others)
            others &= others - ONE
            if (shared[t] >> s) & ONE == 0 or t < s:
                facets &= ~(ONE << s)
    return facets


@njit(**OPTIONS)
def _write(net: Any, slots: Any, facets: Any, out: Any, at: int) -> int:
    """Write the rows of some slots, numbered through all layers; return the end."""
    while facets != 0:
        code = slots[ctz(facets)]
        facets &= facets - ONE
        if code >= 0:
            out.facet_rows[at] = net.row_start[code >> 20] + (code & 0xFFFFF)
            at += 1
    return at


@njit(**OPTIONS)
def leaf_facets(net: Any, scr: Any, node: int, out: Any, control: Any) -> None:
    """Write the facets of the leaf that was emitted last, a node without further cut; there is room."""
    facets = _facet_slots(scr, scr.stack[node, 0], scr.stack[node, 1], out.shared)
    end = _write(net, scr.slots[node], facets, out, control[N_FACETS])
    out.facet_ends[control[N_OUT] - 1] = control[N_FACETS] = end


@njit(**OPTIONS)
def pair_facets(net: Any, layer: int, scr: Any, node: int, k: int, out: Any, control: Any) -> None:
    """Write the facets of the two leaves that were emitted last, the sides of a node below and above compact row k."""
    begin, length = scr.stack[node, 0], scr.stack[node, 1]
    kq, kb = k >> 6, ONE << np.uint64(k & 63)
    facets = _facet_slots(scr, begin, length, out.shared)
    below = above = NONE
    for e in range(begin, begin + length):
        r = scr.ray[e]
        if scr.P[r, kq] & kb:
            above |= scr.mask[e]
        elif scr.N[r, kq] & kb:
            below |= scr.mask[e]
    for side in range(2):
        end = _write(net, scr.slots[node], facets & (above if side == 1 else below), out, control[N_FACETS])
        out.facet_rows[end] = net.row_start[layer] + scr.columns[k]
        out.facet_ends[control[N_OUT] - 2 + side] = control[N_FACETS] = end + 1


def take_facets(out: Out, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return how many facets each of the first `count` leaves has, and their rows."""
    ends = out.facet_ends[:count]
    return np.diff(ends, prepend=0), out.facet_rows[: ends[-1] if count else 0].copy()
