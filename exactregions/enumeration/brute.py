"""Brute force: every pattern, neuron by neuron, one exact linear program each.  The reference, slow and plain.

A prefix of pieces is kept iff the strict inequalities it implies are feasible together; so the leaves are exactly the
patterns whose cell is not empty.  It shares no shortcut with the other engines: no facets, no crossing, no rays, and
its programs go to the exact simplex alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from exactregions.certificates.observers import NullObserver, Observer, Problem
from exactregions.domains import Domain
from exactregions.enumeration.reduce import in_own_coordinates
from exactregions.errors import EmptyDomainError
from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.network import Network
from exactregions.patterns import Pattern, PatternCodec
from exactregions.regions import RegionComplex, Status, WitnessTable

__all__ = ["brute"]

Point = tuple[Fraction, ...]
Form = tuple[Fraction, ...]


def brute(network: Network, domain: Domain, *, observer: Observer | None = None) -> RegionComplex:
    """List all cells by trying every pattern, pruning by prefix.

    Parameters
    ----------
    network, domain : Network, Domain
        The problem; meant for small ones.
    observer : Observer, optional
        Told of every cell as it is found.

    Raises
    ------
    EmptyDomainError
        If the domain has no interior.
    """
    began = time.perf_counter()
    own_network, own_domain = in_own_coordinates(network, domain)
    watcher = observer or NullObserver()
    watcher.start(Problem(network, domain, "brute"))
    found: list[tuple[Pattern, Point, bool]] = []
    complete = True
    try:
        for pattern, witness, strict in _leaves(own_network, own_domain):
            found.append((pattern, witness, strict))
            watcher.cell(pattern, witness, strict)
    except KeyboardInterrupt:
        complete = False
    if not found and complete:
        raise EmptyDomainError("the domain has no interior", where=str(domain))
    codec = PatternCodec.of(network)
    result = RegionComplex(
        network,
        domain,
        codec.pack([pattern for pattern, _, _ in found]),
        WitnessTable.from_points((witness for _, witness, _ in found), domain.dim),
        np.array([strict for _, _, strict in found], dtype=bool),
        status=Status.EXACT if complete else Status.LOWER_BOUND,
        engine="brute",
        seconds=time.perf_counter() - began,
    )
    watcher.end(result.n_cells, result.n_strict, complete=complete)
    return result


def _leaves(network: Network, domain: Domain) -> Iterator[tuple[Pattern, Point, bool]]:
    """Walk the tree of prefixes depth first with a stack of (prefix, rows, strict)."""
    stack: list[tuple[Pattern, list[Form], bool]] = [((), domain.rational_rows(), True)]
    while stack:
        prefix, rows, strict = stack.pop()
        answer = solve(StrictSystem.from_rows(rows, domain.dim), backend="exact")
        if not isinstance(answer, Feasible):
            continue
        if len(prefix) == network.n_neurons:
            yield prefix, answer.witness, strict
            continue
        stack.extend(reversed(list(_children(network, prefix, rows, strict))))


def _children(
    network: Network, prefix: Pattern, rows: list[Form], strict: bool
) -> Iterator[tuple[Pattern, list[Form], bool]]:
    """Extend a prefix by every piece of its next neuron; a constant neuron has one piece only."""
    neuron = len(prefix)
    phi = network.neurons[neuron]
    form = _form(network, prefix)
    if not any(form[:-1]):
        value = form[-1]
        piece = sum(mark < value for mark in phi.breakpoints)
        yield (*prefix, piece), rows, strict and value not in phi.breakpoints
        return
    bounds = [None, *phi.breakpoints, None]
    for piece in range(phi.n_pieces):
        low, high = bounds[piece], bounds[piece + 1]
        more = list(rows)
        if low is not None:
            more.append((*form[:-1], form[-1] - low))
        if high is not None:
            more.append((*(-a for a in form[:-1]), high - form[-1]))
        yield (*prefix, piece), more, strict


def _form(network: Network, prefix: Pattern) -> Form:
    """Pre-activation of the next neuron as an affine form, by plain substitution."""
    size = network.input_dim
    signal: list[Form] = [tuple(Fraction(int(i == j)) for j in range(size + 1)) for i in range(size)]
    start = 0
    for layer, activations in zip(network.layers, network.activations, strict=True):
        forms: list[Form] = []
        for weights, shift, phi in zip(layer.weights, layer.bias, activations, strict=True):
            terms = [(w, h) for w, h in zip(weights, signal, strict=True) if w]
            z = [sum((w * h[j] for w, h in terms), Fraction(0)) for j in range(size + 1)]
            z[-1] += shift
            if start + len(forms) == len(prefix):
                return tuple(z)
            piece = prefix[start + len(forms)]
            slope = phi.slopes[piece]
            forms.append((*(slope * value for value in z[:-1]), slope * z[-1] + phi.offsets[piece]))
        signal = forms
        start += layer.n_outputs
    raise IndexError("the prefix decides every neuron")
