"""Bounds and exact counts against width and against depth, as a figure.

Counts are of random networks (He-normal weights, normal biases), each one exact; they are shown where a network is
small enough to be counted at once.  The gap between them and the bounds is the point of the picture: over random
weights, depth hardly changes the number of regions (Hanin and Rolnick 2019), while both the upper and the lower bounds
grow exponentially with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactregions.analysis.bounds import BoundsTable, all_bounds
from exactregions.analysis.random_networks import random_network
from exactregions.analysis.shapes import Shape
from exactregions.enumeration import count_cells
from exactregions.errors import InputError, UnsupportedError
from exactregions.files import check_target
from exactregions.network import RELU, PiecewiseLinear
from exactregions.regions import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["bounds_figure", "check_figure", "save_bounds_figure"]

_LARGEST_COUNT = 10_000  # cells of a generic layer of as many neurons: counted in a fraction of a second
_SUFFIXES = (".png", ".pdf", ".svg")
_TOP = 10**200  # far enough from where a double overflows
_STYLES: dict[str, tuple[str, str, str, float]] = {  # name: (label, colour, line style, width); equal ones stay visible
    "trivial": ("all patterns", "#b0b0b0", "-", 1.8),
    "serra_2018": ("Serra et al. 2018, upper", "#e59a9c", "-", 5.0),
    "montufar_2017": ("Montúfar 2017, upper", "#b03a3e", "--", 1.6),
    "serra_2018_lower": ("Serra et al. 2018, lower", "#4c72b0", "-", 1.8),
    "montufar_2014": ("Montúfar et al. 2014, lower", "#4c72b0", "--", 1.8),
    "zero_bias": ("zero bias, upper", "#8172b3", "-", 1.8),
    "zero_bias_estimate": ("one layer of all neurons, estimate", "#55a868", ":", 1.8),
    "hanin_rolnick": ("$N^d/d!$, estimate", "#55a868", ":", 1.8),
}


@dataclass(frozen=True, slots=True)
class _Sweep:
    """One panel: the shapes along it, and where on it the given network is."""

    label: str
    title: str
    places: list[int]
    shapes: list[Shape]
    here: int


def bounds_figure(table: BoundsTable, *, seeds: int = 3) -> Figure:
    """Draw bounds and counts around the shape of a table: against width (left) and against depth (right).

    Parameters
    ----------
    table : BoundsTable
        If its layers are not equally wide, the mean width is taken for the two sweeps.
    seeds : int
        Random networks counted at each place.

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib.figure import Figure

    shape = table.shape
    width = max(1, round(shape.n_neurons / max(1, shape.depth)))
    depth = max(1, shape.depth)
    figure = Figure(figsize=(11, 5.6), layout="constrained")
    panels: Sequence[Axes] = figure.subplots(1, 2, sharey=True)
    across = sorted({max(1, round(width * k / 8)) for k in range(1, 17)})
    below = list(range(1, max(2 * depth, 4) + 1))
    layers = "1 hidden layer" if depth == 1 else f"{depth} hidden layers"
    sweeps = (
        _Sweep("width of every layer", layers, across, [replace(shape, widths=(w,) * depth) for w in across], width),
        _Sweep("hidden layers", f"width {width}", below, [replace(shape, widths=(width,) * k) for k in below], depth),
    )
    tops = [_draw(axes, sweep, table, seeds) for axes, sweep in zip(panels, sweeps, strict=True)]
    panels[0].set_ylim(0.8, 8 * max(tops))
    panels[0].set_ylabel("regions")
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    kind = _activation(table)
    name = ("zero-bias " if shape.zero_bias else "") + ("ReLU" if kind == RELU else str(kind))
    inputs = "1 input" if shape.input_dim == 1 else f"{shape.input_dim} inputs"
    figure.suptitle(f"{name} networks with {inputs}: bounds, and exact counts of random networks", fontsize=12)
    return figure


def check_figure(path: str) -> None:
    """Raise `InputError` unless a figure can be written there, before any work is done for it."""
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise InputError("not a figure format", where=path, remedy=f"use {', '.join(_SUFFIXES)}")
    check_target(path)
    if find_spec("matplotlib") is None:
        raise UnsupportedError("figures need matplotlib", remedy="pip install exactregions[plot]")


def save_bounds_figure(table: BoundsTable, path: str, *, seeds: int = 3) -> None:
    """Write the figure to a file (png, pdf, svg)."""
    check_figure(path)
    bounds_figure(table, seeds=seeds).savefig(path, dpi=150)


def _draw(axes: Axes, sweep: _Sweep, table: BoundsTable, seeds: int) -> float:
    """Draw one panel; return the largest value that should be in sight."""
    from matplotlib.ticker import MaxNLocator

    values = [{bound.name: bound for bound in all_bounds(shape)} for shape in sweep.shapes]
    for name, (label, colour, line, thick) in _STYLES.items():
        found = [
            (place, float(bounds[name].value))
            for place, bounds in zip(sweep.places, values, strict=True)
            if bounds[name].holds and bounds[name].value < _TOP
        ]
        if found:
            xs, ys = zip(*found, strict=True)
            marker = "." if len(xs) < 3 else None
            axes.plot(xs, ys, color=colour, linestyle=line, label=label, linewidth=thick, marker=marker)
    counted = [(place, count) for place, shape in zip(sweep.places, sweep.shapes, strict=True)
               for count in _counts(shape, _activation(table), seeds)]  # fmt: skip
    if counted:
        xs, ys = zip(*counted, strict=True)
        axes.scatter(xs, ys, s=22, color="black", alpha=0.6, zorder=3, linewidths=0, label="random networks, exact")
    if table.network is not None and table.n_cells is not None and table.n_cells < _TOP:
        least = ", at least" if table.status is Status.LOWER_BOUND else ", exact"
        axes.scatter([sweep.here], [table.n_cells], s=150, marker="*", color="#dd8452", edgecolors="black",
                     linewidths=0.8, zorder=4, label=f"this network{least}")  # fmt: skip
    axes.set(xlabel=sweep.label, title=sweep.title, yscale="log")
    axes.title.set_fontsize(10)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, which="major", color="#e6e6e6", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    uppers = [bounds["montufar_2017"].value for bounds in values]
    return max((float(value) for value in uppers if value < _TOP), default=float(_TOP))


def _activation(table: BoundsTable) -> PiecewiseLinear:
    """The activation to draw random networks with: that of the network's first neuron."""
    return table.network.neurons[0] if table.network is not None and table.network.neurons else RELU


def _counts(shape: Shape, activation: PiecewiseLinear, seeds: int) -> list[int]:
    """Count a few random networks exactly, if they are small."""
    walls = shape.n_neurons * (activation.n_pieces - 1)
    if sum(comb(walls, k) for k in range(min(walls, shape.input_dim) + 1)) > _LARGEST_COUNT:
        return []
    law = "zero-bias" if shape.zero_bias else "he"
    nets = (
        random_network(shape.input_dim, shape.widths, law=law, rng=seed, outputs=0, activation=activation)
        for seed in range(seeds)
    )
    return [count_cells(net, engine="split").n_cells for net in nets]
