"""The compiled search on residues: it agrees with the integers, and it does not believe too few primes."""

from __future__ import annotations

from itertools import islice
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactregions.analysis.random_networks import random_network
from exactregions.analysis.shapes import generic_regions
from exactregions.arrangements import Arrangement, residues
from exactregions.arrangements.deletion import FewRepeatsError, WhitneyCounter
from exactregions.arrangements.residues import primes_below, whitney_by_residues
from exactregions.errors import UndecidedError
from tests.arrangements.test_counting import arrangements
from tests.oracles import ARRANGEMENTS


@pytest.mark.parametrize("entry", ARRANGEMENTS, ids=lambda entry: entry["name"])
def test_residues_give_the_frozen_polynomials(entry):
    arrangement = Arrangement.from_rows(entry["rows"])
    found = whitney_by_residues(arrangement.hyperplanes, arrangement.dim)
    assert list(found) == [abs(value) for value in reversed(entry["charpoly_low_to_high"])]


@given(arrangements(max_rows=9), st.integers(0, 80))
@settings(max_examples=200)
def test_residues_agree_with_integers(case, bits):
    dim, rows = case
    # a multiple of a large number moves rows little, and makes minors large or nearly 0
    moved = [[(value << bits) + (value if k % 2 else 0) for value in row] for k, row in enumerate(rows)]
    arrangement = Arrangement.from_rows(moved, dim)
    by_integers = WhitneyCounter().whitney(arrangement.hyperplanes, dim)
    assert whitney_by_residues(arrangement.hyperplanes, dim) == by_integers


def test_a_minor_divisible_by_the_first_prime_is_no_zero():
    # modulo 2^31 - 1 the last two lines coincide, so that one prime alone would see a line less
    prime = next(primes_below(1 << 31))
    rows = [(1, 0, 0), (0, 1, 0), (1, 1, 1), (1, 1, 1 + prime)]
    assert whitney_by_residues(rows, 2) == (1, 4, 5)
    dense = residues._dense(rows, 2)
    assert residues._run(dense, 2, [prime], proved=False, max_nodes=None) is None
    assert residues._run(dense, 2, [prime], proved=True, max_nodes=None) == (1, 3, 3)  # what believing it would give


@given(arrangements(max_rows=6), st.sampled_from([3, 5, 7, 11, 101]))
@settings(max_examples=100)
def test_one_small_prime_is_right_or_refuses(case, prime):
    dim, rows = case
    arrangement = Arrangement.from_rows(rows, dim)
    if not arrangement.hyperplanes:
        return
    dense = residues._dense(arrangement.hyperplanes, dim)
    found = residues._run(dense, dim, [prime], proved=False, max_nodes=None)
    assert found in (None, WhitneyCounter().whitney(arrangement.hyperplanes, dim))


def test_a_pivot_that_vanishes_modulo_one_of_the_primes_is_a_refusal():
    rows = [[3, 1, 1], [1, 5, 2], [1, 2, 7]]
    assert residues._run(rows, 2, [3, 1009], proved=True, max_nodes=None) is None
    assert residues._run(rows, 2, [1013, 1009], proved=True, max_nodes=None) == (1, 3, 3)


def test_primes_that_keep_failing_end_in_undecided(monkeypatch):
    monkeypatch.setattr(residues, "_run", lambda *_, **__: None)
    with pytest.raises(UndecidedError, match="pivot vanished"):
        whitney_by_residues([(1, 0), (1, 1)], 1)


def test_enough_primes_are_taken_for_the_minors(monkeypatch):
    taken = []
    run = residues._run

    def watched(dense, dim, primes, **options):
        taken.append((prod(primes), max(abs(round(np.linalg.det(np.array(dense[:3], dtype=float)))), 1)))
        return run(dense, dim, primes, **options)

    monkeypatch.setattr(residues, "_run", watched)
    rows = [(1, 0, 2**40), (0, 1, 3**20), (1, 1, 2**40 + 3**20)]  # concurrent
    assert whitney_by_residues(rows, 2) == (1, 3, 2)
    (_, _), (product, _) = taken
    assert product > residues._hadamard(residues._dense(rows, 2), 3)


def test_primes():
    sieve = [n for n in range(2, 2000) if all(n % k for k in range(2, n))]
    assert list(primes_below(2000)) == sieve[::-1]
    assert list(islice(primes_below(1 << 31), 3)) == [2147483647, 2147483629, 2147483587]


def test_limits():
    arrangement = Arrangement.of_network(random_network(5, (14,)))
    with pytest.raises(UndecidedError, match="more than 50 restrictions"):
        whitney_by_residues(arrangement.hyperplanes, 5, max_nodes=50)
    with pytest.raises(FewRepeatsError, match="met again"):
        WhitneyCounter(patience=20).whitney(arrangement.hyperplanes, 5)


@pytest.mark.parametrize(("dim", "width"), [(2, 500), (3, 120), (7, 24)])
def test_random_layers_are_in_general_position(dim, width):
    network = random_network(dim, (width,), rng=3)
    assert Arrangement.of_network(network).n_regions == generic_regions(width, dim)


def test_repeated_rows_among_many_are_merged():
    # more rows than are compared in pairs, each line three times over
    rows = [(1, k, k * k) for k in range(60)]
    dense = residues._dense([row for row in rows for _ in range(3)], 2)
    primes = list(islice(primes_below(1 << 31), 6))
    single = residues._run(residues._dense(rows, 2), 2, primes, proved=True, max_nodes=None)
    assert residues._run(dense, 2, primes, proved=True, max_nodes=None) == single
