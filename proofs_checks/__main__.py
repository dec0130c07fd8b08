"""Check certificates from the command line: ``python -m proofs_checks check FILE [--network FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from proofs_checks import networks
from proofs_checks.checker import check
from proofs_checks.reading import Problem, Refused, ensure


def format_pattern(problem: Problem, pattern: list[int]) -> str:
    """Print a pattern, or its beginning, layer by layer."""
    parts = [pattern[start:end] for start, end in pairwise(problem.ends)]
    comma = "," if any(len(neuron.pieces) > 10 for neuron in problem.neurons) else ""
    return "|".join(comma.join(map(str, part)) for part in parts if part)


def statement(problem: Problem, claim: dict[str, Any]) -> str:
    """Say what an accepted certificate proves."""
    domain = problem.domain if isinstance(problem.domain, str) else json.dumps(problem.domain)
    if problem.kind == "regions":
        word = "exactly" if claim["complete"] else "at least"
        fact = f"{word} {claim['n_cells']} cells, {word} {claim['n_strict']} of them strict"
    elif problem.kind == "infeasible":
        fact = f"no cell whose pattern begins {format_pattern(problem, claim['pattern'])}"
    elif problem.kind == "point":
        kind = "a strict" if claim["strict"] else "a"
        fact = f"{kind} cell {format_pattern(problem, claim['pattern'])} that holds the witness"
    else:
        first, second = (format_pattern(problem, pattern) for pattern in claim["patterns"])
        fact = f"the cells {first} and {second}, which share a facet at the witness"
        if problem.kind == "merge":
            fact += " and one affine map, so that they belong to one linear region"
    return f"the network {problem.fingerprint} on the domain {domain} has {fact}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if the certificate is accepted, 1 if it is wrong, 2 if it cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m proofs_checks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("check", help="verify a certificate")
    command.add_argument("file", type=Path, help="the certificate, plain or gzip")
    command.add_argument(
        "--network", type=Path, help="require that the certificate is about this network (npz or JSON)"
    )
    options = parser.parse_args(arguments)
    try:
        with options.file.open("rb") as stream:
            problem, claim = check(stream)
        if options.network is not None:
            same = networks.fingerprint_of(options.network) == problem.fingerprint
            ensure(same, "other-network", f"the certificate is not about {options.network}")
    except Refused as refusal:
        word = "malformed" if refusal.exit_code == 2 else "rejected"
        place = f"line {refusal.line}: " if refusal.line else ""
        sys.stdout.write(f"{word}: {options.file}: {place}{refusal.reason}: {refusal.detail}\n")
        return refusal.exit_code
    except OSError as error:
        sys.stdout.write(f"malformed: {error}\n")
        return 2
    sys.stdout.write(f"accepted: {statement(problem, claim)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
