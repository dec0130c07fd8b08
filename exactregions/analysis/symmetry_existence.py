"""Parameters without hidden symmetry for a given architecture: searched for, and certified by their exact rank.

Grigsby, Lindsey and Rolnick (2023) prove that they exist for every ReLU architecture with no layer narrower than the
input (abstract; this project read no more of it).  The search is a plain hill climb over small integers: change one
entry, keep the change unless the deficit grows.  A network found is a proof; none found proves nothing.

It finds some for every architecture up to (3; 4, 4, 4), with layers narrower than the input too, but for one kind.
Three single neurons in a row, as in the architecture (1; 1, 1, 1), are an exception that the abstract does not name.
Where all three are on is a cell, hence convex: as a function of what enters the first, t = w h, what leaves the third
has one slope on one interval, and slope 0 elsewhere.  So their three rows and the column of weights and the biases
behind them, k of each, only choose w, the two ends of the interval, k slopes and k values, and rescaling t changes
nothing: n + 2 + 2 k - 1 dimensions if w has n entries, where the bound allows n + 2 + 2 k.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from exactregions.analysis.functional_dimension import functional_dimension
from exactregions.analysis.random_networks import random_network
from exactregions.enumeration import enumerate_regions
from exactregions.network import AffineLayer, Network
from exactregions.rational import RationalMatrix

__all__ = ["find_without_hidden_symmetry"]


def find_without_hidden_symmetry(
    input_dim: int, widths: Sequence[int], *, rng: np.random.Generator, steps: int = 2000, size: int = 6
) -> tuple[Network, int]:
    """Search for a ReLU network, with one output, that attains the upper bound of the functional dimension.

    Parameters
    ----------
    input_dim : int
    widths : sequence of int
        Hidden widths.
    rng : Generator
    steps : int
        How many networks to look at.
    size : int
        Entries are integers of at most this size.

    Returns
    -------
    network : Network
        The best found.
    deficit : int
        Its deficit: 0 if it has no hidden symmetry.

    Examples
    --------
    >>> network, deficit = find_without_hidden_symmetry(2, (3, 2), rng=np.random.default_rng(0))
    >>> network, deficit
    (<Network 2-3-2-1 relu>, 0)
    """
    best = random_network(input_dim, widths, law="integer", size=size, rng=rng)
    least = _deficit(best)
    for _ in range(steps):
        if least == 0:
            break
        other = _changed(best, rng, size)
        deficit = _deficit(other)
        if deficit <= least:
            best, least = other, deficit
    return best, least


def _deficit(network: Network) -> int:
    """The deficit; as large as can be if the functional dimension is not defined."""
    found = functional_dimension(enumerate_regions(network))
    return found.upper_bound if found.deficit is None else found.deficit


def _changed(network: Network, rng: np.random.Generator, size: int) -> Network:
    """The network with one or two entries drawn anew."""
    affine = [*network.layers, *([network.output] if network.output else [])]
    tables = [[list(row) for row in layer.matrix.to_fractions()] for layer in affine]
    for _ in range(int(rng.integers(1, 3))):
        table = tables[int(rng.integers(len(tables)))]
        row = table[int(rng.integers(len(table)))]
        row[int(rng.integers(len(row)))] = Fraction(int(rng.integers(-size, size + 1)))
    layers = [AffineLayer(RationalMatrix.from_rows(table)) for table in tables]
    hidden = len(network.layers)
    return Network.from_parts(layers[:hidden], network.activations, layers[-1], network.input_dim)
