from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from exactregions.errors import FormatError, InputError, NonFiniteError, ShapeError, UnsupportedError
from exactregions.network import RELU, Network
from exactregions.network.formats import load, load_problem, save
from tests.network.reference import Refusal

W1, B1, W2, B2 = [[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]], [0.0, 1.0, -1.0], [[1.0, -1.0, 2.0]], [0.25]
NAN = float("nan")


def written(path: Path, **entries: Any) -> Path:
    np.savez(path / "x.npz", **entries)
    return path / "x.npz"


def test_the_last_layer_is_the_output_and_relu_lies_between(tmp_path: Path) -> None:
    network = load(written(tmp_path, W1=W1, b1=B1, W2=W2, b2=B2))
    assert network == Network([(W1, B1)], output=(W2, B2), activation=RELU)


def test_a_single_layer_is_an_affine_map(tmp_path: Path) -> None:
    assert load(written(tmp_path, W1=W1, b1=B1)) == Network([], output=(W1, B1))


def test_ten_layers_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    entries = {f"{letter}{k}": [[k]] if letter == "W" else [0] for k in range(1, 12) for letter in "Wb"}
    network = load(written(tmp_path, **dict(sorted(entries.items()))))
    assert [layer.weights for layer in network.layers] == [((k,),) for k in range(1, 11)]


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f4", "f8", ">f8", "g", "i1", "u2", "i8", "u8"])
def test_every_width_of_number_is_read_without_rounding(dtype: str, tmp_path: Path) -> None:
    weights = (np.array([[3, 1], [7, 2]]) / 3 if np.dtype(dtype).kind == "f" else np.array([[3, 1], [7, 2]])).astype(
        dtype
    )
    network = load(written(tmp_path, W1=weights, b1=np.zeros(2, dtype)))
    expected = [[Fraction(*value.as_integer_ratio()) for value in row] for row in weights.astype("g")]
    assert [list(row) for row in network.output.weights] == expected


@given(hnp.arrays(np.float64, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_float64_weights_come_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, weights: Any) -> None:
    path = tmp_path_factory.mktemp("npz") / "x.npz"
    save(Network([], output=(weights, [0, 0])), path)
    with np.load(path) as archive:
        assert archive["W1"].dtype == np.float64
        assert (archive["W1"] == weights).all()


@pytest.mark.parametrize("value", ["1/3", "0.1", "1e400", "1e-400", f"{2**53 + 1}", f"1/{2**1075}"])
def test_what_float64_cannot_hold_is_stored_as_text(value: str, tmp_path: Path) -> None:
    network = Network([([[value, 1]], [0])])
    save(network, tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as archive:
        assert archive["W1"].dtype.kind == "U"
        assert archive["b1"].dtype == np.float64
    assert load(tmp_path / "x.npz") == network


def test_a_plain_relu_network_has_no_meta_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    network = Network([(W1, B1)], output=(W2, B2))
    save(network, tmp_path / "a.npz")
    save(network, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz") as archive:
        assert archive.files == ["W1", "b1", "W2", "b2"]


def test_meta_states_activations_the_missing_output_layer_and_the_domain(tmp_path: Path) -> None:
    meta = json.dumps({"activation": ["abs", "relu6"], "output_layer": False, "domain": [[0, "0.1"], [0, 0.1]]})
    network, domain = load_problem(written(tmp_path, W1=W1, b1=B1, W2=W2, b2=B2, meta=meta))
    assert network == Network([(W1, B1), (W2, B2)], activation=["abs", "relu6"])
    assert domain.upper == (Fraction(1, 10), Fraction(1, 10))


def test_an_activation_can_be_given_for_a_file_that_states_none(tmp_path: Path) -> None:
    path = written(tmp_path, W1=W1, b1=B1, W2=W2, b2=B2)
    assert load(path, activation="abs") == Network([(W1, B1)], output=(W2, B2), activation="abs")
    path = written(tmp_path, W1=W1, b1=B1, W2=W2, b2=B2, meta='{"activation": "abs"}')
    with Refusal(InputError, "x.npz", "activation", "states its activations", "leave"):
        load(path, activation="relu")


GOOD: dict[str, Any] = {"W1": W1, "b1": B1, "W2": W2, "b2": B2}


@pytest.mark.parametrize(
    ("change", "kind", "fragments"),
    [
        ({"W2": [[1.0, NAN, 2.0]]}, NonFiniteError, ["W2, row 0, entry 1", "nan"]),
        ({"b1": np.array([0, 1, np.inf], np.float32)}, NonFiniteError, ["b1, entry 2", "inf"]),
        ({"W2": [[1.0, 2.0]]}, ShapeError, ["W2", "2 columns", "layer 1 has 3 outputs", "(outputs, inputs)"]),
        ({"b1": [0.0]}, ShapeError, ["b1", "1 entries", "W1 has 3 rows"]),
        ({"W1": [1.0, 2.0, 3.0]}, ShapeError, ["W1", "matrix", "(3,)"]),
        ({"b2": [[0.25]]}, ShapeError, ["b2", "vector", "(1, 1)"]),
        ({"W3": [[1.0]]}, FormatError, ["b3 is missing", "W1, b1"]),
        ({"b3": [1.0]}, FormatError, ["unexpected entry 'b3'"]),
        ({"scale": [1.0]}, FormatError, ["unexpected entry 'scale'"]),
        ({"W1": np.ones((3, 2), complex)}, InputError, ["W1", "complex128"]),
        ({"W1": np.ones((3, 2), bool)}, InputError, ["W1", "bool"]),
        ({"W1": [["1/2", "x"]] * 3}, FormatError, ["W1, row 0, entry 1", "not a number"]),
        ({"W1": np.ones((0, 2)), "b1": []}, ShapeError, ["W1", "at least one neuron"]),
        ({"meta": 5}, FormatError, ["meta", "JSON text"]),
        ({"meta": "{"}, FormatError, ["meta, line 1", "not JSON"]),
        ({"meta": "[]"}, FormatError, ["meta", "object"]),
        ({"meta": '{"colour": 1}'}, FormatError, ["meta", "unknown keys colour"]),
        ({"meta": '{"output_layer": 1}'}, FormatError, ["meta", "true or false"]),
        ({"meta": '{"input_dim": 2.0}'}, FormatError, ["meta", "input_dim"]),
        ({"meta": '{"activation": "softplus"}'}, UnsupportedError, ["activation", "softplus"]),
        ({"meta": '{"domain": "S^2"}'}, FormatError, ["domain", "not a domain"]),
    ],
)
def test_a_wrong_entry_is_refused_by_name(
    change: dict[str, Any], kind: type[InputError], fragments: list[str], tmp_path: Path
) -> None:
    path = written(tmp_path, **(GOOD | change))
    with Refusal(kind, "x.npz", *fragments):
        load(path)


def test_a_missing_first_layer_is_named(tmp_path: Path) -> None:
    with Refusal(FormatError, "x.npz", "entry W1 is missing"):
        load(written(tmp_path, W2=W2, b2=B2, b1=B1))


def test_arrays_without_names_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", np.array(W1))
    with Refusal(FormatError, "x.npz", "unexpected entry 'arr_0'", "W1, b1"):
        load(tmp_path / "x.npz")


def test_a_single_array_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array(W1))
    (tmp_path / "x.npy").rename(tmp_path / "x.npz")
    with Refusal(FormatError, "x.npz", "single array"):
        load(tmp_path / "x.npz")


def test_an_npz_holds_one_network(tmp_path: Path) -> None:
    with Refusal(FormatError, "x.npz, #first", "one network"):
        load(f"{written(tmp_path, **GOOD)}#first")
