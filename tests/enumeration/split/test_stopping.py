"""A search that is stopped says so: its count is a lower bound, by every kernel, in every mode."""

from __future__ import annotations

import pytest

import exactregions as er
from exactregions.enumeration.split import split
from tests.enumeration.split.checks import check_listing
from tests.oracles import LADDER_COUNTS
from tests.oracles.ladder import build

NAME = "d3-64x2"
TOTAL = LADDER_COUNTS[NAME]["n_cells"]
NETWORK = er.Network(build(NAME)[:-1])
SPACE = er.WholeSpace(3)
RUNS = pytest.mark.parametrize(
    ("kernel", "mode", "threads"),
    [
        (kernel, mode, threads)
        for kernel in ("vertices", "dictionary")
        for mode in ("count", "list")
        for threads in (1, 2)
    ],
)


def run(kernel, mode, threads, **options):
    return split(NETWORK, SPACE, rung="float", kernel=kernel, mode=mode, threads=threads, **options)


@RUNS
def test_a_budget_that_is_spent_gives_a_lower_bound(kernel, mode, threads):
    found = run(kernel, mode, threads, max_cells=1000)
    assert found.status == "lower_bound"
    assert 1000 <= found.n_cells < TOTAL
    if mode == "list":
        check_listing(NETWORK, SPACE, found, sample=20)


@RUNS
def test_a_budget_that_is_not_spent_changes_nothing(kernel, mode, threads):
    found = run(kernel, mode, threads, max_cells=TOTAL + 1)
    assert (found.status, found.n_cells) == ("exact", TOTAL)


@RUNS
def test_an_interrupt_gives_a_lower_bound_of_what_was_found(kernel, mode, threads):
    def stop(found, waiting):
        if found:
            raise KeyboardInterrupt

    found = run(kernel, mode, threads, progress=stop)
    assert found.status == "lower_bound"
    assert 0 < found.n_cells < TOTAL


@RUNS
def test_progress_rises_and_its_estimate_ends_at_the_count(kernel, mode, threads):
    seen = []
    found = run(kernel, mode, threads, progress=lambda done, waiting: seen.append((done, waiting)))
    done = [pair[0] for pair in seen]
    assert done == sorted(done)
    assert seen[-1] == (TOTAL, 0)
    assert found.status == "exact"
    early = [sum(pair) for pair in seen if pair[1] and pair[0] > TOTAL / 4]
    assert early
    assert all(TOTAL / 3 < estimate < 3 * TOTAL for estimate in early)


def test_count_cells_says_lower_bound_beyond_its_budget():
    """It once said `exact` of 79,345 cells of this network, whose search the budget had stopped."""
    counted = er.count_cells(er.Network(build("d6-16x2")[:-1]), engine="split", max_cells=1000)
    assert counted.status is er.Status.LOWER_BOUND
    assert 1000 <= counted.n_cells < LADDER_COUNTS["d6-16x2"]["n_cells"]
