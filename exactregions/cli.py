"""The command line: thin over the library; parse, call, print.

Results go to standard output, progress and messages to standard error.  Exit codes: 0 done (also with a lower bound
after a budget), 1 the answer is no, 2 bad input, 3 undecided or internal, 130 Ctrl-C after saving what was found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, Self

import click

import exactregions as er
from exactregions.certificates.observers import NullObserver, Problem
from exactregions.domains import Domain, domain_from_json
from exactregions.enumeration import ENGINES
from exactregions.errors import ExactRegionsError, FormatError, InputError
from exactregions.files import check_target
from exactregions.regions import RegionComplex, Status

__all__ = ["main"]

_DOMAIN_HELP = (
    "R (the whole input space), box:-1,1 (the same side in every coordinate), box:FILE, slice:FILE or polyhedron:FILE "
    "(JSON).  Default: the file's own domain, else R."
)


class _Commands(click.Group):
    """A group whose errors are one line on standard error with the exit codes of the module's docstring."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn its exceptions into exit codes."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            _fail(str(error), 2)
        except ExactRegionsError as error:
            _fail(str(error), 3)
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except MemoryError:
            _fail("out of memory; nothing was decided", 3)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"exactregions: {message}", err=True)
    sys.exit(code)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(er.__version__, prog_name="exactregions")
def main() -> None:
    """Count, list and prove the activation regions of piecewise-linear networks, exactly."""


def _problem_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--activation", metavar="NAME", help="For files that do not state theirs, such as state_dicts."),
        click.option("--domain", "domain_text", metavar="DOMAIN", help=_DOMAIN_HELP),
        click.argument("net", metavar="NET"),
    ):
        command = option(command)
    return command


def _search_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="For split."),
        click.option("--max-cells", type=click.IntRange(min=1), help="Stop after so many cells (a lower bound)."),
        click.option("--engine", type=click.Choice(ENGINES), default="auto", show_default=True),
    ):
        command = option(command)
    return command


@main.command()
@_problem_options
def info(net: str, domain_text: str | None, activation: str | None, as_json: bool) -> None:
    """Describe a network file without enumerating anything."""
    network, domain = _load(net, domain_text, activation)
    facts = {
        "network": network.fingerprint,
        "input_dim": network.input_dim,
        "hidden": list(network.widths),
        "output_dim": network.output_dim,
        "activation": list(dict.fromkeys(map(str, network.neurons))),
        "domain": str(domain),
        "zero_bias": network.has_zero_bias,
        "positively_homogeneous": network.is_positively_homogeneous,
    }
    _print(facts, as_json)


@main.command()
@_problem_options
@_search_options
def count(
    net: str,
    domain_text: str | None,
    activation: str | None,
    as_json: bool,
    engine: str,
    max_cells: int | None,
    threads: int,
) -> None:
    """Count the cells of a network."""
    network, domain = _load(net, domain_text, activation)
    with _Progress() as progress:
        counted = er.count_cells(
            network, domain, engine=engine, max_cells=max_cells, threads=threads, observer=progress
        )
    _print(_problem_facts(network, domain) | counted.summary(), as_json)
    if counted.status is Status.LOWER_BOUND and max_cells is None:
        _fail("interrupted; the counts are of what was found", 130)


@main.command("enumerate")
@_problem_options
@_search_options
@click.option("-o", "--output", metavar="FILE", help="Save the whole result (load it with RegionComplex.load).")
@click.option("--start", metavar="X1,X2,...", help="Point to start from, for local exploration.")
@click.option("--max-depth", type=click.IntRange(min=0), help="Stop so many facets away from the start.")
@click.option("--patterns", is_flag=True, help="Print every pattern too, one a line.")
def enumerate_(
    net: str,
    domain_text: str | None,
    activation: str | None,
    as_json: bool,
    engine: str,
    max_cells: int | None,
    threads: int,
    output: str | None,
    start: str | None,
    max_depth: int | None,
    patterns: bool,
) -> None:
    """List the cells of a network, with their witnesses and neighbours."""
    if output is not None:
        check_target(output)
    network, domain = _load(net, domain_text, activation)
    point = None if start is None else start.split(",")
    with _Progress() as progress:
        found = er.enumerate_regions(
            network,
            domain,
            engine=engine,
            max_cells=max_cells,
            max_depth=max_depth,
            start=point,
            threads=threads,
            observer=progress,
        )
    if output is not None:
        found.save(output)
        click.echo(f"saved to {output}", err=True)
    limited = max_cells is not None or max_depth is not None
    _report(found, as_json, interrupted=found.status is Status.LOWER_BOUND and not limited, patterns=patterns)


@main.command()
@_problem_options
@_search_options
@click.option("-o", "--output", metavar="FILE", required=True, help="The certificate; gzip if it ends in .gz.")
def certify(
    net: str,
    domain_text: str | None,
    activation: str | None,
    as_json: bool,
    engine: str,
    max_cells: int | None,
    threads: int,
    output: str,
) -> None:
    """List the cells of a network and write a proof of the list."""
    network, domain = _load(net, domain_text, activation)
    with _Progress() as progress:
        found = er.enumerate_regions(
            network,
            domain,
            engine=engine,
            max_cells=max_cells,
            threads=threads,
            certify=output,
            observer=progress,
        )
    click.echo(f"certificate: {output}", err=True)
    _report(found, as_json, interrupted=progress.interrupted(found, max_cells))


@main.command()
@click.argument("certificate", metavar="FILE")
@click.option("--network", "net", metavar="NET", help="Require that the certificate is about this network.")
@click.option("--fast", is_flag=True, help="Use the second checker: faster, and independent of the small trusted one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(certificate: str, net: str | None, fast: bool, as_json: bool) -> None:
    """Verify a certificate: exit code 0 if it is right, 1 if it is wrong, 2 if it cannot be read."""
    fingerprint = None if net is None else er.load(net).fingerprint
    facts, text = _checked_fast(certificate) if fast else _checked(certificate)
    if fingerprint not in (None, facts["network"]):
        _fail(f"{certificate}: other-network: the certificate is not about {net}", 1)
    click.echo(json.dumps(facts) if as_json else f"accepted: {text}")


@main.command()
@_problem_options
@click.argument("patterns", metavar="PATTERNS")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="Stop after so many faults.")
def compare(
    net: str, patterns: str, domain_text: str | None, activation: str | None, as_json: bool, limit: int
) -> None:
    """Compare somebody else's list of regions with the truth: exit code 0 if they agree, 1 if not."""
    from exactregions.compare import compare_file, comparison_facts, comparison_lines

    network, domain = _load(net, domain_text, activation)
    answer = compare_file(network, domain, patterns, limit=limit)
    if as_json:
        click.echo(json.dumps(comparison_facts(answer)))
    else:
        click.echo("\n".join(comparison_lines(answer)))
    sys.exit(0 if answer.holds else 1)


@main.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--activation", metavar="NAME", help="For files that do not state theirs, such as state_dicts.")
def convert(source: str, target: str, activation: str | None) -> None:
    """Convert a network file to another format (npz, json), losslessly."""
    network, domain = er.load_problem(source, activation=activation)
    er.save(network, target, domain=domain)
    click.echo(f"{target}: {network!r}, fingerprint {network.fingerprint}", err=True)


def _checked(path: str) -> tuple[dict[str, Any], str]:
    """Run the small trusted checker; return what it verified as values and in words."""
    from proofs_checks.__main__ import statement
    from proofs_checks.checker import check as verify
    from proofs_checks.reading import Refused

    try:
        with Path(path).open("rb") as stream:
            problem, claim = verify(stream)
    except OSError as error:
        raise InputError(error.strerror or type(error).__name__, where=path) from None
    except Refused as refusal:
        place = f"line {refusal.line}: " if refusal.line else ""
        _fail(f"{path}: {place}{refusal.reason}: {refusal.detail}", refusal.exit_code)
    facts = {"network": problem.fingerprint, "domain": problem.domain, "kind": problem.kind, "claim": claim}
    if problem.kind == "regions":
        facts |= {"status": "exact" if claim["complete"] else "lower_bound"}
        facts |= {key: claim[key] for key in ("n_cells", "n_strict")}
    return facts, statement(problem, claim)


def _checked_fast(path: str) -> tuple[dict[str, Any], str]:
    """Run the second checker instead."""
    from exactregions.recheck import check as recheck

    verdict = recheck(path)
    if not verdict.accepted:
        _fail(f"{path}: {verdict}", verdict.code)
    facts: dict[str, Any] = {"network": verdict.fingerprint, "domain": verdict.domain, "kind": verdict.kind}
    if verdict.kind == "regions":
        facts |= {"status": "exact" if verdict.complete else "lower_bound"}
        facts |= {"n_cells": verdict.n_cells, "n_strict": verdict.n_strict}
    return facts, str(verdict).removeprefix("accepted: ")


def _load(net: str, domain_text: str | None, activation: str | None) -> tuple[er.Network, Domain]:
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
    raise InputError(f"not a domain: {text!r}", where="--domain", remedy=_DOMAIN_HELP)


class _Progress(NullObserver):
    """A progress line on standard error, silent when it is not a terminal."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(desc="cells", unit=" cells", disable=None, leave=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def start(self, problem: Problem) -> None:
        self._bar.set_description(problem.engine)

    def progress(self, done: int, waiting: int) -> None:
        self._bar.update(done - self._bar.n)
        self._bar.set_postfix(waiting=waiting, refresh=False)

    @staticmethod
    def interrupted(found: RegionComplex, limit: int | None) -> bool:
        """Whether a search without a limit came back incomplete."""
        return found.status is Status.LOWER_BOUND and limit is None


def _problem_facts(network: er.Network, domain: Domain) -> dict[str, Any]:
    """What every command says of its problem, under the keys of the JSON output."""
    return {
        "network": network.fingerprint,
        "input_dim": network.input_dim,
        "hidden": list(network.widths),
        "domain": str(domain),
    }


def _report(found: RegionComplex, as_json: bool, *, interrupted: bool, patterns: bool = False) -> None:
    facts = found.summary()
    if patterns:
        facts["patterns"] = found.pattern_texts()
    _print(facts, as_json)
    if interrupted:
        _fail("interrupted; the counts are of what was found", 130)


def _print(facts: dict[str, Any], as_json: bool) -> None:
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


@main.command()
@click.argument("net", metavar="NET", required=False)
@click.option("--widths", metavar="D,N1,N2,...", help="A ReLU architecture in place of a network: inputs, then widths.")
@click.option("--domain", "domain_text", metavar="DOMAIN", help=_DOMAIN_HELP)
@click.option("--activation", metavar="NAME", help="For files that do not state theirs, such as state_dicts.")
@click.option("--max-cells", type=click.IntRange(min=1), help="Stop counting a deep network there (a lower bound).")
@click.option("--plot", metavar="FILE", help="Draw bounds and counts against width and depth (png, pdf, svg).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bounds(
    net: str | None,
    widths: str | None,
    domain_text: str | None,
    activation: str | None,
    max_cells: int | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Set every published bound beside the exact count, with its conditions."""
    from exactregions.analysis.bounds import bounds_of_network, bounds_of_shape
    from exactregions.analysis.bounds_plot import check_figure, save_bounds_figure
    from exactregions.analysis.shapes import Shape

    if (net is None) == (widths is None):
        raise InputError("give either a network or --widths", where="bounds")
    if plot is not None:
        check_figure(plot)
    if net is None:
        if domain_text is not None or activation is not None or max_cells is not None:
            raise InputError("--domain, --activation and --max-cells are for a network, not for --widths")
        table = bounds_of_shape(Shape.parse(_integers(widths or "", "--widths")))
    else:
        network, domain = _load(net, domain_text, activation)
        table = bounds_of_network(network, domain, max_cells=max_cells)
    if plot is not None:
        save_bounds_figure(table, plot)
        click.echo(f"figure: {plot}", err=True)
    click.echo(json.dumps(table.facts()) if as_json else table.text())


@main.command()
@click.argument("kind", metavar="KIND")
@click.option("--widths", metavar="D,N1,N2,...", help="Inputs, then hidden widths (random, fold, serra).")
@click.option("--depth", type=int, help="Number of layers (tent, zonotope).")
@click.option("--size", type=int, help="Size of a family, or number of hyperplanes or generators.")
@click.option("--sizes", metavar="M1,M2,...", help="Sizes of the families of parallel hyperplanes.")
@click.option("--inputs", type=int, help="Number of inputs.")
@click.option("--teeth", type=int, help="Teeth of the sawtooths (zonotope).")
@click.option("--law", help="Law of random weights: he, uniform, integer, zero-bias.")
@click.option("--seed", type=int, help="Seed of random weights.")
@click.option("--activation", metavar="NAME", help="Activation of a random network.")
@click.option("-o", "--output", metavar="FILE", required=True, help="Network file to write (npz, json).")
def make(kind: str, output: str, widths: str | None, sizes: str | None, **options: Any) -> None:
    """Write a network that attains a bound, a classical arrangement as a layer, or a random network.

    Kinds: tent, fold, serra, zonotope, random; boolean, braid, type-b, type-d, f4, e6, e7, e8, resonance, threshold,
    linear-threshold, shi, catalan, linial, semiorder, cycle, generic, generic-central, parallel.
    """
    from exactregions.analysis.making import make as made

    check_target(output)
    lists = {"widths": widths, "sizes": sizes}
    read = {name: None if text is None else _integers(text, f"--{name}") for name, text in lists.items()}
    network, domain = made(kind, **read, **options)
    er.save(network, output, domain=domain)
    click.echo(f"{output}: {network!r}, fingerprint {network.fingerprint}", err=True)


def _integers(text: str, where: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"integers separated by commas are wanted, not {text!r}", where=where) from None


# -- statements of the literature: the only commands that import proofs_checks.lemmas ----------------------------------


@main.command()
@_problem_options
@click.option("--only", metavar="ID,ID,...", help="Check these statements only; `list` prints them all.")
@click.option("--report", "report_path", metavar="FILE.html", help="Write a self-contained page with pictures.")
@click.option("--samples", type=click.IntRange(min=2), default=12, show_default=True, help="Random networks drawn.")
@click.option("--load", "extra", metavar="FILE.py", multiple=True, help="Run a file that registers more statements.")
def lemmas(
    net: str,
    domain_text: str | None,
    activation: str | None,
    as_json: bool,
    only: str | None,
    report_path: str | None,
    samples: int,
    extra: tuple[str, ...],
) -> None:
    """Check the statements of the literature on a network."""
    import runpy

    from tqdm.auto import tqdm

    from proofs_checks import lemmas as checks
    from proofs_checks.lemmas.report import facts, html_page, table

    if report_path is not None:
        check_target(report_path)
    for path in extra:
        if not Path(path).is_file():
            raise InputError("no such file", where=path)
        runpy.run_path(path)
    names = [lemma.statement.id for lemma in checks.statements()]
    if only == "list":
        click.echo("\n".join(f"{name}  {checks.get(name).statement.title}" for name in names))
        return
    chosen = names if only is None else [checks.get(name.strip()).statement.id for name in only.split(",")]
    network, domain = _load(net, domain_text, activation)
    subject = checks.Subject(network, domain, samples=samples)
    bar = tqdm(checks.iter_checks(subject, only=chosen), total=len(chosen), desc="lemmas", disable=None, leave=False)
    verdicts = dict(bar)
    if report_path is not None:
        page = html_page(subject, verdicts, title=f"Statements checked on {Path(net).name}")
        Path(report_path).write_text(page, encoding="utf-8")
        click.echo(f"report: {report_path}", err=True)
    click.echo(json.dumps(facts(subject, verdicts)) if as_json else table(verdicts))
