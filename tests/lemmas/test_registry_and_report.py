"""The table of statements, what a user can add, the command line, and the report."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

import exactregions as er
import proofs_checks.lemmas
from exactregions.cli import main
from exactregions.errors import InputError
from proofs_checks import lemmas
from proofs_checks.lemmas.pictures import can_draw
from proofs_checks.lemmas.report import facts, html_page, table
from tests.lemmas.common import subject

ORACLES = "tests/oracles/networks.json"
MOONS = "notebooks/two_moons/two_moons.npz"
MODULES = sorted(info.name for info in pkgutil.walk_packages(proofs_checks.lemmas.__path__, "proofs_checks.lemmas."))


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", ["proofs_checks.lemmas", *MODULES])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_the_trusted_checker_does_not_import_the_lemmas():
    code = "import sys, proofs_checks.checker, proofs_checks.__main__; print([m for m in sys.modules if 'lemmas' in m])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_statement_says_what_it_is_and_how_it_is_decided():
    for lemma in lemmas.statements():
        statement = lemma.statement
        assert all([statement.title, statement.text, statement.latex, statement.source, statement.route])
        assert statement.statistical == (statement.scope is lemmas.Scope.AVERAGE)
        assert statement.latex.count("{") == statement.latex.count("}")


def test_an_id_is_taken_once():
    with pytest.raises(InputError, match="there is a statement 'euler' already"):
        lemmas.register("euler", title="", text="")(lambda subject: lemmas.holds())


def test_unknown_ids_are_named_with_the_known_ones():
    with pytest.raises(InputError, match=r"no statement 'eular'; choose from .*euler"):
        lemmas.get("eular")


def test_a_failure_without_counterexample_is_refused():
    with pytest.raises(InputError, match="FAILS needs a counterexample"):
        lemmas.Verdict(lemmas.get("euler").statement, lemmas.Answer.FAILS)


def test_a_statistical_statement_without_interval_is_refused():
    with pytest.raises(InputError, match="needs an estimate"):
        lemmas.Verdict(lemmas.get("crofton_line").statement, lemmas.Answer.HOLDS)


def test_an_interval_is_never_empty():
    estimate = lemmas.Estimate.of("equal", [3, 3, 3, 3])
    assert estimate.low < 3 < estimate.high
    with pytest.raises(InputError, match="1 samples give no confidence interval"):
        lemmas.Estimate.of("one", [3])


USER = """
from proofs_checks import lemmas

@lemmas.register("few_neighbours", title="Few neighbours", text="No cell has more than two neighbours.")
def few_neighbours(subject):
    for cell in subject.cells:
        if len(subject.neighbours[cell.index]) > 2:
            return lemmas.fails({"pattern": cell.text, "point": cell.witness})
    return lemmas.holds(cells=len(subject.cells))
"""


@pytest.fixture
def user_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(USER, encoding="utf-8")
    yield path
    lemmas.unregister("few_neighbours")


def test_a_user_adds_a_statement_in_a_dozen_lines(user_file):
    found = run("lemmas", f"{ORACLES}#bump_1d", "--load", user_file, "--only", "few_neighbours,euler", "--json")
    assert json.loads(found.stdout)["verdicts"] == {
        "few_neighbours": {"verdict": "HOLDS", "detail": {"cells": 4}},
        "euler": {"verdict": "HOLDS", "detail": {"f_vector": [3, 4]}},
    }
    failing = run("lemmas", f"{ORACLES}#lines_4_4_integer", "--only", "few_neighbours", "--json")
    verdict = json.loads(failing.stdout)["verdicts"]["few_neighbours"]
    assert verdict["verdict"] == "FAILS"
    own = er.load(f"{ORACLES}#lines_4_4_integer")
    assert own.pattern_at(verdict["counterexample"]["point"])


def test_json_has_the_keys_of_the_command_line():
    found = json.loads(run("lemmas", f"{ORACLES}#max_of_2", "--only", "hamming1_implies_adjacent", "--json").stdout)
    assert set(found) == {
        "network", "input_dim", "hidden", "domain", "engine", "status",
        "n_cells", "n_strict", "n_linear", "seconds", "verdicts",
    }  # fmt: skip
    assert (found["n_cells"], found["n_linear"]) == (4, 2)


def test_the_table_has_one_line_a_statement():
    found = run("lemmas", f"{ORACLES}#bump_1d", "--only", "euler,zero_bias_cones,heuristic_upper_bound")
    lines = found.stdout.splitlines()
    assert lines[0].split() == ["euler", "HOLDS", "f", "vector", "(3,", "4)"]
    assert "not applicable" in lines[1]
    assert "zero hidden biases: layer 0 neuron 1 (from 0) has bias -1" in lines[1]
    assert "FAILS" in lines[2]
    assert lines[-1] == "1 HOLDS, 1 FAILS, 1 not applicable"
    assert table({}) == "no statement was checked"


def test_list_prints_ids_and_titles():
    lines = run("lemmas", f"{ORACLES}#bump_1d", "--only", "list").stdout.splitlines()
    assert len(lines) == len(lemmas.statements())
    assert "euler  Euler's relation" in lines


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_the_pages_say_how_many_statements_there_are(page):
    said = re.findall(r"decides (\d+) (?:published )?statements", Path(page).read_text(encoding="utf-8"))
    assert list(map(int, said)) == [len(lemmas.statements())]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "eular"), "no statement 'eular'"),
        (("--load", "no_such_file.py"), "no_such_file.py: no such file"),
        (("--report", "no/such/folder/report.html"), "no/such/folder"),
    ],
)
def test_bad_options_are_bad_input(arguments, message):
    found = run("lemmas", f"{ORACLES}#bump_1d", *arguments)
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stdout == ""


class _Balance(HTMLParser):
    """Checks that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [value for key, value in attrs if key in {"href", "src"}]
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["stargalla_nonconvex", "tent_depth2_R", "generic_4_planes_3d", "zero_row_bias0"])
def test_the_report_is_self_contained_and_well_formed(name):
    shared = subject(name)
    verdicts = dict(lemmas.iter_checks(shared))
    page = html_page(shared, verdicts, title="<b>A & B</b>")
    parser = _Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.ids == sorted(parser.ids, key=parser.ids.index)
    assert set(parser.ids) == set(verdicts)
    assert all(link.startswith(("#", "data:image/")) for link in parser.links)
    assert "&lt;b&gt;A &amp; B&lt;/b&gt;" in page
    assert ("data:image" in page) == can_draw(shared) == (shared.dim <= 2)


def test_the_report_shows_every_counterexample(tmp_path):
    path = tmp_path / "report.html"
    found = run("lemmas", f"{ORACLES}#seed001_depth3_vector_output", "--report", path, "--json", "--samples", 2)
    page = path.read_text(encoding="utf-8")
    for name, verdict in json.loads(found.stdout)["verdicts"].items():
        assert f'id="{name}"' in page
        for point in [verdict.get("counterexample", {}).get("point")]:
            if point is not None:
                assert f"({', '.join(point)})" in page


def test_two_moons_take_less_than_half_a_minute(tmp_path):
    began = time.perf_counter()
    found = run("lemmas", MOONS, "--report", tmp_path / "moons.html", "--json")
    assert time.perf_counter() - began < 30
    verdicts = json.loads(found.stdout)["verdicts"]
    assert set(verdicts) == {lemma.statement.id for lemma in lemmas.statements()}
    assert {name for name, verdict in verdicts.items() if verdict["verdict"] == "FAILS"} == {
        "adjacent_maps_differ",
        "local_partial_count_printed",
        "hamming1_implies_adjacent",
        "linear_regions_convex",
        "more_depth_more_regions",
    }
    assert re.search(r"data:image/svg\+xml", (tmp_path / "moons.html").read_text(encoding="utf-8"))


def test_facts_are_json():
    shared = subject("montufar_fold_4_2")
    assert json.loads(json.dumps(facts(shared, dict(lemmas.iter_checks(shared)))))["n_linear"] == 9
