from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exactregions.errors import FormatError, InputError, NonFiniteError, ShapeError, UnsupportedError
from exactregions.network import Network
from exactregions.network.formats import from_json, load, load_problem, save, to_json
from tests.network.reference import Refusal

GOOD: dict[str, Any] = {
    "input_dim": 2,
    "activation": "relu",
    "layers": [[[[1, "1/2"]], ["0"]]],
    "output_layer": [[[1]], [0]],
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "x.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_numbers_in_json_are_taken_as_written(tmp_path: Path) -> None:
    text = '{"activation": "relu", "layers": [[[[0.1, "0.1", 1e-3, "0x1p-1"]], [-0.0]]], "output_layer": null}'
    network = load(written(tmp_path, text))
    assert network.layers[0].weights == ((Fraction(1, 10), Fraction(1, 10), Fraction(1, 1000), Fraction(1, 2)),)


def test_a_number_too_long_for_an_int_or_a_float_is_exact(tmp_path: Path) -> None:
    digits = "7" * 5000
    text = f'{{"activation": "relu", "layers": [[[[{digits}, 0.{digits}]], [0]]], "output_layer": null}}'
    W = load(written(tmp_path, text)).layers[0].weights
    assert W[0][0] == 7 * (10**5000 - 1) // 9
    assert W[0][1] == Fraction(7 * (10**5000 - 1) // 9, 10**5000)


def test_a_float_in_python_is_the_rational_that_it_stores() -> None:
    network, _ = from_json({**GOOD, "layers": [[[[0.1, 0]], [0]]]})
    assert network.layers[0].weights[0][0] == Fraction(0.1) != Fraction(1, 10)


def test_describing_fields_are_not_read(tmp_path: Path) -> None:
    assert load(written(tmp_path, {**GOOD, "name": "x", "n_cells": 2, "patterns": ["0", "1"]})) == from_json(GOOD)[0]


def test_the_written_file_is_the_documented_form(tmp_path: Path) -> None:
    network = Network([([[1, "1/2"], [0, 0]], [0, 1])], activation=[["relu", "hardsigmoid"]])
    save(network, tmp_path / "x.json")
    form = json.loads((tmp_path / "x.json").read_text())
    assert form == to_json(network)
    assert form["layers"] == [[[["1", "1/2"], ["0", "0"]], ["0", "1"]]]
    assert form["activation"][0][0] == "relu"
    assert form["activation"][0][1]["slopes"] == ["0", "1/6", "0"]
    assert form["output_layer"] is None


def test_one_activation_for_all_is_written_once() -> None:
    layers = [([[1]], [0]), ([[1]], [0])]
    assert to_json(Network(layers))["activation"] == "relu"
    assert to_json(Network(layers, activation=["relu", "abs"]))["activation"] == ["relu", "abs"]


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(GOOD), encoding="utf-8-sig")
    assert load(tmp_path / "x.json") == from_json(GOOD)[0]


LIST = [{**GOOD, "name": "first"}, {**GOOD, "name": "second", "activation": "abs"}, GOOD]


@pytest.mark.parametrize(("selector", "index"), [("first", 0), ("second", 1), ("0", 0), ("1", 1), ("2", 2)])
def test_an_entry_of_a_list_is_chosen_by_name_or_number(selector: str, index: int, tmp_path: Path) -> None:
    path = written(tmp_path, LIST)
    assert load(f"{path}#{selector}") == from_json(LIST[index])[0]


def test_a_list_of_one_needs_no_choice(tmp_path: Path) -> None:
    assert load(written(tmp_path, [GOOD])) == from_json(GOOD)[0]


def test_a_list_without_a_choice_names_its_entries(tmp_path: Path) -> None:
    path = written(tmp_path, LIST)
    with Refusal(FormatError, "x.json", "3 networks", "#first", "first, second, 2"):
        load(path)
    for selector in ("third", "3", "-1"):
        with Refusal(FormatError, f"x.json, #{selector}", "no such network", "first, second"):
            load(f"{path}#{selector}")


def test_names_that_occur_twice_are_refused(tmp_path: Path) -> None:
    with Refusal(FormatError, "#a", "2 times", "number"):
        load(f"{written(tmp_path, [{**GOOD, 'name': 'a'}, {**GOOD, 'name': 'a'}])}#a")


def test_a_choice_in_a_file_of_one_network_is_refused(tmp_path: Path) -> None:
    with Refusal(FormatError, "x.json, #a", "one network"):
        load(f"{written(tmp_path, GOOD)}#a")


def test_a_file_whose_name_has_the_sign_is_read(tmp_path: Path) -> None:
    written(tmp_path, GOOD).rename(tmp_path / "x#y.json")
    assert load(tmp_path / "x#y.json") == from_json(GOOD)[0]


@pytest.mark.parametrize(
    ("change", "kind", "fragments"),
    [
        ({"layers": [[[[1, "nan"]], [0]]]}, NonFiniteError, ["layer 1, weights, row 0, entry 1"]),
        ({"layers": [[[[1]], [0]]]}, ShapeError, ["layer 1, weights, row 0", "2 are wanted"]),
        ({"layers": [{"W": [[1, 2]], "b": [0]}]}, ShapeError, ["layer 1", "pair (W, b)"]),
        ({"layers": {"0": 1}}, FormatError, ["layers", "list of pairs"]),
        ({"layers": None}, FormatError, ["layers", "list of pairs"]),
        ({"output_layer": [[[1, 2]], [0]]}, ShapeError, ["output layer"]),
        ({"output_layer": "none"}, ShapeError, ["output layer", "pair"]),
        ({"output_layer": False}, ShapeError, ["output layer", "pair"]),
        ({"activation": "softplus"}, UnsupportedError, ["activation", "softplus"]),
        ({"activation": None}, FormatError, ["activation"]),
        ({"input_dim": 3}, ShapeError, ["layer 1", "3 are wanted"]),
        ({"input_dim": -1}, FormatError, ["input_dim"]),
        ({"input_dim": True}, FormatError, ["input_dim"]),
        ({"input_dim": 2.0}, FormatError, ["input_dim"]),
        ({"domain": [[1, 0], [0, 1]]}, InputError, ["box, coordinate 0", "empty"]),
        ({"domain": 5}, FormatError, ["domain", "not a domain"]),
    ],
)
def test_a_wrong_field_is_refused_by_name(
    change: dict[str, Any], kind: type[InputError], fragments: list[str], tmp_path: Path
) -> None:
    with Refusal(kind, "x.json", *fragments):
        load_problem(written(tmp_path, GOOD | change))
    with Refusal(kind, "x.json, #b", *fragments):
        load_problem(f"{written(tmp_path, [GOOD, {**GOOD, **change, 'name': 'b'}])}#b")


@pytest.mark.parametrize("field", ["activation", "layers", "output_layer"])
def test_a_missing_field_is_named(field: str) -> None:
    with Refusal(FormatError, f"field {field!r} is missing", "output_layer"):
        from_json({key: value for key, value in GOOD.items() if key != field})


@pytest.mark.parametrize(
    ("text", "fragments"),
    [
        ('{"layers": [,]}', ["line 1, column 13", "not JSON"]),
        ('{"a": 1,\n "a": 2}', ["'a' occurs twice"]),
        ("[" * 100_000, ["nested too deeply"]),
        ("[5]", ["JSON object, not a int"]),
        ("[]", ["0 networks"]),
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, fragments: list[str], tmp_path: Path) -> None:
    with Refusal(FormatError, "x.json", *fragments):
        load(written(tmp_path, text))


def test_nan_and_infinity_as_json_numbers_are_refused(tmp_path: Path) -> None:
    for number in ("NaN", "Infinity", "-Infinity"):
        text = json.dumps(GOOD).replace('"1/2"', number)
        with Refusal(NonFiniteError, "x.json, layer 1, weights, row 0, entry 1", number):
            load(written(tmp_path, text))


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"name": "\xff"}')
    with Refusal(FormatError, "x.json, byte 10", "UTF-8"):
        load(tmp_path / "x.json")


def test_activations_that_the_file_states_are_not_overruled(tmp_path: Path) -> None:
    with Refusal(InputError, "x.json", "states its activations"):
        load(written(tmp_path, GOOD), activation="abs")
