"""The result of an enumeration: `RegionComplex`, its cells, inequalities, adjacency and files."""

from exactregions.regions.cell import Cell, Inequality
from exactregions.regions.complex import RegionComplex, Status
from exactregions.regions.inequalities import CellInequalities, Side, inequalities
from exactregions.regions.witnesses import WitnessTable

__all__ = [
    "Cell",
    "CellInequalities",
    "Inequality",
    "RegionComplex",
    "Side",
    "Status",
    "WitnessTable",
    "inequalities",
]
