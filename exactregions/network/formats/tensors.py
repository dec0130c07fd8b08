"""PyTorch tensors as exact numbers: every float width is widened to float64, which rounds nothing."""

from __future__ import annotations

from typing import Any

from exactregions.errors import InputError, UnsupportedError

__all__ = ["numbers"]


def numbers(tensor: Any, *, where: str) -> Any:
    """Return a tensor's numbers as nested lists of Python floats or ints (NumPy arrays pass through).

    Raises
    ------
    UnsupportedError
        For complex, boolean and quantised tensors, and for those without data.
    """
    if not hasattr(tensor, "detach"):
        return tensor
    if tensor.is_complex() or tensor.is_quantized or str(tensor.dtype) == "torch.bool":
        raise UnsupportedError(f"numbers are wanted, not a tensor of {tensor.dtype}", where=where)
    if tensor.is_meta:
        raise InputError("the tensor has no data (device meta)", where=where, remedy="load the weights first")
    plain = tensor.detach().to("cpu").to_dense()
    return (plain.double() if plain.is_floating_point() else plain).tolist()
