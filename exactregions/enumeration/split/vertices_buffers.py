"""Arrays for the vertex kernel, empty, and how large they are."""

from __future__ import annotations

import numpy as np

from exactregions.enumeration.split.vertices_facets import FACETS_OF_A_CELL
from exactregions.enumeration.split.vertices_net import VertexNet
from exactregions.enumeration.split.vertices_state import Buffer, Names, Out, RefineWork, Scratch

__all__ = ["buffer", "names", "outputs", "refine_work", "scratch", "twice"]

_OPEN = 64  # undecided subtrees
_FACETS = 12  # of a cell, about, to make room for; a chunk ends when its cells have more


def outputs(net: VertexNet, h: int, room: int, *, faceting: bool) -> Out:
    """Return room for so many leaves, with their facets if they are wanted."""
    words = int(net.word_start[-1])
    return Out(
        np.zeros((room, words), np.uint64),
        np.zeros((room, words), np.uint64),
        np.zeros((room, h)),
        np.zeros((_OPEN, words), np.uint64),
        np.zeros((_OPEN, words), np.uint64),
        np.zeros(_OPEN, np.int64),
        np.zeros((_FACETS * room + 2 * (FACETS_OF_A_CELL + 1)) if faceting else 1, np.int32),
        np.zeros(room if faceting else 1, np.int64),
        np.zeros(64, np.uint64),
    )


def buffer(net: VertexNet, layer: int, h: int, cap: int) -> Buffer:
    """Return a buffer for a layer, with room for so many vertices and cells; h is the number of coordinates."""
    n, width = int(net.rows[layer]), int(net.cols[layer])
    words, everything = -(-n // 64), int(net.word_start[-1])
    entries = 4 * cap
    start = np.zeros(cap + 1, np.int64)
    return Buffer(
        np.zeros((cap, width)),
        np.zeros((cap, n)),
        np.zeros((cap, h)),
        np.zeros(cap),
        np.zeros(cap),
        np.zeros((cap, words), np.uint64),
        np.zeros((cap, words), np.uint64),
        np.zeros((cap, words), np.uint64),
        np.zeros(cap, np.bool_),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.uint64),
        start,
        np.zeros((cap, 64), np.int32),
        np.zeros((cap, everything), np.uint64),
        np.zeros((cap, everything), np.uint64),
        np.zeros(3, np.int64),
    )


def twice(buffer: Buffer) -> Buffer:
    """Return an empty buffer twice as large."""
    return Buffer._make(
        array if array is buffer.sizes else np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
        for array in buffer
    )


def scratch(net: VertexNet, layer: int, h: int, rays: int, places: int, depth: int, *, last: bool) -> Scratch:
    """Return room for so many rays, places in lists and nodes."""
    n = int(net.rows[layer])
    words = -(-n // 64)
    return Scratch(
        np.zeros((rays, n)),
        np.zeros((1, 1) if last else (rays, n)),
        np.zeros((rays, h)),
        np.zeros(rays),
        np.zeros(rays),
        np.zeros((rays, words), np.uint64),
        np.zeros((rays, words), np.uint64),
        np.zeros((rays, words), np.uint64),
        np.zeros(rays, np.uint64),
        np.zeros((rays, 2), np.int64),
        np.zeros(rays, np.int64),
        np.zeros(places, np.int64),
        np.zeros(places, np.uint64),
        np.zeros((depth, 5), np.int64),
        np.zeros((depth, 64), np.int32),
        np.zeros(rays, np.int64),
        np.zeros(rays, np.int64),
        np.zeros(rays, np.int64),
        np.zeros(n, np.int64),
        np.zeros((9, words), np.uint64),
        np.zeros(rays, np.int64),
        np.zeros(rays, np.int64),
    )


def names(size: int) -> Names:
    """Return empty caches: numbers and epochs begin at 1, so entries of 0 match nothing."""
    return Names._make([*(np.zeros(size, np.int64) for _ in range(7)), np.array([1, 1, 1])])


def refine_work(net: VertexNet, h: int) -> RefineWork:
    """Return what `vertices_refine` works in."""
    d, widest = max(h - 1, 1), int(max(net.rows.max() + 1, net.cols.max(), h))
    return RefineWork(
        np.zeros((d, h)),
        np.zeros(d),
        np.zeros((d, h + d)),
        np.zeros(widest),
        np.zeros(widest),
        np.zeros(d, np.int64),
        np.zeros(widest),
        np.zeros(h),
        np.zeros(3),
        np.zeros(h),
        np.zeros(h, np.int64),
        np.zeros(d, np.int64),
        np.zeros((2, -(-widest // 64)), np.uint64),
        np.zeros((4, h)),
    )
