"""`check`: open a certificate, read it once, and say what it proves."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from exactregions.errors import InputError
from exactregions.recheck.kinds import STATEMENTS
from exactregions.recheck.lines import Lines
from exactregions.recheck.problem import read_problem
from exactregions.recheck.verdicts import Budget, Limits, Refused, Verdict

__all__ = ["check"]

_LIMITS = Limits()


def _verify(lines: Lines, budget: Budget, network_fingerprint: str | None) -> Verdict:
    problem = read_problem(lines.next(), budget)
    statement = STATEMENTS[problem.kind](problem, lines, budget)
    if network_fingerprint is not None and problem.fingerprint != network_fingerprint:
        lines.number = 1  # where the network is
        raise Refused("other-network")
    verdict = Verdict(True, 0, None, lines.number, problem.kind, problem.fingerprint, problem.domain_text)
    return replace(verdict, **statement)


def check(
    path_or_stream: str | PathLike[str] | BinaryIO,
    *,
    network_fingerprint: str | None = None,
    limits: Limits = _LIMITS,
) -> Verdict:
    r"""Verify a certificate, knowing nothing of how it was made.

    Parameters
    ----------
    path_or_stream : path-like or binary file
        Plain or gzip; read once, from where it stands, and not closed if it is a file.
    network_fingerprint : str, optional
        Lower-case hexadecimal sha256 of the network that the certificate must be about.
    limits : Limits
        Beyond these a certificate is malformed.

    Returns
    -------
    Verdict
        Whatever is in the file.

    Raises
    ------
    InputError
        If there is no file to read.

    Examples
    --------
    >>> import io
    >>> print(check(io.BytesIO(b"")))
    malformed, line 1: unknown-format

    The identity on R has one cell:

    >>> network = '{"input_dim": 1, "layers": [], "activation": [], "output_layer": null}'
    >>> fingerprint = "ee2744a55ac79a402de6d243f3ce14253d45248c26dc7431c8142295a9bcdbee"
    >>> text = f'''{{"format": "exactregions-certificate", "version": 1, "kind": "regions", "network": {network},
    ... "domain": "R^1", "fingerprint": "{fingerprint}"}}'''.replace("\n", "")
    >>> text += '''
    ... {"n_cells": 1, "n_strict": 1, "complete": true}
    ... {"witness": ["1/3"]}
    ... '''
    >>> verdict = check(io.BytesIO(text.encode()))
    >>> verdict.accepted, verdict.n_cells, verdict.domain
    (True, 1, 'R^1')
    """
    budget = Budget(limits)
    with ExitStack() as stack:
        if isinstance(path_or_stream, (str, PathLike)):
            try:
                stream: BinaryIO = stack.enter_context(Path(path_or_stream).open("rb"))
            except (OSError, ValueError) as error:
                raise InputError("the certificate cannot be opened", where=str(path_or_stream)) from error
        else:
            stream = path_or_stream
        lines = Lines(stream, budget)
        try:
            return _verify(lines, budget, network_fingerprint)
        except Refused as refused:
            code = 2 if refused.reason.startswith(("bad-", "unknown-")) else 1
            return Verdict(False, code, refused.reason, lines.number)
