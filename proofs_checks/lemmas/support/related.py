"""Networks made from another one: without its biases, with neurons rescaled or permuted, cut short."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactregions import Network, RegionComplex, UndecidedError, enumerate_regions, prove
from exactregions.network import AffineLayer
from exactregions.rational import RationalMatrix
from proofs_checks.lemmas.support.subject import Subject

__all__ = [
    "permute_neurons",
    "rescale_biases",
    "rescale_neurons",
    "truncate",
    "zero_bias_complex",
    "zero_bias_network",
]

Rows = list[tuple[Fraction, ...]]


def rescale_biases(network: Network, factor: Fraction) -> Network:
    """Multiply every bias of the hidden layers by a number.

    Examples
    --------
    >>> rescale_biases(Network([([[1]], [3])]), Fraction(1, 2)).layers[0].bias
    (Fraction(3, 2),)
    """
    layers = [[(*row[:-1], factor * row[-1]) for row in layer.matrix.to_fractions()] for layer in network.layers]
    return _rebuild(network, layers, network.output)


def zero_bias_network(network: Network) -> Network:
    """Put every bias of the hidden layers to 0."""
    return rescale_biases(network, Fraction(0))


def zero_bias_complex(subject: Subject) -> RegionComplex:
    """Return the cells of the network without its hidden biases, their list proved complete.

    Raises
    ------
    UndecidedError
        If the proof fails.
    """
    network = zero_bias_network(subject.network)
    found = enumerate_regions(network, subject.domain)
    if not prove(network, subject.domain, found.patterns(), max_counterexamples=1).holds:
        raise UndecidedError("the cells of the network without biases were not listed completely")
    return found


def rescale_neurons(network: Network, factors: Sequence[Fraction]) -> Network:
    """Multiply the incoming weights and bias of neuron i by c_i > 0, and divide its outgoing weights by it."""
    layers: list[Rows] = []
    before: Sequence[Fraction] = [Fraction(1)] * network.input_dim
    start = 0
    for layer in network.layers:
        own = factors[start : start + layer.n_outputs]
        layers.append(
            [
                (*[c * w / d for w, d in zip(row[:-1], before, strict=True)], c * row[-1])
                for row, c in zip(layer.matrix.to_fractions(), own, strict=True)
            ]
        )
        before, start = own, start + layer.n_outputs
    return _rebuild(network, layers, _after(network.output, before))


def permute_neurons(network: Network, orders: Sequence[Sequence[int]]) -> Network:
    """Put neuron orders[l][i] of layer l at place i."""
    layers: list[Rows] = []
    before: Sequence[int] = range(network.input_dim)
    for layer, order in zip(network.layers, orders, strict=True):
        rows = layer.matrix.to_fractions()
        layers.append([(*[rows[old][k] for k in before], rows[old][-1]) for old in order])
        before = order
    output = network.output
    if output is not None:
        output = AffineLayer(
            RationalMatrix.from_rows([(*[row[k] for k in before], row[-1]) for row in output.matrix.to_fractions()])
        )
    kinds = [[kind[k] for k in order] for kind, order in zip(network.activations, orders, strict=True)]
    return Network.from_parts(
        [AffineLayer(RationalMatrix.from_rows(rows)) for rows in layers], kinds, output, network.input_dim
    )


def truncate(network: Network, depth: int) -> Network:
    """Keep the first hidden layers only; the value is the last one's activation vector."""
    return Network.from_parts(network.layers[:depth], network.activations[:depth], None, network.input_dim)


def _after(output: AffineLayer | None, before: Sequence[Fraction]) -> AffineLayer | None:
    if output is None:
        return None
    rows = [(*[w / d for w, d in zip(row[:-1], before, strict=True)], row[-1]) for row in output.matrix.to_fractions()]
    return AffineLayer(RationalMatrix.from_rows(rows))


def _rebuild(network: Network, layers: Sequence[Rows], output: AffineLayer | None) -> Network:
    return Network.from_parts(
        [AffineLayer(RationalMatrix.from_rows(rows)) for rows in layers],
        network.activations,
        output,
        network.input_dim,
    )
