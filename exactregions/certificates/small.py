"""Proofs about one pattern, one point, or two cells, each with a certificate of three lines.

The theorems are those of ``proofs_checks/checker.py``: a pattern is a cell iff its rows hold together at some point, a
Farkas vector shows that they do not, and two cells share a facet iff their closures meet where only rows of one
hyperplane vanish, with opposite signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from exactregions.certificates.branch import Branch, NamedRow, Point, own_problem
from exactregions.certificates.refute import inner_point
from exactregions.certificates.writer import encode, encode_problem, multipliers_json
from exactregions.domains import Domain, WholeSpace
from exactregions.errors import InputError, ShapeError
from exactregions.lp import Feasible, StrictSystem, solve
from exactregions.network import Network
from exactregions.patterns import Pattern, PatternCodec
from exactregions.rational import format_rational, to_fractions

__all__ = ["CellProof", "FacetProof", "NoCellProof", "certify_point", "decide_facet", "decide_merge", "decide_pattern"]

Target = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class CellProof:
    """A pattern is that of a cell.

    Attributes
    ----------
    pattern : tuple of int
    witness : tuple of Fraction
        A point strictly inside, in the domain's own coordinates.
    strict : bool
        Whether no neuron is degenerate on the cell.
    """

    pattern: Pattern
    witness: Point
    strict: bool


@dataclass(frozen=True, slots=True)
class NoCellProof:
    """No cell has a pattern that begins with these pieces.

    Attributes
    ----------
    beginning : tuple of int
        Pieces of neurons 0, ..., m: the given pattern, cut off where it is refuted.
    farkas : dict of str to int, or None
        Multipliers by the names of rows; None if neuron m is constant after the others, and on another piece.
    """

    beginning: Pattern
    farkas: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class FacetProof:
    """Two patterns are cells that share a facet.

    Attributes
    ----------
    patterns : pair of tuples of int
    witness : tuple of Fraction
        In the relative interior of the facet, in the domain's own coordinates.
    merges : bool
        Whether the cells follow one affine map, so that they belong to one linear region.
    """

    patterns: tuple[Pattern, Pattern]
    witness: Point
    merges: bool


def decide_pattern(
    network: Network, domain: Domain | None, pattern: object, *, certificate: Target | None = None
) -> CellProof | NoCellProof:
    """Decide whether a pattern has a cell.

    Parameters
    ----------
    network : Network
        With at least one hidden neuron.
    domain : Domain or None
        The whole input space if None.
    pattern : sequence of int, or str
    certificate : path-like, optional
        Where to write the proof.

    Examples
    --------
    >>> from exactregions import Network
    >>> parallel = Network([([[1], [1]], [0, -1])])
    >>> decide_pattern(parallel, None, "10").witness
    (Fraction(1, 2),)
    >>> decide_pattern(parallel, None, "01").farkas
    {'U0': 1, 'L1': 1}
    """
    where = _domain(network, domain)
    pieces = _pattern(network, pattern)
    if not pieces:
        raise InputError("a network without hidden neurons has only the empty pattern")
    branch = Branch(*own_problem(network, where))
    clash = _follow(branch, pieces)
    if clash is not None:
        proof = NoCellProof(pieces[: clash + 1], None)
        _write(certificate, network, where, "infeasible", {"pattern": proof.beginning}, {"excluded": "constant"})
        return proof
    answer = inner_point(branch.rows, branch.dim)
    if not isinstance(answer, dict):
        return _cell(network, where, branch, answer, certificate)
    last = max([int(name[1:]) for name in answer if name[0] != "d"], default=0)
    proof = NoCellProof(pieces[: last + 1], answer)
    reason = {"excluded": multipliers_json(answer)}
    _write(certificate, network, where, "infeasible", {"pattern": proof.beginning}, reason)
    return proof


def certify_point(
    network: Network, domain: Domain | None, point: object, *, certificate: Target | None = None
) -> CellProof:
    """Prove that a point lies in a cell, and in which.

    Parameters
    ----------
    network : Network
    domain : Domain or None
    point : array-like
        In the domain's own coordinates.
    certificate : path-like, optional

    Raises
    ------
    InputError
        If the point lies on a wall or outside the domain.

    Examples
    --------
    >>> from exactregions import Network
    >>> certify_point(Network([([[1]], [0])]), None, ["1/2"]).pattern
    (1,)
    """
    where = _domain(network, domain)
    t = to_fractions(point, where="point")
    if not where.contains(t):
        raise InputError("the point is not inside the domain", where="point")
    own_network, own_domain = own_problem(network, where)
    branch = Branch(own_network, own_domain)
    clash = _follow(branch, own_network.pattern_at(t))
    if clash is not None or not all(row.holds_at(t) for row in branch.rows):
        raise InputError("the point lies on a wall, so it is in no cell", where="point", remedy="move it a little")
    return _cell(network, where, branch, t, certificate)


def decide_facet(
    network: Network, domain: Domain | None, first: object, second: object, *, certificate: Target | None = None
) -> FacetProof | None:
    """Decide whether two patterns are cells that share a facet; None if not.

    Parameters
    ----------
    network : Network
    domain : Domain or None
    first, second : sequences of int, or str
    certificate : path-like, optional

    Examples
    --------
    >>> from exactregions import Network
    >>> twins = Network([([[1, 0], [-1, 0]], [0, 0])])
    >>> decide_facet(twins, None, "10", "01").witness
    (Fraction(0, 1), Fraction(0, 1))
    """
    return _facet(network, domain, first, second, "facet", certificate)


def decide_merge(
    network: Network, domain: Domain | None, first: object, second: object, *, certificate: Target | None = None
) -> FacetProof | None:
    """Decide whether two patterns are cells that share a facet and follow one affine map; None if not.

    Examples
    --------
    >>> from exactregions import Network
    >>> hidden = Network([([[1], [1]], [0, -1])], output=([[1, 0]], [0]))
    >>> decide_merge(hidden, None, "10", "11").witness, decide_merge(hidden, None, "00", "10")
    ((Fraction(1, 1),), None)
    """
    return _facet(network, domain, first, second, "merge", certificate)


def _domain(network: Network, domain: Domain | None) -> Domain:
    where = WholeSpace(network.input_dim) if domain is None else domain
    if where.ambient_dim != network.input_dim:
        raise ShapeError(f"a domain for {where.ambient_dim} inputs, a network with {network.input_dim}")
    return where


def _pattern(network: Network, pattern: object) -> Pattern:
    codec = PatternCodec.of(network)
    return codec.parse(pattern) if isinstance(pattern, str) else codec.check(pattern)  # type: ignore[arg-type]


def _follow(branch: Branch, pattern: Pattern) -> int | None:
    """Decide all neurons in order; stop at the first that is constant on another piece, and return it."""
    for neuron, piece in enumerate(pattern):
        if branch.legal_piece(neuron) not in (None, piece):
            return neuron
        branch.decide(neuron, piece)
    return None


def _cell(network: Network, domain: Domain, branch: Branch, point: Point, certificate: Target | None) -> CellProof:
    proof = CellProof(branch.pattern, point, branch.is_strict)
    claim = {"pattern": proof.pattern, "strict": proof.strict}
    _write(certificate, network, domain, "point", claim, {"witness": [format_rational(value) for value in point]})
    return proof


def _facet(
    network: Network, domain: Domain | None, first: object, second: object, kind: str, certificate: Target | None
) -> FacetProof | None:
    where = _domain(network, domain)
    own_network, own_domain = own_problem(network, where)
    patterns = _pattern(network, first), _pattern(network, second)
    branches = Branch(own_network, own_domain), Branch(own_network, own_domain)
    if any(_follow(branch, pattern) is not None for branch, pattern in zip(branches, patterns, strict=True)):
        return None
    witness = _common_point(branches[0].rows, branches[1].rows, own_domain.dim)
    if witness is None:
        return None
    maps = [own_network.affine_map(pattern).matrix.to_fractions() for pattern in patterns]
    proof = FacetProof(patterns, witness, maps[0] == maps[1])
    if kind == "merge" and not proof.merges:
        return None
    reason = {"witness": [format_rational(value) for value in witness]}
    _write(certificate, network, where, kind, {"patterns": patterns}, reason)
    return proof


def _common_point(first: Sequence[NamedRow], second: Sequence[NamedRow], dim: int) -> Point | None:
    """Return a point in the relative interior of a facet between two cells, if there is one."""
    sides = {row.entries for row in second}
    walls = {row.entries for row in first if tuple(-entry for entry in row.entries) in sides and row.name[0] != "d"}
    for wall in sorted(walls):
        opposite = tuple(-entry for entry in wall)
        others = {row.entries for row in first} - {wall} | sides - {opposite}
        point = _point_on(wall, sorted(others), dim)
        if point is not None:
            return point
    return None


def _point_on(wall: Sequence[int], rows: Sequence[Sequence[int]], dim: int) -> Point | None:
    """Return a point of a hyperplane where all rows are positive, by eliminating one coordinate."""
    pivot = next(k for k in range(dim) if wall[k])
    lead, sign = abs(wall[pivot]), 1 if wall[pivot] > 0 else -1
    kept = [k for k in range(dim + 1) if k != pivot]
    # on the wall, t_pivot = -(sum of the other terms) / wall[pivot]; multiply by |wall[pivot]| > 0
    reduced = [[lead * row[k] - sign * row[pivot] * wall[k] for k in kept] for row in rows]
    if dim == 1:
        if any(row[0] <= 0 for row in reduced):
            return None
        found: Point = ()
    else:
        answer = solve(StrictSystem.from_rows(reduced, dim - 1))
        if not isinstance(answer, Feasible):
            return None
        found = answer.witness
    point = list(found)
    total = sum((wall[k] * value for k, value in zip(kept, found, strict=False)), Fraction(wall[-1]))
    point.insert(pivot, -total / wall[pivot])
    return tuple(point)


def _write(
    certificate: Target | None, network: Network, domain: Domain, kind: str, claim: Mapping[str, Any], proof: Any
) -> None:
    if certificate is not None:
        Path(certificate).write_bytes(encode_problem(network, domain, kind) + encode(claim) + encode(proof))
