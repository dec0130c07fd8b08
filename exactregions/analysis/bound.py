"""A bound as an object: its value, what it bounds, where it comes from, and the conditions under which it is true.

Published bounds are quoted without their conditions often enough that a "lower bound" above an "upper bound" is easy
to produce.  So a `Bound` keeps the number that its formula gives apart from the number that may be used: `formula` is
always there to look at, `value` refuses when a condition fails and says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from exactregions.errors import InputError
from exactregions.rational import format_rational

__all__ = ["Bound", "Condition", "Kind", "Notion", "plain_number"]

_LONGEST = 4096  # bits of a number written as a number


class Kind(StrEnum):
    """What a bound claims."""

    UPPER = "upper"
    """No network of the shape has more."""
    LOWER = "lower"
    """Some network of the shape has at least as many."""
    MAXIMUM = "maximum"
    """No network of the shape has more, and some has exactly as many."""
    ESTIMATE = "estimate"
    """A leading order or an expectation: no bound on anything."""


class Notion(StrEnum):
    """Which regions are counted."""

    CELLS = "cells"
    """Cells, and so also strict regions and linear regions: there are no more of them."""
    LINEAR = "linear regions"
    """Linear regions of some network; its cells are no fewer."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a theorem, and whether it holds here."""

    text: str
    holds: bool


def plain_number(value: int | Fraction) -> int | str:
    """Return a whole number as it is, unless it is too long for common JSON readers; anything else as text.

    Examples
    --------
    >>> plain_number(Fraction(8, 2)), plain_number(Fraction(1, 3))
    (4, '1/3')
    """
    exact = Fraction(value)
    if exact.denominator == 1 and exact.numerator.bit_length() <= _LONGEST:
        return exact.numerator
    return format_rational(exact)


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound for one shape of network.

    Attributes
    ----------
    name : str
    kind : Kind
    notion : Notion
    source : str
        Paper and theorem.
    formula : int or Fraction or None
        The number that the formula gives, whether or not its conditions hold; None if it gives none.
    conditions : tuple of Condition

    Examples
    --------
    >>> claim = Bound("half", Kind.UPPER, Notion.CELLS, "nowhere", 7, (Condition("d = 2", False),))
    >>> claim.holds, claim.formula
    (False, 7)
    >>> claim.value
    Traceback (most recent call last):
        ...
    exactregions.errors.InputError: bound half: the bound does not apply: it needs d = 2
    """

    name: str
    kind: Kind
    notion: Notion
    source: str
    formula: int | Fraction | None
    conditions: tuple[Condition, ...] = ()

    @property
    def failing(self) -> tuple[str, ...]:
        """The conditions that do not hold."""
        return tuple(condition.text for condition in self.conditions if not condition.holds)

    @property
    def holds(self) -> bool:
        """Whether all conditions hold, so that `value` is what `kind` says."""
        return self.formula is not None and not self.failing

    @property
    def value(self) -> int | Fraction:
        """The value.

        Raises
        ------
        InputError
            If a condition fails.
        """
        if self.formula is None or self.failing:
            wanted = "; and ".join(self.failing) or "a case that the formula covers"
            raise InputError(f"the bound does not apply: it needs {wanted}", where=f"bound {self.name}")
        return self.formula

    def admits(self, n_cells: int) -> bool:
        """Whether a number of cells of *one* network agrees with the bound; a lower bound on the best says nothing."""
        return self.kind in {Kind.LOWER, Kind.ESTIMATE} or n_cells <= self.value

    def facts(self) -> dict[str, Any]:
        """Return the bound as plain values for JSON: numbers as `plain_number` gives them."""
        number = None if self.formula is None else plain_number(self.formula)
        return {
            "name": self.name,
            "kind": self.kind.value,
            "of": self.notion.value,
            "value": number if self.holds else None,
            "formula": number,
            "holds": self.holds,
            "conditions": [{"text": c.text, "holds": c.holds} for c in self.conditions],
            "source": self.source,
        }
