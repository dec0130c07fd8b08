"""Files: reading NumPy archives without pickles, and writing a file so that it appears whole or not at all.

A run that fails half-way must not leave half a file under the name that was asked for: somebody would read it.  The
bytes go to a temporary name in the same folder, which a successful end renames; a failure removes it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import FormatError, InputError

__all__ = ["atomic_writer", "check_target", "read_arrays"]


def read_arrays(path: str | os.PathLike[str], *, remedy: str | None = None) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz archive; nothing is unpickled.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    FormatError
        If the file is no npz archive, is damaged, or holds pickled objects.
    """
    entry: str | None = None
    arrays: dict[str, NDArray[Any]] = {}
    try:
        archive = np.load(path, allow_pickle=False)
        if not isinstance(archive, np.ndarray):
            with archive:
                for name in archive.files:
                    entry = name
                    arrays[name] = archive[name]
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged bytes make zipfile, zlib and numpy raise errors of many kinds
        if "allow_pickle" in str(error):
            raise FormatError("it holds pickled objects, which are never loaded", where=entry, remedy=remedy) from None
        reason = str(error).strip()[:200] or type(error).__name__
        raise FormatError(f"not a readable npz file ({reason})", where=entry, remedy=remedy) from None
    if isinstance(archive, np.ndarray):
        raise FormatError("a single array, not an npz archive", remedy=remedy)
    return arrays


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary stream whose content becomes the file `path` when the block ends without an exception.

    Raises
    ------
    InputError
        If the folder does not exist, the name is taken by a folder, or the system refuses to write there.
    """
    target = check_target(path)
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        stream = partial.open("xb")
    except OSError as error:
        raise _refused(target, error) from None
    try:
        with stream:
            yield stream
        try:
            partial.replace(target)
        except OSError as error:
            raise _refused(target, error) from None
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the path if a file could be written there, so that a long run can refuse before it starts.

    Raises
    ------
    InputError
        As `atomic_writer`.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("cannot write: it is a folder", where=str(target), remedy="name a file")
    if not target.parent.is_dir():
        raise InputError("cannot write: there is no such folder", where=str(target.parent), remedy="create it first")
    if not os.access(target.parent, os.W_OK):
        raise InputError("cannot write: permission denied", where=str(target), remedy="choose another place")
    return target


def _refused(target: Path, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError(f"cannot write: {reason}", where=str(target), remedy="choose another place")
