"""Commands that study a network: bounds, ready-made networks, statements of the literature, hidden symmetries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import exactregions as er
from exactregions.cli.common import (
    DOMAIN_HELP,
    Progress,
    complex_facts,
    fail,
    load_problem,
    problem_options,
    search_options,
)
from exactregions.errors import InputError
from exactregions.files import atomic_writer, check_target
from exactregions.regions import Status

if TYPE_CHECKING:
    from exactregions.analysis.parameters import Biases

__all__ = ["bounds", "lemmas", "make", "symmetries"]


@click.command()
@click.argument("net", metavar="NET", required=False)
@click.option("--widths", metavar="D,N1,N2,...", help="A ReLU architecture in place of a network: inputs, then widths.")
@click.option("--domain", "domain_text", metavar="DOMAIN", help=DOMAIN_HELP)
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
        table = bounds_of_shape(Shape.parse(integers(widths or "", "--widths")))
    else:
        network, domain = load_problem(net, domain_text, activation)
        table = bounds_of_network(network, domain, max_cells=max_cells)
    if plot is not None:
        save_bounds_figure(table, plot)
        click.echo(f"figure: {plot}", err=True)
    click.echo(json.dumps(table.facts()) if as_json else table.text())


@click.command()
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
    read = {name: None if text is None else integers(text, f"--{name}") for name, text in lists.items()}
    network, domain = made(kind, **read, **options)
    er.save(network, output, domain=domain)
    click.echo(f"{output}: {network!r}, fingerprint {network.fingerprint}", err=True)


def integers(text: str, where: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"integers separated by commas are wanted, not {text!r}", where=where) from None


# -- statements of the literature: the only commands that import proofs_checks.lemmas ----------------------------------


@click.command()
@problem_options
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
    network, domain = load_problem(net, domain_text, activation)
    subject = checks.Subject(network, domain, samples=samples)
    bar = tqdm(checks.iter_checks(subject, only=chosen), total=len(chosen), desc="lemmas", disable=None, leave=False)
    verdicts = dict(bar)
    if report_path is not None:
        page = html_page(subject, verdicts, title=f"Statements checked on {Path(net).name}")
        with atomic_writer(report_path) as stream:
            stream.write(page.encode())
        click.echo(f"report: {report_path}", err=True)
    click.echo(json.dumps(facts(subject, verdicts)) if as_json else table(verdicts))


@click.command()
@problem_options
@search_options
@click.option("--biases", type=click.Choice(["free", "tied", "absent"]), default="free", show_default=True)
@click.option("--conditions", is_flag=True, help="Decide LRA, TPIC, genericity and supertransversality too.")
def symmetries(
    net: str,
    domain_text: str | None,
    activation: str | None,
    as_json: bool,
    engine: str,
    max_cells: int | None,
    threads: int,
    biases: Biases,
    conditions: bool,
) -> None:
    """Compute the functional dimension, and attribute what hides from it to mechanisms."""
    from exactregions.analysis.functional_dimension import functional_dimension
    from exactregions.analysis.symmetries import SymmetryReport
    from exactregions.analysis.symmetries import symmetries as explain
    from exactregions.analysis.symmetry_conditions import sufficient_conditions

    network, domain = load_problem(net, domain_text, activation)
    with Progress() as progress:
        found = er.enumerate_regions(
            network, domain, engine=engine, max_cells=max_cells, threads=threads, observer=progress
        )
    if found.status is Status.EXACT:
        answer = explain(found, biases=biases)
    else:  # a stopped search gives a bound, and no mechanism can be told
        answer = SymmetryReport(functional_dimension(found, biases=biases), (), ())
    facts = complex_facts(found) | answer.facts()
    if conditions:
        facts["conditions"] = sufficient_conditions(found).facts()
    if as_json:
        click.echo(json.dumps(facts))
    else:
        lines = [
            f"{name}: {'holds' if part['holds'] else 'fails: ' + part['reason']}"
            for name, part in facts.get("conditions", {}).items()
        ]
        click.echo("\n".join([answer.text(), *lines]))
    if progress.interrupted(found, max_cells):
        fail("interrupted; the figures are of what was found", 130)
