"""Writing a file so that it appears whole or not at all.

A run that fails half-way must not leave half a file under the name that was asked for: somebody would read it.  The
bytes go to a temporary name in the same folder, which a successful end renames; a failure removes it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from exactregions.errors import InputError

__all__ = ["atomic_writer"]


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary stream whose content becomes the file `path` when the block ends without an exception.

    Raises
    ------
    InputError
        If the folder does not exist, the name is taken by a folder, or the system refuses to write there.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("cannot write: it is a folder", where=str(target), remedy="name a file")
    if not target.parent.is_dir():
        raise InputError("cannot write: there is no such folder", where=str(target.parent), remedy="create it first")
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


def _refused(target: Path, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError(f"cannot write: {reason}", where=str(target), remedy="choose another place")
