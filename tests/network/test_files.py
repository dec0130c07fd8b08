"""Loading and saving whatever the format: detection, losslessness, refusals, atomic writing."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactregions.domains import Box, Slice, WholeSpace
from exactregions.errors import FormatError, InputError, ShapeError, UnsupportedError
from exactregions.files import atomic_writer
from exactregions.network import Network
from exactregions.network.formats import from_json, load, load_problem, npz, save, to_json
from tests.network.reference import Plain, Refusal, plains

ORACLES = Path(__file__).parents[1] / "oracles" / "networks.json"
MOONS = Path(__file__).parents[2] / "notebooks" / "two_moons" / "two_moons.npz"
THIRD = Network([([["1/3", 2]], [0.5])], output=([[1]], ["1e-30"]), activation="leaky_relu(1/10)")


@settings(max_examples=40)
@given(plains())
def test_going_through_every_file_format_and_back_loses_nothing(plain: Plain) -> None:
    network = plain.network()
    with TemporaryDirectory() as folder:
        for step, suffix in enumerate([".npz", ".json", ".npz"]):
            path = Path(folder, f"{step}{suffix}")
            save(network, path)
            again = load(path)
            assert again.fingerprint == network.fingerprint
            network = again
        assert [entry.name for entry in sorted(Path(folder).iterdir())] == ["0.npz", "1.json", "2.npz"]


@given(plains())
def test_the_json_form_in_memory_loses_nothing(plain: Plain) -> None:
    network = plain.network()
    again, domain = from_json(json.loads(json.dumps(to_json(network))))
    assert again == network
    assert domain is None


@pytest.mark.parametrize("entry", json.loads(ORACLES.read_text()), ids=lambda entry: entry["name"])
def test_every_oracle_network_survives_conversion(entry: dict[str, Any], tmp_path: Path) -> None:
    network, domain = load_problem(f"{ORACLES}#{entry['name']}")
    assert network.input_dim == entry["input_dim"]
    assert network.widths == tuple(len(bias) for _, bias in entry["layers"])
    for suffix in (".npz", ".json"):
        save(network, tmp_path / f"x{suffix}", domain=domain)
        assert load_problem(tmp_path / f"x{suffix}") == (network, domain)


DOMAINS = [Box(["-1/3", 0], [1, 2]), Slice([0, 0], [[1, "1/7"]], Box([0], [1])), WholeSpace(2)]


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_domain_travels_with_the_network(domain: Any, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    save(THIRD, path, domain=domain)
    assert load_problem(path) == (THIRD, domain)
    assert load(path) == THIRD


def test_without_a_domain_the_whole_space_is_meant(tmp_path: Path) -> None:
    save(THIRD, tmp_path / "x.json")
    assert load_problem(tmp_path / "x.json")[1] == WholeSpace(2)


def test_a_domain_of_another_space_is_refused(tmp_path: Path) -> None:
    with Refusal(ShapeError, "domain", "R^1", "2 inputs"):
        save(THIRD, tmp_path / "x.npz", domain=WholeSpace(1))
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.json").write_text(json.dumps({**to_json(THIRD), "domain": "R^3"}))
    with Refusal(ShapeError, "x.json", "domain", "R^3", "2 inputs"):
        load_problem(tmp_path / "x.json")


def test_the_two_moons_network_ships() -> None:
    network, domain = load_problem(MOONS)
    assert repr(network) == "<Network 2-5-5-5-2 relu>"
    assert domain == WholeSpace(2)
    with np.load(MOONS) as archive:
        assert {archive[name].dtype for name in archive.files} == {np.dtype(np.float32)}


@pytest.mark.parametrize("name", ["x", "x.dat", "x.json"])
def test_content_counts_for_more_than_the_suffix(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(MOONS.read_bytes())
    assert load(tmp_path / name) == load(MOONS)


def test_a_format_can_be_given(tmp_path: Path) -> None:
    save(THIRD, tmp_path / "x.dat", format="json")
    assert load(tmp_path / "x.dat", format="json") == THIRD
    with Refusal(FormatError, "x.dat", "unknown format 'xml'", "npz"):
        load(tmp_path / "x.dat", format="xml")
    with Refusal(FormatError, "x.dat", "npz"):
        load(tmp_path / "x.dat", format="npz")


def test_paths_may_be_text(tmp_path: Path) -> None:
    save(THIRD, str(tmp_path / "x.npz"))
    assert load(str(tmp_path / "x.npz")) == THIRD


class Bomb:
    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return Path.touch, (Path("pickle-was-loaded"),)  # type: ignore[return-value]


def write_object_array(path: Path) -> None:
    np.savez(path.with_suffix(".npz"), W1=np.array([[Bomb()]], dtype=object), b1=[0.0])
    path.with_suffix(".npz").rename(path)


@pytest.mark.parametrize("name", ["net.pkl", "net.json", "net.npz", "net.pt", "net"])
@pytest.mark.parametrize("protocol", [2, 5])
def test_a_pickle_is_refused_whatever_its_name_and_never_run(
    name: str, protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(pickle.dumps(Bomb(), protocol=protocol))
    for chosen in (None, "npz", "json", "torch"):
        with Refusal(FormatError, name, "pickle", "from_sklearn"):
            load(name, format=chosen)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_object_array_is_refused_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_object_array(Path("net.npz"))
    with Refusal(FormatError, "net.npz", "W1", "pickled objects", "never loaded"):
        load("net.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["net.npz"]


def test_compressed_joblib_is_refused_by_its_suffix(tmp_path: Path) -> None:
    (tmp_path / "x.joblib").write_bytes(b"x\x9c anything")
    with Refusal(FormatError, "x.joblib", "pickle"):
        load(tmp_path / "x.joblib")


def test_a_missing_file_a_folder_and_an_empty_file_are_refused(tmp_path: Path) -> None:
    with Refusal(FormatError, "nothing.npz", "no such file", "check the path"):
        load(tmp_path / "nothing.npz")
    with Refusal(FormatError, str(tmp_path), "folder", "name a file"):
        load(tmp_path)
    (tmp_path / "x.npz").touch()
    with Refusal(FormatError, "x.npz", "empty"):
        load(tmp_path / "x.npz")


def test_unknown_content_is_refused_with_the_known_suffixes(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    with Refusal(FormatError, "x.txt", "neither content nor suffix", ".npz"):
        load(tmp_path / "x.txt")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("hello.txt", "hello")
    with Refusal(FormatError, "x.zip", "neither content nor suffix"):
        load(tmp_path / "x.zip")


def test_onnx_is_not_covered_yet_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"\x08\x07\x12\x00")
    with Refusal(UnsupportedError, "x.onnx", "ONNX", "npz"):
        load(tmp_path / "x.onnx")


@pytest.mark.parametrize("name", ["x.onnx", "x.pt", "x.txt", "x"])
def test_writing_a_format_that_cannot_be_written_is_refused(name: str, tmp_path: Path) -> None:
    with Refusal(UnsupportedError, name, "cannot write", "npz, json"):
        save(THIRD, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.npz"
    target.write_bytes(b"old")

    def fail(network: Network, domain: object, stream: IO[bytes]) -> None:
        stream.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(npz, "write", fail)
    with pytest.raises(KeyboardInterrupt):
        save(THIRD, target)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with atomic_writer(target) as stream:
        stream.write(b"half")
        assert not target.exists()
    assert target.read_bytes() == b"half"


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with Refusal(InputError, "nowhere", "no such folder"):
        save(THIRD, tmp_path / "nowhere" / "x.npz")
    (tmp_path / "x.npz").mkdir()
    with Refusal(InputError, "x.npz", "folder"):
        save(THIRD, tmp_path / "x.npz")


@given(st.binary(max_size=200), st.sampled_from([".npz", ".json", ".safetensors", ".pt", ".onnx", ""]))
@settings(max_examples=150)
def test_garbage_never_gives_anything_but_a_refusal(content: bytes, suffix: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, f"x{suffix}")
        path.write_bytes(content)
        with Refusal(InputError, f"x{suffix}"):
            load(path, activation="relu")


@given(st.data())
@settings(max_examples=60)
def test_a_damaged_npz_is_refused_or_read_as_finite_numbers(data: st.DataObject) -> None:
    content = bytearray(MOONS.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.npz")
        path.write_bytes(content[: data.draw(st.sampled_from([None, 10, 500, len(content) - 30]))])
        try:
            network = load(path)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017  (either outcome is right)
        else:
            assert network.input_dim == 2


def test_reading_a_file_imports_neither_torch_nor_sklearn() -> None:
    code = (
        "import sys; from exactregions.network.formats import load, load_problem\n"
        f"load({str(MOONS)!r}); load_problem({str(ORACLES)!r} + '#bump_1d')\n"
        "assert not {'torch', 'sklearn', 'safetensors', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
