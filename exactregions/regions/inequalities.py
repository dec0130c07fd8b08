"""The inequalities of a cell: one integer row for each side of each neuron's piece, and the domain's rows.

On a pattern every pre-activation is one affine form z_i (Lemma Z of the mathematical notes: by induction over layers).
Neuron i on piece k contributes z_i - xi_k > 0 (if k > 0) and xi_k+1 - z_i > 0 (if k < T).  A form that is constant
contributes no row: its value must lie in the piece, and if it *is* the piece's right breakpoint the neuron is
degenerate on the cell.  Rows are primitive integer vectors, so coincident walls are equal rows and share one entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from exactregions.domains import Domain
from exactregions.network import Network
from exactregions.network.forward import on_pattern
from exactregions.rational import IntMatrix, RationalMatrix, integer_row, primitive

__all__ = ["CellInequalities", "Side", "inequalities"]

Row = tuple[int, ...]


class Side(NamedTuple):
    """Where a row comes from.

    Attributes
    ----------
    neuron : int
        The neuron, or -1 for a row of the domain.
    breakpoint : int
        Index of the neuron's breakpoint, or of the domain's row.
    above : bool
        Whether the cell lies above the breakpoint (always True for the domain).
    """

    neuron: int
    breakpoint: int
    above: bool


@dataclass(frozen=True, slots=True)
class CellInequalities:
    """The open polyhedron of a pattern.

    Attributes
    ----------
    rows : tuple of integer rows (a_1, ..., a_d, c)
        Distinct primitive rows, each meaning a.x + c > 0; the domain's come last.
    sides : tuple of tuples of Side
        What each row stands for: several sides where walls coincide.
    degenerate : tuple of int
        Neurons whose pre-activation is identically a breakpoint.
    matrix : IntMatrix
        The rows as a matrix.
    contradiction : int or None
        A neuron whose constant pre-activation is not on its piece: then the pattern has no cell.
    """

    rows: tuple[Row, ...]
    sides: tuple[tuple[Side, ...], ...]
    degenerate: tuple[int, ...]
    matrix: IntMatrix
    contradiction: int | None = None

    def is_wall(self, index: int) -> bool:
        """Whether row `index` is a wall inside the domain: no side of the domain runs along it."""
        return all(side.neuron >= 0 for side in self.sides[index])

    def holds_at(self, point: Sequence[Fraction]) -> bool:
        """Whether a point satisfies every row strictly."""
        numerators, scale = integer_row(point)
        column = IntMatrix(len(numerators) + 1, 1, [*numerators, scale])
        return all(value > 0 for value in (self.matrix * column).entries())


def inequalities(network: Network, domain: Domain, pattern: Sequence[int]) -> CellInequalities:
    """Return the inequalities of a pattern in the coordinates of the domain, which must fit the network."""
    collected: dict[Row, list[Side]] = {}
    degenerate: list[int] = []
    contradiction: int | None = None
    neuron = 0
    for forms in on_pattern(network, pattern).pre_activations:
        for row in forms.numerators.tolist():
            phi, piece = network.neurons[neuron], pattern[neuron]
            form = tuple(map(int, row))
            if any(form[:-1]):
                if piece > 0:
                    _collect(collected, form, forms, phi.breakpoints[piece - 1], Side(neuron, piece - 1, True))
                if piece < len(phi.breakpoints):
                    _collect(collected, form, forms, phi.breakpoints[piece], Side(neuron, piece, False))
            else:
                value = Fraction(form[-1], forms.denominator)
                if phi.piece_of(value) != piece:
                    contradiction = neuron if contradiction is None else contradiction
                elif value in phi.breakpoints:
                    degenerate.append(neuron)
            neuron += 1
    for index, side in enumerate(domain.integer_rows()):
        if any(side[:-1]) or side[-1] <= 0:
            collected.setdefault(primitive(side), []).append(Side(-1, index, True))
    matrix = IntMatrix(len(collected), domain.dim + 1, [entry for row in collected for entry in row])
    return CellInequalities(
        tuple(collected), tuple(map(tuple, collected.values())), tuple(degenerate), matrix, contradiction
    )


def _collect(collected: dict[Row, list[Side]], form: Row, forms: RationalMatrix, mark: Fraction, side: Side) -> None:
    if mark:
        form = (
            *[a * mark.denominator for a in form[:-1]],
            form[-1] * mark.denominator - mark.numerator * forms.denominator,
        )
    row = primitive(form if side.above else [-a for a in form])
    collected.setdefault(row, []).append(side)
