"""From a `HomogeneousProblem` to the arrays of the dictionary kernel: affine forms, start nodes, scratch.

*Neurons, not rows.*  The rows g_1, ..., g_T of a neuron have the same linear part, so the sum of their features on a
piece is p g_1 + kappa with the slope p of the activation there and an exact constant kappa = phi(z) - phi(xi_1) -
p (z - xi_1), z any in the piece: saturated pieces have p = 0 and are recognised as constants.

*Scale.*  Row values are scaled by powers of two a neuron, which changes no sign and rounds nothing.  If the problem has
an integral form with entries below 2^53, that form is used instead, so that forms stay exact as long as they are small.

*Cones.*  A problem without x_0 is searched in two slices {h = 1} and {h = -1} of R^d, h a wall of the first layer:
every cell is a cone on one side of h = 0, so it meets exactly one of the slices, and meets it in one cell of the
slice.

*Start.*  The cells' closures in a start node contain no line: it is cut out by the domain's sides and by one of the
sign choices of `start_rows`.  With r the rank of the sides, a vertex of the sides within {start rows = 0} is a vertex
of every choice, since the other rows are independent of them.  It is proposed by floats: a wrong one is refused later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, inf

import numpy as np
from numpy.typing import NDArray

from exactregions.enumeration.split.dictionary_certify import ALL, UNKNOWN
from exactregions.enumeration.split.dictionary_state import N_CONTROL, Jobs, Net, Work
from exactregions.enumeration.split.homogeneous import HomogeneousProblem
from exactregions.network import PiecewiseLinear
from exactregions.rational import RationalMatrix, common_denominator

__all__ = ["Start", "build_nets", "new_work", "reason_unsupported", "start_jobs"]

_SMALLEST, _LARGEST = 2.0**-200, 2.0**200
_INTEGERS = 1 << 53
_ROUNDING = 1.0000001 * 2.0**-53
_INFLATE = 1.0 + 1e-9
_MAX_DIMENSION = 64  # masks are words of 64 bits

Row = Sequence[Fraction]
Tables = tuple[list[list[list[Fraction]]], list[list[Row]], list[list[Row]], bool]


@dataclass(frozen=True, slots=True)
class Start:
    """One array form of the problem, and where its search starts.

    Attributes
    ----------
    net : Net
    basis : int array of shape (d,)
        Positions of the first basis among the constraints: the sides, then the start rows.
    fixed : dict of int to int
        Signs of first-layer rows that the slice of a cone implies.
    free : tuple of int
        Start rows whose signs are to be chosen.
    safe : bool
        Whether all numbers are in the range that the error bounds assume.  If not, there is nothing to search.
    """

    net: Net
    basis: NDArray[np.int64]
    fixed: dict[int, int]
    free: tuple[int, ...]
    safe: bool = True

    @property
    def n_jobs(self) -> int:
        """Number of sign choices."""
        return 1 << len(self.free)


def reason_unsupported(problem: HomogeneousProblem) -> str | None:
    """Say why the kernel cannot search a problem, or None if it can."""
    if problem.dim < 1:
        return "effective dimension 0"
    if problem.dim > _MAX_DIMENSION:
        return f"effective dimension {problem.dim} is above {_MAX_DIMENSION}"
    if not problem.layers:
        return "no hidden layer"
    if not all(problem.layers[0].is_wall[row] for row in problem.start_rows):
        return "first-layer neurons without breakpoint are needed to cut the space into pointed cones"
    if problem.float_layers() is None:
        return "weights too large or too small for float64"
    return None


def build_nets(problem: HomogeneousProblem) -> list[Start]:
    """Return the array forms: one, or two slices for cones; kept with the problem."""
    if "_dictionary_nets" not in problem.__dict__:
        problem.__dict__["_dictionary_nets"] = _build_nets(problem)
    found: list[Start] = problem.__dict__["_dictionary_nets"]
    return found


def _build_nets(problem: HomogeneousProblem) -> list[Start]:
    tables, shifts, slopes, integral = _scaled(problem)
    if not problem.is_cone:
        size = problem.n_coordinates
        lift = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
        net, safe = _net(problem, tables, slopes, shifts, tables[0], lift, integral=integral)
        basis = _start_basis(problem, net) if safe else np.arange(problem.dim)
        return [Start(net, basis, {}, problem.start_rows, safe)]
    wall, *free = problem.start_rows
    starts = []
    for sign in (0, 1):
        lift = _slice(tables[0][wall], 2 * sign - 1, integral=integral)
        forms = [[sum((a * row[j] for a, row in zip(form, lift, strict=True)), Fraction(0)) for j in range(len(lift))]
                 for form in tables[0]]  # fmt: skip
        net, safe = _net(problem, tables, slopes, shifts, forms, lift, integral=integral)
        starts.append(Start(net, np.arange(problem.dim), {wall: sign}, tuple(free), safe))
    return starts


def _slice(wall: Row, side: int, *, integral: bool) -> list[list[Fraction]]:
    """Parametrise {wall = c}, sign c = side: the coordinate of the largest entry w follows from the others.

    With c = side, or in integers: c = side |w|, the other coordinates being multiples of w.
    """
    pivot = max(range(len(wall)), key=lambda i: abs(wall[i]))
    others = [i for i in range(len(wall)) if i != pivot]
    unit = abs(wall[pivot]) if integral else Fraction(1)
    lift = []
    for i in range(len(wall)):
        if i == pivot:
            lift.append([-wall[j] * unit / wall[pivot] for j in others] + [side * unit / wall[pivot]])
        else:
            lift.append([unit * (i == j) for j in others] + [Fraction(0)])
    return lift


def _scaled(problem: HomogeneousProblem) -> Tables:
    """Return (layer tables by neuron, kappas, slopes, integral?), all exact, scaled as the module says."""
    tables = [_by_neuron(problem, index) for index in range(len(problem.layers))]
    slopes: list[list[Row]] = [[phi.slopes for phi in layer] for layer in problem.network.activations]
    shifts: list[list[Row]] = [[_kappas(phi) for phi in layer] for layer in problem.network.activations]
    if (whole := _integral(tables, slopes, shifts)) is not None:
        return whole
    for index, layer in enumerate(problem.layers):
        for neuron in range(len(slopes[index])):
            rows = [row for row, of in enumerate(layer.neurons) if of == neuron]
            top = max([abs(_float(v)) for row in rows for v in tables[index][row]], default=0.0)
            power = frexp(top)[1] if 0 < top < inf else 0
            unit = Fraction(2) ** power
            down, up = max(power, 0), max(-power, 0)
            for row in rows:
                tables[index][row] = [Fraction(v.numerator << up, v.denominator << down) for v in tables[index][row]]
            shifts[index][neuron] = [kappa / unit for kappa in shifts[index][neuron]]
            if index + 1 < len(tables):
                for line in tables[index + 1]:
                    line[neuron] *= unit
    return tables, shifts, slopes, False


def _by_neuron(problem: HomogeneousProblem, index: int) -> list[list[Fraction]]:
    """Return the table of a layer with one column for each neuron of the layer before, and x_0's."""
    table = problem.layers[index].matrix.to_fractions()
    if index == 0:
        return [list(row) for row in table]
    before = problem.layers[index - 1].neurons
    heads = [row for row, neuron in enumerate(before) if row == 0 or before[row - 1] != neuron]
    return [[*(row[head] for head in heads), row[-1]] for row in table]


def _kappas(phi: PiecewiseLinear) -> Row:
    if not phi.breakpoints:
        return (Fraction(0),)
    mark, value = phi.anchor
    return [p * mark + q - value for p, q in zip(phi.slopes, phi.offsets, strict=True)]


def _integral(tables: list[list[list[Fraction]]], slopes: list[list[Row]], shifts: list[list[Row]]) -> Tables | None:
    """Scale layer by layer to integers: row values by s, features by t; None if an entry reaches 2^53."""
    whole: list[list[list[Fraction]]] = []
    steps: list[list[Row]] = []
    moves: list[list[Row]] = []
    t = 1
    for table, slope, shift in zip(tables, slopes, shifts, strict=True):
        # values of this layer times s are sum (s w / t) (t u) + s b
        rows = [[*(w / t for w in row[:-1]), row[-1]] if whole else list(row) for row in table]
        s = common_denominator(v for row in rows for v in row)
        if max([abs(v.numerator) * (s // v.denominator) for row in rows for v in row], default=0) >= _INTEGERS:
            return None
        unit = common_denominator([*(p for pair in slope for p in pair), *(s * k for pair in shift for k in pair)])
        whole.append([[s * v for v in row] for row in rows])
        steps.append([[unit * p for p in pair] for pair in slope])
        moves.append([[unit * s * k for k in pair] for pair in shift])
        t = unit * s
        parts = (*whole[-1], *steps[-1], *moves[-1])
        if any(abs(v) >= _INTEGERS for row in parts for v in row):
            return None
    return whole, moves, steps, True


def _net(
    problem: HomogeneousProblem,
    tables: list[list[list[Fraction]]],
    slopes: list[list[Row]],
    shifts: list[list[Row]],
    forms: list[list[Fraction]],
    lift: list[list[Fraction]],
    *,
    integral: bool,
) -> tuple[Net, bool]:
    layers = problem.layers
    count = len(layers)
    widths = [layer.n_rows for layer in layers]
    neurons = [len(layer) for layer in slopes]
    wide, many = max(widths), max(neurons)
    pieces = max(len(pair) for layer in slopes for pair in layer)
    exact = _Rounder()
    W, b = np.zeros((count, wide, many)), np.zeros((count, wide))
    slope, shift = np.zeros((count, many, pieces)), np.zeros((count, many, pieces))
    first_row = np.zeros((count, many + 1), np.int64)
    neuron_of = np.zeros((count, wide), np.int64)
    wall = np.zeros((count, wide), np.uint8)
    norms = np.zeros((count, wide))
    first_points = exact(tables[0])
    norms[0, : widths[0]] = np.abs(first_points).sum(axis=1)
    for index, layer in enumerate(layers):
        if index:
            table = exact(tables[index])
            W[index, : widths[index], : table.shape[1] - 1] = table[:, :-1]
            b[index, : widths[index]] = table[:, -1]
            norms[index, : widths[index]] = np.abs(table[:, :-1]).sum(axis=1)
        for neuron, (p, kappa) in enumerate(zip(slopes[index], shifts[index], strict=True)):
            slope[index, neuron, : len(p)] = exact([p])[0]
            shift[index, neuron, : len(p)] = exact([kappa])[0]
        neuron_of[index, : widths[index]] = layer.neurons
        first_row[index, : neurons[index]] = np.searchsorted(layer.neurons, range(neurons[index]))
        first_row[index, neurons[index] :] = widths[index]
        wall[index, : widths[index]] = layer.is_wall
    plain = np.array(
        [
            all(list(p) == [0, 1] and not any(kappa) for p, kappa in zip(slopes[i], shifts[i], strict=True))
            for i in range(count)
        ]
    )
    sides = [[Fraction(v) for v in row] for row in problem.domain_rows]
    sides_points = exact(sides).reshape(len(sides), problem.n_coordinates)
    forms_table, lift_table = exact(forms), exact(lift, proposal=True)
    net = Net(
        widths=np.array(widths, np.int64),
        neurons=np.array(neurons, np.int64),
        offsets=np.concatenate([[0], np.cumsum(widths[:-1])]).astype(np.int64),
        first_row=first_row,
        neuron_of=neuron_of,
        wall=wall,
        W=W,
        Wt=np.ascontiguousarray(W.transpose(0, 2, 1)),
        b=b,
        norms=norms * _INFLATE,
        top=np.stack([norms.max(axis=1) * _INFLATE, np.abs(b).max(axis=1)], axis=1),
        plain=plain,
        slope=slope,
        shift=shift,
        first=forms_table,
        sides=sides_points,
        first_points=np.ascontiguousarray(first_points.T),
        sides_points=sides_points,
        lift=lift_table,
        rounding=_ROUNDING if exact.rounded else 0.0,
        integral=integral and not exact.rounded,
        homogeneous=problem.is_cone,
        several=any(n != m for n, m in zip(widths, neurons, strict=True)),
    )
    return net, exact.safe


class _Rounder:
    """Rounds tables to nearest, and remembers whether anything was rounded or left the safe range."""

    def __init__(self) -> None:
        self.rounded = False
        self.safe = True

    def __call__(self, rows: Sequence[Row], *, proposal: bool = False) -> NDArray[np.float64]:
        table = np.array([[_float(value) for value in row] for row in rows], np.float64)
        used = np.abs(table[table != 0])
        self.safe = self.safe and bool(used.size == 0 or (used.min() >= _SMALLEST and used.max() <= _LARGEST))
        self.safe = self.safe and int(np.count_nonzero(table)) == sum([bool(value) for row in rows for value in row])
        if not proposal and self.safe and not self.rounded:
            exact = [value.as_integer_ratio() for row in rows for value in row]
            self.rounded = [value.as_integer_ratio() for value in table.ravel().tolist()] != exact
        return table


def _float(value: Fraction) -> float:
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return float("inf")


def _start_basis(problem: HomogeneousProblem, net: Net) -> NDArray[np.int64]:
    """Propose d constraints, tight at a vertex of the domain's sides within {start rows = 0}."""
    d, sides = problem.dim, net.sides
    rows = list(problem.start_rows)
    if len(rows) == d:
        return len(sides) + np.arange(d)
    from scipy.optimize import linprog

    scale = np.abs(sides[:, :-1]).max(axis=1)
    scale[scale == 0] = 1.0
    scaled = sides / scale[:, None]
    found = linprog(
        scaled[:, :-1].sum(axis=0),
        A_ub=-scaled[:, :-1],
        b_ub=scaled[:, -1],
        A_eq=net.first[rows, :-1] if rows else None,
        b_eq=-net.first[rows, -1] if rows else None,
        bounds=(None, None),
        method="highs-ds",
    )
    point = found.x if found.x is not None else np.zeros(d)
    order = np.argsort(scaled[:, :-1] @ point + scaled[:, -1], kind="stable").tolist()
    table = problem.layers[0].matrix.to_fractions()
    stacked = [*(table[row][:-1] for row in rows), *(problem.domain_rows[side][:-1] for side in order)]
    independent = RationalMatrix.from_rows(stacked).transpose().pivot_columns()
    return np.array([place + len(sides) if place < len(rows) else order[place - len(rows)] for place in independent])


def start_jobs(start: Start, low: int, high: int) -> Jobs:
    """Return the sign choices with numbers low..high-1 as saved nodes."""
    net, d = start.net, start.net.lift.shape[1] - 1
    n_sides, total = len(net.sides), int(net.widths.sum())
    numbers = np.arange(low, high)
    signs = np.full((len(numbers), total), UNKNOWN, np.int8)
    rows = [*start.free]
    for row, sign in start.fixed.items():
        signs[:, row] = sign
    for bit, row in enumerate(reversed(rows)):
        chosen = ((numbers >> bit) & 1).astype(np.int8)
        i = net.neuron_of[0, row]
        if net.first_row[0, i + 1] - net.first_row[0, i] == 1:
            signs[:, row] = chosen
            continue
        for other in range(net.first_row[0, i], net.first_row[0, i + 1]):
            known = (other == row) | ((chosen == 1) & (other < row)) | ((chosen == 0) & (other > row))
            signs[known, other] = chosen[known]
    constraints = np.zeros((len(numbers), n_sides + total), np.int64)
    constraints[:, :n_sides] = -1 - np.arange(n_sides)
    constraints[:, n_sides : n_sides + len(rows)] = rows
    filled = np.full(len(numbers), n_sides + len(rows), np.int64)
    basis = np.tile(start.basis.astype(np.int64), (len(numbers), 1)).reshape(len(numbers), d)
    return Jobs(signs, np.zeros(len(numbers), np.int64), filled, constraints, basis)


def new_work(net: Net) -> Work:
    """Allocate the state of one worker."""
    d, count = net.lift.shape[1] - 1, len(net.widths)
    wide, many = net.W.shape[1], net.W.shape[2]
    total = int(net.widths.sum())
    held = len(net.sides) + total
    rows = d + held + 2
    stack = total + 4
    F = np.zeros((count, wide, d + 1))
    F[0, : net.widths[0]] = net.first
    FN = np.abs(F).sum(axis=2) * _INFLATE
    FM = np.zeros((count, wide, count), np.uint64)
    for i in range(d):
        FM[:, :, 0] |= (F[:, :, i] != 0).astype(np.uint64) << np.uint64(i)
    ranks = np.tile(np.array([d, d + 1], np.int64), (count, 1))
    return Work(
        control=np.zeros(N_CONTROL, np.int64),
        T=np.zeros((stack, d + 1, rows)),
        basis=np.zeros((stack, d), np.int64),
        names=np.zeros((stack, rows), np.int64),
        nodes=np.zeros((stack, 8), np.int64),
        saved=np.zeros((stack + 1, wide), np.int8),
        signs=np.full(total, UNKNOWN, np.int8),
        C=np.zeros((held + 1, d + 1)),
        CD=np.zeros(held + 1),
        CM=np.zeros(held + 1, np.uint64),
        places=np.zeros((held + 1, 2), np.int64),
        F=F,
        FN=FN,
        FD=FN * net.rounding * _INFLATE,
        FM=FM,
        active=np.zeros((count, many), np.bool_),
        ranks=ranks,
        solid=np.full(count, ALL, np.uint64),
        G=np.zeros((many, d + 1)),
        GN=np.zeros(many),
        GD=np.zeros(many),
        bounds=np.zeros(2 * d + 3),
        scratch=np.zeros((2 * d + 2, d)),
        multipliers=np.zeros(d),
        zero=np.zeros(d, np.int64),
        values=np.zeros((2, max(wide, many))),
        point=np.zeros(net.lift.shape[0]),
        column=np.zeros(rows),
        factors=np.zeros(d + 1),
        x=np.zeros((2, d)),
    )
