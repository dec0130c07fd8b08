"""A prover for one input, written for the tests: intervals, exact, and no code shared with the library or the checker.

On a line every row a t + c > 0 bounds t on one side, so a path is an interval and an empty one is refuted by the two
rows that bound it.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

RELU = {"breakpoints": ["0"], "slopes": ["0", "1"], "anchor": ["0", "0"]}
HARD_TANH = {"breakpoints": ["-1", "1"], "slopes": ["0", "1", "0"], "anchor": ["-1", "-1"]}
STEP = {"breakpoints": ["0", "1/2"], "slopes": ["1", "1", "-2"], "anchor": ["0", "1/3"]}


def network(layers, output=None, kinds=RELU):
    """Return the JSON form of a network with one input, from lists of integers and strings."""

    def text(pair):
        return [[[str(w) for w in row] for row in pair[0]], [str(b) for b in pair[1]]]

    return {
        "input_dim": len(layers[0][0][0]) if layers else len(output[0][0]),
        "activation": [[kinds] * len(bias) for _, bias in layers],
        "layers": [text(pair) for pair in layers],
        "output_layer": None if output is None else text(output),
    }


def sha(net):
    """Return the fingerprint, straight from the specification."""
    out = f"exactregions-network 1\ninput {net['input_dim']}\n"
    for (weights, bias), kinds in zip(net["layers"], net["activation"], strict=True):
        out += f"layer {len(weights)}\n"
        for w, b, phi in zip(weights, bias, kinds, strict=True):
            marks, slopes = " ".join(["breakpoints", *phi["breakpoints"]]), " ".join(["slopes", *phi["slopes"]])
            out += f"{' '.join(w)} {b} | {marks} ; {slopes} ; anchor {' '.join(phi['anchor'])}\n"
    if net["output_layer"] is None:
        out += "output none\n"
    else:
        weights, bias = net["output_layer"]
        out += f"output {len(weights)}\n" + "".join(f"{' '.join(w)} {b}\n" for w, b in zip(weights, bias, strict=True))
    return hashlib.sha256(out.encode()).hexdigest()


def problem(net, domain="R^1", kind="regions", **changes):
    """Return line 1."""
    head = {"format": "exactregions-certificate", "version": 1, "kind": kind, "network": net, "domain": domain}
    return {**head, "fingerprint": sha(net), **changes}


def dump(lines):
    """Return the bytes of a certificate."""
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


class Toy:
    """Prove the list of cells of a network on R^1, an interval, or a line through its input space.

    Parameters
    ----------
    net, domain
        JSON forms.
    order : callable
        Picks the next neuron from the undecided ones of a layer.
    """

    def __init__(self, net, domain="R^1", order=min):
        self.net, self.domain, self.order = net, domain, order
        self.rows = {}
        inputs = [(Fraction(1), Fraction(0))]
        inner = domain
        if isinstance(domain, dict) and "origin" in domain:
            (move,) = domain["directions"]
            inputs = [(Fraction(a), Fraction(o)) for a, o in zip(move, domain["origin"], strict=True)]
            inner = domain.get("inner", "R^1")
        if isinstance(inner, list):
            ((low, high),) = inner
            self.rows = {"d0": (Fraction(1), -Fraction(low)), "d1": (Fraction(-1), Fraction(high))}
        elif isinstance(inner, dict):
            pairs = zip(inner["A"], inner["b"], strict=True)
            self.rows = {f"d{k}": (-Fraction(a), Fraction(b)) for k, ((a,), b) in enumerate(pairs)}
        self.nodes, self.patterns, self.strict, self.witnesses = [], [], [], []
        self.pieces, self.degenerate = {}, set()
        self._layer(0, inputs)

    def lines(self):
        """Return the whole certificate."""
        claim = {"n_cells": len(self.patterns), "n_strict": sum(self.strict), "complete": True}
        return [problem(self.net, self.domain), claim, *self.nodes]

    def _layer(self, k, inputs):
        if farkas := self._refutation(self.rows):
            self.nodes.append({"empty": farkas})
            return
        if k == len(self.net["layers"]):
            self.nodes.append({"witness": [str(self._witness())]})
            self.witnesses.append(self._witness())
            self.patterns.append([self.pieces[i] for i in sorted(self.pieces)])
            self.strict.append(not self.degenerate)
            return
        first = sum(len(bias) for _, bias in self.net["layers"][:k])
        forms = {}
        for i, (w, b) in enumerate(zip(*self.net["layers"][k], strict=True)):
            a = sum(Fraction(v) * x[0] for v, x in zip(w, inputs, strict=True))
            c = sum((Fraction(v) * x[1] for v, x in zip(w, inputs, strict=True)), Fraction(b))
            forms[first + i] = a, c
        self._neurons(k, forms, dict(forms))

    def _neurons(self, k, forms, left):
        first = min(forms)
        if not left:
            values = []
            for i, (a, c) in forms.items():
                phi, piece = self.net["activation"][k][i - first], self.pieces[i]
                marks, slopes = list(map(Fraction, phi["breakpoints"])), list(map(Fraction, phi["slopes"]))
                at, value = Fraction(phi["anchor"][0]), Fraction(phi["anchor"][1])
                for j in range(piece - 1):  # walk from the first breakpoint to the left end of the piece
                    value, at = value + slopes[j + 1] * (marks[j + 1] - at), marks[j + 1]
                values.append((slopes[piece] * a, value + slopes[piece] * (c - at)))
            self._layer(k + 1, values)
            return
        i = self.order(left)
        (a, c), rest = left[i], {j: form for j, form in left.items() if j != i}
        marks = list(map(Fraction, self.net["activation"][k][i - first]["breakpoints"]))
        reasons = []
        line = {"neuron": i, "pieces": reasons}
        self.nodes.append(line)
        children = []
        for piece in range(len(marks) + 1):
            extra = {}
            if a == 0:
                if piece != sum(mark < c for mark in marks):
                    reasons.append("constant")
                    continue
            else:
                if piece > 0:
                    extra[f"L{i}"] = (a, c - marks[piece - 1])
                if piece < len(marks):
                    extra[f"U{i}"] = (-a, marks[piece] - c)
                if farkas := self._refutation(self.rows | extra):
                    reasons.append(farkas)
                    continue
            reasons.append("child")
            children.append((piece, extra))
        for piece, extra in children:
            self.pieces[i] = piece
            self.rows |= extra
            if a == 0 and c in marks:
                self.degenerate.add(i)
            self._neurons(k, forms, rest)
            self.degenerate.discard(i)
            del self.pieces[i]
            for name in extra:
                del self.rows[name]

    def _refutation(self, rows):
        for name, (a, c) in rows.items():
            if a == 0 and c <= 0:
                return {name: "1"}
        for low, (a, c) in rows.items():
            for high, (e, f) in rows.items():
                if a > 0 > e and -c / a >= f / -e:
                    return {low: str(-e), high: str(a)}
        return None

    def _witness(self):
        low = max((-c / a for a, c in self.rows.values() if a > 0), default=None)
        high = min((-c / a for a, c in self.rows.values() if a < 0), default=None)
        if low is None or high is None:
            return Fraction(0) if low is high is None else (high - 1 if low is None else low + 1)
        return (low + high) / 2
