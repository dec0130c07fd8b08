# mypy: disable-error-code="untyped-decorator"
# (Numba decides what these are)
"""Population count and trailing zeros of 64-bit words, for compiled code."""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.extending import intrinsic

__all__ = ["ctz", "popcount"]


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Return the number of bits set in a uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def ctz(typing_context: Any, word: Any) -> Any:
    """Return the place of the lowest bit set in a uint64 (64 if there is none)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate
