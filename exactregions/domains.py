"""Where we look for cells: the whole space, an open box, an open polyhedron, or a flat through the input space.

A domain is open and given by rational data.  Its sides are no walls: they bound cells but are not facets.  Cells,
witnesses and volumes live in the domain's own coordinates t; `lift` takes them to the network's input x.  Only a
`Slice` has coordinates of its own: x = origin + directions^T t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactregions.errors import EmptyDomainError, FormatError, InputError, ShapeError
from exactregions.rational import (
    RationalMatrix,
    format_rational,
    integer_row,
    to_fraction_matrix,
    to_fractions,
)

__all__ = ["Box", "Domain", "Polyhedron", "Slice", "WholeSpace", "domain_from_json"]

Point = tuple[Fraction, ...]


class Domain(ABC):
    """An open convex set {t : a.t + c > 0 for every row (a, c)} and the map to the network's input."""

    __slots__ = ()

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of the domain's own coordinates."""

    @property
    def ambient_dim(self) -> int:
        """Number of inputs of the networks that it fits."""
        return self.dim

    @abstractmethod
    def rational_rows(self) -> list[Point]:
        """Return the rows (a_1, ..., a_d, c), each meaning a.t + c > 0, in the order that certificates number them."""

    @abstractmethod
    def to_json(self) -> object:
        """Return the JSON form, rationals as strings."""

    def integer_rows(self) -> list[tuple[int, ...]]:
        """Return the rows scaled to integers by positive factors."""
        return [integer_row(row)[0] for row in self.rational_rows()]

    def contains(self, point: object) -> bool:
        """Whether a point in the domain's own coordinates lies inside."""
        t = to_fractions(point, where="point")
        if len(t) != self.dim:
            raise ShapeError(f"a point of {len(t)} coordinates for a domain of dimension {self.dim}")
        return all(sum((a * x for a, x in zip(row, t, strict=False)), row[-1]) > 0 for row in self.rational_rows())

    def lift(self, point: object) -> Point:
        """Take a point from the domain's own coordinates to the network's input."""
        return to_fractions(point, where="point")

    def lift_matrix(self) -> RationalMatrix | None:
        """The affine map t -> x as [[M, o], [0, 1]], or None where it is the identity."""
        return None


@dataclass(frozen=True, slots=True)
class WholeSpace(Domain):
    """All of R^d.

    Parameters
    ----------
    dim : int
        d, at least 0.
    """

    dim: int

    def __post_init__(self) -> None:
        if isinstance(self.dim, bool) or not isinstance(self.dim, int) or self.dim < 0:
            raise InputError(f"a dimension is an integer, at least 0, not {self.dim!r}", where="WholeSpace")

    def rational_rows(self) -> list[Point]:  # noqa: D102  (documented on Domain)
        return []

    def to_json(self) -> object:  # noqa: D102  (documented on Domain)
        return str(self)

    def __str__(self) -> str:
        return f"R^{self.dim}"


@dataclass(frozen=True, slots=True, init=False)
class Box(Domain):
    """The open box lower_i < x_i < upper_i.

    Examples
    --------
    >>> Box([-1, 0], [1, "1/2"]).contains([0, "1/4"])
    True
    """

    lower: Point
    upper: Point

    def __init__(self, lower: object, upper: object) -> None:
        low, high = to_fractions(lower, where="box, lower"), to_fractions(upper, where="box, upper")
        if len(low) != len(high):
            raise ShapeError(f"{len(low)} lower and {len(high)} upper bounds", where="box")
        for index, (a, b) in enumerate(zip(low, high, strict=True)):
            if a >= b:
                raise EmptyDomainError(
                    f"the box is empty: lower {format_rational(a)} is not below upper {format_rational(b)}",
                    where=f"box, coordinate {index}",
                )
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)

    @property
    def dim(self) -> int:  # noqa: D102  (documented on Domain)
        return len(self.lower)

    def rational_rows(self) -> list[Point]:  # noqa: D102  (documented on Domain)
        rows = []
        for index, (low, high) in enumerate(zip(self.lower, self.upper, strict=True)):
            unit = [Fraction(0)] * self.dim
            unit[index] = Fraction(1)
            rows.append((*unit, -low))
            rows.append((*(-value for value in unit), high))
        return rows

    def to_json(self) -> object:  # noqa: D102  (documented on Domain)
        return [[format_rational(a), format_rational(b)] for a, b in zip(self.lower, self.upper, strict=True)]

    def __str__(self) -> str:
        sides = [f"({format_rational(a)}, {format_rational(b)})" for a, b in zip(self.lower, self.upper, strict=True)]
        if len(set(sides)) == 1 and len(sides) > 1:
            return f"{sides[0]}^{len(sides)}"
        return " x ".join(sides)


@dataclass(frozen=True, slots=True, init=False)
class Polyhedron(Domain):
    """The open polyhedron {x : A x < b}, bounded or not.

    Whether it is empty is found out, exactly, when it is searched.

    Parameters
    ----------
    A : array-like of shape (m, d)
        The rows' coefficients.
    b : array-like of length m
        The right-hand sides.
    dim : int, optional
        d; needed only if there are no rows.
    """

    A: tuple[Point, ...]
    b: Point
    dim: int

    def __init__(self, A: object, b: object, *, dim: int | None = None) -> None:
        rows = to_fraction_matrix(A, columns=dim, where="polyhedron, A")
        right = to_fractions(b, where="polyhedron, b")
        if len(rows) != len(right):
            raise ShapeError(f"A has {len(rows)} rows but b has {len(right)} entries", where="polyhedron")
        if not rows and dim is None:
            raise ShapeError("a polyhedron without rows needs dim", where="polyhedron", remedy="use WholeSpace(d)")
        object.__setattr__(self, "A", rows)
        object.__setattr__(self, "b", right)
        object.__setattr__(self, "dim", len(rows[0]) if rows else dim)

    def rational_rows(self) -> list[Point]:  # noqa: D102  (documented on Domain)
        return [(*(-a for a in row), right) for row, right in zip(self.A, self.b, strict=True)]

    def to_json(self) -> object:  # noqa: D102  (documented on Domain)
        if not self.b:
            return f"R^{self.dim}"  # the form with A and b could not tell the dimension
        return {"A": [list(map(format_rational, row)) for row in self.A], "b": list(map(format_rational, self.b))}

    def __str__(self) -> str:
        return f"polyhedron of {len(self.b)} rows in R^{self.dim}"


@dataclass(frozen=True, slots=True, init=False)
class Slice(Domain):
    """The flat x = origin + directions^T t, with t in an inner domain: a line, a plane, a k-flat.

    Parameters
    ----------
    origin : array-like of length n
        A point of the network's input space.
    directions : array-like of shape (k, n)
        Linearly independent rows.
    inner : Domain, optional
        Where t runs; all of R^k by default.

    Examples
    --------
    >>> Slice([0, 0, 1], [[1, 1, 0]]).lift(["1/2"])
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 1))
    """

    origin: Point
    directions: tuple[Point, ...]
    inner: Domain

    def __init__(self, origin: object, directions: object, inner: Domain | None = None) -> None:
        start = to_fractions(origin, where="slice, origin")
        moves = to_fraction_matrix(directions, columns=len(start), where="slice, directions")
        inside = WholeSpace(len(moves)) if inner is None else inner
        if isinstance(inside, Slice):
            raise InputError("the inner domain of a slice cannot be a slice", where="slice", remedy="compose them")
        if inside.dim != len(moves):
            raise ShapeError(f"an inner domain of dimension {inside.dim} for {len(moves)} directions", where="slice")
        if not moves:
            raise ShapeError("a slice needs at least one direction", where="slice")
        if (rank := RationalMatrix.from_rows(moves).rank()) < len(moves):
            raise EmptyDomainError(
                f"the {len(moves)} directions are linearly dependent (rank {rank}), so the slice is flat",
                where="slice",
                remedy="drop the dependent ones, or choose points in general position",
            )
        object.__setattr__(self, "origin", start)
        object.__setattr__(self, "directions", moves)
        object.__setattr__(self, "inner", inside)

    @classmethod
    def through(cls, points: Sequence[object], inner: Domain | None = None) -> Slice:
        """Return the flat through k + 1 points: the first is t = 0, the i-th other is t = e_i."""
        read = to_fraction_matrix(points, where="slice, points")
        if len(read) < 2:
            raise ShapeError("a slice goes through at least two points", where="slice")
        first = read[0]
        return cls(first, [[a - b for a, b in zip(point, first, strict=True)] for point in read[1:]], inner)

    @property
    def dim(self) -> int:  # noqa: D102  (documented on Domain)
        return len(self.directions)

    @property
    def ambient_dim(self) -> int:  # noqa: D102  (documented on Domain)
        return len(self.origin)

    def rational_rows(self) -> list[Point]:  # noqa: D102  (documented on Domain)
        return self.inner.rational_rows()

    def lift(self, point: object) -> Point:  # noqa: D102  (documented on Domain)
        t = to_fractions(point, where="point")
        if len(t) != self.dim:
            raise ShapeError(f"a point of {len(t)} coordinates for a slice of dimension {self.dim}")
        return tuple(
            sum((move[i] * step for move, step in zip(self.directions, t, strict=True)), start)
            for i, start in enumerate(self.origin)
        )

    def lift_matrix(self) -> RationalMatrix | None:  # noqa: D102  (documented on Domain)
        rows = [[*(move[i] for move in self.directions), start] for i, start in enumerate(self.origin)]
        return RationalMatrix.from_rows([*rows, [0] * self.dim + [1]])

    def to_json(self) -> object:  # noqa: D102  (documented on Domain)
        form: dict[str, object] = {
            "origin": list(map(format_rational, self.origin)),
            "directions": [list(map(format_rational, move)) for move in self.directions],
        }
        return form if isinstance(self.inner, WholeSpace) else {**form, "inner": self.inner.to_json()}

    def __str__(self) -> str:
        inside = "" if isinstance(self.inner, WholeSpace) else f" with t in {self.inner}"
        return f"{self.dim}-flat in R^{self.ambient_dim}{inside}"


def domain_from_json(value: object, *, where: str = "domain") -> Domain:
    """Read the JSON form: ``"R^3"``; ``[[lo, hi], ...]``; ``{"A", "b"}``; ``{"origin", "directions", "inner"}``.

    Raises
    ------
    FormatError
        For anything else.

    Examples
    --------
    >>> print(domain_from_json([["0", "1"], ["-1/2", "3"]]))
    (0, 1) x (-1/2, 3)
    """
    if isinstance(value, str):
        head, _, size = value.strip().partition("^")
        if head == "R" and size.isascii() and size.isdigit() and len(size) < 8:
            return WholeSpace(int(size))
    elif isinstance(value, list) and all(isinstance(side, list) and len(side) == 2 for side in value) and value:
        return Box([side[0] for side in value], [side[1] for side in value])
    elif isinstance(value, dict) and set(value) == {"A", "b"}:
        return Polyhedron(value["A"], value["b"])
    elif isinstance(value, dict) and {"origin", "directions"} <= set(value) <= {"origin", "directions", "inner"}:
        inner = value.get("inner")
        return Slice(
            value["origin"],
            value["directions"],
            None if inner is None else domain_from_json(inner, where=f"{where}, inner"),
        )
    raise FormatError(
        "not a domain",
        where=where,
        remedy='write "R^3", [[lo, hi], ...], {"A": ..., "b": ...} or {"origin": ..., "directions": ..., "inner": ...}',
    )
