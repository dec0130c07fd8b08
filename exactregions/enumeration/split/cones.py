"""The double description step on exact integers: a polyhedral cone by its extreme rays, cut by a hyperplane.

A cone C = {x : a_i . x >= 0 for every constraint i} is held as lines + rays: its lineality space by a basis, and one
integer vector for each extreme ray of C modulo lines, with the set of constraints that vanish on it.  Cutting by
{f = 0} (Motzkin, Raiffa, Thompson, Thrall 1953; Fukuda and Prodon 1996, Lemma 8):

* if f is not zero on some line, that line, oriented to f > 0, becomes a ray of one side, and its opposite a ray of
  the other; every other vector is moved along it into {f = 0}, which changes the value of no earlier constraint;
* else the rays with f = 0 belong to both sides, and every pair of *adjacent* rays on either side gives one new ray.
  Two rays are adjacent if and only if no third one lies on all the constraints that they share.  This combinatorial
  test is right for every cone, simple or not, if incidences are complete, which they are: a constraint vanishes inside
  a segment between two rays of C exactly if it vanishes at both.

A cut that leaves nothing on one side is never made, so all cones are full-dimensional and a constraint that does not
cut is redundant: nothing else needs it.  Vectors carry the values of linear forms behind their coordinates, so that a
form is evaluated once at a ray and follows by linearity at all rays made from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from operator import mul

__all__ = ["Cone"]

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cone:
    """A full-dimensional cone by its lines and extreme rays.

    Attributes
    ----------
    size : int
        Number of coordinates; entries beyond them are values of forms.
    lines : tuple of Vector
        Basis of the lineality space.
    rays : tuple of Vector
        Extreme rays modulo lines; coordinates have no common divisor.
    masks : tuple of int
        For each ray the set of constraints that vanish on it, as bits numbered in the order of cuts.
    n_cuts : int
        Number of constraints.
    """

    size: int
    lines: tuple[Vector, ...]
    rays: tuple[Vector, ...] = ()
    masks: tuple[int, ...] = ()
    n_cuts: int = 0

    @classmethod
    def whole(cls, size: int) -> Cone:
        """Return the whole space R^size.

        Examples
        --------
        >>> quadrant = Cone.whole(2).split(0)[0].split(1)[0]
        >>> sorted(quadrant.rays), quadrant.lines
        ([(0, 1), (1, 0)], ())
        """
        return cls(size, tuple(tuple(int(i == j) for j in range(size)) for i in range(size)))

    def sides(self, entry: int) -> tuple[bool, bool]:
        """Whether the form held at an entry is positive, and whether it is negative, somewhere in the cone."""
        if any(line[entry] for line in self.lines):
            return True, True
        positive = negative = False
        for ray in self.rays:
            if ray[entry] > 0:
                positive = True
            elif ray[entry] < 0:
                negative = True
        return positive, negative

    def facets(self) -> list[int]:
        """The cuts that are facets, each facet once.

        Faces are ordered as the sets of rays on them are, and every facet is where some cut vanishes: a cut is a facet
        if no other one vanishes on all its rays and on more.  (Modulo lines a half-space has one ray, which is not on
        its only facet.)

        Examples
        --------
        >>> quadrant = Cone.whole(2).split(0)[0].split(1)[0]
        >>> quadrant.facets(), Cone.whole(2).split(0)[0].facets()
        ([0, 1], [0])
        """
        rays = [0] * self.n_cuts
        for place, mask in enumerate(self.masks):
            while mask:
                low = mask & -mask
                mask ^= low
                rays[low.bit_length() - 1] |= 1 << place
        first = {on: cut for cut, on in reversed(list(enumerate(rays)))}
        return sorted(cut for on, cut in first.items() if not any(on & more == on != more for more in first))

    def with_values(self, values: list[Vector], line_values: list[Vector]) -> Cone:
        """Return the cone with other values behind the coordinates, one vector for each ray and each line."""
        size = self.size
        rays = tuple([ray[:size] + row for ray, row in zip(self.rays, values, strict=True)])
        lines = tuple([line[:size] + row for line, row in zip(self.lines, line_values, strict=True)])
        return Cone(size, lines, rays, self.masks, self.n_cuts)

    def with_forms(self, rows: Sequence[Vector]) -> Cone:
        """Return the cone with the values of linear forms, given by their coefficients, behind the coordinates."""
        rays, lines = (
            [tuple([sum(map(mul, row, vector)) for row in rows]) for vector in vectors]
            for vectors in (self.rays, self.lines)
        )
        return self.with_values(rays, lines)

    def inside(self) -> Vector:
        """Return a sum of the rays, brought to similar size by powers of two, so that the point has few digits."""
        lengths = [max(map(abs, ray[: self.size])).bit_length() for ray in self.rays]
        longest = max(lengths, default=0)
        total = [0] * self.size
        for ray, length in zip(self.rays, lengths, strict=True):
            for place in range(self.size):
                total[place] += ray[place] << (longest - length)
        return tuple(total)

    def split(self, entry: int) -> tuple[Cone, Cone]:
        """Cut by the form held at an entry, which takes both signs: the side where it is >= 0, and the other."""
        bit = 1 << self.n_cuts
        for index, line in enumerate(self.lines):
            if line[entry]:
                return self._split_line(entry, index, bit)
        above: list[int] = []
        below: list[int] = []
        on: list[int] = []
        for index, ray in enumerate(self.rays):
            (above if ray[entry] > 0 else below if ray[entry] < 0 else on).append(index)
        rays = [self.rays[i] for i in on]
        masks = [self.masks[i] | bit for i in on]
        for p, q, common in self._edges(above, below):
            rays.append(self._between(self.rays[p], self.rays[q], entry))
            masks.append(common | bit)
        return self._child(above, rays, masks), self._child(below, rays, masks)

    def _edges(self, above: list[int], below: list[int]) -> list[tuple[int, int, int]]:
        needed = self.size - len(self.lines) - 2
        masks = self.masks
        found = []
        for p in above:
            for q in below:
                common = masks[p] & masks[q]
                if common.bit_count() >= needed and sum(mask & common == common for mask in masks) == 2:
                    found.append((p, q, common))
        return found

    def _between(self, up: Vector, down: Vector, entry: int) -> Vector:
        a, b = -down[entry], up[entry]
        return self._lowest_terms([a * x + b * y for x, y in zip(up, down, strict=True)])

    def _lowest_terms(self, vector: list[int]) -> Vector:
        divisor = gcd(*vector[: self.size])
        return tuple(vector) if divisor <= 1 else tuple([value // divisor for value in vector])

    def _child(self, kept: list[int], rays: list[Vector], masks: list[int]) -> Cone:
        return Cone(
            self.size,
            self.lines,
            (*(self.rays[i] for i in kept), *rays),
            (*(self.masks[i] for i in kept), *masks),
            self.n_cuts + 1,
        )

    def _split_line(self, entry: int, index: int, bit: int) -> tuple[Cone, Cone]:
        line = self.lines[index]
        up = line if line[entry] > 0 else tuple([-value for value in line])
        down = tuple([-value for value in up])
        step = up[entry]

        def onto(vector: Vector) -> Vector:
            shift = vector[entry]
            return self._lowest_terms([step * a - shift * b for a, b in zip(vector, up, strict=True)])

        lines = tuple([onto(other) for place, other in enumerate(self.lines) if place != index])
        rays = tuple([onto(ray) for ray in self.rays])
        masks = tuple([mask | bit for mask in self.masks])
        below = bit - 1
        first, second = (Cone(self.size, lines, (*rays, end), (*masks, below), self.n_cuts + 1) for end in (up, down))
        return first, second
