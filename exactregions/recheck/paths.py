"""One path of the proof tree: its decisions, the affine forms they determine, and what can be read off these.

A path keeps one matrix of forms for each layer whose inputs are decided.  It is one integer matrix product, made when
the first neuron of the layer is visited and kept until a decision of an earlier layer changes; so all nodes below
one set of decided inputs share it.  A witness is tested by one product for each layer.

Farkas' lemma, in the direction used here: if rows r > 0 have multipliers lambda >= 0, not all zero, with
sum lambda_r a_r = 0 and sum lambda_r c_r <= 0, then no t satisfies them all, since at such a t the sum
sum lambda_r (a_r.t + c_r) would be positive and not positive.  Positive factors matter to neither side, so it is
enough to compare integers over one denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import mul
from typing import NamedTuple

from exactregions.rational import Int, IntMatrix
from exactregions.recheck.integers import ONE, ZERO, common_denominator, largest
from exactregions.recheck.lines import Ratio
from exactregions.recheck.network import Layer
from exactregions.recheck.problem import Problem
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["FarkasVector", "Path"]

FarkasVector = list[tuple[str, int, Ratio]]  # letter and number of the row's name, multiplier
_TOGETHER = 1 << 26  # bits of a vector that is made as a whole; longer ones are made entry by entry


class _Row(NamedTuple):
    """The row sign * (form - wall) over the denominator of a layer, or of the domain if place is -1."""

    form: list[Int]
    wall: Int
    sign: int
    place: int


class _Level:
    """The forms of one layer on the path, with what has been read off them."""

    __slots__ = ("_legal", "_rows", "degenerate", "forms", "layer")

    def __init__(self, layer: Layer, forms: IntMatrix) -> None:
        self.layer = layer
        self.forms = forms
        self.degenerate = False  # whether a neuron that was looked at is degenerate
        self._rows: dict[int, list[Int]] = {}
        self._legal: dict[int, int] = {}

    def row(self, index: int) -> list[Int]:
        """Form of one neuron."""
        if index not in self._rows:
            self._rows[index] = [self.forms[index, column] for column in range(self.forms.ncols())]
        return self._rows[index]

    def legal(self, index: int) -> int:
        """Legal piece of a neuron that is constant here; -1 if it is not."""
        found = self._legal.get(index)
        if found is None:
            *slope, value = self.row(index)
            found = -1
            if not any(slope):
                walls = self.layer.walls[index]
                found = sum(value > wall for wall in walls)
                self.degenerate |= found < len(walls) and value == walls[found]
            self._legal[index] = found
        return found


def _products(matrix: IntMatrix, bits: int, column: IntMatrix, column_bits: int) -> Iterable[Int]:
    """Return the entries of a matrix times a column, without holding many long ones at once."""
    if matrix.nrows() * (bits + column_bits) <= _TOGETHER:
        return (matrix * column).entries()
    point = column.entries()
    return (
        sum([matrix[row, index] * entry for index, entry in enumerate(point)], ZERO) for row in range(matrix.nrows())
    )


class Path:
    """Decisions (neuron, piece), layer by layer.

    Parameters
    ----------
    problem : Problem
    budget : Budget
    """

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem = problem
        self.pieces = [-1] * len(problem.layer_of)
        self._budget = budget
        self._levels: list[_Level] = []
        self._undecided = [len(layer.maps) for layer in problem.layers]
        self._current = 0  # the first layer with undecided neurons

    @property
    def is_full(self) -> bool:
        """Whether all neurons are decided."""
        return self._current == len(self._undecided)

    @property
    def is_strict(self) -> bool:
        """Whether no neuron of a full path is degenerate, once all of them were looked at."""
        return not any(level.degenerate for level in self._levels)

    def decide(self, neuron: int, piece: int) -> None:
        """Decide a neuron, or give the last decision another piece."""
        layer = self.problem.layer_of[neuron]
        del self._levels[layer + 1 :]
        if self.pieces[neuron] < 0:
            self._undecided[layer] -= 1
            self._current = layer + (self._undecided[layer] == 0)
        self.pieces[neuron] = piece

    def undo(self, neuron: int) -> None:
        """Take the last decision back."""
        layer = self.problem.layer_of[neuron]
        del self._levels[layer + 1 :]
        self.pieces[neuron] = -1
        self._undecided[layer] += 1
        self._current = layer

    def legal_piece(self, neuron: int) -> int:
        """Legal piece of a neuron that may be decided next if it is constant; -1 if it is not.

        Raises
        ------
        Refused
            If it may not be decided here.
        """
        if neuron >= len(self.pieces):
            raise Refused("no-such-neuron")
        if self.pieces[neuron] >= 0:
            raise Refused("duplicate-neuron")
        number = self.problem.layer_of[neuron]
        if number != self._current:
            raise Refused("undecided-input")
        level = self._level(number)
        return level.legal(neuron - level.layer.first)

    def follow(self, pattern: Sequence[int]) -> None:
        """Decide all neurons of a pattern in order."""
        for neuron, piece in enumerate(pattern):
            if self.legal_piece(neuron) not in (-1, piece):
                raise Refused("wrong-constant-piece")
            self.decide(neuron, piece)

    def _level(self, number: int) -> _Level:
        while len(self._levels) <= number:
            layer = self.problem.layers[len(self._levels)]
            self._levels.append(_Level(layer, self._apply(layer)))
        return self._levels[number]

    def _apply(self, layer: Layer) -> IntMatrix:
        """Forms that a layer computes from the activations of the last level."""
        before = self._values()
        numbers = layer.weights.nrows() * before.nrows() * before.ncols()
        self._budget.spend(numbers, layer.weight_bits, layer.before_bits)
        return layer.weights * before

    def _values(self) -> IntMatrix:
        """Activations of the last level, all decided (the inputs if there is none), and the constant form 1."""
        if not self._levels:
            return self.problem.domain.inputs
        level = self._levels[-1]
        layer, columns = level.layer, self.problem.domain.dimension + 1
        zeros = [ZERO] * columns
        self._budget.spend(len(layer.maps) * columns, layer.bits, layer.value_bits - layer.bits)
        flat: list[Int] = []
        for index, maps in enumerate(layer.maps):
            slope, intercept = maps[self.pieces[layer.first + index]]
            if slope == 0:
                flat += zeros
            else:
                row = level.row(index)
                flat += row if slope == 1 else [slope * entry for entry in row]
            flat[-1] += intercept
        flat += zeros
        flat[-1] = layer.value_denominator
        return IntMatrix(len(layer.maps) + 1, columns, flat)

    def output(self) -> tuple[IntMatrix, Int]:
        """Forms of the network's value on a full path, and their denominator."""
        layer = self.problem.output
        if layer is not None:
            budget, size = self._budget, layer.weights.nrows() * (self.problem.domain.dimension + 1)
            budget.fit(size, layer.bits)
            return self._apply(layer), layer.denominator
        if self._levels:
            return self._values(), self._levels[-1].layer.value_denominator
        return self._values(), self.problem.domain.input_denominator

    def zero_rows(self, point: list[Int]) -> list[list[Int]]:
        """Rows of the path that are zero at a point, up to a positive factor; the others must be positive.

        Parameters
        ----------
        point : list of Int
            Homogeneous: s t_1, ..., s t_d, s.

        Raises
        ------
        Refused
            If a row of the domain is not positive, or one of the path is negative.
        """
        column, bits, scale = IntMatrix(len(point), 1, point), largest(point), point[-1]
        domain, found = self.problem.domain, []
        self._budget.spend(domain.rows.nrows() * len(point), domain.row_bits, bits)
        if not all(value > 0 for value in _products(domain.rows, domain.row_bits, column, bits)):
            raise Refused("witness-not-inside")
        for level in self._levels:
            layer, first = level.layer, level.layer.first
            self._budget.spend(level.forms.nrows() * len(point), layer.bits, bits)
            for index, value in enumerate(_products(level.forms, layer.bits, column, bits)):
                if level.legal(index) >= 0:
                    continue
                piece, walls = self.pieces[first + index], layer.walls[index]
                low = value - walls[piece - 1] * scale if piece else ONE
                high = walls[piece] * scale - value if piece < len(walls) else ONE
                if low < 0 or high < 0:
                    raise Refused("witness-not-inside")
                if low == 0:
                    row = level.row(index)
                    found.append([*row[:-1], row[-1] - walls[piece - 1]])
                if high == 0:
                    row = level.row(index)
                    found.append([*[-entry for entry in row[:-1]], walls[piece] - row[-1]])
        return found

    def refute(self, vector: FarkasVector, added: tuple[int, int] | None = None) -> None:
        """Check a Farkas vector from the rows of the domain, of the path, and of one more decision.

        Raises
        ------
        Refused
            If it proves nothing.
        """
        rows = [self._row(letter, number, added) for letter, number, _ in vector]
        if any(top < 0 for _, _, (top, _) in vector):
            raise Refused("negative-multiplier")
        if not any(top for _, _, (top, _) in vector):
            raise Refused("zero-multipliers")
        factors = self._factors(rows, [multiplier for _, _, multiplier in vector])
        *slope, ends = zip(*[row.form for row in rows], strict=True)
        constants = [end - row.wall for end, row in zip(ends, rows, strict=True)]
        if any(sum(map(mul, factors, column), ZERO) != 0 for column in slope):
            raise Refused("not-farkas")
        if sum(map(mul, factors, constants), ZERO) > 0:
            raise Refused("not-farkas")

    def _row(self, letter: str, number: int, added: tuple[int, int] | None) -> _Row:
        rows = self.problem.domain.rows
        if letter == "d":
            if number >= rows.nrows():
                raise Refused("no-such-row")
            return _Row([rows[number, column] for column in range(rows.ncols())], ZERO, 1, -1)
        if number >= len(self.pieces):
            raise Refused("no-such-row")
        piece = added[1] if added is not None and added[0] == number else self.pieces[number]
        wall = piece - 1 if letter == "L" else piece
        if piece < 0 or not 0 <= wall < self.problem.n_pieces[number] - 1:
            raise Refused("no-such-row")
        place = self.problem.layer_of[number]
        level = self._levels[place]
        index = number - level.layer.first
        if level.legal(index) >= 0:
            raise Refused("no-such-row")
        return _Row(level.row(index), level.layer.walls[index][wall], 1 if letter == "L" else -1, place)

    def _factors(self, rows: list[_Row], multipliers: list[Ratio]) -> list[Int]:
        """Return the multipliers of the rows as integers, up to one positive factor; pay for their use."""
        budget, domain, layers = self._budget, self.problem.domain, self.problem.layers
        common = common_denominator(multipliers, budget)
        deepest = max(row.place for row in rows)
        over = layers[deepest].denominator if deepest >= 0 else ONE
        budget.fit(len(rows), max(top.bit_length() for top, _ in multipliers) + common.bit_length() + over.bit_length())
        budget.spend(4 * len(rows), common.bit_length(), over.bit_length())
        factors, bits = [], domain.row_bits
        for row, (top, bottom) in zip(rows, multipliers, strict=True):
            factor = top if common == 1 else top * (common // bottom)
            if row.place < 0:
                factor *= over
            else:
                factor *= over // layers[row.place].denominator * domain.denominator
                bits = max(bits, layers[row.place].bits)
            factors.append(factor if row.sign > 0 else -factor)
        budget.spend(len(rows) * (domain.dimension + 1), largest(factors), bits)
        return factors
