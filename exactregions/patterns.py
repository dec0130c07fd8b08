"""Patterns: one piece for each neuron; parsed, printed, packed into rows of bits, sorted.

A pattern is printed layer by layer, ``101|01``; inside a layer pieces are separated by commas if any of its neurons has
a piece above 9.  In memory a list of patterns is a matrix of bytes, one row a pattern, each neuron taking as many bits
as its number of pieces needs (one for ReLU).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from exactregions.errors import FormatError, InputError, ShapeError
from exactregions.network.network import Network

__all__ = ["Pattern", "PatternCodec"]

Pattern = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PatternCodec:
    """How the patterns of a network are written and packed.

    Parameters
    ----------
    widths : tuple of int
        Number of neurons in each layer.
    pieces : tuple of int
        Number of pieces of every neuron.

    Examples
    --------
    >>> codec = PatternCodec((3, 2), (2, 2, 2, 2, 2))
    >>> codec.parse("101|01"), codec.format((1, 0, 1, 0, 1))
    ((1, 0, 1, 0, 1), '101|01')
    """

    widths: tuple[int, ...]
    pieces: tuple[int, ...]

    @classmethod
    def of(cls, network: Network) -> PatternCodec:
        """Return the codec for a network's patterns."""
        return cls(network.widths, tuple(phi.n_pieces for phi in network.neurons))

    @property
    def n_neurons(self) -> int:
        """Length of a pattern."""
        return len(self.pieces)

    @property
    def n_bytes(self) -> int:
        """Bytes of a packed pattern."""
        return -(-sum(self._bits()) // 8)

    def _bits(self) -> list[int]:
        return [max(1, (count - 1).bit_length()) for count in self.pieces]

    def _layers(self) -> list[tuple[int, int]]:
        return list(pairwise((0, *accumulate(self.widths))))

    def format(self, pattern: Sequence[int]) -> str:
        """Print a pattern."""
        parts = []
        for start, stop in self._layers():
            separator = "," if max(self.pieces[start:stop], default=0) > 10 else ""
            parts.append(separator.join(str(int(piece)) for piece in pattern[start:stop]))
        return "|".join(parts)

    def parse(self, text: str, *, where: str | None = None) -> Pattern:
        """Read a printed pattern.

        Raises
        ------
        FormatError
            If it does not have a piece for every neuron, or a piece that its neuron does not have.
        """
        parts = text.strip().split("|") if self.widths else []
        if len(parts) != len(self.widths) or (not self.widths and text.strip()):
            raise FormatError(f"pattern {text[:60]!r} has {len(parts)} layers, not {len(self.widths)}", where=where)
        pattern: list[int] = []
        for part, (start, stop) in zip(parts, self._layers(), strict=True):
            digits = part.split(",") if "," in part or max(self.pieces[start:stop], default=0) > 10 else list(part)
            if len(digits) != stop - start or not all(d.isascii() and d.isdigit() and len(d) < 10 for d in digits):
                raise FormatError(
                    f"layer {part[:60]!r} of the pattern does not give a piece to each of {stop - start} neurons",
                    where=where,
                )
            pattern.extend(map(int, digits))
        return self.check(pattern, where=where)

    def check(self, pattern: Iterable[int], *, where: str | None = None) -> Pattern:
        """Return the pattern as a tuple if every neuron has the piece it names."""
        given = tuple(pattern)
        if len(given) != self.n_neurons:
            raise ShapeError(f"a pattern of {len(given)} pieces for {self.n_neurons} neurons", where=where)
        for neuron, (piece, count) in enumerate(zip(given, self.pieces, strict=True)):
            if not isinstance(piece, (int, np.integer)) or not 0 <= piece < count:
                raise InputError(f"no piece {piece} at neuron {neuron}, which has {count}", where=where)
        return tuple(int(piece) for piece in given)

    def pack(self, patterns: Sequence[Sequence[int]] | NDArray[np.integer]) -> NDArray[np.uint8]:
        """Pack patterns into bits: shape (n, n_bytes), first neuron first, most significant bit first."""
        table = np.asarray(patterns, dtype=np.int64).reshape(len(patterns), self.n_neurons)
        if not self.n_neurons:
            return np.zeros((len(patterns), 0), np.uint8)
        columns = [
            (table[:, neuron] >> shift) & 1
            for neuron, bits in enumerate(self._bits())
            for shift in reversed(range(bits))
        ]
        return np.packbits(np.stack(columns, axis=1).astype(np.uint8), axis=1)

    def unpack(self, packed: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """Return the pieces, shape (n, n_neurons)."""
        bits = self._bits()
        flat = np.unpackbits(packed, axis=1, count=sum(bits)) if bits else np.zeros((len(packed), 0), np.uint8)
        table = np.zeros((len(packed), self.n_neurons), np.uint16)
        for neuron, (start, stop) in enumerate(pairwise((0, *accumulate(bits)))):
            for column in range(start, stop):
                table[:, neuron] = (table[:, neuron] << 1) | flat[:, column]
        return table

    def order(self, packed: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Return the permutation that sorts packed patterns lexicographically, first neuron first."""
        if not packed.shape[1]:
            return np.arange(len(packed))
        return np.lexsort(packed.T[::-1])
