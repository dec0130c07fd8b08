"""Engines that list cells, and `enumerate_regions` / `count_cells`, which pick one.

`brute` tries every pattern (the reference), `walk` goes from cell to cell over facets (any network, with adjacency),
`split` cuts the domain neuron by neuron in compiled code (large networks).
"""

from exactregions.enumeration.api import ENGINES, Count, count_cells, enumerate_regions
from exactregions.enumeration.brute import brute
from exactregions.enumeration.walk import walk

__all__ = ["ENGINES", "Count", "brute", "count_cells", "enumerate_regions", "walk"]
