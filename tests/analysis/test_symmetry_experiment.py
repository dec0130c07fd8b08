"""The experiment: resumable, parallel, reproducible; its intervals; and its agreement with what was found before."""

from __future__ import annotations

import csv
from itertools import pairwise
from math import comb
from pathlib import Path

import numpy as np
import pytest

import exactregions as er
from exactregions.analysis import symmetry_experiment as module
from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.symmetry_experiment import (
    Record,
    Setting,
    confidence_interval,
    draw,
    fraction_without_hidden_symmetry,
    measure,
    run,
    stably_unactivated,
)
from exactregions.errors import FormatError, InputError

COMMITTED = Path("notebooks/hidden_symmetries/records.csv")

# MATH notes, 2.4: fractions of 60 networks by batch ranks, depths 1 to 4, inputs = width
EARLIER = {3: (60, 33, 6, 1), 5: (60, 41, 14, 1)}


def test_a_stopped_run_is_resumed_and_changes_no_figure(tmp_path, monkeypatch):
    settings = [Setting(1, 2, 1), Setting(2, 2, 2)]
    whole = run(settings, 4, n_points=20)
    file = tmp_path / "records.csv"
    assert run(settings, 2, n_points=20, records=file) == [r for r in whole if r.index < 2]
    measured = []
    monkeypatch.setattr(module, "measure", lambda *task: measured.append(task[2]) or measure(*task))
    assert run(settings, 4, n_points=20, records=file) == whole
    assert measured == [2, 3, 2, 3]
    assert run(settings, 4, n_points=20, records=file) == whole
    assert len(measured) == 4
    assert len(list(csv.DictReader(file.open()))) == 8


def test_several_processes_give_the_same_records():
    settings = [Setting(2, 2, 1)]
    assert run(settings, 3, workers=2) == run(settings, 3)


def test_records_with_another_seed_or_batch_are_not_mixed_in(tmp_path):
    file = tmp_path / "records.csv"
    one = run([Setting(2, 2, 1)], 2, records=file)
    other = run([Setting(2, 2, 1)], 2, records=file, seed=1, n_points=5)
    assert {r.seed for r in one} == {0}
    assert {(r.seed, r.n_points) for r in other} == {(1, 5)}
    assert draw(Setting(2, 2, 1), 0, 0) != draw(Setting(2, 2, 1), 1, 0)


def test_lines_that_are_no_records_are_refused():
    with pytest.raises(FormatError, match="not a record"):
        Record.from_line("1,2,3")
    record = measure(Setting(1, 1, 1, 0.5), 3, 1, 4)
    assert Record.from_line(record.to_line()) == record


def test_batch_fractions_need_batch_ranks():
    with pytest.raises(InputError, match="no batch ranks"):
        fraction_without_hidden_symmetry([measure(Setting(1, 1, 1), 0, 0)], by_batch=True)


@pytest.mark.parametrize(("successes", "trials"), [(0, 5), (3, 7), (7, 7), (30, 60)])
def test_confidence_intervals_leave_a_fortieth_on_either_side(successes, trials):
    found = confidence_interval(successes, trials)

    def at_least(k, p):
        return sum(comb(trials, j) * p**j * (1 - p) ** (trials - j) for j in range(k, trials + 1))

    assert found.lower <= found.value <= found.upper
    if successes:
        assert at_least(successes, found.lower) == pytest.approx(0.025)
    if successes < trials:
        assert 1 - at_least(successes + 1, found.upper) == pytest.approx(0.025)
    with pytest.raises(InputError):
        confidence_interval(trials + 1, trials)


@pytest.mark.parametrize(("n0", "n1"), [(1, 1), (2, 2), (1, 2)])
def test_the_probability_of_never_being_on(n0, n1):
    theory = 2.0 ** -(n1 + 1) if n1 <= n0 else (2**n0 + 1) / 4 ** (n0 + 1)
    found = stably_unactivated(n0, n1, 250, np.random.default_rng([n0, n1]))
    assert found.lower <= theory <= found.upper


# -- the committed records ------------------------------------------------------------------------------------------


def _committed():
    lines = COMMITTED.read_text(encoding="utf-8").splitlines()[1:]
    return [Record.from_line(line) for line in lines]


def test_the_committed_records_are_what_the_networks_give():
    records = [record for record in _committed() if record.setting.depth <= 3 and record.setting.width <= 4]
    for record in np.random.default_rng(5).choice(np.array(records, dtype=object), 12, replace=False):
        again = measure(record.setting, record.seed, record.index)
        assert (again.value, again.upper_bound, again.n_cells) == (record.value, record.upper_bound, record.n_cells)


def test_no_batch_rank_exceeds_the_exact_value():
    assert all(record.batch_rank <= record.value for record in _committed() if record.batch_rank is not None)


@pytest.mark.parametrize("n", [3, 5])
def test_the_exact_curve_falls_with_depth_and_agrees_with_the_earlier_one_within_error_bars(n):
    records = [r for r in _committed() if r.setting.input_dim == r.setting.width == n and r.n_points]
    found = fraction_without_hidden_symmetry(records)
    values = [found[Setting(n, n, depth)] for depth in (1, 2, 3, 4)]
    assert all(a.value > b.value for a, b in pairwise(values))
    for mine, earlier in zip(values, EARLIER[n], strict=True):
        theirs = confidence_interval(earlier, 60)
        assert mine.lower <= theirs.upper
        assert theirs.lower <= mine.upper


def test_the_exact_curve_rises_with_inputs_but_falls_with_width_alone():
    records = [record for record in _committed() if record.setting.depth == 2 and not record.n_points]
    found = fraction_without_hidden_symmetry(records)
    inputs = [found[Setting(dim, 4, 2)] for dim in range(1, 7)]
    assert inputs[0].upper < inputs[1].lower < inputs[1].upper < inputs[-1].lower
    for dim, best, widest in ((2, 2, 12), (3, 4, 10)):
        assert found[Setting(dim, widest, 2)].upper < found[Setting(dim, best, 2)].lower


@pytest.mark.parametrize("index", range(8))
def test_inputs_beyond_the_width_of_the_first_layer_play_no_role(index):
    """A first layer of full row rank maps onto all of R^3, whatever it is: what is hidden is hidden behind it."""
    network = draw(Setting(3, 3, 2), 0, index)
    rows = [[1, 0, 0, 2, -1], [3, 1, 0, 0, 5], [-2, 4, 1, 7, 0]]
    wider = er.Network([(rows, [1, -2, 3]), *network.layers[1:]], output=network.output)
    deficits = [functional_dimension(er.enumerate_regions(one)).deficit for one in (network, wider)]
    assert deficits[0] == deficits[1]
