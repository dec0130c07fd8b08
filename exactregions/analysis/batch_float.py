"""The batch functional dimension as it is usually computed: by singular values, in floating point, with a threshold.

This is here to compare with, and decides nothing: the number of singular values above a threshold can be off either
way, and points too near a wall count as if they were smooth.  `functional_dimension` is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import ShapeError
from exactregions.network import Network

__all__ = ["float_batch_rank", "float_jacobian"]

Floats = NDArray[np.float64]


def float_jacobian(network: Network, points: Floats) -> Floats:
    """Jacobian in the parameters at points of shape (n, d): shape (n * n_out, n_parameters), in floating point.

    Examples
    --------
    >>> float_jacobian(Network([([[1]], [0])], output=([[2]], [0])), np.array([[0.5]])).tolist()
    [[1.0, 2.0, 0.5, 1.0]]
    """
    if points.ndim != 2 or points.shape[1] != network.input_dim:
        raise ShapeError(f"points of shape (n, {network.input_dim}) are wanted, not {points.shape}")
    affine = [*network.layers, *([network.output] if network.output else [])]
    weights = [np.array(layer.weights, dtype=float) for layer in affine]
    signal, inputs, slopes = np.asarray(points, dtype=float), [], []
    for hidden, matrix, kinds in zip(network.layers, weights, network.activations, strict=False):
        inputs.append(signal)
        before = signal @ matrix.T + np.array(hidden.bias, dtype=float)
        taken, after = np.empty_like(before), np.empty_like(before)
        for k, phi in enumerate(kinds):
            piece = np.searchsorted(np.array(phi.breakpoints, dtype=float), before[:, k])
            taken[:, k] = np.array(phi.slopes, dtype=float)[piece]
            after[:, k] = taken[:, k] * before[:, k] + np.array(phi.offsets, dtype=float)[piece]
        slopes.append(taken)
        signal = after
    if network.output is not None:
        inputs.append(signal)
    back = np.broadcast_to(np.eye(network.output_dim), (len(points), network.output_dim, network.output_dim))
    blocks = []
    for layer in reversed(range(len(affine))):
        if layer < len(slopes):
            back = back * slopes[layer][:, None, :]
        entering = np.concatenate([inputs[layer], np.ones((len(points), 1))], axis=1)
        block = back[:, :, :, None] * entering[:, None, None, :]
        blocks.append(block.reshape(len(points) * network.output_dim, -1))
        back = back @ weights[layer]
    return np.concatenate(blocks[::-1], axis=1)


def float_batch_rank(network: Network, points: Floats, *, rtol: float = 1e-9) -> int:
    """Number of singular values above `rtol` times the largest, of the Jacobian with rows and columns scaled to 1.

    Examples
    --------
    >>> hinge = Network([([[1]], [0])], output=([[2]], [0]))
    >>> float_batch_rank(hinge, np.linspace(-2, 2, 50)[:, None])
    3
    """
    matrix = float_jacobian(network, points)
    for axis in (1, 0):
        size = np.linalg.norm(matrix, axis=axis, keepdims=True)
        matrix = np.divide(matrix, size, out=np.zeros_like(matrix), where=size > 0)
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > rtol * values[0]).sum()) if len(values) and values[0] > 0 else 0
