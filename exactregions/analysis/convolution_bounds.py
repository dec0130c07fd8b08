"""One convolutional layer: the most cells that it can have, over all filters and biases.

A convolution ties weights, so its neurons are not in general position.  Neuron (i, k) looks with filter k at the window
S_i, a set of input coordinates.  For generic filters a set of neurons has independent normals iff every subset J of its
windows, with t_i neurons at window i, has sum over J of t_i <= |union of the S_i, i in J| (Rado's condition); with
generic biases no larger set has a common point, so the regions are, by Whitney's theorem,

    sum over t, 0 <= t_i <= d, with that condition, of the product of C(d, t_i)

(Xiong, Huang, Yu, Liu, Zhu, Shao, *On the number of linear regions of convolutional neural networks*, 2020, Theorem 2).
It is an upper bound for whatever filters and for windows of any sizes, as padding makes them: the regions are as many
as the sets without a broken circuit, which are independent, and vectors supported on the windows are independent only
if they can be matched to coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import comb

from exactregions.analysis.bound import Bound, Kind, Notion
from exactregions.errors import InputError

__all__ = ["convolution_maximum", "windows"]


def windows(
    shape: Sequence[int], kernel: Sequence[int], *, stride: int = 1, padding: int = 0, channels: int = 1
) -> list[frozenset[int]]:
    """Return the windows of a convolution: for each output position, the input coordinates that it sees.

    Parameters
    ----------
    shape, kernel : sequences of int
        Lengths of the input and of the kernel along each axis.
    stride, padding, channels : int

    Examples
    --------
    >>> [sorted(window) for window in windows([3], [2])]
    [[0, 1], [1, 2]]
    """
    if len(shape) != len(kernel) or min(*shape, *kernel, stride, channels) < 1 or padding < 0:
        raise InputError("shape and kernel have as many axes, and all sizes are positive", where="convolution")
    starts = [range(-padding, size + padding - width + 1, stride) for size, width in zip(shape, kernel, strict=True)]
    found = []
    for corner in product(*starts):
        cells = product(*[range(max(a, 0), min(a + w, n)) for a, w, n in zip(corner, kernel, shape, strict=True)])
        places = [_flat(cell, shape) for cell in cells]
        volume = _flat([size - 1 for size in shape], shape) + 1
        found.append(frozenset(channel * volume + place for channel in range(channels) for place in places))
    return found


def convolution_maximum(seen: Sequence[frozenset[int]], filters: int) -> Bound:
    """Return the most cells of one ReLU convolutional layer with given windows: a maximum if they are equally large.

    Parameters
    ----------
    seen : sequence of sets of int
        The windows, as `windows` returns them; all of the same kernel.
    filters : int
        Number d of filters (output channels).

    Examples
    --------
    >>> [convolution_maximum(windows([3], [2]), d).value for d in (1, 2, 3)]
    [4, 15, 40]
    >>> convolution_maximum(windows([4], [2]), 2).value
    55
    """
    if filters < 1:
        raise InputError(f"a convolution has at least 1 filter, not {filters}")
    value = 0
    for chosen in _independent(list(seen), filters):
        term = 1
        for t in chosen:
            term *= comb(filters, t)
        value += term
    source = "Xiong, Huang, Yu, Liu, Zhu, Shao 2020, Theorem 2"
    kind = Kind.MAXIMUM if len({len(window) for window in seen}) <= 1 else Kind.UPPER
    return Bound("convolution_maximum", kind, Notion.CELLS, source, value)


def _independent(seen: list[frozenset[int]], filters: int) -> Iterator[tuple[int, ...]]:
    """Yield every t that satisfies Rado's condition: a matching of t_i copies of each window into coordinates."""

    def extend(place: int, chosen: tuple[int, ...], matched: dict[int, int]) -> Iterator[tuple[int, ...]]:
        if place == len(seen):
            yield chosen
            return
        yield from extend(place + 1, (*chosen, 0), matched)
        grown = dict(matched)
        for t in range(1, filters + 1):
            if not _augment(place, seen, grown, set()):
                return
            yield from extend(place + 1, (*chosen, t), dict(grown))

    yield from extend(0, (), {})


def _augment(window: int, seen: list[frozenset[int]], matched: dict[int, int], visited: set[int]) -> bool:
    """Match one more copy of a window along an augmenting path (Kuhn's algorithm); `matched` maps coordinates."""
    for coordinate in sorted(seen[window] - visited):
        visited.add(coordinate)
        holder = matched.get(coordinate)
        if holder is None or _augment(holder, seen, matched, visited):
            matched[coordinate] = window
            return True
    return False


def _flat(cell: Sequence[int], shape: Sequence[int]) -> int:
    index = 0
    for place, size in zip(cell, shape, strict=True):
        index = index * size + place
    return index
