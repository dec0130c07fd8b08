"""Which cells share a facet: every cell names the rows that are its facets, and each name must be met from both sides.

Let row r (one breakpoint of one neuron) vanish on a facet F of cell C and on a facet G of cell D, and let the patterns
of C and D differ in that breakpoint alone.  Then F = G.  For let H be {r = 0}, a hyperplane: r has the same form on C
and D, since only earlier layers enter, where they agree.  Take any other row q, and let the rows before its layer have
the same *states* (a side, or zero) on F and G.  By continuity these states give q on either facet as a form on H,
whichever cell it is seen from, so it is one form.  If it is zero, q is zero on both; if not, q is not zero inside F and
G, and on the side that the common pattern says.  So all states agree, and a state holds on one face only
(`exactregions.regions.faces`).  Conversely, the cell beyond a facet on which r alone vanishes has that pattern.
Nothing is assumed of the other rows that vanish on F: a pair that is found this way is right.

So facets are joined by sorting: a name is the row and the pattern of the side below.  It is hashed to 64 bits, by a
code that is linear over GF(2), so that flipping a row is one operation; what the hash proposes is compared in full.

What is left are facets on which several neurons change piece, or cease to be degenerate, and, if the search was
stopped, those with no cell listed beyond.  Their cells' inequalities are computed, and the exact state on the facet is
its name (`exactregions.regions.adjacency`).  In a complete list each facet has two sides; one that has not proves a
fault of the search, and no result is given.  (The domain without the faces of codimension 2 is connected, so a list
that is closed in this sense, with the right facets, lacks no cell.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.errors import UndecidedError
from exactregions.lp.facets import find_facets
from exactregions.patterns import PatternCodec
from exactregions.regions.adjacency import facet_name
from exactregions.regions.inequalities import inequalities

__all__ = ["Facets", "HalfFacets", "facets_of_cells", "join"]

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
_BLOCK = 1 << 16  # facets compared at once


@dataclass(frozen=True, slots=True)
class Facets:
    """Pairs of cells that share a facet inside the domain, with the neurons that change piece across it.

    Attributes
    ----------
    pairs : int64 array (n_facets, 2)
        Indices of cells (i, j), i < j, sorted.
    starts : int64 array (n_facets + 1,)
        Facet k is crossed by ``neurons[starts[k] : starts[k + 1]]``.
    neurons : int32 array
        Neurons, numbered layer by layer; increasing for each facet.
    """

    pairs: Ints
    starts: Ints
    neurons: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.pairs)

    def neurons_of(self, facet: int) -> tuple[int, ...]:
        """Return the neurons that change piece across a facet."""
        return tuple(self.neurons[self.starts[facet] : self.starts[facet + 1]].tolist())


@dataclass(frozen=True, slots=True)
class HalfFacets:
    """Facets as their cells see them, in any order.

    Attributes
    ----------
    cells : int64 array (n,)
        Indices of cells.
    rows : int64 array (n,)
        The row that vanishes, numbered through all layers.
    """

    cells: Ints
    rows: Ints

    def __len__(self) -> int:
        return len(self.cells)


class _Rows:
    """The rows of a problem: which neuron's breakpoints they are, and what crossing one does to a packed pattern."""

    def __init__(self, problem: HomogeneousProblem) -> None:
        codec = PatternCodec.of(problem.network)
        neurons: list[int] = []
        marks: list[int] = []
        for layer, first in zip(problem.layers, (0, *accumulate(codec.widths)), strict=False):
            for row, place in enumerate(layer.neurons):
                same = row > 0 and layer.neurons[row - 1] == place
                neurons.append(first + place)
                marks.append(marks[-1] + 1 if same else 0)
        self.neuron, self.mark = np.array(neurons, np.int64), np.array(marks, np.int64)
        widths = [max(1, (count - 1).bit_length()) for count in codec.pieces]
        self.width = np.array(widths, np.int64)
        self.first_bit = np.array([0, *accumulate(widths)], np.int64)[:-1]
        self.flips = np.zeros((len(neurons), codec.n_bytes), np.uint8)
        for row, (neuron, mark) in enumerate(zip(neurons, marks, strict=True)):
            for bit in range(widths[neuron]):
                if (mark ^ (mark + 1)) >> (widths[neuron] - 1 - bit) & 1:
                    at = int(self.first_bit[neuron]) + bit
                    self.flips[row, at // 8] |= 128 >> at % 8

    def above(self, patterns: Bytes, halves: HalfFacets) -> NDArray[np.bool_]:
        """Whether each cell is above its facet's breakpoint."""
        if self.width.max(initial=1) == 1:
            return self._bit(patterns, halves, 0).astype(np.bool_)
        marks, widths = self.mark[halves.rows], self.width[self.neuron[halves.rows]]
        pieces = np.zeros(len(halves), np.int64)
        for bit in range(int(widths.max(initial=0))):
            value = self._bit(patterns, halves, bit)
            pieces = np.where(bit < widths, 2 * pieces + value, pieces)
        if bool(((pieces != marks) & (pieces != marks + 1)).any()):
            raise UndecidedError("internal error: a facet lies on a breakpoint that its cell does not reach")
        return pieces > marks

    def _bit(self, patterns: Bytes, halves: HalfFacets, bit: int) -> Bytes:
        """A bit of the piece of each half facet's neuron, or of the last one that it has."""
        at = self.first_bit[self.neuron] + np.minimum(bit, self.width[self.neuron] - 1)
        byte, shift = at >> 3, (7 - (at & 7)).astype(np.uint8)
        found: Bytes = (patterns[halves.cells, byte[halves.rows]] >> shift[halves.rows]) & np.uint8(1)
        return found


def join(
    problem: HomogeneousProblem,
    patterns: Bytes,
    halves: HalfFacets,
    *,
    complete: bool,
) -> Facets:
    """Join the facets that cells see to pairs of cells.

    Parameters
    ----------
    problem : HomogeneousProblem
    patterns : uint8 array (n_cells, n_bytes)
        Packed, distinct and sorted.
    halves : HalfFacets
        All facets of all cells inside the domain, each once.
    complete : bool
        Whether all cells are listed, so that every facet must have both its sides.

    Raises
    ------
    UndecidedError
        If a facet has one side only though the list is complete, or more than two.
    """
    rows = _Rows(problem)
    above = rows.above(patterns, halves)
    below_of, above_of = _proposals(rows, patterns, halves, above)
    sure = np.zeros(len(below_of), np.bool_)
    words, flips = _as_words(patterns), _as_words(rows.flips)
    for start in range(0, len(below_of), _BLOCK):
        part = slice(start, start + _BLOCK)
        low, high = below_of[part], above_of[part]
        same = halves.rows[low] == halves.rows[high]
        change = words[halves.cells[low]] ^ words[halves.cells[high]]
        sure[part] = same & (change == flips[halves.rows[low]]).all(axis=1)
    below_of, above_of = below_of[sure], above_of[sure]
    left = np.ones(len(halves), np.bool_)
    left[below_of] = left[above_of] = False
    pairs = np.stack([halves.cells[below_of], halves.cells[above_of]], axis=1)  # sorted, as patterns are
    single = rows.neuron[halves.rows[below_of]].astype(np.int32)
    rest = HalfFacets(halves.cells[left], halves.rows[left])
    more, several = _join_by_name(problem, patterns, rest, rows, complete=complete)
    return _sorted(len(patterns), np.concatenate([pairs, more]), single, several)


def _proposals(rows: _Rows, patterns: Bytes, halves: HalfFacets, above: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Pairs of half facets, one below and one above, with the same hash that no third one has."""
    rng = np.random.default_rng(0)  # a choice of code, which decides nothing
    code = rng.integers(0, 1 << 64, (8 * patterns.shape[1], 1), np.uint64)
    salt = rng.integers(0, 1 << 64, len(rows.neuron), np.uint64)
    keys = _hashes(patterns, code)[halves.cells] ^ salt[halves.rows]
    keys ^= np.where(above, _hashes(rows.flips, code)[halves.rows], np.uint64(0))
    order = np.argsort(keys)
    keys = keys[order]
    equal = np.concatenate([[False], keys[1:] == keys[:-1], [False]])
    first = np.flatnonzero(equal[1:-1] & ~equal[:-2] & ~equal[2:])
    one, two = order[first], order[first + 1]
    opposite = above[one] != above[two]
    one, two = one[opposite], two[opposite]
    upper = above[one]
    return np.where(upper, two, one).astype(np.int64), np.where(upper, one, two).astype(np.int64)


def _hashes(table: Bytes, code: Words) -> Words:
    """Hash rows of bits, linearly: the exclusive or of the code words of the bits that are set."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.bool_)
    found = np.zeros(len(table), np.uint64)
    for place in range(table.shape[1]):
        words = np.bitwise_xor.reduce(np.where(bits, code[8 * place : 8 * place + 8, 0], np.uint64(0)), axis=1)
        found ^= words[table[:, place]]
    return found


def _as_words(table: Bytes) -> Words:
    """Return rows of bytes as rows of 64-bit words, which compare faster."""
    padded = np.zeros((len(table), -(-table.shape[1] // 8) * 8), np.uint8)
    padded[:, : table.shape[1]] = table
    return padded.view(np.uint64)


def _join_by_name(
    problem: HomogeneousProblem, patterns: Bytes, halves: HalfFacets, rows: _Rows, *, complete: bool
) -> tuple[Ints, list[list[int]]]:
    """Join half facets by their states, exactly; return the pairs, and the neurons that change piece."""
    codec = PatternCodec.of(problem.network)
    sides: dict[object, list[int]] = {}
    order = np.argsort(halves.cells, kind="stable")
    cells, begins = np.unique(halves.cells[order], return_index=True)
    table = codec.unpack(patterns[cells]).tolist()
    for index, pattern, own in zip(cells.tolist(), table, np.split(halves.rows[order], begins[1:]), strict=False):
        cell = inequalities(problem.network, problem.domain, pattern)
        places = {side[:2]: place for place, several in enumerate(cell.sides) for side in several}
        for row in own.tolist():
            place = places.get((int(rows.neuron[row]), int(rows.mark[row])))
            if place is None or not cell.is_wall(place):
                raise UndecidedError(f"internal error: cell {index} has a facet on row {row}, but no wall")
            name, upper = facet_name(cell, place, pattern)
            pair = sides.setdefault(name, [-1, -1])
            if pair[upper] >= 0:
                raise UndecidedError(f"internal error: cells {pair[upper]}, {index} claim the same side of one facet")
            pair[upper] = index
    found = [pair for pair in sides.values() if min(pair) >= 0]
    if complete and len(found) < len(sides):
        single = max(next(pair for pair in sides.values() if min(pair) < 0))
        raise UndecidedError(f"internal error: no cell was found beyond a facet of cell {single}")
    pairs = np.sort(np.array(found, np.int64).reshape(len(found), 2), axis=1)
    tables = codec.unpack(patterns[pairs[:, 0]]), codec.unpack(patterns[pairs[:, 1]])
    return pairs, [np.flatnonzero(change).tolist() for change in tables[0] != tables[1]]


def _sorted(n_cells: int, pairs: Ints, single: NDArray[np.int32], several: list[list[int]]) -> Facets:
    """Sort pairs, with their neurons: one for each of the first, and those of the others."""
    names = pairs[:, 0] * n_cells + pairs[:, 1]
    order = np.argsort(names)
    pairs, names = pairs[order], names[order]
    if bool((names[1:] == names[:-1]).any()):
        raise UndecidedError("internal error: two cells share two facets")
    if not several:
        return Facets(pairs, np.arange(len(pairs) + 1), single[order])
    counts = np.concatenate([np.ones(len(single), np.int64), np.array([len(own) for own in several], np.int64)])
    flat = np.concatenate([single, np.array([neuron for own in several for neuron in own], np.int32)])
    begins, counts = (np.cumsum(counts) - counts)[order], counts[order]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], counts)
    return Facets(pairs, starts, flat[places])


def facets_of_cells(
    problem: HomogeneousProblem,
    patterns: Bytes,
    points: NDArray[np.float64],
    exact_points: Mapping[int, tuple[Fraction, ...]],
    cells: Ints,
) -> HalfFacets:
    """Find the facets of some cells from their inequalities, where the kernel does not tell: slow, and exact."""
    rows = _Rows(problem)
    numbers = {wall: row for row, wall in enumerate(zip(rows.neuron.tolist(), rows.mark.tolist(), strict=True))}
    table = PatternCodec.of(problem.network).unpack(patterns[cells])
    found: list[tuple[int, int]] = []
    for index, pattern in zip(cells.tolist(), table.tolist(), strict=True):
        point = exact_points.get(index) or tuple(map(Fraction, points[index].tolist()))
        cell = inequalities(problem.network, problem.domain, pattern)
        own = [facet.row for facet in find_facets(cell.matrix, point) if cell.is_wall(facet.row)]
        found += [(index, numbers[cell.sides[row][0][:2]]) for row in own]
    flat = np.array(found, np.int64).reshape(len(found), 2)
    return HalfFacets(flat[:, 0], flat[:, 1])
