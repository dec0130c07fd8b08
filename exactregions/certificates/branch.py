"""A path of decisions: which neurons have which pieces, and what follows from it exactly.

Deciding neurons one after another, each after all neurons of the layer before, keeps every pre-activation whose inputs
are decided an affine form.  A `Branch` holds these forms and the path's rows, can be rewound, and knows the name of
each row in a certificate (``proofs_checks/FORMAT.md``).

Only rows that cut are kept: if all other pieces of a neuron are refuted, its rows are implied by those before it, so
that no later proof needs to cite them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.domains import Domain, Slice
from exactregions.network import Network
from exactregions.rational import IntMatrix, RationalMatrix, integer_row, primitive

__all__ = ["Branch", "NamedRow", "Point", "own_problem"]

Point = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row of a path.

    Attributes
    ----------
    name : str
        As certificates cite it.
    entries : tuple of int
        Primitive integers (a_1, ..., a_d, c), meaning a.t + c > 0.
    factor : Fraction
        `entries` is the row as certificates define it, times this positive number.
    """

    name: str
    entries: tuple[int, ...]
    factor: Fraction

    @classmethod
    def scaled(cls, name: str, row: Sequence[int], denominator: int) -> NamedRow:
        """Make a row from integers over a denominator."""
        entries = primitive(row)
        pivot = next((k for k, entry in enumerate(entries) if entry), None)
        factor = Fraction(1) if pivot is None else Fraction(entries[pivot] * denominator, row[pivot])
        return cls(name, entries, factor)

    def holds_at(self, point: Sequence[Fraction]) -> bool:
        """Whether a point satisfies the row."""
        numerators, scale = integer_row(point)
        return sum(a * x for a, x in zip(self.entries, (*numerators, scale), strict=True)) > 0


@dataclass(frozen=True, slots=True)
class _Decision:
    neuron: int
    piece: int
    n_rows: int  # before it
    degenerate: bool


def own_problem(network: Network, domain: Domain) -> tuple[Network, Domain]:
    """Return the network on the domain's own coordinates, and the domain in them."""
    if isinstance(domain, Slice):
        matrix = domain.lift_matrix()
        if matrix is not None:
            return network.composed_with(matrix), domain.inner
    return network, domain


class Branch:
    """Decisions on the way from the root to a node, and the rows that hold there.

    Parameters
    ----------
    network, domain : Network, Domain
        In the domain's own coordinates: see `own_problem`.

    Examples
    --------
    >>> from exactregions import Network, WholeSpace
    >>> branch = Branch(Network([([[2]], ["1/3"])]), WholeSpace(1))
    >>> branch.decide(0, 1)
    >>> branch.rows[0].name, branch.rows[0].entries, branch.is_full
    ('L0', (6, 1), True)
    """

    def __init__(self, network: Network, domain: Domain) -> None:
        self.network = network
        self.dim = domain.dim
        self.rows: list[NamedRow] = []
        self.pieces: dict[int, int] = {}
        self.decisions: list[_Decision] = []
        self._forms: list[list[tuple[int, ...]]] = []
        self._scales: list[int] = []
        for number, row in enumerate(domain.rational_rows()):
            entries, scale = integer_row(row)
            if any(entries[:-1]) or entries[-1] <= 0:
                self.rows.append(NamedRow.scaled(f"d{number}", entries, scale))
        size = self.dim + 1
        self._open(RationalMatrix(IntMatrix(size, size, [int(i == j) for i in range(size) for j in range(size)])))

    @property
    def is_full(self) -> bool:
        """Whether all neurons are decided."""
        return len(self.decisions) == self.network.n_neurons

    @property
    def is_strict(self) -> bool:
        """Whether no decided neuron is degenerate."""
        return not any(decision.degenerate for decision in self.decisions)

    @property
    def pattern(self) -> tuple[int, ...]:
        """The pieces of all neurons, all being decided."""
        return tuple([self.pieces[neuron] for neuron in range(self.network.n_neurons)])

    def open_neurons(self) -> list[int]:
        """Return the neurons that may be decided next: the undecided ones of the first layer that has some."""
        layer = len(self._forms) - 1
        if layer == len(self.network.layers):
            return []
        starts = self.network.layer_starts
        return [neuron for neuron in range(starts[layer], starts[layer + 1]) if neuron not in self.pieces]

    def _open(self, signal: RationalMatrix) -> None:
        """Compute the forms of the next layer from its inputs, the constant 1 being the last of them."""
        layer = len(self._forms)
        if layer == len(self.network.layers):
            self._forms.append([])
            self._scales.append(1)
            return
        forms = self.network.layers[layer].matrix @ signal
        self._forms.append([tuple(map(int, row)) for row in forms.numerators.tolist()])
        self._scales.append(int(forms.denominator))

    def _form(self, neuron: int) -> tuple[tuple[int, ...], int]:
        layer = len(self._forms) - 1
        return self._forms[layer][neuron - self.network.layer_starts[layer]], self._scales[layer]

    def legal_piece(self, neuron: int) -> int | None:
        """Return the only piece of an open neuron that is constant here; None if it is not constant."""
        form, scale = self._form(neuron)
        return None if any(form[:-1]) else self.network.neurons[neuron].piece_of(Fraction(form[-1], scale))

    def piece_rows(self, neuron: int, piece: int) -> list[NamedRow]:
        """Return the rows that hold an open neuron, which is not constant here, on a piece."""
        form, scale = self._form(neuron)
        marks = self.network.neurons[neuron].breakpoints
        rows = []
        for letter, sign, number in (("L", 1, piece - 1), ("U", -1, piece)):
            if 0 <= number < len(marks):
                over, under = marks[number].numerator, marks[number].denominator
                row = [sign * under * entry for entry in form]
                row[-1] -= sign * over * scale
                rows.append(NamedRow.scaled(f"{letter}{neuron}", row, under * scale))
        return rows

    def decide(self, neuron: int, piece: int, *, implied: bool = False) -> None:
        """Give an open neuron a piece (a constant one, its legal piece).

        Parameters
        ----------
        neuron, piece : int
        implied : bool
            Whether all its other pieces are refuted, so that its rows need not be kept.
        """
        before = len(self.rows)
        degenerate = False
        if self.legal_piece(neuron) is None:
            if not implied:
                self.rows.extend(self.piece_rows(neuron, piece))
        else:
            form, scale = self._form(neuron)
            degenerate = Fraction(form[-1], scale) in self.network.neurons[neuron].breakpoints
        self.decisions.append(_Decision(neuron, piece, before, degenerate))
        self.pieces[neuron] = piece
        layer = len(self._forms) - 1
        if len(self.decisions) == self.network.layer_starts[layer + 1]:
            self._open(self._signal(layer))

    def _signal(self, layer: int) -> RationalMatrix:
        """Return the activations of a decided layer, and 1, as forms."""
        table = self.network.integer_activations[layer]
        one = self._scales[layer]
        flat: list[int] = []
        for place, (form, phi) in enumerate(zip(self._forms[layer], table.neurons, strict=True)):
            slope, offset = phi.terms[self.pieces[self.network.layer_starts[layer] + place]]
            flat.extend([slope * entry for entry in form])
            flat[-1] += offset * one
        flat.extend([0] * self.dim)
        flat.append(one * table.scale)
        return RationalMatrix(IntMatrix(len(table.neurons) + 1, self.dim + 1, flat), one * table.scale)

    def rewind(self, depth: int) -> None:
        """Take back all decisions after the first `depth`."""
        if depth == len(self.decisions):
            return
        first = self.decisions[depth]
        for decision in self.decisions[depth:]:
            del self.pieces[decision.neuron]
        del self.rows[first.n_rows :], self.decisions[depth:]
        layer, _ = self.network.layer_of(first.neuron)
        del self._forms[layer + 1 :], self._scales[layer + 1 :]
