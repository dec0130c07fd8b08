"""Affine forms of a layer's walls on a cell of the layers before, with error bounds.

Notation as in `dictionary_certify`.  f = (f_1, ..., f_d; f_0) stands for f* with |f - f*|_1 <= D and N >= |f|_1.  The
feature of a neuron is p g + kappa on a piece, so its form has error at most |p| D + (eta + 3u)(|p| N + |kappa|).  A row
sum_i w_i h_i + b with K terms has error at most sum |w_i| D_i + (gamma(K + 2) + eta)(sum |w_i| N_i + |b|).  If the
problem is integral and sum |w_i| N_i + |b| < 2^53, every partial sum is an integer below 2^53, and the error is 0.

`supports` has, for each level, bits for all generators (see there) that a form is a combination of, all bits if there
are more than 64: at level 0 the coefficients that are not structural zeros, that is, sums of no terms; without any, the
form is a constant.
"""

# mypy: disable-error-code="no-untyped-def"
# ruff: noqa: C901
# (kernels: Numba types them, and splitting hot loops into calls costs more than it explains)

from __future__ import annotations

import numpy as np
from numba import njit

from exactregions.enumeration.split.dictionary_certify import ALL, GAMMA, INFLATE, INTEGERS, OPTIONS, TINY, UNIT

__all__ = ["compose"]


@njit(**OPTIONS)
def compose(layer, widths, neurons, first_row, W, b, slope, shift, signs, offsets, forms, features, rounding, integral):
    """Compute the forms of one layer from those of the layer before, whose signs are all decided.

    `forms` is (F, N, D, supports, active, ranks, solid), each by layer first; `features` is scratch for one layer;
    `rounding` is eta.  `active` is set for the layer before; `ranks`[layer] bounds the dimension of V at that
    level, without and with constants; `solid`[layer] has the bits of its generators that are not constant.
    """
    F, N, D, supports, active, ranks, solid = forms
    G, GN, GD = features
    size = F.shape[2]
    below = layer - 1
    count = 0
    linear = 0
    few = neurons[below] <= 64
    solid[layer] = np.uint64(0)
    for i in range(neurons[below]):
        row = first_row[below, i]
        stop = first_row[below, i + 1]
        piece = 0
        for r in range(row, stop):
            if signs[offsets[below] + r] == 1:
                piece += 1
        p = slope[below, i, piece]
        kappa = shift[below, i, piece]
        active[below, i] = p != 0.0
        if p != 0.0:
            count += 1
            if supports[below, row, 0] != 0:
                linear += 1
                solid[layer] |= np.uint64(1) << np.uint64(i) if few else ALL
        for c in range(size):
            G[i, c] = p * F[below, row, c] if p != 0.0 else 0.0
        G[i, size - 1] += kappa
        if p == 1.0 and kappa == 0.0:
            GN[i] = N[below, row]
            GD[i] = D[below, row] + rounding * N[below, row]
        elif p == 0.0:
            GN[i] = abs(kappa)
            GD[i] = rounding * abs(kappa) * INFLATE
        else:
            total = (abs(p) * N[below, row] + abs(kappa)) * INFLATE
            GN[i] = total * INFLATE
            if integral and D[below, row] == 0.0 and total < INTEGERS:
                GD[i] = 0.0
            else:
                GD[i] = (abs(p) * D[below, row] + (rounding + 3.0 * UNIT) * total) * INFLATE + TINY
    ranks[layer, 0] = min(linear, ranks[below, 0])
    ranks[layer, 1] = min(count, ranks[below, 1])
    for j in range(widths[layer]):
        for c in range(size):
            F[layer, j, c] = 0.0
        F[layer, j, size - 1] = b[layer, j]
        carried = 0.0
        total = abs(b[layer, j])
        terms = 0
        for level in range(layer + 1):
            supports[layer, j, level] = np.uint64(0)
        for i in range(neurons[below]):
            w = W[layer, j, i]
            if w == 0.0 or (GN[i] == 0.0 and GD[i] == 0.0):
                continue
            terms += 1
            if active[below, i]:
                for level in range(layer):
                    supports[layer, j, level] |= supports[below, first_row[below, i], level]
                supports[layer, j, layer] |= np.uint64(1) << np.uint64(i) if few else ALL
            for c in range(size):
                F[layer, j, c] += w * G[i, c]
            carried += abs(w) * GD[i]
            total += abs(w) * GN[i]
        total *= INFLATE
        if terms == 0:
            D[layer, j] = rounding * total
        elif integral and carried == 0.0 and total < INTEGERS:
            D[layer, j] = 0.0
        else:
            D[layer, j] = (carried + (GAMMA * (terms + 2) + rounding) * total) * INFLATE + TINY
        norm = 0.0
        for c in range(size):
            norm += abs(F[layer, j, c])
        N[layer, j] = norm * INFLATE
