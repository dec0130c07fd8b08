"""The weights of a plain stack of PyTorch Linear layers, without the module: a state_dict, live or in a file.

A state_dict names weights but neither activations nor the way layers are wired, so the caller must say which
activation lies between them, and only the plain stack is accepted: keys ``0.weight``, ``0.bias``, ``2.weight``, ...
whose names differ in one number, which gives their order.  Anything else is refused; the live module, traced, says what
it computes.  Files are read with ``weights_only=True``, which unpickles nothing but tensors.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from exactregions.domains import Domain
from exactregions.errors import FormatError, InputError, ShapeError, UnsupportedError
from exactregions.network.formats.tensors import numbers
from exactregions.network.network import AffineLayer, Network

__all__ = ["from_state_dict", "read"]

_TRACE = "build the module, load the weights into it, and pass it to from_torch"
_SAVE = (
    "a whole pickled module is never loaded; save module.state_dict() instead, or pass the live module to from_torch"
)


def read(path: Path, *, selector: str | None = None, activation: object = None) -> tuple[Network, Domain | None]:
    """Read a file that ``torch.save(module.state_dict(), path)`` wrote."""
    torch = require_torch()
    if selector is not None:
        raise FormatError("the file holds one network", where=f"#{selector}", remedy="leave the # part away")
    if not zipfile.is_zipfile(path):
        raise FormatError("not a file that torch.save wrote, or damaged", remedy=_SAVE)
    try:
        mapping = torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # PyTorch raises errors of many kinds on what it refuses or cannot parse
        raise FormatError("it holds more than tensors, or is damaged", remedy=_SAVE) from None
    return from_state_dict(mapping, activation=activation), None


def from_state_dict(mapping: Any, *, activation: object) -> Network:
    """Read the weights of a plain stack of Linear layers; the last one is the affine output layer.

    Parameters
    ----------
    mapping : mapping from str to tensor or array
        ``module.state_dict()``; weights of shape (outputs, inputs), a missing bias counting as zero.
    activation : PiecewiseLinear, name, or list
        What lies between the layers: as `Network` takes it.

    Raises
    ------
    UnsupportedError
        If the keys are not those of a plain stack.
    InputError
        If no activation is given.

    Examples
    --------
    >>> import numpy as np
    >>> weights = {"0.weight": np.ones((3, 2)), "0.bias": np.zeros(3), "2.weight": np.ones((1, 3))}
    >>> from_state_dict(weights, activation="relu")
    <Network 2-3-1 relu>
    """
    if not isinstance(mapping, Mapping):
        raise FormatError(f"a mapping from names to tensors is wanted, not a {type(mapping).__name__}", remedy=_TRACE)
    if activation is None:
        raise InputError(
            "a state_dict does not say which activation lies between its layers",
            remedy='give it, as in activation="relu", or pass the live module to from_torch',
        )
    layers: list[AffineLayer] = []
    for stem in _stems(mapping):
        weights = mapping[f"{stem}weight"]
        bias = mapping.get(f"{stem}bias")
        for name, value in ((f"{stem}weight", weights), (f"{stem}bias", bias)):
            if value is not None and not hasattr(value, "ndim"):
                raise FormatError(f"a tensor is wanted, not a {type(value).__name__}", where=name)
        inputs = layers[-1].n_outputs if layers else None
        if weights.ndim != 2 or (bias is not None and bias.ndim != 1):
            raise UnsupportedError(
                f"an array of shape {tuple(weights.shape)} is not the matrix of a Linear layer",
                where=f"{stem}weight",
                remedy=_TRACE,
            )
        if inputs is not None and weights.shape[1] != inputs:
            raise ShapeError(f"{weights.shape[1]} inputs where {inputs} are wanted", where=f"{stem}weight")
        shifts = [0] * len(weights) if bias is None else numbers(bias, where=f"{stem}bias")
        layers.append(
            AffineLayer.from_weights(numbers(weights, where=f"{stem}weight"), shifts, where=stem.rstrip(".") or "layer")
        )
    return Network(layers[:-1], output=layers[-1], activation=activation)


def require_torch() -> Any:
    """Import torch, or say how to install it."""
    try:
        import torch
    except ImportError:
        raise UnsupportedError(
            "reading this needs PyTorch", remedy="pip install 'exactregions[torch]', or store the weights as npz"
        ) from None
    return torch


def _stems(mapping: Mapping[str, Any]) -> list[str]:
    """Return the layers' name prefixes in order, making sure that nothing else is in the mapping."""
    keys = [key for key in mapping if isinstance(key, str)]
    others = [key for key in mapping if not (isinstance(key, str) and re.fullmatch(r"(.*\.)?(weight|bias)", key))]
    if others:
        raise UnsupportedError(
            f"the entry {str(others[0])[:80]!r} is not one of a Linear layer",
            remedy=f"keys are like 0.weight and 0.bias; otherwise {_TRACE}",
        )
    if not keys:
        raise FormatError("the mapping is empty", remedy=_TRACE)
    stems = list(dict.fromkeys(key.removesuffix("weight").removesuffix("bias") for key in keys))
    for stem in stems:
        if f"{stem}weight" not in mapping:
            raise FormatError(f"entry {stem}weight is missing", remedy=_TRACE)
    if len(stems) == 1:
        return stems
    return _in_order(stems)


def _in_order(stems: list[str]) -> list[str]:
    """Sort names that differ in exactly one number by that number: alphabetical files put 10 before 2."""
    split = [re.split(r"(\d+)", stem) for stem in stems]
    if len({len(parts) for parts in split}) == 1:
        differing = [place for place, parts in enumerate(zip(*split, strict=True)) if len(set(parts)) > 1]
        if len(differing) == 1 and differing[0] % 2 == 1:
            place = differing[0]
            order = sorted(range(len(stems)), key=lambda index: int(split[index][place]))
            if len({int(parts[place]) for parts in split}) == len(stems):
                return [stems[index] for index in order]
    raise UnsupportedError(
        f"the names {', '.join(stem.rstrip('.') for stem in stems[:6])} do not tell the order of the layers",
        remedy=_TRACE,
    )
