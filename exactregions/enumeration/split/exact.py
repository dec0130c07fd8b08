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

from exactregions.enumeration.split.affine_forms import (
    Forms,
    activations,
    domain_cone,
    inputs,
    pre_activations,
    wall_row,
)
from exactregions.enumeration.split.cones import Cone, Vector
from exactregions.enumeration.split.homogeneous import HomogeneousProblem

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
class _Walls:
    """The walls of a layer on a cell: integer rows, their numbers and neurons; and the forms that they belong to."""

    rows: list[Vector]
    numbers: list[int]
    neurons: list[int]
    forms: Forms


_NO_WALLS = _Walls([], [], [], Forms([], 1))


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
    domain = domain_cone(problem)
    if domain is None:
        return
    cone = domain[0]
    root = _enter(problem, _Node(cone, -1, _NO_WALLS, (), (), (), (-1,) * cone.n_cuts), inputs(problem), prefix)
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
                yield ExactCell(pattern, degenerate, node.cone.inside(), node.cone, node.cuts)
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
    domain = domain_cone(problem)
    if domain is None:
        return []
    cone = domain[0]
    names = [-1 - (row if row >= 0 else len(problem.domain_rows)) for row in domain[1]]
    order = list(problem.start_rows)
    first = problem.layers[0].matrix.numerators.tolist() if problem.layers else []
    if 1 << len(order) < at_least and first:
        is_wall = problem.layers[0].is_wall
        order += [row for row in range(len(first)) if is_wall[row] and row not in set(order)]
    rows = [tuple(map(int, first[row])) for row in order]
    found: list[tuple[Cone, list[int], tuple[tuple[int, int], ...]]] = [(cone.with_forms(rows), names, ())]
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


def _enter(problem: HomogeneousProblem, node: _Node, signal: Forms, prefix: Sequence[Sequence[int]]) -> _Node | None:
    """Put the walls of the next layer on a cell, and restrict it to the prefix; None if nothing is left."""
    layer = node.layer + 1
    if layer == len(problem.network.layers):
        return replace(node, walls=_NO_WALLS, signs=())
    walls = _walls(problem, layer, pre_activations(problem, layer, signal))
    cone, cuts = node.cone.with_forms(walls.rows), node.cuts
    if layer < len(prefix):
        sides = [s for s, is_wall in zip(prefix[layer], problem.layers[layer].is_wall, strict=True) if is_wall]
        for place, side in enumerate(sides):
            positive, negative = cone.sides(cone.size + place)
            if (side > 0 and not positive) or (side < 0 and positive and not negative):
                return None
            if side and positive and negative:
                cone = cone.split(cone.size + place)[0 if side > 0 else 1]
                cuts = (*cuts, walls.numbers[place])
    return _Node(cone, layer, walls, (), node.pattern, node.degenerate, cuts)


def _walls(problem: HomogeneousProblem, layer: int, forms: Forms) -> _Walls:
    rows, neurons = [], []
    for neuron, (form, phi) in enumerate(zip(forms.rows, problem.network.activations[layer], strict=True)):
        for mark in phi.breakpoints:
            rows.append(wall_row(form, forms.denominator, mark)[0])
            neurons.append(neuron)
    return _Walls(rows, problem.wall_numbers[layer], neurons, forms)


def _leave(
    problem: HomogeneousProblem, node: _Node, signs: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...], Forms]:
    """Read off the layer's pieces, and return them with the layer's output as forms."""
    if node.layer < 0 or not problem.network.layers:
        return node.pattern, node.degenerate, Forms([], 1)
    pieces = [0] * len(node.walls.forms.rows)
    degenerate = set()
    for neuron, sign in zip(node.walls.neurons, signs, strict=True):
        pieces[neuron] += sign > 0
        if sign == 0:
            degenerate.add(neuron)
    start = len(node.pattern)
    flat_degenerate = (*node.degenerate, *(start + neuron for neuron in sorted(degenerate)))
    return (*node.pattern, *pieces), flat_degenerate, activations(problem, node.layer, node.walls.forms, pieces)
