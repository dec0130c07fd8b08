"""Patterns in, proof out: decide whether a list of patterns is exactly the list of cells.

A list of patterns is a tree: decide neurons one after another, each after its inputs, and send every pattern to the
child of its piece.  The list is complete and free of spurious entries iff every leaf has a witness and every absent
piece is refuted, by a Farkas vector or, if the neuron is constant on the path, by inspection (the theorems are in
``proofs_checks/checker.py``).  So the walk over the tree finds a proof or the counterexamples.

The tree is ours to choose.  At every node a neuron on which all patterns of the node agree is decided first: its
refutation then serves the whole subtree, and its rows are implied from there on, so that linear programs stay small.

Nobody is trusted: not the list, not the witnesses offered with it, not the float solver that proposes multipliers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from exactregions.certificates.branch import Branch, NamedRow, Point, own_problem
from exactregions.certificates.refute import Farkas, Refuter, inner_point
from exactregions.certificates.results import Counterexamples, Duplicate, Malformed, Missing, Proof, Spurious
from exactregions.certificates.writer import CertificateWriter
from exactregions.domains import Domain, WholeSpace
from exactregions.errors import InputError, ShapeError
from exactregions.network import Network
from exactregions.patterns import PatternCodec
from exactregions.rational import to_fractions

__all__ = ["prove"]

Index = NDArray[np.intp]
_Kind = TypeVar("_Kind", Missing, Spurious, Duplicate)


def prove(
    network: Network,
    domain: Domain | None,
    patterns: Iterable[object],
    *,
    witnesses: Sequence[object] | None = None,
    certificate: str | PathLike[str] | None = None,
    complete: bool = True,
    max_counterexamples: int = 100,
) -> Proof | Counterexamples:
    """Prove that a list of patterns has exactly the cells of a network on a domain, or say what is wrong with it.

    Parameters
    ----------
    network : Network
    domain : Domain or None
        The whole input space if None.
    patterns : iterable
        Sequences of pieces, one for each neuron, or strings such as ``"101|01"``; or an array of shape (n, N).  An
        empty list claims that the domain is empty.
    witnesses : sequence of points, optional
        For each pattern a point that may lie in its cell, in the domain's own coordinates.  Only a hint.
    certificate : path-like, optional
        Where to write the proof, if there is one; gzip if it ends in ``.gz``.
    complete : bool
        Whether the list claims to be complete.  If not, only spurious, repeated and malformed patterns are searched.
    max_counterexamples : int
        Stop after so many.

    Returns
    -------
    Proof or Counterexamples

    Raises
    ------
    InputError
        If the domain does not fit the network, or there is not one witness for each pattern.

    Examples
    --------
    >>> from exactregions import Network, WholeSpace
    >>> axes = Network([([[1, 0], [0, 1]], [0, 0])])
    >>> prove(axes, WholeSpace(2), ["00", "01", "10", "11"]).n_cells
    4
    >>> prove(axes, None, ["00", "01", "11"]).missing[0].pattern
    (1, 0)
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    if where.ambient_dim != network.input_dim:
        raise ShapeError(f"a domain for {where.ambient_dim} inputs, a network with {network.input_dim}")
    if max_counterexamples < 1:
        raise InputError("max_counterexamples is at least 1")
    table, positions, malformed = _read_patterns(PatternCodec.of(network), patterns)
    if not (complete or positions or malformed):
        raise InputError("an empty list that does not claim to be complete says nothing")
    hints = None if witnesses is None else list(witnesses)
    if hints is not None and len(hints) != len(positions) + len(malformed):
        raise ShapeError(f"{len(hints)} witnesses for {len(positions) + len(malformed)} patterns")
    if len(malformed) >= max_counterexamples:
        return Counterexamples(network, where, (), (), (), tuple(malformed[:max_counterexamples]), 0, False)
    with ExitStack() as stack:
        writer = None
        if certificate is not None and not malformed:
            writer = stack.enter_context(CertificateWriter(certificate, network, where))
        walk = _Walk(network, where, table, complete, max_counterexamples - len(malformed), writer)
        walk.positions, walk.hints = positions, hints
        walk.run()
        if walk.n_found or malformed:
            return Counterexamples(
                network,
                where,
                tuple(walk.missing),
                tuple(walk.spurious),
                tuple(walk.duplicates),
                tuple(malformed),
                walk.n_cells,
                not walk.stopped,
            )
        path = None
        if writer is not None:
            writer.finish(walk.n_cells, walk.n_strict, complete=complete)
            path = writer.path
    return Proof(network, where, walk.n_cells, walk.n_strict, complete, walk.n_refutations, path)


def _read_patterns(
    codec: PatternCodec, patterns: Iterable[object]
) -> tuple[NDArray[np.uint16], list[int], list[Malformed]]:
    """Return the patterns as a table, the place of each in the list, and the entries that are no patterns."""
    limits = np.array(codec.pieces, dtype=np.int64)
    if isinstance(patterns, np.ndarray) and patterns.ndim == 2 and patterns.dtype.kind in "iub":
        fits = patterns.shape[1] == codec.n_neurons
        if fits and bool(((patterns >= 0) & (patterns < limits)).all()):
            return patterns.astype(np.uint16), list(range(len(patterns))), []
    rows: list[tuple[int, ...]] = []
    positions: list[int] = []
    malformed: list[Malformed] = []
    for position, entry in enumerate(patterns):
        try:
            rows.append(codec.parse(entry) if isinstance(entry, str) else codec.check(_pieces(entry)))
            positions.append(position)
        except InputError as error:
            malformed.append(Malformed(position, str(entry)[:80], str(error)))
    return np.array(rows, dtype=np.uint16).reshape(len(rows), codec.n_neurons), positions, malformed


def _pieces(entry: object) -> list[int]:
    if not isinstance(entry, Iterable):
        raise InputError(f"a pattern is a sequence of pieces or a string, not a {type(entry).__name__}")
    pieces = list(entry)
    for piece in pieces:
        if not isinstance(piece, (int, np.integer, np.bool_)):
            raise InputError(f"a piece is an integer, not {piece!r}")
    return [int(piece) for piece in pieces]


@dataclass(frozen=True, slots=True)
class _Task:
    """A child to be visited: where it hangs, the patterns that go there, and a point of it if it was found absent."""

    depth: int
    neuron: int
    piece: int
    index: Index
    point: Point | None


@dataclass(slots=True)
class _Node:
    """What a node says of each piece of its neuron, and its children: piece, patterns, point if it was found absent."""

    neuron: int
    reasons: list[str | Farkas] = field(default_factory=list)
    children: list[tuple[int, Index, Point | None]] = field(default_factory=list)

    def add(self, piece: int, index: Index, point: Point | None) -> None:
        """Add a child."""
        self.reasons.append("child")
        self.children.append((piece, index, point))


class _Walk:
    """The walk over the tree of the patterns."""

    def __init__(
        self,
        network: Network,
        domain: Domain,
        table: NDArray[np.uint16],
        complete: bool,
        limit: int,
        writer: CertificateWriter | None,
    ) -> None:
        own_network, own_domain = own_problem(network, domain)
        self.branch = Branch(own_network, own_domain)
        self.refuter = Refuter(self.branch.dim)
        self.table, self.complete, self.limit, self.writer = table, complete, limit, writer
        self.positions: list[int] = []
        self.hints: list[object] | None = None
        self.tasks: list[_Task] = []
        self.missing: list[Missing] = []
        self.spurious: list[Spurious] = []
        self.duplicates: list[Duplicate] = []
        self.n_cells = self.n_strict = self.n_refutations = 0
        self.stopped = False

    @property
    def n_found(self) -> int:
        """Number of counterexamples."""
        return len(self.missing) + len(self.spurious) + len(self.duplicates)

    def run(self) -> None:
        """Visit the whole tree, or as much as the limit allows."""
        self.refuter.reset(self.branch.rows)
        point = None
        if not len(self.table):
            answer = inner_point(self.branch.rows, self.branch.dim)
            if isinstance(answer, dict):
                if self.writer is not None:
                    self.writer.dead_end(answer)
                return
            point = answer
        self._visit(np.arange(len(self.table)), point)
        while self.tasks and not self.stopped:
            task = self.tasks.pop()
            self.branch.rewind(task.depth)
            self.branch.decide(task.neuron, task.piece)
            self.refuter.reset(self.branch.rows)
            self._visit(task.index, task.point)

    def _visit(self, index: Index, point: Point | None) -> None:
        """Go down from the branch's node until it forks or ends; `index` are the patterns that lead here."""
        queue: list[int] = []
        while not self.branch.is_full:
            queue = queue or self._order(index)
            node = self._node(queue.pop(), index, point)
            if self.writer is not None and not self.n_found:
                self.writer.node(node.neuron, node.reasons)
            if len(node.children) != 1:
                depth = len(self.branch.decisions)
                self.tasks.extend(_Task(depth, node.neuron, *child) for child in reversed(node.children))
                return
            piece, index, point = node.children[0]
            implied = "open" not in node.reasons
            self.branch.decide(node.neuron, piece, implied=implied)
            if not implied:
                self.refuter.reset(self.branch.rows)
        self._leaf(index, point)

    def _order(self, index: Index) -> list[int]:
        """Return neurons to decide next, the last one first: those on which all patterns agree, or one to fork at."""
        neurons = self.branch.open_neurons()
        if not len(index):
            return neurons[::-1]
        block = self.table[np.ix_(index, np.array(neurons))]
        agree = np.flatnonzero((block == block[0]).all(axis=0))
        if len(agree):
            return [neurons[k] for k in agree[::-1]]
        largest = np.max([(block == piece).sum(axis=0) for piece in range(int(block.max()) + 1)], axis=0)
        return [neurons[int(largest.argmin())]]

    def _node(self, neuron: int, index: Index, point: Point | None) -> _Node:
        """Say what becomes of each piece of an open neuron."""
        column = self.table[index, neuron]
        legal = self.branch.legal_piece(neuron)
        node = _Node(neuron)
        present = [int(piece) for piece in np.unique(column)]
        for piece in range(self.branch.network.neurons[neuron].n_pieces):
            here = index[column == piece]
            if legal not in (None, piece):
                node.reasons.append("constant")
                self._note_constant(here, neuron)
            elif len(here):
                node.add(piece, here, None)
            elif not self.complete:
                node.reasons.append("open")
            else:
                rows = [] if legal == piece else self.branch.piece_rows(neuron, piece)
                if present and piece < present[0]:
                    rows.reverse()  # the upper side is the one that cannot be met
                answer = point if point is not None and _holds(rows, point) else self.refuter.exclude(rows)
                if isinstance(answer, dict):
                    self.n_refutations += 1
                    node.reasons.append(answer)
                else:
                    node.add(piece, here, answer)
        return node

    def _leaf(self, index: Index, point: Point | None) -> None:
        hints = [] if point is None else [point]
        places = [self.positions[k] for k in index]
        if self.hints is not None and places and (hint := self.hints[places[0]]) is not None:
            hints.append(to_fractions(hint, where=f"witness {places[0]}"))
        answer = inner_point(self.branch.rows, self.branch.dim, hints)
        pattern = self.branch.pattern
        if isinstance(answer, dict):
            if places:
                self._note(self.spurious, Spurious(places[0], pattern, answer))
        elif not places:
            self._note(self.missing, Missing(pattern, answer, self.branch.is_strict))
        else:
            self.n_cells += 1
            self.n_strict += self.branch.is_strict
            if self.writer is not None and not self.n_found:
                self.writer.leaf(answer)
        if len(places) > 1:
            self._note(self.duplicates, Duplicate(tuple(places), pattern))

    def _note_constant(self, index: Index, neuron: int) -> None:
        """Note the patterns that put a constant neuron on a piece where it is not."""
        seen: set[tuple[int, ...]] = set()
        for k in index:
            pattern = tuple(self.table[k].tolist())
            if pattern not in seen and not self.stopped:
                seen.add(pattern)
                self._note(self.spurious, Spurious(self.positions[k], pattern, None, neuron))

    def _note(self, found: list[_Kind], counterexample: _Kind) -> None:
        if self.n_found >= self.limit:
            self.stopped = True
        else:
            found.append(counterexample)


def _holds(rows: Sequence[NamedRow], point: Point) -> bool:
    return all(row.holds_at(point) for row in rows)
