"""The characteristic polynomial of an arrangement, and the counts that it holds.

For an arrangement of rank r in R^d, chi(t) = sum over flats X of mu(X) t^dim(X) = w_0 t^d - w_1 t^(d-1) + ... with
w_k >= 0 and w_k = 0 beyond r; the numbers (-1)^k w_k are the Whitney numbers of the first kind.  Zaslavsky (*Facing up
to arrangements*, 1975): (-1)^d chi(-1) = sum w_k is the number of regions, and (-1)^r chi(1) the number of those whose
intersection with the span of the normals is bounded; they are bounded themselves iff r = d.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exactregions.errors import InputError

__all__ = ["CharacteristicPolynomial", "multiply"]


def multiply(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """Multiply two polynomials given by their coefficients, in either order of degrees."""
    product = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        if a:
            for j, b in enumerate(right):
                product[i + j] += a * b
    return tuple(product)


@dataclass(frozen=True, slots=True)
class CharacteristicPolynomial:
    """chi(t) of an arrangement in R^dim.

    Parameters
    ----------
    dim : int
        The dimension d of the space.
    whitney : tuple of int
        w_0, ..., w_r: the absolute values of the Whitney numbers of the first kind; w_0 = 1 and all are positive.

    Examples
    --------
    Four lines in general position:

    >>> chi = CharacteristicPolynomial(2, (1, 4, 6))
    >>> str(chi), chi.n_regions, chi.n_bounded
    ('t^2 - 4*t + 6', 11, 3)
    >>> chi(-1), chi.coefficients
    (11, (6, -4, 1))
    """

    dim: int
    whitney: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.whitney or self.whitney[0] != 1 or min(self.whitney) < 1:
            raise InputError("Whitney numbers are positive in absolute value, and the first is 1")
        if self.rank > self.dim:
            raise InputError(f"an arrangement of rank {self.rank} does not fit in dimension {self.dim}")

    @property
    def rank(self) -> int:
        """Dimension of the span of the normals."""
        return len(self.whitney) - 1

    @property
    def coefficients(self) -> tuple[int, ...]:
        """Coefficients of t^0, ..., t^d."""
        signed = [w if k % 2 == 0 else -w for k, w in enumerate(self.whitney)]
        return (*(0,) * (self.dim - self.rank), *reversed(signed))

    @property
    def n_regions(self) -> int:
        """Number of regions, (-1)^d chi(-1)."""
        return sum(self.whitney)

    @property
    def n_relatively_bounded(self) -> int:
        """Number of regions that are bounded up to the directions common to all hyperplanes, (-1)^r chi(1)."""
        return sum(w if (self.rank - k) % 2 == 0 else -w for k, w in enumerate(self.whitney))

    @property
    def n_bounded(self) -> int:
        """Number of bounded regions: none unless the normals span the space."""
        return self.n_relatively_bounded if self.rank == self.dim else 0

    def __call__(self, t: int) -> int:
        """Value at an integer."""
        value = 0
        for coefficient in reversed(self.coefficients):
            value = value * t + coefficient
        return value

    def to_sympy(self, symbol: Any = None) -> Any:
        """Return a `sympy.Poly` over the integers, in `symbol` (by default t).

        Examples
        --------
        >>> CharacteristicPolynomial(3, (1, 3, 2)).to_sympy().factor_list()[1][1]
        (Poly(t - 1, t, domain='ZZ'), 1)
        """
        import sympy

        variable = sympy.Symbol("t") if symbol is None else symbol
        return sympy.Poly(list(reversed(self.coefficients)), variable, domain="ZZ")

    def __str__(self) -> str:
        terms: list[str] = []
        for power in range(self.dim, -1, -1):
            value = self.coefficients[power]
            if value:
                factors = [str(abs(value))] if abs(value) != 1 or power == 0 else []
                factors += [] if power == 0 else ["t"] if power == 1 else [f"t^{power}"]
                sign = ("-" if value < 0 else "") if not terms else ("- " if value < 0 else "+ ")
                terms.append(sign + "*".join(factors))
        return " ".join(terms)
