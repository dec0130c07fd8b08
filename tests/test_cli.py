"""The command line: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

import exactregions as er
from exactregions.cli import main
from tests.oracles import LADDER_COUNTS, NETWORKS
from tests.oracles.ladder import build

ORACLES = "tests/oracles/networks.json"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def ladder(tmp_path):
    def write(name):
        path = tmp_path / f"{name}.npz"
        numbered = enumerate(build(name), 1)
        np.savez(path, **{f"{key}{k}": value for k, (W, b) in numbered for key, value in (("W", W), ("b", b))})
        return path

    return write


def test_count_prints_one_json_object_with_the_documented_keys(ladder):
    result = run("count", ladder("d2-16x2"), "--json")
    facts = json.loads(result.stdout)
    assert result.exit_code == 0
    assert set(facts) == {
        "network", "input_dim", "hidden", "domain", "engine", "status", "n_cells", "n_strict", "seconds",
    }  # fmt: skip
    assert facts["n_cells"] == LADDER_COUNTS["d2-16x2"]["n_cells"]
    assert (facts["input_dim"], facts["hidden"], facts["domain"], facts["status"]) == (2, [16, 16], "R^2", "exact")


@pytest.mark.parametrize("entry", NETWORKS[::7], ids=lambda entry: entry["name"])
def test_count_uses_the_domain_of_the_file(entry):
    facts = json.loads(run("count", f"{ORACLES}#{entry['name']}", "--json").stdout)
    assert (facts["n_cells"], facts["n_strict"]) == (entry["n_cells"], entry["n_strict"])


def test_the_option_domain_overrides_that_of_the_file():
    on_box = json.loads(run("count", f"{ORACLES}#tent_depth2_box01", "--json").stdout)
    on_line = json.loads(run("count", f"{ORACLES}#tent_depth2_box01", "--domain", "R", "--json").stdout)
    assert (on_box["n_cells"], on_line["n_cells"]) == (4, 6)


def test_domains_are_read_from_files(tmp_path, ladder):
    net = ladder("d3-8x2")
    files = {
        "box": [["-1", "1"]] * 3,
        "slice": {"origin": [0, 0, 0], "directions": [[1, 0, 0], [0, 1, 0]]},
        "polyhedron": {"A": [[1, 1, 1]], "b": [0.5]},
    }
    for kind, value in files.items():
        path = tmp_path / f"{kind}.json"
        path.write_text(json.dumps(value))
        facts = json.loads(run("count", net, "--domain", f"{kind}:{path}", "--json").stdout)
        assert facts["status"] == "exact"
        if kind == "box":
            assert facts["n_cells"] == 268
        assert 1 < facts["n_cells"] < 690


def test_enumerate_saves_what_it_found(tmp_path, ladder):
    out = tmp_path / "cells.npz"
    result = run("enumerate", ladder("d2-16x2"), "-o", out)
    assert result.exit_code == 0
    assert "n_cells    550" in result.stdout
    assert er.RegionComplex.load(out).n_cells == 550


@pytest.mark.parametrize("engine", ["split", "walk"])
def test_count_writes_a_certificate_that_the_checker_accepts(tmp_path, ladder, engine):
    out = tmp_path / "count.jsonl.gz"
    counted = run("count", ladder("d2-16x2"), "--engine", engine, "--certify", out, "--json")
    checked = run("check", out, "--network", ladder("d2-16x2"), "--json")
    assert json.loads(counted.stdout)["n_cells"] == json.loads(checked.stdout)["n_cells"] == 550


@pytest.mark.parametrize("engine", ["split", "walk"])
def test_enumerate_counts_facets_and_saves_them(tmp_path, ladder, engine):
    out = tmp_path / "cells.npz"
    result = run("enumerate", ladder("d2-16x2"), "-o", out, "--engine", engine, "--facets", "--json")
    assert json.loads(result.stdout)["n_facets"] == 1064
    assert len(er.RegionComplex.load(out)._facets) == 1064


def test_enumerate_prints_patterns_and_explores_locally(ladder):
    result = run("enumerate", ladder("d3-8x2"), "--start", "0,1/2,-3", "--max-depth", "1", "--patterns", "--json")
    facts = json.loads(result.stdout)
    assert result.exit_code == 0
    assert facts["status"] == "lower_bound"
    assert len(facts["patterns"]) == facts["n_cells"]


def test_info_describes_a_network():
    facts = json.loads(run("info", f"{ORACLES}#leaky_3_3_biased", "--json").stdout)
    assert facts["activation"] == ["leaky_relu(1/10)"]
    assert facts["hidden"] == [3, 3]


def test_convert_keeps_the_fingerprint(tmp_path, ladder):
    source = ladder("d2-16x2")
    assert run("convert", source, tmp_path / "net.json").exit_code == 0
    assert run("convert", tmp_path / "net.json", tmp_path / "back.npz").exit_code == 0
    assert er.load(source).fingerprint == er.load(tmp_path / "back.npz").fingerprint


def bad_inputs(folder):
    good = folder / "good.npz"
    np.savez(good, W1=np.eye(2), b1=np.zeros(2), W2=np.ones((1, 2)), b2=np.zeros(1))
    np.savez(folder / "shapes.npz", W1=np.eye(2), b1=np.zeros(3), W2=np.ones((1, 2)), b2=np.zeros(1))
    np.savez(folder / "nan.npz", W1=np.array([[np.nan, 1.0]]), b1=np.zeros(1), W2=np.ones((1, 1)), b2=np.zeros(1))
    (folder / "net.pkl").write_bytes(pickle.dumps({"W1": 1}))
    (folder / "soft.json").write_text(
        '{"input_dim": 1, "activation": "softplus", "layers": [[[["1"]], ["0"]]], "output_layer": null}'
    )
    (folder / "empty.json").write_text('{"A": [["1", "0"], ["-1", "0"]], "b": ["0", "0"]}')
    (folder / "broken.json").write_text("[[1, 2")
    return {
        "missing file": ("count", folder / "nowhere.npz"),
        "wrong shapes": ("count", folder / "shapes.npz"),
        "NaN": ("count", folder / "nan.npz"),
        "pickle": ("count", folder / "net.pkl"),
        "softplus": ("count", folder / "soft.json"),
        "empty box": ("count", good, "--domain", "box:1,1"),
        "empty polyhedron": ("count", good, "--domain", f"polyhedron:{folder / 'empty.json'}"),
        "broken domain file": ("count", good, "--domain", f"box:{folder / 'broken.json'}"),
        "missing domain file": ("count", good, "--domain", f"slice:{folder / 'none.json'}"),
        "no domain": ("count", good, "--domain", "disc"),
        "start outside": ("enumerate", good, "--domain", "box:-1,1", "--start", "5,5"),
        "start of wrong length": ("enumerate", good, "--start", "5"),
        "start that is no number": ("enumerate", good, "--start", "a,b"),
        "unknown output format": ("convert", good, folder / "net.xyz"),
        "no folder for output": ("enumerate", good, "-o", folder / "no" / "where.npz"),
        "brute with a limit": ("count", good, "--engine", "brute", "--max-cells", "2"),
        "several networks": ("count", ORACLES),
        "no such network": ("count", f"{ORACLES}#nobody"),
    }


def test_bad_input_is_one_line_with_exit_code_2_and_leaves_no_file(tmp_path):
    commands = bad_inputs(tmp_path)
    before = sorted(tmp_path.iterdir())
    for name, command in commands.items():
        result = run(*command, *(["--json"] if command[0] == "count" else []))
        assert result.exit_code == 2, name
        assert result.stdout == "", name
        assert result.stderr.count("\n") == 1, name
        assert result.stderr.startswith("exactregions: "), name
        assert "Traceback" not in result.stderr, name
    assert sorted(tmp_path.iterdir()) == before


def test_a_budget_is_a_lower_bound_with_exit_code_0(ladder):
    result = run("count", ladder("d3-8x2"), "--max-cells", "50", "--json")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert (facts["n_cells"], facts["status"]) == (50, "lower_bound")


def test_ctrl_c_saves_what_was_found_and_exits_130(tmp_path, ladder):
    out = tmp_path / "cells.npz"
    command = [sys.executable, "-m", "exactregions", "enumerate", ladder("d3-32x2"), "-o", out, "--engine", "walk"]
    process = subprocess.Popen(
        [*map(str, command), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    facts = json.loads(stdout)
    assert facts["status"] == "lower_bound"
    found = er.RegionComplex.load(out)
    assert 0 < found.n_cells == facts["n_cells"] < LADDER_COUNTS["d3-32x2"]["n_cells"]


def test_importing_the_package_stays_light():
    code = (
        "import sys, exactregions; "
        "heavy = {'scipy', 'cvxpy', 'sympy', 'numba', 'torch', 'matplotlib', 'highspy', 'networkx', 'polars'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
