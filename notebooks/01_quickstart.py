# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Quickstart: every activation region of a trained network, exactly
#
# A ReLU network cuts its input space into convex polyhedra, on each of which it is affine.  This notebook lists all of
# them for a classifier trained on the two-moons data, looks at one closely, draws the partition, does the same in three
# dimensions, and shows why counting with tolerances goes wrong on the networks that theory uses.

# %%
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from scipy.optimize import linprog

import exactregions as er

# %% [markdown]
# ## Load a network, list its cells
#
# The stored float32 weights are rational numbers, so the list below is a definite mathematical object.  `exact`
# means that it is complete, and that no floating-point comparison decided anything without a proof.

# %%
folder = Path("two_moons") if Path("two_moons").exists() else Path("notebooks/two_moons")
network = er.load(folder / "two_moons.npz")
cells = er.enumerate_regions(network)
cells

# %%
print(f"{cells.n_cells} cells, {cells.n_strict} of them strict, {cells.n_facets} facets")
for text in cells.pattern_texts()[:5]:
    print(text)

# %% [markdown]
# ## One cell
#
# A cell knows its pattern, the inequalities that bound it (with the neurons whose walls they are), the affine map of
# the network on it, its neighbours, and a rational point strictly inside.

# %%
cell = cells.cell_at([0, Fraction(1, 4)])
print("pattern   ", cell.text)
print("witness   ", tuple(map(str, cell.witness)))
print("bounded   ", cell.is_bounded)
print("neighbours", [cells[k].text for k in cell.neighbours])
for inequality in cell.irredundant:
    print(f"neurons {inequality.neurons}:  {inequality}")

# %% [markdown]
# The affine map is exact too; here it is as floats, next to the network's own value at the witness.

# %%
affine = cell.affine_map
print(np.array(affine.weights, dtype=float), np.array(affine.bias, dtype=float))
by_map = [sum(w * x for w, x in zip(row, cell.witness)) + b for row, b in zip(affine.weights, affine.bias)]
assert tuple(by_map) == network(cell.witness)

# %% [markdown]
# ## The partition of the plane
#
# For a picture, the cells are listed inside a window.  Floats only draw.


# %%
def polygon(cell):
    """Corners of a bounded two-dimensional cell, in floating point, in order around it."""
    rows = np.array([[*row.coefficients, row.constant] for row in cell.irredundant], dtype=float)
    rows = rows[np.argsort(np.arctan2(rows[:, 1], rows[:, 0]))]
    return [np.linalg.solve(np.array([a[:2], b[:2]]), [-a[2], -b[2]]) for a, b in zip(rows, np.roll(rows, -1, axis=0))]


window = er.enumerate_regions(network, er.Box([-2, "-3/2"], [3, 2]))
data = np.loadtxt(folder / "moons.csv", delimiter=",", skiprows=1)

figure, axes = plt.subplots(figsize=(8, 5.6), layout="constrained")
shade = np.array([sum(c.pattern) for c in window])
polygons = PolyCollection([polygon(c) for c in window], array=shade, cmap="viridis", edgecolors="white", linewidths=0.8)
axes.add_collection(polygons)
for label, color in ((0, "#e45756"), (1, "#f2cf5b")):
    points = data[data[:, 2] == label]
    axes.plot(points[:, 0], points[:, 1], ".", markersize=2.5, color=color, label=f"class {label}")
axes.set(xlim=(-2, 3), ylim=(-1.5, 2), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
axes.set_title(f"{window.n_cells} of the {cells.n_cells} cells meet this window")
axes.legend(loc="lower left", markerscale=4)
figure.colorbar(polygons, label="neurons that are on", shrink=0.8)
plt.show()

# %% [markdown]
# ## Three inputs, or any number
#
# Nothing above is special to the plane.

# %%
rng = np.random.default_rng(0)
deep = er.Network(
    [(rng.normal(size=(6, 3)), rng.normal(size=6)), (rng.normal(size=(6, 6)), rng.normal(size=6))],
    output=(rng.normal(size=(1, 6)), [0]),
)
in_space = er.enumerate_regions(deep)
degrees = [len(c.neighbours) for c in in_space]
print(in_space)
print(f"facets a cell: {min(degrees)} to {max(degrees)}, {np.mean(degrees):.2f} on average")

# %% [markdown]
# A network with 784 inputs can be listed exactly on the plane through three data points.

# %%
wide = er.Network([(rng.normal(size=(12, 784)).astype(np.float32), rng.normal(size=12).astype(np.float32))])
plane = er.Slice.through(rng.integers(0, 256, size=(3, 784)))
er.enumerate_regions(wide, plane)

# %% [markdown]
# ## Why tolerances fail
#
# Two equal neurons cut the plane once: two regions.  A counter that asks a floating-point solver whether each pattern
# is feasible, up to a margin, has to choose the margin.  Without one, the two impossible patterns seem feasible on the
# wall itself; with one, thin regions that do exist are lost.


# %%
def count_with_margin(weights, bias, margin):
    """Count the patterns that HiGHS finds feasible with the given margin: a plausible counter, and a wrong one."""
    weights, bias = np.array(weights, dtype=float), np.array(bias, dtype=float)
    found = 0
    for pattern in np.ndindex(*(2,) * len(bias)):
        sign = np.where(np.array(pattern) == 1, 1.0, -1.0)
        rows = -sign[:, None] * weights
        answer = linprog(np.zeros(weights.shape[1]), rows, sign * bias - margin, bounds=(-10, 10))
        found += answer.status == 0
    return found


width = Fraction(1, 2**30)
examples = {
    "two equal neurons": ([[1, 0], [1, 0]], ["1/4", "1/4"]),
    "a sliver of width 2^-30": ([[1, 0], [1, 0]], [0, -width]),
}
for name, (weights, bias) in examples.items():
    floats = [float(Fraction(value)) for value in bias]
    counts = [count_with_margin(weights, floats, margin) for margin in (0, 1e-12, 1e-6)]
    exact = er.enumerate_regions(er.Network([(weights, bias)]))
    print(f"{name:24}  margins 0, 1e-12, 1e-6: {counts}   exact: {exact.n_cells} {exact.pattern_texts()}")
