"""The exact expectation on a line, layer by layer: a Crofton formula.

On the line t -> x0 + t v let h(t) be the input of a layer.  For a neuron with weights N(0, s^2) and bias N(0, sigma^2)
the expected number of zeros of w.h(t) + b on [a, b] is 1/pi times the length of the curve (s h, sigma) projected to the
unit sphere; since h is piecewise straight, it is 1/pi times a sum of angles.  So, given the earlier layers, n_l neurons
cut the line (n_l / pi) (sum of angles) times on average.  The check counts cuts exactly on random networks, and
subtracts.
"""

from __future__ import annotations

from fractions import Fraction
from math import acos, pi, sqrt

import numpy as np

from exactregions import Network
from proofs_checks.lemmas.registry import register
from proofs_checks.lemmas.support.hypotheses import HAS_NEURONS
from proofs_checks.lemmas.support.random_networks import draw
from proofs_checks.lemmas.support.related import truncate
from proofs_checks.lemmas.support.segments import cut, point_on
from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.verdict import Estimate, Outcome, Scope, fails, holds

__all__ = ["check", "crossings_and_prediction"]

_REACH = 3


@register(
    "crofton_line",
    title="Expected number of cuts of a line",
    text="For random networks of these widths, the mean number of cuts of a line of length 6 through 0 is n_l / pi"
    " times the mean angle swept by (s h, sigma), for each layer.",
    latex=r"\mathbb{E}\,\#\{t : w \cdot h(t) + b = 0\} = \tfrac1\pi \operatorname{length} \frac{(s\,h,"
    r" \sigma)}{|(s\,h, \sigma)|}",
    source="Crofton's formula on the sphere; sharpens the one-dimensional case of Hanin & Rolnick 2019",
    route="exact cuts of the line in freshly drawn networks (seed 0), against angles in floating point",
    scope=Scope.AVERAGE,
    hypotheses=(HAS_NEURONS,),
    statistical=True,
    needs_complex=False,
)
def check(subject: Subject) -> Outcome:
    """Estimate the difference between exact counts and the formula."""
    rng = np.random.default_rng(0)
    widths = subject.network.widths
    start = (Fraction(-_REACH), *(Fraction(0),) * (subject.dim - 1))
    end = (Fraction(_REACH), *(Fraction(0),) * (subject.dim - 1))
    counted, differences = [], []
    for _ in range(subject.samples):
        counts, predicted = crossings_and_prediction(draw(rng, subject.dim, widths), start, end)
        counted.append(float(sum(counts)))
        differences.append(sum(counts) - sum(predicted))
    total = Estimate.of("cuts of the line", counted, against=sum(counted) / len(counted) - float(np.mean(differences)))
    gap = Estimate.of("cuts less the formula", differences, against=0.0)
    if gap.low <= 0 <= gap.high:
        return holds(estimates=[total, gap], widths=list(widths))
    return fails({"mean_difference": gap.mean, "interval": [gap.low, gap.high]}, estimates=[total, gap])


def crossings_and_prediction(network: Network, start: Point, end: Point) -> tuple[tuple[int, ...], list[float]]:
    """Return for each layer how often it cuts a segment, exactly, and how often on average given the layers before.

    The network's weights in a layer with m inputs have variance 2 / m, its biases variance 1.
    """
    found = cut(network, start, end)
    predicted = []
    for depth, layer in enumerate(network.layers):
        earlier = truncate(network, depth)
        knots = cut(earlier, start, end).knots if depth else (Fraction(0), Fraction(1))
        scale = sqrt(2 / layer.n_inputs)
        images = [_image(earlier, point_on(start, end, t), depth) for t in knots]
        curve = np.array([[*(scale * float(x) for x in point), 1.0] for point in images])
        curve /= np.linalg.norm(curve, axis=1, keepdims=True)
        cosines = np.clip(np.sum(curve[:-1] * curve[1:], axis=1), -1.0, 1.0)
        predicted.append(layer.n_outputs / pi * sum(map(acos, cosines.tolist())))
    return found.by_layer, predicted


def _image(earlier: Network, point: Point, depth: int) -> Point:
    return earlier(point) if depth else point
