"""How a complex shows itself in a notebook: what it is, and its first cells."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactregions.regions.complex import RegionComplex

__all__ = ["as_html"]


def as_html(complex_: RegionComplex) -> str:
    """Return the summary and the first ten cells as HTML tables."""
    left = "style='text-align:left'"
    rows = "".join(
        f"<tr><th {left}>{escape(key)}</th><td {left}>{escape(str(value))}</td></tr>"
        for key, value in complex_.summary().items()
    )
    head = "<tr><th>cell</th><th>pattern</th><th>strict</th><th>witness (rounded for display)</th></tr>"
    shown = "".join(
        f"<tr><td>{k}</td><td><code>{escape(complex_.codec.format(complex_.pattern(k)))}</code></td>"
        f"<td>{'yes' if complex_.strict[k] else 'no'}</td>"
        f"<td>({', '.join(f'{v:.4g}' for v in complex_.witnesses.floats[k])})</td></tr>"
        for k in range(min(len(complex_), 10))
    )
    more = f"<p>and {len(complex_) - 10} more cells</p>" if len(complex_) > 10 else ""
    return f"<table>{rows}</table><table>{head}{shown}</table>{more}"
