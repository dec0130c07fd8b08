"""Neurons that never change piece on a domain, found exactly, and the bound of Serra et al. sharpened by them.

A neuron is *stable* if its pattern entry is the same in all cells.  Only unstable neurons cut.  So with u neurons of a
layer unstable and a of them stable on a sloping piece, a cell with an image of dimension d has at most C(u, j)
sub-cells with j unstable neurons off, j <= d, whose image has dimension at most a + u - j; and no more than the rank of
the weights.  This is the argument of Serra, Tjandraatmadja and Ramalingam 2018 with the stable neurons taken out of it;
with none stable and full ranks it is their bound.  For activations constant on no piece it is Montufar's of 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.analysis.bound import Bound, Kind, Notion
from exactregions.analysis.shapes import Shape
from exactregions.analysis.upper_bounds import gamma_montufar, gamma_serra
from exactregions.domains import Domain, WholeSpace
from exactregions.enumeration import enumerate_regions
from exactregions.enumeration.reduce import check_fit, in_own_coordinates
from exactregions.errors import InputError, UndecidedError
from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.network import Network
from exactregions.rational import RationalMatrix, integer_row
from exactregions.regions import RegionComplex, Status

__all__ = ["StableNeurons", "serra_with_stable_neurons", "stable_neurons"]


@dataclass(frozen=True, slots=True)
class StableNeurons:
    """For every neuron, the piece that it keeps, or None if it changes.

    Attributes
    ----------
    pieces : tuple of (int or None)
    widths : tuple of int
    """

    pieces: tuple[int | None, ...]
    widths: tuple[int, ...]

    @property
    def n_stable(self) -> int:
        """Number of stable neurons."""
        return sum(piece is not None for piece in self.pieces)

    def layer(self, index: int) -> tuple[int | None, ...]:
        """Return the entries of one layer, counted from 0."""
        start = sum(self.widths[:index])
        return self.pieces[start : start + self.widths[index]]


def stable_neurons(network: Network, domain: Domain | None = None, *, max_cells: int | None = None) -> StableNeurons:
    """Decide for every neuron whether it changes piece between cells of the domain.

    The cells of all layers but the last are listed; in each, a linear program proves on which pieces each neuron of the
    last layer can be.  Nothing is relaxed, so a neuron is called stable iff it is.

    Parameters
    ----------
    network : Network
    domain : Domain, optional
        The whole space by default.
    max_cells : int, optional
        Raise `UndecidedError` if the layers before the last have more cells than that.

    Examples
    --------
    >>> from exactregions import Box
    >>> net = Network([([[1], [1]], [0, 3]), ([[1, 0], [-1, -1]], [1, 0])])
    >>> stable_neurons(net, Box([-1], [1])).pieces
    (None, 1, 1, 0)
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    check_fit(network, where)
    if not network.layers:
        return StableNeurons((), ())
    whole, inner = in_own_coordinates(network, where)
    before = Network.from_parts(whole.layers[:-1], whole.activations[:-1], None, whole.input_dim)
    cells = enumerate_regions(before, inner, max_cells=max_cells)
    if cells.status is not Status.EXACT:
        raise UndecidedError(f"the layers before the last have more than {max_cells} cells", remedy="raise max_cells")
    seen = [set[int]() for _ in whole.neurons]
    for index, pattern in enumerate(cells.patterns()):
        for neuron, piece in enumerate(pattern):
            seen[neuron].add(piece)
        _look(whole, cells, index, pattern, seen)
    return StableNeurons(tuple(next(iter(found)) if len(found) == 1 else None for found in seen), network.widths)


def _look(whole: Network, cells: RegionComplex, index: int, pattern: Sequence[int], seen: list[set[int]]) -> None:
    """Add the pieces that neurons of the last layer take in one cell of the earlier layers."""
    undecided = [k for k in range(len(pattern), whole.n_neurons) if len(seen[k]) < whole.neurons[k].n_pieces]
    if not undecided:
        return
    forms = whole.forms((*pattern, *(0,) * (whole.n_neurons - len(pattern))))[-1].to_fractions()
    system = StrictSystem.from_rows(cells.inequalities_of(pattern).rows, whole.input_dim)
    witness = cells.witnesses[index]
    for neuron in undecided:
        phi, form = whole.neurons[neuron], forms[neuron - len(pattern)]
        value = sum((a * x for a, x in zip(form, witness, strict=False)), form[-1])
        if value not in phi.breakpoints or not any(form[:-1]):
            seen[neuron].add(phi.piece_of(value))
        for piece in set(range(phi.n_pieces)) - seen[neuron] if any(form[:-1]) else ():
            rows = _sides(phi.breakpoints, piece, form)
            if isinstance(solve(system.with_rows(rows)), Feasible):
                seen[neuron].add(piece)


def _sides(breakpoints: Sequence[Fraction], piece: int, form: Sequence[Fraction]) -> list[tuple[int, ...]]:
    """Return the strict inequalities that put a form on a piece."""
    sides = []
    if piece > 0:
        sides.append((*form[:-1], form[-1] - breakpoints[piece - 1]))
    if piece < len(breakpoints):
        sides.append((*[-a for a in form[:-1]], breakpoints[piece] - form[-1]))
    return [integer_row(side)[0] for side in sides]


def serra_with_stable_neurons(
    network: Network, domain: Domain | None = None, *, stable: StableNeurons | None = None, max_cells: int | None = None
) -> Bound:
    """Bound the cells of one network on a domain by its unstable neurons and the ranks of its weights.

    Parameters
    ----------
    network : Network
    domain : Domain, optional
        The whole space by default.
    stable : StableNeurons, optional
        As `stable_neurons` returns them for the same network and domain, if they are known already.
    max_cells : int, optional
        Limit for `stable_neurons`.

    Examples
    --------
    >>> from exactregions import Box
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, 5]), ([[1, 1, 1]], [-6])])
    >>> serra_with_stable_neurons(net, Box([-1, -1], [1, 1])).value
    8
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    found = stable_neurons(network, where, max_cells=max_cells) if stable is None else stable
    if found.widths != network.widths:
        raise InputError(f"stable neurons of widths {found.widths} for a network of widths {network.widths}")
    own, _ = in_own_coordinates(network, where)
    shape = Shape.of(own)
    counts = {own.input_dim: 1}
    for index, layer in enumerate(own.layers):
        pieces = found.layer(index)
        unstable = sum(piece is None for piece in pieces)
        sloping = sum(
            piece is not None and phi.slopes[piece] != 0
            for piece, phi in zip(pieces, own.activations[index], strict=True)
        )
        rank = RationalMatrix.from_rows(layer.weights).rank()
        after: dict[int, int] = {}
        for d, number in counts.items():
            span = min(d, rank)
            gamma = gamma_serra if shape.collapsing else gamma_montufar
            for a, regions in gamma(span, unstable, shape.pieces).items():
                image = min(span, a + sloping)
                after[image] = after.get(image, 0) + number * regions
        counts = after
    source = "Serra, Tjandraatmadja, Ramalingam 2018, Theorem 1 with stable neurons and ranks, as in the module"
    return Bound("serra_with_stable_neurons", Kind.UPPER, Notion.CELLS, source, sum(counts.values()))
