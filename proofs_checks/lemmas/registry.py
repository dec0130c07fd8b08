"""The table of statements, and how a check is run.

`register` turns a function of a `Subject` into a `Lemma`: a check that can be called with a network.  Hypotheses are
decided in their order, the first failing one makes the verdict `NOT_APPLICABLE`.  Before them all stands one that every
check shares: that the list of cells under it is complete and right, which is decided without the engine that made it
(`support.audit`); so a check on a damaged complex never says `HOLDS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from exactregions.domains import Domain
from exactregions.errors import InputError
from exactregions.network import Network
from exactregions.regions import RegionComplex
from proofs_checks.lemmas.support.audit import find_damage
from proofs_checks.lemmas.support.hypotheses import Condition
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Answer, Hypothesis, Outcome, Scope, Statement, Verdict

__all__ = ["Lemma", "check_all", "get", "register", "statements"]

Check = Callable[[Subject], Outcome]
_AUDIT = Condition("complete complex", lambda subject: subject.cached(find_damage))
_table: dict[str, Lemma] = {}


class Lemma:
    """A registered statement with its check.

    Attributes
    ----------
    statement : Statement
    conditions : tuple of Condition
    needs_complex : bool
        Whether the check reads the list of cells.
    """

    def __init__(
        self, statement: Statement, conditions: Sequence[Condition], function: Check, *, needs_complex: bool
    ) -> None:
        self.statement = statement
        self.conditions = tuple(conditions)
        self.needs_complex = needs_complex
        self._function = function
        self.__doc__ = function.__doc__

    def __call__(
        self, network: Network, domain: Domain | None = None, *, complex_: RegionComplex | None = None
    ) -> Verdict:
        """Check the statement on a network; a complex that is at hand need not be enumerated again."""
        return self.run(Subject(network, domain, complex_=complex_))

    def run(self, subject: Subject, *, audited: bool = True) -> Verdict:
        """Check the statement on a subject, which several checks may share.

        Without the audit, the check rests on what the complex says; tests use that to see it fail by itself.
        """
        began = time.perf_counter()
        decided: list[Hypothesis] = []
        for condition in self._ordered(audited):
            decided.append(Hypothesis(condition.name, condition.failure(subject)))
            if not decided[-1].holds:
                break
        failed = next((one for one in decided if not one.holds), None)
        if failed is not None:
            outcome = Outcome(Answer.NOT_APPLICABLE, reason=f"{failed.name}: {failed.failure}")
        else:
            outcome = self._function(subject)
        return Verdict(
            self.statement,
            outcome.answer,
            tuple(decided),
            outcome.detail,
            outcome.counterexample,
            outcome.reason,
            outcome.estimates,
            time.perf_counter() - began,
        )

    def _ordered(self, audited: bool) -> list[Condition]:
        """Conditions on the network first, then the audit, then those that read the cells."""
        audit = [_AUDIT] if self.needs_complex and audited else []
        early = [one for one in self.conditions if not one.reads_cells]
        return [*early, *audit, *(one for one in self.conditions if one.reads_cells)]

    def __repr__(self) -> str:
        return f"<Lemma {self.statement.id}>"


def register(
    id: str,  # noqa: A002  (the name that statements have everywhere)
    *,
    title: str,
    text: str,
    latex: str = "",
    source: str = "",
    route: str = "",
    scope: Scope = Scope.OPEN,
    hypotheses: Sequence[Condition] = (),
    statistical: bool = False,
    needs_complex: bool = True,
) -> Callable[[Check], Lemma]:
    """Add a statement to the table: a decorator of a function that takes a `Subject` and returns `holds` or `fails`.

    Raises
    ------
    InputError
        If another function has the id already.

    Examples
    --------
    >>> import exactregions as er
    >>> from proofs_checks import lemmas
    >>> @lemmas.register("few_neighbours", title="Few neighbours", text="No cell has more than 2 d neighbours.")
    ... def few_neighbours(subject):
    ...     for cell in subject.cells:
    ...         neighbours = subject.neighbours[cell.index]
    ...         if len(neighbours) > 2 * subject.dim:
    ...             return lemmas.fails({"pattern": cell.text, "point": cell.witness, "neighbours": len(neighbours)})
    ...     return lemmas.holds(cells=len(subject.cells))
    >>> print(few_neighbours(er.Network([([[1, 0], [0, 1]], [0, 0])])).answer)
    HOLDS
    >>> lemmas.unregister("few_neighbours")
    """

    def add(function: Check) -> Lemma:
        if id in _table:
            raise InputError(f"there is a statement {id!r} already", where="register")
        statement = Statement(id, title, text, latex, source, route, scope, statistical)
        _table[id] = Lemma(statement, hypotheses, function, needs_complex=needs_complex)
        return _table[id]

    return add


def unregister(id: str) -> None:  # noqa: A002  (as in register)
    """Take a statement out of the table."""
    get(id)
    del _table[id]


def get(id: str) -> Lemma:  # noqa: A002  (as in register)
    """Return the check of a statement.

    Raises
    ------
    InputError
        If there is none of that id.
    """
    try:
        return _table[id]
    except KeyError:
        raise InputError(f"no statement {id!r}", remedy=f"choose from {', '.join(_table)}") from None


def statements() -> list[Lemma]:
    """Return all checks, in the order in which they were registered."""
    return list(_table.values())


def check_all(
    network: Network,
    domain: Domain | None = None,
    *,
    only: Iterable[str] | None = None,
    complex_: RegionComplex | None = None,
    samples: int = 12,
) -> dict[str, Verdict]:
    """Check many statements on one network.

    Parameters
    ----------
    network : Network
    domain : Domain, optional
        The whole space by default.
    only : iterable of str, optional
        Ids; all statements by default.
    complex_ : RegionComplex, optional
        The cells, if they are at hand.
    samples : int
        Number of random networks that a statistical statement may draw.

    Examples
    --------
    >>> import exactregions as er
    >>> cross = er.Network([([[1, 0], [0, 1]], [0, 0])], output=([[1, 1]], [0]))
    >>> {name: str(verdict.answer) for name, verdict in check_all(cross, only=["euler", "zero_bias_cones"]).items()}
    {'euler': 'HOLDS', 'zero_bias_cones': 'HOLDS'}
    """
    return dict(iter_checks(Subject(network, domain, complex_=complex_, samples=samples), only=only))


def iter_checks(subject: Subject, *, only: Iterable[str] | None = None) -> Iterator[tuple[str, Verdict]]:
    """Yield each id with its verdict as soon as it is known."""
    chosen = statements() if only is None else [get(one) for one in only]
    for lemma in chosen:
        yield lemma.statement.id, lemma.run(subject)
