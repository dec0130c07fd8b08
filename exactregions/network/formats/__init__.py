"""Reading and writing networks: one module a format, imported only when a file of that format comes up.

`load` looks at a file's content first and at its suffix second.  Nothing is ever unpickled, nothing is rounded, and
whatever a format cannot say stands in that format's module, at the top.  To add a format, write a module with
``read(path, *, selector, activation)`` and, if it can be written, ``write(network, domain, stream)``, and add one line
to `FORMATS`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from exactregions.domains import Domain, WholeSpace
from exactregions.errors import ExactRegionsError, FormatError, ShapeError, UnsupportedError
from exactregions.files import atomic_writer
from exactregions.network.formats.detect import detect
from exactregions.network.formats.json_text import from_json, to_json
from exactregions.network.network import Network

__all__ = [
    "FORMATS",
    "Format",
    "from_json",
    "from_sklearn",
    "from_state_dict",
    "from_torch",
    "load",
    "load_problem",
    "save",
    "to_json",
]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: the module that reads it, the suffixes that suggest it, and whether it can be written."""

    module: str
    suffixes: tuple[str, ...]
    writable: bool = False


FORMATS = {
    "npz": Format("npz", (".npz",), writable=True),
    "json": Format("json_text", (".json",), writable=True),
    "torch": Format("state_dict", (".pt", ".pth", ".bin")),
    "safetensors": Format("safetensors_file", (".safetensors",)),
}
_SUFFIXES = {suffix: name for name, entry in FORMATS.items() for suffix in entry.suffixes}


def load(path: str | os.PathLike[str], *, format: str | None = None, activation: object = None) -> Network:  # noqa: A002
    """Read a network from a file.

    Parameters
    ----------
    path : str or path-like
        A file, or ``file.json#name`` for one entry of a JSON file that holds a list of networks.
    format : {"npz", "json", "torch", "safetensors"}, optional
        Found out from the content and the suffix if not given.
    activation : optional
        For files that do not state theirs: a PyTorch state_dict (needed) or a bare npz (default ReLU).  Whatever
        `Network` takes.

    Returns
    -------
    Network
        Every number is the rational that the file stores or spells.

    Raises
    ------
    FormatError, ShapeError, NonFiniteError, UnsupportedError
        One line each, with the place and a remedy.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tent.npz")
    >>> np.savez(path, W1=[[1.0], [1.0]], b1=[0.0, -0.5], W2=[[2.0, -4.0]], b2=[0.0])
    >>> load(path)
    <Network 1-2-1 relu>
    """
    return _read(path, format, activation)[0]


def load_problem(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    activation: object = None,
) -> tuple[Network, Domain]:
    """Read a network and the domain that the file gives, the whole space if it gives none; see `load`.

    Raises
    ------
    ShapeError
        If the domain does not lie in the network's input space; otherwise as `load`.
    """
    network, domain = _read(path, format, activation)
    return network, WholeSpace(network.input_dim) if domain is None else domain


def save(
    network: Network,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    domain: Domain | None = None,
) -> None:
    """Write a network to a file, losslessly; the file appears whole or not at all.

    Parameters
    ----------
    network : Network
    path : str or path-like
    format : {"npz", "json"}, optional
        By the suffix if not given.
    domain : Domain, optional
        Stored with the network.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "third.npz")
    >>> third = Network([([["1/3"]], [0])])
    >>> save(third, path)
    >>> load(path) == third
    True
    """
    target = Path(path)
    name = format or _SUFFIXES.get(target.suffix.lower())
    writable = ", ".join(key for key, entry in FORMATS.items() if entry.writable)
    if name is None or name not in FORMATS or not FORMATS[name].writable:
        kind = f"format {name!r}" if name else f"the suffix {target.suffix!r}"
        raise UnsupportedError(f"cannot write {kind}", where=str(target), remedy=f"formats to write are {writable}")
    if domain is not None:
        _check_domain(network, domain)
    with atomic_writer(target) as stream:
        _module(name).write(network, domain, stream)


def from_torch(module: Any, *, input_shape: tuple[int, ...] | None = None) -> Network:
    """Read a live PyTorch module, in eval mode, by tracing it: see `exactregions.network.formats.torch_module`."""
    from exactregions.network.formats import torch_module

    return torch_module.from_torch(module, input_shape=input_shape)


def from_state_dict(mapping: Any, *, activation: object) -> Network:
    """Read the weights of a plain stack of Linear layers: see `exactregions.network.formats.state_dict`."""
    from exactregions.network.formats import state_dict

    return state_dict.from_state_dict(mapping, activation=activation)


def from_sklearn(estimator: Any) -> Network:
    """Read a fitted MLPClassifier or MLPRegressor: see `exactregions.network.formats.scikit_learn`."""
    from exactregions.network.formats import scikit_learn

    return scikit_learn.from_sklearn(estimator)


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{FORMATS[name].module}")


def _read(path: str | os.PathLike[str], name: str | None, activation: object) -> tuple[Network, Domain | None]:
    source, selector = Path(path), None
    try:
        if "#" in str(source) and not source.exists():
            head, _, selector = str(source).rpartition("#")
            source = Path(head)
        if name is not None and name not in FORMATS:
            raise FormatError(f"unknown format {name!r}", remedy=f"use {', '.join(FORMATS)}")
        found = detect(source, _SUFFIXES)
        network, domain = _module(name or found).read(source, selector=selector, activation=activation)
        if domain is not None:
            _check_domain(network, domain)
    except ExactRegionsError as error:
        raise error.at(str(source)) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", where=str(source)) from None
    return network, domain


def _check_domain(network: Network, domain: Domain) -> None:
    if domain.ambient_dim != network.input_dim:
        raise ShapeError(
            f"a domain in R^{domain.ambient_dim} for a network of {network.input_dim} inputs", where="domain"
        )
