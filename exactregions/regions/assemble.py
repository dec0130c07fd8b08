"""A `RegionComplex` from the subdivision alone: all cells of a network, with faces and geometry ready.

The subdivision finds every cell on its own, so for complexes that are wanted with their faces (decision regions, level
sets) no other engine is needed.  Witnesses are points of the relative interior of each cell, by its generators.
"""

from __future__ import annotations

import time

import numpy as np

from exactregions.domains import Domain, Slice
from exactregions.errors import ShapeError
from exactregions.network import Network
from exactregions.patterns import PatternCodec
from exactregions.regions.complex import RegionComplex
from exactregions.regions.generators import interior_point
from exactregions.regions.subdivision import bit_widths, subdivide
from exactregions.regions.witnesses import WitnessTable

__all__ = ["complex_by_subdivision"]


def complex_by_subdivision(network: Network, domain: Domain) -> RegionComplex:
    """Return the complex of a network on a domain, with its subdivision.

    Raises
    ------
    EmptyDomainError
        If the domain has no interior.

    Examples
    --------
    >>> from exactregions import Box
    >>> found = complex_by_subdivision(Network([([[1, 0], [0, 1]], [0, 0])]), Box([-1, -1], [1, 1]))
    >>> found.pattern_texts(), found.f_vector
    (['00', '01', '10', '11'], (1, 4, 4))
    """
    began = time.perf_counter()
    if domain.ambient_dim != network.input_dim:
        raise ShapeError(f"the domain is for {domain.ambient_dim} inputs but the network has {network.input_dim}")
    matrix = domain.lift_matrix()
    own = network if matrix is None else network.composed_with(matrix)
    division = subdivide(own, domain.inner if isinstance(domain, Slice) else domain)
    labels = sorted(division.cells)
    codec = PatternCodec.of(network)
    spare = 8 * codec.n_bytes - sum(bit_widths(network))
    rows = b"".join((label << spare).to_bytes(codec.n_bytes, "big") for label in labels)
    points = [interior_point(division.generators, division.cells[label]) for label in labels]
    complex_ = RegionComplex(
        network,
        domain,
        np.frombuffer(rows, dtype=np.uint8).reshape(len(labels), codec.n_bytes),
        WitnessTable.from_points(points, domain.dim),
        np.array([not division.degenerate(label) for label in labels], dtype=bool),
        engine="subdivision",
        seconds=time.perf_counter() - began,
    )
    complex_.__dict__["subdivision"] = division
    return complex_
