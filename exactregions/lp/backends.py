"""Choosing a backend: the three of them answer the same questions with the same kinds of proof.

`highs` is fast and falls back to `exact`; `exact` is the rational simplex alone; `convex` goes through cvxpy and shares
no code with the other two, so that agreement of the three says something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from exactregions.errors import InputError
from exactregions.lp import convex, exact, highs
from exactregions.lp.system import Feasible, Infeasible, Optimum, StrictSystem, Unbounded, read_form

__all__ = ["BACKENDS", "Backend", "maximise", "minimise", "solve"]

Backend = Literal["highs", "exact", "convex"]
BACKENDS: tuple[Backend, ...] = ("highs", "exact", "convex")


def solve(system: StrictSystem, *, backend: Backend = "highs") -> Feasible | Infeasible:
    """Decide whether a strict system has a solution over Q, with proof.

    Parameters
    ----------
    system : StrictSystem
    backend : {"highs", "exact", "convex"}
        Who looks for the proof; the answer is checked exactly in any case.

    Returns
    -------
    Feasible or Infeasible
        With a witness, or with a Farkas vector.

    Raises
    ------
    UndecidedError
        By "convex" only, when it finds neither proof; the other two always decide.

    Examples
    --------
    >>> square = StrictSystem.from_rows([[1, 0, 0], [0, 1, 0], [-1, 0, 1], [0, -1, 1]], 2)
    >>> solve(square).witness
    (Fraction(1, 2), Fraction(1, 2))
    >>> solve(square.with_rows([[1, 1, -2]])).multipliers
    ((2, Fraction(1, 1)), (3, Fraction(1, 1)), (4, Fraction(1, 1)))
    """
    if backend == "highs":
        return highs.solve(system)
    if backend == "exact":
        return exact.solve(system)
    if backend == "convex":
        return convex.solve(system)
    raise _unknown(backend)


def minimise(
    form: Sequence[object], system: StrictSystem, *, backend: Backend = "highs"
) -> Optimum | Unbounded | Infeasible:
    """Minimise an affine form over the closure of a strict system, exactly and with proof.

    Parameters
    ----------
    form : sequence of d+1 numbers
        (f_1, ..., f_d, f_0), the constant last.
    system : StrictSystem
    backend : {"highs", "exact", "convex"}

    Returns
    -------
    Optimum, Unbounded, or Infeasible
        Infeasible whenever the *strict* system has no solution, even if its closure is not empty.

    Raises
    ------
    ShapeError
        If the form does not have d+1 entries.
    UndecidedError
        By "convex" only.

    Examples
    --------
    >>> minimise([1, 3], StrictSystem.from_rows([[3, -1]], 1)).value
    Fraction(10, 3)
    """
    read = read_form(form, system.dim)
    if backend == "highs":
        return highs.minimise(read, system)
    if backend == "exact":
        return exact.minimise(read, system)
    if backend == "convex":
        return convex.minimise(read, system)
    raise _unknown(backend)


def maximise(
    form: Sequence[object], system: StrictSystem, *, backend: Backend = "highs"
) -> Optimum | Unbounded | Infeasible:
    """Maximise an affine form: the proof is that of `minimise` for its negative.

    The maximum is ``-answer.value``; ``answer.form`` is the negative of the form that was given.

    Examples
    --------
    >>> -maximise([1, 3], StrictSystem.from_rows([[-3, 1]], 1)).value
    Fraction(10, 3)
    """
    return minimise([-value for value in read_form(form, system.dim)], system, backend=backend)


def _unknown(backend: object) -> InputError:
    return InputError(f"no backend {backend!r}", remedy=f"use one of {', '.join(BACKENDS)}")
