"""Why a network has hidden symmetries: eight mechanisms, each an exact predicate that brings its null directions along.

The mechanisms are those of Grigsby, Lindsey and Rolnick (2023), as remembered, with some of this project's notes:

1. *stably unactivated*: a neuron is on one flat piece in every cell; its row is free, and so is what it sends.
2. *stably activated*: the neurons of a layer that are on one sloping piece in every cell do not bend; together they are
   an affine map, and their rows, what they send, and the next biases can compensate one another.
3. *never coactive*: wherever neuron j of the next layer is active, neuron i is constant; so is the weight between them.
4. *masked bend*: a neuron bends, but along its whole bent hyperplane nothing of it arrives at the output.
5. *coincident hyperplanes*: rows of one layer are multiples of one another; their bends are one bend.
6. *restricted image*: wherever neuron j has an effect, the activations before it stay in a proper affine subspace, so
   that its row has directions that nothing feels.
7. *layer off*: as 4, where at every facet of the bend some later layer is flat as a whole, on both sides.
8. *bounded domain*: what the domain does not show of the network on its whole flat (see `symmetries`).

"In every cell" means every smooth cell, since no other counts.  1, 2, 3 and 5 take their directions from a small linear
system that does not look at the cells, 6 is the part of the null space inside one row, and 4 and 7 the part inside the
rows of a layer's masked neurons, their outgoing weights and the next biases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

import numpy as np

from exactregions.analysis.functional_dimension import FunctionalDimension
from exactregions.analysis.jacobian import CellJacobian
from exactregions.analysis.null_space import Direction, compensating, inside, restricted
from exactregions.rational import primitive
from exactregions.regions import RegionComplex

__all__ = ["Finding", "MechanismKind", "find_mechanisms"]


class MechanismKind(StrEnum):
    """The mechanisms, in the order in which a deficit is attributed to them."""

    STABLY_UNACTIVATED = "stably unactivated"
    STABLY_ACTIVATED = "stably activated"
    NEVER_COACTIVE = "never coactive"
    COINCIDENT_HYPERPLANES = "coincident hyperplanes"
    LAYER_OFF = "layer off"
    MASKED_BEND = "masked bend"
    RESTRICTED_IMAGE = "restricted image"
    BOUNDED_DOMAIN = "bounded domain"


@dataclass(frozen=True, slots=True)
class Finding:
    """One instance of a mechanism.

    Attributes
    ----------
    kind : MechanismKind
    neurons : tuple of int
        The neurons it is about; N + k stands for output k.
    witness : str
        What shows it.
    directions : tuple of integer vectors
        Null directions that it causes, in the parameters; rescalings of its neurons may be among their combinations.
    """

    kind: MechanismKind
    neurons: tuple[int, ...]
    witness: str
    directions: tuple[Direction, ...] = field(repr=False)


def find_mechanisms(cells: RegionComplex, dimension: FunctionalDimension) -> list[Finding]:
    """Return every instance of mechanisms 1 to 7, in the order of `MechanismKind`.

    Parameters
    ----------
    cells : RegionComplex
        Complete.
    dimension : FunctionalDimension
        Of the same cells, and defined.

    Examples
    --------
    >>> import exactregions as er
    >>> from exactregions.analysis.functional_dimension import functional_dimension
    >>> cells = er.enumerate_regions(er.Network([([[0]], [-1])], output=([[1]], [0])))
    >>> finding = find_mechanisms(cells, functional_dimension(cells))[0]
    >>> finding.kind.value, finding.neurons, finding.witness
    ('stably unactivated', (0,), 'on piece 0, of slope 0, in all 1 smooth cells')
    """
    look = _Look(cells, dimension)
    return [
        *look.stably_unactivated(),
        *look.stably_activated(),
        *look.never_coactive(),
        *look.coincident(),
        *look.masked(),
        *look.restricted_images(),
    ]


class _Look:
    """What the predicates need of the cells."""

    def __init__(self, cells: RegionComplex, dimension: FunctionalDimension) -> None:
        self.cells = cells
        self.network = cells.network
        self.parameters = dimension.parameters
        self.null_space = dimension.null_space
        self.smooth = dimension.smooth
        self.pieces = cells.codec.unpack(cells.packed)[self.smooth].astype(np.int64)
        self.starts = self.network.layer_starts
        constants = [(phi.slopes, phi.offsets) for phi in self.network.neurons]
        self.flat = np.zeros(self.pieces.shape, dtype=bool)
        for neuron, (slopes, _) in enumerate(constants):
            self.flat[:, neuron] = np.array([slope == 0 for slope in slopes])[self.pieces[:, neuron]]
        self._jacobians: dict[int, CellJacobian] = {}

    def layer(self, index: int) -> range:
        """The neurons of a layer."""
        return range(self.starts[index], self.starts[index + 1])

    @cached_property
    def stable(self) -> list[int | None]:
        """The piece that a neuron keeps in all smooth cells, or None."""
        first = self.pieces[0]
        same = (self.pieces == first).all(axis=0)
        return [int(first[k]) if same[k] else None for k in range(self.network.n_neurons)]

    def _finding(
        self, kind: MechanismKind, neurons: Sequence[int], witness: str, full: Sequence[Sequence[int]]
    ) -> Iterator[Finding]:
        directions = restricted(self.parameters, full)
        if directions:
            yield Finding(kind, tuple(neurons), witness, tuple(directions))

    def _taken(self, neurons: Sequence[int]) -> list[tuple[list[Fraction], list[Fraction]]]:
        """Slopes and offsets that neurons take together on smooth cells."""
        kinds = [self.network.neurons[k] for k in neurons]
        found = []
        for combination in np.unique(self.pieces[:, list(neurons)], axis=0).tolist():
            pairs = list(zip(kinds, combination, strict=True))
            found.append(([phi.slopes[p] for phi, p in pairs], [phi.offsets[p] for phi, p in pairs]))
        return found

    # -- 1, 2, 3, 5: whatever enters the layer --------------------------------------------------------------------

    def stably_unactivated(self) -> Iterator[Finding]:
        """Neurons on one flat piece throughout."""
        for neuron, piece in enumerate(self.stable):
            if piece is not None and self.network.neurons[neuron].slopes[piece] == 0:
                witness = f"on piece {piece}, of slope 0, in all {len(self.pieces)} smooth cells"
                full = compensating(self.parameters, [neuron], self._taken([neuron]))
                yield from self._finding(MechanismKind.STABLY_UNACTIVATED, [neuron], witness, full)

    def stably_activated(self) -> Iterator[Finding]:
        """For each layer, its neurons on one sloping piece throughout."""
        for index in range(len(self.network.layers)):
            found = [
                k
                for k in self.layer(index)
                if (piece := self.stable[k]) is not None and self.network.neurons[k].slopes[piece] != 0
            ]
            if found:
                witness = f"on one sloping piece each in all {len(self.pieces)} smooth cells"
                full = compensating(self.parameters, found, self._taken(found))
                yield from self._finding(MechanismKind.STABLY_ACTIVATED, found, witness, full)

    def never_coactive(self) -> Iterator[Finding]:
        """Pairs in adjacent layers, each active somewhere: the first is constant wherever the second is active."""
        dead = [bool(self.flat[:, k].all()) for k in range(self.network.n_neurons)]
        for index in range(len(self.network.layers) - 1):
            for i in self.layer(index):
                for j in self.layer(index + 1):
                    active = ~self.flat[:, j]
                    if dead[i] or not active.any() or not self.flat[active, i].all():
                        continue
                    pieces = set(self.pieces[active, i].tolist())
                    offsets = {self.network.neurons[i].offsets[piece] for piece in pieces}
                    if len(offsets) == 1:
                        yield from self._finding(
                            MechanismKind.NEVER_COACTIVE,
                            [i, j],
                            f"neuron {i} has slope 0 in all {int(active.sum())} smooth cells where neuron {j} has not",
                            [self._weight_against_bias(i, j, next(iter(offsets)))],
                        )

    def _weight_against_bias(self, i: int, j: int, offset: Fraction) -> list[int]:
        """The weight from i to j moves, and the bias of j makes up for the constant that i sends."""
        full = [0] * self.parameters.full_count
        full[self.parameters.outgoing(i)[self.network.layer_of(j)[1]]] = offset.denominator
        full[self.parameters.incoming(j)[-1]] = -offset.numerator
        return full

    def coincident(self) -> Iterator[Finding]:
        """Rows of one layer that are multiples of one another, of neurons that do bend."""
        for index, layer in enumerate(self.network.layers):
            groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
            for place, row in enumerate(layer.matrix.numerators.tolist()):
                neuron = self.starts[index] + place
                form = primitive([int(v) for v in row])
                lead = next((v for v in form if v), 0)
                if lead and self.stable[neuron] is None:
                    groups[tuple(-v for v in form) if lead < 0 else form].append(neuron)
            for form, neurons in groups.items():
                if len(neurons) > 1:
                    witness = f"rows of layer {index + 1} that are multiples of ({', '.join(map(str, form))})"
                    full = compensating(self.parameters, neurons, self._taken(neurons))
                    yield from self._finding(MechanismKind.COINCIDENT_HYPERPLANES, neurons, witness, full)

    # -- 4, 6, 7: by what arrives at the output --------------------------------------------------------------------

    def restricted_images(self) -> Iterator[Finding]:
        """Rows with directions that vanish on all that enters them where they have an effect."""
        affine = self.parameters.layers
        places = {entry: k for k, entries in enumerate(self.parameters.groups) for entry in entries}
        for index, layer in enumerate(affine):
            for row in range(layer.n_outputs):
                entries = [self.parameters.entry(index, row, column) for column in range(layer.n_inputs + 1)]
                if self.parameters.biases == "tied":
                    entries.pop()
                block = {places[entry] for entry in entries if entry in places}
                free = inside(self.null_space, block)
                if free and len(free) < len(block):
                    spanned = f"{len(block) - len(free)} of {len(block)} dimensions"
                    witness = f"what enters it where it has an effect spans {spanned}"
                    neuron = self.starts[index] + row
                    yield Finding(MechanismKind.RESTRICTED_IMAGE, (neuron,), witness, tuple(free))

    def masked(self) -> Iterator[Finding]:
        """Neurons that bend where nothing of it arrives, layer by layer; first those masked by whole layers."""
        found: dict[MechanismKind, list[tuple[list[int], int]]] = defaultdict(list)
        for index in range(len(self.parameters.layers) - 1):
            masked: dict[MechanismKind, list[int]] = defaultdict(list)
            count = 0
            for neuron in self.layer(index) if index < len(self.network.layers) else ():
                if (kind := self._masked_by(neuron)) is not None:
                    masked[kind].append(neuron)
                    count += len(self._bends[neuron])
            for kind, neurons in masked.items():
                found[kind].append((neurons, count))
        places = {entry: k for k, entries in enumerate(self.parameters.groups) for entry in entries}
        for kind in (MechanismKind.LAYER_OFF, MechanismKind.MASKED_BEND):
            for neurons, count in found[kind]:
                entries = [e for k in neurons for e in (*self.parameters.incoming(k), *self.parameters.outgoing(k))]
                entries += self.parameters.next_biases(neurons[0])
                directions = inside(self.null_space, {places[e] for e in entries if e in places})
                if directions:
                    where = "the only facet where it bends" if count == 1 else f"all {count} facets where they bend"
                    witness = f"nothing arrives at the output along {where}"
                    yield Finding(kind, tuple(neurons), witness, tuple(directions))

    @cached_property
    def _bends(self) -> dict[int, list[tuple[int, int]]]:
        """For each neuron the facets across which its slope changes."""
        table = self.cells.codec.unpack(self.cells.packed)
        bends: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for a, b in self.cells.facets.tolist():
            for neuron in np.flatnonzero(table[a] != table[b]).tolist():
                slopes = self.network.neurons[neuron].slopes
                if slopes[table[a, neuron]] != slopes[table[b, neuron]]:
                    bends[neuron].append((a, b))
        return bends

    def _masked_by(self, neuron: int) -> MechanismKind | None:
        """Whether a neuron bends somewhere and nothing of that arrives, and whether whole layers are why."""
        facets = self._bends.get(neuron)
        if not facets or any(self._arrives(cell, neuron) for facet in facets for cell in facet):
            return None
        layers = range(self.network.layer_of(neuron)[0] + 1, len(self.network.layers))
        off = all(any(self._is_off(a, k) and self._is_off(b, k) for k in layers) for a, b in facets)
        return MechanismKind.LAYER_OFF if off else MechanismKind.MASKED_BEND

    def _is_off(self, cell: int, layer: int) -> bool:
        pattern = self.cells.pattern(cell)
        return all(self.network.neurons[k].slopes[pattern[k]] == 0 for k in self.layer(layer))

    def _arrives(self, cell: int, neuron: int) -> bool:
        """Whether the output on a cell depends on the activation of a neuron."""
        layer, row = self.network.layer_of(neuron)
        if (known := self._jacobians.get(cell)) is None:
            known = CellJacobian.of(self.network, self.cells.pattern(cell), self.cells.domain.lift_matrix())
            self._jacobians[cell] = known
        if layer + 1 == len(self.parameters.layers):
            return True
        ahead = known.gradients[layer + 1] @ self.parameters.layers[layer + 1].matrix
        return any(ahead.numerators[k, row] for k in range(ahead.shape[0]))
