"""One call to list or count cells: it picks the engine, and hands over the proof if one is wanted."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from os import PathLike

from exactregions.certificates import CertifyingObserver, Counterexamples, NullObserver, Observer, Problem, prove
from exactregions.domains import Domain, WholeSpace
from exactregions.enumeration.brute import brute
from exactregions.enumeration.reduce import check_fit
from exactregions.enumeration.walk import walk
from exactregions.errors import InputError, UndecidedError
from exactregions.files import check_target
from exactregions.network import Network
from exactregions.patterns import Pattern
from exactregions.regions import RegionComplex, Status, WitnessTable

__all__ = ["ENGINES", "Count", "count_cells", "enumerate_regions"]

ENGINES = ("auto", "walk", "split", "brute")
_WALK_UP_TO = 3000  # cells of a generic arrangement of that size; below, compiling would take longer than walking
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
    method : dict
        How many decisions each kind of arithmetic took, where the engine tells.
    """

    n_cells: int
    n_strict: int
    status: Status
    engine: str
    seconds: float
    method: dict[str, int]

    def summary(self) -> dict[str, object]:
        """Return the values keyed as in the command line's JSON."""
        return {
            "engine": self.engine,
            "status": self.status.value,
            "n_cells": self.n_cells,
            "n_strict": self.n_strict,
            "seconds": round(self.seconds, 6),
        }


def enumerate_regions(
    network: Network,
    domain: Domain | None = None,
    *,
    engine: str = "auto",
    start: object | None = None,
    max_cells: int | None = None,
    max_depth: int | None = None,
    threads: int = 1,
    facets: bool = False,
    certify: str | PathLike[str] | None = None,
    observer: Observer | None = None,
) -> RegionComplex:
    """List all cells of a network on a domain, exactly.

    Parameters
    ----------
    network : Network
        Any piecewise-linear network.
    domain : Domain, optional
        Where to look; the whole input space by default.
    engine : {"auto", "walk", "split", "brute"}
        How to search; the answer is the same.  By default `walk` for small networks, else `split`.
    start, max_depth : optional
        For local exploration, by `walk`: where to begin (in the domain's own coordinates), and how many facets away
        to stop.
    max_cells : int, optional
        Stop after so many cells.
    threads : int
        For `split`; the result does not depend on it.
    facets : bool
        Have `split` find which cells share a facet as it lists them, in about twice the time; otherwise that is found
        when first asked for, which takes far longer.  The answer is the same.
    certify : path, optional
        Prove the result and write the certificate there (gzip if it ends in ``.gz``); ``python -m proofs_checks check``
        verifies it.  `split` writes it, in up to five dimensions, while it searches once more in rational arithmetic;
        else `prove` finds a proof for the list.  Of a search that was stopped, it proves the lower bound.
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
    local = start is not None or max_depth is not None
    chosen = _choose(engine, network, where, local)
    prover = None
    if certify is not None:
        check_target(certify)
        if chosen != "split" or max_cells is not None or not _proves_while_searching(network, where):
            prover = CertifyingObserver(path=certify)
            observer = prover if observer is None else _Both(observer, prover)
    if chosen == "walk":
        found = walk(network, where, start=start, max_cells=max_cells, max_depth=max_depth, observer=observer)
    elif local:
        raise InputError(f"the engine {chosen} takes no start and no max_depth", remedy="use engine='walk'")
    elif chosen == "split":
        stream = certify if prover is None else None
        found = _split(network, where, max_cells, threads, observer or NullObserver(), stream, facets=facets)
    elif max_cells is not None:
        raise InputError("the engine brute takes no max_cells", remedy="use engine='walk' or 'split'")
    else:
        found = brute(network, where, observer=observer)
    if prover is not None and isinstance(prover.answer, Counterexamples):
        raise UndecidedError(
            f"the engine {chosen} was refuted by the prover in {len(prover.answer)} places; no result is given",
            remedy="please report this network",
        )
    return found


def count_cells(
    network: Network,
    domain: Domain | None = None,
    *,
    engine: str = "auto",
    max_cells: int | None = None,
    threads: int = 1,
    certify: str | PathLike[str] | None = None,
    observer: Observer | None = None,
) -> Count:
    """Count the cells of a network on a domain, exactly.

    Parameters and errors as for `enumerate_regions`; `split` counts, and in up to five dimensions also proves, in
    memory that does not grow with the count.

    Examples
    --------
    >>> from exactregions import Network, count_cells
    >>> count_cells(Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1])])).n_cells
    7
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    check_fit(network, where)
    if certify is not None:
        check_target(certify)
    listed = certify is not None and (max_cells is not None or not _proves_while_searching(network, where))
    if listed or _choose(engine, network, where, local=False) != "split":
        found = enumerate_regions(
            network, where, engine=engine, max_cells=max_cells, threads=threads, certify=certify, observer=observer
        )
        return Count(found.n_cells, found.n_strict, found.status, found.engine, found.seconds, found.method)
    from exactregions.enumeration.split import split

    watcher = observer or NullObserver()
    watcher.start(Problem(network, where, "split"))
    began = time.perf_counter()
    result = split(
        network,
        where,
        mode="count",
        threads=threads,
        max_cells=max_cells,
        progress=watcher.progress,
    )
    seconds = time.perf_counter() - began
    count = Count(result.n_cells, result.n_strict, Status(result.status), "split", seconds, dict(result.method))
    if certify is not None:
        _prove_split(count, network, where, certify, watcher)
    watcher.end(count.n_cells, count.n_strict, complete=count.status is Status.EXACT)
    return count


def _choose(engine: str, network: Network, domain: Domain, local: bool) -> str:
    """Return the engine to use: the one asked for, or one that suits the size."""
    if engine not in ENGINES:
        raise InputError(f"no engine {engine!r}", remedy=f"choose one of {', '.join(ENGINES)}")
    if engine != "auto":
        return engine
    walls = sum(phi.n_pieces - 1 for phi in network.neurons)
    generic = sum(comb(walls, k) for k in range(min(domain.dim, walls) + 1))
    return "walk" if local or generic <= _WALK_UP_TO else "split"


def _split(
    network: Network,
    domain: Domain,
    max_cells: int | None,
    threads: int,
    observer: Observer,
    certify: str | PathLike[str] | None,
    *,
    facets: bool,
) -> RegionComplex:
    """List by `split`, prove the list if wanted, and report its cells in their sorted order."""
    from exactregions.enumeration.split import split

    observer.start(Problem(network, domain, "split"))
    began = time.perf_counter()
    result = split(
        network,
        domain,
        mode="facets" if facets else "list",
        threads=threads,
        max_cells=max_cells,
        progress=observer.progress,
    )
    if result.patterns is None or result.points is None:
        raise UndecidedError("the engine split listed nothing, which cannot be")
    found = RegionComplex(
        network,
        domain,
        result.patterns,
        WitnessTable(result.points, dict(result.exact_points)),
        result.strict,
        facets=None if result.facets is None else result.facets.pairs,
        status=Status(result.status),
        engine="split",
        seconds=time.perf_counter() - began,
        method=result.method,
    )
    if certify is not None:
        _prove_split(found, network, domain, certify, observer)
    if not isinstance(observer, NullObserver) or type(observer).cell is not NullObserver.cell:
        for index, pattern in enumerate(found.patterns()):
            observer.cell(pattern, found.witnesses[index], bool(found.strict[index]))
    observer.end(found.n_cells, found.n_strict, complete=found.status is Status.EXACT)
    return found


def _prove_split(
    found: RegionComplex | Count,
    network: Network,
    domain: Domain,
    path: str | PathLike[str],
    observer: Observer,
) -> None:
    """Write the certificate of what `split` found: while searching once more, or from the list if that was stopped."""
    from exactregions.enumeration.split.certifying import stream_proof

    if found.status is Status.EXACT:
        stream_proof(
            network,
            domain,
            path,
            n_cells=found.n_cells,
            n_strict=found.n_strict,
            patterns=found.packed if isinstance(found, RegionComplex) else None,
            progress=lambda done: observer.progress(done, found.n_cells - done),
        )
    elif isinstance(found, RegionComplex) and found.n_cells:
        prove(network, domain, found.patterns(), witnesses=list(found.witnesses), certificate=path, complete=False)


def _proves_while_searching(network: Network, domain: Domain) -> bool:
    from exactregions.enumeration.split.certifying import proves_while_searching

    return proves_while_searching(network, domain)


@dataclass(frozen=True, slots=True)
class _Both:
    """Two observers as one."""

    first: Observer
    second: Observer

    def start(self, problem: Problem) -> None:
        self.first.start(problem)
        self.second.start(problem)

    def cell(self, pattern: Pattern, witness: tuple[Fraction, ...], strict: bool) -> None:
        self.first.cell(pattern, witness, strict)
        self.second.cell(pattern, witness, strict)

    def progress(self, done: int, waiting: int) -> None:
        self.first.progress(done, waiting)
        self.second.progress(done, waiting)

    def end(self, n_cells: int, n_strict: int, *, complete: bool) -> None:
        self.first.end(n_cells, n_strict, complete=complete)
        self.second.end(n_cells, n_strict, complete=complete)
