"""A belief: that a deeper network has more regions than a shallow one with as many neurons.

The most that depth *can* do is more; what a given deep network does is mostly less than one hidden layer in general
position, which has the sum of C(N, i), i <= d, cells.  The counterexample is that layer, written out: the hyperplanes
1 + t x_1 + t^2 x_2 + ... + t^d x_d = 0 for t = 1, ..., N are generic, since Vandermonde matrices are invertible.
"""

from __future__ import annotations

from math import comb

from exactregions import Network, WholeSpace, count_cells
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import ONE_BREAKPOINT, WHOLE_SPACE, condition
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Outcome, Scope, fails, holds

_COUNTED_UP_TO = 2000


@condition("at least two hidden layers")
def _DEEP(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    depth = len(subject.network.layers)
    return None if depth > 1 else f"there are {depth}"


@register(
    "more_depth_more_regions",
    title="More depth, more regions",
    text="A network with several hidden layers has more cells than every network with one and as many neurons.",
    latex=r"L \ge 2 \implies \#\{\text{cells}\} > \sum_{i=0}^{d} \binom{N}{i}",
    source="a common reading of the maximum, against Hanin & Rolnick 2019",
    route="an explicit generic layer of N neurons, counted",
    scope=Scope.FALSE,
    hypotheses=(_DEEP, ONE_BREAKPOINT, WHOLE_SPACE),
)
def check(subject: Subject) -> Outcome:
    """Compare the count with that of one generic layer."""
    neurons, dim = subject.network.n_neurons, subject.dim
    shallow = sum(comb(neurons, k) for k in range(dim + 1))
    if shallow <= _COUNTED_UP_TO:
        weights = [[t**k for k in range(1, dim + 1)] for t in range(1, neurons + 1)]
        counted = count_cells(Network([(weights, [1] * neurons)]), WholeSpace(dim)).n_cells
        if counted != shallow:
            return fails({"one_layer": counted, "binomial_sum": shallow})
    facts = {"n_cells": len(subject.cells), "one_layer": shallow, "N": neurons, "d": dim}
    if len(subject.cells) > shallow:
        return holds(facts)
    return fails(
        {**facts, "one_layer_walls": "1 + t x_1 + ... + t^d x_d = 0, t = 1, ..., N"},
        reason="one hidden layer with the walls given is in general position and has more",
    )
