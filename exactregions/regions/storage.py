"""Files of region complexes: NumPy archives without pickles, written to a temporary name and then renamed.

The archive holds the network and the domain in their JSON forms, the packed patterns, witnesses (float64 where exact,
strings ``p/q`` where not), strictness, facets if they were computed, and what the result is.  Nothing is rounded.
"""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactregions.domains import domain_from_json
from exactregions.errors import ExactRegionsError, FormatError, InputError
from exactregions.files import atomic_writer, read_arrays
from exactregions.network.formats import from_json, to_json
from exactregions.rational import format_rational, to_fractions
from exactregions.regions.complex import RegionComplex, Status
from exactregions.regions.witnesses import WitnessTable

__all__ = ["load", "save"]

_FORMAT = "exactregions-complex"
_VERSION = 1


def save(complex_: RegionComplex, path: str | PathLike[str]) -> None:
    """Write a complex to an archive; an existing file is replaced only once the new one is whole."""
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "network": to_json(complex_.network),
        "domain": complex_.domain.to_json(),
        "fingerprint": complex_.network.fingerprint,
        "status": complex_.status.value,
        "engine": complex_.engine,
        "seconds": complex_.seconds,
        "method": complex_.method,
        "exact_witnesses": {str(k): [format_rational(v) for v in p] for k, p in complex_.witnesses.exact.items()},
    }
    arrays: dict[str, Any] = {
        "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
        "patterns": complex_.packed,
        "witnesses": complex_.witnesses.floats,
        "strict": complex_.strict,
    }
    if complex_._facets is not None:
        arrays["facets"] = complex_._facets
    with atomic_writer(path) as stream:
        np.savez_compressed(stream, **arrays)


def load(path: str | PathLike[str]) -> RegionComplex:
    """Read a complex; a file that is not one, or was changed into nonsense, is refused.

    Raises
    ------
    InputError
        If the file is missing or not a complex.
    """
    where = str(path)
    try:
        arrays = read_arrays(path, remedy="name a file written by RegionComplex.save")
    except FileNotFoundError:
        raise InputError("no such file", where=where) from None
    except FormatError as error:
        raise error.at(where) from None
    try:
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != _FORMAT or header["version"] != _VERSION:
            raise FormatError("not a region complex of a known version", where=where)
        return _assemble(header, arrays, where)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise FormatError(f"the archive lacks or garbles a part ({error})", where=where) from None


def _assemble(header: dict[str, Any], arrays: dict[str, NDArray[Any]], where: str) -> RegionComplex:
    try:
        network, _ = from_json(header["network"])
        domain = domain_from_json(header["domain"])
    except ExactRegionsError as error:
        raise error.at(where) from None
    if network.fingerprint != header["fingerprint"]:
        raise FormatError("the network does not have the fingerprint that the archive names", where=where)
    exact = {int(k): to_fractions(p, where=where) for k, p in dict(header["exact_witnesses"]).items()}
    floats = arrays["witnesses"].astype(np.float64, casting="safe")
    count = len(arrays["patterns"])
    if floats.shape != (count, domain.dim) or arrays["strict"].shape != (count,):
        raise FormatError("its columns have different lengths", where=where)
    if len(np.unique(arrays["patterns"], axis=0)) != count:
        raise FormatError("it lists a pattern twice", where=where)
    facets = arrays.get("facets")
    if facets is not None and (facets.ndim != 2 or (facets.size and not 0 <= facets.min() <= facets.max() < count)):
        raise FormatError("its facets name cells that it does not hold", where=where)
    return RegionComplex(
        network,
        domain,
        arrays["patterns"].astype(np.uint8, casting="safe"),
        WitnessTable(floats, exact),
        arrays["strict"].astype(bool, casting="safe"),
        facets=facets,
        status=Status(str(header["status"])),
        engine=str(header["engine"]),
        seconds=float(header["seconds"]),
        method=header["method"],
    )
