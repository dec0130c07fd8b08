"""Exact, certified enumeration of the activation regions of piecewise-linear networks, in any dimension.

    >>> import exactregions as er
    >>> network = er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[1, 1]], [0]))
    >>> er.enumerate_regions(network).n_cells
    4

Start with `load`, `enumerate_regions`, `count_cells`; the words used throughout are defined in the README.
"""

from __future__ import annotations

from exactregions.analysis.equality import equal
from exactregions.certificates import Counterexamples, Proof, prove
from exactregions.domains import Box, Polyhedron, Slice, WholeSpace
from exactregions.enumeration import Count, count_cells, enumerate_regions
from exactregions.errors import ExactRegionsError, InputError, UndecidedError
from exactregions.network import (
    ABS,
    HARD_SIGMOID,
    HARD_TANH,
    IDENTITY,
    RELU,
    RELU6,
    Network,
    PiecewiseLinear,
    hard_tanh,
    leaky_relu,
)
from exactregions.network.formats import from_sklearn, from_torch, load, load_problem, save
from exactregions.regions import Cell, RegionComplex, Status

__version__ = "0.1.0"

__all__ = [
    "ABS",
    "HARD_SIGMOID",
    "HARD_TANH",
    "IDENTITY",
    "RELU",
    "RELU6",
    "Box",
    "Cell",
    "Count",
    "Counterexamples",
    "ExactRegionsError",
    "InputError",
    "Network",
    "PiecewiseLinear",
    "Polyhedron",
    "Proof",
    "RegionComplex",
    "Slice",
    "Status",
    "UndecidedError",
    "WholeSpace",
    "count_cells",
    "enumerate_regions",
    "equal",
    "from_sklearn",
    "from_torch",
    "hard_tanh",
    "leaky_relu",
    "load",
    "load_problem",
    "prove",
    "save",
]
