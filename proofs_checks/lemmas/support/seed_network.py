"""The network of seed 001's plot_example(), its decimals taken as written, and what its cells are called there."""

from __future__ import annotations

from exactregions import RELU, Network, WholeSpace
from proofs_checks.lemmas.support.hypotheses import Condition
from proofs_checks.lemmas.support.subject import Subject

__all__ = ["NOTES", "letters", "notes_layers"]

NOTES = Network(
    [
        ([[3, -1], [1, 1]], [1, -2]),
        ([["-0.90", -3], ["1.73", -1]], [5, -3]),
        ([[-2, 1], [-1, -2]], [-3, 3]),
    ]
)


def notes_layers(depth: int) -> Condition:
    """Return the hypothesis that a network on R^2 begins with the first layers of the notes."""

    def failure(subject: Subject) -> str | None:
        if not isinstance(subject.domain, WholeSpace):
            return "the domain is not the whole plane"
        own = [layer.matrix.to_fractions() for layer in subject.network.layers[:depth]]
        same = own == [layer.matrix.to_fractions() for layer in NOTES.layers[:depth]]
        if same and all(phi == RELU for phi in subject.network.neurons[: 2 * depth]):
            return None
        return "the first layers are other ones"

    return Condition(f"the first {depth} layers of the notes", failure)


def letters(pattern: tuple[int, ...]) -> str:
    """Write a pattern as the notes do: a for active, i for inactive.

    Examples
    --------
    >>> letters((1, 1, 0, 1))
    'aaia'
    """
    return "".join("a" if piece else "i" for piece in pattern)
