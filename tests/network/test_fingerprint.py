from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactregions.network import Network, PiecewiseLinear
from exactregions.network.fingerprint import canonical_text
from tests.network.reference import Plain, plains

WORKED = """\
exactregions-network 1
input 2
layer 2
1/2 -1 1/10 | breakpoints 0 ; slopes 0 1 ; anchor 0 0
0 3 0 | breakpoints -1 1 ; slopes 0 1 0 ; anchor -1 -1
layer 1
2 -2 0 | breakpoints 0 ; slopes 1/10 1 ; anchor 0 0
output 2
1 0
-1 5
"""
SHA256 = "6e1edeb6ad24a99edace8ce3a04383f1e3c3b5c6e949a153f95c382d8955af77"


def worked() -> Network:
    return Network(
        [([["2/4", -1], [0, 3.0]], ["0.1", 0]), ([[2, "-2"]], [0])],
        output=([[1], [-1]], [0, 5]),
        activation=[["relu", "hardtanh[-1,1]"], "leaky_relu(0.1)"],
    )


def test_the_worked_example_has_this_text_and_this_fingerprint() -> None:
    assert canonical_text(worked()) == WORKED
    assert hashlib.sha256(WORKED.encode()).hexdigest() == SHA256
    assert worked().fingerprint == SHA256


def test_networks_without_output_or_layers_have_a_text_too() -> None:
    assert canonical_text(Network([], input_dim=3)) == "exactregions-network 1\ninput 3\noutput none\n"


def test_the_spelling_of_a_number_does_not_matter() -> None:
    weights = [[0.5, -0.0], [3.0, 2.0**-30]]
    spellings: list[Any] = [
        np.array(weights, np.float32),
        np.array(weights, np.float64),
        np.array(weights, np.longdouble),
        [["1/2", "0"], ["3", f"1/{2**30}"]],
        [["0.5", 0], ["0x1.8p1", "0x1p-30"]],
        [[Fraction(1, 2), Fraction(0)], [Fraction(3), Fraction(1, 2**30)]],
    ]
    networks = [Network([(spelling, [0, 0])]) for spelling in spellings]
    assert len({network.fingerprint for network in networks}) == 1
    assert len(set(networks)) == 1


def test_a_float32_tenth_is_not_a_float64_tenth_nor_a_tenth() -> None:
    tenths: list[Any] = [np.float32("0.1"), 0.1, "0.1"]
    assert len({Network([([[tenth]], [0])]).fingerprint for tenth in tenths}) == 3


def test_the_anchor_may_be_given_anywhere() -> None:
    lines = [PiecewiseLinear([1], [0, 2], anchor) for anchor in [(1, 0), (-5, 0), (3, 4)]]
    assert len({Network([([[1]], [0])], activation=line).fingerprint for line in lines}) == 1


@given(plains(), st.data())
def test_any_change_of_a_number_changes_it(plain: Plain, data: st.DataObject) -> None:
    parts = [*plain.layers, *([plain.output] if plain.output else [])]
    if not parts:
        return
    before = plain.network().fingerprint
    W, b = parts[data.draw(st.integers(0, len(parts) - 1))]
    vector = data.draw(st.sampled_from([*W, b]))
    vector[data.draw(st.integers(0, len(vector) - 1))] += Fraction(1, 2**60)
    assert plain.network().fingerprint != before


@given(plains())
def test_equal_networks_are_equal_and_hash_alike(plain: Plain) -> None:
    first, second = plain.network(), plain.network()
    assert first == second
    assert hash(first) == hash(second)


def test_activation_output_and_order_of_neurons_change_it() -> None:
    layers = [([[1], [2]], [0, 0])]
    variants = [
        Network(layers),
        Network(layers, activation="abs"),
        Network(layers, activation=[["relu", "abs"]]),
        Network(layers, activation="leaky_relu(0.1)"),
        Network(layers, output=([[1, 0], [0, 1]], [0, 0])),
        Network([([[2], [1]], [0, 0])]),
        Network([], output=layers[0]),
    ]
    assert len({network.fingerprint for network in variants}) == len(variants)
    assert Network(layers) != "a network"
