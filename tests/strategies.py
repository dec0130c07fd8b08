"""Networks and domains for property tests, degenerate ones first: small integers, zero biases, repeated rows."""

from __future__ import annotations

from hypothesis import strategies as st

import exactregions as er

ACTIVATIONS = (er.RELU, er.leaky_relu("1/10"), er.ABS, er.HARD_TANH, er.PiecewiseLinear([0, 1], [1, 1, 0], (0, 0)))


@st.composite
def weights(draw, n_in, n_out, bias=True):
    entry = st.integers(-2, 2)
    rows = draw(st.lists(st.lists(entry, min_size=n_in, max_size=n_in), min_size=n_out, max_size=n_out))
    shifts = draw(st.lists(entry, min_size=n_out, max_size=n_out)) if bias else [0] * n_out
    if n_out > 1 and draw(st.booleans()):
        sign = draw(st.sampled_from([1, -1, 2, -3]))
        rows[-1], shifts[-1] = [sign * value for value in rows[0]], sign * shifts[0]
    return rows, shifts


@st.composite
def networks(draw, max_dim=4, max_neurons=7, activations=ACTIVATIONS):
    """Draw a network with weights in {-2..2} and up to `max_neurons` neurons in one to three layers."""
    dim = size = draw(st.integers(1, max_dim))
    bias = draw(st.booleans())
    depth = draw(st.integers(1, 3))
    layers, left = [], max_neurons
    for remaining in range(depth, 0, -1):
        width = draw(st.integers(1, max(1, min(3, left - remaining + 1))))
        left -= width
        layers.append(draw(weights(size, width, bias)))
        size = width
    output = draw(weights(size, 1)) if draw(st.booleans()) else None
    kinds = [draw(st.sampled_from(activations)) for _ in range(depth)]
    return er.Network(layers, output=output, activation=kinds, input_dim=dim)


@st.composite
def domains(draw, dim):
    """Draw a domain for `dim` inputs: the whole space, a box, a polyhedron that holds 0, or a slice."""
    kind = draw(st.sampled_from(["whole", "box", "polyhedron", "slice"]))
    small = st.integers(-2, 2)
    if kind == "box":
        lower = draw(st.lists(small, min_size=dim, max_size=dim))
        return er.Box(lower, [low + draw(st.integers(1, 3)) for low in lower])
    if kind == "polyhedron":
        rows = draw(st.lists(st.lists(small, min_size=dim, max_size=dim), min_size=1, max_size=4))
        return er.Polyhedron(rows, [draw(st.integers(1, 3)) for _ in rows])
    if kind == "slice":
        size = draw(st.integers(1, dim))
        moves = [[int(i == j) for j in range(dim)] for i in range(size)]
        for move in moves:
            move[-1] += draw(st.integers(0, 2))
        inner = er.Box([-2] * size, [2] * size) if draw(st.booleans()) else None
        return er.Slice(draw(st.lists(small, min_size=dim, max_size=dim)), moves, inner)
    return er.WholeSpace(dim)
