"""The exact rung as a prover: one search finds all cells and writes the certificate, node by node, as it goes.

The search is that of `exact`: double description on integers, layer by layer, so that nothing rests on a float.  Here a
node of the tree decides one neuron, with all its walls, and a neuron that keeps to one piece on the node's cone is
decided at once, before any fork, so that its refutation serves the whole subtree.  Every absent piece is refuted by
multipliers read off the rays (`multipliers`); a leaf has a witness that is checked against the rows of its path in
integers.  Memory is proportional to the depth of the tree times the size of a cone.

The rows of a path are those of the neurons at which it forked: the others are implied.  In reduced coordinates they are
the certificate's rows without the columns on which all rows are linearly dependent alike (`reduce`), so that a
combination that vanishes here vanishes there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter, mul
from typing import Protocol

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
from exactregions.enumeration.split.multipliers import Cut, Support
from exactregions.errors import EmptyDomainError, UndecidedError
from exactregions.rational import integer_row

__all__ = ["Leaf", "Recorder", "prove_cells"]

Reason = str | Mapping[str, int]
Point = tuple[Fraction, ...]


class Recorder(Protocol):
    """What takes down the nodes, in depth-first order, each fork before its children; `CertificateWriter` is one."""

    def node(self, neuron: int, pieces: Sequence[Reason]) -> None:
        """Take an inner node."""

    def leaf(self, witness: Sequence[Fraction]) -> None:
        """Take a cell."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A cell.

    Attributes
    ----------
    pattern : tuple of int
        Pieces of all neurons.
    strict : bool
        Whether no neuron is degenerate.
    witness : tuple of Fraction
        A point strictly inside, in the domain's own coordinates.
    """

    pattern: tuple[int, ...]
    strict: bool
    witness: Point


@dataclass(frozen=True, slots=True)
class _Layer:
    """The neurons of a layer on a cell of the layers before it."""

    number: int
    start: int  # number of its first neuron
    forms: Forms
    walls: list[tuple[Cut, ...]]  # of each neuron: z - breakpoint


@dataclass(frozen=True, slots=True)
class _Fork:
    """A neuron of a layer, where the values of its walls begin, and the first and last of its pieces that occur."""

    place: int
    at: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _Task:
    """A child to be visited, and the decision that leads to it."""

    cone: Cone
    cuts: tuple[Cut, ...]
    layer: _Layer
    open: tuple[tuple[int, int], ...]  # undecided neurons of the layer, and where the values of their walls begin
    neuron: int
    piece: int


def prove_cells(problem: HomogeneousProblem, recorder: Recorder) -> Iterator[Leaf]:
    """Yield all cells, and tell the recorder the tree that proves them to be all.

    Raises
    ------
    EmptyDomainError
        If the domain has no interior.

    Examples
    --------
    >>> from exactregions import Network, WholeSpace
    >>> from exactregions.enumeration.split.homogeneous import homogeneous_problem
    >>> class Printer:
    ...     def node(self, neuron, pieces):
    ...         print(neuron, pieces)
    ...
    ...     def leaf(self, witness):
    ...         print(*map(str, witness))
    >>> parallel = homogeneous_problem(Network([([[1], [1]], [0, -1])]), WholeSpace(1))
    >>> [leaf.pattern for leaf in prove_cells(parallel, Printer())]
    0 ['child', 'child']
    1 ['child', {'U0': 1, 'L1': 1}]
    -1
    1 ['child', 'child']
    1/2
    2
    [(0, 0), (1, 0), (1, 1)]
    """
    return _Search(problem, recorder).run()


class _Search:
    def __init__(self, problem: HomogeneousProblem, recorder: Recorder) -> None:
        self.problem, self.recorder = problem, recorder
        self.network = problem.network
        self.size = problem.n_coordinates
        # a decision is written when its node is visited, and not undone: below it, every node writes its own
        self.pieces = [0] * self.network.n_neurons
        self.degenerate = [False] * self.network.n_neurons
        self.stack: list[_Task] = []

    def run(self) -> Iterator[Leaf]:
        """Walk the tree."""
        cone, cuts = self._domain()
        yield from self._enter(cone, cuts, 0, None)
        while self.stack:
            task = self.stack.pop()
            self.pieces[task.neuron], self.degenerate[task.neuron] = task.piece, False
            yield from self._visit(task.cone, task.cuts, task.layer, task.open)

    def _domain(self) -> tuple[Cone, tuple[Cut, ...]]:
        """Return the cone over the domain, and the rows that cut it out."""
        found = domain_cone(self.problem)
        if found is None:
            raise EmptyDomainError("the domain has no interior, so it has no cell", where=str(self.problem.domain))
        cone, rows = found
        return cone, tuple([self._side(row) for row in rows])

    def _side(self, number: int) -> Cut:
        """Return a row of the domain as certificates define it; -1 is x_0 > 0."""
        if number < 0:
            return Cut("", (*(0,) * (self.size - 1), 1), 1)
        kept = [*self.problem.columns, *(() if self.problem.is_cone else (self.problem.domain.dim,))]
        entries, scale = integer_row(self.problem.domain.rational_rows()[number])
        return Cut(f"d{number}", tuple([entries[k] for k in kept]), scale)

    def _enter(self, cone: Cone, cuts: tuple[Cut, ...], number: int, before: _Layer | None) -> Iterator[Leaf]:
        """Go on with a layer on a cell of the layers before it; after the last one the cell is a leaf."""
        if number == len(self.network.layers):
            yield self._leaf(cone, cuts)
            return
        signal = inputs(self.problem) if before is None else self._signal(before)
        forms = pre_activations(self.problem, number, signal)
        walls = [
            tuple([Cut("", *wall_row(form, forms.denominator, mark)) for mark in phi.breakpoints])
            for form, phi in zip(forms.rows, self.network.activations[number], strict=True)
        ]
        layer = _Layer(number, self.network.layer_starts[number], forms, walls)
        places, at = [], self.size
        for place, mine in enumerate(walls):
            places.append((place, at))
            at += len(mine)
        yield from self._visit(
            cone.with_forms([cut.entries for mine in walls for cut in mine]), cuts, layer, tuple(places)
        )

    def _visit(
        self, cone: Cone, cuts: tuple[Cut, ...], layer: _Layer, places: Sequence[tuple[int, int]]
    ) -> Iterator[Leaf]:
        """Decide the neurons that keep to one piece; then fork at another, or leave the layer."""
        columns = list(zip(*cone.rays, strict=True)) or [()] * (self.size + sum(map(len, layer.walls)))
        support = Support(cone, cuts, is_cone=self.problem.is_cone)
        forks = []
        for place, at in places:
            low = high = at
            degenerate = False
            for k in range(at, at + len(layer.walls[place])):
                positive, negative = _sides(cone.lines, columns[k], k)
                low += positive and not negative
                high += positive
                degenerate = degenerate or not (positive or negative)
            fork = _Fork(place, at, low - at, high - at)
            if low == high:
                neuron = layer.start + place
                self.pieces[neuron], self.degenerate[neuron] = fork.low, degenerate
                self.recorder.node(neuron, self._reasons(support, layer, fork, columns))
            else:
                forks.append(fork)
        if forks:
            self._fork(support, layer, forks, columns)
        else:
            yield from self._enter(cone, cuts, layer.number + 1, layer)

    def _reasons(self, support: Support, layer: _Layer, fork: _Fork, columns: Sequence[Vector]) -> list[Reason]:
        """Say what becomes of each piece of a neuron."""
        walls, form = layer.walls[fork.place], layer.forms.rows[fork.place]
        reasons: list[Reason] = []
        for piece in range(len(walls) + 1):
            if fork.low <= piece <= fork.high:
                reasons.append("child")
            elif not any(form if self.problem.is_cone else form[:-1]):
                reasons.append("constant")
            elif piece < fork.low:
                row = walls[piece].named(f"U{layer.start + fork.place}", -1)
                reasons.append(support.refute(row, columns[fork.at + piece]))
            else:
                row = walls[piece - 1].named(f"L{layer.start + fork.place}")
                reasons.append(support.refute(row, [-value for value in columns[fork.at + piece - 1]]))
        return reasons

    def _fork(self, support: Support, layer: _Layer, forks: list[_Fork], columns: Sequence[Vector]) -> None:
        """Decide a neuron that has several pieces here, and put its children on the stack."""
        chosen = _most_even(forks, columns)
        self.recorder.node(layer.start + chosen.place, self._reasons(support, layer, chosen, columns))
        kept, places = list(range(self.size)), []
        for fork in forks:
            if fork is not chosen:
                places.append((fork.place, len(kept)))
                kept.extend(range(fork.at, fork.at + len(layer.walls[fork.place])))
        width = len(kept)
        rest = _project(support.cone, [*kept, *range(chosen.at + chosen.low, chosen.at + chosen.high)])
        walls, neuron, cuts = layer.walls[chosen.place], layer.start + chosen.place, tuple(support.cuts)
        children = []
        for k in range(chosen.low, chosen.high):
            above, below = rest.split(width + k - chosen.low)
            down = walls[k].named(f"U{neuron}", -1)
            children.append(_Task(below, (*cuts, down), layer, tuple(places), neuron, k))
            rest = above
            if k > chosen.low:  # the row that this one implies
                cuts = (*cuts[:-1], cuts[-1].named(None))
            cuts = (*cuts, walls[k].named(f"L{neuron}"))
        children.append(_Task(rest, cuts, layer, tuple(places), neuron, chosen.high))
        self.stack.extend(reversed(children))

    def _signal(self, layer: _Layer) -> Forms:
        """Return the activations of a decided layer, and x_0."""
        pieces = self.pieces[layer.start : layer.start + len(layer.walls)]
        return activations(self.problem, layer.number, layer.forms, pieces)

    def _leaf(self, cone: Cone, cuts: tuple[Cut, ...]) -> Leaf:
        witness = self.problem.lift(_inner_point(cone, cuts, is_cone=self.problem.is_cone))
        self.recorder.leaf(witness)
        return Leaf(tuple(self.pieces), not any(self.degenerate), witness)


def _project(cone: Cone, columns: Sequence[int]) -> Cone:
    """Keep some entries of all vectors, the coordinates among them."""
    take = itemgetter(*columns)
    return Cone(cone.size, tuple(map(take, cone.lines)), tuple(map(take, cone.rays)), cone.masks, cone.n_cuts)


def _sides(lines: Sequence[Vector], column: Sequence[int], at: int) -> tuple[bool, bool]:
    """Whether a form is positive, and whether it is negative, somewhere in a cone, by its values at lines and rays."""
    for line in lines:
        if line[at]:
            return True, True
    return max(column, default=0) > 0, min(column, default=0) < 0


def _most_even(forks: Sequence[_Fork], columns: Sequence[Vector]) -> _Fork:
    """Choose the neuron whose first wall here has the rays most evenly on its sides."""
    best, most = forks[0], -1
    for fork in forks:
        column = columns[fork.at + fork.low]
        above = sum([value > 0 for value in column])
        below = sum([value < 0 for value in column])
        if min(above, below) > most:
            best, most = fork, min(above, below)
    return best


def _inner_point(cone: Cone, cuts: Sequence[Cut], *, is_cone: bool) -> Sequence[Fraction | int]:
    """Return a homogeneous vector inside a cone: one of few digits, if floats find one."""
    total = cone.inside()
    scale = 1 << max(map(int.bit_length, total)) if is_cone else total[-1]
    try:
        pairs = [(value / scale).as_integer_ratio() for value in total]
    except OverflowError:
        return total
    unit = max([below for _, below in pairs])
    near = [above * (unit // below) for above, below in pairs]
    if all(sum(map(mul, cut.entries, near)) > 0 for cut in cuts):
        return near
    if all(sum(map(mul, cut.entries, total)) > 0 for cut in cuts):
        return total
    raise UndecidedError("internal error: the exact rung found no point inside a cell")
