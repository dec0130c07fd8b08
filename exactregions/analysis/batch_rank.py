"""The batch functional dimension: the rank of the Jacobian in the parameters on a finite batch of points, exactly.

Grigsby, Lindsey and Rolnick (2023) estimate the functional dimension from random batches.  Every batch of
parametrically smooth points gives a lower bound, and enough points give the value; how many that takes depends on how
small the cells are that hold the missing information.  A float point stands for the rational point that it stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactregions.analysis.jacobian import PRIME, CellJacobian, is_smooth
from exactregions.analysis.parameters import Biases, Parameters
from exactregions.errors import InputError
from exactregions.network import Network
from exactregions.rational import IntMatrix, RationalMatrix, integer_row, modular_echelon, primitive, to_fractions

__all__ = ["batch_rank", "gradient_rows", "rank_curve"]


def gradient_rows(network: Network, point: object, *, biases: Biases = "free") -> list[tuple[int, ...]]:
    """Gradient of each output in the parameters at a point, times a positive integer.

    Raises
    ------
    InputError
        If the network is not smooth in parameters and input near the point.

    Examples
    --------
    >>> hinge = Network([([[1]], [0])], output=([[2]], [0]))
    >>> gradient_rows(hinge, ["1/2"])
    [(2, 4, 1, 2)]
    """
    x = to_fractions(point, where="point")
    pattern = network.pattern_at(x)
    at = [neuron for neuron, here in enumerate(network.breakpoints_at(x)) if here]
    if not is_smooth(network, pattern, at):
        names = ", ".join(map(str, at))
        raise InputError(
            f"the point ({', '.join(map(str, x))}) is not parametrically smooth: neurons {names} are at a breakpoint",
            remedy="leave it out, or move it off the walls",
        )
    entries, scale = integer_row(x)
    column = RationalMatrix(IntMatrix(len(x) + 1, 1, [*entries, scale]), scale)
    groups = Parameters(network, biases).groups
    rows = CellJacobian.of(network, pattern, column).rows()
    return [primitive([sum(row[k] for k in entries) for entries in groups]) for row in rows]


def batch_rank(network: Network, points: Sequence[object], *, biases: Biases = "free") -> int:
    """Rank over Q of the Jacobian on a batch of points of the network's input space.

    Raises
    ------
    InputError
        If a point is not parametrically smooth.

    Examples
    --------
    >>> hinge = Network([([[1]], [0])], output=([[2]], [0]))
    >>> [batch_rank(hinge, points) for points in ([], [[-1]], [[-1], [1]], [[-1], [1], [2]], [[-1], [-2], [1], [2]])]
    [0, 1, 2, 3, 3]
    """
    rows = [row for point in points for row in gradient_rows(network, point, biases=biases)]
    return RationalMatrix(IntMatrix(rows), 1).rank() if rows else 0


def rank_curve(network: Network, points: Sequence[Sequence[Fraction | float]], *, biases: Biases = "free") -> list[int]:
    """Rank, modulo 2^61 - 1, of the Jacobian on the first 1, 2, ... points: proven lower bounds of the rank over Q.

    Examples
    --------
    >>> hinge = Network([([[1]], [0])], output=([[2]], [0]))
    >>> rank_curve(hinge, [[-1.0], [-2.0], [1.0], [0.5], [3.0]])
    [1, 1, 2, 3, 3]
    """
    rows = [gradient_rows(network, point, biases=biases) for point in points]
    flat = [[value % PRIME for value in row] for block in rows for row in block]
    if not flat:
        return []
    _, independent = modular_echelon([list(column) for column in zip(*flat, strict=True)], PRIME)
    block = len(rows[0])
    counts = [0] * len(rows)
    for row in independent:
        counts[row // block] += 1
    return [sum(counts[: k + 1]) for k in range(len(counts))]
