"""What a check can end in, and how much it may cost: `Verdict`, `Limits`, and the budget that holds a check to them.

A certificate may come from a stranger, so every loop of this package is paid for in advance from a budget that grows
with the bytes read: the time of a check is linear in the length of its file, whatever is in it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

__all__ = ["Budget", "Limits", "Refused", "Verdict"]

_SHOWN = 200  # characters of a domain that a one-line text spells out
_OVERHEAD = 8  # what one product of integers costs beyond its words, in products of words
_FAST_WORDS = 64  # beyond so many words, flint's products are nearly linear in the longer factor


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """The certificate is not accepted, for the reason (section 9) that this carries."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long, wide and expensive a certificate may be before it is malformed for `bad-size`.

    Parameters
    ----------
    problem_bytes, line_bytes : int
        Length of line 1 and of any other line, with its newline.
    problem_values, line_values : int
        Number of JSON values in line 1 and in any other line, roughly: commas and opening brackets.
    digits : int
        Decimal digits of a numerator or denominator.
    dimension : int
        Inputs of the network, and directions of a slice.
    denominator_bits : int
        Bits of a common denominator.
    form_bits : int
        Bits that all forms of one path could need.
    work, work_per_byte : int
        Products of 64-bit words that are always allowed, and more for each byte read.
    """

    problem_bytes: int = 2**26
    line_bytes: int = 2**23
    problem_values: int = 2**21
    line_values: int = 2**20
    digits: int = 100_000
    dimension: int = 1024
    denominator_bits: int = 2**21
    form_bits: int = 2**31
    work: int = 10**9
    work_per_byte: int = 20_000


class Budget:
    """The work that a check has done, against what the bytes read so far allow."""

    __slots__ = ("_allowed", "_spent", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._allowed = limits.work
        self._spent = 0

    def earn(self, n_bytes: int) -> None:
        """Allow more work, since more bytes were read."""
        self._allowed += n_bytes * self.limits.work_per_byte

    def spend(self, products: int, bits: int, other_bits: int) -> None:
        """Pay for so many products of integers of these lengths."""
        words, more = sorted((bits // 64 + 1, other_bits // 64 + 1))
        self._spent += products * (min(words, _FAST_WORDS) * more + _OVERHEAD)
        if self._spent > self._allowed:
            raise Refused("bad-size")

    def fit(self, numbers: int, bits: int, *, beside: int = 0) -> int:
        """Return the bits of so many numbers of this length and of what is kept beside them, if they may be kept."""
        total = numbers * bits + beside
        if total > self.limits.form_bits:
            raise Refused("bad-size")
        return total


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a check, and the statement that was verified.

    Parameters
    ----------
    accepted : bool
        Whether the statement is a theorem.
    code : int
        The exit code of section 9: 0 accepted, 1 rejected, 2 malformed.
    reason : str or None
        Identifier of section 9; None if accepted.
    line : int
        The line where the check stopped, from 1.
    kind, fingerprint, domain : str or None
        Kind of the statement, the network's fingerprint, and the domain as JSON text; None unless accepted.
    n_cells, n_strict : int or None
        For kind `regions`: the cells, and those without degenerate neurons.
    complete : bool or None
        For kind `regions`: whether these are all cells.
    patterns : tuple of tuple of int
        For the other kinds: the pattern or patterns that the statement is about.
    strict : bool or None
        For kind `point`: whether the cell is strict.
    """

    accepted: bool
    code: int
    reason: str | None
    line: int
    kind: str | None = None
    fingerprint: str | None = None
    domain: str | None = None
    n_cells: int | None = None
    n_strict: int | None = None
    complete: bool | None = None
    patterns: tuple[tuple[int, ...], ...] = ()
    strict: bool | None = None

    def __str__(self) -> str:
        if not self.accepted:
            return f"{'malformed' if self.code == 2 else 'rejected'}, line {self.line}: {self.reason}"
        domain = self.domain or ""
        if len(domain) > _SHOWN:
            digest = hashlib.sha256(domain.encode()).hexdigest()
            domain = f"{domain[:_SHOWN]}... (JSON text of {len(domain)} characters, sha256 {digest})"
        return f"accepted: network {self.fingerprint}, domain {domain}: {self._statement()}"

    def _statement(self) -> str:
        if self.kind == "regions":
            word = "exactly" if self.complete else "at least"
            return f"{word} {self.n_cells} cells, {word} {self.n_strict} of them strict"
        shown = " and ".join(" ".join(map(str, pattern)) or "()" for pattern in self.patterns)
        return {
            "infeasible": f"no cell has a pattern that begins with {shown}",
            "point": f"{shown} is the pattern of a {'strict' if self.strict else 'degenerate'} cell",
            "facet": f"{shown} are cells that share a facet",
            "merge": f"{shown} are cells that share a facet and belong to one linear region",
        }[self.kind or ""]
