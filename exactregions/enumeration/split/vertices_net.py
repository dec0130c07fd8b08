"""A problem in flat arrays for the vertex kernel, with norms that are proved upper bounds.

Layer l is the matrix M_l = [W_l b_l] (columns of the first layer: the homogeneous coordinates), rounded to nearest.
The error bounds of the kernel need, for each layer, upper bounds of

* the largest 2-norm of a row and the Frobenius norm of M_l, which also bounds the spectral norm of |M_l|: float sums of
  squares, inflated by more than their rounding;
* the spectral norm |M_l|_2.  If Cholesky's factorisation of A = fl(s^2 I - G - c I), G = fl(M^T M), runs to completion
  in floating point, then A + E = R^T R with |E|_2 <= g/(1-g) trace(A), g = (k+1) u/(1-(k+1)u), k = order of A (Demmel
  1989; Higham, *Accuracy and Stability*, Theorem 10.3).  So s^2 I - M^T M is positive semidefinite as soon as c exceeds
  that, plus |G - M^T M|_2 <= g' |M|_F^2 (g' for inner products of length n), plus the rounding of the diagonal.  s is
  proposed by power iteration.  Where the factorisation fails, sqrt(|M|_1 |M|_inf) is taken.

All are bounds for the rounded matrices; the exact ones differ by at most u in every entry, which the kernel counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.homogeneous import FloatLayer, HomogeneousProblem, IntegerLayer

__all__ = ["VertexNet", "spectral_bound", "vertex_net"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_U = 2.0**-53
_SLACK = 1.0 + 1e-9
_SMALL = 48  # rows of a matrix whose eigenvalues take less time than an iteration


class VertexNet(NamedTuple):
    """The layers in flat arrays; see the module's text for the norms."""

    rows: Ints  # (L,): R_l
    cols: Ints  # (L,): columns of M_l
    start: Ints  # (L,): where M_l begins in `flat`
    flat: Floats  # all M_l, row-major
    row_start: Ints  # (L + 1,): number of the first row of each layer
    slopes: Floats  # (rows in all, 2)
    word_start: Ints  # (L + 1,): first 64-bit word of each layer in a pattern
    walls: NDArray[np.uint64]  # words: rows that are walls
    row_norm: Floats
    spectral: Floats
    frobenius: Floats
    bias_norm: Floats  # of the column x_0 of M_l (later layers)
    lipschitz: Floats  # largest |slope|, at least 1
    absolute: Floats  # largest row sum of |M_l|
    domain: Floats  # (rows, coordinates): x_0 first unless the problem is a cone, then the domain's rows
    unit: int  # column of x_0, or -1 for cones


def vertex_net(problem: HomogeneousProblem, *, integral: bool) -> VertexNet | None:
    """Return the arrays, in floats or in integers, or None if the numbers do not fit; kept with the problem."""
    kept = problem.__dict__.setdefault("_vertex_nets", {})
    if integral not in kept:
        kept[integral] = _build(problem, integral=integral)
    found: VertexNet | None = kept[integral]
    return found


def _build(problem: HomogeneousProblem, *, integral: bool) -> VertexNet | None:
    layers: Sequence[FloatLayer | IntegerLayer] | None = (
        problem.integer_layers() if integral else problem.float_layers()
    )
    if layers is None or not layers:
        return None
    tables = [layers[0].weights, *(np.hstack([layer.weights, layer.bias[:, None]]) for layer in layers[1:])]
    rows = [len(table) for table in tables]
    words = [-(-count // 64) for count in rows]
    walls = np.zeros(sum(words), np.uint64)
    for place, layer in zip((0, *accumulate(words)), layers, strict=False):
        for row in np.flatnonzero(layer.is_wall):
            walls[place + row // 64] |= np.uint64(1) << np.uint64(row % 64)
    sides = [] if problem.is_cone else [[0.0] * problem.dim + [1.0]]
    sides += [_unit_row(row) for row in problem.domain_rows]
    with np.errstate(over="ignore", invalid="ignore"):
        return VertexNet(
            np.array(rows),
            np.array([table.shape[1] for table in tables]),
            np.array([0, *accumulate(table.size for table in tables)])[:-1],
            np.concatenate([table.ravel() for table in tables]),
            np.array([0, *accumulate(rows)]),
            np.concatenate([layer.slopes for layer in layers]),
            np.array([0, *accumulate(words)]),
            walls,
            np.array([_norm(table, axis=1).max() for table in tables]),
            np.array([spectral_bound(table) for table in tables]),
            np.array([float(_norm(table.ravel(), axis=0)) for table in tables]),
            np.array([0.0, *(float(_norm(table[:, -1], axis=0)) for table in tables[1:])]),
            np.array([max(1.0, float(np.abs(layer.slopes).max())) for layer in layers]),
            np.array([np.abs(table).sum(axis=1).max() * _SLACK for table in tables]),
            np.array(sides, np.float64).reshape(len(sides), problem.n_coordinates),
            -1 if problem.is_cone else problem.dim,
        )


def spectral_bound(matrix: Floats) -> float:
    """Return a proved upper bound of the spectral norm.

    Examples
    --------
    >>> 5.0 <= spectral_bound(np.array([[3.0, 0.0], [0.0, 5.0]])) < 5.3
    True
    """
    magnitudes = np.abs(matrix)
    plain = float(np.sqrt(magnitudes.sum(axis=0).max() * magnitudes.sum(axis=1).max())) * _SLACK
    tall = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    gram = tall.T @ tall
    n, k = tall.shape
    length = _largest_eigenvalue(gram)
    if not 0 < length < np.inf:
        return plain
    proposal = 1.05 * length
    frobenius = float(_norm(matrix.ravel(), axis=0))
    error = 2 * ((k + 4) * _U * k * proposal + (n + 4) * _U * frobenius * frobenius)
    shifted = -gram
    shifted[np.diag_indices(k)] += proposal - error
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return plain
    return min(plain, float(np.sqrt(proposal)) * _SLACK)


def _largest_eigenvalue(gram: Floats) -> float:
    """About the largest eigenvalue of a symmetric positive semidefinite matrix; 0 if it cannot be told."""
    if not np.isfinite(gram).all():
        return 0.0
    if len(gram) <= _SMALL:
        return float(np.linalg.eigvalsh(gram)[-1])
    vector, length = np.ones(len(gram)), 0.0
    for _ in range(60):
        image = gram @ vector
        length = float(np.linalg.norm(image))
        if not 0 < length < np.inf:
            return 0.0
        vector = image / length
    return length


def _norm(table: Floats, *, axis: int) -> Floats:
    """2-norm along an axis, rounded up: inflation beats the rounding of fewer than 10^6 terms."""
    scale = float(np.abs(table).max()) or 1.0
    return np.asarray(np.sqrt(((table / scale) ** 2).sum(axis=axis)) * scale * _SLACK)


def _unit_row(row: tuple[int, ...]) -> list[float]:
    largest = max(map(abs, row)) or 1
    return [value / largest for value in row]
