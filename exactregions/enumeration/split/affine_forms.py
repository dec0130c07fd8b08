"""Pre-activations as affine forms on a cell, in integers over one denominator, and the cone over the domain.

What the exact rung and the prover have in common: forms in reduced homogeneous coordinates, composed layer by layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.enumeration.split.cones import Cone, Vector
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.rational import IntMatrix

__all__ = ["Forms", "activations", "domain_cone", "inputs", "pre_activations", "wall_row"]


@dataclass(frozen=True, slots=True)
class Forms:
    """Affine forms over one positive denominator.

    Attributes
    ----------
    rows : list of lists of int
        One for each neuron (and one for x_0, where they are a layer's input), over the reduced coordinates.
    denominator : int
    """

    rows: list[list[int]]
    denominator: int


def inputs(problem: HomogeneousProblem) -> Forms:
    """Return the network's input, and x_0."""
    rows = [[0] * problem.n_coordinates for _ in range(problem.domain.dim + 1)]
    for place, column in enumerate(problem.columns):
        rows[column][place] = 1
    if not problem.is_cone:
        rows[-1][-1] = 1
    return Forms(rows, 1)


def pre_activations(problem: HomogeneousProblem, layer: int, signal: Forms) -> Forms:
    """Apply the affine map of a layer."""
    matrix = problem.network.layers[layer].matrix
    flat = [entry for row in signal.rows for entry in row]
    product = matrix.numerators * IntMatrix(len(signal.rows), problem.n_coordinates, flat)
    return Forms([list(map(int, row)) for row in product.tolist()], int(matrix.denominator) * signal.denominator)


def activations(problem: HomogeneousProblem, layer: int, forms: Forms, pieces: Sequence[int]) -> Forms:
    """Return the activations of a layer whose neurons are on these pieces, and x_0."""
    size = problem.n_coordinates
    table = problem.network.integer_activations[layer]
    rows = []
    for form, phi, piece in zip(forms.rows, table.neurons, pieces, strict=True):
        slope, offset = phi.terms[piece]
        row = [slope * entry for entry in form] if slope else [0] * size
        if offset:  # never on cones, where the last coordinate is not x_0
            row[-1] += offset * forms.denominator
        rows.append(row)
    unit = forms.denominator * table.scale
    rows.append([0] * size if problem.is_cone else [*(0,) * (size - 1), unit])
    return Forms(rows, unit)


def wall_row(form: Sequence[int], denominator: int, mark: Fraction) -> tuple[Vector, int]:
    """Return z - mark as integers over a positive denominator."""
    if not mark:
        return tuple(form), denominator
    scaled = [value * mark.denominator for value in form]
    scaled[-1] -= mark.numerator * denominator
    return tuple(scaled), denominator * mark.denominator


def domain_cone(problem: HomogeneousProblem) -> tuple[Cone, tuple[int, ...]] | None:
    """Return the closed cone over the domain, and the rows that cut it out; None if the domain has no interior.

    Rows are those of `HomogeneousProblem.domain_rows`, and -1 for x_0 > 0, in the order of the cone's constraints.
    """
    unit = [] if problem.is_cone else [(*(0,) * problem.dim, 1)]
    rows = [*unit, *problem.domain_rows]
    cone = Cone.whole(problem.n_coordinates).with_forms(rows)
    cut = []
    for place in range(len(rows)):
        positive, negative = cone.sides(cone.size + place)
        if not positive:
            return None
        if negative:
            cone = cone.split(cone.size + place)[0]
            cut.append(place - len(unit))
    return cone.with_forms(()), tuple(cut)
