"""The JSON form of a network: one entry of a list such as the oracle files hold, or one object by itself.

========================  =============================================================================================
``input_dim``             number of inputs; may be left out if there is a layer
``activation``            a name, an object with breakpoints, slopes and anchor, or a list with one a layer, or within
                          it one a neuron
``layers``                [[W, b], ...], the hidden layers
``output_layer``          [W, b], or null if the network ends with the last activation
``domain``                optional: "R^3", [[lo, hi], ...], {"A", "b"} or {"origin", "directions", "inner"}
========================  =============================================================================================

Further fields (name, note, counts) describe and are not read.  JSON is text, so every number in it is taken as written:
``0.1`` and ``"0.1"`` both mean 1/10, unlike a Python float 0.1, which means the dyadic rational that it stores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from exactregions.domains import Domain, domain_from_json
from exactregions.errors import ExactRegionsError, FormatError, InputError
from exactregions.network.activations import PiecewiseLinear
from exactregions.network.network import AffineLayer, Network
from exactregions.rational import format_rational

__all__ = ["activation_json", "chosen_activation", "from_json", "parse_json", "read", "to_json", "write"]

_REQUIRED = ("activation", "layers", "output_layer")
_MAX_NAMES = 60


def read(path: Path, *, selector: str | None = None, activation: object = None) -> tuple[Network, Domain | None]:
    """Read a network and its domain; `selector` picks an entry of a list, by name or by number from 0."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError("it is not UTF-8 text", where=f"byte {error.start}") from None
    value = parse_json(text)
    place = None
    if isinstance(value, list):
        value, place = _select(value, selector)
    elif selector is not None:
        raise FormatError("the file holds one network", where=f"#{selector}", remedy="leave the # part away")
    try:
        chosen_activation(value.get("activation") if isinstance(value, dict) else None, activation, default=None)
        return from_json(value)
    except ExactRegionsError as error:
        raise (error.at(place) if place else error) from None


def write(network: Network, domain: Domain | None, stream: IO[bytes]) -> None:
    """Write a network and a domain, one field a line, every number as a string."""
    fields = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in to_json(network, domain).items()]
    stream.write(("{\n" + ",\n".join(fields) + "\n}\n").encode())


def to_json(network: Network, domain: Domain | None = None) -> dict[str, Any]:
    """Return the JSON form of a network, rationals as strings; `from_json` reads it back without loss.

    Examples
    --------
    >>> from exactregions.network import Network
    >>> to_json(Network([([[0.5]], [0])]))
    {'input_dim': 1, 'activation': 'relu', 'layers': [[[['1/2']], ['0']]], 'output_layer': None}
    """
    form: dict[str, Any] = {
        "input_dim": network.input_dim,
        "activation": activation_json(network),
        "layers": [_layer_json(layer) for layer in network.layers],
        "output_layer": None if network.output is None else _layer_json(network.output),
    }
    return form if domain is None else {**form, "domain": domain.to_json()}


def from_json(value: object) -> tuple[Network, Domain | None]:
    """Read the JSON form of a network, and its domain if it has one.

    Parameters
    ----------
    value : dict
        As `json.load` gives it, or built in Python: then a float means the rational that it stores.

    Raises
    ------
    FormatError
        If a field is missing or of the wrong kind.
    InputError
        If a number, a shape or an activation is refused; the place is named.

    Examples
    --------
    >>> network, domain = from_json(
    ...     {"activation": "relu", "layers": [[[["1/3", 1]], [0]]], "output_layer": None, "domain": "R^2"}
    ... )
    >>> network.input_dim, str(domain)
    (2, 'R^2')
    """
    if not isinstance(value, dict):
        raise FormatError(f"a network is a JSON object, not a {type(value).__name__}")
    if missing := [key for key in _REQUIRED if key not in value]:
        raise FormatError(
            f"the field {missing[0]!r} is missing",
            remedy='a network has "input_dim", "activation", "layers" and "output_layer" (null for none)',
        )
    size = value.get("input_dim")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 0):
        raise FormatError(f"{size!r} is not a number of inputs", where="input_dim")
    layers, output = value["layers"], value["output_layer"]
    if not isinstance(layers, (list, tuple)):
        raise FormatError("a list of pairs [W, b] is wanted", where="layers")
    network = Network(layers, output=output, activation=value["activation"], input_dim=size)
    domain = value.get("domain")
    return network, None if domain is None else domain_from_json(domain)


def activation_json(network: Network) -> Any:
    """Return one name or object for the whole network where that says all, else a list by layers, or by neurons."""
    layers = network.activations
    if layers and len(set(network.neurons)) == 1:
        return layers[0][0].to_json()
    return [_uniform(layer) for layer in layers]


def _uniform(layer: Sequence[PiecewiseLinear]) -> Any:
    forms = {phi: phi.to_json() for phi in set(layer)}
    return forms[layer[0]] if len(forms) == 1 else [forms[phi] for phi in layer]


def _layer_json(layer: AffineLayer) -> list[Any]:
    return [[list(map(format_rational, row)) for row in layer.weights], list(map(format_rational, layer.bias))]


def chosen_activation(stated: object, asked: object, *, default: object) -> object:
    """Return the activation that a file states, else the one that the caller gave, else the default.

    Raises
    ------
    InputError
        If both are given: a file that states its activations is not to be contradicted.
    """
    if stated is not None and asked is not None:
        raise InputError("the file states its activations", where="activation", remedy="leave the argument away")
    return next((choice for choice in (stated, asked) if choice is not None), default)


def parse_json(text: str, *, where: str | None = None) -> Any:
    """Parse JSON, keeping numbers with a fraction, an exponent or many digits as text, so that nothing is rounded.

    Raises
    ------
    FormatError
        With line and column; also for a key that occurs twice.
    """
    prefix = f"{where}, " if where else ""
    try:
        return json.loads(
            text,
            parse_float=str,
            parse_int=lambda digits: int(digits) if len(digits) < 1000 else digits,
            parse_constant=str,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        place = f"{prefix}line {error.lineno}, column {error.colno}"
        raise FormatError(f"not JSON: {error.msg}", where=place) from None
    except RecursionError:
        raise FormatError("not a network: nested too deeply", where=where) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise FormatError(f"the field {twice!r} occurs twice in one object")
    return read


def _select(entries: list[Any], selector: str | None) -> tuple[Any, str]:
    names = [str(entry.get("name", index)) if isinstance(entry, dict) else "?" for index, entry in enumerate(entries)]
    known = ", ".join(names[:_MAX_NAMES]) + (", ..." if len(names) > _MAX_NAMES else "")
    if selector is None:
        if len(entries) == 1:
            return entries[0], names[0]
        raise FormatError(
            f"the file holds {len(entries)} networks",
            remedy=f"choose one by name or number, as in FILE#{names[0] if names else 'NAME'}; there are {known}",
        )
    matches = [index for index, name in enumerate(names) if name == selector]
    if len(matches) > 1:
        raise FormatError(f"the name occurs {len(matches)} times", where=f"#{selector}", remedy="choose by number")
    if not matches and selector.isascii() and selector.isdigit() and int(selector) < len(entries):
        matches = [int(selector)]
    if not matches:
        raise FormatError("there is no such network in the file", where=f"#{selector}", remedy=f"there are {known}")
    return entries[matches[0]], f"#{selector}"
