"""Reading a certificate line by line: bytes to JSON values and rationals, strictly and in bounded memory (section 2).

The file is plain or gzip; nothing but the line at hand is kept.  A line is counted before it is parsed, so that a few
bytes of `[[[[` cannot become gigabytes of lists.  Decimal numbers go to flint directly: Python's limit on the digits of
integers stays as it is, and does not matter.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import BinaryIO, NoReturn, cast

from exactregions.rational import Int
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["JSON", "Lines", "Ratio", "entries", "fields", "natural", "naturals", "ratios", "row_names", "table"]

JSON = object  # what json can return; every use checks the type
Ratio = tuple[Int, Int]  # numerator and positive denominator, in lowest terms

_RATIONAL = re.compile(r"-?(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")
_ROW = re.compile(r"[dLU](?:0|[1-9][0-9]{0,8})")  # no certificate within the limits has 10^9 rows
_MAX_INTEGER_DIGITS = 15


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > _MAX_INTEGER_DIGITS or text == "-0":
        raise Refused("bad-number")
    return int(text)


def _no_number(_text: str) -> NoReturn:
    raise Refused("bad-number")


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused("bad-keys")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number
)


class _Joined:
    """A stream whose first bytes were already taken from it."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream

    def read(self, size: int) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head or self._stream.read(size)


class Lines:
    """The lines of a certificate, as JSON objects.

    Parameters
    ----------
    stream : binary file
        Plain or gzip.
    budget : Budget
        Its limits apply, and it is told of every byte.
    """

    def __init__(self, stream: BinaryIO, budget: Budget) -> None:
        head = b""
        while len(head) < 2 and (more := stream.read(2 - len(head))):
            head += more
        joined = cast(BinaryIO, _Joined(head, stream))
        self._file = gzip.GzipFile(fileobj=joined, mode="rb") if head == b"\x1f\x8b" else None
        self._plain = joined
        self._rest, self._from = b"", 0  # bytes not yet given out, and where they begin
        self._budget = budget
        self.number = 0

    def _chunk(self) -> bytes:
        if self._file is None:
            return self._plain.read(1 << 16)
        try:
            return self._file.read1(1 << 16)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise Refused("bad-gzip") from None

    def _bytes(self) -> bytes | None:
        """Return the next line without its newline; None at the end of the file."""
        limits = self._budget.limits
        limit = limits.line_bytes if self.number else limits.problem_bytes
        end, parts, length = self._rest.find(b"\n", self._from), [], 0
        while end < 0:
            parts.append(self._rest[self._from :])
            length += len(parts[-1])
            if length >= limit:
                raise self.at_next("bad-size")
            try:
                self._rest, self._from = self._chunk(), 0
            except Refused as refused:
                raise self.at_next(refused.reason) from None
            if not self._rest:
                if length:
                    raise self.at_next("bad-end")
                return None
            end = self._rest.find(b"\n")
        parts.append(self._rest[self._from : end])
        length += len(parts[-1]) + 1
        self._from = end + 1
        self.number += 1
        if length > limit:
            raise Refused("bad-size")
        self._budget.earn(length)
        return b"".join(parts)

    def at_next(self, reason: str) -> Refused:
        """Step to the line after the last one that was read, where there may be none, and return a refusal there."""
        self.number += 1
        return Refused(reason)

    def next(self) -> dict[str, JSON]:
        """Read the next line."""
        line = self._bytes()
        if line is None:
            raise self.at_next("unfinished" if self.number else "unknown-format")
        if not line.isascii():
            raise Refused("bad-json")
        limits = self._budget.limits
        values = line.count(b",") + line.count(b"[") + line.count(b"{")
        if values > (limits.line_values if self.number > 1 else limits.problem_values):
            raise Refused("bad-size")
        try:
            value = _DECODER.decode(line.decode("ascii"))
        except (json.JSONDecodeError, RecursionError):
            raise Refused("bad-json") from None
        if type(value) is not dict:
            raise Refused("bad-fields")
        return value

    def finish(self) -> None:
        """Check that the file ends here."""
        if self._from < len(self._rest) or self._chunk():
            raise self.at_next("after-the-end")


@lru_cache(maxsize=256)
def _short(text: str, digits: int) -> Ratio:
    return _ratio(text, digits)


def _ratio(text: str, digits: int) -> Ratio:
    match = _RATIONAL.fullmatch(text)
    if match is None:
        raise Refused("bad-rational")
    top, bottom = match.groups()
    if len(top) > digits:
        raise Refused("bad-size")
    if bottom is None:
        if text == "-0":
            raise Refused("bad-rational")
        return Int(text), Int(1)
    if len(bottom) > digits:
        raise Refused("bad-size")
    numerator, denominator = Int(top), Int(bottom)
    if top == "0" or bottom == "1" or numerator.gcd(denominator) != 1:
        raise Refused("bad-rational")
    return (-numerator if text[0] == "-" else numerator), denominator


def ratios(values: Iterable[JSON], budget: Budget) -> list[Ratio]:
    """Read rationals, each a string."""
    digits, found = budget.limits.digits, []
    for text in values:
        if type(text) is not str:
            raise Refused("bad-rational")
        found.append(_short(text, digits) if len(text) < 3 else _ratio(text, digits))
    return found


def entries(value: JSON, length: int | None, reason: str) -> list[JSON]:
    """Check that a value is a list (of this length), or refuse for this reason."""
    if type(value) is not list or (length is not None and len(value) != length):
        raise Refused(reason)
    return value


def table(value: JSON, height: int | None, width: int, budget: Budget, reason: str) -> list[list[Ratio]]:
    """Read a matrix of rationals, or refuse for this reason if its shape is another."""
    return [ratios(entries(row, width, reason), budget) for row in entries(value, height, reason)]


def fields(value: JSON, names: Collection[str], *, optional: str | None = None) -> dict[str, JSON]:
    """Check that a value is an object with exactly these fields, of which one may be missing."""
    if type(value) is not dict or value.keys() - {optional} != set(names) - {optional}:
        raise Refused("bad-fields")
    return value


def natural(value: JSON) -> int:
    """Check that a value is an integer and not negative."""
    if type(value) is not int or value < 0:
        raise Refused("bad-fields")
    return value


def naturals(value: JSON) -> tuple[int, ...]:
    """Check that a value is a list of integers that are not negative."""
    if type(value) is not list:
        raise Refused("bad-fields")
    return tuple([natural(entry) for entry in value])


def row_names(value: dict[str, JSON]) -> list[tuple[str, int]]:
    """Read the keys of a Farkas vector as letters and numbers."""
    if not all(map(_ROW.fullmatch, value)):
        raise Refused("bad-fields")
    return [(name[0], int(name[1:])) for name in value]
