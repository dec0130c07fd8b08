"""Tables: one row a cell, or one row a facet, for polars and pandas.

Rationals are written as ``p/q`` strings, so that nothing is rounded; a volume is also given as a float for plotting,
in a column that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from exactregions.errors import InputError
from exactregions.rational import format_rational

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from exactregions.regions.complex import RegionComplex

__all__ = ["cell_columns", "facet_columns", "to_pandas", "to_polars"]

Rows = Literal["cells", "facets"]


def cell_columns(complex_: RegionComplex) -> dict[str, list[Any]]:
    """Columns of the table of cells.

    `cell`, `pattern`, `strict`, `degree` (number of neighbours), `bounded`, `volume` (``p/q``, null if unbounded),
    `volume_float` (rounded), `linear_region`, `weights` and `bias` of the affine map in the domain's coordinates.
    """
    region_of = {cell: region.index for region in complex_.linear_regions() for cell in region.cells}
    complex_.subdivision  # noqa: B018  (one table of vertices for all cells)
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "cell",
            "pattern",
            "strict",
            "degree",
            "bounded",
            "volume",
            "volume_float",
            "linear_region",
            "weights",
            "bias",
        )
    }
    for cell in complex_:
        volume = cell.volume
        row = (
            cell.index,
            cell.text,
            bool(complex_.strict[cell.index]),
            len(cell.neighbours),
            cell.geometry.is_bounded,
            None if volume is None else format_rational(volume),
            None if volume is None else float(volume),
            region_of[cell.index],
            [[format_rational(entry) for entry in line] for line in cell.affine_map.weights],
            [format_rational(entry) for entry in cell.affine_map.bias],
        )
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return columns


def facet_columns(complex_: RegionComplex) -> dict[str, list[Any]]:
    """Columns of the table of facets.

    `facet`, `first` and `second` (its cells), `neurons` (those that change piece), `visible` (whether the affine map
    changes across it), `point` (in its relative interior).
    """
    faces, maps = complex_.face_complex, complex_.affine_pieces.map_of_cell
    columns: dict[str, list[Any]] = {name: [] for name in ("facet", "first", "second", "neurons", "visible", "point")}
    for facet, cells in enumerate(faces.facet_cells):
        if len(cells) == 2:
            first, second = cells
            point = faces.interior_point(faces.dim - 1, facet)
            row = (
                facet,
                first,
                second,
                list(complex_.crossing_neurons(first, second)),
                maps[first] != maps[second],
                [format_rational(value) for value in point],
            )
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return columns


def to_polars(complex_: RegionComplex, rows: Rows = "cells") -> pl.DataFrame:
    """Return a polars table of the cells or the facets."""
    import polars as pl

    columns = _columns(complex_, rows)
    text = pl.List(pl.String)
    known: dict[str, Any] = {"neurons": pl.List(pl.Int64), "weights": pl.List(text), "bias": text, "point": text}
    known |= {"volume": pl.String, "volume_float": pl.Float64}
    return pl.DataFrame(columns, schema_overrides={name: kind for name, kind in known.items() if name in columns})


def to_pandas(complex_: RegionComplex, rows: Rows = "cells") -> pd.DataFrame:
    """Return a pandas table of the cells or the facets; lists are Python lists in columns of type object."""
    import pandas as pd

    return pd.DataFrame(_columns(complex_, rows))


def _columns(complex_: RegionComplex, rows: str) -> dict[str, list[Any]]:
    if rows == "cells":
        return cell_columns(complex_)
    if rows == "facets":
        return facet_columns(complex_)
    raise InputError(f"no table of {rows!r}", remedy="choose cells or facets")
