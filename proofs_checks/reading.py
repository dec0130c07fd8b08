"""What a certificate file says: its lines, its numbers, and the problem on line 1.  FORMAT.md specifies it.

The file may come from a stranger, so everything is read strictly: an unknown field, a number that is not in lowest
terms or a shape that does not fit is refused, never repaired.  Lengths are bounded, no path in the file is opened, and
every byte that is read pays for a fixed amount of arithmetic, so that time and memory are bounded by the file's size.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, BinaryIO, NamedTuple

KINDS = ("regions", "infeasible", "point", "facet", "merge")
MAX_FIRST_LINE, MAX_LINE = 1 << 26, 1 << 23  # bytes
MAX_DIGITS, MAX_SCALE = 100_000, 1 << 21  # digits of an integer; bits of a common denominator
MAX_DIM, MAX_BITS = 1 << 10, 1 << 33  # coordinates; bits of all numbers kept for a path
FREE_WORK, WORK_PER_BYTE = 10**9, 20_000  # products of 64-bit words

Affine = list[list[Fraction]]  # rows (w_1, ..., w_m, b)


class Refused(Exception):  # noqa: N818  (a verdict rather than an error)
    """The file proves nothing, for a reason that FORMAT.md lists; the detail is for people.

    Reasons that begin with "bad-" or "unknown-" mean that the file cannot be read, and lead to exit code 2.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail, self.line = reason, detail, 0
        self.exit_code = 2 if reason.startswith(("bad-", "unknown-")) else 1


def ensure(condition: object, reason: str, detail: str) -> None:
    """Refuse the file unless a condition holds."""
    if not condition:
        raise Refused(reason, detail)


_RATIONAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")
_ROW_NAME = re.compile(r"[dLU](0|[1-9][0-9]{0,8})")


def rational(text: object) -> Fraction:
    """Read "p" or "p/q" in lowest terms."""
    match = _RATIONAL.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[0] == "-0":
        shown = text[:40] if isinstance(text, str) else type(text).__name__
        raise Refused("bad-rational", f'{shown!a} is not a rational "p" or "p/q"')
    over, under = match[2], match[3] or "1"
    ensure(max(len(over), len(under)) <= MAX_DIGITS, "bad-size", f"an integer has more than {MAX_DIGITS} digits")
    # Decimal, since int(text) has a limit of its own
    value = Fraction(int(Decimal(over)), denominator := int(Decimal(under)))
    ensure(value.denominator == denominator and match[3] != "1", "bad-rational", "a rational is not in lowest terms")
    return -value if match[1] else value


def rationals(value: Any, length: int | None = None, reason: str = "bad-fields") -> list[Fraction]:
    """Read a list of rationals."""
    ensure(isinstance(value, list) and length in (None, len(value)), reason, "a list is missing or has a wrong length")
    return [rational(entry) for entry in value]


def multipliers(value: Any) -> dict[str, Fraction]:
    """Read the Farkas multipliers of named rows."""
    named = isinstance(value, dict) and all(map(_ROW_NAME.fullmatch, value))
    ensure(named, "bad-fields", "multipliers are an object with row names such as d0, L5, U5")
    return {name: rational(entry) for name, entry in value.items()}


def natural(value: Any) -> int:
    """Read a JSON integer that is at least 0."""
    ensure(type(value) is int and value >= 0, "bad-fields", "an integer that is at least 0 is wanted")
    return int(value)


def fields(value: Any, *names: str) -> list[Any]:
    """Return the values of an object that must have exactly these fields."""
    ensure(isinstance(value, dict) and set(value) == set(names), "bad-fields", f"the fields must be {', '.join(names)}")
    return [value[name] for name in names]


def integers(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return the values times a common denominator, and that denominator."""
    scale = 1
    for value in values:
        if scale % value.denominator:
            scale = lcm(scale, value.denominator)
            fits = scale.bit_length() <= MAX_SCALE and scale.bit_length() * len(values) <= MAX_BITS
            ensure(fits, "bad-size", "a common denominator is too long")
    return [value.numerator * (scale // value.denominator) for value in values], scale


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    ensure(len(dict(pairs)) == len(pairs), "bad-keys", "an object names a field twice")
    return dict(pairs)


def _number(text: str) -> int:
    ensure(re.fullmatch("0|-?[1-9][0-9]{0,14}", text), "bad-number", "numbers are short integers, rationals strings")
    return int(text)


_JSON = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_number, parse_float=_number, parse_constant=_number)


class Lines:
    """The lines of a file, read one at a time, and the account of the work that they pay for."""

    def __init__(self, stream: BinaryIO) -> None:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        self.stream = gzip.GzipFile(fileobj=stream) if packed else stream
        self.number, self.allowance = 0, FREE_WORK

    def next(self, *, last: bool = False) -> dict[str, Any]:
        """Read one line; or make sure that no byte is left."""
        self.number += 1
        limit = MAX_LINE if self.number > 1 else MAX_FIRST_LINE
        try:
            raw = self.stream.readline(limit + 1)
            ensure(not raw or not last, "after-the-end", "the proof is complete before this line")
            ensure(raw or last, "unfinished" if self.number > 1 else "unknown-format", "the file ends too early")
            ensure(len(raw) <= limit, "bad-size", f"the line has more than {limit} bytes")
            ensure(last or raw.endswith(b"\n"), "bad-end", "the line does not end in a newline")
            self.allowance += len(raw) * WORK_PER_BYTE
            value = {} if last else _JSON.decode(raw.decode("ascii"))
            ensure(isinstance(value, dict), "bad-fields", "the line is not an object")
            return dict(value)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise Refused("bad-gzip", str(error)) from None
        except (ValueError, RecursionError) as error:
            raise Refused("bad-json", str(error)) from None

    def spend(self, products: int, *sizes: int) -> None:
        """Pay for so many products of numbers with so many bits."""
        for size in sizes:
            products *= 1 + size // 64
        self.allowance -= products
        ensure(self.allowance >= 0, "bad-size", "the file asks for more work than its size pays for")


class Neuron(NamedTuple):
    """A hidden neuron: its layer, (w_1, ..., w_m, b), its breakpoints, and (p, q) for each piece p z + q."""

    layer: int
    weights: list[Fraction]
    marks: list[Fraction]
    pieces: list[tuple[Fraction, Fraction]]


def read_affine(value: Any, size: int) -> Affine:
    """Read [W, b] as rows (w_1, ..., w_m, b)."""
    pair = isinstance(value, list) and len(value) == 2 and isinstance(value[0], list) and value[0]
    ensure(pair, "bad-network", "a layer is [W, b] with at least one row")
    bias = rationals(value[1], len(value[0]), "bad-network")
    return [[*rationals(row, size, "bad-network"), shift] for row, shift in zip(value[0], bias, strict=True)]


def read_activation(value: Any) -> tuple[list[Fraction], list[tuple[Fraction, Fraction]]]:
    """Read breakpoints, slopes and the anchor; the pieces follow by continuity."""
    first, second, third = fields(value, "breakpoints", "slopes", "anchor")
    marks = rationals(first, reason="bad-network")
    slopes, (at, height) = rationals(second, len(marks) + 1, "bad-network"), rationals(third, 2, "bad-network")
    ensure(all(left < right for left, right in pairwise(marks)), "bad-network", "the breakpoints do not increase")
    ensure(at == (marks[0] if marks else 0), "bad-network", "the anchor is not at the first breakpoint (or 0)")
    pieces = [(slopes[0], height - slopes[0] * at)]
    for mark, slope in zip(marks, slopes[1:], strict=True):
        pieces.append((slope, pieces[-1][1] + (pieces[-1][0] - slope) * mark))
    return marks, pieces


def read_domain(value: Any, size: int) -> tuple[Affine, Affine]:
    """Return the domain's rows, and x_1, ..., x_n, as forms (a_1, ..., a_d, c) in its coordinates t."""
    dim, images, rows = size, [], []
    if isinstance(value, dict) and "directions" in value:
        origin, moves, value = fields({"inner": None, **value}, "origin", "directions", "inner")
        ensure(isinstance(moves, list) and moves, "bad-domain", "a slice has a list of some directions")
        ensure(len(moves) <= MAX_DIM, "bad-size", f"a slice has more than {MAX_DIM} directions")
        columns = zip(*(rationals(move, size, "bad-domain") for move in moves), strict=True)
        images = [[*c, o] for c, o in zip(columns, rationals(origin, size, "bad-domain"), strict=True)]
        dim, value = len(moves), f"R^{len(moves)}" if value is None else value
    units = [[Fraction(i == j) for j in range(dim)] for i in range(dim)]
    if isinstance(value, list) and len(value) == dim:
        for unit, (low, high) in zip(units, [rationals(side, 2, "bad-domain") for side in value], strict=True):
            rows += [[*unit, -low], [*(-entry for entry in unit), high]]
    elif isinstance(value, dict):
        A, b = fields(value, "A", "b")
        bound = rationals(b, len(A) if isinstance(A, list) else -1, "bad-domain")
        rows = [[*(-a for a in rationals(row, dim, "bad-domain")), c] for row, c in zip(A, bound, strict=True)]
    else:
        ensure(value == f"R^{dim}", "bad-domain", f"this is not a domain of {dim} dimensions")
    return rows, images or [[*unit, Fraction(0)] for unit in units]


def fingerprint(network: dict[str, Any]) -> str:
    """Return the sha256 of the canonical text of a network whose numbers have been read already."""
    text = ["exactregions-network 1", f"input {network['input_dim']}"]
    for (weights, bias), kinds in zip(network["layers"], network["activation"], strict=True):
        text.append(f"layer {len(bias)}")
        for row, shift, kind in zip(weights, bias, kinds, strict=True):
            phi = " ; ".join(" ".join([name, *kind[name]]) for name in ("breakpoints", "slopes", "anchor"))
            text.append(f"{' '.join([*row, shift])} | {phi}")
    weights, bias = network["output_layer"] or ([], [])
    text.append(f"output {len(bias) or 'none'}")
    text += [" ".join([*row, shift]) for row, shift in zip(weights, bias, strict=True)]
    return hashlib.sha256("".join(f"{line}\n" for line in text).encode()).hexdigest()


class Problem:
    """What line 1 says: the kind of claim, the network, the domain."""

    def __init__(self, head: dict[str, Any]) -> None:
        ensure(head.get("format") == "exactregions-certificate", "unknown-format", "not a certificate of exactregions")
        ensure(type(head.get("version")) is int and head["version"] == 1, "unknown-version", "only version 1 is known")
        names = ("format", "version", "kind", "network", "domain", "fingerprint")
        _, _, self.kind, network, self.domain, self.fingerprint = fields(head, *names)
        ensure(isinstance(self.kind, str) and self.kind in KINDS, "unknown-kind", f"known: {', '.join(KINDS)}")
        size, kinds, layers, output = fields(network, "input_dim", "activation", "layers", "output_layer")
        lists = isinstance(layers, list) and isinstance(kinds, list) and len(layers) == len(kinds)
        ensure(lists and natural(size) > 0, "bad-network", "input_dim, activation or layers do not fit")
        ensure(size <= MAX_DIM, "bad-size", f"the network has more than {MAX_DIM} inputs")
        self.neurons: list[Neuron] = []
        self.ends, width = [0], size  # number of the first neuron of every layer, and of all neurons
        for layer, (pair, kind) in enumerate(zip(layers, kinds, strict=True)):
            affine = read_affine(pair, width)
            width = len(affine)
            ensure(isinstance(kind, list) and len(kind) == width, "bad-network", "a neuron lacks an activation")
            self.neurons += [Neuron(layer, w, *read_activation(phi)) for w, phi in zip(affine, kind, strict=True)]
            self.ends.append(len(self.neurons))
        self.output = None if output is None else read_affine(output, width)
        self.rows, self.inputs = read_domain(self.domain, size)
        ensure(isinstance(self.fingerprint, str), "bad-fields", "the fingerprint is a text")
        genuine = self.fingerprint == fingerprint(network)
        ensure(genuine, "fingerprint-mismatch", "the fingerprint is not that of the network")
