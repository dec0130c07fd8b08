"""How verdicts are shown: a table for the terminal, an object for JSON, and a self-contained page of HTML."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from proofs_checks.lemmas.pictures import can_draw, draw, marked_points
from proofs_checks.lemmas.support.subject import Subject
from proofs_checks.lemmas.verdict import Answer, Estimate, Verdict, plain

__all__ = ["facts", "html_page", "table"]

Verdicts = Mapping[str, Verdict]
_WORDS = {Answer.HOLDS: "HOLDS", Answer.FAILS: "FAILS", Answer.NOT_APPLICABLE: "not applicable"}
_CLASS = {Answer.HOLDS: "holds", Answer.FAILS: "fails", Answer.NOT_APPLICABLE: "off"}
_LEAD = (
    "Statements of the literature, checked exactly on this network. Numbers are exact rationals; every verdict rests on"
    " a list of cells that was proved complete."
)
_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2a37; margin: 0 auto; max-width: 62rem; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1.05rem; margin: 0; } a { color: inherit; }
.sub { color: #55606e; margin: 0 0 1rem; } .mono, code { font-family: ui-monospace, monospace; font-size: .88em; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
th { font-weight: 600; color: #55606e; }
.index td { border-top: 1px solid #e4e7eb; } .index .why { color: #55606e; font-size: .9em; overflow-wrap: anywhere; }
.badge { border-radius: .3rem; padding: .1rem .5rem; font-size: .8rem; font-weight: 600; white-space: nowrap; }
.holds { background: #dcefdc; color: #1c5a24; } .fails { background: #f9dcda; color: #8c1d18; }
.off { background: #eceef1; color: #55606e; }
.card { border: 1px solid #d8dde3; border-radius: .5rem; padding: .9rem 1.1rem; margin: .9rem 0; }
.card header { display: flex; gap: .8rem; align-items: baseline; justify-content: space-between; }
.card p { margin: .4rem 0; } .cols { display: flex; gap: 1.2rem; flex-wrap: wrap; align-items: flex-start; }
.cols > div { flex: 1 1 20rem; min-width: 0; } .cols > figure { flex: 0 0 20rem; margin: 0; }
img { max-width: 100%; height: auto; } .facts td { overflow-wrap: anywhere; }
.small { font-size: .87em; color: #55606e; } details { margin: .3rem 0; } summary { cursor: pointer; }
.bar { position: relative; height: .55rem; width: 14rem; background: #eceef1; border-radius: .3rem; margin: .25rem 0; }
.bar i { position: absolute; top: 0; bottom: 0; background: #5b8fb9; border-radius: .3rem; }
.bar b { position: absolute; top: -.2rem; bottom: -.2rem; width: 2px; background: #b3261e; }
.hero { max-width: 27rem; } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; }
"""


def facts(subject: Subject, verdicts: Verdicts) -> dict[str, Any]:
    """Return everything as plain values, for JSON.

    Examples
    --------
    >>> import exactregions as er
    >>> from proofs_checks import lemmas
    >>> subject = lemmas.Subject(er.Network([([[1]], [0])]))
    >>> found = facts(subject, dict(lemmas.iter_checks(subject, only=["euler"])))
    >>> found["n_cells"], found["verdicts"]
    (2, {'euler': {'verdict': 'HOLDS', 'detail': {'f_vector': [1, 2]}}})
    """
    return {
        **subject.complex.summary(),
        "n_linear": subject.n_linear,
        "verdicts": {name: verdict.to_json() for name, verdict in verdicts.items()},
    }


def table(verdicts: Verdicts, *, width: int = 110) -> str:
    """Return the terminal's table: one line a statement, and how many hold, fail and do not apply."""
    if not verdicts:
        return "no statement was checked"
    longest = max(map(len, verdicts))
    lines = []
    for name, verdict in verdicts.items():
        head = f"{name:<{longest}}  {_WORDS[verdict.answer]:<14}  "
        room = max(20, width - len(head))
        text = verdict.summary
        lines.append(head + (text if len(text) <= room else text[: room - 3] + "..."))
    tally = [f"{_count(verdicts, answer)} {word}" for answer, word in _WORDS.items()]
    return "\n".join([*lines, "", ", ".join(tally)])


def html_page(subject: Subject, verdicts: Verdicts, *, title: str) -> str:
    """Return a page that needs no other file: the network, a picture where d <= 2, every statement with its verdict."""
    network = subject.network
    shape = "-".join(map(str, (network.input_dim, *network.widths, network.output_dim)))
    counts = {
        "network": f"{shape}, {', '.join(dict.fromkeys(map(str, network.neurons))) or 'affine'}",
        "fingerprint": network.fingerprint,
        "domain": str(subject.domain),
        "cells": f"{len(subject.cells)} ({subject.n_strict} strict)",
        "linear regions": str(subject.n_linear),
        "facets": str(len(subject.facets)),
        "engine": f"{subject.complex.engine}, status {subject.complex.status.value}",
    }
    rows = "".join(f"<tr><th>{key}</th><td class=mono>{escape(value)}</td></tr>" for key, value in counts.items())
    hero = f"<figure class=hero>{draw(subject)}</figure>" if can_draw(subject) else ""
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p class=sub>{_LEAD}</p>",
        f"<div class=cols><div><table class=facts>{rows}</table>{_tally(verdicts)}</div>{hero}</div>",
        f"<h2>Overview</h2>{_index(verdicts)}",
    ]
    for answer, heading in (
        (Answer.FAILS, "What fails, and where"),
        (Answer.HOLDS, "What holds, and what was looked at"),
        (Answer.NOT_APPLICABLE, "What does not apply"),
    ):
        chosen = [verdict for verdict in verdicts.values() if verdict.answer is answer]
        if chosen:
            parts.append(f"<h2>{heading}</h2>")
            parts += [_card(subject, verdict) for verdict in chosen]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _count(verdicts: Verdicts, answer: Answer) -> int:
    return sum(verdict.answer is answer for verdict in verdicts.values())


def _tally(verdicts: Verdicts) -> str:
    badges = [
        f'<span class="badge {_CLASS[answer]}">{_count(verdicts, answer)} {word.lower()}</span>'
        for answer, word in _WORDS.items()
    ]
    return f"<p>{' '.join(badges)}</p>"


def _badge(verdict: Verdict) -> str:
    word = _WORDS[verdict.answer]
    if verdict.statement.statistical and verdict.answer is Answer.HOLDS:
        word = "holds within the interval"
    return f'<span class="badge {_CLASS[verdict.answer]}">{word}</span>'


def _index(verdicts: Verdicts) -> str:
    rows = "".join(
        f'<tr><td><a href="#{name}">{escape(verdict.statement.title)}</a></td><td>{_badge(verdict)}</td>'
        f"<td class=why>{escape(_clip(verdict.reason or verdict.summary))}</td></tr>"
        for name, verdict in verdicts.items()
    )
    return f"<table class=index>{rows}</table>"


def _clip(text: str, most: int = 130) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _card(subject: Subject, verdict: Verdict) -> str:
    statement = verdict.statement
    picture = ""
    if verdict.answer is Answer.FAILS and can_draw(subject) and marked_points(subject, verdict):
        picture = f"<figure>{draw(subject, verdict)}</figure>"
    parts = [f"<p>{escape(statement.text)}</p>"]
    if verdict.reason:
        word = {Answer.FAILS: "Cause", Answer.NOT_APPLICABLE: "Hypothesis that fails"}.get(verdict.answer, "Note")
        parts.append(f"<p><b>{word}:</b> {escape(verdict.reason)}.</p>")
    parts += [_interval(estimate) for estimate in verdict.estimates]
    if verdict.counterexample:
        names = "ABCDEF"[: len(marked_points(subject, verdict))] if picture else ""
        word = "point" if len(names) == 1 else "points"
        caption = f" ({word} {', '.join(names)} in the picture)" if names else ""
        parts.append(f"<p><b>Counterexample</b>{caption}</p>{_values(verdict.counterexample)}")
    if verdict.detail:
        parts.append(
            f"<p><b>{'Looked at' if verdict.answer is Answer.HOLDS else 'Counts'}</b></p>{_values(verdict.detail)}"
        )
    parts.append(_small(verdict))
    return (
        f'<section class=card id="{statement.id}"><header><h3>{escape(statement.title)} '
        f"<span class='small mono'>{statement.id}</span></h3>{_badge(verdict)}</header>"
        f"<div class=cols><div>{''.join(parts)}</div>{picture}</div></section>"
    )


def _small(verdict: Verdict) -> str:
    statement = verdict.statement
    marks = "; ".join(f"{'✓' if one.holds else '✗'} {escape(one.name)}" for one in verdict.hypotheses)
    lines = [
        ("Hypotheses", marks),
        ("Route", escape(statement.route)),
        ("Source", escape(statement.source)),
        ("Scope", escape(statement.scope.value)),
        ("LaTeX", f"<pre class=mono>{escape(statement.latex)}</pre>" if statement.latex else ""),
    ]
    rows = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in lines if text)
    return f"<details class=small><summary>how it was decided, and the source</summary><table>{rows}</table></details>"


def _values(values: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{escape(key.replace('_', ' '))}</th><td class=mono>{escape(_text(plain(value)))}</td></tr>"
        for key, value in values.items()
    )
    return f"<table class=facts>{rows}</table>"


def _text(value: Any) -> str:
    if isinstance(value, list):
        if len(value) > 40:
            return ", ".join(map(_text, value[:40])) + f", and {len(value) - 40} more"
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, dict):
        return "; ".join(f"{str(key).replace('_', ' ')}: {_text(one)}" for key, one in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def _interval(estimate: Estimate) -> str:
    """A bar with the interval, and a line at the value of the statement."""
    ends = [estimate.low, estimate.high, *([] if estimate.against is None else [estimate.against])]
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0
    low, span = low - 0.1 * span, 1.2 * span

    def place(value: float) -> float:
        return round(100 * (value - low) / span, 2)

    width = max(1.0, place(estimate.high) - place(estimate.low))
    line = "" if estimate.against is None else f'<b style="left:{place(estimate.against)}%"></b>'
    return (
        f"<p class=small>{escape(str(estimate))}</p><div class=bar>"
        f'<i style="left:{place(estimate.low)}%;width:{width}%"></i>{line}</div>'
    )
