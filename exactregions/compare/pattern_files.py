"""Reading somebody else's list of patterns, whatever they wrote it in.

* npz or npy: one integer or boolean array, a row a region, a column a neuron (in an npz the array ``patterns``, or the
  only one);
* CSV: a line a region, pieces separated by commas, or one printed pattern such as ``101|01``; a first line of column
  names is skipped;
* JSON: a list whose items are printed patterns or lists of pieces; or one such item a line.

Rows are returned as they stand; whether each is a pattern of the network is for `prove` to say.
"""

from __future__ import annotations

import csv
import io
import json
from os import PathLike
from pathlib import Path

import numpy as np

from exactregions.certificates import Counterexamples, Proof, prove
from exactregions.domains import Domain
from exactregions.errors import FormatError, InputError
from exactregions.files import read_arrays
from exactregions.network import Network

__all__ = ["compare_file", "read_patterns"]

_REMEDY = 'write npz, npy or CSV with one row a region, or JSON with strings such as "101|01"'


def read_patterns(path: str | PathLike[str]) -> list[object]:
    r"""Read a list of patterns: each a string, or a list of pieces.

    Raises
    ------
    InputError
        If the file is missing or in none of the forms.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "regions.csv")
    >>> _ = path.write_text("0,0\n1,1\n")
    >>> read_patterns(path)
    [[0, 0], [1, 1]]
    """
    where = str(path)
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", where=where, remedy="check the path") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or type(error).__name__})", where=where) from None
    try:
        if content.startswith((b"PK\x03\x04", b"\x93NUMPY")):
            return _from_numpy(content, path)
        return _from_text(content)
    except InputError as error:
        raise error.at(where) from None


def compare_file(
    network: Network, domain: Domain, path: str | PathLike[str], *, limit: int = 100
) -> Proof | Counterexamples:
    """Prove that a file lists exactly the cells of a network on a domain, or say what is wrong with it.

    Raises
    ------
    InputError
        If the file cannot be read, or none of its rows is a pattern of this network.
    """
    rows = read_patterns(path)
    answer = prove(network, domain, rows, max_counterexamples=limit)
    if isinstance(answer, Counterexamples) and rows and len(answer.malformed) == min(limit, len(rows)):
        first = answer.malformed[0]
        raise FormatError(
            f"no row is a pattern of this network; the first: {first.message}",
            where=str(path),
            remedy=f"give a piece to each of its {network.n_neurons} hidden neurons",
        )
    return answer


def _from_numpy(content: bytes, path: str | PathLike[str]) -> list[object]:
    if content.startswith(b"\x93NUMPY"):
        try:
            table = np.load(io.BytesIO(content), allow_pickle=False)
        except Exception as error:  # damaged bytes make numpy raise errors of many kinds
            raise FormatError(f"not a readable npy file ({type(error).__name__})", remedy=_REMEDY) from None
    else:
        arrays = read_arrays(path, remedy=_REMEDY)
        name = "patterns" if "patterns" in arrays else next(iter(arrays), "")
        if name not in arrays or (len(arrays) > 1 and name != "patterns"):
            raise FormatError('the archive needs one array, or one named "patterns"', remedy=_REMEDY)
        table = arrays[name]
    if table.ndim == 1 and table.dtype.kind == "U":
        return list(table.tolist())
    if table.ndim != 2 or table.dtype.kind not in "iub":
        raise FormatError(f"an integer matrix is wanted, not {table.dtype} of shape {table.shape}", remedy=_REMEDY)
    return list(table.astype(np.int64).tolist())


def _from_text(content: bytes) -> list[object]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("neither a NumPy file nor text", remedy=_REMEDY) from None
    head = text.lstrip()[:1]
    if head == "[":
        value = _json(text) if "\n[" not in text.strip() else None
        if isinstance(value, list) and not _is_one_pattern(value):
            return value
        return [_json(line) for line in text.splitlines() if line.strip()]
    if head == '"':
        return [_json(line) for line in text.splitlines() if line.strip()]
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    if rows and rows[0][0].strip()[:1].isalpha():
        rows = rows[1:]
    return [row[0].strip() if len(row) == 1 else [_number(field) for field in row] for row in rows]


def _is_one_pattern(value: list[object]) -> bool:
    return bool(value) and all(isinstance(item, int) for item in value)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError("not readable as JSON", remedy=_REMEDY) from None


def _number(field: str) -> object:
    """Return a piece, or the text as it stands for `prove` to refuse."""
    plain = field.strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < 10 else plain
