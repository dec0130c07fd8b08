"""Every frozen certificate gets the verdict and the reason that index.json names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_checks.checker import check
from proofs_checks.reading import Refused

FOLDER = Path(__file__).parents[1] / "certificates"
INDEX = json.loads((FOLDER / "index.json").read_text())


@pytest.mark.parametrize("name", INDEX)
def test_verdict_and_reason(name):
    expected = INDEX[name]
    with (FOLDER / name).open("rb") as stream:
        if expected["exit"] == 0:
            check(stream)
            return
        with pytest.raises(Refused) as refusal:
            check(stream)
    assert (refusal.value.exit_code, refusal.value.reason) == (expected["exit"], expected["reason"])
    assert refusal.value.line >= 1


def test_folders_and_index_agree():
    files = {f"{p.parent.name}/{p.name}" for f in ("accept", "reject", "malformed") for p in (FOLDER / f).iterdir()}
    assert files == set(INDEX)


def test_every_rejection_reason_of_the_specification_occurs():
    text = (Path(__file__).parents[2] / "proofs_checks" / "FORMAT.md").read_text()
    table = text[text.index("## 9.") : text.index("## 10.")]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    reasons = {word.strip(" `") for cell in cells for word in cell.split(",")}
    assert reasons - {"bad-network-file", "other-network"} == {entry["reason"] for entry in INDEX.values()} - {None}


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "proofs_checks", *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("accept/tent_on_R.jsonl", 0, ["accepted", "exactly 6 cells", "exactly 5 of them strict", "R^1"]),
        ("accept/lower_bound.jsonl", 0, ["at least 2 cells"]),
        ("accept/infeasible.jsonl", 0, ["no cell whose pattern begins 01"]),
        ("accept/point.jsonl", 0, ["a cell 00|00"]),
        ("accept/facet.jsonl", 0, ["cells 00 and 01", "facet"]),
        ("accept/merge.jsonl", 0, ["one linear region"]),
        ("reject/count_off_by_one.jsonl", 1, ["rejected", "wrong-count", "line 10"]),
        ("malformed/deeply_nested.gz", 2, ["malformed", "line 3", "bad-json"]),
        ("no/such/file", 2, ["malformed"]),
    ],
)
def test_command_line(name, code, words):
    done = run("check", FOLDER / name)
    assert done.returncode == code
    assert not done.stderr
    assert all(word in done.stdout for word in words), done.stdout
