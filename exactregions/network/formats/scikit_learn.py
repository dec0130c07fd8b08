"""Fitted scikit-learn perceptrons: MLPClassifier and MLPRegressor.

``coefs_`` are stored as (inputs, outputs), so each is transposed.  The network ends *before* ``out_activation_``: what
is read is the class scores before softmax or the logistic function, or a regressor's value, since those functions are
not piecewise linear.  They keep the order, so the predicted class is the largest score, or the sign of the only one.
Hidden layers with the identity as activation are composed into their neighbours.
"""

from __future__ import annotations

from typing import Any

from exactregions.errors import InputError, UnsupportedError
from exactregions.network.activations import IDENTITY, RELU
from exactregions.network.formats.chain import Chain
from exactregions.network.network import AffineLayer, Network
from exactregions.rational import to_fraction_matrix, to_fractions

__all__ = ["from_sklearn"]

_ACTIVATIONS = {"relu": RELU, "identity": IDENTITY}


def from_sklearn(estimator: Any) -> Network:
    """Read a fitted ``MLPClassifier`` or ``MLPRegressor`` with activation ``"relu"`` or ``"identity"``.

    Parameters
    ----------
    estimator : sklearn.neural_network.MLPClassifier or MLPRegressor

    Returns
    -------
    Network
        From the inputs to the values before ``out_activation_``, which is dropped.

    Raises
    ------
    UnsupportedError
        For another estimator, or for tanh and logistic units.
    InputError
        If the estimator is not fitted.
    """
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    kind = type(estimator).__name__
    if not isinstance(estimator, (MLPClassifier, MLPRegressor)):
        remedy = "pass a fitted MLPClassifier or MLPRegressor"
        if hasattr(estimator, "steps"):
            remedy += ", such as the pipeline's last step; its inputs are then the scaled ones"
        raise UnsupportedError(f"unsupported estimator {kind}", remedy=remedy)
    if not hasattr(estimator, "coefs_"):
        raise InputError("the estimator is not fitted", where=kind, remedy="call fit first")
    if estimator.activation not in _ACTIVATIONS:
        raise UnsupportedError(
            f"unsupported activation {estimator.activation!r}: it is not piecewise linear",
            where=kind,
            remedy=f"supported are {', '.join(_ACTIVATIONS)}",
        )
    phi = _ACTIVATIONS[estimator.activation]
    last = len(estimator.coefs_) - 1
    chain = Chain(len(estimator.coefs_[0]))
    for index, (weights, bias) in enumerate(zip(estimator.coefs_, estimator.intercepts_, strict=True)):
        columns = to_fraction_matrix(weights, where=f"coefs_[{index}]")
        shifts = to_fractions(bias, where=f"intercepts_[{index}]")
        chain.affine(AffineLayer.from_weights(list(zip(*columns, strict=True)), shifts, where=f"coefs_[{index}]"))
        if index < last and phi is not IDENTITY:
            chain.activate([phi] * chain.width)

    return chain.network()
