"""Drives the vertex kernel: start cells, buffers that grow on demand, one matrix product for each full buffer.

The search is depth first over layers: `advance` works on the buffer of one layer until the next layer's is full, which
is then multiplied, bounded and searched before the rest; so memory does not depend on the number of cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from operator import mul
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split import vertices_buffers as new_arrays
from exactregions.enumeration.split import vertices_state as state
from exactregions.enumeration.split.chunks import Chunk, Prefix
from exactregions.enumeration.split.exact import StartCell, start_cells
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.enumeration.split.leaves import settle_leaves
from exactregions.enumeration.split.vertices_facets import take_facets
from exactregions.enumeration.split.vertices_kernel import advance
from exactregions.enumeration.split.vertices_load import classify_start, finish
from exactregions.enumeration.split.vertices_net import VertexNet, vertex_net
from exactregions.enumeration.split.vertices_refine import TINY, U
from exactregions.enumeration.split.vertices_state import Buffer

__all__ = ["can_search", "search_vertices"]

_MAX_ROWS = 1 << 20
_STARTS = 64  # to share out if there is only one layer; the same for any number of threads, as witnesses depend on it
_FITS = 1 << 53
_MOST_SIDES = 48  # of a start cell; the kernel has room for 64 walls at a cell
_NAMES = 1 << 14  # 1 MB: larger ones repeat fewer vertices, but touch more memory
# errors beyond which a vertex is computed afresh at once; that is cheap in the first layer, and pays in deep networks
_COARSE, _COARSE_FIRST, _COARSE_DEEP = 1e-4, 1e-8, 1e-13


def can_search(problem: HomogeneousProblem, *, integral: bool) -> bool:
    """Whether the kernel can run: there are hidden layers, and the numbers fit."""
    return vertex_net(problem, integral=integral) is not None and max(r.n_rows for r in problem.layers) < _MAX_ROWS


def search_vertices(
    problem: HomogeneousProblem,
    *,
    integral: bool = False,
    listing: bool = True,
    faceting: bool = False,
    threads: int = 1,
    batch: int = 8192,
) -> Iterator[Chunk]:
    """Yield all cells in chunks, with the prefixes of subtrees that could not be decided.

    Parameters
    ----------
    problem : HomogeneousProblem
        One that `can_search` accepts.
    integral : bool
        Integer mode instead of floats with certified signs.
    listing : bool
        Whether to yield patterns and witnesses, or only numbers.
    faceting : bool
        Whether to list with the facets of each cell; there must be two coordinates or more.
    threads : int
        Number of threads; buffers of the second layer, or start cells if there is one layer, are shared out.
    batch : int
        Vertices in a matrix product, and cells in a chunk, about.
    """
    net = vertex_net(problem, integral=integral)
    if net is None:
        raise ValueError("the vertex kernel cannot run on this problem")

    def new(size: int) -> _Search:
        return _Search(problem, net, integral=integral, listing=listing, faceting=faceting, batch=size)

    first = new(batch if threads == 1 else max(batch // 8, 64))
    starts = start_cells(problem, _STARTS if first.depth == 1 else 1)
    if first.depth == 1 and not all(map(first.fits, starts)):
        starts = start_cells(problem)  # larger cells have shorter vectors
    if not starts:
        return
    if threads > 1:
        yield from _in_threads(first, new, starts, threads, batch)
        return
    first.load(starts)
    yield from first.run()


def _in_threads(
    first: _Search, new: Callable[[int], _Search], starts: list[StartCell], threads: int, batch: int
) -> Iterator[Chunk]:
    """Share out the work; chunks come in an order that does not depend on the number of threads."""
    idle: SimpleQueue[_Search] = SimpleQueue()
    for _ in range(threads):
        idle.put(new(batch))

    def work(task: Buffer | StartCell) -> list[Chunk]:
        search = idle.get()
        if isinstance(task, StartCell):
            search.load([task])
            found = list(search.run())
        else:
            found = list(search.run_from(task))
        idle.put(search)
        return found

    def tasks() -> Iterator[tuple[Buffer | StartCell | Chunk, float]]:
        """What there is to do, each with the part of the search that is done after it."""
        if first.depth > 1:
            first.load(starts)
            for task in first.first_layer():
                yield task, first.position(0)
        else:
            for place, start in enumerate(starts, start=1):
                yield start, place / len(starts)

    waiting: deque[tuple[Future[list[Chunk]], float]] = deque()
    reached = 0.0

    def oldest() -> Iterator[Chunk]:
        nonlocal reached
        future, end = waiting.popleft()
        for chunk in future.result():
            chunk.fraction = reached + (end - reached) * chunk.fraction
            yield chunk
        reached = end

    pool = ThreadPoolExecutor(threads)
    try:
        for task, end in tasks():
            if isinstance(task, Chunk):
                yield task
                continue
            waiting.append((pool.submit(work, task), end))
            if len(waiting) > 4 * threads:
                yield from oldest()
        while waiting:
            yield from oldest()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Search:
    def __init__(
        self,
        problem: HomogeneousProblem,
        net: VertexNet,
        *,
        integral: bool,
        listing: bool,
        faceting: bool,
        batch: int,
    ) -> None:
        self.problem, self.net = problem, net
        self.integral, self.listing, self.faceting = integral, listing, faceting
        self.depth = len(net.rows)
        h = problem.n_coordinates
        self.buffers = [new_arrays.buffer(net, layer, h, batch if layer else 2) for layer in range(self.depth)]
        self.scratch = [
            new_arrays.scratch(net, layer, h, 256, 2048, 64, last=layer == self.depth - 1)
            for layer in range(self.depth)
        ]
        self.controls = [np.zeros(state.N_CONTROL, np.int64) for _ in range(self.depth)]
        self.tables = [
            np.ascontiguousarray(net.flat[s : s + r * c].reshape(r, c).T)
            for s, r, c in zip(net.start.tolist(), net.rows.tolist(), net.cols.tolist(), strict=True)
        ]
        self.names = [new_arrays.names(1 if layer == self.depth - 1 else _NAMES) for layer in range(self.depth)]
        self.work = new_arrays.refine_work(net, h)
        self.out = new_arrays.outputs(net, h, batch if listing else 8, faceting=faceting)
        self.aside: list[Prefix] = []
        self.spans = [(0.0, 0.0)] * self.depth  # what part of its buffer a layer has last sent to the next
        self.multiplied = 0
        matrix = problem.layers[0].matrix
        self.first, self.unit = [list(map(int, row)) for row in matrix.numerators.tolist()], matrix.denominator
        if integral:
            first = net.flat[: int(net.rows[0] * net.cols[0])].reshape(-1, int(net.cols[0]))
            self.first, self.unit = [list(map(int, row)) for row in first.tolist()], 1

    def load(self, starts: list[StartCell]) -> None:
        """Fill the first buffer with the start cells' rays; equal rays are one vertex."""
        starts = self._keep_small(starts)
        places: dict[tuple[int, ...], int] = {}
        for cell in starts:
            for ray in cell.rays:
                places.setdefault(ray, len(places))
        entries = sum(len(cell.rays) for cell in starts)
        room = max(len(places), entries, len(starts)) + 2
        buffer = new_arrays.buffer(self.net, 0, self.problem.n_coordinates, room)
        signs = np.zeros((len(places), int(self.net.rows[0])))
        for ray, v in places.items():
            values = self._values(ray)
            signs[v] = [(value > 0) - (value < 0) for value in values]
            if self.integral:
                buffer.Z[v], buffer.X[v] = values, ray
                continue
            largest = max(map(abs, ray))
            buffer.Z[v] = [value / (self.unit * largest) for value in values]  # rounds once
            buffer.X[v] = [value / largest for value in ray]
            buffer.e_max[v] = 1.01 * U * np.abs(buffer.Z[v]).max(initial=0.0) + TINY
            buffer.e_two[v] = 1.01 * U * (np.linalg.norm(buffer.Z[v]) + np.linalg.norm(buffer.X[v])) + TINY
        sides = -1 - len(self.problem.domain_rows)
        at = 0
        for c, cell in enumerate(starts):
            names = sorted(set().union(*cell.incidence))
            slot = {name: place for place, name in enumerate(names)}
            for name, place in slot.items():
                # in `net.domain` the row of x_0, if there is one, comes first
                row = 0 if name == sides else -1 - name + (not self.problem.is_cone)
                buffer.slots[c, place] = name if name >= 0 else -1 - row
            for ray, touching in zip(cell.rays, cell.incidence, strict=True):
                buffer.vertex[at] = places[ray]
                buffer.mask[at] = sum(1 << slot[name] for name in touching)
                at += 1
            buffer.start[c + 1] = at
        buffer.sizes[:] = len(places), at, len(starts)
        classify_start(self.net, buffer, signs)
        self.buffers[0] = buffer
        self.controls[0][state.CELL] = -1
        self._number(0)

    def _values(self, ray: tuple[int, ...]) -> list[int]:
        """Exact pre-activations of the first layer, times `unit`."""
        return [sum(map(mul, row, ray)) for row in self.first]

    def fits(self, cell: StartCell) -> bool:
        """Whether the kernel can hold a start cell."""
        if len(set().union(*cell.incidence)) > _MOST_SIDES:
            return False
        return not self.integral or all(max(map(abs, (*ray, *self._values(ray)))) < _FITS for ray in cell.rays)

    def _keep_small(self, starts: list[StartCell]) -> list[StartCell]:
        """Put start cells aside that the kernel cannot hold: they are undecided from the outset."""
        kept = []
        for cell in starts:
            if self.fits(cell):
                kept.append(cell)
                continue
            sides = [0] * int(self.net.rows[0])
            for row, sign in cell.signs:
                sides[row] = sign
            self.aside.append((tuple(sides),))
        return kept

    def run(self, base: int = 0) -> Iterator[Chunk]:
        """Search the buffer of a layer, yielding chunks whenever an output is full."""
        layer = base
        while True:
            code = self._advance(layer)
            if code == state.DONE:
                if layer + 1 < self.depth and self.buffers[layer + 1].sizes[state.CELLS]:
                    layer = self._descend(layer)
                    continue
                self.buffers[layer].sizes[:] = 0
                if layer == base:
                    break
                layer -= 1
            elif code == state.NEXT_FULL:
                if self.buffers[layer + 1].sizes[state.CELLS]:
                    layer = self._descend(layer)
                else:
                    self.buffers[layer + 1] = new_arrays.twice(self.buffers[layer + 1])
            elif code in (state.OUT_FULL, state.OPEN_FULL):
                yield self._drain(self._fraction(base, layer))
            else:
                self._grow(layer, code)
        yield self._drain(1.0)

    def run_from(self, buffer: Buffer) -> Iterator[Chunk]:
        """Search a buffer of the second layer that another search has filled."""
        self.buffers[1] = buffer
        self._descend(0)
        yield from self.run(1)

    def first_layer(self) -> Iterator[Buffer | Chunk]:
        """Search the first layer only, and hand out the second layer's buffers, each a new one."""
        code = state.NEXT_FULL
        while code != state.DONE:
            code = self._advance(0)
            buffer = self.buffers[1]
            if code in (state.NEXT_FULL, state.DONE) and buffer.sizes[state.CELLS]:
                yield buffer
                self.buffers[1] = new_arrays.buffer(self.net, 1, self.problem.n_coordinates, len(buffer.e_max))
                self.names[0].numbers[2] += 1
            elif code == state.NEXT_FULL:
                self.buffers[1] = new_arrays.twice(buffer)
            elif code in (state.OUT_FULL, state.OPEN_FULL):
                yield self._drain(0.0)
            elif code != state.DONE:
                self._grow(0, code)
        yield self._drain(0.0)

    def _advance(self, layer: int) -> int:
        last = layer == self.depth - 1
        following = self.buffers[layer if last else layer + 1]
        control = self.controls[layer]
        coarse = _COARSE if last or layer else _COARSE_DEEP if self.depth > 2 else _COARSE_FIRST
        code = advance(
            self.net, layer, last, self.integral, self.listing, self.faceting, coarse, self.buffers[layer],
            self.scratch[layer], following, self.names[layer], self.out, self.work, control,
        )  # fmt: skip
        total = self.controls[-1]
        if not last:
            # outputs are shared: count them in one place
            total[state.N_OPEN] = control[state.N_OPEN]
        for other in self.controls:
            other[state.N_OPEN] = control[state.N_OPEN]
        return int(code)

    def _descend(self, layer: int) -> int:
        """Multiply the next layer's buffer, and go there."""
        buffer = self.buffers[layer + 1]
        count = int(buffer.sizes[state.VERTICES])
        self.multiplied += count
        with np.errstate(all="ignore"):
            np.dot(buffer.A[:count], self.tables[layer + 1], out=buffer.Z[:count])
        finish(self.net, layer + 1, self.integral, buffer)
        self.spans[layer] = (self.spans[layer][1], self.position(layer))
        self.spans[layer + 1] = (0.0, 0.0)
        control = self.controls[layer + 1]
        control[state.CELL], control[state.DEPTH] = -1, 0
        self.names[layer].numbers[2] += 1
        self._number(layer + 1)
        return layer + 1

    def position(self, layer: int) -> float:
        """Which part of a layer's buffer is searched: half of a cell is on either side of a cut, as it were."""
        control = self.controls[layer]
        waiting = self.scratch[layer].stack[: int(control[state.DEPTH]), 4]
        done = float(control[state.CELL]) + 1.0 - float(np.ldexp(1.0, -waiting).sum())
        return done / max(int(self.buffers[layer].sizes[state.CELLS]), 1)

    def _fraction(self, base: int, layer: int) -> float:
        """Which part of the search from the base's buffer on is done, while a layer is searched."""
        fraction = self.position(layer)
        for above in range(layer - 1, base - 1, -1):
            begin, end = self.spans[above]
            fraction = begin + (end - begin) * fraction
        return fraction

    def _number(self, layer: int) -> None:
        """Give numbers to the vertices of a buffer."""
        numbers = self.names[layer].numbers
        numbers[1] = numbers[0]
        numbers[0] += self.buffers[layer].sizes[state.VERTICES]

    def _grow(self, layer: int, code: int) -> None:
        scratch = self.scratch[layer]
        rays, places, depth = len(scratch.e_max), len(scratch.ray), len(scratch.stack)
        rays *= 1 + (code == state.GROW_RAYS)
        places *= 1 + (code == state.GROW_LIST)
        depth *= 1 + (code == state.GROW_STACK)
        last = layer == self.depth - 1
        larger = new_arrays.scratch(self.net, layer, self.problem.n_coordinates, rays, places, depth, last=last)
        arrays: Iterator[tuple[NDArray[Any], NDArray[Any]]] = zip(scratch, larger, strict=True)
        for old, new in arrays:
            new[tuple(slice(0, size) for size in old.shape)] = old
        self.scratch[layer] = larger

    def _drain(self, fraction: float) -> Chunk:
        """Make a chunk of the outputs, and empty them."""
        control = self.controls[-1]
        n_open = int(control[state.N_OPEN])
        undecided = [*self.aside, *(self._prefix(k) for k in range(n_open))]
        self.aside = []
        decisions = {
            "nodes": sum(int(c[state.N_NODES]) for c in self.controls),
            "vertices": sum(int(c[state.N_RAYS]) for c in self.controls),
            "multiplied": self.multiplied,
            "refined": sum(int(c[state.N_REFINED]) for c in self.controls),
            "walls_composed": sum(int(c[state.N_WALL]) for c in self.controls),
        }
        self.multiplied = 0
        chunk = Chunk(int(control[state.N_CELLS]), int(control[state.N_STRICT]), decisions=decisions, fraction=fraction)
        if self.listing:
            count = int(control[state.N_OUT])
            settle_leaves(self.problem, self.out.signs[:count], self.out.zeros[:count], self.out.points[:count], chunk)
            if self.faceting:
                chunk.facet_counts, chunk.facet_rows = take_facets(self.out, count)
        chunk.undecided = undecided
        for one in self.controls:
            for word in (state.N_CELLS, state.N_STRICT, state.N_OUT, state.N_OPEN, state.N_FACETS):
                one[word] = 0
            for word in (state.N_NODES, state.N_RAYS, state.N_REFINED, state.N_WALL):
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
