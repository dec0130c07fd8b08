"""What the dictionary kernel reads, keeps and writes: named tuples of arrays, which Numba passes as they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Jobs", "Net", "Out", "Work"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# control words: what the kernel reads and where it stopped
DEPTH, NEXT_JOB, LAST_JOB, ROOM, EMIT, SPLIT_DEPTH, FOUND, UNDECIDED, SPLIT, DEGENERATES = range(10)
COUNTERS = 10  # from here on: walls minimised, pivots, cuts, refusals proved, leaves proved, undecided
LPS, PIVOTS, CUTS, REFUSALS, CONSTANTS, LEAVES, OPEN = range(10, 17)
N_CONTROL = 20
# words of a saved node
N_BOUND, N_PENDING, N_CONSTRAINTS, LAYER, CUT_DEPTH, WALL, SIDE = range(7)


class Net(NamedTuple):
    """The problem in arrays, layers padded to one width; see `dictionary_problem`."""

    widths: Ints  # walls (rows) of each layer
    neurons: Ints  # neurons of each layer
    offsets: Ints  # global number of each layer's first row
    first_row: Ints  # (L, neurons + 1): a neuron's first row
    neuron_of: Ints  # (L, rows)
    wall: NDArray[np.uint8]  # (L, rows)
    W: Floats  # (L, rows, neurons)
    Wt: Floats  # the same, transposed
    b: Floats
    norms: Floats  # (L, rows): at least the 1-norm of the weights
    top: Floats  # (L, 2): the largest norm, the largest |b|
    plain: NDArray[np.bool_]  # (L,): ReLU neurons only, slopes 0 and 1 exact
    slope: Floats  # (L, neurons, pieces)
    shift: Floats
    first: Floats  # (rows of layer 1, d + 1): affine forms
    sides: Floats  # (sides, d + 1): affine forms of the domain
    first_points: Floats  # (coordinates, rows): layer 1 on homogeneous points, transposed
    sides_points: Floats  # (sides, coordinates)
    lift: Floats  # (coordinates, d + 1): from x to a homogeneous point
    rounding: float
    integral: bool
    homogeneous: bool  # no constant is added anywhere: a cone
    several: bool  # some neuron has several rows


class Work(NamedTuple):
    """State of one worker: a stack of dictionaries, the path's constraints and forms, scratch."""

    control: Ints
    T: Floats  # (stack, d + 1, rows)
    basis: Ints  # (stack, d)
    names: Ints  # (stack, rows): constraint of a bound row, wall of a pending one
    nodes: Ints  # (stack, words)
    saved: NDArray[np.int8]  # (stack, rows of a layer)
    signs: NDArray[np.int8]
    C: Floats  # (constraints, d + 1)
    CD: Floats
    CM: NDArray[np.uint64]
    places: Ints  # (constraints, 2)
    F: Floats
    FN: Floats
    FD: Floats
    FM: NDArray[np.uint64]
    active: NDArray[np.bool_]
    ranks: Ints
    solid: NDArray[np.uint64]
    G: Floats
    GN: Floats
    GD: Floats
    bounds: Floats
    scratch: Floats
    multipliers: Floats
    zero: Ints
    values: Floats
    point: Floats
    column: Floats
    factors: Floats
    x: Floats


class Jobs(NamedTuple):
    """Saved nodes, as whole numbers only: dictionaries are rebuilt from them."""

    signs: NDArray[np.int8]  # (jobs, rows of all layers)
    layer: Ints
    n_constraints: Ints
    constraints: Ints  # (jobs, .): global row, or -1 - side
    basis: Ints  # (jobs, d): positions among the constraints


class Out(NamedTuple):
    """Where the kernel writes."""

    bits: Ints  # bits a neuron takes
    patterns: NDArray[np.uint8]
    witnesses: Floats
    degenerate: NDArray[np.uint8]
    undecided: NDArray[np.int8]
    jobs: Any
    cancel: NDArray[np.uint8]
