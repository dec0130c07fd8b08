"""Generic, transversal, supertransversal: exact predicates on one network, and what follows where they hold.

* *Generic* (Grigsby and Lindsey 2022): in each layer, any k <= d of the hyperplanes meet in dimension d - k, any d + 1
  of them nowhere; that is, any min(m, d) normals are independent and any d + 1 rows (normal, constant) are.
* *Transversal* (the same): no neuron is identically at a breakpoint on a face, of any dimension, of the complex of the
  layers before it.
* *Supertransversal* (Masden 2022) asks that of whole tails of the network; what is used of it, and tested here, is its
  consequence that a face with k neurons at a breakpoint has codimension k.
* Where all vertices have exactly d neurons at a breakpoint (and the complex has vertices), all faces come from them:
  let each of the d neurons stay, or move to either piece (Masden's reconstruction).  Where that fails, the function
  that reconstructs says why instead of returning a wrong complex.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

from exactregions.domains import Slice, WholeSpace
from exactregions.errors import InputError
from exactregions.network import Network
from exactregions.rational import IntMatrix
from exactregions.regions.assemble import complex_by_subdivision

if TYPE_CHECKING:
    from exactregions.domains import Domain
    from exactregions.regions.complex import RegionComplex

__all__ = ["Verdict", "generic", "reconstruct_from_vertices", "supertransversal", "transversal"]

_MOST_SUBSETS = 2_000_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a property holds, and if not, where it fails.

    Attributes
    ----------
    holds : bool
    reason : str
        Empty if it holds.
    """

    holds: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.holds


def generic(network: Network) -> Verdict:
    """Whether the arrangement of every layer is generic.

    Every breakpoint of a neuron counts as a hyperplane, so a neuron with two makes the network non-generic.

    Raises
    ------
    InputError
        If a layer has more subsets of hyperplanes than can be looked at.

    Examples
    --------
    >>> print(generic(Network([([[1, 0], [2, 0]], [0, 1])])).reason)
    layer 1: neurons 0, 1 have linearly dependent normals
    """
    for number, (layer, kinds) in enumerate(zip(network.layers, network.activations, strict=True), start=1):
        rows, owners = [], []
        for place, (form, phi) in enumerate(zip(layer.matrix.to_fractions(), kinds, strict=True)):
            for mark in phi.breakpoints:
                scale = layer.matrix.denominator * mark.denominator
                rows.append([int(a * scale) for a in (*form[:-1], form[-1] - mark)])
                owners.append(place)
        dim = layer.n_inputs
        if comb(len(rows), min(dim + 1, len(rows))) > _MOST_SUBSETS:
            raise InputError(f"layer {number} has too many sets of {dim + 1} hyperplanes to look at", where="generic")
        for size, width, what in (
            (min(dim, len(rows)), dim, "have linearly dependent normals"),
            (dim + 1, dim + 1, "meet in a point, one hyperplane too many"),
        ):
            for subset in combinations(range(len(rows)), size):
                if IntMatrix([rows[k][:width] for k in subset] or [[0]]).rank() < size:
                    names = ", ".join(str(owners[k]) for k in subset)
                    return Verdict(False, f"layer {number}: neurons {names} {what}")
    return Verdict(True)


def transversal(network: Network, domain: Domain | None = None) -> Verdict:
    """Whether no neuron is identically at a breakpoint on any face of the complex of the layers before it.

    Examples
    --------
    >>> print(transversal(Network([([[1]], [0]), ([[1]], [0])])).reason)
    neuron 1 is at breakpoint 0 on a face of dimension 0 of the layers before it
    """
    where = WholeSpace(network.input_dim) if domain is None else domain
    for depth, layer in enumerate(network.layers):
        before = Network.from_parts(network.layers[:depth], network.activations[:depth], layer, network.input_dim)
        faces = complex_by_subdivision(before, where).face_complex
        table = faces.generators
        for place, phi in enumerate(network.activations[depth]):
            for index, mark in enumerate(phi.breakpoints):
                if any(values[place] for values in table.line_values):
                    continue
                at = {
                    g
                    for g, values in enumerate(table.values)
                    if values[place] * mark.denominator == mark.numerator * table.scale * table.vectors[g][-1]
                }
                for dim, count in enumerate(faces.f_vector):
                    if any(at.issuperset(faces.members(dim, face)) for face in range(count)):
                        neuron = network.layer_starts[depth] + place
                        return Verdict(
                            False,
                            f"neuron {neuron} is at breakpoint {index} on a face of dimension {dim} "
                            "of the layers before it",
                        )
    return Verdict(True)


def supertransversal(complex_: RegionComplex) -> Verdict:
    """Whether every face with k neurons at a breakpoint has codimension k: what supertransversality is used for.

    Examples
    --------
    >>> import exactregions as er
    >>> print(supertransversal(er.enumerate_regions(Network([([[1], [2]], [0, 0])]))).reason)
    2 neurons (0, 1) are at a breakpoint on a face of codimension 1
    """
    faces = complex_.face_complex
    for dim in range(faces.dim + 1):
        for face in faces.faces(dim):
            if len(face.at_breakpoint) != faces.dim - dim:
                at = ", ".join(map(str, face.at_breakpoint))
                return Verdict(
                    False,
                    f"{len(face.at_breakpoint)} neurons ({at}) are at a breakpoint on a face of "
                    f"codimension {faces.dim - dim}",
                )
    return Verdict(True)


def reconstruct_from_vertices(complex_: RegionComplex) -> set[tuple[int, ...]]:
    """Return the states of all faces, made from the states of the vertices alone.

    Raises
    ------
    InputError
        Where the assumptions fail: the domain has sides, the complex has no vertex, or a vertex does not have exactly
        d neurons at a breakpoint.

    Examples
    --------
    >>> import exactregions as er
    >>> cross = er.enumerate_regions(Network([([[1, 0], [0, 1]], [0, 0])]))
    >>> len(reconstruct_from_vertices(cross)), sum(cross.f_vector)
    (9, 9)
    """
    where = "reconstruction from vertices"
    domain = complex_.domain.inner if isinstance(complex_.domain, Slice) else complex_.domain
    if domain.integer_rows():
        raise InputError("the domain has sides, and faces may have no vertex inside it", where=where)
    if complex_.face_complex.generators.lines:
        raise InputError("every cell contains a line, so there is no vertex to begin with", where=where)
    states: set[tuple[int, ...]] = set()
    for vertex in complex_.faces(0):
        free = vertex.at_breakpoint
        if len(free) != complex_.dim:
            raise InputError(
                f"vertex {vertex.index} has {len(free)} neurons at a breakpoint, not {complex_.dim}",
                where=where,
                remedy="the network is not supertransversal: faces at such a vertex do not follow from its state",
            )
        for moves in product((-1, 0, 1), repeat=len(free)):
            state = list(vertex.state)
            for neuron, move in zip(free, moves, strict=True):
                state[neuron] += move
            states.add(tuple(state))
    return states
