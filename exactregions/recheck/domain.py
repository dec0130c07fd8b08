"""The domain of a certificate (section 4): rows in t that are positive on it, and the network's input as forms in t.

Forms are homogeneous throughout this package: one column for each t_1, ..., t_d, and the constant in the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exactregions.rational import Int, IntMatrix
from exactregions.recheck.integers import common_denominator, sparse_matrix
from exactregions.recheck.lines import JSON, Ratio, entries, fields, ratios, table
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["Domain", "read_domain"]

_BAD = "bad-domain"
_ONE, _MINUS_ONE = (Int(1), Int(1)), (Int(-1), Int(1))


@dataclass(frozen=True, slots=True)
class Domain:
    """Rows over one denominator, and the input over another, with the constant form 1 below it.

    Parameters
    ----------
    dimension : int
        The number d of coordinates t.
    rows : IntMatrix
        Of shape (rows, d + 1).
    denominator : Int
        Of the rows.
    inputs : IntMatrix
        Of shape (n + 1, d + 1).
    input_denominator : Int
        Of the inputs.
    row_bits, input_bits : int
        Bits of the longest integers in the two matrices.
    """

    dimension: int
    rows: IntMatrix
    denominator: Int
    inputs: IntMatrix
    input_denominator: Int
    row_bits: int
    input_bits: int


_Row = dict[int, Ratio]  # the entries of a form that are not zero, by column


def _row(values: Sequence[Ratio]) -> _Row:
    return {column: value for column, value in enumerate(values) if value[0] != 0}


def _box(value: list[JSON], dimension: int, budget: Budget) -> list[_Row]:
    rows = []
    for index, ((low, below_low), high) in enumerate(table(value, dimension, 2, budget, _BAD)):
        rows.append({index: _ONE, dimension: (-low, below_low)})
        rows.append({index: _MINUS_ONE, dimension: high})
    return rows


def _rows(value: JSON, dimension: int, budget: Budget) -> list[_Row]:
    """Read a domain of one of the first three forms into rows a.t + c > 0."""
    if type(value) is str and value == f"R^{dimension}":
        return []
    if type(value) is list:
        return _box(value, dimension, budget)
    if type(value) is not dict:
        raise Refused(_BAD)
    read = fields(value, ("A", "b"))
    sides = ratios(entries(read["b"], None, _BAD), budget)
    normals = table(read["A"], len(sides), dimension, budget, _BAD)
    return [
        _row([*[(-top, bottom) for top, bottom in normal], side]) for normal, side in zip(normals, sides, strict=True)
    ]


def read_domain(value: JSON, n_inputs: int, budget: Budget) -> Domain:
    """Read the domain of a network with so many inputs."""
    if type(value) is dict and not value.keys() & {"A", "b"}:
        read = fields(value, ("origin", "directions", "inner"), optional="inner")
        origin = ratios(entries(read["origin"], n_inputs, _BAD), budget)
        directions = table(read["directions"], None, n_inputs, budget, _BAD)
        dimension, inner = len(directions), read.get("inner")
        if not 1 <= dimension <= budget.limits.dimension:
            raise Refused("bad-size" if dimension else _BAD)
        rows = [] if inner is None else _rows(inner, dimension, budget)
        forms = [_row(form) for form in zip(*directions, origin, strict=True)]
    else:
        dimension, rows = n_inputs, _rows(value, n_inputs, budget)
        forms = [{column: _ONE} for column in range(n_inputs)]
    forms.append({dimension: _ONE})
    denominator = common_denominator([number for row in rows for number in row.values()], budget)
    input_denominator = common_denominator([number for row in forms for number in row.values()], budget)
    integers, row_bits = sparse_matrix(rows, dimension + 1, denominator, budget)
    inputs, input_bits = sparse_matrix(forms, dimension + 1, input_denominator, budget)
    return Domain(dimension, integers, denominator, inputs, input_denominator, row_bits, input_bits)
