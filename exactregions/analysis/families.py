"""The classical hyperplane arrangements, whose numbers of regions count something: permutations, graphs, orders.

Each is an `Arrangement`; its `network()` is the one-layer ReLU network with one neuron a hyperplane, whose cells are
the regions.  References: Stanley, *An introduction to hyperplane arrangements* (2007); Orlik, Terao, *Arrangements of
Hyperplanes* (1992); Kamiya, Takemura, Terao 2012 for the resonance arrangement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product

from exactregions.analysis.constructions import general_position
from exactregions.arrangements import Arrangement
from exactregions.errors import InputError

__all__ = [
    "FAMILIES",
    "boolean",
    "braid",
    "catalan",
    "exceptional",
    "generic",
    "generic_central",
    "graphical",
    "linear_threshold",
    "linial",
    "parallel",
    "resonance",
    "semiorder",
    "shi",
    "threshold",
    "type_b",
    "type_d",
]

_Rows = list[tuple[int, ...]]


def boolean(n: int) -> Arrangement:
    """The coordinate hyperplanes of R^n: 2^n regions.

    Examples
    --------
    >>> boolean(30).n_regions == 2**30
    True
    """
    return _made(n, [_row(n, {i: 1}) for i in range(_size(n))])


def braid(n: int) -> Arrangement:
    """x_i = x_j in R^n, type A_(n-1): n! regions, the orders of the coordinates.

    Examples
    --------
    >>> braid(10).n_regions
    3628800
    """
    return graphical(n, combinations(range(_size(n)), 2))


def graphical(n: int, edges: Iterable[tuple[int, int]]) -> Arrangement:
    """x_i = x_j for the edges of a graph on 0, ..., n-1: chi is the chromatic polynomial, regions acyclic orientations.

    Examples
    --------
    >>> square = graphical(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> square.n_regions, str(square.characteristic_polynomial)
    (14, 't^4 - 4*t^3 + 6*t^2 - 3*t')
    """
    rows = []
    for i, j in edges:
        if i == j or not (0 <= i < n and 0 <= j < n):
            raise InputError(f"({i}, {j}) is no edge between two of the vertices 0 to {n - 1}", where="graphical")
        rows.append(_row(n, {min(i, j): 1, max(i, j): -1}))
    return _made(n, rows)


def type_b(n: int) -> Arrangement:
    """x_i = 0 and x_i = +-x_j in R^n: 2^n n! regions.

    Examples
    --------
    >>> type_b(4).n_regions
    384
    """
    return _made(n, [_row(n, {i: 1}) for i in range(_size(n))] + _sums_and_differences(n))


def type_d(n: int) -> Arrangement:
    """x_i = +-x_j in R^n: 2^(n-1) n! regions for n >= 2.

    Examples
    --------
    >>> type_d(4).n_regions
    192
    """
    return _made(_size(n), _sums_and_differences(n))


def exceptional(name: str) -> Arrangement:
    """Reflection arrangement of F4, E6, E7 or E8, in the basis of simple roots.

    The regions are as many as the group has elements: 1152, 51840, 2903040, 696729600.

    Parameters
    ----------
    name : {"F4", "E6", "E7", "E8"}

    Examples
    --------
    >>> exceptional("F4").n_regions, exceptional("E6").n_regions
    (1152, 51840)
    """
    if name not in {"F4", "E6", "E7", "E8"}:
        raise InputError(f"no exceptional arrangement {name!r}", remedy="choose F4, E6, E7 or E8")
    n = int(name[1])
    # the Cartan matrix: a chain with one branch, or one double bond
    links = [(0, 1), (1, 2), (2, 3)] if name == "F4" else [(0, 2), (1, 3), *[(i, i + 1) for i in range(2, n - 1)]]
    cartan = [[2 * (i == j) for j in range(n)] for i in range(n)]
    for i, j in links:
        cartan[i][j] = cartan[j][i] = -1
    if name == "F4":
        cartan[1][2] = -2
    return _made(n, [(*root, 0) for root in _positive_roots(cartan)])


def resonance(n: int) -> Arrangement:
    """The sums of x_i over S are 0, for all non-empty S: regions are maximal unbalanced families (2, 6, 32, 370, ...).

    Examples
    --------
    >>> resonance(4).n_regions
    370
    """
    return _made(n, [(*bits, 0) for bits in product((0, 1), repeat=_size(n)) if any(bits)])


def threshold(n: int) -> Arrangement:
    """x_i + x_j = 0, i < j: regions are the labelled threshold graphs (2, 8, 46, 332, ...).

    Examples
    --------
    >>> threshold(4).n_regions
    46
    """
    return _made(n, [_row(n, {i: 1, j: 1}) for i, j in combinations(range(_size(n)), 2)])


def linear_threshold(n: int) -> Arrangement:
    """x_0 + sum over S of x_i = 0 in R^(n+1): regions are the linear threshold functions (4, 14, 104, 1882, ...).

    Examples
    --------
    >>> linear_threshold(3).n_regions
    104
    """
    return _made(n + 1, [(1, *bits, 0) for bits in product((0, 1), repeat=_size(n))])


def shi(n: int) -> Arrangement:
    """x_i - x_j = 0, 1 for i < j: (n+1)^(n-1) regions, the parking functions.

    Examples
    --------
    >>> shi(4).n_regions
    125
    """
    return _deformation(n, (0, 1))


def catalan(n: int) -> Arrangement:
    """x_i - x_j = -1, 0, 1: n! C_n regions, C_n the Catalan number.

    Examples
    --------
    >>> catalan(4).n_regions
    336
    """
    return _deformation(n, (-1, 0, 1))


def linial(n: int) -> Arrangement:
    """x_i - x_j = 1 for i < j: regions are the alternating trees on n+1 vertices (2, 7, 36, 246, ...).

    Examples
    --------
    >>> linial(4).n_regions
    36
    """
    return _deformation(n, (1,))


def semiorder(n: int) -> Arrangement:
    """x_i - x_j = -1, 1: regions are the labelled semiorders (3, 19, 183, ...).

    Examples
    --------
    >>> semiorder(4).n_regions
    183
    """
    return _deformation(n, (-1, 1))


def generic(number: int, dim: int) -> Arrangement:
    """Hyperplanes in general position: r(number, dim) regions.

    Examples
    --------
    >>> generic(10, 3).n_regions
    176
    """
    rows, shifts = general_position(_size(number), _size(dim))
    return Arrangement.from_rows([(*row, shift) for row, shift in zip(rows, shifts, strict=True)], dim)


def generic_central(number: int, dim: int) -> Arrangement:
    """Hyperplanes through 0, any `dim` of them independent: 2 sum over i < dim of C(number - 1, i) regions.

    Examples
    --------
    >>> generic_central(10, 3).n_regions
    92
    """
    return _made(dim, [(*[i**k for k in range(_size(dim))], 0) for i in range(1, _size(number) + 1)])


def parallel(sizes: Sequence[int], dim: int) -> Arrangement:
    """Families of parallel hyperplanes, otherwise in general position: sum over k <= dim of e_k(sizes) regions.

    The hyperplane (i, s) holds the polynomials t^d + x_d t^(d-1) + ... + x_1 with the value s/q at i.  Those of d+1
    families meet only if the divided difference of the s/q is 1, which it cannot be when q > (d+1) max s.

    Examples
    --------
    >>> parallel([3, 4], 2).n_regions, parallel([2, 2, 2, 2], 3).n_regions
    (20, 65)
    """
    rows: list[tuple[int, ...]] = []
    scale = (_size(dim) + 1) * max(sizes, default=1) + 1
    for i, size in enumerate(sizes, start=1):
        normal = [i**k for k in range(dim)]
        rows += [(*[scale * a for a in normal], scale * i**dim - step) for step in range(_size(size))]
    return _made(dim, rows)


def _size(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InputError(f"a size is a positive integer, not {n!r}")
    return n


def _made(dim: int, rows: Iterable[Sequence[object]]) -> Arrangement:
    return Arrangement.from_rows(rows, dim)


def _row(n: int, entries: dict[int, int], shift: int = 0) -> tuple[int, ...]:
    return (*[entries.get(i, 0) for i in range(n)], shift)


def _sums_and_differences(n: int) -> _Rows:
    return [_row(n, {i: 1, j: sign}) for i, j in combinations(range(n), 2) for sign in (1, -1)]


def _deformation(n: int, shifts: Sequence[int]) -> Arrangement:
    """x_i - x_j = s for i < j and the shifts s."""
    pairs = combinations(range(_size(n)), 2)
    return _made(n, [_row(n, {i: 1, j: -1}, -shift) for i, j in pairs for shift in shifts])


def _positive_roots(cartan: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Reflect the simple roots in each other until nothing new comes (Humphreys, *Reflection Groups*, 1.8)."""
    n = len(cartan)
    found = {tuple(int(i == j) for j in range(n)) for i in range(n)}
    waiting = sorted(found)
    while waiting:
        root = waiting.pop()
        for i in range(n):
            change = sum(root[j] * cartan[j][i] for j in range(n))
            image = (*root[:i], root[i] - change, *root[i + 1 :])
            if min(image) >= 0 and image not in found:
                found.add(image)
                waiting.append(image)
    return sorted(found)


FAMILIES: dict[str, Callable[[int], Arrangement]] = {
    "boolean": boolean,
    "braid": braid,
    "type-b": type_b,
    "type-d": type_d,
    "resonance": resonance,
    "threshold": threshold,
    "linear-threshold": linear_threshold,
    "shi": shi,
    "catalan": catalan,
    "linial": linial,
    "semiorder": semiorder,
}
