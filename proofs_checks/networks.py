"""Read a network from npz or JSON with the standard library, to compare it with the one that a certificate names.

A stored float stands for the rational that it stores; a decimal in a string is taken as written.  No pickle is loaded.
"""

from __future__ import annotations

import ast
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs_checks.reading import Refused, fingerprint

_CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q"}
_CODES |= {f"u{size}": _CODES[f"i{size}"].upper() for size in (1, 2, 4, 8)}
_HEX = re.compile(r"([+-]?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?(?:p([+-]?[0-9]{1,6}))?", re.IGNORECASE)
_MAX_BYTES, _MAX_EXPONENT = 1 << 30, 20_000
_NAMED = {
    "relu": ((0,), (0, 1), (0, 0)),
    "abs": ((0,), (-1, 1), (0, 0)),
    "hardtanh": ((-1, 1), (0, 1, 0), (-1, -1)),
    "hardsigmoid": ((-3, 3), (0, Fraction(1, 6), 0), (-3, 0)),
    "relu6": ((0, 6), (0, 1, 0), (0, 0)),
    "identity": ((), (1,), (0, 0)),
}

Matrix = list[list[Fraction]]


def fingerprint_of(path: Path) -> str:
    """Return the fingerprint of the network in a file, in the sense of FORMAT.md.

    Raises
    ------
    Refused
        With the reason ``bad-network-file``.
    """
    try:
        with path.open("rb") as stream:
            packed = stream.read(4) == b"PK\x03\x04"
        return fingerprint(_from_npz(path) if packed else _from_json(json.loads(path.read_bytes())))
    except (ValueError, LookupError, TypeError, ArithmeticError, RuntimeError, SyntaxError, OSError) as error:
        raise Refused("bad-network-file", f"{path} cannot be read as a network: {error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error) as error:
        raise Refused("bad-network-file", f"{path} cannot be read as a network: {error}") from None


# ---- JSON ------------------------------------------------------------------------------------------------------------


def _from_json(value: Any) -> dict[str, Any]:
    layers = [_layer(pair) for pair in value["layers"]]
    output = None if value.get("output_layer") is None else _layer(value["output_layer"])
    given = value.get("activation", "relu")
    kinds = given if isinstance(given, list) else [given] * len(layers)
    return _canonical(int(value["input_dim"]), layers, kinds, output)


def _canonical(size: int, layers: list[Any], kinds: list[Any], output: Any) -> dict[str, Any]:
    """Return the form that certificates use, every rational as a string."""
    activation = []
    for (_, bias), kind in zip(layers, kinds, strict=True):
        every = kind if isinstance(kind, list) else [kind] * len(bias)
        _demand(len(every) == len(bias), "a layer does not have one activation for each neuron")
        activation.append([_activation(phi) for phi in every])
    width = size
    for weights, bias in [*layers, *([output] if output else [])]:
        _demand(len(weights) == len(bias) and {len(row) for row in weights} == {width}, "the shapes do not fit")
        width = len(bias)
    return {"input_dim": size, "activation": activation, "layers": layers, "output_layer": output}


def _demand(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _layer(pair: Any) -> list[Any]:
    weights, bias = pair
    return [[[_text(_number(entry)) for entry in row] for row in weights], [_text(_number(entry)) for entry in bias]]


def _text(value: Fraction) -> str:
    return str(value)


def _number(value: Any) -> Fraction:
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"[+-]?[0-9]+/[0-9]+", text):
            return Fraction(text)
        if match := _HEX.fullmatch(text):
            sign, whole, part, power = match[1], match[2], match[3] or "", int(match[4] or 0)
            _demand(abs(power) < _MAX_EXPONENT, f"the exponent of {text[:40]} is too large")
            return int(sign + whole + part, 16) * Fraction(2) ** (power - 4 * len(part))
        value = Decimal(text)
        _demand(not value.is_finite() or abs(value.adjusted()) < _MAX_EXPONENT, "an exponent is too large")
    _demand(type(value) in (int, float, Decimal), f"{value!r} is not a number")
    return Fraction(value)


def _activation(value: Any) -> dict[str, list[str]]:
    """Return an activation with its anchor at the first breakpoint."""
    if isinstance(value, str):
        marks, slopes, (at, height) = _named(value.strip().lower())
    else:
        _demand(set(value) == {"breakpoints", "slopes", "anchor"}, "an activation has other fields")
        marks, slopes, (at, height) = ([_number(v) for v in value[k]] for k in ("breakpoints", "slopes", "anchor"))
    _demand(len(slopes) == len(marks) + 1 and sorted(set(marks)) == list(marks), "an activation contradicts itself")
    start = marks[0] if marks else Fraction(0)
    while at != start:  # walk from the anchor to the first breakpoint, along one piece at a time
        piece = sum(mark < max(at, start) for mark in marks)
        stop = max([start, *(mark for mark in marks if mark < at)]) if at > start else start
        height, at = height + slopes[piece] * (stop - at), stop
    parts = {"breakpoints": marks, "slopes": slopes, "anchor": [start, height]}
    return {name: [_text(Fraction(number)) for number in numbers] for name, numbers in parts.items()}


def _named(name: str) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    if name in _NAMED:
        return _NAMED[name]
    if match := re.fullmatch(r"(?:leaky_relu|prelu)\(([^()]+)\)", name):
        return (0,), (_number(match[1]), 1), (0, 0)
    if match := re.fullmatch(r"hardtanh\[([^,\[\]]+),([^,\[\]]+)\]", name):
        low, high = _number(match[1]), _number(match[2])
        return (low, high), (0, 1, 0), (low, low)
    raise ValueError(f"unknown activation {name[:40]!r}")


# ---- npz -------------------------------------------------------------------------------------------------------------


def _from_npz(path: Path) -> dict[str, Any]:
    """Read W1, b1, ..., Wk, bk: ReLU between the layers, the last one the affine output."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            _demand(entry.file_size <= _MAX_BYTES, f"{entry.filename} is too large")
            arrays[entry.filename.removesuffix(".npy")] = _read_npy(archive.read(entry))
    count = len(arrays) // 2
    names = {f"{letter}{number}" for number in range(1, count + 1) for letter in "Wb"}
    _demand(set(arrays) == names and count > 0, "the arrays are not W1, b1, ..., Wk, bk")
    layers = []
    for number in range(1, count + 1):
        weights, bias = arrays[f"W{number}"], arrays[f"b{number}"]
        _demand(isinstance(weights[0], list) and not isinstance(bias[0], list), "W is a matrix and b a vector")
        layers.append(_layer([weights, bias]))
    return _canonical(len(layers[0][0][0]), layers[:-1], ["relu"] * (count - 1), layers[-1])


def _read_npy(data: bytes) -> list[Any]:
    """Read an array of one or two dimensions as nested lists of int or float."""
    _demand(data[:6] == b"\x93NUMPY" and data[6] in (1, 2, 3), "not an npy array")
    size = 2 if data[6] == 1 else 4
    start = 8 + size + int.from_bytes(data[8 : 8 + size], "little")
    header = ast.literal_eval(data[8 + size : start].decode("latin1")[:4096].strip())
    shape, kind = header["shape"], header["descr"]
    _demand(isinstance(kind, str) and kind[0] in "<>|=" and kind[1:] in _CODES, f"arrays of {kind!r} are not read")
    _demand(isinstance(shape, tuple) and len(shape) in (1, 2) and all(type(n) is int and n > 0 for n in shape), "shape")
    count = shape[0] * (shape[1] if len(shape) == 2 else 1)
    order = ">" if kind[0] == ">" else "<"
    flat = struct.unpack(f"{order}{count}{_CODES[kind[1:]]}", data[start:])
    if len(shape) == 1:
        return list(flat)
    rows, columns = shape
    if header["fortran_order"]:
        return [list(flat[row::rows]) for row in range(rows)]
    return [list(flat[row * columns : (row + 1) * columns]) for row in range(rows)]
