from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import nn

from exactregions.errors import FormatError, InputError, NonFiniteError, ShapeError, UnsupportedError
from exactregions.network.formats import from_state_dict, from_torch, load
from tests.network.reference import Refusal


def model(hidden: int = 2) -> nn.Sequential:
    torch.manual_seed(3)
    parts: list[nn.Module] = [nn.Linear(2, 3)]
    for _ in range(hidden - 1):
        parts += [nn.ReLU(), nn.Linear(3, 3)]
    return nn.Sequential(*parts, nn.ReLU(), nn.Linear(3, 2)).eval()


Writer = Callable[[dict[str, Any], Path], None]
WRITERS: list[tuple[str, Writer]] = [
    ("x.pt", torch.save),
    ("x.pth", torch.save),
    ("x.bin", torch.save),
    ("x.safetensors", lambda mapping, path: safetensors.torch.save_file(mapping, path)),
    ("x", torch.save),
    ("y", lambda mapping, path: safetensors.torch.save_file(mapping, path)),
]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "write"), WRITERS)
def test_files_agree_with_the_traced_module(name: str, write: Writer, dtype: torch.dtype, tmp_path: Path) -> None:
    module = model(12).to(dtype)  # twelve layers, so that a sort by letters would put 10 before 2
    write(module.state_dict(), tmp_path / name)
    assert load(tmp_path / name, activation="relu") == from_torch(module)
    assert from_state_dict(module.state_dict(), activation="relu") == from_torch(module)


def test_the_activation_may_differ_from_layer_to_layer() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.Hardtanh(), nn.Linear(3, 2), nn.LeakyReLU(0.5), nn.Linear(2, 1)).eval()
    read = from_state_dict(module.state_dict(), activation=["hardtanh[-1,1]", "leaky_relu(1/2)"])
    assert read == from_torch(module)


def test_a_missing_bias_is_zero() -> None:
    module = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Linear(3, 1)).eval()
    assert from_state_dict(module.state_dict(), activation="relu") == from_torch(module)


@pytest.mark.parametrize("names", [["fc1", "fc2", "fc10"], ["net.layers.3", "net.layers.20", "net.layers.100"]])
def test_names_that_differ_in_one_number_are_ordered_by_it(names: list[str]) -> None:
    module = model()
    layers = [part for part in module if isinstance(part, nn.Linear)]
    mapping = {f"{name}.weight": layer.weight for name, layer in zip(names, layers, strict=True)}
    mapping |= {f"{name}.bias": layer.bias for name, layer in zip(names, layers, strict=True)}
    assert from_state_dict(dict(sorted(mapping.items())), activation="relu") == from_torch(module)


def test_a_single_linear_layer_is_an_affine_map() -> None:
    layer = nn.Linear(2, 3).eval()
    assert from_state_dict(layer.state_dict(), activation="relu") == from_torch(layer)


def test_safetensors_metadata_may_state_the_activation(tmp_path: Path) -> None:
    module = model()
    for stated in ("relu", '["relu", "relu"]'):
        safetensors.torch.save_file(module.state_dict(), tmp_path / "x.safetensors", metadata={"activation": stated})
        assert load(tmp_path / "x.safetensors") == from_torch(module)
        with Refusal(InputError, "states its activations"):
            load(tmp_path / "x.safetensors", activation="relu")


@pytest.mark.parametrize(("name", "write"), WRITERS)
def test_without_an_activation_nothing_is_guessed(name: str, write: Writer, tmp_path: Path) -> None:
    write(model().state_dict(), tmp_path / name)
    with Refusal(InputError, name, "does not say which activation", "from_torch"):
        load(tmp_path / name)


W, V, B, C = torch.ones(3, 2), torch.ones(1, 3), torch.zeros(3), torch.zeros(1)
GOOD = {"0.weight": W, "0.bias": B, "2.weight": V, "2.bias": C}


@pytest.mark.parametrize(
    ("change", "kind", "fragments"),
    [
        ({"1.running_mean": B}, UnsupportedError, ["'1.running_mean'", "not one of a Linear layer"]),
        ({"0.weight_orig": W}, UnsupportedError, ["'0.weight_orig'"]),
        ({"1.weight": B}, UnsupportedError, ["1.weight", "(3,)", "not the matrix of a Linear layer"]),
        ({"0.weight": torch.ones(3, 2, 1)}, UnsupportedError, ["0.weight", "(3, 2, 1)"]),
        ({"4.bias": C}, FormatError, ["entry 4.weight is missing"]),
        ({"2.weight": torch.ones(1, 4)}, ShapeError, ["2.weight", "4 inputs where 3"]),
        ({"2.bias": B}, ShapeError, ["3 entries where 1"]),
        ({"2.weight": torch.tensor([[1, 2, float("nan")]])}, NonFiniteError, ["2, weights, row 0, entry 2"]),
        ({"out.weight": C}, UnsupportedError, ["do not tell the order", "0, 2, out", "from_torch"]),
        ({"a.0.weight": W}, UnsupportedError, ["do not tell the order"]),
    ],
)
def test_what_is_no_plain_stack_is_refused(
    change: dict[str, Any], kind: type[InputError], fragments: list[str]
) -> None:
    with Refusal(kind, *fragments):
        from_state_dict(GOOD | change, activation="relu")


def test_names_that_do_not_tell_the_order_are_refused() -> None:
    with Refusal(UnsupportedError, "fc, out", "order of the layers"):
        from_state_dict({"fc.weight": W, "out.weight": V}, activation="relu")
    with Refusal(UnsupportedError, "order of the layers"):
        from_state_dict({"a1.b1.weight": W, "a2.b2.weight": V}, activation="relu")
    with Refusal(UnsupportedError, "order of the layers"):
        from_state_dict({"fc1.weight": W, "fc01.weight": V}, activation="relu")


def test_what_is_no_mapping_of_tensors_is_refused() -> None:
    with Refusal(FormatError, "empty"):
        from_state_dict({}, activation="relu")
    with Refusal(FormatError, "mapping", "list", "from_torch"):
        from_state_dict([W], activation="relu")
    with Refusal(FormatError, "0.weight", "list"):
        from_state_dict({"0.weight": [[1.0]]}, activation="relu")


def test_a_checkpoint_with_more_than_weights_is_refused(tmp_path: Path) -> None:
    torch.save({"epoch": 3, "model": model().state_dict()}, tmp_path / "x.pt")
    with Refusal(UnsupportedError, "x.pt", "'epoch'", "from_torch"):
        load(tmp_path / "x.pt", activation="relu")
    torch.save(W, tmp_path / "x.pt")
    with Refusal(FormatError, "x.pt", "mapping", "Tensor"):
        load(tmp_path / "x.pt", activation="relu")


class Spy(nn.Linear):
    """A module whose unpickling would leave a trace."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("pickle-was-loaded"),)


@pytest.mark.parametrize("new_form", [True, False])
def test_a_whole_pickled_module_is_refused_and_never_run(
    new_form: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (Spy(2, 2), nn.Linear(2, 2)):
        torch.save(module, "x.pt", _use_new_zipfile_serialization=new_form)
        with Refusal(FormatError, "x.pt", "state_dict()"):
            load("x.pt", activation="relu")
        assert [path.name for path in tmp_path.iterdir()] == ["x.pt"]


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    torch.save(GOOD, tmp_path / "x.pt")
    (tmp_path / "x.pt").write_bytes((tmp_path / "x.pt").read_bytes()[:-40])
    safetensors.torch.save_file(GOOD, tmp_path / "x.safetensors")
    (tmp_path / "x.safetensors").write_bytes((tmp_path / "x.safetensors").read_bytes()[:-4])
    for name in ("x.pt", "x.safetensors"):
        with Refusal(FormatError, name):
            load(tmp_path / name, activation="relu")
    with Refusal(FormatError, "#a", "one network"):
        load(f"{tmp_path / 'x.safetensors'}#a")
