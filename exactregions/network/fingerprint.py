"""The fingerprint: sha256 over a canonical text of the network's rationals.

The text is, lines ended by a newline, rationals written ``p`` or ``p/q`` in lowest terms and separated by one space::

    exactregions-network 1
    input D
    layer N                         for each hidden layer, then N lines, one a neuron:
    W_1 ... W_m B | breakpoints xi_1 ... xi_T ; slopes p_0 ... p_T ; anchor t v
    output M                        then M lines `W_1 ... W_m B`; or `output none`

The anchor is taken at the first breakpoint (at t = 0 where there is none).  Two files that hold the same function data
have the same fingerprint, whatever format, float width or spelling they use; the domain is not part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from exactregions.rational import format_rational

if TYPE_CHECKING:
    from exactregions.network.activations import PiecewiseLinear
    from exactregions.network.network import AffineLayer, Network

__all__ = ["canonical_text", "digest"]


def canonical_text(network: Network) -> str:
    """Return the text whose sha256 is the fingerprint."""
    return "".join(f"{line}\n" for line in _lines(network))


def digest(network: Network) -> str:
    """Return the sha256 of the canonical text, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_text(network).encode()).hexdigest()


def _lines(network: Network) -> Iterator[str]:
    yield "exactregions-network 1"
    yield f"input {network.input_dim}"
    for layer, activations in zip(network.layers, network.activations, strict=True):
        yield f"layer {layer.n_outputs}"
        texts = {phi: _activation(phi) for phi in set(activations)}
        for row, phi in zip(_rows(layer), activations, strict=True):
            yield f"{row} | {texts[phi]}"
    if network.output is None:
        yield "output none"
        return
    yield f"output {network.output.n_outputs}"
    yield from _rows(network.output)


def _rows(layer: AffineLayer) -> Iterator[str]:
    for row in layer.matrix.to_fractions():
        yield " ".join(map(format_rational, row))


def _activation(phi: PiecewiseLinear) -> str:
    marks = " ".join(["breakpoints", *map(format_rational, phi.breakpoints)])
    slopes = " ".join(["slopes", *map(format_rational, phi.slopes)])
    return f"{marks} ; {slopes} ; anchor {' '.join(map(format_rational, phi.anchor))}"
