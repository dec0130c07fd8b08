"""What a comparison found, in words and as plain values."""

from __future__ import annotations

from collections.abc import Iterator

from exactregions.certificates import Counterexamples, Proof
from exactregions.certificates.results import Spurious
from exactregions.patterns import PatternCodec
from exactregions.rational import format_rational

__all__ = ["comparison_facts", "comparison_lines"]

Facts = dict[str, object]


def comparison_facts(answer: Proof | Counterexamples) -> Facts:
    """Return the outcome as values that JSON can hold; `agrees` says it all."""
    facts: Facts = {
        "network": answer.network.fingerprint,
        "input_dim": answer.network.input_dim,
        "hidden": list(answer.network.widths),
        "domain": str(answer.domain),
        "agrees": isinstance(answer, Proof),
    }
    if isinstance(answer, Proof):
        return {**facts, "status": "exact", "n_cells": answer.n_cells, "n_strict": answer.n_strict}
    codec = PatternCodec.of(answer.network)
    return {
        **facts,
        "n_right": answer.n_right,
        "exhaustive": answer.exhaustive,
        "missing": [
            {"pattern": codec.format(item.pattern), "witness": list(map(format_rational, item.witness))}
            for item in answer.missing
        ],
        "spurious": [
            {"row": item.position, "pattern": codec.format(item.pattern), **_reason(item)} for item in answer.spurious
        ],
        "duplicates": [
            {"rows": list(item.positions), "pattern": codec.format(item.pattern)} for item in answer.duplicates
        ],
        "malformed": [{"row": item.position, "text": item.text, "message": item.message} for item in answer.malformed],
    }


def _reason(item: Spurious) -> Facts:
    if item.farkas is None:
        return {"constant_neuron": item.constant_neuron}
    return {"farkas": {row: format_rational(value) for row, value in item.farkas.items()}}


def comparison_lines(answer: Proof | Counterexamples) -> Iterator[str]:
    """Say the outcome, a line each."""
    if isinstance(answer, Proof):
        yield f"agrees: exactly these {answer.n_cells} cells ({answer.n_strict} strict) on {answer.domain}"
        return
    codec = PatternCodec.of(answer.network)
    rest = "" if answer.exhaustive else ", and perhaps more"
    yield f"disagrees: {len(answer)} counterexamples{rest}; {answer.n_right} patterns are right"
    for missing in answer.missing:
        point = ", ".join(map(format_rational, missing.witness))
        yield f"missing    {codec.format(missing.pattern)}  has the point ({point})"
    for spurious in answer.spurious:
        yield f"spurious   {codec.format(spurious.pattern)}  (row {spurious.position}) {_why(spurious)}"
    for duplicate in answer.duplicates:
        rows = ", ".join(map(str, duplicate.positions))
        yield f"duplicate  {codec.format(duplicate.pattern)}  in rows {rows}"
    for malformed in answer.malformed:
        yield f"malformed  {malformed.text}  (row {malformed.position}): {malformed.message}"


def _why(item: Spurious) -> str:
    if item.farkas is None:
        return f"neuron {item.constant_neuron} is constant there, on another piece"
    combination = " + ".join(f"{format_rational(value)} {row}" for row, value in item.farkas.items())
    return f"its rows contradict each other: {combination} is never positive"
