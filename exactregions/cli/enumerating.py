"""Commands that describe, count, list and convert."""

from __future__ import annotations

import click

import exactregions as er
from exactregions.cli.common import (
    Progress,
    fail,
    load_problem,
    print_facts,
    problem_facts,
    problem_options,
    report,
    search_options,
)
from exactregions.files import check_target
from exactregions.regions import Status

__all__ = ["convert", "count", "enumerate_", "info"]


@click.command()
@problem_options
def info(net: str, domain_text: str | None, activation: str | None, as_json: bool) -> None:
    """Describe a network file without enumerating anything."""
    network, domain = load_problem(net, domain_text, activation)
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
    print_facts(facts, as_json)


@click.command()
@problem_options
@search_options
@click.option("--certify", metavar="FILE", help="Prove the count, too: write the certificate (gzip if it ends in .gz).")
def count(
    net: str,
    domain_text: str | None,
    activation: str | None,
    as_json: bool,
    engine: str,
    max_cells: int | None,
    threads: int,
    certify: str | None,
) -> None:
    """Count the cells of a network."""
    network, domain = load_problem(net, domain_text, activation)
    with Progress() as progress:
        counted = er.count_cells(
            network,
            domain,
            engine=engine,
            max_cells=max_cells,
            threads=threads,
            certify=certify,
            observer=progress,
        )
    if certify is not None and (counted.status is Status.EXACT or max_cells is not None):
        click.echo(f"certificate: {certify}", err=True)
    print_facts(problem_facts(network, domain) | counted.summary(), as_json)
    if counted.status is Status.LOWER_BOUND and max_cells is None:
        fail("interrupted; the counts are of what was found", 130)


@click.command("enumerate")
@problem_options
@search_options
@click.option("-o", "--output", metavar="FILE", help="Save the whole result (load it with RegionComplex.load).")
@click.option("--start", metavar="X1,X2,...", help="Point to start from, for local exploration.")
@click.option("--max-depth", type=click.IntRange(min=0), help="Stop so many facets away from the start.")
@click.option("--facets", is_flag=True, help="Find which cells share a facet, too, and print how many pairs do.")
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
    facets: bool,
    patterns: bool,
) -> None:
    """List the cells of a network, with their witnesses and neighbours."""
    if output is not None:
        check_target(output)
    network, domain = load_problem(net, domain_text, activation)
    point = None if start is None else start.split(",")
    with Progress() as progress:
        found = er.enumerate_regions(
            network,
            domain,
            engine=engine,
            max_cells=max_cells,
            max_depth=max_depth,
            start=point,
            threads=threads,
            facets=facets,
            observer=progress,
        )
        n_facets = found.n_facets if facets else None
    if output is not None:
        found.save(output)
        click.echo(f"saved to {output}", err=True)
    limited = max_cells is not None or max_depth is not None
    interrupted = found.status is Status.LOWER_BOUND and not limited
    more = {} if n_facets is None else {"n_facets": n_facets}
    report(found, as_json, interrupted=interrupted, patterns=patterns, more=more)


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--activation", metavar="NAME", help="For files that do not state theirs, such as state_dicts.")
def convert(source: str, target: str, activation: str | None) -> None:
    """Convert a network file to another format (npz, json), losslessly."""
    network, domain = er.load_problem(source, activation=activation)
    er.save(network, target, domain=domain)
    click.echo(f"{target}: {network!r}, fingerprint {network.fingerprint}", err=True)
