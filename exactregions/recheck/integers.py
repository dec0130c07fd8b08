"""Vectors and matrices of rationals as integers over one positive denominator, each paid for before it is made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from exactregions.rational import Int, IntMatrix
from exactregions.recheck.lines import Ratio
from exactregions.recheck.verdicts import Budget, Refused

__all__ = ["ONE", "ZERO", "common_denominator", "homogeneous", "largest", "matrix", "scaled", "sparse_matrix"]

ZERO, ONE = Int(0), Int(1)
_LONG = 1 << 12  # bits from which a gcd costs notably more than a product
_GCD = 200  # and how much more


def common_denominator(values: Collection[Ratio], budget: Budget, *, factor: Int = ONE) -> Int:
    """Least common multiple of the denominators and of a factor, as a balanced tree of products."""
    distinct = list({bottom for _, bottom in values} | {factor})
    while len(distinct) > 1:
        bits = largest(distinct)
        if bits > _LONG:
            budget.spend(_GCD * len(distinct), bits, bits)
        odd = distinct[-1:] if len(distinct) % 2 else []
        distinct = [a.lcm(b) for a, b in zip(distinct[::2], distinct[1::2], strict=False)] + odd
        if largest(distinct) > budget.limits.denominator_bits:
            raise Refused("bad-size")
    return distinct[0]


def largest(values: Collection[Int]) -> int:
    """Bits of the longest of these integers."""
    return max(map(Int.bit_length, values), default=0)


def scaled(values: Collection[Ratio], denominator: Int, budget: Budget) -> list[Int]:
    """Return the values times a common denominator."""
    bits = max((top.bit_length() for top, _ in values), default=0) + denominator.bit_length()
    budget.fit(len(values), bits)
    budget.spend(len(values), bits, 64)
    if denominator == 1:
        return [top for top, _ in values]
    return [top * (denominator // bottom) for top, bottom in values]


def matrix(rows: Sequence[Sequence[Ratio]], columns: int, denominator: Int, budget: Budget) -> IntMatrix:
    """Return rows times a common denominator."""
    return IntMatrix(len(rows), columns, scaled([value for row in rows for value in row], denominator, budget))


def sparse_matrix(
    rows: Sequence[Mapping[int, Ratio]], columns: int, denominator: Int, budget: Budget
) -> tuple[IntMatrix, int]:
    """Return rows of mostly zeros times a common denominator, and the bits of the longest entry."""
    budget.fit(len(rows) * columns, 1)
    found, bits = IntMatrix(len(rows), columns), 0
    for index, row in enumerate(rows):
        values = scaled(row.values(), denominator, budget)
        bits = max(bits, largest(values))
        for column, value in zip(row, values, strict=True):
            found[index, column] = value
    return found, bits


def homogeneous(point: Sequence[Ratio], budget: Budget) -> list[Int]:
    """Return integers (s t_1, ..., s t_d, s) with s > 0 for the rational point t."""
    scale = common_denominator(point, budget)
    return [*scaled(point, scale, budget), scale]
