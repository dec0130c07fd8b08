"""The five kinds of statement (sections 5 to 8), each from line 2 to the end of the file.

All kinds but `regions` have one line of claim and one of proof; both are read before either is judged.

Why the tree of kind `regions` proves its count: the children and the refuted pieces of a node are all pieces of one
neuron, which every point has exactly one of; by induction every cell lies below exactly one leaf, and a leaf's witness
shows that its pattern has interior, since strict inequalities hold on an open set.  Constant neurons have one piece on
the whole path, so the one that is legal is the only one that can have cells.

Why the rows of kind `facet` are enough: near the witness, the first cell is the half-ball r > 0 and the second the
half-ball -r > 0, since all other rows are positive there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from exactregions.rational import Int
from exactregions.recheck.integers import homogeneous
from exactregions.recheck.lines import JSON, Lines, Ratio, entries, fields, natural, naturals, ratios, row_names
from exactregions.recheck.paths import FarkasVector, Path
from exactregions.recheck.problem import Problem
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["STATEMENTS"]

Statement = dict[str, Any]  # fields of a verdict
Piece = str | FarkasVector

_WORDS = ("child", "constant", "open")
_BAD = "bad-fields"


def _truth(value: JSON) -> bool:
    if type(value) is not bool:
        raise Refused(_BAD)
    return value


def _vector(value: JSON, budget: Budget) -> FarkasVector:
    if type(value) is not dict:
        raise Refused(_BAD)
    names = row_names(value)
    multipliers = ratios(value.values(), budget)
    return [(letter, number, ratio) for (letter, number), ratio in zip(names, multipliers, strict=True)]


def _piece(value: JSON, budget: Budget, words: Sequence[str]) -> Piece:
    if type(value) is str:
        if value not in words:
            raise Refused(_BAD)
        return value
    return _vector(value, budget)


def _witness(value: JSON, budget: Budget) -> list[Ratio]:
    return ratios(entries(fields(value, ("witness",))["witness"], None, _BAD), budget)


class _Node:
    """A line of the tree, read but not judged."""

    __slots__ = ("empty", "neuron", "pieces", "witness")

    def __init__(self, value: dict[str, JSON], budget: Budget) -> None:
        self.neuron = -1
        self.pieces: list[Piece] = []
        self.witness: list[Ratio] | None = None
        self.empty: FarkasVector | None = None
        if "neuron" in value:
            fields(value, ("neuron", "pieces"))
            self.neuron = natural(value["neuron"])
            self.pieces = [_piece(entry, budget, _WORDS) for entry in entries(value["pieces"], None, _BAD)]
        elif "witness" in value:
            self.witness = _witness(value, budget)
        else:
            self.empty = _vector(fields(value, ("empty",))["empty"], budget)


def _point(path: Path, witness: list[Ratio], budget: Budget) -> list[Int]:
    dimension = path.problem.domain.dimension
    if len(witness) != dimension:
        raise Refused("witness-length")
    point = homogeneous(witness, budget)
    budget.fit(len(point), point[-1].bit_length())
    return point


def _check_leaf(path: Path, witness: list[Ratio], budget: Budget) -> bool:
    """Check that the witness lies in the path's cell, and say whether that is strict."""
    if path.zero_rows(_point(path, witness, budget)):
        raise Refused("witness-not-inside")
    return path.is_strict


def _check_constant(legal: int, piece: int) -> None:
    if legal < 0:
        raise Refused("not-constant")
    if legal == piece:
        raise Refused("legal-piece")


def _children(path: Path, node: _Node, *, complete: bool) -> list[int]:
    """Check an inner node and return the pieces of its children."""
    legal = path.legal_piece(node.neuron)
    if len(node.pieces) != path.problem.n_pieces[node.neuron]:
        raise Refused("piece-count")
    found = []
    for piece, entry in enumerate(node.pieces):
        if entry == "child":
            if legal not in (-1, piece):
                raise Refused("wrong-constant-piece")
            found.append(piece)
        elif entry == "constant":
            _check_constant(legal, piece)
        elif entry == "open":
            if complete:
                raise Refused("open-in-complete")
        elif not isinstance(entry, str):
            path.refute(entry, (node.neuron, piece))
    return found


def _advance(path: Path, frames: list[tuple[int, list[int]]]) -> bool:
    """Go to the next node in depth-first order; False if there is none."""
    while frames:
        neuron, children = frames[-1]
        if children:
            path.decide(neuron, children.pop())
            return True
        path.undo(neuron)
        frames.pop()
    return False


def _regions(problem: Problem, lines: Lines, budget: Budget) -> Statement:
    claim = fields(lines.next(), ("n_cells", "n_strict", "complete"))
    claimed = natural(claim["n_cells"]), natural(claim["n_strict"])
    complete = _truth(claim["complete"])
    path = Path(problem, budget)
    frames: list[tuple[int, list[int]]] = []  # undecided children, the next one last
    n_cells = n_strict = 0
    going = True
    while going:
        node = _Node(lines.next(), budget)
        if node.witness is not None:
            if not path.is_full:
                raise Refused("early-leaf")
            n_strict += _check_leaf(path, node.witness, budget)
            n_cells += 1
        elif node.empty is not None:
            path.refute(node.empty)
        else:
            children = _children(path, node, complete=complete)
            if children:
                frames.append((node.neuron, children[::-1]))
        going = _advance(path, frames)
    lines.finish()
    if (n_cells, n_strict) != claimed:
        raise lines.at_next("wrong-count")
    return {"n_cells": n_cells, "n_strict": n_strict, "complete": complete}


def _check_pattern(problem: Problem, pattern: Sequence[int], *, full: bool = True) -> None:
    n_neurons = len(problem.n_pieces)
    if len(pattern) > n_neurons or (full and len(pattern) < n_neurons):
        raise Refused("wrong-pattern")
    if any(piece >= count for piece, count in zip(pattern, problem.n_pieces, strict=False)):
        raise Refused("wrong-pattern")


def _infeasible(problem: Problem, lines: Lines, budget: Budget) -> Statement:
    pattern = naturals(fields(lines.next(), ("pattern",))["pattern"])
    reason = _piece(fields(lines.next(), ("excluded",))["excluded"], budget, ("constant",))
    if not pattern:
        raise Refused("wrong-pattern")
    _check_pattern(problem, pattern, full=False)
    path = Path(problem, budget)
    path.follow(pattern[:-1])
    neuron = len(pattern) - 1
    legal = path.legal_piece(neuron)
    if isinstance(reason, str):
        _check_constant(legal, pattern[-1])
    else:
        path.refute(reason, (neuron, pattern[-1]))
    lines.finish()
    return {"patterns": (pattern,)}


def _point_in_cell(problem: Problem, lines: Lines, budget: Budget) -> Statement:
    claim = fields(lines.next(), ("pattern", "strict"))
    pattern, strict = naturals(claim["pattern"]), _truth(claim["strict"])
    witness = _witness(lines.next(), budget)
    _check_pattern(problem, pattern)
    path = Path(problem, budget)
    path.follow(pattern)
    if _check_leaf(path, witness, budget) != strict:
        raise Refused("wrong-count")
    lines.finish()
    return {"patterns": (pattern,), "strict": strict}


def _are_multiples(row: list[Int], others: Sequence[list[Int]], sign: int) -> bool:
    """Whether the others are multiples of a row by factors of this sign; the row's slope is not zero."""
    pivot = next(index for index, entry in enumerate(row) if entry != 0)
    return all(
        other[pivot] * row[pivot] * sign > 0
        and all(entry * row[pivot] == mine * other[pivot] for entry, mine in zip(other, row, strict=True))
        for other in others
    )


def _same_map(one: Path, other: Path) -> bool:
    (left, below_left), (right, below_right) = one.output(), other.output()
    return bool(left * below_right == right * below_left)


def _facet(problem: Problem, lines: Lines, budget: Budget) -> Statement:
    pair = entries(fields(lines.next(), ("patterns",))["patterns"], 2, _BAD)
    patterns = tuple([naturals(pattern) for pattern in pair])
    witness = _witness(lines.next(), budget)
    paths = []
    for pattern in patterns:
        _check_pattern(problem, pattern)
        paths.append(Path(problem, budget))
        paths[-1].follow(pattern)
    point = _point(paths[0], witness, budget)
    zero_rows = []
    for path in paths:
        zero_rows.append(path.zero_rows(point))
        if not zero_rows[-1]:
            raise Refused("not-a-facet")
    ours, theirs = zero_rows
    bits = max(entry.bit_length() for row in (*ours, *theirs) for entry in row)
    budget.spend(4 * (len(ours) + len(theirs)) * len(point), bits, bits)
    if not (_are_multiples(ours[0], ours, 1) and _are_multiples(ours[0], theirs, -1)):
        raise Refused("not-a-facet")
    if problem.kind == "merge" and not _same_map(*paths):
        raise Refused("maps-differ")
    lines.finish()
    return {"patterns": patterns}


STATEMENTS: dict[str, Callable[[Problem, Lines, Budget], Statement]] = {
    "regions": _regions,
    "infeasible": _infeasible,
    "point": _point_in_cell,
    "facet": _facet,
    "merge": _facet,
}
