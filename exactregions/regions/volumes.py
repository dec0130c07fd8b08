"""Exact volumes: a bounded cell is cut into simplices without new vertices, and each simplex is a determinant.

*Pulling*: the polytope is the union, without overlap, of the cones from one of its vertices over its facets that do not
contain it, each cut in the same way (De Loera, Rambau, Santos, *Triangulations*, 2010, section 4.3.2).  A simplex of
homogeneous vectors g_0, ..., g_d, last entries h_i, has the volume |det(g_0, ..., g_d)| / (d! h_0 ... h_d).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import TYPE_CHECKING

from exactregions.domains import Box, Domain
from exactregions.errors import InputError
from exactregions.rational import IntMatrix, format_rational, primitive
from exactregions.regions.faces import largest_parts
from exactregions.regions.generators import Generators, Members
from exactregions.regions.subdivision import polyhedron

if TYPE_CHECKING:
    from exactregions.regions.complex import RegionComplex

__all__ = ["balanced_sum", "check_volume", "domain_volume", "is_polytope", "simplex_volume", "simplices", "volume"]


def is_polytope(generators: Generators, members: Members) -> bool:
    """Whether a closed cell is bounded: no rays, no lines."""
    return not generators.lines and all(map(generators.is_vertex, members))


def simplices(members: Members, tight: Sequence[int]) -> Iterator[Members]:
    """Cut a polytope, given by its vertices and the rows that each lies on, into simplices by pulling."""
    apex = members[0]
    if len(members) == 1:
        yield members
        return
    for part in largest_parts(members, tight, 0):
        if apex not in part:
            for simplex in simplices(part, tight):
                yield (apex, *simplex)


def simplex_volume(generators: Generators, simplex: Members) -> Fraction:
    """Volume of a full-dimensional simplex."""
    vectors = [generators.vectors[g] for g in simplex]
    determinant = abs(int(IntMatrix(vectors).det()))
    return Fraction(determinant, factorial(len(simplex) - 1) * prod(vector[-1] for vector in vectors))


def volume(generators: Generators, members: Members) -> Fraction | None:
    """Volume of a closed cell, or None if it is unbounded."""
    if not is_polytope(generators, members):
        return None
    parts = (simplex_volume(generators, simplex) for simplex in simplices(members, generators.tight))
    return sum(parts, Fraction(0))


def balanced_sum(values: Iterable[Fraction]) -> Fraction:
    """Add rationals in pairs, then the sums in pairs, and so on, so that few additions have long denominators.

    Examples
    --------
    >>> balanced_sum([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
    Fraction(1, 1)
    """
    left = list(values)
    while len(left) > 1:
        pairs = [a + b for a, b in zip(left[::2], left[1::2], strict=False)]
        left = pairs + left[2 * len(pairs) :]
    return left[0] if left else Fraction(0)


def domain_volume(domain: Domain) -> Fraction | None:
    """Volume of a domain without embedding, or None if it is unbounded.

    Examples
    --------
    >>> from exactregions import Polyhedron
    >>> domain_volume(Polyhedron([[-1, 0], [0, -1], [1, 2]], [0, 0, 1]))
    Fraction(1, 4)
    """
    if isinstance(domain, Box):
        return prod((high - low for low, high in zip(domain.lower, domain.upper, strict=True)), start=Fraction(1))
    generators = polyhedron([primitive(row) for row in domain.integer_rows() if any(row[:-1])], domain.dim)
    return volume(generators, tuple(range(len(generators.vectors))))


def check_volume(complex_: RegionComplex) -> Fraction:
    """Compare the sum of the cells' volumes with the volume of the domain; see `RegionComplex.check_volume`."""
    wanted = domain_volume(complex_.own_domain)
    if wanted is None:
        raise InputError("the domain is unbounded", where="volume identity", remedy="take a box")
    division = complex_.subdivision
    total = balanced_sum(volume(division.generators, cell) or Fraction(0) for cell in division.cells.values())
    if total != wanted:
        raise InputError(
            f"the cells cover {format_rational(total)} of the domain's volume {format_rational(wanted)}",
            where="volume identity",
            remedy="the list of cells is not complete",
        )
    return total
