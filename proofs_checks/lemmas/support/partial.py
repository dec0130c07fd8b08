"""All partial regions of a complex, that is, its faces of every dimension, found by descending from facet to facet.

From each cell the irredundant rows are found by exact linear programs, the face on each is written in coordinates of
its own, and so on down to the points.  What names a face is read off the *network*, at a rational point inside the
face: for each neuron the piece that it is on, or the breakpoint that it is at.  The route needs no vertices, rays or
genericity, and shares nothing with `exactregions.regions.faces`, which goes by the generators of the closed cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from exactregions.lp.facets import find_facets
from exactregions.network import Network
from exactregions.rational import IntMatrix, primitive
from proofs_checks.lemmas.support.subject import Point, Row, Subject

__all__ = ["PartialRegion", "State", "f_vector", "find_partial_regions", "neighbouring", "signs", "state_at"]

State = tuple[int, ...]
_POINTS = 4  # interior points kept of a region, from different cells


@dataclass(slots=True)
class PartialRegion:
    """A relatively open face inside the domain.

    Attributes
    ----------
    state : tuple of int
        For each neuron 2 k on piece k, 2 k + 1 at breakpoint k.
    dims : set of int
        Its dimension; more than one if two different faces had the state, which cannot be.
    points : list of points
        In its interior, as seen from different cells.
    """

    state: State
    dims: set[int]
    points: list[Point] = field(default_factory=list)

    @property
    def dim(self) -> int:
        """Its dimension."""
        return min(self.dims)

    @property
    def zeros(self) -> tuple[int, ...]:
        """The neurons at a breakpoint."""
        return tuple(neuron for neuron, code in enumerate(self.state) if code % 2)


@dataclass(frozen=True, slots=True)
class _Flat:
    """A face in its own coordinates u: x = origin + basis^T u, rows with a flag for sides of the domain."""

    rows: dict[Row, bool]
    point: Point
    basis: tuple[Point, ...]
    origin: Point

    def lift(self, point: Point) -> Point:
        return tuple(
            sum((step * move[i] for step, move in zip(point, self.basis, strict=True)), start)
            for i, start in enumerate(self.origin)
        )

    def on(self, row: Row, point: Point) -> _Flat:
        """Return the face on a row, which `point` is in the interior of."""
        pivot = next(k for k, a in enumerate(row[:-1]) if a)
        scale, sign = abs(row[pivot]), 1 if row[pivot] > 0 else -1
        rows: dict[Row, bool] = {}
        for other, outside in self.rows.items():
            factor = sign * other[pivot]
            image = [scale * a - factor * b for a, b in zip(other, row, strict=True)]
            del image[pivot]
            if any(image[:-1]):
                key = primitive(image)
                rows[key] = rows.get(key, False) or outside
        shift = Fraction(-row[-1], row[pivot])
        away = self.basis[pivot]
        basis = [
            tuple([v - Fraction(row[k], row[pivot]) * w for v, w in zip(move, away, strict=True)])
            for k, move in enumerate(self.basis)
            if k != pivot
        ]
        origin = tuple([start + shift * w for start, w in zip(self.origin, away, strict=True)])
        return _Flat(rows, (*point[:pivot], *point[pivot + 1 :]), tuple(basis), origin)


def find_partial_regions(subject: Subject) -> dict[State, PartialRegion]:
    """Return all partial regions by their states; sides of the domain are none."""
    found: dict[State, PartialRegion] = {}
    dim = subject.dim
    unit = tuple(tuple(Fraction(int(i == j)) for j in range(dim)) for i in range(dim))
    for cell in subject.cells:
        rows = cell.inequalities
        flat = _Flat(
            {row: not rows.is_wall(k) for k, row in enumerate(rows.rows)}, cell.witness, unit, (Fraction(0),) * dim
        )
        _descend(subject.network, flat, found)
    return found


def _descend(network: Network, flat: _Flat, found: dict[State, PartialRegion]) -> None:
    point = flat.lift(flat.point)
    region = found.setdefault(state := state_at(network, point), PartialRegion(state, set()))
    seen = len(flat.basis) in region.dims
    region.dims.add(len(flat.basis))
    if len(region.points) < _POINTS and point not in region.points:
        region.points.append(point)
    if seen or not flat.basis or not flat.rows:
        return
    table = list(flat.rows)
    matrix = IntMatrix(len(table), len(table[0]), [entry for row in table for entry in row])
    for facet in find_facets(matrix, flat.point):
        if not flat.rows[table[facet.row]]:
            _descend(network, flat.on(table[facet.row], facet.point), found)


def state_at(network: Network, point: Point) -> State:
    """Where every neuron is at a point: 2 k on piece k, 2 k + 1 at breakpoint k."""
    values = [value for layer in network.pre_activations(point) for value in layer]
    return tuple(2 * phi.piece_of(z) + (z in phi.breakpoints) for z, phi in zip(values, network.neurons, strict=True))


def f_vector(regions: dict[State, PartialRegion], dim: int) -> list[int]:
    """Number of faces of dimension 0, ..., d."""
    counts = [0] * (dim + 1)
    for region in regions.values():
        counts[region.dim] += 1
    return counts


def neighbouring(state: State) -> Iterator[State]:
    """Yield the states that arise by moving neurons off their breakpoint, to either side, in all ways; the state first.

    Those of them that occur are the faces whose closure has the face of the state, in any network: a point of it
    satisfies their closed inequalities, layer by layer, and a non-empty set of strict inequalities has the closed ones
    as closure.

    Examples
    --------
    >>> sorted(neighbouring((1, 0)))
    [(0, 0), (1, 0), (2, 0)]
    """
    return product(*[(code, code - 1, code + 1) if code % 2 else (code,) for code in state])


def signs(subject: Subject, state: State) -> str:
    """A state as printed: pieces as digits, ``*`` at a breakpoint."""
    text, start = [], 0
    for width in subject.network.widths:
        part = state[start : start + width]
        text.append("".join("*" if code % 2 else str(code // 2) for code in part))
        start += width
    return "|".join(text)
