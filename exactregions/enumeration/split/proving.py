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

from exactregions.enumeration.split.cones import Cone, Vector
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.enumeration.split.multipliers import Cut, Support
from exactregions.errors import EmptyDomainError, UndecidedError
from exactregions.rational import IntMatrix, integer_row

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
    forms: list[list[int]]
    denominator: int
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
        kept = [*self.problem.columns, *(() if self.problem.is_cone else (self.problem.domain.dim,))]
        rows = [] if self.problem.is_cone else [Cut("", (*(0,) * (self.size - 1), 1), 1)]
        for number, side in enumerate(self.problem.domain.rational_rows()):
            entries, scale = integer_row(side)
            rows.append(Cut(f"d{number}", tuple([entries[k] for k in kept]), scale))
        cone = _with_values(Cone.whole(self.size), [row.entries for row in rows])
        cuts = []
        for place, row in enumerate(rows):
            positive, negative = cone.sides(self.size + place)
            if not positive:
                raise EmptyDomainError("the domain has no interior, so it has no cell", where=str(self.problem.domain))
            if negative:
                cone = cone.split(self.size + place)[0]
                cuts.append(row)
        return cone, tuple(cuts)

    def _inputs(self) -> tuple[IntMatrix, int]:
        """Return the network's input, and x_0, as forms in reduced coordinates, over one denominator."""
        size = self.size
        flat = [0] * ((self.problem.domain.dim + 1) * size)
        for place, column in enumerate(self.problem.columns):
            flat[column * size + place] = 1
        if not self.problem.is_cone:
            flat[-1] = 1
        return IntMatrix(self.problem.domain.dim + 1, size, flat), 1

    def _enter(self, cone: Cone, cuts: tuple[Cut, ...], number: int, before: _Layer | None) -> Iterator[Leaf]:
        """Go on with a layer on a cell of the layers before it; after the last one the cell is a leaf."""
        if number == len(self.network.layers):
            yield self._leaf(cone, cuts)
            return
        signal = self._inputs() if before is None else self._signal(before)
        matrix = self.network.layers[number].matrix
        forms = [list(map(int, row)) for row in (matrix.numerators * signal[0]).tolist()]
        denominator = int(matrix.denominator) * signal[1]
        walls: list[tuple[Cut, ...]] = []
        for form, phi in zip(forms, self.network.activations[number], strict=True):
            walls.append(tuple([_wall(form, denominator, mark) for mark in phi.breakpoints]))
        layer = _Layer(number, self.network.layer_starts[number], forms, denominator, walls)
        places, at = [], self.size
        for place, mine in enumerate(walls):
            places.append((place, at))
            at += len(mine)
        valued = _with_values(cone, [wall.entries for mine in walls for wall in mine])
        yield from self._visit(valued, cuts, layer, tuple(places))

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
        walls, form = layer.walls[fork.place], layer.forms[fork.place]
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

    def _signal(self, layer: _Layer) -> tuple[IntMatrix, int]:
        """Return the activations of a decided layer, and x_0, as forms over one denominator."""
        table = self.network.integer_activations[layer.number]
        flat: list[int] = []
        for place, (form, phi) in enumerate(zip(layer.forms, table.neurons, strict=True)):
            slope, offset = phi.terms[self.pieces[layer.start + place]]
            flat.extend([slope * entry for entry in form] if slope else [0] * self.size)
            if offset:  # never on cones, where the last coordinate is not x_0
                flat[-1] += offset * layer.denominator
        unit = layer.denominator * table.scale
        flat.extend([0] * self.size if self.problem.is_cone else [*(0,) * (self.size - 1), unit])
        return IntMatrix(len(layer.forms) + 1, self.size, flat), unit

    def _leaf(self, cone: Cone, cuts: tuple[Cut, ...]) -> Leaf:
        witness = self.problem.lift(_inner_point(cone, cuts, is_cone=self.problem.is_cone))
        self.recorder.leaf(witness)
        return Leaf(tuple(self.pieces), not any(self.degenerate), witness)


def _wall(form: Sequence[int], denominator: int, mark: Fraction) -> Cut:
    """Return z - breakpoint as a row."""
    if not mark:
        return Cut("", tuple(form), denominator)
    scaled = [value * mark.denominator for value in form]
    scaled[-1] -= mark.numerator * denominator
    return Cut("", tuple(scaled), denominator * mark.denominator)


def _with_values(cone: Cone, rows: Sequence[Vector]) -> Cone:
    """Put the values of linear forms behind the coordinates of a cone's rays and lines."""
    rays, lines = (
        [tuple([sum(map(mul, row, vector)) for row in rows]) for vector in vectors]
        for vectors in (cone.rays, cone.lines)
    )
    return cone.with_values(rays, lines)


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
