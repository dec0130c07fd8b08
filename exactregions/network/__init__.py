"""The network model: exact affine layers, piecewise-linear activations, evaluation, fingerprint, file formats."""

from exactregions.network.activations import (
    ABS,
    HARD_SIGMOID,
    HARD_TANH,
    IDENTITY,
    RELU,
    RELU6,
    PiecewiseLinear,
    activation_from_json,
    hard_tanh,
    leaky_relu,
)
from exactregions.network.network import AffineLayer, Network

__all__ = [
    "ABS",
    "HARD_SIGMOID",
    "HARD_TANH",
    "IDENTITY",
    "RELU",
    "RELU6",
    "AffineLayer",
    "Network",
    "PiecewiseLinear",
    "activation_from_json",
    "hard_tanh",
    "leaky_relu",
]
