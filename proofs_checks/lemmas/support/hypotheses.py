"""Hypotheses of statements, each decided exactly on the subject; a failing one names what violates it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from exactregions import RELU, WholeSpace
from exactregions.lp import Bounded, StrictSystem, is_bounded
from exactregions.rational import IntMatrix, format_rational
from proofs_checks.lemmas.support.subject import Row, Subject

__all__ = [
    "FIRST_LAYER_GENERIC",
    "HAS_NEURONS",
    "HOMOGENEOUS",
    "LISTABLE_FACES",
    "LOW_DIMENSION",
    "ONE_BREAKPOINT",
    "ONE_LAYER",
    "OUTPUT_LAYER",
    "RELU_ONLY",
    "WHOLE_SPACE",
    "ZERO_BIAS",
    "Condition",
    "condition",
    "find_special_position",
    "first_layer_walls",
]

_FACES_LIMIT = 300_000


@dataclass(frozen=True, slots=True)
class Condition:
    """A hypothesis: its name, and a function that returns None if it holds or else what violates it.

    One that reads the cells is decided after the complex was found to be sound.
    """

    name: str
    failure: Callable[[Subject], str | None]
    reads_cells: bool = False


def condition(name: str, *, reads_cells: bool = False) -> Callable[[Callable[[Subject], str | None]], Condition]:
    """Make a hypothesis of a function.

    Examples
    --------
    >>> @condition("two inputs")
    ... def two_inputs(subject):
    ...     return None if subject.dim == 2 else f"d is {subject.dim}"
    >>> two_inputs.name
    'two inputs'
    """
    return lambda function: Condition(name, function, reads_cells)


@condition("whole space")
def WHOLE_SPACE(subject: Subject) -> str | None:  # noqa: N802  (a constant, made by a decorator)
    """The domain is all of R^d."""
    domain = subject.domain
    if isinstance(domain, WholeSpace) or not domain.rational_rows():
        return None
    return f"the domain is a {type(domain).__name__.lower()}"


@condition("positively homogeneous activation")
def HOMOGENEOUS(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """phi(c t) = c phi(t) for every c > 0."""
    bad = next((phi for phi in subject.network.neurons if not phi.is_positively_homogeneous), None)
    return None if bad is None else f"{bad} is not"


@condition("zero hidden biases")
def ZERO_BIAS(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """Every bias of the hidden layers is 0."""
    for index, layer in enumerate(subject.network.layers):
        for place, shift in enumerate(layer.bias):
            if shift:
                return f"layer {index} neuron {place} (from 0) has bias {format_rational(shift)}"
    return None


@condition("ReLU")
def RELU_ONLY(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """Every activation is ReLU."""
    bad = next((phi for phi in subject.network.neurons if phi != RELU), None)
    return None if bad is None else f"activation is {bad}"


@condition("output layer")
def OUTPUT_LAYER(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """The network ends in an affine layer."""
    return "there is none" if subject.network.output is None else None


@condition("one hidden layer")
def ONE_LAYER(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """The network has one hidden layer."""
    depth = len(subject.network.layers)
    return None if depth == 1 else f"there are {depth}"


@condition("one breakpoint")
def ONE_BREAKPOINT(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """Every activation has one breakpoint."""
    bad = next((phi for phi in subject.network.neurons if len(phi.breakpoints) != 1), None)
    return None if bad is None else f"{bad} has {len(bad.breakpoints)}"


@condition("d <= 2")
def LOW_DIMENSION(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """The domain has dimension at most 2."""
    return None if subject.dim <= 2 else f"d is {subject.dim}"


@condition("hidden neurons")
def HAS_NEURONS(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """There is a hidden layer."""
    return None if subject.network.layers else "there is none"


@condition("faces that can be listed", reads_cells=True)
def LISTABLE_FACES(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """The faces are few enough to be listed: a limit of this program, not of the statement."""
    size = len(subject.cells) * 3**subject.dim
    return None if size <= _FACES_LIMIT else f"{len(subject.cells)} cells in dimension {subject.dim} are too many"


@condition("generic first layer")
def FIRST_LAYER_GENERIC(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """The walls of the first layer are in general position."""
    return find_special_position(subject)


@condition("bounded domain")
def BOUNDED(subject: Subject) -> str | None:  # noqa: N802  (as above)
    """The domain is bounded."""
    answer = is_bounded(StrictSystem.from_rows(subject.domain.integer_rows(), subject.dim))
    if isinstance(answer, Bounded):
        return None
    return f"it goes on for ever along ({', '.join(map(format_rational, answer.ray))})"


def first_layer_walls(subject: Subject) -> list[tuple[int, int, Row]]:
    """Return (neuron, breakpoint, row) for all walls of the first layer; the normal of a row may be zero."""
    layer = subject.network.layers[0]
    found = []
    for neuron, row in enumerate(layer.matrix.to_fractions()):
        for index, mark in enumerate(subject.network.neurons[neuron].breakpoints):
            entries = (*row[:-1], row[-1] - mark)
            scale = 1
            for entry in entries:
                scale = scale * entry.denominator // _gcd(scale, entry.denominator)
            found.append((neuron, index, tuple([int(entry * scale) for entry in entries])))
    return found


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def find_special_position(subject: Subject) -> str | None:
    """Return None if the first layer's walls are generic, else the walls that are not.

    Generic: any k <= d walls meet in dimension d - k, and no d + 1 have a common point.  It is enough to look at sets
    of d walls (or all, if there are fewer) for independent normals, and at sets of d + 1 for a common point.
    """
    dim, walls = subject.dim, first_layer_walls(subject)
    size = min(dim, len(walls))
    for group in combinations(walls, size):
        normals = IntMatrix(size, dim, [entry for _, _, row in group for entry in row[:-1]])
        if int(normals.rank()) < size:
            return f"the normals of neurons {_names(group)} are linearly dependent"
    for group in combinations(walls, dim + 1):
        rows = IntMatrix(dim + 1, dim + 1, [entry for _, _, row in group for entry in row])
        if int(rows.rank()) <= dim:
            return f"neurons {_names(group)} are at a breakpoint at one common point"
    return None


def _names(group: tuple[tuple[int, int, Row], ...]) -> str:
    return ", ".join(str(neuron) for neuron, _, _ in group)
