"""Writing certificates, line by line, in the format of ``proofs_checks/FORMAT.md``.

Nodes stream to a temporary file beside the target; the first two lines, which need the counts, are known last.
`finish` puts the file together and renames it, so that a target that exists is always whole.  A target that ends in
``.gz`` is compressed: the head is a gzip member of its own.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from exactregions.domains import Domain
from exactregions.errors import UndecidedError
from exactregions.network import AffineLayer, Network, PiecewiseLinear
from exactregions.rational import format_integer, format_rational

__all__ = ["CertificateWriter", "claim_line", "encode", "encode_problem", "multipliers_json", "problem_line"]

MAX_LINE = 1 << 23
MAX_FIRST_LINE = 1 << 26


def problem_line(network: Network, domain: Domain, kind: str) -> dict[str, Any]:
    """Return the first line of a certificate."""
    form = {
        "input_dim": network.input_dim,
        "activation": [[_activation(phi) for phi in layer] for layer in network.activations],
        "layers": [_affine(layer) for layer in network.layers],
        "output_layer": None if network.output is None else _affine(network.output),
    }
    return {
        "format": "exactregions-certificate",
        "version": 1,
        "kind": kind,
        "network": form,
        "domain": domain.to_json(),
        "fingerprint": network.fingerprint,
    }


def claim_line(n_cells: int, n_strict: int, *, complete: bool) -> dict[str, Any]:
    """Return the second line of a certificate for a list of cells."""
    return {"n_cells": n_cells, "n_strict": n_strict, "complete": complete}


def _activation(phi: PiecewiseLinear) -> dict[str, list[str]]:
    return {
        "breakpoints": [format_rational(value) for value in phi.breakpoints],
        "slopes": [format_rational(value) for value in phi.slopes],
        "anchor": [format_rational(value) for value in phi.anchor],
    }


def _affine(layer: AffineLayer) -> list[Any]:
    rows = [[format_rational(value) for value in row] for row in layer.matrix.to_fractions()]
    return [[row[:-1] for row in rows], [row[-1] for row in rows]]


def encode(line: Mapping[str, Any], limit: int = MAX_LINE) -> bytes:
    """Return a line as bytes."""
    return _limited(json.dumps(line, separators=(",", ":")).encode() + b"\n", limit)


def _limited(line: bytes, limit: int) -> bytes:
    if len(line) > limit:
        raise UndecidedError(f"a line of {len(line)} bytes is too long for a certificate")
    return line


def _vector(farkas: Mapping[str, int]) -> str:
    entries = [f'"{name}":"{format_integer(value)}"' for name, value in farkas.items()]
    return f"{{{','.join(entries)}}}"


def encode_problem(network: Network, domain: Domain, kind: str) -> bytes:
    """Return the first line as bytes."""
    return encode(problem_line(network, domain, kind), MAX_FIRST_LINE)


class CertificateWriter:
    """Writes the certificate of a list of cells while its tree is walked; a context manager that leaves no scraps.

    Parameters
    ----------
    path : path-like
        The target.
    network, domain : Network, Domain
        As the user gave them.

    Examples
    --------
    >>> import exactregions as er
    >>> path = Path(tempfile.mkdtemp()) / "certificate.jsonl"
    >>> with CertificateWriter(path, er.Network([([[1]], [0])]), er.WholeSpace(1)) as writer:
    ...     writer.node(0, ["child", "child"])
    ...     writer.leaf([Fraction(-1)])
    ...     writer.leaf([Fraction(1)])
    ...     writer.finish(2, 2, complete=True)
    >>> len(path.read_text().splitlines())
    5
    """

    def __init__(self, path: str | PathLike[str], network: Network, domain: Domain) -> None:
        self.path = Path(path)
        self._problem = encode_problem(network, domain, "regions")
        self._folder = tempfile.TemporaryDirectory(prefix=f".{self.path.name}-", dir=self.path.parent)
        self._scrap = Path(self._folder.name) / "nodes"
        self._nodes = self._open(self._scrap)

    def _open(self, path: Path) -> BinaryIO:
        # the level is a compromise: 9 takes three times as long for 3 % less
        return gzip.GzipFile(path, "wb", 6, mtime=0) if self.path.suffix == ".gz" else path.open("wb")  # type: ignore[return-value]

    def node(self, neuron: int, pieces: Sequence[str | Mapping[str, int]]) -> None:
        """Write an inner node: for each piece ``child``, ``constant``, ``open``, or multipliers by row names."""
        entries = [f'"{piece}"' if isinstance(piece, str) else _vector(piece) for piece in pieces]
        self._write(f'{{"neuron":{neuron},"pieces":[{",".join(entries)}]}}\n')

    def leaf(self, witness: Sequence[Fraction]) -> None:
        """Write a cell."""
        entries = [f'"{format_rational(value)}"' for value in witness]
        self._write(f'{{"witness":[{",".join(entries)}]}}\n')

    def dead_end(self, farkas: Mapping[str, int]) -> None:
        """Write a node whose path has no point."""
        self._write(f'{{"empty":{_vector(farkas)}}}\n')

    def _write(self, line: str) -> None:
        # made by hand: a certificate has millions of lines, and nothing in them needs an escape
        self._nodes.write(_limited(line.encode("ascii"), MAX_LINE))

    def finish(self, n_cells: int, n_strict: int, *, complete: bool) -> None:
        """Put the certificate in its place."""
        self._nodes.close()
        whole = Path(self._folder.name) / "whole"
        with self._open(whole) as target:
            target.write(self._problem)
            target.write(encode(claim_line(n_cells, n_strict, complete=complete)))
        with whole.open("ab") as target, self._scrap.open("rb") as nodes:
            shutil.copyfileobj(nodes, target, 1 << 20)
        whole.replace(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._nodes.close()
        self._folder.cleanup()


def multipliers_json(farkas: Mapping[str, int]) -> dict[str, str]:
    """Return multipliers as a certificate has them."""
    return {name: format_rational(value) for name, value in farkas.items()}
