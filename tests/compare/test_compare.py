"""Somebody else's list against the truth: every form of file, every kind of fault."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import exactregions as er
from exactregions.cli import main
from exactregions.compare import compare_file, read_patterns

NETWORK = er.Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [-1])])
TRUTH = ["00|0", "01|0", "01|1", "10|0", "10|1", "11|0", "11|1"]


def rows(texts=TRUTH):
    return [[int(ch) for ch in text if ch != "|"] for text in texts]


def write_npz(path):
    np.savez(path, np.array(rows(), dtype=np.uint8))


def write_named_npz(path):
    np.savez(path, patterns=np.array(rows(), dtype=bool), centers=np.zeros((7, 2)))


def write_npy(path):
    np.save(path, np.array(rows(), dtype=np.int32))


def write_strings_npz(path):
    np.savez(path, patterns=np.array(TRUTH))


def write_csv(path):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows()))


def write_csv_with_names(path):
    path.write_text("n0,n1,n2\n" + "".join(",".join(map(str, row)) + "\r\n" for row in rows()))


def write_printed(path):
    path.write_text("\n".join(TRUTH))


def write_json(path):
    path.write_text(json.dumps(TRUTH))


def write_json_rows(path):
    path.write_text(json.dumps(rows()))


def write_json_lines(path):
    path.write_text("".join(json.dumps(text) + "\n" for text in TRUTH))


def write_json_row_lines(path):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))


WRITERS = {
    "a.npz": write_npz,
    "b.npz": write_named_npz,
    "c.npy": write_npy,
    "d.npz": write_strings_npz,
    "e.csv": write_csv,
    "f.csv": write_csv_with_names,
    "g.txt": write_printed,
    "h.json": write_json,
    "i.json": write_json_rows,
    "j.jsonl": write_json_lines,
    "k.jsonl": write_json_row_lines,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_form_of_file_is_read(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    assert len(read_patterns(path)) == len(TRUTH)
    assert compare_file(NETWORK, er.WholeSpace(2), path).holds


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.npz", b"PK\x03\x04nothing", "not a readable npz"),
        ("a.npy", b"\x93NUMPY\x01\x00broken", "not a readable npy"),
        ("a.csv", b"\xff\xfe\x00\x01", "neither a NumPy file nor text"),
        ("a.json", b"[[0, 1", "not readable as JSON"),
        ("a.json", b"[" * 100_000, "not readable as JSON"),
        ("a.csv", b"0,1\n1,0\n", "no row is a pattern of this network"),
        ("a.csv", b"x,y,z\n2,0,0\n", "no row is a pattern"),
    ],
)
def test_files_that_are_no_list_of_patterns_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(er.InputError, match=message):
        compare_file(NETWORK, er.WholeSpace(2), path)


def test_float_matrices_and_ambiguous_archives_are_refused(tmp_path):
    np.savez(tmp_path / "floats.npz", np.array(rows(), dtype=float))
    np.savez(tmp_path / "two.npz", a=np.array(rows()), b=np.array(rows()))
    np.savez(tmp_path / "objects.npz", patterns=np.array([None, "x"], dtype=object))
    for name in ("floats", "two", "objects"):
        with pytest.raises(er.InputError, match=name):
            read_patterns(tmp_path / f"{name}.npz")
    with pytest.raises(er.InputError, match="no such file"):
        read_patterns(tmp_path / "nowhere.csv")


def run(tmp_path, texts, *options):
    net, listed = tmp_path / "net.json", tmp_path / "list.json"
    er.save(NETWORK, net)
    listed.write_text(json.dumps(texts))
    return CliRunner().invoke(main, ["compare", str(net), str(listed), *options])


def test_agreement_is_exit_code_0(tmp_path):
    result = run(tmp_path, TRUTH)
    assert (result.exit_code, result.stdout) == (0, "agrees: exactly these 7 cells (7 strict) on R^2\n")


def test_every_fault_is_named_with_its_proof(tmp_path):
    result = run(tmp_path, [*TRUTH[1:], "00|1", "11|1", "1x"], "--json")
    facts = json.loads(result.stdout)
    assert (result.exit_code, facts["agrees"], facts["n_right"], facts["exhaustive"]) == (1, False, 6, True)
    assert [item["pattern"] for item in facts["missing"]] == ["00|0"]
    assert NETWORK.pattern_at(list(map(Fraction, facts["missing"][0]["witness"]))) == (0, 0, 0)
    (spurious,) = facts["spurious"]
    assert (spurious["pattern"], spurious["constant_neuron"]) == ("00|1", 2)
    assert facts["duplicates"] == [{"rows": [5, 7], "pattern": "11|1"}]
    assert [item["row"] for item in facts["malformed"]] == [8]
    text = run(tmp_path, [*TRUTH[1:], "00|1", "11|1", "1x"]).stdout
    for word in ("missing", "spurious", "duplicate", "malformed"):
        assert f"\n{word}" in text


def test_certify_and_check_from_the_command_line(tmp_path):
    net, proof = tmp_path / "net.json", tmp_path / "proof.jsonl.gz"
    er.save(NETWORK, net)
    runner = CliRunner()
    made = runner.invoke(main, ["certify", str(net), "-o", str(proof), "--json"])
    assert (made.exit_code, json.loads(made.stdout)["n_cells"]) == (0, 7)
    checked = runner.invoke(main, ["check", str(proof), "--network", str(net), "--json"])
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["n_cells"] == 7
    other = tmp_path / "other.json"
    er.save(er.Network([([[1]], [0])]), other)
    assert runner.invoke(main, ["check", str(proof), "--network", str(other)]).exit_code == 1
    proof.write_bytes(proof.read_bytes()[:-20])
    broken = runner.invoke(main, ["check", str(proof)])
    assert (broken.exit_code, broken.stdout) == (2, "")
    assert runner.invoke(main, ["check", str(tmp_path / "nowhere")]).exit_code == 2


def test_a_certificate_of_a_stopped_search_proves_the_lower_bound(tmp_path):
    proof = tmp_path / "part.jsonl"
    er.enumerate_regions(NETWORK, engine="walk", max_cells=3, certify=proof)
    result = CliRunner().invoke(main, ["check", str(proof), "--json"])
    facts = json.loads(result.stdout)
    assert (facts["status"], facts["n_cells"]) == ("lower_bound", 3)
