"""Every bound for one shape or network, beside the exact count where it can be had.

    >>> from exactregions.analysis.bounds import all_bounds
    >>> from exactregions.analysis.shapes import Shape
    >>> {bound.name: bound.value for bound in all_bounds(Shape(3, (4, 4))) if bound.holds and bound.kind == "upper"}
    {'trivial': 256, 'raghu_2017': 225, 'montufar_2017': 225, 'serra_2018': 161, 'hinz_van_de_geer': 161,
     'product_of_powers': 4096}

The count of a network with one hidden layer comes from its arrangement, by Zaslavsky's theorem, and without a list.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from exactregions.analysis import lower_bounds, upper_bounds
from exactregions.analysis.bound import Bound, Kind, plain_number
from exactregions.analysis.completeness import count_by_arrangement
from exactregions.analysis.shapes import Shape, central_regions, generic_regions
from exactregions.analysis.stability import serra_with_stable_neurons
from exactregions.domains import Domain, WholeSpace
from exactregions.enumeration import count_cells
from exactregions.enumeration.reduce import in_own_coordinates
from exactregions.errors import UndecidedError
from exactregions.network import Network
from exactregions.rational import format_rational
from exactregions.regions import Status

__all__ = ["BOUNDS", "BoundsTable", "all_bounds", "bounds_of_network", "bounds_of_shape", "tightest"]

BOUNDS: tuple[Callable[[Shape], Bound], ...] = (
    upper_bounds.trivial,
    upper_bounds.raghu_2017,
    upper_bounds.montufar_2017,
    upper_bounds.serra_2018,
    upper_bounds.hinz_van_de_geer,
    upper_bounds.product_of_powers,
    upper_bounds.zero_bias,
    lower_bounds.maximum_one_layer,
    lower_bounds.maximum_on_line,
    lower_bounds.pascanu_2013,
    lower_bounds.montufar_2014,
    lower_bounds.serra_2018_lower,
    lower_bounds.arora_2018,
    lower_bounds.hanin_rolnick,
    lower_bounds.zero_bias_estimate,
)
_MAX_NODES = 300_000  # of deletion and restriction: half a minute
_MAX_CELLS = 200_000
_EXPECTED = 10**7  # cells of one layer of all neurons: beyond, counting is not begun unless asked for
_MAX_CELLS_BEFORE = 2_000  # of the layers before the last, each with a linear program or two for every neuron


def all_bounds(shape: Shape) -> tuple[Bound, ...]:
    """Evaluate every bound that looks at the shape only."""
    return tuple(bound(shape) for bound in BOUNDS)


@dataclass(frozen=True, slots=True)
class BoundsTable:
    """Bounds beside a count.

    Attributes
    ----------
    shape : Shape
        In the domain's own coordinates.
    bounds : tuple of Bound
    n_cells, n_strict : int or None
        The exact count, or None where there is none.
    status : Status or None
        `lower_bound` if the count was stopped.
    engine : str or None
        What counted: an engine, ``zaslavsky`` for one hidden layer, ``general position`` for a shape.
    network, domain : optional
        None for a shape alone.
    seconds : float
    notes : tuple of str
        What is missing, and why.
    """

    shape: Shape
    bounds: tuple[Bound, ...]
    n_cells: int | None = None
    n_strict: int | None = None
    status: Status | None = None
    engine: str | None = None
    network: Network | None = None
    domain: Domain | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def ratio(self, bound: Bound) -> Fraction | None:
        """Value of a bound over the exact count."""
        if not bound.holds or self.status is not Status.EXACT or not self.n_cells:
            return None
        return Fraction(bound.value) / self.n_cells

    def facts(self) -> dict[str, Any]:
        """Return everything as plain values, keyed as in the command line's JSON."""
        rows = []
        for bound in self.bounds:
            ratio = self.ratio(bound)
            rows.append({**bound.facts(), "ratio": None if ratio is None else plain_number(ratio)})
        return {
            "network": None if self.network is None else self.network.fingerprint,
            "input_dim": self.shape.input_dim if self.network is None else self.network.input_dim,
            "hidden": list(self.shape.widths),
            "domain": str(WholeSpace(self.shape.input_dim) if self.domain is None else self.domain),
            "engine": self.engine,
            "status": None if self.status is None else self.status.value,
            "n_cells": None if self.n_cells is None else plain_number(self.n_cells),
            "n_strict": None if self.n_strict is None else plain_number(self.n_strict),
            "seconds": round(self.seconds, 6),
            "bounds": rows,
            "notes": list(self.notes),
        }

    def text(self) -> str:
        """Return a table to read."""
        lines = [f"shape     {self.shape}, {self.shape.n_neurons} neurons"]
        if self.domain is not None:
            lines.append(f"domain    {self.domain}")
        if self.n_cells is not None:
            least = "at least " if self.status is Status.LOWER_BOUND else ""
            lines.append(f"n_cells   {least}{_short(self.n_cells)} ({self.engine})")
            lines.append(f"n_strict  {least}{_short(self.n_strict or 0)}")
        lines += [f"note      {note}" for note in self.notes]
        rows = [("bound", "kind", "value", "/ n_cells", "does not apply: it needs")]
        for bound in sorted(self.bounds, key=lambda bound: not bound.holds):
            ratio = self.ratio(bound)
            value = "-" if bound.formula is None else _short(bound.formula)
            rows.append(
                (
                    bound.name,
                    bound.kind.value,
                    value if bound.holds else f"({value})",
                    "" if ratio is None else _short(ratio),
                    "; ".join(bound.failing) or ("" if bound.holds else "a case that the formula covers"),
                )
            )
        sizes = [max(len(row[k]) for row in rows) for k in range(4)]
        for name, kind, value, ratio_text, why in rows:
            line = f"{name:<{sizes[0]}}  {kind:<{sizes[1]}}  {value:>{sizes[2]}}  {ratio_text:>{sizes[3]}}  {why}"
            lines.append(line.rstrip())
        return "\n".join(lines)


def bounds_of_shape(shape: Shape) -> BoundsTable:
    """Tabulate the bounds of a shape; with one hidden layer, the count of a network in general position.

    Examples
    --------
    >>> print(bounds_of_shape(Shape(2, (3,))).text())
    shape     (2; 3), 3 neurons
    n_cells   7 (general position)
    ...
    """
    if shape.depth != 1:
        return BoundsTable(shape, all_bounds(shape))
    width, dim = shape.widths[0], shape.input_dim
    n_cells = central_regions(width, dim) if shape.zero_bias else generic_regions(width, dim, shape.pieces)
    return BoundsTable(shape, all_bounds(shape), n_cells, n_cells, Status.EXACT, "general position")


def bounds_of_network(
    network: Network,
    domain: Domain | None = None,
    *,
    max_cells: int | None = None,
    max_nodes: int = _MAX_NODES,
    max_cells_before: int = _MAX_CELLS_BEFORE,
) -> BoundsTable:
    """Tabulate the bounds of a network beside its exact count.

    Parameters
    ----------
    network : Network
    domain : Domain, optional
        The whole space by default.
    max_cells : int, optional
        Stop counting a network with several hidden layers there (then the count is a lower bound).  By default at
        200,000, and the count is not begun for networks that can be expected to have many more.
    max_nodes : int
        Limit on deletion and restriction for one hidden layer, see `Arrangement.count`; beyond it, an engine counts.
    max_cells_before : int
        Leave out the bound by stable neurons if the layers before the last have more cells.

    Examples
    --------
    >>> from exactregions.analysis.constructions import fold
    >>> table = bounds_of_network(fold(2, (4, 2)))
    >>> table.n_cells, [bound.name for bound in table.bounds if table.ratio(bound) == Fraction(16, 27)]
    (27, ['montufar_2014'])
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    own, inner = in_own_coordinates(network, where)
    shape = Shape.of(own)
    began = time.perf_counter()
    notes: list[str] = []
    bounds = list(all_bounds(shape))
    try:
        _expect(shape.n_neurons - (shape.widths or (0,))[-1], shape, 25 * max_cells_before)
        bounds.append(serra_with_stable_neurons(own, inner, max_cells=max_cells_before))
    except UndecidedError as error:
        notes.append(f"no bound by stable neurons: {error.what}")
    counted = _Counted(None, None, None, None)
    try:
        counted = _count(own, inner, shape, max_cells, max_nodes)
    except UndecidedError as error:
        notes.append(f"not counted: {error}")
    seconds = time.perf_counter() - began
    return BoundsTable(shape, tuple(bounds), *counted, network, where, seconds, tuple(notes))


class _Counted(NamedTuple):
    """What was counted, and by what; see `BoundsTable`."""

    n_cells: int | None
    n_strict: int | None
    status: Status | None
    engine: str | None


def _count(network: Network, domain: Domain, shape: Shape, max_cells: int | None, max_nodes: int) -> _Counted:
    one_layer = len(network.layers) == 1
    if one_layer and isinstance(domain, WholeSpace):
        try:
            return _Counted(*count_by_arrangement(network, max_nodes=max_nodes), Status.EXACT, "zaslavsky")
        except UndecidedError:
            pass  # an engine may still manage
    if max_cells is None:
        _expect(shape.n_neurons, shape, _EXPECTED)
    limit = None if one_layer else _MAX_CELLS if max_cells is None else max_cells
    found = count_cells(network, domain, max_cells=limit)
    return _Counted(found.n_cells, found.n_strict, found.status, found.engine)


def _expect(n_neurons: int, shape: Shape, limit: int) -> None:
    """Raise `UndecidedError` if one layer of so many neurons would have more cells than a limit."""
    if generic_regions(n_neurons, shape.input_dim, shape.pieces) > limit:
        raise UndecidedError(f"{n_neurons} neurons in one layer have more than {limit} cells", remedy="set max_cells")


def _short(value: int | Fraction) -> str:
    """Write a number for reading: exactly up to twelve digits, else rounded to four."""
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact) < 10**12:
        return f"{exact.numerator:,}"
    if exact < 10**12:
        return f"{float(exact):.4g}"
    digits = len(format_rational(exact.numerator // exact.denominator)) - 1
    return f"{float(exact / 10**digits):.3f}e{digits}"


def tightest(bounds: tuple[Bound, ...], kind: Kind) -> Bound | None:
    """Return the best of the bounds of a kind that hold (a maximum counts as both)."""
    kinds = {kind, Kind.MAXIMUM}
    holding = [bound for bound in bounds if bound.holds and bound.kind in kinds]
    if not holding:
        return None
    return (min if kind is Kind.UPPER else max)(holding, key=lambda bound: bound.value)
