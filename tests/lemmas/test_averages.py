"""The Monte Carlo figures that the project's mathematical notes quote, from exact counts, within their error bars.

Fixed seeds: numpy's default_rng, weights and biases drawn layer by layer, W_1, b_1, W_2, b_2, ...
"""

from __future__ import annotations

from fractions import Fraction
from math import atan, pi, sqrt

import numpy as np
import pytest

import exactregions as er
from proofs_checks.lemmas import Estimate
from proofs_checks.lemmas.hanin_rolnick.crofton_line import crossings_and_prediction
from proofs_checks.lemmas.support.random_networks import draw
from proofs_checks.lemmas.zero_bias.average import count_cones

pytestmark = pytest.mark.slow
WINDOW = er.Box([-1, -1], [1, 1])


def test_cuts_of_a_line_by_layer():
    """Widths 8, 8, 8 on [-3, 3]: simulated 6.821, 6.039, 5.245 with standard errors .022, .049, .057."""
    rng = np.random.default_rng(0)
    counts, predictions = [], []
    for _ in range(2000):
        counted, predicted = crossings_and_prediction(draw(rng, 1, (8, 8, 8)), (Fraction(-3),), (Fraction(3),))
        counts.append(counted)
        predictions.append(predicted)
    counts, predictions = np.array(counts, float), np.array(predictions)
    errors = counts.std(axis=0, ddof=1) / sqrt(2000)
    assert np.allclose(errors, [0.022, 0.049, 0.057], atol=0.004)
    assert np.all(abs(counts.mean(axis=0) - [6.821, 6.039, 5.245]) < 3 * sqrt(2) * errors)
    assert np.allclose(predictions[:, 0], 16 / pi * atan(3 * sqrt(2)), atol=1e-9)
    assert predictions[0, 0] == pytest.approx(6.821095, abs=1e-6)
    assert np.all(abs(predictions.mean(axis=0) - [6.821095, 6.001, 5.293]) < [1e-5, 0.15, 0.2])
    for layer in range(3):
        gap = Estimate.of("gap", (counts - predictions)[:, layer].tolist())
        assert gap.low <= 0 <= gap.high


@pytest.mark.parametrize(
    ("widths", "quoted"),
    [
        ((96,), [4654, 4654, 4653]),
        ((48, 48), [4530, 4420, 4461]),
        ((32, 32, 32), [4505, 4602, 5175, 4258, 5431]),
        ((24, 24, 24, 24), [4560, 4430, 5033]),
    ],
)
def test_counts_in_the_window_seed_by_seed(widths, quoted):
    """He weights, biases N(0, 1e-6); the quoted counts are floating-point ones and may be off by one."""
    for seed, count in enumerate(quoted):
        network = draw(np.random.default_rng(seed), 2, widths, bias_deviation=1e-3)
        assert abs(er.count_cells(network, WINDOW).n_cells - count) <= 1


@pytest.mark.parametrize(
    ("widths", "mean", "samples"),
    [((30,), 465.8, 20), ((15, 15), 445.5, 40), ((10, 10, 10), 471.7, 40), ((6, 6, 6, 6, 6), 396.8, 60)],
)
def test_mean_counts_in_the_window_do_not_grow_with_depth(widths, mean, samples):
    """N = 30; N^2 / 2 = 450."""
    counts = [
        er.count_cells(
            draw(np.random.default_rng(seed), 2, widths, bias_deviation=1e-3), WINDOW, engine="split"
        ).n_cells
        for seed in range(samples)
    ]
    estimate = Estimate.of("cells", counts)
    assert estimate.low <= mean <= estimate.high


def test_one_layer_without_biases_has_twice_n_cones():
    rng = np.random.default_rng(0)
    assert {count_cones(draw(rng, 2, (96,), bias_deviation=0.0)) for _ in range(5)} == {192}


@pytest.mark.parametrize(
    ("widths", "quoted"),
    [
        ((48, 48), 193.4),
        ((32, 32, 32), 195.9),
        ((24, 24, 24, 24), 199.6),
        ((10, 10, 10), 61.2),
        ((6, 6, 6, 6, 6), 53.2),
    ],
)
def test_mean_numbers_of_cones(widths, quoted):
    """At most about 2 N on average; by the engine, and for the first few around a square as well.

    The quoted means are of few networks (their range for 48-48, 186 to 208, is that of about ten), so that they have an
    error of their own.  Over 100 networks the mean is nearer to 2 N than quoted, and below it for the narrow ones.
    """
    rng = np.random.default_rng(0)
    drawn = [draw(rng, 2, widths, bias_deviation=0.0) for _ in range(100)]
    counts = np.array([er.count_cells(network, engine="split").n_cells for network in drawn], float)
    assert [count_cones(network) for network in drawn[:3]] == counts[:3].tolist()
    deviation = counts.std(ddof=1)
    assert abs(counts.mean() - quoted) < 2.6 * deviation * sqrt(1 / 100 + 1 / 10)
    assert Estimate.of("cones", counts.tolist()).low <= 2 * sum(widths)
