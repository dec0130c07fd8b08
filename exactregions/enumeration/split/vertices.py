"""Drives the vertex kernel: start cells, buffers that grow on demand, one matrix product for each full buffer.

The search is depth first over layers: `advance` works on the buffer of one layer until the next layer's is full, which is
then multiplied, bounded and searched before the rest; so memory does not depend on the number of cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split import vertices_kernel as kernel
from exactregions.enumeration.split.chunks import Chunk, Prefix
from exactregions.enumeration.split.exact import StartCell, start_cells
from exactregions.enumeration.split.leaves import settle_leaves
from exactregions.enumeration.split.reduction import ReducedProblem
from exactregions.enumeration.split.vertices_kernel import Buffer, Out, RefineWork, Scratch
from exactregions.enumeration.split.vertices_net import VertexNet, vertex_net
from exactregions.enumeration.split.vertices_refine import U

__all__ = ["can_search", "search_vertices"]

_MAX_ROWS = 1 << 20
_COARSE, _COARSE_FIRST = 1e-6, 1e-10  # errors beyond which a vertex is computed afresh; in the first layer it is cheap


def can_search(problem: ReducedProblem, *, integral: bool) -> bool:
    """Whether the kernel can run: there are hidden layers, and the numbers fit."""
    return vertex_net(problem, integral=integral) is not None and max(r.n_rows for r in problem.layers) < _MAX_ROWS


def search_vertices(
    problem: ReducedProblem, *, integral: bool = False, listing: bool = True, batch: int = 8192
) -> Iterator[Chunk]:
    """Yield all cells in chunks, with the prefixes of subtrees that could not be decided.

    Parameters
    ----------
    problem : ReducedProblem
        One that `can_search` accepts.
    integral : bool
        Integer mode instead of floats with certified signs.
    listing : bool
        Whether to yield patterns and witnesses, or only numbers.
    batch : int
        Vertices in a matrix product, and cells in a chunk, about.
    """
    net = vertex_net(problem, integral=integral)
    starts = start_cells(problem)
    if net is None:
        raise ValueError("the vertex kernel cannot run on this problem")
    if not starts:
        return
    yield from _Search(problem, net, starts, integral=integral, listing=listing, batch=batch).run()


class _Search:
    def __init__(
        self,
        problem: ReducedProblem,
        net: VertexNet,
        starts: list[StartCell],
        *,
        integral: bool,
        listing: bool,
        batch: int,
    ) -> None:
        self.problem, self.net = problem, net
        self.integral, self.listing = integral, listing
        self.depth = len(net.rows)
        h = problem.n_coordinates
        self.buffers = [_buffer(net, layer, h, batch if layer else 2) for layer in range(self.depth)]
        self.scratch = [
            _scratch(net, layer, h, 256, 2048, 64, last=layer == self.depth - 1) for layer in range(self.depth)
        ]
        self.controls = [np.zeros(kernel.N_CONTROL, np.int64) for _ in range(self.depth)]
        self.tables = [
            np.ascontiguousarray(net.flat[s : s + r * c].reshape(r, c).T)
            for s, r, c in zip(net.start.tolist(), net.rows.tolist(), net.cols.tolist(), strict=True)
        ]
        self.work = _refine_work(net, h)
        words = int(net.word_start[-1])
        room = batch if listing else 8
        self.out = Out(
            np.zeros((room, words), np.uint64),
            np.zeros((room, words), np.uint64),
            np.zeros((room, h)),
            np.zeros((64, words), np.uint64),
            np.zeros((64, words), np.uint64),
            np.zeros(64, np.int64),
        )
        self._start(starts)

    def _start(self, starts: list[StartCell]) -> None:
        """Fill the first buffer with the start cells' rays; equal rays are one vertex."""
        places: dict[tuple[int, ...], int] = {}
        for cell in starts:
            for ray in cell.rays:
                places.setdefault(ray, len(places))
        entries = sum(len(cell.rays) for cell in starts)
        buffer = _buffer(self.net, 0, self.problem.n_coordinates, max(len(places), entries, len(starts)) + 2)
        exact = self.problem.layers[0].matrix.to_fractions()
        signs = np.zeros((len(places), len(exact)))
        integers = self.problem.integer_layers() if self.integral else None
        for ray, v in places.items():
            if integers is not None:
                values = [
                    sum(int(w) * x for w, x in zip(row, ray, strict=True)) for row in integers[0].weights.tolist()
                ]
                buffer.Z[v], buffer.X[v] = values, ray
                signs[v] = np.sign(np.array([float(value) for value in values]))
                if max(map(abs, (*values, *ray))) >= 1 << 53:
                    buffer.Q[v] = self.net.walls[: buffer.Q.shape[1]]
                    signs[v] = np.nan
            else:
                largest = max(map(abs, ray))
                forms = [sum((w * x for w, x in zip(row, ray, strict=True)), Fraction(0)) for row in exact]
                buffer.Z[v] = [float(value / largest) for value in forms]
                buffer.X[v] = [value / largest for value in ray]
                signs[v] = [(value > 0) - (value < 0) for value in forms]
                buffer.eI[v] = 1.01 * U * np.abs(buffer.Z[v]).max(initial=0.0)
                buffer.e2[v] = 1.01 * U * (np.linalg.norm(buffer.Z[v]) + np.linalg.norm(buffer.X[v]))
        sides = -1 - len(self.problem.domain_rows)
        at = 0
        for c, cell in enumerate(starts):
            names = sorted(set().union(*cell.incidence))
            slot = {name: place for place, name in enumerate(names)}
            for name, place in slot.items():
                # in `net.domain` the row of x_0, if there is one, comes first
                row = 0 if name == sides else -1 - name + (not self.problem.is_cone)
                if place < 64:
                    buffer.slots[c, place] = name if name >= 0 else -1 - row
            for ray, touching in zip(cell.rays, cell.incidence, strict=True):
                buffer.vertex[at] = places[ray]
                buffer.mask[at] = sum(1 << slot[name] for name in touching if slot[name] < 64)
                at += 1
            buffer.start[c + 1] = at
        buffer.count[:] = len(places), at, len(starts)
        kernel.classify_start(self.net, buffer, signs)
        self.buffers[0] = buffer
        self.controls[0][kernel.CELL] = -1

    def run(self) -> Iterator[Chunk]:
        """Search, yielding chunks whenever an output is full."""
        layer = 0
        while True:
            code = self._advance(layer)
            if code == kernel.DONE:
                if layer + 1 < self.depth and self.buffers[layer + 1].count[kernel.CELLS]:
                    layer = self._descend(layer)
                elif layer == 0:
                    break
                else:
                    self.buffers[layer].count[:] = 0
                    layer -= 1
            elif code == kernel.NEXT_FULL:
                if self.buffers[layer + 1].count[kernel.CELLS]:
                    layer = self._descend(layer)
                else:
                    self.buffers[layer + 1] = _grow_all(self.buffers[layer + 1])
            elif code in (kernel.OUT_FULL, kernel.OPEN_FULL):
                yield self._drain()
            else:
                self._grow(layer, code)
        yield self._drain()

    def _advance(self, layer: int) -> int:
        last = layer == self.depth - 1
        following = self.buffers[layer if last else layer + 1]
        control = self.controls[layer]
        code = kernel.advance(
            self.net, layer, last, self.integral, self.listing, _COARSE if last or layer else _COARSE_FIRST, self.buffers[layer],
            self.scratch[layer], following, self.out, self.work, control,
        )  # fmt: skip
        total = self.controls[-1]
        if not last:
            # outputs are shared: count them in one place
            total[kernel.N_OPEN] = control[kernel.N_OPEN]
        for other in self.controls:
            other[kernel.N_OPEN] = control[kernel.N_OPEN]
        return int(code)

    def _descend(self, layer: int) -> int:
        """Multiply the next layer's buffer, and go there."""
        buffer = self.buffers[layer + 1]
        count = int(buffer.count[kernel.VERTICES])
        with np.errstate(all="ignore"):
            np.dot(buffer.A[:count], self.tables[layer + 1], out=buffer.Z[:count])
        kernel.finish(self.net, layer + 1, self.integral, buffer)
        control = self.controls[layer + 1]
        control[kernel.CELL], control[kernel.DEPTH] = -1, 0
        return layer + 1

    def _grow(self, layer: int, code: int) -> None:
        scratch = self.scratch[layer]
        rays, places, depth = len(scratch.eI), len(scratch.index), len(scratch.stack)
        rays *= 1 + (code == kernel.GROW_RAYS)
        places *= 1 + (code == kernel.GROW_LIST)
        depth *= 1 + (code == kernel.GROW_STACK)
        last = layer == self.depth - 1
        larger = _scratch(self.net, layer, self.problem.n_coordinates, rays, places, depth, last=last)
        for old, new in zip(scratch, larger, strict=True):
            new[tuple(slice(0, size) for size in old.shape)] = old
        self.scratch[layer] = larger

    def _drain(self) -> Chunk:
        """Make a chunk of the outputs, and empty them."""
        control = self.controls[-1]
        n_open = int(control[kernel.N_OPEN])
        undecided = [self._prefix(k) for k in range(n_open)]
        decisions = {
            "nodes": sum(int(c[kernel.N_NODES]) for c in self.controls),
            "vertices": sum(int(c[kernel.N_RAYS]) for c in self.controls),
            "refined": sum(int(c[kernel.N_REFINED]) for c in self.controls),
            "walls_composed": sum(int(c[kernel.N_WALL]) for c in self.controls),
        }
        chunk = Chunk(int(control[kernel.N_CELLS]), int(control[kernel.N_STRICT]), decisions=decisions)
        if self.listing:
            count = int(control[kernel.N_OUT])
            settle_leaves(self.problem, self.out.signs[:count], self.out.zeros[:count], self.out.points[:count], chunk)
        chunk.undecided = undecided
        for one in self.controls:
            for word in (kernel.N_CELLS, kernel.N_STRICT, kernel.N_OUT, kernel.N_OPEN):
                one[word] = 0
            for word in (kernel.N_NODES, kernel.N_RAYS, kernel.N_REFINED, kernel.N_WALL):
                one[word] = 0
        return chunk

    def _prefix(self, k: int) -> Prefix:
        sides = []
        for layer in range(int(self.out.open_layer[k]) + 1):
            first = int(self.net.word_start[layer])
            row = range(int(self.net.rows[layer]))
            up, down = self.out.open_up[k], self.out.open_down[k]
            sides.append(tuple(_bit(up, first, j) - _bit(down, first, j) for j in row))
        return tuple(sides)


def _bit(words: NDArray[np.uint64], first: int, row: int) -> int:
    return int(words[first + row // 64]) >> (row % 64) & 1


def _buffer(net: VertexNet, layer: int, h: int, cap: int) -> Buffer:
    n, width = int(net.rows[layer]), int(net.cols[layer])
    words, everything = -(-n // 64), int(net.word_start[-1])
    entries = 4 * cap
    start = np.zeros(cap + 1, np.int64)
    return Buffer(
        np.zeros((cap, width)),
        np.zeros((cap, n)),
        np.zeros((cap, h)),
        np.zeros(cap),
        np.zeros(cap),
        np.zeros((cap, words), np.uint64),
        np.zeros((cap, words), np.uint64),
        np.zeros((cap, words), np.uint64),
        np.zeros(cap, np.bool_),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.uint64),
        start,
        np.zeros((cap, 64), np.int32),
        np.zeros((cap, everything), np.uint64),
        np.zeros((cap, everything), np.uint64),
        np.zeros(3, np.int64),
    )


def _grow_all(buffer: Buffer) -> Buffer:
    """Return an empty buffer twice as large."""
    return Buffer(
        *(
            array if array.shape == (3,) else np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
            for array in buffer
        )
    )


def _scratch(net: VertexNet, layer: int, h: int, rays: int, places: int, depth: int, *, last: bool) -> Scratch:
    n = int(net.rows[layer])
    words = -(-n // 64)
    return Scratch(
        np.zeros((rays, n)),
        np.zeros((1, 1) if last else (rays, n)),
        np.zeros((rays, h)),
        np.zeros(rays),
        np.zeros(rays),
        np.zeros((rays, words), np.uint64),
        np.zeros((rays, words), np.uint64),
        np.zeros((rays, words), np.uint64),
        np.zeros(rays, np.uint64),
        np.zeros((rays, 2), np.int64),
        np.zeros(rays, np.int64),
        np.zeros(places, np.int64),
        np.zeros(places, np.uint64),
        np.zeros((depth, 4), np.int64),
        np.zeros((depth, 64), np.int32),
        np.zeros(rays, np.int64),
        np.zeros(rays, np.int64),
        np.zeros(rays, np.int64),
        np.zeros(n, np.int64),
        np.zeros((9, words), np.uint64),
        np.zeros(rays, np.int64),
    )


def _refine_work(net: VertexNet, h: int) -> RefineWork:
    d, widest = max(h - 1, 1), int(max(net.rows.max() + 1, net.cols.max(), h))
    return RefineWork(
        np.zeros((d, h)),
        np.zeros(d),
        np.zeros((d, h + d)),
        np.zeros(widest),
        np.zeros(widest),
        np.zeros(d, np.int64),
        np.zeros(widest),
        np.zeros(h),
        np.zeros(3),
        np.zeros(h),
        np.zeros(h, np.int64),
        np.zeros(d, np.int64),
        np.zeros((2, -(-widest // 64)), np.uint64),
        np.zeros((4, h)),
    )
