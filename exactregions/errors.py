"""The exceptions of exactregions: one small tree, each saying what, where and what to do.

A plausible wrong answer is the worst thing this project can produce, so every input that cannot be read exactly,
and every question that could not be decided, ends in one of these.  The command line maps them to exit codes:
`InputError` to 2, `UndecidedError` to 3.
"""

from __future__ import annotations

__all__ = [
    "EmptyDomainError",
    "ExactRegionsError",
    "FormatError",
    "InputError",
    "NonFiniteError",
    "ShapeError",
    "UndecidedError",
    "UnsupportedError",
]


class ExactRegionsError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    what : str
        What is wrong, in one clause.
    where : str, optional
        The place: file, layer, neuron, node name, line.
    remedy : str, optional
        What the caller can do about it.
    """

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what, where, remedy)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        text = f"{text}; {self.remedy}" if self.remedy else text
        return " ".join(text.split())

    def at(self, where: str) -> ExactRegionsError:
        """Return the same error with an outer place put before the one it names."""
        place = f"{where}, {self.where}" if self.where else where
        return type(self)(self.what, where=place, remedy=self.remedy)


class InputError(ExactRegionsError):
    """The input cannot be used as it is."""


class ShapeError(InputError):
    """Sizes do not fit together."""


class NonFiniteError(InputError):
    """A number is NaN or infinite, so it names no rational."""


class FormatError(InputError):
    """A file or text is not in the form that it should have."""


class UnsupportedError(InputError):
    """Understood, but not piecewise linear or not covered."""


class EmptyDomainError(InputError):
    """The domain has no interior, so it holds no cell."""


class UndecidedError(ExactRegionsError):
    """A question could not be decided within its limits; no answer is given rather than a guess."""
