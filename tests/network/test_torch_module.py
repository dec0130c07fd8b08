"""Live PyTorch modules: what is read agrees with PyTorch's own float64 run, and nothing else is read."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  (PyTorch's own name for it)
from torch.nn.utils import parametrizations, prune

from exactregions.errors import InputError, NonFiniteError, ShapeError, UnsupportedError
from exactregions.network import ABS, HARD_SIGMOID, HARD_TANH, RELU, RELU6, Network, PiecewiseLinear, leaky_relu
from exactregions.network.formats import from_torch
from tests.network.reference import Refusal


class Calls(nn.Module):
    """A module whose forward is a given function of itself and its input."""

    def __init__(self, call: Callable[[Any, Any], Any], **parts: Any) -> None:
        super().__init__()
        self.call = call
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x: Any) -> Any:
        return self.call(self, x)


def agrees(module: nn.Module, *, shape: tuple[int, ...] = (), input_shape: tuple[int, ...] | None = None) -> Network:
    """Compare with PyTorch's float64 run at random points, large and small; a check of the loader, no decision."""
    module = module.double().eval()
    network = from_torch(module, input_shape=input_shape)
    samples = torch.randn(12, *(shape or (network.input_dim,)), generator=torch.Generator().manual_seed(5)).double()
    samples *= torch.logspace(-2, 2, 12).reshape(-1, *[1] * (samples.ndim - 1))
    with torch.no_grad():
        expected = module(samples.clone()).reshape(len(samples), -1).numpy()
    found = [[float(value) for value in network(list(map(float, sample.reshape(-1))))] for sample in samples]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    return network


def linear(n: int, m: int) -> nn.Linear:
    layer = nn.Linear(n, m)
    generator = torch.Generator().manual_seed(10 * n + m)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(m, n, generator=generator))
        layer.bias.copy_(torch.randn(m, generator=generator))
    return layer


def test_a_sequential_is_read_layer_by_layer() -> None:
    module = nn.Sequential(linear(2, 5), nn.ReLU(), linear(5, 4), nn.ReLU(), linear(4, 3))
    network = agrees(module)
    assert repr(network) == "<Network 2-5-4-3 relu>"
    weight = module[2].weight.tolist()
    assert network.layers[1].weights == tuple(tuple(map(Fraction, row)) for row in weight)
    assert network.output.bias == tuple(map(Fraction, module[4].bias.tolist()))


ACTIVATIONS: list[tuple[nn.Module, PiecewiseLinear]] = [
    (nn.ReLU(), RELU),
    (nn.ReLU(inplace=True), RELU),
    (nn.LeakyReLU(0.1), leaky_relu(0.1)),
    (nn.Hardtanh(), HARD_TANH),
    (nn.Hardtanh(-0.5, 2.0), PiecewiseLinear([-0.5, 2], [0, 1, 0], (0, 0))),
    (nn.ReLU6(), RELU6),
    (nn.Hardsigmoid(), HARD_SIGMOID),
    (nn.PReLU(), leaky_relu(0.25)),
    (nn.Threshold(0.5, 0.5), PiecewiseLinear([0.5], [0, 1], (1, 1))),
    (nn.Softshrink(0.25), PiecewiseLinear([-0.25, 0.25], [1, 0, 1], (0, 0))),
    (Calls(lambda m, x: F.relu(x)), RELU),
    (Calls(lambda m, x: F.relu_(x)), RELU),
    (Calls(lambda m, x: torch.relu(x)), RELU),
    (Calls(lambda m, x: x.relu()), RELU),
    (Calls(lambda m, x: x.relu_()), RELU),
    (Calls(lambda m, x: F.leaky_relu(x)), leaky_relu(0.01)),
    (Calls(lambda m, x: F.leaky_relu(x, negative_slope=0.1, inplace=True)), leaky_relu(0.1)),
    (Calls(lambda m, x: F.hardtanh(x, -2, 1)), PiecewiseLinear([-2, 1], [0, 1, 0], (0, 0))),
    (Calls(lambda m, x: F.relu6(x)), RELU6),
    (Calls(lambda m, x: F.hardsigmoid(x)), HARD_SIGMOID),
    (Calls(lambda m, x: F.threshold(x, 0.5, 0.5)), PiecewiseLinear([0.5], [0, 1], (1, 1))),
    (Calls(lambda m, x: F.softshrink(x)), PiecewiseLinear([-0.5, 0.5], [1, 0, 1], (0, 0))),
    (Calls(lambda m, x: F.prelu(x, m.slope), slope=nn.Parameter(torch.tensor([-0.5]))), leaky_relu(-0.5)),
    (Calls(lambda m, x: torch.abs(x)), ABS),
    (Calls(lambda m, x: abs(x)), ABS),
    (Calls(lambda m, x: x.abs_()), ABS),
    (Calls(lambda m, x: x.clamp(min=0)), RELU),
    (Calls(lambda m, x: torch.clamp(x, 0, 6)), RELU6),
    (Calls(lambda m, x: x.clip(max=0.5)), PiecewiseLinear([0.5], [1, 0], (0, 0))),
    (Calls(lambda m, x: x.clamp_min(0)), RELU),
    (Calls(lambda m, x: torch.clamp_max(x, 1.5)), PiecewiseLinear([1.5], [1, 0], (0, 0))),
]


@pytest.mark.parametrize(("module", "phi"), ACTIVATIONS)
def test_every_activation_in_each_of_its_forms(module: nn.Module, phi: PiecewiseLinear) -> None:
    network = agrees(nn.Sequential(linear(3, 4), module, linear(4, 2)))
    assert network.activations == ((phi,) * 4,)


def test_a_different_activation_in_every_layer() -> None:
    slopes = nn.PReLU(3)
    with torch.no_grad():
        slopes.weight.copy_(torch.tensor([0.5, -1.0, 1.0]))
    parts = [
        linear(2, 3),
        slopes,
        linear(3, 4),
        nn.Hardtanh(),
        linear(4, 3),
        nn.Hardsigmoid(),
        linear(3, 2),
        nn.LeakyReLU(),
    ]
    network = agrees(nn.Sequential(*parts))
    assert network.activations[0] == (leaky_relu(0.5), leaky_relu(-1), leaky_relu(1))
    assert network.activations[1:] == ((HARD_TANH,) * 4, (HARD_SIGMOID,) * 3, (leaky_relu(0.01),) * 2)
    assert network.output is None


def test_a_shared_relu_counts_each_time_it_is_called() -> None:
    parts = {"a": linear(2, 3), "b": linear(3, 3), "relu": nn.ReLU(inplace=True)}
    network = agrees(Calls(lambda m, x: m.relu(m.b(m.relu(m.b(m.relu(m.a(x)))))), **parts))
    assert network.widths == (3, 3, 3)


@pytest.mark.parametrize(
    "flatten",
    [
        nn.Flatten(),
        Calls(lambda m, x: torch.flatten(x, 1)),
        Calls(lambda m, x: x.flatten(start_dim=1)),
        Calls(lambda m, x: x.view(-1, 12)),
        Calls(lambda m, x: x.view(x.size(0), -1)),
        Calls(lambda m, x: x.reshape(x.shape[0], 12)),
        Calls(lambda m, x: torch.reshape(x, (x.size()[0], -1))),
    ],
)
def test_flattening_first_needs_no_layer(flatten: nn.Module) -> None:
    for input_shape in (None, (1, 3, 4)):
        network = agrees(nn.Sequential(flatten, linear(12, 2), nn.ReLU()), shape=(1, 3, 4), input_shape=input_shape)
        assert network.widths == (2,)
        assert network.input_dim == 12


def test_channels_before_flattening_are_the_first_axis_of_a_sample() -> None:
    module = nn.Sequential(nn.PReLU(2), nn.Flatten(), linear(6, 2))
    with torch.no_grad():
        module[0].weight.copy_(torch.tensor([0.5, -1.0]))
    network = agrees(module, shape=(2, 3), input_shape=(2, 3))
    assert network.neurons == (leaky_relu(0.5),) * 3 + (leaky_relu(-1),) * 3
    with Refusal(InputError, "node '0'", "unknown shape", "input_shape"):
        from_torch(module.eval())


def test_neighbouring_affine_maps_are_composed_exactly() -> None:
    first, second = linear(2, 3), linear(3, 2)
    network = from_torch(nn.Sequential(first, nn.Identity(), second, nn.ReLU()).eval())
    W, V = ([list(map(Fraction, row)) for row in layer.weight.tolist()] for layer in (second, first))
    product = tuple(
        tuple(sum(a * b for a, b in zip(row, col, strict=True)) for col in zip(*V, strict=True)) for row in W
    )
    assert network.layers[0].weights == product
    assert network.widths == (2,)


def test_an_activation_first_or_twice_gets_the_identity_as_its_layer() -> None:
    network = agrees(nn.Sequential(nn.ReLU(), nn.Hardtanh(), linear(2, 2)))
    assert network.layers[0].weights == network.layers[1].weights == ((1, 0), (0, 1))
    assert network.activations == ((RELU,) * 2, (HARD_TANH,) * 2)


def test_arithmetic_with_constants_and_buffers_is_affine() -> None:
    module = Calls(lambda m, x: m.fc(2 - (x - m.mean) / m.scale * 3).neg() + 0.5, fc=linear(3, 2))
    module.register_buffer("mean", torch.tensor([1.0, -2.0, 3.0]))
    module.register_buffer("scale", torch.tensor([[4.0, 0.5, 7.0]]))
    with Refusal(InputError, "input_shape"):
        from_torch(module.eval())
    network = agrees(module, input_shape=(3,))
    assert (network.widths, network.output_dim) == ((), 2)


def test_constants_broadcast_over_images() -> None:
    module = Calls(lambda m, x: m.fc(((x - m.mean) / 2).flatten(1)), fc=linear(12, 2))
    module.register_buffer("mean", torch.randn(3, 1, 1))
    agrees(module, shape=(3, 2, 2), input_shape=(3, 2, 2))


def test_matrix_products_are_linear_layers() -> None:
    weights = {
        "W": nn.Parameter(torch.randn(4, 3)),
        "V": nn.Parameter(torch.randn(4, 2)),
        "b": nn.Parameter(torch.ones(4)),
    }
    agrees(Calls(lambda m, x: F.relu(x @ m.W.T + m.b) @ m.V, **weights))
    agrees(Calls(lambda m, x: torch.matmul(F.linear(x, m.W, m.b).relu(), m.W), **weights))
    agrees(Calls(lambda m, x: x.mm(m.W.t()).add(m.b), **weights))


def test_dropout_is_nothing_in_eval_mode() -> None:
    functional = Calls(lambda m, x: F.dropout(x, 0.5, m.training))
    assert agrees(nn.Sequential(nn.Dropout(), linear(2, 2), nn.ReLU(), functional)).widths == (2,)


@pytest.mark.parametrize("module", [nn.Linear(2, 3), nn.Linear(2, 3, bias=False)])
def test_a_single_layer_is_an_affine_map(module: nn.Module) -> None:
    assert repr(agrees(module)) == "<Network 2-3 affine>"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_weights_of_every_width_are_widened(dtype: torch.dtype) -> None:
    module = nn.Sequential(linear(2, 3), nn.ReLU()).to(dtype).eval()
    expected = [[Fraction(value.item()) for value in row] for row in module[0].weight]
    assert [list(row) for row in from_torch(module).layers[0].weights] == expected


def test_the_module_is_left_as_it_was() -> None:
    module = Calls(lambda m, x: m.fc(x) + torch.ones(2), fc=linear(2, 2)).eval()
    before = set(vars(module))
    from_torch(module)
    assert set(vars(module)) == before


CURVED = [
    nn.Softplus(),
    nn.GELU(),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.SiLU(),
    nn.ELU(),
    nn.Hardswish(),
    nn.Softmax(1),
    nn.LayerNorm(2),
]


@pytest.mark.parametrize("module", CURVED, ids=lambda module: type(module).__name__)
def test_what_is_not_piecewise_linear_is_refused_by_node_with_what_is_supported(module: nn.Module) -> None:
    name = type(module).__name__
    whole = nn.Sequential()
    whole.add_module("fc", linear(2, 2))
    whole.add_module("act", module)
    text = f"unsupported operator {name} at node 'act': it is not piecewise linear"
    with Refusal(UnsupportedError, text, "supported are Linear"):
        from_torch(whole.eval())


REFUSED: list[tuple[Any, str]] = [
    (lambda m, x: torch.sigmoid(m.fc(x)), "unsupported operator sigmoid at node 'sigmoid': it is not piecewise linear"),
    (lambda m, x: F.softplus(m.fc(x)), "unsupported operator softplus at node 'softplus'"),
    (lambda m, x: x + m.fc(x), "residual connections are not read yet"),
    (lambda m, x: x * m.fc(x), "both operands depend on the input"),
    (lambda m, x: torch.cat([x, m.fc(x)], 1), "unsupported operator cat"),
    (lambda m, x: (F.relu_(x), m.fc(x))[1], "the value of node 'x' goes to relu_, fc"),
    (lambda m, x: m.fc(x) if x.sum() > 0 else x, "cannot trace"),
    (lambda m, x: F.dropout(m.fc(x)), "active even in eval mode"),
    (lambda m, x: (m.fc(x),), "one tensor"),
    (lambda m, x: m.fc.bias * 2, "0 inputs"),
    (lambda m, x: F.linear(x, m.fc.weight * 2), "weights alone"),
    (lambda m, x: m.fc(x.view(4, 2)), "first size"),
    (lambda m, x: m.fc(x.flatten()), "start_dim=0"),
    (lambda m, x: 1 / m.fc(x), "divides by the signal"),
    (lambda m, x: m.fc(x).clamp(1, 0), "lower bound 1 is not below"),
    (lambda m, x: m.fc(x).clamp(), "no bounds"),
    (lambda m, x: F.threshold(m.fc(x), 0.0, 1.0), "not continuous"),
    (lambda m, x: torch.add(m.fc(x), 1, alpha=2), "'alpha'"),
    (lambda m, x: torch.div(m.fc(x), 2, rounding_mode="floor"), "'rounding_mode'"),
    (lambda m, x: m.fc(x)[:, 0], "unsupported operator getitem"),
    (lambda m, x: m.fc(x).T, "unsupported operator getattr"),
    (lambda m, x: torch.max(m.fc(x), torch.zeros(2)), "unsupported operator max"),
    (lambda m, x: F.max_pool1d(x, 2), "unsupported operator max_pool1d"),
    (lambda m, x: m.fc.weight @ x, "unsupported operator matmul"),
    (lambda m, x: m.fc(x.round()), "unsupported operator round at node 'round_1': it is not continuous"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_cannot_be_read_exactly_is_refused(call: Any, text: str) -> None:
    with Refusal(UnsupportedError, text):
        from_torch(Calls(call, fc=linear(2, 2)).eval())


def test_convolution_pooling_and_unknown_modules_are_refused_by_name() -> None:
    for module, why in [
        (nn.Conv1d(1, 1, 1), "not read yet"),
        (nn.MaxPool2d(2), "not read yet"),
        (nn.RReLU(), "not supp"),
    ]:
        with Refusal(UnsupportedError, f"unsupported operator {type(module).__name__} at node '0': it is {why}"):
            from_torch(nn.Sequential(module).eval())


def test_batch_norm_is_refused_because_no_rational_fold_exists() -> None:
    with Refusal(UnsupportedError, "BatchNorm1d", "node '1'", "sqrt(var + eps)", "fuse_linear_bn_eval"):
        from_torch(nn.Sequential(linear(2, 2), nn.BatchNorm1d(2)).eval())


def test_forward_with_two_inputs_is_refused() -> None:
    class Two(nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

    with Refusal(UnsupportedError, "2 inputs (x, y)"):
        from_torch(Two().eval())


def test_a_module_in_training_mode_is_refused_even_in_part() -> None:
    module = nn.Sequential(linear(2, 2), nn.Sequential(nn.Dropout()))
    with Refusal(InputError, "Sequential", "training mode", ".eval()"):
        from_torch(module)
    module.eval()[1][0].train()
    with Refusal(InputError, "module '1.0'", "training mode", ".eval()"):
        from_torch(module)


def test_hooked_and_reparametrised_weights_are_refused() -> None:
    hooked = linear(2, 2)
    hooked.register_forward_hook(lambda module, args, value: 2 * value)
    pruned = prune.l1_unstructured(linear(2, 2), "weight", amount=0.5)
    replaced = linear(2, 2)
    replaced.forward = torch.zeros_like  # type: ignore[method-assign]
    for module in (hooked, pruned, replaced):
        with Refusal(UnsupportedError, "module '0'", "hooked or replaced"):
            from_torch(nn.Sequential(module).eval())
    with Refusal(UnsupportedError, "ParametrizedLinear at node '0'"):
        from_torch(nn.Sequential(parametrizations.weight_norm(linear(2, 2))).eval())


def test_torchscript_and_other_objects_are_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.script(nn.Sequential(linear(2, 2)).eval())
    with Refusal(UnsupportedError, "TorchScript", "pass the module"):
        from_torch(scripted)
    with Refusal(InputError, "torch.nn.Module is wanted, not a dict", "from_state_dict"):
        from_torch({})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_named_by_node_row_and_entry(value: float) -> None:
    module = nn.Sequential(linear(2, 2), nn.ReLU(), linear(2, 3)).eval()
    with torch.no_grad():
        module[2].weight[1, 0] = value
    with Refusal(NonFiniteError, "node '2', weights, row 1, entry 0"):
        from_torch(module)
    with torch.no_grad():
        module[2].weight[1, 0] = 0
        module[2].bias[2] = value
    with Refusal(NonFiniteError, "node '2', bias, entry 2"):
        from_torch(module)


def test_weights_without_data_or_of_complex_type_are_refused() -> None:
    with Refusal(InputError, "node '0', bias", "no data"):
        from_torch(nn.Sequential(nn.Linear(2, 2, device="meta")).eval())
    with Refusal(UnsupportedError, "node '0', bias", "complex64"):
        from_torch(nn.Sequential(nn.Linear(2, 2, dtype=torch.complex64)).eval())


def test_sizes_that_do_not_fit_are_refused_by_node() -> None:
    with Refusal(ShapeError, "node '1'", "3 inputs are wanted where 2 come in"):
        from_torch(nn.Sequential(linear(2, 2), linear(3, 2)).eval())
    with Refusal(ShapeError, "node '0'", "2 inputs are wanted where 5 come in"):
        from_torch(nn.Sequential(linear(2, 2)).eval(), input_shape=(5,))
    with Refusal(UnsupportedError, "node '0'", "last axis", "flatten first"):
        from_torch(nn.Sequential(linear(6, 2)).eval(), input_shape=(2, 3))
    with Refusal(ShapeError, "node '1'", "3 channels"):
        from_torch(nn.Sequential(linear(2, 2), nn.PReLU(3)).eval())
    with Refusal(ShapeError, "node 'view'", "3 inputs are wanted where 4 come in"):
        from_torch(Calls(lambda m, x: x.view(-1, 3)).eval(), input_shape=(4,))
    with Refusal(ShapeError, "node 'view'", "4 coordinates cannot take the shape (3, -1)"):
        from_torch(Calls(lambda m, x: x.view(x.size(0), 3, -1)).eval(), input_shape=(4,))
    with Refusal(InputError, "number of inputs", "input_shape"):
        from_torch(nn.Sequential(nn.ReLU()).eval())


def test_division_by_zero_is_refused() -> None:
    with Refusal(InputError, "node 'truediv'", "division by zero"):
        from_torch(Calls(lambda m, x: x / 0).eval(), input_shape=(2,))
