"""Architectures up to (3; 4, 4, 4): parameters without hidden symmetry, found by the search, frozen, certified here.

Where the first layer is narrower than the input, the frozen parameters for as many inputs as it has neurons are taken,
and further inputs that it does not look at: it still maps onto all of its R^n, so that nothing more is hidden.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import exactregions as er
from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.mechanisms import MechanismKind
from exactregions.analysis.random_networks import random_network
from exactregions.analysis.symmetries import symmetries
from exactregions.analysis.symmetry_existence import find_without_hidden_symmetry
from exactregions.regions import Status

FROZEN = [json.loads(line) for line in Path(__file__).with_name("no_hidden_symmetry.jsonl").read_text().splitlines()]


NONE_EXISTS = (1, 1, 1)  # see the test of three single neurons


def shape(entry):
    return entry["input_dim"], tuple(entry["widths"])


FOUND = {shape(entry): entry for entry in FROZEN}


def architectures(*depths):
    """All architectures up to (3; 4, 4, 4) but those that have no such parameters."""
    for dim, depth in product((1, 2, 3), depths):
        for widths in product(range(1, 5), repeat=depth):
            if widths != NONE_EXISTS:
                yield dim, widths


def certify(dim, widths):
    entry = FOUND[min(dim, widths[0]), widths]
    *hidden, last = [([row[:-1] for row in table], [row[-1] for row in table]) for table in entry["layers"]]
    rows, biases = hidden[0]
    hidden[0] = [row + [0] * (dim - len(row)) for row in rows], biases
    network = er.Network(hidden, output=last, input_dim=dim)
    assert (network.input_dim, network.widths) == (dim, widths)
    found = functional_dimension(er.enumerate_regions(network))
    assert found.status is Status.EXACT
    assert found.value == found.upper_bound


@pytest.mark.parametrize(("dim", "widths"), list(architectures(1, 2)))
def test_one_and_two_layers_without_hidden_symmetry(dim, widths):
    certify(dim, widths)


@pytest.mark.slow
@pytest.mark.parametrize(("dim", "widths"), list(architectures(3)))
def test_three_layers_without_hidden_symmetry(dim, widths):
    certify(dim, widths)


def test_three_single_neurons_in_a_row_always_have_one():
    """The proof is in the docstring of the search; here every sign and every order of the biases is gone through.

    Rows may be rescaled to -1, 0 or 1, x so that z1 = x, and all of it so that b2 is -2, 0 or 2; then only the place of
    b3 among 0 and b2 matters.  (With a first weight of 0 the function is constant.)
    """
    signs = (-1, 0, 1)
    for w2, w3, v in product(signs, signs, (0, 1)):
        for b2, b3 in product((-2, 0, 2), range(-3, 4)):
            network = er.Network([([[1]], [0]), ([[w2]], [b2]), ([[w3]], [b3])], output=([[v]], [0]))
            cells = er.enumerate_regions(network)
            assert sum(any(map(any, cell.affine_map.weights)) for cell in cells) <= 1
            found = functional_dimension(cells)
            assert (found.value or 0) <= 4 < found.upper_bound


@pytest.mark.parametrize("layers", [3, 4, 5, 6])
def test_longer_rows_of_single_neurons_have_no_more_dimensions(layers):
    rng = np.random.default_rng(layers)
    for _ in range(20):
        found = functional_dimension(er.enumerate_regions(random_network(1, (1,) * layers, law="integer", rng=rng)))
        assert found.upper_bound == layers + 2
        assert (found.value or 0) <= 4


@pytest.mark.parametrize(("dim", "widths"), [(2, (1, 1, 1)), (2, (2, 1, 1, 1)), (2, (1, 1, 1, 2)), (1, (3, 1, 1, 1))])
def test_so_do_three_single_neurons_within_other_layers(dim, widths):
    rng = np.random.default_rng(0)
    for _ in range(30):
        found = functional_dimension(er.enumerate_regions(random_network(dim, widths, law="integer", size=6, rng=rng)))
        assert found.value is None or found.value < found.upper_bound


def test_a_search_that_finds_nothing_returns_its_best():
    network, deficit = find_without_hidden_symmetry(1, (1, 1, 1), rng=np.random.default_rng(0), steps=100)
    assert deficit == 1
    assert network.widths == (1, 1, 1)


def test_what_prevents_it_in_a_row_of_single_neurons_is_named():
    seen = set()
    for seed in range(12):
        network = random_network(3, (1, 1, 1), law="integer", rng=seed)
        report = symmetries(er.enumerate_regions(network))
        assert report.dimension.deficit != 0
        assert not report.unexplained
        seen |= set(report.credits)
    assert MechanismKind.STABLY_UNACTIVATED in seen
    assert MechanismKind.LAYER_OFF in seen
