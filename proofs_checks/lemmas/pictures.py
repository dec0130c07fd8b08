"""Pictures of the cells for the report, in one and two dimensions: for the eye only, in floating point.

Cells are coloured by linear region; counterexamples are drawn over them, points in the order in which they are listed.
matplotlib is imported when a picture is made.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs_checks.lemmas.support.subject import Point, Subject
from proofs_checks.lemmas.support.vertices import find_vertices
from proofs_checks.lemmas.verdict import Verdict

__all__ = ["can_draw", "draw", "marked_cells", "marked_points"]

_MOST_CELLS = 1500
_PASTEL = ["#c7dcef", "#fbe0c3", "#d3ecd0", "#f3c9cb", "#dcd3ec", "#f7efb8", "#cfe9ea", "#ead2bf", "#e3e3e3", "#f4d3e6"]
Polygon = NDArray[np.float64]


def can_draw(subject: Subject) -> bool:
    """Whether there is a picture: d is 1 or 2, and there are not too many cells."""
    return subject.dim in (1, 2) and len(subject.cells) <= _MOST_CELLS


def draw(subject: Subject, verdict: Verdict | None = None) -> str:
    """Draw the cells, with what a verdict names marked, and return an HTML image."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    points, cells = ([], set()) if verdict is None else (marked_points(subject, verdict), marked_cells(verdict))
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "exactregions", "svg.fonttype": "path"}):
        figure = Figure(figsize=(4.2, 4.2 if subject.dim == 2 else 1.9), layout="constrained")
        axes = figure.add_subplot()
        if subject.dim == 2:
            _draw_plane(axes, subject, points, cells)
        else:
            _draw_line(axes, subject, points, cells)
        stream = io.BytesIO()
        small = len(subject.cells) <= 150
        figure.savefig(stream, format="svg" if small else "png", dpi=130, metadata={"Date": None} if small else None)
    kind = "svg+xml" if small else "png"
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<img alt="cells in dimension {subject.dim}" src="data:image/{kind};base64,{data}">'


def marked_points(subject: Subject, verdict: Verdict) -> list[Point]:
    """Return the points in a counterexample, in order."""
    found = [point for point in _points(verdict.counterexample or {}) if len(point) == subject.dim]
    return list(dict.fromkeys(found))[:6]


def marked_cells(verdict: Verdict) -> set[str]:
    """Return the patterns that a counterexample names."""
    facts = verdict.counterexample or {}
    names: set[str] = set()
    for key in ("patterns", "linear_region", "linear_region_without_strict_cell"):
        names.update(name for name in facts.get(key, ()) if isinstance(name, str))
    if isinstance(facts.get("pattern"), str):
        names.add(facts["pattern"])
    return names


def _points(value: Any, key: str = "") -> Iterator[Point]:
    """All tuples of fractions that stand where points stand."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name not in {"weights", "bias", "gradient", "value", "values", "forms", "z5_and_z6", "direction"}:
                yield from _points(part, name)
    elif isinstance(value, tuple) and value and all(isinstance(entry, Fraction) for entry in value):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _points(part, key)


def _window(subject: Subject, points: list[Point]) -> tuple[Polygon, Polygon]:
    """The corners of what is drawn: around most vertices (or witnesses, where there are none) and all marked points."""
    corners = [point for vertices in subject.cached(find_vertices) for point in vertices]
    around = _floats(corners or [cell.witness for cell in subject.cells])
    share = 0 if len(around) <= 40 else 15
    low, high = np.percentile(around, share, axis=0), np.percentile(around, 100 - share, axis=0)
    if points:
        marked = _floats(points)
        centre, spread = (marked.max(axis=0) + marked.min(axis=0)) / 2, float(np.max(np.ptp(marked, axis=0)))
        half = max(0.7 * spread, (0.15 if share else 0.6) * float(np.max(high - low)), 0.5 if spread == 0 else 0.0)
        low, high = centre - half, centre + half
    size = float(np.max(high - low)) or 1.0
    margin = 0.15 * size + 0.5 * np.maximum(0.0, 0.6 * size - (high - low))
    return low - margin, high + margin


def _floats(points: list[Point]) -> Polygon:
    return np.array([[float(x) for x in point] for point in points])


def _colours(subject: Subject) -> list[str]:
    """One colour for each linear region, neighbours apart."""
    import networkx as nx

    region = {index: number for number, part in enumerate(subject.linear_regions) for index in part}
    graph = nx.Graph()
    graph.add_nodes_from(range(subject.n_linear))
    graph.add_edges_from((region[i], region[j]) for i, j in subject.facets if region[i] != region[j])
    colours = nx.greedy_color(graph, strategy="DSATUR")
    shift = {number: (colours[number] + 3 * (number % 2)) % len(_PASTEL) for number in graph}
    clash = any(shift[i] == shift[j] for i, j in graph.edges)
    chosen = colours if clash else shift
    return [_PASTEL[chosen[region[index]] % len(_PASTEL)] for index in range(len(subject.cells))]


def _draw_plane(axes: Any, subject: Subject, points: list[Point], marked: set[str]) -> None:
    from matplotlib.patches import Polygon as Patch

    low, high = _window(subject, points)
    frame = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    for cell, colour in zip(subject.cells, _colours(subject), strict=True):
        polygon = frame
        for row in cell.inequalities.rows:
            polygon = _clip(polygon, np.array([float(entry) for entry in row]))
        if len(polygon) >= 3:
            strong = cell.text in marked
            axes.add_patch(Patch(polygon, facecolor=colour, edgecolor="#55606e", linewidth=0.6, zorder=1))
            if strong:
                axes.add_patch(Patch(polygon, fill=False, edgecolor="#b3261e", linewidth=1.6, hatch="///", zorder=2))
    _mark(axes, [(float(x), float(y)) for x, y in points])
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def _draw_line(axes: Any, subject: Subject, points: list[Point], marked: set[str]) -> None:
    low, high = (float(side[0]) for side in _window(subject, points))
    marks = sorted({low, high, *(float(facet.point[0]) for facet in subject.crossings)})
    marks = [x for x in marks if low <= x <= high]
    values = [float(subject.network((Fraction(x),))[0]) for x in marks]
    for cell, colour in zip(subject.cells, _colours(subject), strict=True):
        ends = [low, high]
        for a, c in cell.inequalities.rows:
            ends[0 if a > 0 else 1] = (max if a > 0 else min)(ends[0 if a > 0 else 1], -c / a)
        if ends[0] < ends[1]:
            axes.axvspan(
                *ends, facecolor=colour, edgecolor="#b3261e" if cell.text in marked else "#55606e", linewidth=0.8
            )
            if cell.text in marked:
                axes.axvspan(*ends, fill=False, edgecolor="#b3261e", linewidth=1.4, hatch="///")
    axes.plot(marks, values, color="#1f2a37", linewidth=1.2)
    _mark(axes, [(float(x), float(subject.network((x,))[0])) for (x,) in points])
    axes.set(xlim=(low, high), xlabel="$x$", ylabel="first output")


def _mark(axes: Any, places: list[tuple[float, float]]) -> None:
    for name, (x, y) in zip("ABCDEF", places, strict=False):
        axes.plot([x], [y], "o", color="#b3261e", markersize=4, zorder=4)
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", color="#7d1a14", weight="bold", zorder=5)


def _clip(polygon: Polygon, row: Polygon) -> Polygon:
    """Cut a convex polygon by a.x + c >= 0."""
    if not len(polygon):
        return polygon
    values = polygon @ row[:-1] + row[-1]
    kept = []
    for k in range(len(polygon)):
        p, q, u, v = polygon[k - 1], polygon[k], values[k - 1], values[k]
        if (u < 0) != (v < 0):
            kept.append(p + (q - p) * (u / (u - v)))
        if v >= 0:
            kept.append(q)
    return np.array(kept).reshape(len(kept), 2)
