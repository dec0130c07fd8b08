"""What a check answers: a statement, and a verdict on it for one network.

A verdict says `HOLDS` with what was exhausted, `FAILS` with a counterexample in rationals that a reader can verify by
hand, or `NOT_APPLICABLE` with the hypothesis that fails and its witness.  A statistical statement is about an average
over random networks; its verdict carries estimates with confidence intervals and cannot be made without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from exactregions.errors import InputError
from exactregions.rational import format_rational

__all__ = ["Answer", "Estimate", "Hypothesis", "Outcome", "Scope", "Statement", "Verdict", "fails", "holds", "plain"]


class Answer(StrEnum):
    """The three answers of a check."""

    HOLDS = "HOLDS"
    FAILS = "FAILS"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class Scope(StrEnum):
    """For which networks a statement is true."""

    EVERY = "true for every network that meets the hypotheses"
    ALMOST_EVERY = "true for almost every choice of weights, false for some"
    FALSE = "false in general: a belief, kept to be refuted"
    AVERAGE = "about an average over random networks"
    EXAMPLE = "about one example"
    OPEN = "not classified"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about networks.

    Attributes
    ----------
    id : str
        Its name on the command line and in JSON.
    title, text, latex : str
        A few words, a sentence, and the same in LaTeX (without dollar signs).
    source : str
        Where it is stated.
    route : str
        How the check comes to its conclusion, and what that shares with the engine that listed the cells.
    scope : Scope
    statistical : bool
    """

    id: str
    title: str
    text: str
    latex: str = ""
    source: str = ""
    route: str = ""
    scope: Scope = Scope.OPEN
    statistical: bool = False


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A hypothesis, decided on the network: `failure` says what violates it, and is None if it holds."""

    name: str
    failure: str | None = None

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return self.failure is None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over exact counts, with a confidence interval.

    Attributes
    ----------
    name : str
    mean, low, high : float
        The mean and its interval.
    level : float
        Confidence level of the interval.
    samples : int
        How many random networks.
    against : float or None
        The value or bound that the statement names.
    """

    name: str
    mean: float
    low: float
    high: float
    level: float
    samples: int
    against: float | None = None

    @classmethod
    def of(
        cls, name: str, values: Sequence[float], *, against: float | None = None, level: float = 0.99, step: float = 1.0
    ) -> Estimate:
        """Estimate the mean of independent values, with Student's interval.

        The interval is not let become narrower than what n equal values allow to conclude: an event that did not occur
        in n trials has a probability of at most log(1 / (1 - level)) / n, and would have moved a value by `step`.

        Examples
        --------
        >>> estimate = Estimate.of("regions", [4, 6, 5, 5])
        >>> estimate.mean, estimate.low < 5 < estimate.high
        (5.0, True)
        """
        from scipy.stats import t

        count = len(values)
        if count < 2:
            raise InputError(f"{count} samples give no confidence interval", remedy="take at least two")
        mean = float(np.mean(values))
        half = float(t.ppf((1 + level) / 2, count - 1)) * float(np.std(values, ddof=1)) / count**0.5
        half = max(half, step * log(1 / (1 - level)) / count)
        return cls(name, mean, mean - half, mean + half, level, count, against)

    def __str__(self) -> str:
        text = f"{self.name}: {self.mean:.4g} in [{self.low:.4g}, {self.high:.4g}] ({self.level:.0%}, {self.samples})"
        return text if self.against is None else f"{text} against {self.against:.6g}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the function of a statement returns; see `holds` and `fails`."""

    answer: Answer
    detail: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Mapping[str, Any] | None = None
    reason: str = ""
    estimates: tuple[Estimate, ...] = ()


def holds(
    facts: Mapping[str, object] | None = None,
    /,
    *,
    estimates: Sequence[Estimate] = (),
    reason: str = "",
    **detail: object,
) -> Outcome:
    """Return the outcome of a check that found no counterexample; facts and details say what was exhausted."""
    return Outcome(Answer.HOLDS, {**(facts or {}), **detail}, None, reason, tuple(estimates))


def fails(
    counterexample: Mapping[str, object],
    facts: Mapping[str, object] | None = None,
    /,
    *,
    estimates: Sequence[Estimate] = (),
    reason: str = "",
    **detail: object,
) -> Outcome:
    """Return the outcome of a check that found a counterexample; `reason` says what in the network causes it."""
    return Outcome(Answer.FAILS, {**(facts or {}), **detail}, counterexample, reason, tuple(estimates))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one check for one network.

    Raises
    ------
    InputError
        For `FAILS` without a counterexample, and for a statistical statement decided without an estimate.
    """

    statement: Statement
    answer: Answer
    hypotheses: tuple[Hypothesis, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Mapping[str, Any] | None = None
    reason: str = ""
    estimates: tuple[Estimate, ...] = ()
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.answer is Answer.FAILS and not self.counterexample:
            raise InputError("FAILS needs a counterexample", where=self.statement.id)
        if self.statement.statistical and self.answer is not Answer.NOT_APPLICABLE and not self.estimates:
            raise InputError("a statistical statement needs an estimate with its interval", where=self.statement.id)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain values; rationals as strings."""
        facts: dict[str, Any] = {"verdict": self.answer.value}
        for key, value in (("detail", self.detail), ("counterexample", self.counterexample), ("reason", self.reason)):
            if value:
                facts[key] = plain(value)
        if self.estimates:
            names = ("name", "mean", "low", "high", "level", "samples", "against")
            facts["estimates"] = [{name: getattr(one, name) for name in names} for one in self.estimates]
        return facts

    @property
    def summary(self) -> str:
        """One line: why it does not apply, what refutes it, or what was exhausted."""
        if self.answer is Answer.NOT_APPLICABLE:
            return self.reason
        parts = [str(estimate) for estimate in self.estimates]
        shown = self.counterexample if self.answer is Answer.FAILS else self.detail
        parts += [f"{key.replace('_', ' ')} {_short(plain(value))}" for key, value in (shown or {}).items()]
        return "; ".join(parts)


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: rationals as ``"p/q"``, tuples as lists, NumPy numbers as Python's.

    Examples
    --------
    >>> plain({"point": (Fraction(1, 2), Fraction(3)), "cells": 4})
    {'point': ['1/2', '3'], 'cells': 4}
    """
    if isinstance(value, Fraction):
        return format_rational(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_short, value))})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_short(one)}" for key, one in value.items()) + "}"
    return str(value)
