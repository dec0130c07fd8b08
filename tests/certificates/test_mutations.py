"""Every kind of step is corrupted on purpose, beside an uncorrupted control; each corruption is refused for its reason.

The certificates are those that `prove` writes for oracle networks: two and three inputs, degenerate neurons, three
pieces, boxes.
"""

from __future__ import annotations

import io
import json
from copy import deepcopy
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import exactregions as er
from exactregions.certificates import certify_point, decide_facet, decide_pattern, prove
from exactregions.certificates.branch import Branch, own_problem
from exactregions.network.formats import from_json
from proofs_checks.checker import check
from proofs_checks.reading import Refused, fingerprint
from tests.certificates.common import ENTRIES, certificate_of, dump, reason_of
from tests.strategies import domains, networks

NAMES = (
    "tent_depth2_R",
    "tent_depth2_box01",
    "hardtanh_2_2_deep_1d",
    "lines_4_4_integer",
    "generic_4_planes_3d",
    "stargalla_nonconvex",
    "leaky_3_3_biased",
    "hardtanh_2_neurons_2d",
    "seed001_depth3_vector_output",
)
TINY = Fraction(1, 10**30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(params=NAMES)
def lines(request, folder):
    """A certificate that is accepted: the control."""
    found = certificate_of(request.param, folder)
    assert reason_of(found) is None
    return found


def nodes(lines, wanted):
    """Return the numbers (from 0) of the nodes that have an entry of the wanted kind, and its place."""
    return [
        (number, piece)
        for number, line in enumerate(lines)
        for piece, entry in enumerate(line.get("pieces", ()))
        if (isinstance(entry, dict) if wanted == "farkas" else entry == wanted)
    ]


def leaves(lines):
    return [number for number, line in enumerate(lines) if "witness" in line]


def some(places):
    """Return the first, a middle and the last of some places; skip if there is none."""
    if not places:
        pytest.skip("this certificate has no such step")
    return list(dict.fromkeys([places[0], places[len(places) // 2], places[-1]]))


def subtree_end(lines, start):
    """Return the number of the line after the subtree that begins at a line."""
    due = 1
    for number in range(start, len(lines)):
        due += lines[number].get("pieces", []).count("child") - 1
        if due == 0:
            return number + 1
    raise AssertionError


def with_farkas(lines, number, piece, factors):
    copy = deepcopy(lines)
    copy[number]["pieces"][piece] = factors
    return copy


def test_leaf_dropped(lines):
    for number in some(leaves(lines)):
        after = lines[number + 1] if number + 1 < len(lines) else {}
        expected = "duplicate-neuron" if "neuron" in after else "witness-not-inside" if after else "unfinished"
        assert reason_of([*lines[:number], *lines[number + 1 :]]) == expected


def test_leaf_repeated(lines):
    for number in some(leaves(lines)):
        after = lines[number + 1] if number + 1 < len(lines) else {}
        expected = "early-leaf" if "neuron" in after else "witness-not-inside" if after else "after-the-end"
        assert reason_of([*lines[: number + 1], *lines[number:]]) == expected


@pytest.mark.parametrize(
    ("excuse", "reasons"),
    [("constant", {"not-constant"}), ("open", {"open-in-complete"}), ("rows", {"not-farkas", "zero-multipliers"})],
)
def test_subtree_dropped_and_counts_made_right(lines, excuse, reasons):
    forks = [number for number, line in enumerate(lines) if line.get("pieces", []).count("child") > 1]
    for number in some(forks):
        copy = deepcopy(lines)
        piece = copy[number]["pieces"].index("child")
        end = subtree_end(lines, number + 1)
        dropped = leaves(lines[number + 1 : end])
        neuron = copy[number]["neuron"]
        false = {f"U{neuron}": "1"} if piece == 0 else {f"L{neuron}": "1"}
        copy[number]["pieces"][piece] = false if excuse == "rows" else excuse
        copy[1]["n_cells"] -= len(dropped)
        assert reason_of([*copy[: number + 1], *copy[end:]]) in reasons


def test_piece_of_a_constant_neuron_changed(lines):
    for number, piece in some(nodes(lines, "constant")):
        copy = deepcopy(lines)
        pieces = copy[number]["pieces"]
        if "child" not in pieces:
            continue
        child = pieces.index("child")
        pieces[piece], pieces[child] = "child", "constant"
        assert reason_of(copy) == ("legal-piece" if child < piece else "wrong-constant-piece")


def test_constant_neuron_branches(lines):
    for number, piece in some(nodes(lines, "constant")):
        assert reason_of(with_farkas(lines, number, piece, "child")) == "wrong-constant-piece"


def test_constant_neuron_is_refuted_by_its_own_row(lines):
    for number, piece in some(nodes(lines, "constant")):
        neuron = lines[number]["neuron"]
        assert reason_of(with_farkas(lines, number, piece, {f"U{neuron}": "1"})) == "no-such-row"


def test_called_constant(lines):
    for number, piece in some(nodes(lines, "farkas")):
        assert reason_of(with_farkas(lines, number, piece, "constant")) == "not-constant"


def test_undecided_inputs(lines):
    widths = [len(bias) for _, bias in lines[0]["network"]["layers"]]
    if len(widths) == 1:
        pytest.skip("one layer")
    copy = deepcopy(lines)
    copy[2]["neuron"] = widths[0]
    assert reason_of(copy) == "undecided-input"


def test_neuron_decided_twice(lines):
    number = next(n for n in range(3, len(lines)) if "neuron" in lines[n])
    copy = deepcopy(lines)
    copy[number]["neuron"] = copy[2]["neuron"]
    assert reason_of(copy) == "duplicate-neuron"


def test_one_piece_flipped(lines):
    for number, piece in some([(n, p) for n, p in nodes(lines, "farkas") if "child" in lines[n]["pieces"]]):
        copy = deepcopy(lines)
        pieces = copy[number]["pieces"]
        child = pieces.index("child")
        pieces[piece], pieces[child] = pieces[child], pieces[piece]
        assert reason_of(copy) in {"no-such-row", "not-farkas"}


def leaf_rows(lines, number):
    """Return the rows of a leaf's path, by deciding its pattern in the library."""
    network, domain = from_json(lines[0]["network"] | {"domain": lines[0]["domain"]})
    own_network, own_domain = own_problem(network, domain)
    witness = list(map(Fraction, lines[number]["witness"]))
    branch = Branch(own_network, own_domain)
    for neuron, piece in enumerate(own_network.pattern_at(witness)):
        branch.decide(neuron, piece)
    return witness, branch.rows


@pytest.mark.parametrize("beyond", [Fraction(0), TINY])
def test_witness_moved_onto_a_wall_or_just_outside(lines, beyond):
    for number in some(leaves(lines)):
        witness, rows = leaf_rows(lines, number)
        if not rows:
            continue
        normal, shift = rows[-1].entries[:-1], rows[-1].entries[-1]
        value = sum(a * x for a, x in zip(normal, witness, strict=True)) + shift
        step = value / sum(a * a for a in normal) + beyond
        copy = deepcopy(lines)
        copy[number]["witness"] = [str(x - step * a) for x, a in zip(witness, normal, strict=True)]
        assert reason_of(copy) == "witness-not-inside"


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        (lambda value: str(-Fraction(value)), {"negative-multiplier"}),
        (lambda value: "0", {"not-farkas", "zero-multipliers"}),
        (lambda value: str(Fraction(value) + TINY), {"not-farkas"}),
        (lambda value: str(Fraction(value) - TINY), {"not-farkas"}),
        (lambda value: str(Fraction(value) * 2), {"not-farkas"}),
    ],
)
def test_one_multiplier_changed(lines, change, reasons):
    several = [(n, p) for n, p in nodes(lines, "farkas") if len(lines[n]["pieces"][p]) > 1]
    for number, piece in some(several):
        for name, value in lines[number]["pieces"][piece].items():
            factors = {**lines[number]["pieces"][piece], name: change(value)}
            assert reason_of(with_farkas(lines, number, piece, factors)) in reasons


def test_all_multipliers_scaled_is_still_a_proof(lines):
    for number, piece in some(nodes(lines, "farkas")):
        factors = {name: str(Fraction(v) * Fraction(2, 3)) for name, v in lines[number]["pieces"][piece].items()}
        assert reason_of(with_farkas(lines, number, piece, factors)) is None


@pytest.mark.parametrize("factors", [{}, {"L0": "0"}, {"U0": "0", "L0": "0"}])
def test_all_zero_farkas_vector(lines, factors):
    for number, piece in some(nodes(lines, "farkas")):
        names = lines[number]["pieces"][piece]
        zeros = dict.fromkeys(names, "0") if factors else {}
        assert reason_of(with_farkas(lines, number, piece, zeros)) == "zero-multipliers"


def test_rows_that_are_not_there(lines):
    widths = [len(bias) for _, bias in lines[0]["network"]["layers"]]
    for number, piece in some(nodes(lines, "farkas")):
        factors = lines[number]["pieces"][piece]
        neuron = lines[number]["neuron"]
        own = next((name for name in factors if name[1:] == str(neuron) and name[0] != "d"), None)
        for name in (f"L{sum(widths)}", f"U{sum(widths)}", "d99", "L999999"):
            assert reason_of(with_farkas(lines, number, piece, {**factors, name: "1"})) == "no-such-row"
        if own is not None and len(lines[number]["pieces"]) == 2:
            other = ("L" if own[0] == "U" else "U") + own[1:]  # the other branch of this very node
            assert reason_of(with_farkas(lines, number, piece, {**factors, other: "1"})) == "no-such-row"
        later = [line["neuron"] for line in lines[number + 1 :] if line.get("neuron", neuron) > neuron]
        if later and later[0] == max(later):
            row = f"L{later[0]}"
            assert reason_of(with_farkas(lines, number, piece, {**factors, row: "1"})) in {"no-such-row", "not-farkas"}


def test_layers_swapped(lines):
    layers = lines[0]["network"]["layers"]
    same = [
        (i, j)
        for i in range(len(layers))
        for j in range(i)
        if layers[i] != layers[j]
        and [len(layers[i][0][0]), len(layers[i][1])] == [len(layers[j][0][0]), len(layers[j][1])]
    ]
    for i, j in some(same):
        copy = deepcopy(lines)
        swapped = copy[0]["network"]["layers"]
        swapped[i], swapped[j] = swapped[j], swapped[i]
        assert reason_of(copy) == "fingerprint-mismatch"


def test_network_edited_but_not_the_fingerprint(lines):
    layers = range(len(lines[0]["network"]["layers"]))
    for layer in layers:
        copy = deepcopy(lines)
        row = copy[0]["network"]["layers"][layer][0][0]
        row[0] = str(Fraction(row[0]) + TINY)
        assert reason_of(copy) == "fingerprint-mismatch"
    copy = deepcopy(lines)
    copy[0]["fingerprint"] = "0" * 64
    assert reason_of(copy) == "fingerprint-mismatch"


def test_network_and_fingerprint_edited(lines):
    """All biases are moved far away: the old steps prove nothing about the new network."""
    copy = deepcopy(lines)
    layer = copy[0]["network"]["layers"][0]
    layer[1] = [str(Fraction(value) + 10**6) for value in layer[1]]
    copy[0]["fingerprint"] = fingerprint(copy[0]["network"])
    assert reason_of(copy) in {"not-farkas", "witness-not-inside", "wrong-constant-piece", "not-constant"}


def test_domain_replaced(lines):
    copy = deepcopy(lines)
    copy[0]["domain"] = [["10000", "10001"]] * copy[0]["network"]["input_dim"]
    assert reason_of(copy) == "witness-not-inside"


@pytest.mark.parametrize("change", [{"n_cells": 1}, {"n_cells": -1}, {"n_strict": 1}, {"n_strict": -1}])
def test_count_off_by_one(lines, change):
    ((field, step),) = change.items()
    copy = deepcopy(lines)
    copy[1][field] += step
    assert reason_of(copy) == "wrong-count"


def test_truncated(lines):
    data = dump(lines)
    for number in range(2, len(lines)):
        assert reason_of(lines[:number]) == "unfinished"
    for size in range(1, 200):
        assert reason_of(data[:-size]) in {"bad-end", "unfinished"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"witness": ["', '"witness": ["1e3", "', "bad-rational"),
        ('"witness": ["', '"witness": ["NaN", "', "bad-rational"),
        ('"witness": [', '"witness": [NaN, ', "bad-number"),
        ('"witness": [', '"witness": [1.5, ', "bad-number"),
        ('"witness": [', '"witness": [' + "[" * 2000 + "]" * 2000 + ", ", "bad-json"),
        ('"witness": ["', '"witness": ["' + "7" * 100_001 + '", "', "bad-size"),
        ('"witness": [', '"witness": [], "witness": [', "bad-keys"),
        ('"n_strict": ', '"n_strict": 1' + "0" * 400, "bad-number"),
        ('"n_strict": ', '"n_strict": Infinity, "x": ', "bad-number"),
        ('{"n_cells"', '{"proved_by": "me", "n_cells"', "bad-fields"),
        ('"version": 1', '"version": 2', "unknown-version"),
    ],
)
def test_malformed(lines, old, new, reason):
    text = dump(lines).decode()
    assert old in text
    assert reason_of(text.replace(old, new, 1).encode()) == reason


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_random_mutation_is_accepted_only_if_it_still_proves_the_truth(tmp_path, data):
    network = data.draw(networks())
    domain = data.draw(domains(network.input_dim))
    found = er.enumerate_regions(network, domain)
    path = tmp_path / "certificate.jsonl"
    assert prove(network, domain, found.patterns(), certificate=path).holds
    texts = path.read_bytes().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(texts, data)
    try:
        _, claim = check(io.BytesIO(b"".join(texts)))
    except Refused:
        return
    claimed, truth = (claim["n_cells"], claim["n_strict"]), (found.n_cells, found.n_strict)
    assert claimed == truth or (not claim["complete"] and claimed <= truth)


def mutate(texts, data):
    """Change something after the first line."""
    number = data.draw(st.integers(1, len(texts) - 1))
    kind = data.draw(st.sampled_from(["drop", "double", "swap", "move", "value", "word"]))
    other = data.draw(st.integers(1, len(texts) - 1))
    if kind == "drop" and len(texts) > 3:
        del texts[number]
    elif kind == "double":
        texts.insert(other, texts[number])
    elif kind == "swap":
        texts[number], texts[other] = texts[other], texts[number]
    elif kind == "move":
        texts.insert(other, texts.pop(number))
    elif kind == "value":
        line = json.loads(texts[number])
        change_value(line, data)
        texts[number] = dump([line])
    else:
        words = [b'"child"', b'"constant"', b'"open"', b"{}", b'{"L0": "1", "U0": "1"}', b"true", b"false"]
        old, new = data.draw(st.permutations(words))[:2]
        texts[number] = texts[number].replace(old, new, 1)


def change_value(line, data):
    if line.get("witness"):
        place = data.draw(st.integers(0, len(line["witness"]) - 1))
        line["witness"][place] = str(data.draw(st.fractions(-3, 3, max_denominator=4)))
    elif "n_cells" in line:
        line[data.draw(st.sampled_from(["n_cells", "n_strict"]))] += data.draw(st.integers(-1, 1))
    elif "pieces" in line:
        if data.draw(st.booleans()):
            line["neuron"] = data.draw(st.integers(0, 6))
            return
        piece = data.draw(st.integers(0, len(line["pieces"]) - 1))
        entry = line["pieces"][piece]
        if isinstance(entry, dict):
            name = data.draw(st.sampled_from([*entry, "d0", "L0", "U0", "L1", "U1"]))
            entry[name] = str(data.draw(st.integers(-1, 3)))
        else:
            line["pieces"].reverse()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_small_certificates_are_accepted_only_if_true(tmp_path, data):
    """Patterns and witnesses are drawn at random and given to each kind: what is accepted must be so."""
    network = data.draw(networks(max_neurons=4, max_dim=2))
    domain = data.draw(domains(network.input_dim))
    found = er.enumerate_regions(network, domain)
    path = tmp_path / "certificate.jsonl"
    counts = [phi.n_pieces for phi in network.neurons]
    drawn = st.one_of(st.sampled_from(found.patterns()), st.tuples(*(st.integers(0, c - 1) for c in counts)))
    first, second = data.draw(drawn), data.draw(drawn)
    decide_pattern(network, domain, first, certificate=path)
    head, *_ = path.read_bytes().splitlines()
    line = json.loads(head)
    point = [str(data.draw(st.fractions(-2, 2, max_denominator=2))) for _ in range(domain.dim)]
    names = st.sampled_from(["d0", "d1", "L0", "U0", "L1", "U1", "L2", "U2"])
    farkas = data.draw(st.dictionaries(names, st.sampled_from(["1", "2", "1/2"]), max_size=3))
    excluded = data.draw(st.one_of(st.just("constant"), st.just(farkas)))
    cut = data.draw(st.integers(1, len(first)))
    infeasible = [{"pattern": first[:cut]}, {"excluded": excluded}]
    if reason_of([line | {"kind": "infeasible"}, *infeasible]) is None:
        assert not [pattern for pattern in found.patterns() if pattern[:cut] == first[:cut]]
    strict = data.draw(st.booleans())
    if reason_of([line | {"kind": "point"}, {"pattern": first, "strict": strict}, {"witness": point}]) is None:
        proof = certify_point(network, domain, point)
        assert (proof.pattern, proof.strict) == (first, strict)
    for kind in ("facet", "merge"):
        if reason_of([line | {"kind": kind}, {"patterns": [first, second]}, {"witness": point}]) is None:
            facet = decide_facet(network, domain, first, second)
            assert facet is not None
            assert facet.merges or kind == "facet"


def test_controls_cover_every_kind_of_step(folder):
    kinds = {"constant": 0, "farkas": 0, "child": 0}
    for name in NAMES:
        for kind in kinds:
            kinds[kind] += len(nodes(certificate_of(name, folder), kind))
    assert min(kinds.values()) > 10
    assert any(ENTRIES[name]["n_strict"] < ENTRIES[name]["n_cells"] for name in NAMES)
