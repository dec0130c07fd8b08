"""Engines that list cells, and `enumerate_regions` / `count_cells`, which pick one.

`brute` tries every pattern (the reference), `walk` goes from cell to cell over facets (any network, with adjacency).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from exactregions.certificates.observers import Observer
from exactregions.domains import Domain, WholeSpace
from exactregions.enumeration.brute import brute
from exactregions.enumeration.reduce import check_fit
from exactregions.enumeration.walk import walk
from exactregions.errors import InputError
from exactregions.network import Network
from exactregions.regions import RegionComplex, Status

__all__ = ["ENGINES", "Count", "brute", "count_cells", "enumerate_regions", "walk"]

ENGINES = ("auto", "walk", "brute")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Count:
    """How many cells there are.

    Attributes
    ----------
    n_cells, n_strict : int
        All cells, and those without a degenerate neuron.
    status : Status
        `exact`, or `lower_bound` if the search was stopped early.
    engine : str
        The engine that counted.
    seconds : float
        Wall time.
    """

    n_cells: int
    n_strict: int
    status: Status
    engine: str
    seconds: float


def enumerate_regions(
    network: Network,
    domain: Domain | None = None,
    *,
    engine: str = "auto",
    start: object | None = None,
    max_cells: int | None = None,
    max_depth: int | None = None,
    observer: Observer | None = None,
) -> RegionComplex:
    """List all cells of a network on a domain, exactly.

    Parameters
    ----------
    network : Network
        Any piecewise-linear network.
    domain : Domain, optional
        Where to look; the whole input space by default.
    engine : {"auto", "walk", "brute"}
        How to search.
    start, max_cells, max_depth : optional
        For local exploration with `walk`: where to begin (in the domain's own coordinates), and when to stop.
    observer : Observer, optional
        Told of every cell.

    Returns
    -------
    RegionComplex
        Status `exact` if complete, else `lower_bound`.

    Raises
    ------
    InputError
        If the domain is empty or does not fit, or an option is not for the engine.

    Examples
    --------
    >>> from exactregions import Network, enumerate_regions
    >>> duplicated = Network([([[1, 0], [1, 0]], ["1/4", "1/4"])])
    >>> enumerate_regions(duplicated).n_cells
    2
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    check_fit(network, where)
    if engine not in ENGINES:
        raise InputError(f"no engine {engine!r}", remedy=f"choose one of {', '.join(ENGINES)}")
    if engine == "brute":
        if start is not None or max_cells is not None or max_depth is not None:
            raise InputError("the engine brute takes no start, max_cells or max_depth", remedy="use engine='walk'")
        return brute(network, where, observer=observer)
    return walk(network, where, start=start, max_cells=max_cells, max_depth=max_depth, observer=observer)


def count_cells(
    network: Network,
    domain: Domain | None = None,
    *,
    engine: str = "auto",
    max_cells: int | None = None,
    observer: Observer | None = None,
) -> Count:
    """Count the cells of a network on a domain, exactly.

    Parameters and errors as for `enumerate_regions`.

    Examples
    --------
    >>> from exactregions import Network, count_cells
    >>> count_cells(Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])])).n_cells
    7
    """
    found = enumerate_regions(network, domain, engine=engine, max_cells=max_cells, observer=observer)
    return Count(found.n_cells, found.n_strict, found.status, found.engine, found.seconds)
