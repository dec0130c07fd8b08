"""The result of an enumeration: `RegionComplex`, its cells, faces, linear regions, geometry, adjacency and files."""

from exactregions.regions.assemble import complex_by_subdivision
from exactregions.regions.cell import Cell, Inequality
from exactregions.regions.complex import RegionComplex, Status
from exactregions.regions.faces import Face, FaceComplex
from exactregions.regions.geometry import CellGeometry
from exactregions.regions.inequalities import CellInequalities, Side, inequalities
from exactregions.regions.linear_regions import LinearRegion, LinearRegions
from exactregions.regions.witnesses import WitnessTable

__all__ = [
    "Cell",
    "CellGeometry",
    "CellInequalities",
    "Face",
    "FaceComplex",
    "Inequality",
    "LinearRegion",
    "LinearRegions",
    "RegionComplex",
    "Side",
    "Status",
    "WitnessTable",
    "complex_by_subdivision",
    "inequalities",
]
