"""The trusted checker: what it depends on, how long it is, how it stands hostile files, and that it is right."""

from __future__ import annotations

import ast
import io
import random
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_checks import checker, networks, reading
from proofs_checks.checker import check
from proofs_checks.reading import Refused, rational
from tests.proofs_checks.toy import HARD_TANH, RELU, STEP, Toy, dump, network, problem

PACKAGE = Path(checker.__file__).parent
TRUSTED = ("checker", "reading", "networks", "__main__", "__init__")


@pytest.mark.parametrize("name", TRUSTED)
def test_trusted_modules_import_the_standard_library_only(name):
    tree = ast.parse((PACKAGE / f"{name}.py").read_text())
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add((node.module or "").split(".")[0])
            if node.module and node.module.startswith("proofs_checks"):
                assert {node.module, *(f"proofs_checks.{a.name}" for a in node.names)} & {
                    f"proofs_checks.{trusted}" for trusted in TRUSTED
                }
    assert roots <= set(sys.stdlib_module_names) | {"proofs_checks"}
    assert not roots & {"pickle", "marshal", "shelve", "importlib", "ctypes", "subprocess"}


def test_runs_without_any_library(tmp_path):
    path = tmp_path / "certificate"
    path.write_bytes(dump(Toy(network([([[1]], [0])])).lines()))
    code = (
        f"import sys; sys.path = [p for p in sys.path if 'site-packages' not in p] + [{str(PACKAGE.parent)!r}]\n"
        "from proofs_checks.__main__ import main\n"
        f"code = main(['check', {str(path)!r}])\n"
        "assert not {'numpy', 'exactregions', 'flint', 'scipy'} & set(sys.modules)\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_is_short():
    assert len((PACKAGE / "checker.py").read_text().splitlines()) <= 400
    assert len((PACKAGE / "reading.py").read_text().splitlines()) <= 300


def test_has_no_float_no_eval_and_no_recursion():
    for name in ("checker", "reading"):
        tree = ast.parse((PACKAGE / f"{name}.py").read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"float", "eval", "exec", "compile", "open", "__import__", "round", "isclose"}
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float)]
        for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
            called = {n.func for n in ast.walk(function) if isinstance(n, ast.Call)}
            assert function.name not in {f.id for f in called if isinstance(f, ast.Name)}


def verdict(lines):
    data = lines if isinstance(lines, bytes) else dump(lines)
    try:
        check(io.BytesIO(data))
    except Refused as refused:
        return refused.reason
    return None


KINDS = st.sampled_from([RELU, HARD_TANH, STEP])
SMALL = st.integers(-2, 2)


@st.composite
def small_networks(draw):
    layers, size = [], 1
    for _ in range(draw(st.integers(0, 3))):
        width = draw(st.integers(1, 3))
        layers.append(([[draw(SMALL) for _ in range(size)] for _ in range(width)], [draw(SMALL) for _ in range(width)]))
        size = width
    output = ([[draw(SMALL) for _ in range(size)]], [0]) if not layers or draw(st.booleans()) else None
    return network(layers, output, draw(KINDS))


DOMAINS = st.sampled_from(["R^1", [["-1", "1"]], [["0", "1/3"]], [["1", "0"]], {"A": [["1"], ["0"]], "b": ["1", "1"]}])


@settings(max_examples=150, deadline=None)
@given(small_networks(), DOMAINS, st.randoms(use_true_random=False))
def test_accepts_what_the_toy_prover_proves_in_any_order(net, domain, rng):
    toy = Toy(net, domain, order=lambda left: rng.choice(sorted(left)))
    assert verdict(toy.lines()) is None


@settings(max_examples=150, deadline=None)
@given(small_networks(), DOMAINS, st.data())
def test_a_mutation_is_accepted_only_if_it_claims_the_same(net, domain, data):
    """Change one line at random: the counts, being true, must not change if the file is still accepted."""
    lines = Toy(net, domain).lines()
    text = [dump([line]) for line in lines]
    number = data.draw(st.integers(1, len(lines) - 1))
    action = data.draw(st.sampled_from(["drop", "double", "swap", "digit", "word"]))
    if action == "drop":
        del text[number]
    elif action == "double":
        text.insert(number, text[number])
    elif action == "swap":
        other = data.draw(st.integers(1, len(lines) - 1))
        text[number], text[other] = text[other], text[number]
    elif action == "digit":
        places = [k for k, byte in enumerate(text[number]) if chr(byte).isdigit()]
        if places:
            place = data.draw(st.sampled_from(places))
            digit = data.draw(st.sampled_from("0123456789")).encode()
            text[number] = text[number][:place] + digit + text[number][place + 1 :]
    else:
        old, new = data.draw(st.permutations([b'"child"', b'"constant"', b"{}", b'"open"', b'{"d0": "1"}']))[:2]
        text[number] = text[number].replace(old, new, 1)
    try:
        _, claim = check(io.BytesIO(b"".join(text)))
    except Refused:
        return
    assert (claim["n_cells"], claim["n_strict"]) == (lines[1]["n_cells"], lines[1]["n_strict"]) or not claim["complete"]


def test_long_texts_of_digits_do_not_need_the_interpreters_limit_raised():
    assert rational("7" * 10_000) == Fraction(7 * (10**10_000 - 1) // 9)
    assert rational("-1/1" + "0" * 5_000) == Fraction(-1, 10**5_000)


def test_common_denominators_are_bounded(monkeypatch):
    row = [f"1/1{'0' * k}1" for k in range(500, 510)]
    net = network([([["1"]] * len(row), ["0"] * len(row)), ([row], ["0"])])
    lines = [problem(net), {"n_cells": 1, "n_strict": 1, "complete": False}]
    lines += [{"neuron": k, "pieces": ["open", "child"]} for k in range(len(row) + 1)]
    lines += [{"witness": ["1"]}]
    assert verdict(lines) is None
    monkeypatch.setattr(reading, "MAX_SCALE", 10_000)
    assert verdict(lines) == "bad-size"


def test_work_is_paid_for_by_the_bytes_that_were_read(monkeypatch):
    lines = Toy(network([([[1], [2]], [0, 1])])).lines()
    monkeypatch.setattr(reading, "FREE_WORK", 0)
    assert verdict(lines) is None
    monkeypatch.setattr(reading, "WORK_PER_BYTE", 0)
    assert verdict(lines) == "bad-size"


def test_memory_for_a_path_is_bounded(monkeypatch):
    lines = Toy(network([([[1], [2]], [0, 1])])).lines()
    monkeypatch.setattr(checker, "MAX_BITS", 20)
    assert verdict(lines) is None
    monkeypatch.setattr(checker, "MAX_BITS", 10)
    assert verdict(lines) == "bad-size"


def test_deep_trees_need_no_recursion():
    net = network([([[1]], [0])] * 3000)
    lines = [problem(net), {"n_cells": 1, "n_strict": 1, "complete": False}]
    lines += [{"neuron": k, "pieces": ["open", "child"]} for k in range(3000)]
    assert verdict([*lines, {"witness": ["1"]}]) is None


def test_network_option_reads_json_and_npz(tmp_path):
    rng = np.random.default_rng(0)
    W1, b1, W2, b2 = rng.normal(size=(3, 2)), rng.normal(size=3), rng.normal(size=(1, 3)), rng.normal(size=1)

    def exact(array):
        return (
            [str(Fraction(v)) if np.ndim(v) == 0 else exact(v) for v in array.tolist()]
            if array.ndim == 1
            else [exact(row) for row in array]
        )

    net = network([(exact(W1), exact(b1))], (exact(W2), exact(b2)))
    wanted = reading.fingerprint(net)
    path = tmp_path / "net.npz"
    for change in (np.ascontiguousarray, np.asfortranarray, lambda a: a.astype(">f8")):
        np.savez(path, W1=change(W1), b1=change(b1), W2=change(W2), b2=change(b2))
        assert networks.fingerprint_of(path) == wanted
    np.savez_compressed(path, W1=W1, b1=b1, W2=W2, b2=b2)
    assert networks.fingerprint_of(path) == wanted
    np.savez(path, W1=W1.astype("f4"), b1=b1, W2=W2, b2=b2)
    assert networks.fingerprint_of(path) != wanted
    path = tmp_path / "net.json"
    path.write_text(
        '{"input_dim": 1, "activation": {"breakpoints": [-1, 1], "slopes": [0, 1, 0], "anchor": ["0", 0]},'
        '"layers": [[[[0.5], ["0x1.8p+0"]], ["0.1", "-2/4"]]], "output_layer": null}'
    )
    same = network([([["1/2"], ["3/2"]], ["1/10", "-1/2"])], kinds=HARD_TANH)
    assert networks.fingerprint_of(path) == reading.fingerprint(same)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b"PK\x03\x04", b'{"input_dim": 1, "layers": [[[[NaN]], [0]]]}']
)
def test_network_option_refuses_what_is_no_network(tmp_path, content):
    path = tmp_path / "net"
    path.write_bytes(content)
    with pytest.raises(Refused, match="bad-network-file"):
        networks.fingerprint_of(path)


def test_network_option_refuses_damaged_archives_and_absent_files(tmp_path):
    path = tmp_path / "net.npz"
    np.savez_compressed(path, W1=np.ones((40, 40)), b1=np.arange(40.0))
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        with suppress(Refused):
            networks.fingerprint_of(path)
    with pytest.raises(Refused, match="bad-network-file"):
        networks.fingerprint_of(tmp_path / "absent")


def test_network_option_loads_no_pickle(tmp_path):
    path = tmp_path / "net.npz"
    np.savez(path, W1=np.array([[1, None]], dtype=object), b1=np.array([0]))
    with pytest.raises(Refused, match="bad-network-file"):
        networks.fingerprint_of(path)


def test_reading_of_oracle_networks_agrees_with_the_library(tmp_path):
    import json

    import exactregions as er

    oracles = json.loads((Path(__file__).parents[1] / "oracles" / "networks.json").read_text())
    for entry in random.Random(0).sample(oracles, 12):
        path = tmp_path / "net.json"
        path.write_text(json.dumps(entry))
        built = er.Network(
            entry["layers"],
            output=entry["output_layer"],
            activation=entry["activation"],
            input_dim=entry["input_dim"],
        )
        assert networks.fingerprint_of(path) == built.fingerprint
