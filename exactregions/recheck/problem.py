"""Line 1 of a certificate: which statement, about which network, on which domain."""

from __future__ import annotations

import json
from dataclasses import dataclass

from exactregions.recheck.domain import Domain, read_domain
from exactregions.recheck.lines import JSON, fields
from exactregions.recheck.network import Layer, fingerprint, integer_layers, read_network
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["KINDS", "Problem", "read_problem"]

KINDS = ("regions", "infeasible", "point", "facet", "merge")
_FORMAT = "exactregions-certificate"


@dataclass(frozen=True, slots=True)
class Problem:
    """What line 1 says, ready for use.

    Parameters
    ----------
    kind, fingerprint, domain_text : str
        As in the file; the domain as JSON text, or plainly if it is R^n.
    domain : Domain
    layers : list of Layer
        The hidden layers.
    output : Layer or None
        None for a network without output layer.
    layer_of, n_pieces : list of int
        For each neuron the number of its layer, from 0, and of its pieces.
    """

    kind: str
    fingerprint: str
    domain_text: str
    domain: Domain
    layers: list[Layer]
    output: Layer | None
    layer_of: list[int]
    n_pieces: list[int]


def read_problem(value: dict[str, JSON], budget: Budget) -> Problem:
    """Read line 1 and check the fingerprint.

    Raises
    ------
    Refused
        If it is malformed; if the fingerprint is not that of the network.
    """
    if value.get("format") != _FORMAT:
        raise Refused("unknown-format")
    version = value.get("version")
    if type(version) is not int or version != 1:
        raise Refused("unknown-version")
    fields(value, ("format", "version", "kind", "network", "domain", "fingerprint"))
    kind, claimed, place = value["kind"], value["fingerprint"], value["domain"]
    if type(kind) is not str or kind not in KINDS:
        raise Refused("unknown-kind")
    if type(claimed) is not str:
        raise Refused("bad-fields")
    network = read_network(value["network"], budget)
    domain = read_domain(place, network.n_inputs, budget)
    layers, output = integer_layers(network, domain, budget)
    if fingerprint(network) != claimed:
        raise Refused("fingerprint-mismatch")
    return Problem(
        kind,
        claimed,
        place if type(place) is str else json.dumps(place),
        domain,
        layers,
        output,
        [number for number, layer in enumerate(layers) for _ in layer.maps],
        [len(maps) for layer in layers for maps in layer.maps],
    )
