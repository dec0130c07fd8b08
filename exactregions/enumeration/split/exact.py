"""The exact rung: all cells of a network by double description on integers, for every network and every domain.

This is what every other kernel of `split` falls back on, and what it is tested against, so it shares nothing with them
but the choice of coordinates: it works with the network's own matrices and activations, and with affine forms, not
values carried from layer to layer.  Neurons are decided in their order.  On a cell of the earlier layers z_i is one
affine form (composition of affine pieces), z_i - xi x_0 is linear in homogeneous coordinates, and the cell's closure is
a cone C with rays known.  A linear form is positive somewhere inside C iff it is positive on some ray or non-zero on
some line of C (Minkowski-Weyl: they generate C), so both signs occur iff the wall cuts the cell, in which case both
sides have an interior, and it is cut by `Cone.split`.  If the form vanishes on all of C, which is full-dimensional, it
is zero: the neuron is degenerate there, and takes the piece to the left of its breakpoint.  Hence every cell is found
exactly once, for every activation, coincident walls, several breakpoints, unbounded cells and cells without vertices
included.

A sum of positive multiples of a cell's rays is inside it: that is the witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from exactregions.enumeration.split.cones import Cone, Vector
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.network import PiecewiseLinear
from exactregions.rational import IntMatrix, common_denominator

__all__ = ["ExactCell", "StartCell", "search_exact", "start_cells"]


@dataclass(frozen=True, slots=True)
class ExactCell:
    """A cell found by the exact rung.

    Attributes
    ----------
    pattern : tuple of int
        Pieces of all neurons.
    degenerate : tuple of int
        Neurons that are identically at a breakpoint on the cell.
    ray : tuple of int
        A homogeneous vector inside the cell, in reduced coordinates (`HomogeneousProblem.lift` makes a point of it).
    cone : Cone
        Its closure.
    cuts : tuple of int
        The rows that cut it out, numbered through all layers, in the order of the cone's cuts; -1 for the domain's.
    """

    pattern: tuple[int, ...]
    degenerate: tuple[int, ...]
    ray: Vector
    cone: Cone
    cuts: tuple[int, ...]

    @property
    def facet_rows(self) -> list[int]:
        """The rows that are facets; the domain's sides are left out."""
        return [self.cuts[cut] for cut in self.cone.facets() if self.cuts[cut] >= 0]


@dataclass(frozen=True, slots=True)
class StartCell:
    """A pointed cone from which kernels start.

    Attributes
    ----------
    rays : tuple of integer vectors
        Its extreme rays.
    incidence : tuple of frozenset of int
        For each ray the constraints that vanish on it: a first-layer row by its index, a domain row i as -1 - i, and
        x_0 as -1 - (number of domain rows).  Constraints found redundant are not named.
    signs : tuple of pairs (row, 1 or -1)
        The side taken of every start row that cuts.
    """

    rays: tuple[Vector, ...]
    incidence: tuple[frozenset[int], ...]
    signs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Signal:
    """Affine forms over one positive denominator: rows are neurons' outputs, then x_0."""

    matrix: IntMatrix
    denominator: int


@dataclass(frozen=True, slots=True)
class _Walls:
    """The walls of a layer on a cell: integer rows and their numbers; the neuron and the forms that they belong to."""

    rows: list[Vector]
    numbers: list[int]
    neurons: list[int]
    forms: list[list[int]]
    denominator: int


_NO_WALLS = _Walls([], [], [], [], 1)


@dataclass(frozen=True, slots=True)
class _Node:
    cone: Cone
    layer: int
    walls: _Walls
    signs: tuple[int, ...]
    pattern: tuple[int, ...]
    degenerate: tuple[int, ...]
    cuts: tuple[int, ...]


def search_exact(problem: HomogeneousProblem, prefix: Sequence[Sequence[int]] = ()) -> Iterator[ExactCell]:
    """Yield all cells, or those below a prefix, one at a time.

    Parameters
    ----------
    problem : HomogeneousProblem
        What to search.
    prefix : sequence of sequences of int
        For each of the first layers the sides taken of its rows (`RowLayer`), in order: 1 where g > 0, -1 where
        g <= 0, 0 where it is left open; a row that is no wall may hold anything.  Layers before the last one of the
        prefix must leave no wall open.

    Yields
    ------
    ExactCell
        In lexicographic order of patterns if the prefix leaves only trailing walls open.
    """
    cone = _domain_cone(problem)
    if cone is None:
        return
    root = _enter(problem, _Node(cone, -1, _NO_WALLS, (), (), (), (-1,) * cone.n_cuts), _embedding(problem), prefix)
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        signs = list(node.signs)
        entries = node.cone.size
        for wall in range(len(signs), len(node.walls.rows)):
            positive, negative = node.cone.sides(entries + wall)
            if positive and negative:
                above, below = node.cone.split(entries + wall)
                cuts = (*node.cuts, node.walls.numbers[wall])
                for side, sign in ((above, 1), (below, -1)):
                    stack.append(replace(node, cone=side, signs=(*signs, sign), cuts=cuts))
                break
            signs.append(1 if positive else -1 if negative else 0)
        else:
            pattern, degenerate, signal = _leave(problem, node, signs)
            if node.layer + 1 == len(problem.network.layers):
                yield ExactCell(pattern, degenerate, _inside(node.cone), node.cone, node.cuts)
            else:
                done = replace(node, signs=(), pattern=pattern, degenerate=degenerate)
                below_node = _enter(problem, done, signal, prefix)
                if below_node is not None:
                    stack.append(below_node)


def start_cells(problem: HomogeneousProblem, at_least: int = 1) -> list[StartCell]:
    """Split the domain by the start rows into pointed cones with their exact rays.

    Parameters
    ----------
    problem : HomogeneousProblem
    at_least : int
        Go on with other rows of the first layer until there are so many cones, as far as there are rows.

    Returns
    -------
    list of StartCell
        In an order in which those that share their first signs stand together; empty if the domain has no interior.
    """
    cone = _domain_cone(problem)
    if cone is None:
        return []
    order = list(problem.start_rows)
    first = problem.layers[0].matrix.numerators.tolist() if problem.layers else []
    if 1 << len(order) < at_least and first:
        is_wall = problem.layers[0].is_wall
        order += [row for row in range(len(first)) if is_wall[row] and row not in set(order)]
    rows = [tuple(map(int, first[row])) for row in order]
    found: list[tuple[Cone, list[int], tuple[tuple[int, int], ...]]] = [(_valued(cone, rows), _cut_names(problem), ())]
    for place, row in enumerate(order):
        if place >= len(problem.start_rows) and len(found) >= at_least:
            break
        parts = []
        for whole, ids, signs in found:
            if all(whole.sides(cone.size + place)):
                halves = zip(whole.split(cone.size + place), (1, -1), strict=True)
                parts += [(half, [*ids, row], (*signs, (row, sign))) for half, sign in halves]
            else:
                parts.append((whole, ids, signs))
        found = parts
    cells = []
    for cone, ids, signs in found:
        rays = tuple(ray[: cone.size] for ray in cone.rays)
        incidence = tuple(frozenset(ids[k] for k in range(cone.n_cuts) if mask >> k & 1) for mask in cone.masks)
        cells.append(StartCell(rays, incidence, signs))
    return cells


def _domain_rows(problem: HomogeneousProblem) -> list[Vector]:
    unit = [] if problem.is_cone else [(*(0,) * problem.dim, 1)]
    return [*unit, *problem.domain_rows]


def _domain_cone(problem: HomogeneousProblem) -> Cone | None:
    """Return the closed cone over the domain, or None if the domain has no interior."""
    rows = _domain_rows(problem)
    cone = _valued(Cone.whole(problem.n_coordinates), rows)
    for place in range(len(rows)):
        positive, negative = cone.sides(cone.size + place)
        if not positive:
            return None
        if negative:
            cone = cone.split(cone.size + place)[0]
    return _valued(cone, [])


def _cut_names(problem: HomogeneousProblem) -> list[int]:
    """Names of the domain's rows that cut, in the order of `_domain_cone`."""
    rows = _domain_rows(problem)
    cone = _valued(Cone.whole(problem.n_coordinates), rows)
    names = []
    for place in range(len(rows)):
        if cone.sides(cone.size + place)[1]:
            cone = cone.split(cone.size + place)[0]
            at = place - (not problem.is_cone)
            names.append(-1 - (at if at >= 0 else len(problem.domain_rows)))
    return names


def _valued(cone: Cone, rows: Sequence[Vector]) -> Cone:
    """Put the values of linear forms behind the coordinates of a cone's rays and lines."""
    if not rows:
        return cone.with_values([()] * len(cone.rays), [()] * len(cone.lines))
    size = cone.size
    vectors = [vector[:size] for vector in (*cone.rays, *cone.lines)]
    table = IntMatrix(len(vectors), size, [value for vector in vectors for value in vector])
    forms = IntMatrix(len(rows), size, [value for row in rows for value in row]).transpose()
    values = [tuple(map(int, row)) for row in (table * forms).tolist()]
    return cone.with_values(values[: len(cone.rays)], values[len(cone.rays) :])


def _embedding(problem: HomogeneousProblem) -> _Signal:
    """Return the network's input, and x_0, as forms in reduced coordinates."""
    size = problem.n_coordinates
    flat = [0] * ((problem.domain.dim + 1) * size)
    for place, column in enumerate(problem.columns):
        flat[column * size + place] = 1
    if not problem.is_cone:
        flat[-1] = 1
    return _Signal(IntMatrix(problem.domain.dim + 1, size, flat), 1)


def _enter(problem: HomogeneousProblem, node: _Node, signal: _Signal, prefix: Sequence[Sequence[int]]) -> _Node | None:
    """Put the walls of the next layer on a cell, and restrict it to the prefix; None if nothing is left."""
    layer = node.layer + 1
    if layer == len(problem.network.layers):
        return replace(node, walls=_NO_WALLS, signs=())
    matrix = problem.network.layers[layer].matrix
    forms = [list(map(int, row)) for row in (matrix.numerators * signal.matrix).tolist()]
    numbers = problem.wall_numbers[layer]
    walls = _walls(forms, numbers, matrix.denominator * signal.denominator, problem.network.activations[layer])
    cone, cuts = _valued(node.cone, walls.rows), node.cuts
    if layer < len(prefix):
        sides = [s for s, is_wall in zip(prefix[layer], problem.layers[layer].is_wall, strict=True) if is_wall]
        for wall, side in enumerate(sides):
            positive, negative = cone.sides(cone.size + wall)
            if (side > 0 and not positive) or (side < 0 and positive and not negative):
                return None
            if side and positive and negative:
                cone = cone.split(cone.size + wall)[0 if side > 0 else 1]
                cuts = (*cuts, numbers[wall])
    return _Node(cone, layer, walls, (), node.pattern, node.degenerate, cuts)


def _walls(
    forms: list[list[int]], numbers: list[int], denominator: int, activations: Sequence[PiecewiseLinear]
) -> _Walls:
    rows, neurons = [], []
    for neuron, (form, phi) in enumerate(zip(forms, activations, strict=True)):
        for mark in phi.breakpoints:
            scaled = [value * mark.denominator for value in form]
            if mark:
                scaled[-1] -= mark.numerator * denominator
            rows.append(tuple(scaled))
            neurons.append(neuron)
    return _Walls(rows, numbers, neurons, forms, denominator)


def _leave(
    problem: HomogeneousProblem, node: _Node, signs: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...], _Signal]:
    """Read off the layer's pieces, and return them with the layer's output as forms."""
    if node.layer < 0 or not problem.network.layers:
        return node.pattern, node.degenerate, _Signal(IntMatrix(0, 0, []), 1)
    activations = problem.network.activations[node.layer]
    pieces = [0] * len(activations)
    degenerate = set()
    for neuron, sign in zip(node.walls.neurons, signs, strict=True):
        pieces[neuron] += sign > 0
        if sign == 0:
            degenerate.add(neuron)
    start = len(node.pattern)
    flat_degenerate = (*node.degenerate, *(start + neuron for neuron in sorted(degenerate)))
    signal = _activate(problem, node.walls, activations, pieces)
    return (*node.pattern, *pieces), flat_degenerate, signal


def _activate(
    problem: HomogeneousProblem, walls: _Walls, activations: Sequence[PiecewiseLinear], pieces: Sequence[int]
) -> _Signal:
    size = problem.n_coordinates
    terms: list[tuple[Fraction, Fraction]] = [
        (phi.slopes[piece], phi.offsets[piece]) for phi, piece in zip(activations, pieces, strict=True)
    ]
    scale = common_denominator(number for term in terms for number in term)
    flat: list[int] = []
    for form, (slope, offset) in zip(walls.forms, terms, strict=True):
        factor = int(slope * scale)
        flat.extend([factor * value for value in form])
        if offset:  # never on cones, where the last coordinate is not x_0
            flat[-1] += int(offset * scale) * walls.denominator
    unit = walls.denominator * scale
    flat.extend([0] * size if problem.is_cone else [*(0,) * (size - 1), unit])
    return _Signal(IntMatrix(len(activations) + 1, size, flat), unit)


def _inside(cone: Cone) -> Vector:
    """Return a sum of the rays, brought to similar size by powers of two, so that the point has few digits."""
    size = cone.size
    lengths = [max(map(abs, ray[:size])).bit_length() for ray in cone.rays]
    longest = max(lengths, default=0)
    total = [0] * size
    for ray, length in zip(cone.rays, lengths, strict=True):
        for place in range(size):
            total[place] += ray[place] << (longest - length)
    return tuple(total)
