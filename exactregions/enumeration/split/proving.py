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
from exactregions.enumeration.split.multipliers import Cut, Refusal, multipliers
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
        forks = []
        for place, at in places:
            count = len(layer.walls[place])
            sides = [_sides(cone, columns, at + k) for k in range(count)]
            low = sum(positive and not negative for positive, negative in sides)
            high = sum(positive for positive, _ in sides)
            if low == high:
                neuron = layer.start + place
                self.pieces[neuron] = low
                self.degenerate[neuron] = (False, False) in sides
                self.recorder.node(neuron, self._reasons(cone, cuts, layer, place, columns[at : at + count], low, high))
            else:
                forks.append((place, at, low, high))
        if forks:
            self._fork(cone, cuts, layer, forks, columns)
        else:
            yield from self._enter(cone, cuts, layer.number + 1, layer)

    def _reasons(
        self,
        cone: Cone,
        cuts: tuple[Cut, ...],
        layer: _Layer,
        place: int,
        columns: Sequence[Vector],
        low: int,
        high: int,
    ) -> list[Reason]:
        """Say what becomes of each piece of a neuron of which the pieces from `low` to `high` occur."""
        walls, form = layer.walls[place], layer.forms[place]
        constant = not any(form if self.problem.is_cone else form[:-1])
        reasons: list[Reason] = []
        for piece in range(len(walls) + 1):
            if low <= piece <= high:
                reasons.append("child")
            elif constant:
                reasons.append("constant")
            else:
                letter, k, sign = ("U", piece, -1) if piece < low else ("L", piece - 1, 1)
                row = _oriented(walls[k], f"{letter}{layer.start + place}", sign)
                values = columns[k] if sign < 0 else [-value for value in columns[k]]
                reasons.append(multipliers(cone, cuts, Refusal(row, values), is_cone=self.problem.is_cone))
        return reasons

    def _fork(
        self,
        cone: Cone,
        cuts: tuple[Cut, ...],
        layer: _Layer,
        forks: list[tuple[int, int, int, int]],
        columns: Sequence[Vector],
    ) -> None:
        """Decide a neuron that has several pieces here, and put its children on the stack."""
        place, at, low, high = chosen = _most_even(forks, columns)
        walls = layer.walls[place]
        neuron = layer.start + place
        mine = columns[at : at + len(walls)]
        self.recorder.node(neuron, self._reasons(cone, cuts, layer, place, mine, low, high))
        kept, places = list(range(self.size)), []
        for fork in forks:
            if fork is not chosen:
                places.append((fork[0], len(kept)))
                kept.extend(range(fork[1], fork[1] + len(layer.walls[fork[0]])))
        width = len(kept)
        rest = _project(cone, [*kept, *range(at + low, at + high)])
        children = []
        for k in range(low, high):
            above, below = rest.split(width + k - low)
            down = _oriented(walls[k], f"U{neuron}", -1)
            children.append(_Task(below, (*cuts, down), layer, tuple(places), neuron, k))
            rest = above
            if k > low:  # the row that the last one implies
                cuts = (*cuts[:-1], Cut(None, cuts[-1].entries, 1))
            cuts = (*cuts, _oriented(walls[k], f"L{neuron}", 1))
        children.append(_Task(rest, cuts, layer, tuple(places), neuron, high))
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


def _oriented(wall: Cut, name: str, sign: int) -> Cut:
    return Cut(name, wall.entries if sign > 0 else tuple([-entry for entry in wall.entries]), wall.unit)


def _with_values(cone: Cone, rows: Sequence[Vector]) -> Cone:
    """Put the values of linear forms behind the coordinates of a cone's rays and lines."""
    size = cone.size
    vectors = [vector[:size] for vector in (*cone.rays, *cone.lines)]
    if not rows or not vectors:
        values: list[Vector] = [()] * len(vectors)
    else:
        table = IntMatrix(len(vectors), size, [value for vector in vectors for value in vector])
        forms = IntMatrix(len(rows), size, [value for row in rows for value in row]).transpose()
        values = [tuple(map(int, row)) for row in (table * forms).tolist()]
    return cone.with_values(values[: len(cone.rays)], values[len(cone.rays) :])


def _project(cone: Cone, columns: Sequence[int]) -> Cone:
    """Keep some entries of all vectors, the coordinates among them."""
    take = itemgetter(*columns)
    return Cone(cone.size, tuple(map(take, cone.lines)), tuple(map(take, cone.rays)), cone.masks, cone.n_cuts)


def _sides(cone: Cone, columns: Sequence[Vector], at: int) -> tuple[bool, bool]:
    """Whether the form held at an entry is positive, and whether it is negative, somewhere in the cone."""
    for line in cone.lines:
        if line[at]:
            return True, True
    column = columns[at]
    return max(column, default=0) > 0, min(column, default=0) < 0


def _most_even(forks: Sequence[tuple[int, int, int, int]], columns: Sequence[Vector]) -> tuple[int, int, int, int]:
    """Choose the neuron whose first wall here has the rays most evenly on its sides."""
    best, most = forks[0], -1
    for fork in forks:
        column = columns[fork[1] + fork[2]]
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
