"""Decision regions of a classifier, its decision boundary, and level sets of one output, as exact polyhedral complexes.

The outputs are compared by one more layer of neurons: f_a - f_b for every pair of classes (or f - value for a level).
On each cell of the longer network the comparison is settled, ties included, and so it is on each face: the decision
boundary is the union of the faces where two classes share the largest value, which is a closed subcomplex.  Nothing is
assumed about the network; where two outputs are equal on an open set, the boundary has full dimension there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from exactregions.analysis.topology import Subcomplex
from exactregions.domains import Domain, WholeSpace
from exactregions.errors import InputError
from exactregions.network import RELU, AffineLayer, Network
from exactregions.rational import RationalMatrix, to_fraction
from exactregions.regions.assemble import complex_by_subdivision
from exactregions.regions.complex import RegionComplex
from exactregions.regions.linear_regions import components

__all__ = ["DecisionRegion", "Decisions", "LevelSets", "decisions", "level_sets"]


@dataclass(frozen=True, slots=True)
class DecisionRegion:
    """A connected component of the set where the same classes have the largest output.

    Attributes
    ----------
    winners : tuple of int
        The class, or several where they tie on an open set.
    cells : tuple of int
        Cells of the complex of `Decisions`, joined across facets.
    is_bounded : bool
    """

    winners: tuple[int, ...]
    cells: tuple[int, ...]
    is_bounded: bool


class Decisions:
    """What a classifier decides, everywhere.

    Attributes
    ----------
    complex : RegionComplex
        The cells of the network with its comparisons as one more layer.
    n_classes : int
    """

    def __init__(self, complex_: RegionComplex, n_classes: int) -> None:
        self.complex = complex_
        self.n_classes = n_classes
        self._first = complex_.network.layer_starts[-2]

    def winners(self, state: Sequence[int]) -> tuple[int, ...]:
        """Return the classes with the largest output on a face, given its state."""
        beaten = set()
        for (a, b), code in zip(combinations(range(self.n_classes), 2), state[self._first :], strict=True):
            if code != 1:  # f_a - f_b is not 0
                beaten.add(b if code > 1 else a)
        return tuple(sorted(set(range(self.n_classes)) - beaten))

    @cached_property
    def winners_of_cells(self) -> list[tuple[int, ...]]:
        """For each cell the class that wins there; several if they tie all over it."""
        faces = self.complex.face_complex
        return [self.winners(state) for state in faces.states(faces.dim).tolist()]

    @cached_property
    def regions(self) -> list[DecisionRegion]:
        """The decision regions: connected components, joined across facets between cells with the same winners."""
        won, faces = self.winners_of_cells, self.complex.face_complex
        inner = faces.facet_cells
        pairs = []
        for facet, state in enumerate(faces.states(faces.dim - 1).tolist() if faces.dim else []):
            if len(inner[facet]) == 2:
                i, j = inner[facet]
                if won[i] == won[j] == self.winners(state):
                    pairs.append((i, j))
        found = []
        for cells in components(len(won), pairs):
            bounded = all(map(faces.generators.is_vertex, (g for c in cells for g in faces.members(faces.dim, c))))
            found.append(DecisionRegion(won[cells[0]], cells, bounded and not faces.generators.lines))
        return found

    @cached_property
    def boundary(self) -> Subcomplex:
        """The decision boundary: all faces on which several classes share the largest output."""
        faces = self.complex.face_complex
        return Subcomplex(
            faces,
            tuple(
                tuple(index for index, state in enumerate(faces.states(dim).tolist()) if len(self.winners(state)) > 1)
                for dim in range(faces.dim + 1)
            ),
        )


def decisions(network: Network, domain: Domain | None = None) -> Decisions:
    """Return the argmax regions of a classifier with at least two outputs, and its decision boundary.

    Examples
    --------
    >>> from exactregions import Network
    >>> found = decisions(Network([([[1]], [0])], output=([[1], [0]], [0, 1])))
    >>> [(region.winners, region.is_bounded) for region in found.regions], found.boundary.f_vector
    ([((1,), False), ((0,), False)], (1, 0))
    """
    count = network.output_dim
    if count < 2:
        raise InputError("a classifier has at least two outputs", remedy="for one output ask for level_sets")
    rows = [[(i == a) - (i == b) for i in range(count)] for a, b in combinations(range(count), 2)]
    return Decisions(_compared(network, rows, [0] * len(rows), domain), count)


@dataclass(frozen=True, slots=True)
class LevelSets:
    """Where one output equals a value, is at least, at most the value: subcomplexes of one complex.

    Attributes
    ----------
    complex : RegionComplex
        The cells of the network with the comparison as one more neuron, the last.
    level, superlevel, sublevel : Subcomplex
        All three closed in the domain.
    """

    complex: RegionComplex
    level: Subcomplex
    superlevel: Subcomplex
    sublevel: Subcomplex


def level_sets(network: Network, value: object = 0, domain: Domain | None = None, *, output: int = 0) -> LevelSets:
    """Return {f = value}, {f >= value} and {f <= value} for one output.

    Examples
    --------
    >>> from exactregions import Network
    >>> tent = Network([([[1], [1]], [0, "-1/2"])], output=([[2, -4]], [0]))
    >>> sets = level_sets(tent, "1/2")
    >>> sets.level.f_vector, sets.superlevel.betti(), sets.superlevel.is_compact
    ((2, 0), (1, 0), True)
    """
    if not 0 <= output < network.output_dim:
        raise InputError(f"no output {output}: there are {network.output_dim}")
    row = [int(i == output) for i in range(network.output_dim)]
    complex_ = _compared(network, [row], [-to_fraction(value, where="value")], domain)
    faces = complex_.face_complex
    signs = [[state[-1] - 1 for state in faces.states(dim).tolist()] for dim in range(faces.dim + 1)]

    def chosen(*allowed: int) -> Subcomplex:
        return Subcomplex(
            faces, tuple(tuple(index for index, sign in enumerate(level) if sign in allowed) for level in signs)
        )

    return LevelSets(complex_, chosen(0), chosen(0, 1), chosen(-1, 0))


def _compared(
    network: Network, rows: Sequence[Sequence[int]], shifts: Sequence[object], domain: Domain | None
) -> RegionComplex:
    """Put one more layer of ReLU neurons after the outputs."""
    compare = AffineLayer.from_weights(rows, shifts)
    if network.output is not None:
        inner = RationalMatrix.from_rows([*network.output.matrix.to_fractions(), [0] * network.output.n_inputs + [1]])
        compare = compare.after(inner)
    longer = Network.from_parts(
        [*network.layers, compare],
        [*network.activations, (RELU,) * compare.n_outputs],
        None,
        network.input_dim,
    )
    return complex_by_subdivision(longer, WholeSpace(network.input_dim) if domain is None else domain)
