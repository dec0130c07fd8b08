"""NumPy's npz archives: ``W1, b1, ..., Wk, bk`` with y = W x + b, ReLU between layers and none after the last.

Entries may be floats or integers of any width, each read as the rational it stores; object arrays are pickles and are
never loaded.  What those arrays cannot say stands in one optional entry more, ``meta``, a JSON text with any of these:

* ``activation``: as in the JSON form of a network (default: ReLU everywhere);
* ``output_layer``: ``false`` if an activation follows the last layer too;
* ``input_dim``: for a network without any layer;
* ``domain``: as in the JSON form.

An array whose rationals are not all float64 numbers is written as an array of strings ``p/q`` (dtype ``<U``) and read
back as written, so that nothing is rounded either way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from exactregions.domains import Domain, WholeSpace, domain_from_json
from exactregions.errors import FormatError, ShapeError
from exactregions.files import read_arrays
from exactregions.network.activations import RELU
from exactregions.network.formats.json_text import activation_json, chosen_activation, parse_json
from exactregions.network.network import AffineLayer, Network
from exactregions.rational import format_rational, to_fraction_matrix, to_fractions

__all__ = ["read", "write"]

_META_KEYS = {"activation", "domain", "input_dim", "output_layer"}
_FORM = "an npz network holds W1, b1, ..., Wk, bk and optionally meta"


def read(path: Path, *, selector: str | None = None, activation: object = None) -> tuple[Network, Domain | None]:
    """Read a network, and its domain if the file has one; `activation` is for files that do not state theirs."""
    if selector is not None:
        raise FormatError("an npz file holds one network", where=f"#{selector}", remedy="leave the # part away")
    arrays = read_arrays(path, remedy=_FORM)
    meta = _meta(arrays.pop("meta", None))
    layers: list[AffineLayer] = []
    for index in range(1, _layer_count(arrays) + 1):
        inputs = layers[-1].n_outputs if layers else None
        layers.append(_layer(arrays[f"W{index}"], arrays[f"b{index}"], inputs, index))
    output = layers.pop() if layers and meta.get("output_layer", True) else None
    network = Network(
        layers,
        output=output,
        activation=chosen_activation(meta.get("activation"), activation, default=RELU),
        input_dim=meta.get("input_dim"),
    )
    domain = meta.get("domain")
    return network, None if domain is None else domain_from_json(domain)


def write(network: Network, domain: Domain | None, stream: IO[bytes]) -> None:
    """Write a network, and a domain unless it is the whole space, without loss."""
    entries: dict[str, NDArray[Any]] = {}
    layers = [*network.layers, *([network.output] if network.output else [])]
    for index, layer in enumerate(layers, start=1):
        entries[f"W{index}"], entries[f"b{index}"] = _array(layer.weights), _array(layer.bias)
    meta: dict[str, object] = {}
    if any(phi != RELU for phi in network.neurons):
        meta["activation"] = activation_json(network)
    if layers and network.output is None:
        meta["output_layer"] = False
    if not layers:
        meta["input_dim"] = network.input_dim
    if domain is not None and not isinstance(domain, WholeSpace):
        meta["domain"] = domain.to_json()
    if meta:
        entries["meta"] = np.array(json.dumps(meta))
    np.savez(stream, allow_pickle=False, **entries)


def _meta(entry: NDArray[Any] | None) -> dict[str, Any]:
    if entry is None:
        return {}
    if entry.dtype.kind != "U" or entry.ndim != 0:
        raise FormatError("a JSON text is wanted, as one string", where="meta")
    meta = parse_json(str(entry), where="meta")
    if not isinstance(meta, dict):
        raise FormatError("a JSON object is wanted", where="meta")
    if unknown := set(meta) - _META_KEYS:
        names = ", ".join(sorted(unknown))
        raise FormatError(f"unknown keys {names}", where="meta", remedy=f"use {', '.join(sorted(_META_KEYS))}")
    if not isinstance(meta.get("output_layer", True), bool):
        raise FormatError("output_layer is true or false", where="meta")
    size = meta.get("input_dim", 0)
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise FormatError("input_dim is a number of inputs", where="meta")
    return meta


def _layer_count(arrays: dict[str, NDArray[Any]]) -> int:
    """Return k after making sure that the entries are W1, b1, ..., Wk, bk and nothing else."""
    count = sum(1 for name in arrays if re.fullmatch(r"W[1-9]\d*", name))
    wanted = {f"{letter}{index}" for index in range(1, count + 1) for letter in "Wb"}
    if missing := sorted(wanted - set(arrays), key=lambda name: (int(name[1:]), name)):
        raise FormatError(f"entry {missing[0]} is missing", remedy=_FORM)
    if unknown := sorted(set(arrays) - wanted):
        raise FormatError(f"unexpected entry {unknown[0]!r}", remedy=_FORM)
    return count


def _layer(weights: NDArray[Any], bias: NDArray[Any], inputs: int | None, index: int) -> AffineLayer:
    W, b = f"W{index}", f"b{index}"
    if weights.ndim != 2:
        raise ShapeError(f"a matrix (outputs, inputs) is wanted, not an array of shape {weights.shape}", where=W)
    if bias.ndim != 1:
        raise ShapeError(f"a vector is wanted, not an array of shape {bias.shape}", where=b)
    if inputs is not None and weights.shape[1] != inputs:
        raise ShapeError(
            f"it has {weights.shape[1]} columns, but layer {index - 1} has {inputs} outputs",
            where=W,
            remedy="weights are stored as (outputs, inputs), y = W x + b",
        )
    if len(weights) != len(bias):
        raise ShapeError(f"it has {len(bias)} entries, but {W} has {len(weights)} rows", where=b)
    return AffineLayer.from_weights(
        to_fraction_matrix(weights, columns=weights.shape[1], where=W), to_fractions(bias, where=b), where=W
    )


def _array(values: Sequence[Any]) -> NDArray[Any]:
    """Return float64 if that stores every number exactly, else strings; `values` are fractions, or rows of them."""
    table = np.array(values, dtype=object)
    if all(_is_float64(value) for value in table.flat):
        return table.astype(np.float64)
    texts = [format_rational(value) for value in table.flat]
    return np.array(texts).reshape(table.shape)


def _is_float64(value: Fraction) -> bool:
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False
