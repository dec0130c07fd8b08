"""Linear programming over Q: is a system of strict linear inequalities feasible, and the same for optima over a cell.

    >>> from exactregions.lp import StrictSystem, solve
    >>> solve(StrictSystem.from_rows([[1, 0], [-1, "1/1000000000000"]], 1)).witness
    (Fraction(1, 2199023255552),)
    >>> solve(StrictSystem.from_rows([[1, 0], [-1, 0]], 1)).multipliers
    ((0, Fraction(1, 1)), (1, Fraction(1, 1)))

Every answer is an object that carries its proof and has checked it exactly.
"""

from __future__ import annotations

from exactregions.lp.backends import BACKENDS, Backend, maximise, minimise, solve
from exactregions.lp.geometry import (
    Bounded,
    Irredundant,
    Receding,
    Redundant,
    is_bounded,
    lineality,
    redundancy,
)
from exactregions.lp.system import (
    Feasible,
    Form,
    Infeasible,
    Multipliers,
    Optimum,
    Point,
    ProofError,
    StrictSystem,
    Unbounded,
)

__all__ = [
    "BACKENDS",
    "Backend",
    "Bounded",
    "Feasible",
    "Form",
    "Infeasible",
    "Irredundant",
    "Multipliers",
    "Optimum",
    "Point",
    "ProofError",
    "Receding",
    "Redundant",
    "StrictSystem",
    "Unbounded",
    "is_bounded",
    "lineality",
    "maximise",
    "minimise",
    "redundancy",
    "solve",
]
