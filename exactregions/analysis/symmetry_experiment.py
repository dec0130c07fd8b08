"""How often does a random network have no hidden symmetry?  The experiment of seed 003, with exact ranks.

Grigsby, Lindsey and Rolnick (2023) approximate functional dimensions at initialisation by batch ranks, and find that
the probability of having no hidden symmetry falls with depth and grows with width and input dimension.  Here every
functional dimension is exact, so a fraction is off by sampling alone, and its confidence interval (Clopper and Pearson
1934) says by how much.  A floating-point batch rank is recorded beside it, to see where batches undercount.

Every network is a pure function of the setting, the seed and its index, so a run can be stopped, resumed from its file
of records, and spread over processes, without changing any figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

import numpy as np

from exactregions.analysis.batch_float import float_batch_rank
from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.random_networks import random_network
from exactregions.enumeration import enumerate_regions
from exactregions.errors import FormatError, InputError
from exactregions.network import Network

__all__ = [
    "Fraction95",
    "Record",
    "Setting",
    "confidence_interval",
    "draw",
    "fraction_without_hidden_symmetry",
    "measure",
    "run",
    "stably_unactivated",
]


@dataclass(frozen=True, slots=True)
class Setting:
    """One architecture and law: He weights, biases N(0, bias_std^2), one output.

    Attributes
    ----------
    input_dim, width, depth : int
    bias_std : float
    """

    input_dim: int
    width: int
    depth: int
    bias_std: float = 1.0


@dataclass(frozen=True, slots=True)
class Record:
    """What was found of one network.

    Attributes
    ----------
    setting : Setting
    seed, index : int
    n_cells : int
    value : int
        The functional dimension, exactly.
    upper_bound : int
    batch_rank : int or None
        The floating-point rank on `n_points` points drawn from N(0, I).
    n_points : int
    """

    setting: Setting
    seed: int
    index: int
    n_cells: int
    value: int
    upper_bound: int
    batch_rank: int | None = None
    n_points: int = 0

    def to_line(self) -> str:
        """Return one line of the file of records."""
        one = self.setting
        batch = "" if self.batch_rank is None else self.batch_rank
        shape = (one.input_dim, one.width, one.depth, repr(one.bias_std))
        found = (self.seed, self.index, self.n_cells, self.value, self.upper_bound, batch, self.n_points)
        return ",".join(map(str, (*shape, *found)))

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Read one line of the file of records.

        Examples
        --------
        >>> Record.from_line("2,3,1,1.0,0,7,7,10,10,,0").setting
        Setting(input_dim=2, width=3, depth=1, bias_std=1.0)
        """
        parts = line.split(",")
        if len(parts) != len(_HEADER.split(",")):
            raise FormatError(f"not a record: {line[:60]!r}", remedy=f"the columns are {_HEADER}")
        setting = Setting(int(parts[0]), int(parts[1]), int(parts[2]), float(parts[3]))
        batch = int(parts[9]) if parts[9] else None
        seed, index, n_cells, value, upper_bound = map(int, parts[4:9])
        return cls(setting, seed, index, n_cells, value, upper_bound, batch, int(parts[10]))


_HEADER = "input_dim,width,depth,bias_std,seed,index,n_cells,value,upper_bound,batch_rank,n_points"


def _source(setting: Setting, seed: int, index: int) -> np.random.Generator:
    return np.random.default_rng([seed, setting.input_dim, setting.width, setting.depth, index])


def draw(setting: Setting, seed: int, index: int) -> Network:
    """Return a network of the experiment.

    Examples
    --------
    >>> draw(Setting(2, 3, 2), 0, 5)
    <Network 2-3-3-1 relu>
    """
    widths = (setting.width,) * setting.depth
    return random_network(setting.input_dim, widths, rng=_source(setting, seed, index), bias_std=setting.bias_std)


def measure(setting: Setting, seed: int, index: int, n_points: int = 0) -> Record:
    """Compute the record of one network.

    Examples
    --------
    >>> found = measure(Setting(2, 3, 1), 0, 0)
    >>> found.value, found.upper_bound
    (10, 10)
    """
    network = draw(setting, seed, index)
    cells = enumerate_regions(network)
    exact = functional_dimension(cells)
    if exact.value is None:
        raise InputError("a network of this law has no smooth cell, which has probability 0", where=f"index {index}")
    batch = None
    if n_points:
        points = _source(setting, seed + 1, index).normal(size=(n_points, setting.input_dim))
        batch = float_batch_rank(network, points)
    return Record(setting, seed, index, len(cells), exact.value, exact.upper_bound, batch, n_points)


def run(
    settings: Iterable[Setting],
    count: int,
    *,
    seed: int = 0,
    n_points: int = 0,
    records: str | PathLike[str] | None = None,
    workers: int = 1,
) -> list[Record]:
    """Measure `count` networks of every setting.

    Parameters
    ----------
    settings : iterable of Setting
    count : int
    seed : int
    n_points : int
        Size of the batch whose rank is computed too; 0 for none.
    records : path, optional
        A CSV file of records: those in it are not computed again, and new ones are appended as they come.
    workers : int
        Number of processes.

    Examples
    --------
    >>> len(run([Setting(1, 2, 1), Setting(1, 2, 2)], 3))
    6
    """
    file = None if records is None else Path(records)
    known: dict[tuple[Setting, int], Record] = {}
    if file is not None and file.exists():
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            record = Record.from_line(line)
            if record.seed == seed and record.n_points == n_points:
                known[record.setting, record.index] = record
    wanted = [(setting, index) for setting in settings for index in range(count)]
    missing = [task for task in wanted if task not in known]
    for record in _computed(missing, seed, n_points, workers):
        known[record.setting, record.index] = record
        if file is not None:
            _append(file, record)
    return [known[task] for task in wanted]


def _append(file: Path, record: Record) -> None:
    fresh = not file.exists()
    with file.open("a", encoding="utf-8") as stream:
        stream.write((_HEADER + "\n" if fresh else "") + record.to_line() + "\n")


def _computed(tasks: Sequence[tuple[Setting, int]], seed: int, n_points: int, workers: int) -> Iterable[Record]:
    one = partial(_one, seed=seed, n_points=n_points)
    if workers == 1 or len(tasks) < 2:
        yield from map(one, tasks)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(one, tasks)


def _one(task: tuple[Setting, int], *, seed: int, n_points: int) -> Record:
    return measure(task[0], seed, task[1], n_points)


@dataclass(frozen=True, slots=True)
class Fraction95:
    """A fraction of trials, with its 95 percent confidence interval.

    Attributes
    ----------
    successes, trials : int
    lower, upper : float
    """

    successes: int
    trials: int
    lower: float
    upper: float

    @property
    def value(self) -> float:
        """Successes by trials."""
        return self.successes / self.trials


def confidence_interval(successes: int, trials: int) -> Fraction95:
    """Return the fraction with its exact 95 percent interval (Clopper and Pearson 1934).

    Examples
    --------
    >>> found = confidence_interval(0, 60)
    >>> found.lower, round(found.upper, 4)
    (0.0, 0.0596)
    """
    from scipy.stats import beta

    if not 0 <= successes <= trials or not trials:
        raise InputError(f"{successes} successes in {trials} trials")
    lower = float(beta.ppf(0.025, successes, trials - successes + 1)) if successes else 0.0
    upper = float(beta.ppf(0.975, successes + 1, trials - successes)) if successes < trials else 1.0
    return Fraction95(successes, trials, lower, upper)


def fraction_without_hidden_symmetry(records: Iterable[Record], *, by_batch: bool = False) -> dict[Setting, Fraction95]:
    """Return, for each setting, how many networks attain the upper bound.

    Parameters
    ----------
    records : iterable of Record
    by_batch : bool
        Judge by the floating-point batch rank instead, as one would without the exact value.
    """
    tables: dict[Setting, list[bool]] = {}
    for record in records:
        rank = record.batch_rank if by_batch else record.value
        if rank is None:
            raise InputError("the records hold no batch ranks", remedy="run with n_points")
        tables.setdefault(record.setting, []).append(rank == record.upper_bound)
    return {setting: confidence_interval(sum(full), len(full)) for setting, full in tables.items()}


def stably_unactivated(input_dim: int, width: int, count: int, rng: np.random.Generator) -> Fraction95:
    """Return how often a second-layer neuron is off everywhere, of `count` draws with normal weights and biases.

    For any law that is symmetric under changes of sign the probability is 2^-(width + 1) if width <= input_dim, and
    (2^input_dim + 1) / 4^(input_dim + 1) if width = input_dim + 1 (abstract of arXiv 2412.06829).

    Examples
    --------
    >>> stably_unactivated(1, 1, 8, np.random.default_rng(0)).successes
    3
    """
    off = 0
    for _ in range(count):
        network = random_network(input_dim, (width, 1), rng=rng, outputs=0)
        cells = enumerate_regions(network)
        off += not any(pattern[-1] for pattern in cells.patterns())
    return confidence_interval(off, count)
