"""Counting the regions of a hyperplane arrangement exactly, without listing them.

The cells of a network with one hidden layer are the regions of an arrangement, so theorems about arrangements count
them: a second way, which shares nothing with the engines that list.

    >>> from exactregions.arrangements import Arrangement
    >>> grid = Arrangement.from_rows([[1, 0, 0], [1, 0, -1], [0, 1, 0], [0, 1, -1]])
    >>> grid.n_regions, grid.n_bounded, str(grid.characteristic_polynomial)
    (9, 1, 't^2 - 4*t + 4')
"""

from __future__ import annotations

from exactregions.arrangements.arrangement import Arrangement
from exactregions.arrangements.flats import Flat, IntersectionLattice
from exactregions.arrangements.inside import count_inside
from exactregions.arrangements.polynomial import CharacteristicPolynomial

__all__ = ["Arrangement", "CharacteristicPolynomial", "Flat", "IntersectionLattice", "count_inside"]
