"""The growth of Appendix D, as it is meant: on average over random networks without biases.

In the plane one hidden layer of N neurons has exactly 2 N cones; deep networks have about as many on average.  Cones in
the plane are counted exactly by walking once around a square: a route that no engine takes.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from exactregions import Network
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS, condition
from proofs_checks.lemmas.support.random_networks import draw
from proofs_checks.lemmas.support.segments import cut, point_on
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Estimate, Outcome, Scope, fails, holds

__all__ = ["check", "count_cones"]

_CORNERS = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
_NEURONS = 60


@condition("d = 2")
def _PLANE(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    return None if subject.dim == 2 else f"d is {subject.dim}"


@condition("few neurons")
def _FEW(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    count = subject.network.n_neurons
    return None if count <= _NEURONS else f"there are {count}: more than are counted in a moment"


@register(
    "zero_bias_average",
    title="Without biases, about 2 N cones on average",
    text="For random networks of these widths without biases, the mean number of cones in the plane is at most 2 N up"
    " to a quarter.",
    latex=r"\mathbb{E}\,\#\{\text{cones}\} \le \tfrac54 \cdot 2 N",
    source="Hanin & Rolnick 2019, Appendix D: no faster than d N^(d-1)",
    route="exact counts on a square's boundary, of freshly drawn networks (seed 0)",
    scope=Scope.AVERAGE,
    hypotheses=(HAS_NEURONS, _PLANE, _FEW),
    statistical=True,
    needs_complex=False,
)
def check(subject: Subject) -> Outcome:
    """Estimate the mean number of cones."""
    rng = np.random.default_rng(0)
    widths = subject.network.widths
    counts = [float(count_cones(draw(rng, 2, widths, bias_deviation=0.0))) for _ in range(max(2, subject.samples // 2))]
    bound = 2.0 * sum(widths)
    estimate = Estimate.of("cones", counts, against=bound)
    if estimate.low > 1.25 * bound:
        return fails({"mean": estimate.mean, "2N": bound}, estimates=[estimate])
    return holds(estimates=[estimate], N=sum(widths))


def count_cones(network: Network) -> int:
    """Count the cells of a network without biases on the plane, around the square with corners (+-1, +-1).

    Examples
    --------
    >>> count_cones(Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 0])]))
    6
    """
    corners = [tuple(map(Fraction, corner)) for corner in _CORNERS]
    around: list[tuple[int, ...]] = []
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        for t, _ in cut(network, start, end).middles:
            around.append(network.pattern_at(point_on(start, end, t)))
    return len(set(around))
