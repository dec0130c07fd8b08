"""The fifteen statements of verdicts.json, decided elsewhere: verdicts, counts, reasons and what of a counterexample is
determined (points are not: any point of a cell will do)."""

from __future__ import annotations

import pytest

from proofs_checks import lemmas
from tests.lemmas.common import subject
from tests.oracles import VERDICTS

FREE = {"point", "points", "ends", "between", "signs"}
CASES = [
    pytest.param(entry["name"], name, wanted, id=f"{entry['name']}-{name}")
    for entry in VERDICTS
    for name, wanted in entry["verdicts"].items()
]


def test_all_fifteen_statements_are_registered():
    wanted = {name for entry in VERDICTS for name in entry["verdicts"]}
    assert len(wanted) == 15
    assert wanted <= {lemma.statement.id for lemma in lemmas.statements()}


@pytest.mark.parametrize(("network", "statement", "wanted"), CASES)
def test_verdict(network, statement, wanted):
    found = lemmas.get(statement).run(subject(network)).to_json()
    assert found["verdict"] == wanted["verdict"]
    for key in ("detail", "reason"):
        if key in wanted:
            assert found[key] == wanted[key]
    for key, value in wanted.get("counterexample", {}).items():
        if key not in FREE:
            assert found["counterexample"][key] == value
        else:
            assert key in found["counterexample"]
