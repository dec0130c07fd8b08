"""The vertices and rays of all cells at once, exactly: the domain is cut by one breakpoint of one neuron after another.

A point x is kept as a homogeneous integer vector g = c (x, 1), c > 0, a direction of recession as (r, 0).  A closed
cell is then a cone, given by its *generators* and by the lines it contains (double description: Motzkin, Raiffa,
Thompson, Thrall, 1953; Fukuda and Prodon, 1996).  Three facts make one global table of generators enough.

* The network extends to homogeneous coordinates, z~(x, h) = h z(x / h), and at h = 0 to its recession function; it is
  linear on the cone of every cell.  So one exact forward pass gives the sign of every neuron at every generator,
  whichever cell asks, and a new generator on the edge from u to w has the values of the same combination of u and w.
* The subdivision is face to face at every step.  So a wall meets an edge in one point, which is named by the edge, and
  cells that share the edge share the new generator; a row vanishes there iff it vanishes at both ends.
* All cells contain the same lines.  Modulo the rows of the first l layers, every pre-activation of layer l + 1 has the
  same linear part on every cell, by induction, since neurons with a breakpoint contribute rows only.  So lines are
  kept once, and a row that does not vanish on a line cuts every cell.

Two generators of a cone span an edge iff no third one is on every row on which both are; rows that vanish on the whole
cone or are redundant do no harm.  Nothing is assumed generic: any number of rows may pass through a generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from exactregions.domains import Domain
from exactregions.errors import EmptyDomainError
from exactregions.network import Network
from exactregions.network.activations import PiecewiseLinear
from exactregions.network.forward import IntegerActivations
from exactregions.rational import IntMatrix, RationalMatrix, primitive
from exactregions.regions.generators import Generators, Members, Vector

__all__ = ["Subdivision", "bit_widths", "polyhedron", "subdivide"]

_BLOCK = 4096  # vectors in one matrix product, so that copies stay small


@dataclass(frozen=True, slots=True)
class Subdivision:
    """Closed cells as sets of generators.

    Attributes
    ----------
    dim : int
        Number of coordinates.
    generators : Generators
    cells : dict of int to tuple of int
        For each cell its generators, increasing; the key is the pattern as one integer, packed as by `PatternCodec`.
    n_special : int
        Number of rows that are no walls: h >= 0 and the domain's.
    walls : tuple of (neuron, breakpoint)
        What the rows after those stand for.
    """

    dim: int
    generators: Generators
    cells: dict[int, Members]
    n_special: int
    walls: tuple[tuple[int, int], ...]

    def degenerate(self, label: int) -> tuple[int, ...]:
        """Neurons that are identically at a breakpoint on a cell: their row vanishes at all its generators."""
        mask = -1
        for generator in self.cells[label]:
            mask &= self.generators.tight[generator]
        mask >>= self.n_special
        return tuple(neuron for place, (neuron, _) in enumerate(self.walls) if mask >> place & 1)


class _Sweep:
    """The subdivision under construction.

    A vector holds the d + 1 homogeneous coordinates, and after them the values of the current layer.
    """

    def __init__(self, dim: int) -> None:
        self.size = dim + 1
        self.vectors: list[Vector] = [[0] * dim + [1]]
        self.tight: list[int] = [0]
        self.lines: list[Vector] = [[int(i == j) for j in range(self.size)] for i in range(dim)]
        self.cells: list[Members] = [(0,)]
        self.labels: list[int] = [0]
        self.n_rows = 1

    # -- cutting -----------------------------------------------------------------------------------------------

    def cut(self, form: Callable[[Vector], int], *, keep_below: bool) -> list[tuple[Members | None, Members | None]]:
        """Cut every cell by a row; return its two parts, where they are full-dimensional.

        Cells on which the row vanishes identically count as below.
        """
        bit = 1 << self.n_rows
        self.n_rows += 1
        along = [form(line) for line in self.lines]
        if any(along):
            return self._cut_lines(form, along, bit)
        values = [form(vector) for vector in self.vectors]
        for index, value in enumerate(values):
            if not value:
                self.tight[index] |= bit
        rank = self.size - len(self.lines)
        made: dict[tuple[int, int], int] = {}
        return [self._cut_cell(cell, values, bit, rank, made, keep_below) for cell in self.cells]

    def _cut_cell(
        self,
        cell: Members,
        values: Sequence[int],
        bit: int,
        rank: int,
        made: dict[tuple[int, int], int],
        keep_below: bool,
    ) -> tuple[Members | None, Members | None]:
        plus = [g for g in cell if values[g] > 0]
        if not plus:
            return cell, None
        minus = [g for g in cell if values[g] < 0]
        if not minus:
            return None, cell
        fresh = []
        for u, w in self._edges(cell, plus, minus, rank):
            if (index := made.get((u, w))) is None:
                index = made[u, w] = len(self.vectors)
                self.vectors.append(_combine(values[u], self.vectors[w], -values[w], self.vectors[u], self.size))
                self.tight.append(self.tight[u] & self.tight[w] | bit)
            fresh.append(index)
        fresh.sort()
        below = tuple([g for g in cell if values[g] <= 0] + fresh) if keep_below else None
        return below, tuple([g for g in cell if values[g] >= 0] + fresh)

    def _edges(self, cell: Members, plus: Sequence[int], minus: Sequence[int], rank: int) -> Iterator[tuple[int, int]]:
        """Pairs that span an edge of the cell.

        A generator on no more than rank - 1 rows is on independent ones, so rank - 2 common rows make an edge.
        """
        tight, least = self.tight, rank - 2
        masks = [tight[g] for g in cell]
        ends = [(w, tight[w], tight[w].bit_count() == rank - 1) for w in minus]
        for u in plus:
            mask = tight[u]
            simple = mask.bit_count() == rank - 1
            for w, other, other_simple in ends:
                common = mask & other
                if common.bit_count() >= least and (
                    simple or other_simple or sum([third & common == common for third in masks]) == 2
                ):
                    yield u, w

    def _cut_lines(
        self, form: Callable[[Vector], int], along: Sequence[int], bit: int
    ) -> list[tuple[Members | None, Members | None]]:
        """Cut by a row that does not vanish on some line: the line becomes a ray on either side."""
        pick = next(k for k, value in enumerate(along) if value)
        line, slope = self.lines.pop(pick), along[pick]
        if slope < 0:
            line, slope = [-entry for entry in line], -slope
        rest = [value for k, value in enumerate(along) if k != pick]
        self.lines = [
            _combine(slope, other, -value, line, self.size) for other, value in zip(self.lines, rest, strict=True)
        ]
        for index, vector in enumerate(self.vectors):
            self.vectors[index] = _combine(slope, vector, -form(vector), line, self.size)
            self.tight[index] |= bit
        up = len(self.vectors)
        self.vectors += [line, [-entry for entry in line]]
        self.tight += [bit - 1, bit - 1]
        return [((*cell, up + 1), (*cell, up)) for cell in self.cells]

    def clip(self, row: Sequence[int]) -> None:
        """Keep what is on the positive side of a row of the domain."""
        parts = self.cut(lambda vector: _dot(row, vector), keep_below=False)
        kept = [(above, label) for (_, above), label in zip(parts, self.labels, strict=True) if above is not None]
        if not kept:
            raise EmptyDomainError("the domain has no interior")
        self.cells = [cell for cell, _ in kept]
        self.compact()

    def split(self, form: Callable[[Vector], int]) -> None:
        """Cut every cell by a breakpoint of a neuron; a label counts the breakpoints below the cell."""
        cells: list[Members] = []
        labels: list[int] = []
        for (below, above), label in zip(self.cut(form, keep_below=True), self.labels, strict=True):
            if below is not None:
                cells.append(below)
                labels.append(label)
            if above is not None:
                cells.append(above)
                labels.append(label + 1)
        self.cells, self.labels = cells, labels

    def compact(self) -> None:
        """Forget generators that no cell has."""
        used = sorted(set().union(*self.cells))
        if len(used) < len(self.vectors):
            place = {old: new for new, old in enumerate(used)}
            self.vectors = [self.vectors[old] for old in used]
            self.tight = [self.tight[old] for old in used]
            self.cells = [tuple([place[g] for g in cell]) for cell in self.cells]

    # -- the network -------------------------------------------------------------------------------------------

    def affine(self, matrix: RationalMatrix, signal: Callable[[Vector], Vector]) -> None:
        """Replace the current layer's values by `matrix` times what `signal` makes of each vector."""
        size, turned = self.size, matrix.numerators.transpose()

        def images(vectors: list[Vector]) -> Iterator[Vector]:
            for start in range(0, len(vectors), _BLOCK):
                block = vectors[start : start + _BLOCK]
                flat = [entry for vector in block for entry in signal(vector)]
                rows = (IntMatrix(len(block), matrix.shape[1], flat) * turned).tolist()
                yield from ([*vector[:size], *map(int, row)] for vector, row in zip(block, rows, strict=True))

        self.vectors, self.lines = list(images(self.vectors)), list(images(self.lines))

    def finish(self, scale: int) -> Generators:
        size = self.size
        return Generators(
            [vector[:size] for vector in self.vectors],
            self.tight,
            [line[:size] for line in self.lines],
            [vector[size:] for vector in self.vectors],
            [line[size:] for line in self.lines],
            scale,
        )


def subdivide(network: Network, domain: Domain, wanted: Iterable[int] | None = None) -> Subdivision:
    """Cut a domain into the cells of a network.

    Parameters
    ----------
    network : Network
        In the coordinates of the domain.
    domain : Domain
        No slice: its inner domain.
    wanted : iterable of int, optional
        Patterns, each packed into one integer; the search keeps to them.  Without it, all cells are found.

    Returns
    -------
    Subdivision

    Raises
    ------
    EmptyDomainError
        If the domain has no interior.

    Examples
    --------
    >>> from exactregions import Network, WholeSpace
    >>> cross = subdivide(Network([([[1, 0], [0, 1]], [0, 0])]), WholeSpace(2))
    >>> sorted(cross.cells.items())
    [(0, (0, 2, 4)), (1, (0, 2, 3)), (2, (0, 1, 4)), (3, (0, 1, 3))]
    >>> cross.generators.vectors
    [[0, 0, 1], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
    """
    sweep = _Sweep(domain.dim)
    for row in domain.integer_rows():
        if any(row[:-1]):
            sweep.clip(primitive(row))
        elif row[-1] <= 0:
            raise EmptyDomainError("the domain has no interior")
    n_special = sweep.n_rows
    widths = bit_widths(network)
    left = sum(widths)
    names = None if wanted is None else set(wanted)
    size, scale, neuron = sweep.size, 1, 0
    walls: list[tuple[int, int]] = []
    signal: Callable[[Vector], Vector] = lambda vector: vector[:size]  # noqa: E731 (replaced layer by layer)
    for layer, kinds, table in zip(network.layers, network.activations, network.integer_activations, strict=True):
        sweep.affine(layer.matrix, signal)
        scale *= layer.matrix.denominator
        for place, phi in enumerate(kinds):
            width = widths[neuron]
            sweep.labels = [label << width for label in sweep.labels]
            for index, form in enumerate(_breakpoint_forms(phi, size, place, scale)):
                sweep.split(form)
                walls.append((neuron, index))
            left -= width
            neuron += 1
            if names is not None:
                _keep(sweep, {name >> left for name in names})
        signal = _activation(table, size, scale)
        scale *= table.scale
    if network.output is not None:
        sweep.affine(network.output.matrix, signal)
        scale *= network.output.matrix.denominator
    else:
        sweep.affine(_drop_last(network.output_dim + 1), signal)
    return Subdivision(
        domain.dim, sweep.finish(scale), dict(zip(sweep.labels, sweep.cells, strict=True)), n_special, tuple(walls)
    )


def bit_widths(network: Network) -> list[int]:
    """Bits that each neuron takes in a pattern written as one integer, first neuron most significant."""
    return [max(1, (phi.n_pieces - 1).bit_length()) for phi in network.neurons]


def polyhedron(rows: Iterable[Sequence[int]], dim: int) -> Generators:
    """Return the vertices, rays and lines of one polyhedron {x : a.x + c >= 0 for every row (a, c)} with interior.

    Examples
    --------
    >>> strip = polyhedron([(1, 0, 0), (-1, 0, 2)], 2)
    >>> strip.vectors, strip.lines
    ([[0, 0, 1], [2, 0, 1]], [[0, 1, 0]])
    """
    sweep = _Sweep(dim)
    for row in rows:
        sweep.clip(row)
    return sweep.finish(1)


def _keep(sweep: _Sweep, names: set[int]) -> None:
    kept = [place for place, label in enumerate(sweep.labels) if label in names]
    if len(kept) < len(sweep.labels):
        sweep.cells = [sweep.cells[place] for place in kept]
        sweep.labels = [sweep.labels[place] for place in kept]
        sweep.compact()


def _breakpoint_forms(phi: PiecewiseLinear, size: int, place: int, scale: int) -> list[Callable[[Vector], int]]:
    """For each breakpoint a function of a vector with the sign of z - xi h."""
    column = size + place

    def at(mark: Fraction) -> Callable[[Vector], int]:
        if not mark:
            return lambda vector: vector[column]
        factor, shift = mark.denominator, mark.numerator * scale
        return lambda vector: factor * vector[column] - shift * vector[size - 1]

    return [at(mark) for mark in phi.breakpoints]


def _activation(table: IntegerActivations, size: int, scale: int) -> Callable[[Vector], Vector]:
    """Return the map from a vector to its layer's output and homogeneous coordinate, times a common factor."""
    unit = scale * table.scale

    def signal(vector: Vector) -> Vector:
        height = vector[size - 1]
        one = scale * height
        out = []
        for value, neuron in zip(vector[size:], table.neurons, strict=True):
            piece = sum([value * below - above * one > 0 for above, below in neuron.breakpoints])
            factor, shift = neuron.terms[piece]
            out.append(factor * value + shift * one)
        out.append(unit * height)
        return out

    return signal


def _drop_last(columns: int) -> RationalMatrix:
    """The matrix that forgets the homogeneous coordinate of a signal: the value of a network without output layer."""
    return RationalMatrix(
        IntMatrix(columns - 1, columns, [int(i == j) for i in range(columns - 1) for j in range(columns)])
    )


def _combine(a: int, u: Vector, b: int, v: Vector, size: int) -> Vector:
    """Return a u + b v, divided by the common divisor of its coordinates, which divides its other values too."""
    mixed = [a * x + b * y for x, y in zip(u, v, strict=True)]
    divisor = gcd(*mixed[:size])
    return mixed if divisor <= 1 else [entry // divisor for entry in mixed]


def _dot(row: Sequence[int], vector: Vector) -> int:
    return sum([a * x for a, x in zip(row, vector, strict=False)])
