"""The parameters of a network as one vector, the symmetries known of it, and frozen or tied biases.

A parameter vector lists the layers in order (the affine output layer last), each layer row by row, each row the
incoming weights of a neuron and then its bias.  A *direction* is a vector of that length, read as one matrix [V | b] a
layer.

For every positively homogeneous neuron that another layer follows, multiplying its row by c > 0 and its outgoing
weights by 1/c leaves the function as it is (Phuong and Lampert 2020; Grigsby, Lindsey, Meyerhoff and Wu 2022).  The
velocities of these rescalings are directions of which the function is unaware, so the functional dimension is at most
the number of parameters minus the number of such neurons.  Where some of these velocities vanish or coincide the bound
still holds: the rank of a Jacobian of smooth points cannot fall in a neighbourhood, and nearby all are independent.
Hard-tanh and other activations that are not positively homogeneous have no rescaling, and with them the bound is the
number of parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal

from exactregions.errors import InputError, ShapeError
from exactregions.network import AffineLayer, Network
from exactregions.rational import RationalMatrix

__all__ = ["Biases", "Parameters"]

Biases = Literal["free", "tied", "absent"]
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Parameters:
    """The coordinates of parameter space for one network.

    Parameters
    ----------
    network : Network
    biases : {"free", "tied", "absent"}
        ``free``: every weight and bias is a parameter.  ``tied``: the biases of a layer are one parameter, and must be
        equal.  ``absent``: there are no biases; all must be zero.

    Raises
    ------
    InputError
        If the network's biases are not as said.

    Examples
    --------
    >>> tent = Parameters(Network([([[1], [1]], [0, "-1/2"])], output=([[2, -4]], [0])))
    >>> tent.count, tent.n_rescalings, tent.upper_bound, tent.name(1), tent.name(4)
    (7, 2, 5, 'layer 1, neuron 0, bias', 'output 0, weight 0')
    """

    network: Network
    biases: Biases = "free"

    def __post_init__(self) -> None:
        if self.biases not in ("free", "tied", "absent"):
            raise InputError(f"no kind of biases {self.biases!r}", remedy="choose free, tied or absent")
        for number, layer in enumerate(self.layers, start=1):
            if self.biases == "absent" and any(layer.bias):
                raise InputError("biases are said to be absent but are not zero", where=f"layer {number}")
            if self.biases == "tied" and len(set(layer.bias)) > 1:
                raise InputError("biases are said to be tied but are not equal", where=f"layer {number}")

    @cached_property
    def layers(self) -> tuple[AffineLayer, ...]:
        """The affine layers, the output layer last."""
        return (*self.network.layers, *([self.network.output] if self.network.output else []))

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of each [W | b]."""
        return tuple(layer.matrix.shape for layer in self.layers)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Place of the first entry of each layer in a full vector, and the length at the end."""
        starts = [0]
        for rows, columns in self.shapes:
            starts.append(starts[-1] + rows * columns)
        return tuple(starts)

    @property
    def full_count(self) -> int:
        """Number of entries of all [W | b]."""
        return self.starts[-1]

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """For each parameter the entries that move with it: one, or all biases of a layer where they are tied."""
        if self.biases == "free":
            return tuple((k,) for k in range(self.full_count))
        found: list[tuple[int, ...]] = []
        for start, (rows, columns) in zip(self.starts, self.shapes, strict=False):
            entries = range(start, start + rows * columns)
            found += [(k,) for k in entries if (k - start) % columns != columns - 1]
            if self.biases == "tied":
                found.append(tuple(start + i * columns + columns - 1 for i in range(rows)))
        return tuple(found)

    @cached_property
    def count(self) -> int:
        """Number of parameters."""
        return len(self.groups)

    def entry(self, layer: int, row: int, column: int) -> int:
        """Place of an entry of [W | b] of a layer (from 0) in a full vector."""
        return self.starts[layer] + row * self.shapes[layer][1] + column

    def bias_entry(self, layer: int, row: int) -> int:
        """Place of a bias in a full vector."""
        return self.entry(layer, row, self.shapes[layer][1] - 1)

    def incoming(self, neuron: int) -> tuple[int, ...]:
        """Entries of a neuron's own row, bias last."""
        layer, row = self.network.layer_of(neuron)
        return tuple(self.entry(layer, row, column) for column in range(self.shapes[layer][1]))

    def outgoing(self, neuron: int) -> tuple[int, ...]:
        """Entries of the next layer that multiply a neuron; empty if no layer follows."""
        layer, row = self.network.layer_of(neuron)
        if layer + 1 == len(self.shapes):
            return ()
        return tuple(self.entry(layer + 1, k, row) for k in range(self.shapes[layer + 1][0]))

    def next_biases(self, neuron: int) -> tuple[int, ...]:
        """Entries that are biases of the layer after a neuron's."""
        layer = self.network.layer_of(neuron)[0] + 1
        if layer == len(self.shapes):
            return ()
        return tuple(self.bias_entry(layer, k) for k in range(self.shapes[layer][0]))

    def name(self, entry: int) -> str:
        """Say what an entry of a full vector is."""
        layer = next(k for k, end in enumerate(self.starts[1:]) if entry < end)
        row, column = divmod(entry - self.starts[layer], self.shapes[layer][1])
        owner = f"layer {layer + 1}, neuron {row}" if layer < len(self.network.layers) else f"output {row}"
        return f"{owner}, {'bias' if column == self.shapes[layer][1] - 1 else f'weight {column}'}"

    # -- vectors -----------------------------------------------------------------------------------------------

    def matrices(self, direction: Sequence[Fraction | int]) -> tuple[RationalMatrix | None, ...]:
        """Read a direction (of length `count`) as one matrix [V | b] a layer; None for a layer that does not move."""
        if len(direction) != self.count:
            raise ShapeError(f"a direction of {len(direction)} entries for {self.count} parameters")
        full: list[Fraction | int] = [0] * self.full_count
        for value, entries in zip(direction, self.groups, strict=True):
            for entry in entries:
                full[entry] = value
        found: list[RationalMatrix | None] = []
        for start, (rows, columns) in zip(self.starts, self.shapes, strict=False):
            part = [full[start + i * columns : start + (i + 1) * columns] for i in range(rows)]
            found.append(RationalMatrix.from_rows(part) if any(map(any, part)) else None)
        return tuple(found)

    def moved(self, direction: Sequence[Fraction | int], step: Fraction | int = 1) -> Network:
        """Return the network with the parameters theta + step * direction.

        Examples
        --------
        >>> hinge = Parameters(Network([([[1]], [0])], output=([[2]], [0])))
        >>> hinge.moved([1, 0, -1, 0]).layers[0].weights, hinge.moved([1, 0, -1, 0]).output.weights
        (((Fraction(2, 1),),), ((Fraction(1, 1),),))
        """
        layers = []
        for layer, change in zip(self.layers, self.matrices(direction), strict=True):
            if change is None:
                layers.append(layer)
                continue
            rows = zip(layer.matrix.to_fractions(), change.to_fractions(), strict=True)
            moved = [[a + step * v for a, v in zip(row, by, strict=True)] for row, by in rows]
            layers.append(AffineLayer(RationalMatrix.from_rows(moved)))
        hidden = len(self.network.layers)
        output = layers[-1] if self.network.output else None
        return Network.from_parts(layers[:hidden], self.network.activations, output, self.network.input_dim)

    def reduced(self, full: Sequence[Fraction | int]) -> tuple[Fraction | int, ...] | None:
        """Write a full vector in the parameters, or None if these cannot move so."""
        left = list(full)
        found: list[Fraction | int] = []
        for entries in self.groups:
            values = {full[entry] for entry in entries}
            if len(values) > 1:
                return None
            found.append(next(iter(values)))
            for entry in entries:
                left[entry] = 0
        return None if any(left) else tuple(found)

    # -- known symmetries --------------------------------------------------------------------------------------

    @cached_property
    def rescalable(self) -> tuple[int, ...]:
        """Positively homogeneous neurons that another layer follows."""
        followed = self.network.layer_starts[-1 if self.network.output else -2] if self.network.layers else 0
        return tuple(k for k in range(followed) if self.network.neurons[k].is_positively_homogeneous)

    @cached_property
    def rescalings(self) -> tuple[tuple[Fraction | int, ...], ...]:
        """A basis of the velocities of positive rescalings that the parameters allow, without the zero ones."""
        if self.biases == "tied":
            candidates = self._tied_rescalings()
        else:
            candidates = [self.rescaling([neuron]) for neuron in self.rescalable]
        found = [short for full in candidates if any(full) and (short := self.reduced(full)) is not None]
        if not found:
            return ()
        chosen = RationalMatrix.from_rows(found).transpose().pivot_columns()
        return tuple(found[k] for k in chosen)

    def _tied_rescalings(self) -> list[Vector]:
        """A neuron alone where the tied bias is zero, else only a whole layer at once."""
        starts = self.network.layer_starts
        found = []
        for layer, bias in enumerate(layer.bias for layer in self.network.layers):
            members = range(starts[layer], starts[layer + 1])
            if not any(bias):
                found += [self.rescaling([k]) for k in members if k in self.rescalable]
            elif all(k in self.rescalable for k in members):
                found.append(self.rescaling(members))
        return found

    def rescaling(self, neurons: Sequence[int]) -> Vector:
        """Velocity, at c = 1, of multiplying the rows of neurons of a layer by c and their outgoing weights by 1/c."""
        entries = [value for layer in self.layers for row in layer.matrix.to_fractions() for value in row]
        full = [Fraction(0)] * self.full_count
        for neuron in neurons:
            for entry in self.incoming(neuron):
                full[entry] = entries[entry]
            for entry in self.outgoing(neuron):
                full[entry] = -entries[entry]
        return tuple(full)

    @cached_property
    def n_rescalings(self) -> int:
        """Dimension of the rescalings that the parameters allow, at parameters near these or at these."""
        if self.biases != "tied":
            return len(self.rescalable)
        starts, free = self.network.layer_starts, set(self.rescalable)
        whole = sum(free.issuperset(range(a, b)) for a, b in pairwise(starts))
        return max(whole, len(self.rescalings))

    @property
    def upper_bound(self) -> int:
        """The most that the functional dimension can be: `count` minus `n_rescalings`."""
        return self.count - self.n_rescalings
