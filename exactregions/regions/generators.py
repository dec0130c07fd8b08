"""Generators of closed cells in homogeneous integers: vertices (x, h), h > 0, rays (r, 0), and lines.

A closed cell is the set of all convex combinations of its vertices plus non-negative combinations of its rays plus its
lines (Minkowski and Weyl; Schrijver, *Theory of Linear and Integer Programming*, 8.9).  Every row of the problem that
vanishes at a generator is noted with it, so that incidence is a matter of bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Generators", "Members", "Point", "Vector", "interior_point"]

Vector = list[int]
Members = tuple[int, ...]
Point = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Generators:
    """Vertices, rays and lines shared by the cells.

    Attributes
    ----------
    vectors : list of integer vectors (x_1, ..., x_d, h)
        Primitive; h > 0 for a vertex, h = 0 for a ray.  Modulo `lines` if there are any.
    tight : list of int
        For each generator, the rows on which it lies, as bits: bit 0 is the row h >= 0, then the rows of the domain,
        then each breakpoint of each neuron.
    lines : list of integer vectors
        A basis of the directions that all cells contain both ways.
    values : list of integer vectors
        The network's value at each generator (its recession function at a ray), times `scale`.
    line_values : list of integer vectors
        The same along the lines.
    scale : int
        Positive.
    """

    vectors: list[Vector]
    tight: list[int]
    lines: list[Vector]
    values: list[Vector]
    line_values: list[Vector]
    scale: int

    def is_vertex(self, index: int) -> bool:
        """Whether a generator is a point, not a direction."""
        return self.vectors[index][-1] > 0

    def point(self, index: int) -> Point:
        """A vertex as a point, a ray as a primitive direction."""
        *entries, height = self.vectors[index]
        return tuple([Fraction(value, height or 1) for value in entries])

    def value(self, index: int) -> Point:
        """The network's value at a vertex, or its slope along a ray."""
        below = self.scale * (self.vectors[index][-1] or 1)
        return tuple([Fraction(value, below) for value in self.values[index]])


def interior_point(generators: Generators, members: Members) -> Point:
    """A point in the relative interior of a face: a sum of its generators, all brought to about the same size.

    Any positive multiples would do; powers of two keep the point's digits few.
    """
    vectors = [generators.vectors[g] for g in members]
    sizes = [(vector[-1] or max(map(abs, vector))).bit_length() for vector in vectors]
    top = max(sizes)
    columns = zip(*vectors, strict=True)
    *sums, height = [
        sum([value << (top - size) for value, size in zip(column, sizes, strict=True)]) for column in columns
    ]
    return tuple([Fraction(value, height) for value in sums])
