"""Commands that make and check proofs, and compare somebody else's list with the truth."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

import exactregions as er
from exactregions.cli.common import Progress, fail, load_problem, problem_options, report, search_options
from exactregions.errors import InputError

__all__ = ["certify", "check", "compare"]


@click.command()
@problem_options
@search_options
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
    network, domain = load_problem(net, domain_text, activation)
    with Progress() as progress:
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
    report(found, as_json, interrupted=progress.interrupted(found, max_cells))


@click.command()
@click.argument("certificate", metavar="FILE")
@click.option("--network", "net", metavar="NET", help="Require that the certificate is about this network.")
@click.option("--fast", is_flag=True, help="Use the second checker: faster, and independent of the small trusted one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(certificate: str, net: str | None, fast: bool, as_json: bool) -> None:
    """Verify a certificate: exit code 0 if it is right, 1 if it is wrong, 2 if it cannot be read."""
    fingerprint = None if net is None else er.load(net).fingerprint
    facts, text = _checked_fast(certificate) if fast else _checked(certificate)
    if fingerprint not in (None, facts["network"]):
        fail(f"{certificate}: other-network: the certificate is not about {net}", 1)
    click.echo(json.dumps(facts) if as_json else f"accepted: {text}")


@click.command()
@problem_options
@click.argument("patterns", metavar="PATTERNS")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="Stop after so many faults.")
def compare(
    net: str, patterns: str, domain_text: str | None, activation: str | None, as_json: bool, limit: int
) -> None:
    """Compare somebody else's list of regions with the truth: exit code 0 if they agree, 1 if not."""
    from exactregions.compare import compare_file, comparison_facts, comparison_lines

    network, domain = load_problem(net, domain_text, activation)
    answer = compare_file(network, domain, patterns, limit=limit)
    if as_json:
        click.echo(json.dumps(comparison_facts(answer)))
    else:
        click.echo("\n".join(comparison_lines(answer)))
    sys.exit(0 if answer.holds else 1)


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
        fail(f"{path}: {place}{refusal.reason}: {refusal.detail}", refusal.exit_code)
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
        fail(f"{path}: {verdict}", verdict.code)
    facts: dict[str, Any] = {"network": verdict.fingerprint, "domain": verdict.domain, "kind": verdict.kind}
    if verdict.kind == "regions":
        facts |= {"status": "exact" if verdict.complete else "lower_bound"}
        facts |= {"n_cells": verdict.n_cells, "n_strict": verdict.n_strict}
    return facts, str(verdict).removeprefix("accepted: ")
