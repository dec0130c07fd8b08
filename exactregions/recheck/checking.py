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
    first = lines.next()
    if first is None:
        lines.number = 1
        raise Refused("unknown-format")
    problem = read_problem(first, budget)
    if network_fingerprint is not None and problem.fingerprint != network_fingerprint:
        raise Refused("other-network")
    statement = STATEMENTS[problem.kind](problem, lines, budget)
    verdict = Verdict(True, 0, None, lines.number, problem.kind, problem.fingerprint, problem.domain_text)
    return replace(verdict, **statement)


def check(
    certificate: str | PathLike[str] | BinaryIO,
    *,
    network_fingerprint: str | None = None,
    limits: Limits = _LIMITS,
) -> Verdict:
    r"""Verify a certificate, knowing nothing of how it was made.

    Parameters
    ----------
    certificate : path-like or binary file
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
    >>> verdict = check(io.BytesIO(b'{"format": "something else"}\n'))
    >>> verdict.accepted, verdict.code, verdict.reason
    (False, 2, 'unknown-format')
    >>> print(verdict)
    malformed, line 1: unknown-format
    """
    budget = Budget(limits)
    with ExitStack() as stack:
        if isinstance(certificate, (str, PathLike)):
            try:
                stream: BinaryIO = stack.enter_context(Path(certificate).open("rb"))
            except (OSError, ValueError) as error:
                raise InputError("the certificate cannot be opened", where=str(certificate)) from error
        else:
            stream = certificate
        lines = Lines(stream, budget)
        try:
            return _verify(lines, budget, network_fingerprint)
        except Refused as refused:
            code = 2 if refused.reason.startswith(("bad-", "unknown-")) else 1
            return Verdict(False, code, refused.reason, lines.number)
