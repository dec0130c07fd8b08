"""Theorem 5: the average number of activation regions per volume is at most (T N)^d / d!, whatever the depth.

The statement is about an average over random networks, so the check draws networks of the same widths (weights as He et
al., standard normal biases), counts their cells *exactly*, and reports means with confidence intervals: on cubes of
several sides, per volume, and on the whole space, where the generic shallow count is known.  The theorem's constant T
is not explicit; the shape is tested with T = 1 on cubes of side at least 1.
"""

from __future__ import annotations

from math import comb, factorial

import numpy as np

from exactregions import Box, WholeSpace, count_cells
from exactregions.domains import Domain
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, condition
from proofs_checks.lemmas.support.random_networks import draw
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Estimate, Outcome, Scope, fails, holds

_LIMIT = 1500  # cells of one generic layer: beyond, a sample is not counted in a moment
_SMALL = 150
_SIDES = (1, 4)


@condition("networks that can be counted many times")
def _COUNTABLE(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    generic = _generic(subject)
    return None if generic <= _LIMIT else f"{generic} cells are to be expected in each"


@condition("at least two hidden layers")
def _DEEP(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    depth = len(subject.network.layers)
    return None if depth > 1 else f"there are {depth}"


def _counts(subject: Subject, widths: tuple[int, ...], domain: Domain, *, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    drawn = [draw(rng, subject.dim, widths) for _ in range(subject.samples)]
    engine = "auto" if _generic(subject) <= _SMALL else "split"  # compiling pays off only beyond
    return [float(count_cells(network, domain, engine=engine).n_cells) for network in drawn]


def _generic(subject: Subject) -> int:
    """Cells of one generic layer with as many neurons."""
    return sum(comb(subject.network.n_neurons, k) for k in range(subject.dim + 1))


@register(
    "expected_density",
    title="Theorem 5: density of regions",
    text="For random networks of these widths, the mean number of activation regions in a cube of side >= 1 is at most"
    " its volume times N^d / d!.",
    latex=r"\mathbb{E}\,\#\{\text{regions in } C\} / \operatorname{vol} C \le (T N)^d / d!",
    source="Hanin & Rolnick 2019, Theorem 5, with T = 1",
    route="exact counts of freshly drawn networks (seed 0), He weights, standard normal biases",
    scope=Scope.AVERAGE,
    hypotheses=(HAS_NEURONS, _COUNTABLE),
    statistical=True,
    needs_complex=False,
)
def check_density(subject: Subject) -> Outcome:
    """Estimate the density on cubes, and the mean on the whole space."""
    dim, widths = subject.dim, subject.network.widths
    neurons = sum(widths)
    bound = neurons**dim / factorial(dim)
    estimates = []
    for side in _SIDES:
        half = f"{side}/2"
        counts = _counts(subject, widths, Box([f"-{half}"] * dim, [half] * dim), seed=0)
        name = f"cells per volume, cube of side {side}"
        values = [one / side**dim for one in counts]
        estimates.append(Estimate.of(name, values, against=max(bound, 1.0), step=1 / side**dim))
    everywhere = _counts(subject, widths, WholeSpace(dim), seed=0)
    whole = Estimate.of("cells on the whole space", everywhere, against=_generic(subject))
    largest = max(one.high for one in estimates) * factorial(dim)
    facts: dict[str, object] = {"N": neurons, "d": dim, "T_at_most": round(largest ** (1 / dim) / neurons, 4)}
    over = [one for one in estimates if one.low > bound and one.low > 1]
    if over:
        return fails(
            {**facts, "cube": over[0].name, "mean": over[0].mean, "bound": bound}, estimates=[*estimates, whole]
        )
    return holds(facts, estimates=[*estimates, whole])


@register(
    "depth_independence",
    title="The average does not depend on depth",
    text="For random networks with N neurons, the mean number of cells in the cube (-1, 1)^d is the same up to a factor"
    " of two for these widths as for one hidden layer.",
    latex=r"\tfrac12 \le \mathbb{E}_{n_1, \dots, n_L} / \mathbb{E}_{N} \le 2",
    source="Hanin & Rolnick 2019, section 3: equal averages for equal numbers of neurons, heuristically",
    route="exact counts of freshly drawn networks (seed 0) of both shapes",
    scope=Scope.AVERAGE,
    hypotheses=(HAS_NEURONS, _COUNTABLE, _DEEP),
    statistical=True,
    needs_complex=False,
)
def check_depth(subject: Subject) -> Outcome:
    """Estimate both means."""
    cube = Box([-1] * subject.dim, [1] * subject.dim)
    deep = Estimate.of("these widths", _counts(subject, subject.network.widths, cube, seed=0))
    flat = Estimate.of("one layer", _counts(subject, (subject.network.n_neurons,), cube, seed=1))
    ratio = deep.mean / flat.mean
    if deep.high < flat.low / 2 or deep.low > 2 * flat.high:
        return fails({"ratio": round(ratio, 3)}, estimates=[deep, flat])
    return holds(estimates=[deep, flat], ratio=round(ratio, 3))
