"""The state of the vertex kernel: plain arrays in named tuples, and the words of its control array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

UP = 1.0 + 1e-6
LIMIT = 9007199254740992.0
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
NONE = np.uint64(0)
# why `advance` returns
DONE, NEXT_FULL, OUT_FULL, GROW_RAYS, GROW_LIST, GROW_STACK, OPEN_FULL = range(7)
# control words
CELL, DEPTH, COLUMNS, N_CELLS, N_STRICT, N_OUT, N_OPEN, N_RAYS, N_REFINED, N_WALL, N_NODES, DEGENERATE = range(12)
N_FACETS = 12
N_CONTROL = 16
STRETCH = 1 << 17  # cells counted between two looks at the caller
# counts of a buffer
VERTICES, ENTRIES, CELLS = range(3)


class Buffer(NamedTuple):
    """Cells of the earlier layers with their vertices, shared; one for each layer."""

    A: Floats  # (cap, columns): features of the layer before, and x_0: the rows that meet M_l
    Z: Floats  # (cap, R_l): pre-activations
    X: Floats  # (cap, h): coordinates
    e_max: Floats
    e_two: Floats  # of features' pre-activations and coordinates before `finish`, of (Z, X) after
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
    sizes: Ints  # (3,): how many vertices, entries and cells there are


class Scratch(NamedTuple):
    """Rays and stack of the cell in work."""

    val: Floats  # (cap, R): pre-activations of the rows that cut the layer cell
    full: Floats  # (cap, R), or (1, 1) in the last layer
    xs: Floats  # (cap, h)
    e_max: Floats
    e_two: Floats
    P: Words  # (cap, words)
    N: Words
    Q: Words
    line: Words  # mask of the line that a ray was made on
    ends: Ints  # (cap, 2): the pair that it was interpolated from, or -1
    source: Ints  # vertex of the buffer, or -1
    ray: Ints  # lists of nodes: ray
    mask: Words  # and its incident slots
    stack: Ints  # (depth, 5): list start, length, free ray, free list place, how many cuts made the node
    slots: Codes  # (depth, 64)
    up: Ints
    down: Ints
    on: Ints
    columns: Ints  # (R,): the rows that cut
    words: Words  # (9, words)
    stamp: Ints  # (cap of rays)
    name: Ints  # numbers of `Names`


class Names(NamedTuple):
    """Who is who: a number for every vertex, so that one seen from several cells goes to the next layer once.

    Two caches, direct-mapped, whose entries are compared in full, so that a collision costs a repetition and no more;
    numbers are never used again in a run.  A vertex is named by the two that it was interpolated from and the wall that
    is 0 there: if both ends lie in several cells, so does it, and pre-activations are the same from all of them.
    """

    first: Ints
    second: Ints
    wall: Ints
    name: Ints
    placed: Ints  # name of the vertex,
    epoch: Ints  # when it was placed,
    place: Ints  # and where in the next buffer
    numbers: Ints  # next number, number of the buffer's first vertex, epoch of the next buffer


class Out(NamedTuple):
    """Leaves, and undecided subtrees."""

    signs: Words  # (cap, words)
    zeros: Words
    points: Floats  # (cap, h)
    open_up: Words  # (cap, words): rows with g > 0
    open_down: Words
    open_layer: Ints
    facet_rows: Codes  # rows that are facets, leaf after leaf
    facet_ends: Ints  # (cap,): where those of each leaf end
    shared: Words  # (64,): see `vertices_facets`


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
