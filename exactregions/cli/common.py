"""What the commands share: options, loading, progress, printing, and how errors end.

Results go to standard output, progress and messages to standard error.  Exit codes: 0 done (also with a lower bound
after a budget), 1 the answer is no, 2 bad input, 3 undecided or internal, 130 Ctrl-C after saving what was found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

import click

import exactregions as er
from exactregions.certificates.observers import NullObserver, Problem
from exactregions.domains import Domain, domain_from_json
from exactregions.enumeration import ENGINES
from exactregions.errors import FormatError, InputError
from exactregions.regions import RegionComplex, Status

__all__ = [
    "DOMAIN_HELP",
    "Progress",
    "complex_facts",
    "fail",
    "load_problem",
    "print_facts",
    "problem_facts",
    "problem_options",
    "report",
    "search_options",
]

DOMAIN_HELP = (
    "R (the whole input space), box:-1,1 (the same side in every coordinate), box:FILE, slice:FILE or polyhedron:FILE "
    "(JSON).  Default: the file's own domain, else R."
)


_LINEAR_UP_TO = 10_000  # cells; beyond, merging takes longer than most who only list would wait


def fail(message: str, code: int) -> NoReturn:
    """Say one line on standard error and exit."""
    click.echo(f"exactregions: {message}", err=True)
    sys.exit(code)


def problem_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the network, the domain, and JSON output."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--activation", metavar="NAME", help="For files that do not state theirs, such as state_dicts."),
        click.option("--domain", "domain_text", metavar="DOMAIN", help=DOMAIN_HELP),
        click.argument("net", metavar="NET"),
    ):
        command = option(command)
    return command


def search_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the choice of engine, its threads, and a budget."""
    for option in (
        click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="For split."),
        click.option("--max-cells", type=click.IntRange(min=1), help="Stop after so many cells (a lower bound)."),
        click.option("--engine", type=click.Choice(ENGINES), default="auto", show_default=True),
    ):
        command = option(command)
    return command


def load_problem(net: str, domain_text: str | None, activation: str | None) -> tuple[er.Network, Domain]:
    """Read the network, and the domain from the option or else from the file."""
    network, domain = er.load_problem(net, activation=activation)
    return network, domain if domain_text is None else _domain(domain_text, network.input_dim)


def _domain(text: str, input_dim: int) -> Domain:
    """Read what the option --domain says."""
    kind, _, rest = text.partition(":")
    if text in {"R", f"R^{input_dim}"}:
        return er.WholeSpace(input_dim)
    if kind == "box" and not Path(rest).exists() and rest.count(",") == 1:
        low, high = rest.split(",")
        return er.Box([low] * input_dim, [high] * input_dim)
    if kind in {"box", "slice", "polyhedron"} and rest:
        try:
            value = json.loads(Path(rest).read_text(encoding="utf-8"), parse_float=str)
        except FileNotFoundError:
            raise InputError("no such file", where=rest) from None
        except (OSError, ValueError) as error:
            raise FormatError(f"not readable as JSON ({type(error).__name__})", where=rest) from None
        domain = domain_from_json(value, where=rest)
        if kind != type(domain).__name__.lower():
            raise FormatError(f"the file holds a {type(domain).__name__.lower()}, not a {kind}", where=rest)
        return domain
    raise InputError(f"not a domain: {text!r}", where="--domain", remedy=DOMAIN_HELP)


class Progress(NullObserver):
    """A progress line on standard error, silent when it is not a terminal."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(desc="cells", unit=" cells", disable=None, leave=False)
        self._engine = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def start(self, problem: Problem) -> None:
        """Name the engine."""
        self._engine = problem.engine
        self._bar.set_description_str(problem.engine)

    def progress(self, done: int, waiting: int) -> None:
        """Show how far the search is; of `split`, which estimates the rest, out of about how many cells."""
        if self._engine == "split":
            self._bar.total = done + waiting if waiting else None
        else:
            self._bar.set_postfix(waiting=waiting, refresh=False)
        self._bar.update(done - self._bar.n)

    @staticmethod
    def interrupted(found: RegionComplex, limit: int | None) -> bool:
        """Whether a search without a limit came back incomplete."""
        return found.status is Status.LOWER_BOUND and limit is None


def problem_facts(network: er.Network, domain: Domain) -> dict[str, Any]:
    """What every command says of its problem, under the keys of the JSON output."""
    return {
        "network": network.fingerprint,
        "input_dim": network.input_dim,
        "hidden": list(network.widths),
        "domain": str(domain),
    }


def complex_facts(found: RegionComplex) -> dict[str, Any]:
    """What a complex is, with its linear regions unless these would take long."""
    facts = found.summary()
    if found.status is Status.EXACT and found.n_cells <= _LINEAR_UP_TO:
        facts = {**facts, "n_linear": found.n_linear, "seconds": facts["seconds"]}
    return facts


def report(
    found: RegionComplex,
    as_json: bool,
    *,
    interrupted: bool,
    patterns: bool = False,
    more: Mapping[str, int] | None = None,
) -> None:
    """Print what a complex is; if it was interrupted, exit with 130 after that."""
    facts = complex_facts(found) | dict(more or {})
    if patterns:
        facts["patterns"] = found.pattern_texts()
    print_facts(facts, as_json)
    if interrupted:
        fail("interrupted; the counts are of what was found", 130)


def print_facts(facts: dict[str, Any], as_json: bool) -> None:
    """Print values as one JSON object or as a table."""
    if as_json:
        click.echo(json.dumps(facts))
        return
    listed = facts.pop("patterns", [])
    width = max(map(len, facts))
    for key, value in facts.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else value
        click.echo(f"{key:<{width}}  {text}")
    for pattern in listed:
        click.echo(pattern)
