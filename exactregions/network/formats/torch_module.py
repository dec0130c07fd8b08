"""A live PyTorch module, read by tracing it with torch.fx.

A walk over the submodules would miss functional operators, count a shared ReLU once, and know nothing of the order; the
trace is what `forward` does.  The signal must run through the module in a single line: what branches, what is hooked,
and what is not piecewise linear is refused.  All arithmetic is meant exactly: the network over Q whose weights are the
stored ones, not the rounded run on a particular machine; float16, bfloat16 and float32 weights are widened.

Samples are read as their coordinates in row-major order, so a leading Flatten needs no layer.
"""

from __future__ import annotations

from typing import Any

from exactregions.errors import InputError, UnsupportedError
from exactregions.network.formats import torch_operators
from exactregions.network.formats.state_dict import require_torch
from exactregions.network.formats.torch_operators import BATCH, TRACED, refusal
from exactregions.network.formats.torch_steps import Step, take
from exactregions.network.network import Network

__all__ = ["from_torch"]

_SHAPE = object()  # the value of x.shape
_EXACT_ON_WEIGHTS = {"t", "transpose", "detach", "contiguous", "unsqueeze", "squeeze"}


def from_torch(module: Any, *, input_shape: tuple[int, ...] | None = None) -> Network:
    """Read a module in eval mode as an exact network.

    Parameters
    ----------
    module : torch.nn.Module
        Takes a batch of samples, shape (batch, ...).
    input_shape : tuple of int, optional
        Shape of one sample.  Needed only if nothing before the first Linear layer tells it.

    Returns
    -------
    Network
        Neighbouring affine maps are composed exactly; after a last activation there is no output layer.

    Raises
    ------
    UnsupportedError
        For an operator that is not piecewise linear or not covered, naming it, its node and what is supported.
    InputError
        For a module in training mode, weights that are not finite, shapes that do not fit.

    Examples
    --------
    >>> import torch
    >>> from_torch(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 3), torch.nn.ReLU()).eval())
    <Network 4-3 relu>
    """
    torch = require_torch()
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"a torch.nn.Module is wanted, not a {type(module).__name__}", remedy="see from_state_dict")
    _check(module, torch)
    before = set(vars(module))
    try:
        graph = _trace(module, torch)
        return take(_Reader(module).steps(graph), None if input_shape is None else tuple(input_shape))
    finally:
        for name in set(vars(module)) - before:  # the tracer leaves the constants of forward on the module
            delattr(module, name)


def _check(module: Any, torch: Any) -> None:
    if isinstance(module, torch.jit.ScriptModule):
        raise UnsupportedError("a compiled TorchScript module cannot be traced", remedy="pass the module it came from")
    for name, part in module.named_modules():
        place = f"module {name!r}" if name else type(module).__name__
        if part.training:
            raise InputError("the module is in training mode", where=place, remedy="call .eval() first")
        if part._forward_hooks or part._forward_pre_hooks or "forward" in vars(part):
            raise UnsupportedError(
                "its forward is hooked or replaced, so that its weights do not say what it computes",
                where=place,
                remedy="remove hooks, pruning masks and weight or spectral normalisation first",
            )


def _trace(module: Any, torch: Any) -> Any:
    try:
        return torch.fx.Tracer().trace(module)
    except Exception as error:  # whatever the user's forward raises on symbolic values
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise UnsupportedError(
            f"torch.fx cannot trace its forward ({reason})",
            where=type(module).__name__,
            remedy="avoid control flow that depends on the input, or pass a Sequential of the same layers",
        ) from None


class _Reader:
    """Walk over a traced graph, with a value for each node: the signal, a tensor, or a marker."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._values: dict[Any, Any] = {}
        self._steps: list[tuple[str, Step]] = []

    def steps(self, graph: Any) -> list[tuple[str, Step]]:
        """Return the operations in order, each with its node's name."""
        inputs = [node for node in graph.nodes if node.op == "placeholder" and node.users]
        if len(inputs) != 1:
            names = ", ".join(node.name for node in inputs) or "none"
            raise UnsupportedError(f"forward uses {len(inputs)} inputs ({names}), where one is wanted")
        for node in graph.nodes:
            if node.op == "output":
                if self._value(node.args[0]) is not TRACED:
                    raise UnsupportedError("forward does not return one tensor that depends on the input")
            else:
                self._values[node] = TRACED if node is inputs[0] else self._evaluate(node)
        for node, value in self._values.items():
            readers = [user for user in node.users if user.op == "output" or self._values[user] is TRACED]
            if value is TRACED and len(readers) != 1:
                names = ", ".join(user.name for user in readers) or "nowhere"
                raise UnsupportedError(
                    f"the value of node {node.name!r} goes to {names}, where one line of operations is wanted",
                    remedy="branches and residual connections are not read yet",
                )
        return self._steps

    def _value(self, argument: Any) -> Any:
        if isinstance(argument, (list, tuple)):
            return [self._value(part) for part in argument]
        return self._values[argument] if hasattr(argument, "op") else argument

    def _evaluate(self, node: Any) -> Any:
        if node.op == "placeholder":
            return None
        if node.op == "get_attr":
            return self._attribute(node.target)
        args = [self._value(argument) for argument in node.args]
        kwargs = {key: self._value(argument) for key, argument in node.kwargs.items()}
        if node.op == "call_module":
            return self._call_module(node, args, kwargs)
        name, shown = _name(node)
        traced = any(value is TRACED for value in (*args, *kwargs.values()))
        if not traced and node.op == "call_method" and name in _EXACT_ON_WEIGHTS:
            return getattr(args[0], node.target)(*args[1:], **kwargs)
        if name == "getattr" and not traced and args[1] in ("T", "mT"):
            return getattr(args[0], args[1])
        if (marker := _about_shape(name, args)) is not None:
            return marker
        if not torch_operators.known(name):
            raise refusal(shown, node.name)
        if not traced:
            raise refusal(shown, node.name, "it computes with weights alone; store its result as a weight instead")
        return self._append(torch_operators.build(name, args, kwargs, node.name), node.name)

    def _call_module(self, node: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        module, place = self._module.get_submodule(node.target), node.target
        call = torch_operators.module_call(module)
        if call is None:
            raise refusal(type(module).__name__, place)
        if kwargs or args != [TRACED]:
            raise refusal(type(module).__name__, place, "it is called with more than the signal")
        name, parameters = call
        return self._append(torch_operators.build(name, args, parameters, place), place)

    def _append(self, step: Step | None, place: str) -> Any:
        if step is not None:
            self._steps.append((place, step))
        return TRACED

    def _attribute(self, path: str) -> Any:
        value = self._module
        for part in path.split("."):
            value = getattr(value, part)
        return value


def _name(node: Any) -> tuple[str, str]:
    """Return the operator's name, without what marks it as in-place, and the name to show."""
    if node.op == "call_method":
        return node.target.rstrip("_"), node.target
    shown = getattr(node.target, "__name__", str(node.target))
    origin = getattr(node.target, "__module__", None) or ""
    if origin.split(".")[0] not in ("torch", "_operator", "builtins"):
        return f"{origin}.{shown}", shown
    return shown.strip("_"), shown


def _about_shape(name: str, args: list[Any]) -> Any:
    """Return a marker for x.shape, x.size() and the number of samples."""
    if name == "getattr" and args[0] is TRACED and args[1] == "shape":
        return _SHAPE
    if name == "size" and args[0] is TRACED and len(args) <= 2:
        return _SHAPE if len(args) == 1 else (BATCH if args[1] == 0 else None)
    if name == "getitem" and args[0] is _SHAPE and args[1] == 0:
        return BATCH
    return None
