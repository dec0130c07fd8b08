"""What kind of file is this?  Content decides where it can; the suffix decides the rest.

Pickles are recognised here, before any reader sees them, because loading one runs whatever code it names.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from exactregions.errors import FormatError, UnsupportedError

__all__ = ["detect"]

_PICKLES = {".pkl", ".pickle", ".joblib"}
_NO_PICKLE = (
    "save the weights instead: numpy.savez with W1, b1, ..., torch.save(module.state_dict(), FILE) or safetensors; "
    "or pass the live object to from_torch or from_sklearn"
)


def detect(path: Path, suffixes: Mapping[str, str]) -> str:
    """Return the name of a file's format.

    Parameters
    ----------
    path : Path
    suffixes : mapping from suffix to the name of a format

    Raises
    ------
    FormatError
        If there is no such file, it is a folder, a pickle, empty, or of no known format.
    UnsupportedError
        For ONNX, which is not covered yet.
    """
    if not path.exists():
        raise FormatError("there is no such file", remedy="check the path")
    if path.is_dir():
        raise FormatError("it is a folder", remedy="name a file")
    with path.open("rb") as stream:
        head = stream.read(64)
    suffix = path.suffix.lower()
    # eight bytes of header length, then JSON; asked first, since the length may begin with the byte of a pickle
    if len(head) > 8 and head[8:9] == b"{" and head[7] == 0:
        return "safetensors"
    if head[:1] == b"\x80" or suffix in _PICKLES:
        raise FormatError("it is a pickle, and loading one runs any code it names", remedy=_NO_PICKLE)
    if not head:
        raise FormatError("the file is empty")
    if head.startswith(b"PK\x03\x04") and (found := _zip_kind(path)):
        return found
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    if suffix == ".onnx":
        raise UnsupportedError("ONNX files are not read yet", remedy="export the weights to npz, or use from_torch")
    if suffix in suffixes:
        return suffixes[suffix]
    kinds = ", ".join(sorted(suffixes))
    raise FormatError("neither content nor suffix tells the format", remedy=f"known suffixes are {kinds}")


def _zip_kind(path: Path) -> str | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception:  # damaged bytes make zipfile raise errors of many kinds
        return None
    if any(name.endswith("data.pkl") for name in names):
        return "torch"
    return "npz" if any(name.endswith(".npy") for name in names) else None
