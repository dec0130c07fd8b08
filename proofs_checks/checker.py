"""The trusted checker of certificates: a file goes in, a verdict comes out.  FORMAT.md specifies the file.

It follows the cited steps, searches nothing, and computes with integers and fractions only, so there is no tolerance.
Nothing that the file says is believed before it has been recomputed.  These are its rules and their theorems.

Words.  A path decides neurons one after another, each after all neurons of the layer before, and gives each a piece
k: the left-open interval (xi_k, xi_k+1] between breakpoints.  On the path every decided neuron's pre-activation z is
one affine form a.t + c.  A decided neuron whose form is not constant gives the rows z - xi_k > 0 and xi_k+1 - z > 0
(without the infinite end).  P(path) is the open set where the rows of the domain and of the path hold.

FORM.  z is an affine form on P(path), with known coefficients.  Proof: by induction over layers; on its piece every
earlier neuron has the value p z + q, and a weighted sum of affine forms is affine.  (`Path.form`)

CELL.  If all neurons are decided, P(path) is the interior of the set of points with that pattern; so it is a cell iff
it has a point.  Proof: P is open, and the rest of the set lies in hyperplanes z = xi_k+1 of forms that are not
constant, where no open set fits.  A leaf proves it with a witness.  (`Path.inside`)

SPLIT.  Every cell in P(path) lies in P(path + (neuron, k)) for one piece k.  Proof: a cell gives the neuron one piece
k, and being open it has no point with z = xi_k+1 unless z is constant.  (`check_node`)

CONSTANT.  If z is constant on the path, all of P(path) is on one piece: the k with xi_k < z <= xi_k+1.  Proof: that is
the definition of pieces.  If z = xi_k+1 the neuron is degenerate, and the cells below are not strict.  (`Path.legal`)

FARKAS.  If lambda >= 0 is not all zero, sum lambda a = 0 and sum lambda c <= 0, then no t satisfies all rows
a.t + c > 0.  Proof: sum lambda (a.t + c) would be positive, and it is sum lambda c <= 0.  (`Path.refute`)

TREE.  A tree whose absent pieces are all refuted has as many leaves as the domain has cells.  Proof: by SPLIT, CONSTANT
and FARKAS every cell is at a leaf, by CELL every leaf is a cell, and two leaves differ in the piece of the neuron where
their paths part.  If pieces were left open, the leaves are a lower bound.  (`check_regions`)

FACET.  Let t satisfy all rows of a full path except some, at least one, that are zero there and positive multiples of
one row r, no row of the domain among them.  Then near t the cell is the half-ball r > 0, since by continuity the other
rows stay positive.  If for a second pattern the zero rows are positive multiples of -r, its cell is the other half, and
the two cells share a facet.  If they follow one affine map too, they lie in one linear region.  (`check_facet`)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any, BinaryIO

from proofs_checks.reading import (
    MAX_BITS,
    Affine,
    Lines,
    Problem,
    Refused,
    ensure,
    fields,
    integers,
    multipliers,
    natural,
    rationals,
)

__all__ = ["Refused", "check"]

Row = tuple[list[int], int]  # (a_1, ..., a_d, c) and s > 0, meaning (a.t + c) / s


class Path:
    """The decisions on the way to a node, and the rows that hold there."""

    def __init__(self, problem: Problem, lines: Lines) -> None:
        self.problem, self.lines, self.longest = problem, lines, 1  # the longest number kept, in bits
        self.width = len(problem.inputs[0])  # of forms: d + 1
        self.pieces: dict[int, int] = {}  # of the decided neurons, in order
        self.degenerate: set[int] = set()
        self.rows: dict[str, Row] = {f"d{number}": integers(row) for number, row in enumerate(problem.rows)}
        self.inputs: list[tuple[list[list[int]], int]] = []  # of the layers with decided inputs, column by column
        self.forms: list[dict[int, Row]] = []  # known so far, of the neurons in these layers
        self.measure([a for row, _ in self.rows.values() for a in row])
        self.open_layer(problem.inputs)

    def measure(self, numbers: list[int]) -> None:
        """Keep an eye on the memory that numbers take."""
        self.longest = max(self.longest, *map(int.bit_length, numbers), 0)
        count = len(self.problem.neurons) + len(self.problem.rows) + len(self.problem.inputs)
        ensure(count * self.width * self.longest <= MAX_BITS, "bad-size", "the forms of the network are too long")

    def products(self, factors: list[int], vectors: Sequence[Sequence[int]]) -> list[int]:
        """Return the scalar products of a vector with others."""
        self.lines.spend(len(factors) * len(vectors), max(map(int.bit_length, factors)), self.longest)
        return [sum(map(mul, factors, vector)) for vector in vectors]

    def open_layer(self, inputs: Affine) -> None:
        """Take the inputs of the next layer, as forms; the constant 1 comes after them."""
        one = [*[Fraction(0)] * (self.width - 1), Fraction(1)]
        flat, scale = integers([entry for form in (*inputs, one) for entry in form])
        self.measure(flat)
        self.inputs.append(([flat[k :: self.width] for k in range(self.width)], scale))
        self.forms.append({})

    def combine(self, weights: list[Fraction], layer: int) -> Row:
        """Return a weighted sum of a layer's inputs and 1 as a form."""
        (factors, scale), (columns, unit) = integers(weights), self.inputs[layer]
        self.lines.spend(1, sum(weight.denominator.bit_length() for weight in weights), scale.bit_length())
        numbers = self.products(factors, columns)
        self.measure([*numbers, scale * unit])
        return numbers, scale * unit

    def form(self, neuron: int) -> Row:
        """Return the pre-activation of a neuron in a layer with decided inputs (FORM)."""
        layer, weights, _, _ = self.problem.neurons[neuron]
        if neuron not in self.forms[layer]:
            self.forms[layer][neuron] = self.combine(weights, layer)
        return self.forms[layer][neuron]

    def legal(self, neuron: int) -> int | None:
        """Return the only piece of a neuron whose form is constant, else None (CONSTANT)."""
        numbers, scale = self.form(neuron)
        marks = self.problem.neurons[neuron].marks
        return None if any(numbers[:-1]) else bisect_left(marks, Fraction(numbers[-1], scale))

    def piece_rows(self, neuron: int, piece: int) -> dict[str, Row]:
        """Return the rows that hold a neuron on a piece: L for z - xi_k > 0, U for xi_k+1 - z > 0."""
        (numbers, scale), marks, rows = self.form(neuron), self.problem.neurons[neuron].marks, {}
        for name, sign, number in (("L", 1, piece - 1), ("U", -1, piece)):
            if 0 <= number < len(marks):
                row = [sign * marks[number].denominator * a for a in numbers]
                row[-1] -= sign * marks[number].numerator * scale
                self.measure(row)
                rows[f"{name}{neuron}"] = row, marks[number].denominator * scale
        return rows

    def decide(self, neuron: int, piece: int) -> None:
        """Append a decision to the path."""
        (numbers, scale), legal = self.form(neuron), self.legal(neuron)
        ensure(legal in (None, piece), "wrong-constant-piece", f"neuron {neuron} is constant, on piece {legal}")
        if legal is None:
            self.rows.update(self.piece_rows(neuron, piece))
        elif Fraction(numbers[-1], scale) in self.problem.neurons[neuron].marks:
            self.degenerate.add(neuron)
        self.pieces[neuron] = piece
        first, end = self.problem.ends[len(self.forms) - 1 : len(self.forms) + 1]
        if len(self.pieces) == end:  # the layer is complete: on its pieces z becomes p z + q
            self.lines.spend(end * self.width, self.longest, self.longest)
            values = []
            for other in range(first, end):
                (numbers, scale), (p, q) = self.form(other), self.problem.neurons[other].pieces[self.pieces[other]]
                values.append([Fraction(p.numerator * a, p.denominator * scale) for a in numbers])
                values[-1][-1] += q
            self.open_layer(values)

    def undo(self) -> None:
        """Take back the last decision."""
        neuron, _ = self.pieces.popitem()
        for name in (f"L{neuron}", f"U{neuron}"):
            self.rows.pop(name, None)
        self.degenerate.discard(neuron)
        layers = self.problem.neurons[neuron].layer + 1
        del self.inputs[layers:], self.forms[layers:]

    def values(self, point: list[Fraction]) -> dict[str, int]:
        """Return every row's value at a point, times a positive number."""
        ensure(len(point) == self.width - 1, "witness-length", f"a point has {self.width - 1} coordinates here")
        numbers, _ = integers([*point, Fraction(1)])
        return dict(zip(self.rows, self.products(numbers, [row for row, _ in self.rows.values()]), strict=True))

    def inside(self, point: list[Fraction]) -> None:
        """Check that all neurons are decided, and that a point lies in P(path) (CELL)."""
        ensure(len(self.pieces) == len(self.problem.neurons), "early-leaf", "neurons are undecided")
        for name, value in self.values(point).items():
            ensure(value > 0, "witness-not-inside", f"row {name} does not hold at the witness")

    def refute(self, factors: dict[str, Fraction], more: dict[str, Row]) -> None:
        """Check multipliers which prove that the path's rows and some more contradict one another (FARKAS)."""
        cited = [more.get(name) or self.rows.get(name) for name in factors]
        rows = [row for row in cited if row]
        ensure(len(rows) == len(cited), "no-such-row", "a row is cited that does not exist here")
        ensure(all(factor >= 0 for factor in factors.values()), "negative-multiplier", "a multiplier is negative")
        ensure(any(factors.values()), "zero-multipliers", "no multiplier is positive")
        numbers, _ = integers([factor / scale for factor, (_, scale) in zip(factors.values(), rows, strict=True)])
        sums = self.products(numbers, list(zip(*(row for row, _ in rows), strict=True)))
        ensure(not any(sums[:-1]) and sums[-1] <= 0, "not-farkas", "the weighted sum of the rows is no contradiction")

    def affine_map(self) -> Affine:
        """Return the network's value as forms, all neurons being decided."""
        if self.problem.output is None:
            columns, scale = self.inputs[-1]
            return [[Fraction(a, scale) for a in column] for column in columns]
        forms = [self.combine(weights, len(self.inputs) - 1) for weights in self.problem.output]
        return [[Fraction(a, scale) for a in numbers] for numbers, scale in forms]

    def exclude(self, neuron: int, piece: int, reason: Any) -> None:
        """Check the reason why a piece of a neuron is absent."""
        legal = self.legal(neuron)
        if reason == "constant":
            ensure(legal is not None, "not-constant", f"neuron {neuron} is not constant")
            ensure(legal != piece, "legal-piece", f"neuron {neuron} is constant, on this piece")
        else:
            self.refute(reason, self.piece_rows(neuron, piece) if legal is None else {})


def check_node(path: Path, line: Any, complete: bool) -> tuple[int, list[int]]:
    """Check an inner node; return its neuron and the pieces that have a child, last first (SPLIT)."""
    neuron, pieces = fields(line, "neuron", "pieces")
    ensure(isinstance(pieces, list), "bad-fields", "the pieces are a list")
    reasons = [value if value in ("child", "open", "constant") else multipliers(value) for value in pieces]
    neurons = path.problem.neurons
    ensure(natural(neuron) < len(neurons), "no-such-neuron", f"there is no neuron {neuron}")
    ensure(neuron not in path.pieces, "duplicate-neuron", f"neuron {neuron} is decided already")
    ensure(neurons[neuron].layer < len(path.forms), "undecided-input", f"neuron {neuron} has undecided inputs")
    ensure(len(reasons) == len(neurons[neuron].pieces), "piece-count", f"neuron {neuron} has other pieces")
    for piece, reason in enumerate(reasons):
        ensure(reason != "open" or not complete, "open-in-complete", "a complete claim leaves no piece open")
        if reason == "child":
            fits = path.legal(neuron) in (None, piece)
            ensure(fits, "wrong-constant-piece", f"neuron {neuron} is constant, on another piece")
        elif reason != "open":
            path.exclude(neuron, piece, reason)
    return neuron, [piece for piece in reversed(range(len(reasons))) if reasons[piece] == "child"]


def advance(path: Path, stack: list[tuple[int, list[int]]]) -> bool:
    """Go to the next child in depth-first order; return whether there is one."""
    while stack:
        neuron, waiting = stack[-1]
        if neuron in path.pieces:
            path.undo()
        if waiting:
            path.decide(neuron, waiting.pop())
            return True
        stack.pop()
    return False


def check_regions(problem: Problem, lines: Lines, claim: Any) -> None:
    """Check the number of cells of the domain (TREE)."""
    n_cells, n_strict, complete = fields(claim, "n_cells", "n_strict", "complete")
    ensure(type(complete) is bool, "bad-fields", "complete is true or false")
    claimed = natural(n_cells), natural(n_strict)
    path, found, strict = Path(problem, lines), 0, 0
    stack: list[tuple[int, list[int]]] = []  # the neurons of the nodes on the path, with the pieces still to come
    more = True
    while more:
        line = lines.next()
        if "witness" in line:
            path.inside(rationals(*fields(line, "witness")))
            found, strict = found + 1, strict + (not path.degenerate)
        elif "empty" in line:
            path.refute(multipliers(*fields(line, "empty")), {})
        else:
            stack.append(check_node(path, line, complete))
        more = advance(path, stack)
    lines.next(last=True)
    ensure((found, strict) == claimed, "wrong-count", f"the tree has {found} cells, {strict} of them strict")


def read_pattern(value: Any) -> list[int]:
    """Read a list of pieces."""
    ensure(isinstance(value, list), "bad-fields", "a pattern is a list of pieces")
    return list(map(natural, value))


def trace(problem: Problem, lines: Lines, pieces: list[int], *, without_last: bool = False) -> Path:
    """Return the path that gives the neurons, in order, the pieces of a pattern."""
    counts = [len(neuron.pieces) for neuron in problem.neurons]
    fits = 0 < len(pieces) <= len(counts) if without_last else len(pieces) == len(counts)
    fits = fits and all(piece < count for piece, count in zip(pieces, counts, strict=False))
    ensure(fits, "wrong-pattern", "the pattern names neurons or pieces that the network does not have")
    path = Path(problem, lines)
    for neuron, piece in enumerate(pieces[:-1] if without_last else pieces):
        path.decide(neuron, piece)
    return path


def check_infeasible(problem: Problem, lines: Lines, claim: Any) -> None:
    """Check that no cell has a pattern that begins with these pieces, the last of which is excluded (SPLIT)."""
    pattern = read_pattern(*fields(claim, "pattern"))
    (reason,) = fields(lines.next(), "excluded")
    reason = reason if reason == "constant" else multipliers(reason)
    path = trace(problem, lines, pattern, without_last=True)
    path.exclude(len(pattern) - 1, pattern[-1], reason)


def check_point(problem: Problem, lines: Lines, claim: Any) -> None:
    """Check that a point lies in the cell of a pattern, and whether the cell is strict (CELL)."""
    pieces, strict = fields(claim, "pattern", "strict")
    pattern = read_pattern(pieces)
    ensure(type(strict) is bool, "bad-fields", "strict is true or false")
    point = rationals(*fields(lines.next(), "witness"))
    path = trace(problem, lines, pattern)
    path.inside(point)
    ensure(strict is not bool(path.degenerate), "wrong-count", "the cell is strict iff no neuron is degenerate")


def check_facet(problem: Problem, lines: Lines, claim: Any) -> None:
    """Check that two cells share a facet at a point, and for a merge that their affine maps are equal (FACET)."""
    (pair,) = fields(claim, "patterns")
    ensure(isinstance(pair, list) and len(pair) == 2, "bad-fields", "a facet has two patterns")
    patterns = list(map(read_pattern, pair))
    point = rationals(*fields(lines.next(), "witness"))
    paths, walls = [trace(problem, lines, pattern) for pattern in patterns], []
    for path, sign in zip(paths, (1, -1), strict=True):
        zero = []
        for name, value in path.values(point).items():
            ensure(value > 0 or (value == 0 and name[0] != "d"), "witness-not-inside", f"row {name} does not hold")
            zero += [] if value else [[sign * a for a in path.rows[name][0]]]
        ensure(zero, "not-a-facet", "the witness lies inside a cell")
        walls += zero
    lines.spend(len(walls) * len(walls[0]), paths[0].longest, paths[1].longest)
    first = next(k for k, a in enumerate(walls[0]) if a)
    for wall in walls:
        factor, unit = wall[first], walls[0][first]
        parallel = all(factor * a == unit * b for a, b in zip(walls[0], wall, strict=True))
        ensure(parallel and factor * unit > 0, "not-a-facet", "the zero rows do not put the cells on sides of one wall")
    if problem.kind == "merge":
        maps = [path.affine_map() for path in paths]
        ensure(maps[0] == maps[1], "maps-differ", "the affine maps of the two cells differ")


CHECKS = {
    "regions": check_regions,
    "infeasible": check_infeasible,
    "point": check_point,
    "facet": check_facet,
    "merge": check_facet,
}


def check(stream: BinaryIO) -> tuple[Problem, Any]:
    """Check a certificate, plain or gzip.

    Parameters
    ----------
    stream : binary file
        Must be seekable.

    Returns
    -------
    problem, claim
        What line 1 and line 2 say, which is now a theorem about the network with `problem.fingerprint`.

    Raises
    ------
    Refused
        With the reason and the number of the line at which the check stopped.
    """
    lines = Lines(stream)
    try:
        problem = Problem(lines.next())
        claim = lines.next()
        CHECKS[problem.kind](problem, lines, claim)
        lines.next(last=True)
    except Refused as refusal:
        refusal.line = lines.number
        raise
    return problem, claim
