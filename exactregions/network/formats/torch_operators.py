"""Which PyTorch operators are read, and what each means.

A module, a function and a method of the same kind lead to the same entry: ``nn.LeakyReLU(0.1)``,
``F.leaky_relu(x, 0.1)`` and the in-place ``F.leaky_relu_(x, 0.1)`` are one operator.  A Python float among the
parameters means the rational that it stores.  Everything not listed is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from exactregions.errors import InputError, UnsupportedError
from exactregions.network.activations import ABS, HARD_SIGMOID, RELU, RELU6, PiecewiseLinear, hard_tanh, leaky_relu
from exactregions.network.formats.tensors import numbers
from exactregions.network.formats.torch_steps import (
    Activate,
    Flatten,
    Linear,
    Reshape,
    ScaleAndShift,
    Step,
    to_constant,
)
from exactregions.network.network import AffineLayer
from exactregions.rational import to_fraction, to_fraction_matrix

__all__ = ["BATCH", "TRACED", "build", "known", "module_call", "refusal"]


class _Marker:
    """A value that only the traced run would have."""


TRACED = _Marker()  # the signal itself
BATCH = _Marker()  # the number of samples

_MODULES: dict[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "Linear": ("linear", lambda m: {"weight": m.weight, "bias": m.bias}),
    "Flatten": ("flatten", lambda m: {"start_dim": m.start_dim, "end_dim": m.end_dim}),
    "Identity": ("contiguous", lambda m: {}),
    "Dropout": ("contiguous", lambda m: {}),
    "AlphaDropout": ("contiguous", lambda m: {}),
    "ReLU": ("relu", lambda m: {}),
    "LeakyReLU": ("leaky_relu", lambda m: {"negative_slope": m.negative_slope}),
    "PReLU": ("prelu", lambda m: {"weight": m.weight}),
    "Hardtanh": ("hardtanh", lambda m: {"min_val": m.min_val, "max_val": m.max_val}),
    "ReLU6": ("relu6", lambda m: {}),
    "Hardsigmoid": ("hardsigmoid", lambda m: {}),
    "Threshold": ("threshold", lambda m: {"threshold": m.threshold, "value": m.value}),
    "Softshrink": ("softshrink", lambda m: {"lambd": m.lambd}),
}
_SUPPORTED = (
    f"supported are {', '.join(_MODULES)}, their functional forms, abs, clamp, x @ W, reshaping that keeps samples "
    "apart, and sums, differences, products and quotients with constants"
)
_CURVED = {
    "softplus", "gelu", "sigmoid", "tanh", "silu", "mish", "elu", "selu", "celu", "hardswish", "softsign", "tanhshrink",
    "logsigmoid", "softmax", "logsoftmax", "softmin", "glu", "exp", "log", "sqrt", "rsqrt", "pow", "square", "sin",
    "cos", "layernorm", "groupnorm", "rmsnorm", "expit", "erf",
}  # fmt: skip
_AT_THE_END = {"softmax", "logsoftmax", "sigmoid", "logsigmoid", "softmin"}
_JUMPING = {"hardshrink", "sign", "round", "floor", "ceil", "heaviside"}
_LATER = ("conv", "maxpool", "avgpool", "adaptiveavgpool", "adaptivemaxpool", "cat", "max", "maximum", "min", "minimum")


def module_call(module: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the operator that a module stands for, with its parameters, or None."""
    import torch

    kind = type(module).__name__
    if kind not in _MODULES or type(module) is not getattr(torch.nn, kind):
        return None
    name, parameters = _MODULES[kind]
    return name, parameters(module)


def refusal(shown: str, place: str, why: str | None = None) -> UnsupportedError:
    """Return the error for an operator that is not read."""
    plain = shown.lower().replace("_", "").removesuffix("1d").removesuffix("2d").removesuffix("3d")
    remedy = _SUPPORTED
    if why is None and plain in _CURVED:
        why = "it is not piecewise linear"
        if plain in _AT_THE_END:
            remedy = f"if it is the last operation, remove it and read the scores before it; {_SUPPORTED}"
    elif why is None and plain in _JUMPING:
        why = "it is not continuous"
    elif why is None and "batchnorm" in plain:
        why = "it divides by sqrt(var + eps), which is not rational, so no exact fold exists"
        remedy = "fold it in floats first, with torch.nn.utils.fusion.fuse_linear_bn_eval, and read the fused module"
    elif why is None and plain.removeprefix("_").startswith(_LATER):
        why = "it is not read yet"
    return UnsupportedError(
        f"unsupported operator {shown} at node {place!r}: {why or 'it is not supported'}", remedy=remedy
    )


_REQUIRED = object()
_Signature = Mapping[str, Any]
_Builder = Callable[..., Step | None]
_OPERATORS: dict[str, tuple[_Signature, _Builder]] = {}


def _operator(*names: str, **parameters: Any) -> Callable[[_Builder], _Builder]:
    """Register a builder under names, with the parameters that come after the signal, and their defaults."""

    def register(builder: _Builder) -> _Builder:
        _OPERATORS.update(dict.fromkeys(names, (parameters, builder)))
        return builder

    return register


def known(name: str) -> bool:
    """Whether an operator of this name is read."""
    return name in _OPERATORS or name in _ARITHMETIC


def build(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], place: str) -> Step | None:
    """Return the step that an operator stands for (None if it changes nothing).

    `args` hold tensors and numbers, and `TRACED` in the place of the signal.
    """
    if name in _ARITHMETIC:
        return _arithmetic(name, args, kwargs, place)
    signature, builder = _OPERATORS[name]
    given = dict(kwargs)
    args = list(args)
    signal = args.pop(0) if args else given.pop("input", None)
    if signal is not TRACED:
        raise refusal(name, place, "its first operand is not the signal")
    names = list(signature)
    if "sizes" in signature:
        given["sizes"] = args
    elif len(args) > len(names):
        raise refusal(name, place, "it has more operands than are known")
    else:
        given |= dict(zip(names, args, strict=False))
    given.pop("inplace", None)
    if unknown := [key for key in given if key not in signature]:
        raise refusal(name, place, f"its parameter {unknown[0]!r} is not known")
    bound = {key: given.get(key, default) for key, default in signature.items()}
    if missing := [key for key, value in bound.items() if value is _REQUIRED]:
        raise refusal(name, place, f"its parameter {missing[0]!r} is missing")
    if any(value is TRACED for value in bound.values()):
        raise refusal(name, place, "two of its operands depend on the input")
    return builder(**bound, place=place)


@_operator("contiguous", "detach", "clone", "float", "double")
def _identity(*, place: str) -> None:
    return None


@_operator("dropout", "alpha_dropout", "feature_alpha_dropout", p=0.5, training=True)
def _dropout(*, p: float, training: bool, place: str) -> None:
    if training is not False:
        raise refusal("dropout", place, "it is active even in eval mode; pass training=self.training")


@_operator("relu")
def _relu(*, place: str) -> Step:
    return Activate((RELU,))


@_operator("relu6")
def _relu6(*, place: str) -> Step:
    return Activate((RELU6,))


@_operator("abs", "absolute")
def _abs(*, place: str) -> Step:
    return Activate((ABS,))


@_operator("hardsigmoid")
def _hardsigmoid(*, place: str) -> Step:
    return Activate((HARD_SIGMOID,))


@_operator("leaky_relu", negative_slope=0.01)
def _leaky_relu(*, negative_slope: Any, place: str) -> Step:
    return Activate((leaky_relu(_number(negative_slope, place)),))


@_operator("prelu", weight=_REQUIRED)
def _prelu(*, weight: Any, place: str) -> Step:
    slopes = to_constant(weight, where=f"node {place!r}, weight")
    return Activate(tuple(leaky_relu(slope) for slope in slopes.flat))


@_operator("hardtanh", min_val=-1.0, max_val=1.0)
def _hardtanh(*, min_val: Any, max_val: Any, place: str) -> Step:
    return _clip(min_val, max_val, place)


@_operator("clamp", "clip", min=None, max=None)
def _clamp(*, min: Any, max: Any, place: str) -> Step:  # noqa: A002  (PyTorch's names)
    return _clip(min, max, place)


@_operator("clamp_min", min=_REQUIRED)
def _clamp_min(*, min: Any, place: str) -> Step:  # noqa: A002  (PyTorch's name)
    return _clip(min, None, place)


@_operator("clamp_max", max=_REQUIRED)
def _clamp_max(*, max: Any, place: str) -> Step:  # noqa: A002  (PyTorch's name)
    return _clip(None, max, place)


@_operator("threshold", threshold=_REQUIRED, value=_REQUIRED)
def _threshold(*, threshold: Any, value: Any, place: str) -> Step:
    mark = _number(threshold, place)
    if mark != _number(value, place):
        raise refusal("threshold", place, f"it jumps from {value} to {threshold}, so it is not continuous")
    return _clip(threshold, None, place)


@_operator("softshrink", lambd=0.5)
def _softshrink(*, lambd: Any, place: str) -> Step:
    mark = _number(lambd, place)
    if mark <= 0:
        raise refusal("softshrink", place, "lambd must be positive")
    return Activate((PiecewiseLinear([-mark, mark], [1, 0, 1], (0, 0)),))


@_operator("linear", weight=_REQUIRED, bias=None)
def _linear(*, weight: Any, bias: Any, place: str) -> Step:
    where = f"node {place!r}"
    _expect_matrix("linear", weight, place)
    shifts = [0] * len(weight) if bias is None else numbers(bias, where=f"{where}, bias")
    return Linear(
        AffineLayer.from_weights(
            numbers(weight, where=f"{where}, weights"), shifts, inputs=weight.shape[1], where=where
        )
    )


@_operator("matmul", "mm", "imatmul", other=_REQUIRED)
def _matmul(*, other: Any, place: str) -> Step:
    where = f"node {place!r}"
    _expect_matrix("matmul", other, place)
    columns = to_fraction_matrix(numbers(other, where=where), where=where)
    rows = list(zip(*columns, strict=True))
    return Linear(AffineLayer.from_weights(rows, [0] * len(rows), where=where))


@_operator("flatten", start_dim=0, end_dim=-1)
def _flatten(*, start_dim: int, end_dim: int, place: str) -> Step:
    if start_dim != 1 or end_dim != -1:
        raise refusal("flatten", place, f"start_dim={start_dim}, end_dim={end_dim}, where only 1 and -1 are read")
    return Flatten()


@_operator("view", "reshape", sizes=_REQUIRED)
def _reshape(*, sizes: Sequence[Any], place: str) -> Step:
    flat = list(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else list(sizes)
    if not flat or not (flat[0] is BATCH or flat[0] == -1):
        raise refusal("reshape", place, "its first size is neither -1 nor the number of samples")
    rest = tuple(flat[1:])
    open_sizes = rest.count(-1) + (flat[0] == -1)
    if not rest or open_sizes > 1 or not all(type(size) is int and (size > 0 or size == -1) for size in rest):
        raise refusal("reshape", place, "its sizes are not numbers known in advance")
    return Reshape(rest)


_ARITHMETIC = {
    "add": "add", "iadd": "add", "sub": "sub", "subtract": "sub", "isub": "sub", "mul": "mul", "multiply": "mul",
    "imul": "mul", "div": "div", "divide": "div", "truediv": "div", "true_divide": "div", "itruediv": "div",
    "neg": "neg", "negative": "neg",
}  # fmt: skip
_ONE, _ZERO = np.array([1], dtype=object), np.array([0], dtype=object)


def _arithmetic(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], place: str) -> Step:
    kind = _ARITHMETIC[name]
    operands = [*args, *([kwargs["other"]] if "other" in kwargs else [])]
    if unknown := set(kwargs) - {"other"}:
        raise refusal(name, place, f"its parameter {min(unknown)!r} is not known")
    if kind == "neg":
        return ScaleAndShift(-_ONE, _ZERO)
    if len(operands) != 2:
        raise refusal(name, place, "it has not two operands")
    left, right = operands
    if left is TRACED and right is TRACED:
        raise refusal(name, place, "both operands depend on the input; residual connections are not read yet")
    constant = to_constant(right if left is TRACED else left, where=f"node {place!r}, constant")
    if kind == "add":
        return ScaleAndShift(_ONE, constant)
    if kind == "sub":
        return ScaleAndShift(_ONE, -constant) if left is TRACED else ScaleAndShift(-_ONE, constant)
    if kind == "mul":
        return ScaleAndShift(constant, _ZERO)
    if left is not TRACED:
        raise refusal(name, place, "it divides by the signal, which is not piecewise linear")
    if any(value == 0 for value in constant.flat):
        raise InputError("division by zero", where=f"node {place!r}")
    return ScaleAndShift(1 / constant, _ZERO)


def _number(value: Any, place: str) -> Any:
    return to_fraction(value, where=f"node {place!r}")


def _clip(low: Any, high: Any, place: str) -> Step:
    where = f"node {place!r}"
    if hasattr(low, "detach") or hasattr(high, "detach"):
        raise refusal("clamp", place, "its bounds are tensors")
    if low is None and high is None:
        raise refusal("clamp", place, "it has no bounds")
    if high is None:
        mark = to_fraction(low, where=where)
        return Activate((PiecewiseLinear([mark], [0, 1], (mark, mark)),))
    if low is None:
        mark = to_fraction(high, where=where)
        return Activate((PiecewiseLinear([mark], [1, 0], (mark, mark)),))
    bounds = to_fraction(low, where=where), to_fraction(high, where=where)
    if bounds[0] >= bounds[1]:
        raise refusal("clamp", place, f"its lower bound {low} is not below its upper bound {high}")
    return Activate((hard_tanh(*bounds),))


def _expect_matrix(name: str, value: Any, place: str) -> None:
    if not hasattr(value, "detach") or value.ndim != 2:
        raise refusal(name, place, "its weights are not a matrix")
