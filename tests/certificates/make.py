"""Write the frozen certificates of accept/, reject/ and malformed/, and what a checker must say of each.

Run as ``python -m tests.certificates.make``.  The proofs come from the toy prover or are written by hand, so that they
are independent of the library.
"""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from pathlib import Path

from tests.certificates.problems import malformed_problems
from tests.certificates.samples import (
    CROSS,
    CROSS_FACET,
    DEAD,
    DEAD_PATTERN,
    EMPTY_A,
    FACET,
    HIDDEN_MERGE,
    INFEASIBLE,
    LADDER,
    MERGE,
    POINT,
    SKEW,
    TENT,
    TWINS,
    WRONG_CLAIMS,
    cross_lines,
    edit,
    small,
    twins_lines,
    with_line,
)
from tests.proofs_checks.toy import HARD_TANH, STEP, Toy, dump, network, problem, sha

HERE = Path(__file__).parent


def accepted():
    """Certificates that prove something."""
    line = {"origin": ["0", "1"], "directions": [["1", "-1"]]}
    huge = Toy(LADDER).lines()
    huge[3] = {"neuron": 1, "pieces": ["child", {"U0": "9" * 50_000, "L1": "9" * 50_000}]}
    partial = cross_lines()
    partial[1] = {"n_cells": 2, "n_strict": 2, "complete": False}
    partial[2] = {"neuron": 0, "pieces": ["open", "child"]}
    del partial[3:6]
    outer = Toy(LADDER, order=max)
    yield "tent_on_R", Toy(TENT).lines(), "degenerate neurons: 6 cells, 5 strict"
    yield "tent_on_interval", Toy(TENT, [["0", "1"]]).lines(), "a box"
    yield "tent_on_polyhedron", Toy(TENT, {"A": [["2"], ["-3"]], "b": ["1", "2"]}).lines(), "a polyhedron"
    yield "cross_on_line", Toy(CROSS, line).lines(), "a slice"
    yield "cross_on_segment", Toy(CROSS, {**line, "inner": [["0", "1"]]}).lines(), "a slice with an inner box"
    yield "hardtanh", Toy(network([([[2], [1]], [0, 1])], kinds=HARD_TANH)).lines(), "three pieces"
    yield "equal_slopes", Toy(network([([[1], [-3]], [0, 1]), ([[1, 1]], [0])], kinds=STEP)).lines(), "not a kink"
    yield "other_order", outer.lines(), "last neuron first"
    yield "cross", cross_lines(), "by hand"
    yield "twins", twins_lines(), "coincident walls, by hand"
    yield "lower_bound", partial, "a piece is left open"
    yield "nothing_hidden", Toy(network([], ([[3]], ["1/7"]))).lines(), "one leaf"
    yield "empty_domain", Toy(TENT, [["1", "1"]]).lines(), "a dead end at the root"
    yield (
        "empty_domain_nothing_hidden",
        [
            problem(network([], ([[1, 1]], [0])), EMPTY_A),
            {"n_cells": 0, "n_strict": 0, "complete": True},
            {"empty": {"d0": "1", "d1": "1"}},
        ],
        "no neuron and no point",
    )
    yield (
        "childless_node",
        [
            problem(CROSS, EMPTY_A),
            {"n_cells": 0, "n_strict": 0, "complete": True},
            {"neuron": 0, "pieces": [{"d0": "1", "d1": "1"}, {"d0": "5", "d1": "5"}]},
        ],
        "all pieces are refuted",
    )
    yield "long_multipliers", huge, "numbers of 50,000 digits"
    yield "infeasible", INFEASIBLE, ""
    yield "infeasible_constant", DEAD_PATTERN, ""
    yield "point", POINT, "a cell that is not strict"
    yield "facet", CROSS_FACET, ""
    yield "facet_three_neurons", FACET, "three neurons change piece"
    yield "merge", HIDDEN_MERGE, ""


def accepted_bytes():
    """Files that prove something, and are written in an unusual way."""
    lines = dump(Toy(TENT).lines()).splitlines(keepends=True)
    members = [gzip.compress(b"".join(part), mtime=0) for part in (lines[:2], lines[2:])]
    cross = dump(cross_lines())
    yield "tent_two_members.gz", b"".join(members), "gzip members after one another"
    yield "tent_padded_members.gz", b"".join(member + b"\0" * 512 for member in members), "zero bytes after members"
    yield "carriage_returns", cross.replace(b"\n", b" \r\n"), "JSON whitespace"
    yield "escapes", cross.replace(b'"neuron"', b'"\\u006eeuron"').replace(b'"1/2"', b'"1\\/2"'), "JSON escapes"


def rejected():
    """Certificates that can be read but prove nothing, with the reason."""
    cross, twins, tent = cross_lines(), twins_lines(), Toy(TENT).lines()
    dead = Toy(DEAD).lines()
    other = deepcopy(cross)
    other[0]["network"]["layers"][0][1][0] = "1"
    swapped = Toy(network([([[2]], [0]), ([[3]], [-1])])).lines()
    swapped[0]["network"]["layers"].reverse()
    yield "edited_network", "fingerprint-mismatch", other
    yield "swapped_layers", "fingerprint-mismatch", swapped
    yield "fingerprint_empty", "fingerprint-mismatch", edit(cross, 1, fingerprint="")
    yield "last_leaf_dropped", "unfinished", cross[:-1]
    yield "no_proof", "unfinished", cross[:2]
    yield "leaf_dropped", "duplicate-neuron", [*cross[:5], *cross[6:]]
    yield "leaf_added", "after-the-end", [*cross, cross[-1]]
    for kind, lines in (("regions", cross), ("infeasible", INFEASIBLE), ("point", POINT), ("facet", FACET)):
        yield f"garbage_after_{kind}", "after-the-end", dump(lines) + b"\xff\x00{"
    yield "newline_after_the_end", "after-the-end", dump(cross) + b"\n"
    for kind, lines, wrong in WRONG_CLAIMS:
        yield f"{kind}_wrong_claim_and_no_proof", "unfinished", edit(lines, 2, **wrong)[:2]
        yield f"{kind}_wrong_claim", "wrong-pattern", edit(lines, 2, **wrong)
    yield "leaf_repeated", "early-leaf", [*cross[:6], cross[5], *cross[6:]]
    yield "count_off_by_one", "wrong-count", edit(cross, 2, n_cells=5)
    yield "strict_count_off_by_one", "wrong-count", edit(tent, 2, n_strict=6)
    yield (
        "subtree_dropped",
        "not-farkas",
        [
            cross[0],
            {"n_cells": 2, "n_strict": 2, "complete": True},
            {"neuron": 0, "pieces": [{"U0": "1"}, "child"]},
            *cross[6:],
        ],
    )
    yield (
        "open_in_complete",
        "open-in-complete",
        [
            cross[0],
            {"n_cells": 2, "n_strict": 2, "complete": True},
            {"neuron": 0, "pieces": ["open", "child"]},
            *cross[6:],
        ],
    )
    yield "neuron_twice", "duplicate-neuron", with_line(cross, 4, {"neuron": 0, "pieces": ["child", "child"]})
    yield "neuron_too_early", "undecided-input", with_line(tent, 3, {"neuron": 2, "pieces": ["child", "child"]})
    yield "no_such_neuron", "no-such-neuron", with_line(cross, 4, {"neuron": 2, "pieces": ["child", "child"]})
    yield "too_many_pieces", "piece-count", with_line(cross, 3, {"neuron": 0, "pieces": ["child", "child", "open"]})
    yield "too_few_pieces", "piece-count", with_line(cross, 3, {"neuron": 0, "pieces": ["child"]})
    open_claim = edit(dead, 2, complete=False)
    yield (
        "constant_on_wrong_piece",
        "wrong-constant-piece",
        with_line(open_claim, 4, {"neuron": 1, "pieces": ["open", "child"]}),
    )
    yield "constant_branches", "wrong-constant-piece", with_line(dead, 4, {"neuron": 1, "pieces": ["child", "child"]})
    yield "constant_denied", "legal-piece", with_line(dead, 4, {"neuron": 1, "pieces": ["constant", "constant"]})
    yield "called_constant", "not-constant", with_line(twins, 4, {"neuron": 1, "pieces": ["child", "constant"]})
    yield (
        "pieces_exchanged",
        "not-farkas",
        with_line(twins, 4, {"neuron": 1, "pieces": [{"U0": "2", "U1": "1"}, "child"]}),
    )
    yield (
        "row_of_other_piece",
        "no-such-row",
        with_line(twins, 4, {"neuron": 1, "pieces": ["child", {"L0": "2", "L1": "1"}]}),
    )
    yield (
        "row_of_later_neuron",
        "no-such-row",
        with_line(twins, 4, {"neuron": 1, "pieces": ["child", {"U0": "2", "L2": "1"}]}),
    )
    yield (
        "row_of_domain_that_is_not",
        "no-such-row",
        with_line(twins, 4, {"neuron": 1, "pieces": ["child", {"U0": "2", "d0": "1"}]}),
    )
    nine_digits = {"neuron": 1, "pieces": ["child", {"U0": "2", "L999999999": "1"}]}
    yield "row_name_of_nine_digits", "no-such-row", with_line(twins, 4, nine_digits)
    yield "row_of_constant_neuron", "no-such-row", with_line(dead, 4, {"neuron": 1, "pieces": ["child", {"L1": "1"}]})
    for name, reason, factors in (
        ("negative", "negative-multiplier", {"U0": "-2", "L1": "-1"}),
        ("one_negative", "negative-multiplier", {"U0": "2", "L1": "-1"}),
        ("zeroed", "not-farkas", {"U0": "2", "L1": "0"}),
        ("all_zero", "zero-multipliers", {"U0": "0", "L1": "0"}),
        ("none", "zero-multipliers", {}),
        ("perturbed", "not-farkas", {"U0": f"{2 * 10**30 + 1}/1{'0' * 30}", "L1": "1"}),
    ):
        yield f"multiplier_{name}", reason, with_line(twins, 4, {"neuron": 1, "pieces": ["child", factors]})
    yield (
        "feasible_sum",
        "not-farkas",
        with_line(Toy(LADDER).lines(), 3, {"neuron": 0, "pieces": [{"U0": "1"}, "child"]}),
    )
    positive = Toy(LADDER).lines()
    wrong_sign = with_line(positive, 4, {"neuron": 1, "pieces": [{"L1": "1", "U1": "1"}, "child"]})
    yield "sum_is_positive", "no-such-row", wrong_sign
    yield (
        "constant_is_positive",
        "not-farkas",
        with_line(Toy(LADDER, [["-1", "3"]]).lines(), 3, {"neuron": 0, "pieces": [{"d0": "1", "U0": "1"}, "child"]}),
    )
    yield (
        "false_dead_end",
        "not-farkas",
        [
            problem(CROSS, [["0", "1"], ["0", "1"]]),
            {"n_cells": 0, "n_strict": 0, "complete": True},
            {"empty": {"d0": "1", "d1": "1"}},
        ],
    )
    yield "early_leaf", "early-leaf", with_line(cross, 4, {"witness": ["-1", "-1"]})
    yield "witness_on_wall", "witness-not-inside", with_line(cross, 5, {"witness": ["-1", "0"]})
    yield "witness_just_outside", "witness-not-inside", with_line(cross, 5, {"witness": ["-1", f"1/1{'0' * 30}"]})
    yield "witness_elsewhere", "witness-not-inside", with_line(cross, 5, cross[5])
    yield "witness_too_long", "witness-length", with_line(cross, 5, {"witness": ["-1", "-1", "-1"]})
    yield "witness_too_short", "witness-length", with_line(cross, 5, {"witness": ["-1"]})
    box = with_line(cross, 1, problem(CROSS, [["0", "1"], ["0", "1"]]))
    yield "domain_replaced", "witness-not-inside", box
    yield "point_outside", "witness-not-inside", with_line(POINT, 3, {"witness": ["1/3"]})
    yield "point_strict", "wrong-count", edit(POINT, 2, strict=True)
    yield "point_constant_piece", "wrong-constant-piece", edit(POINT, 2, pattern=[0, 0, 1, 0])
    yield "point_short_pattern", "wrong-pattern", edit(POINT, 2, pattern=[0, 0, 0])
    yield "point_no_such_piece", "wrong-pattern", edit(POINT, 2, pattern=[0, 0, 0, 2])
    yield (
        "feasible_pattern",
        "not-farkas",
        [*edit(INFEASIBLE, 2, pattern=[1, 1])[:2], {"excluded": {"L0": "1", "L1": "1"}}],
    )
    yield "legal_pattern", "legal-piece", edit(DEAD_PATTERN, 2, pattern=[1, 0])
    yield "pattern_not_constant", "not-constant", edit(DEAD_PATTERN, 2, pattern=[1])
    yield "pattern_empty", "wrong-pattern", edit(DEAD_PATTERN, 2, pattern=[])
    yield "facet_at_vertex", "not-a-facet", with_line(CROSS_FACET, 3, {"witness": ["0", "0"]})
    yield "facet_inside_a_cell", "not-a-facet", with_line(CROSS_FACET, 3, {"witness": ["-1", "-1"]})
    yield "facet_of_one_cell", "not-a-facet", edit(CROSS_FACET, 2, patterns=[[0, 0], [0, 0]])
    yield (
        "facet_of_one_cell_inside",
        "not-a-facet",
        with_line(edit(CROSS_FACET, 2, patterns=[[0, 0], [0, 0]]), 3, {"witness": ["-1", "-1"]}),
    )
    yield (
        "facet_of_opposite_cells",
        "not-a-facet",
        with_line(edit(CROSS_FACET, 2, patterns=[[0, 0], [1, 1]]), 3, {"witness": ["0", "0"]}),
    )
    skew = small("facet", SKEW, "R^2", {"patterns": [[1, 1], [0, 0]]}, {"witness": ["0", "0"]})
    yield "facet_of_opposite_cells_of_skew_lines", "not-a-facet", skew
    yield (
        "facet_no_cell",
        "witness-not-inside",
        with_line(edit(FACET, 2, patterns=[[0, 0, 1], [1, 0, 0]]), 3, {"witness": ["1", "0"]}),
    )
    yield "facet_flat_pattern", "not-a-facet", edit(FACET, 2, patterns=[[0, 0, 1], [1, 0, 0]])
    yield (
        "facet_on_domain_boundary",
        "witness-not-inside",
        with_line(FACET, 1, problem(TWINS, [["-1", "1"], ["5", "6"]], "facet")),
    )
    yield "merge_of_different_maps", "maps-differ", MERGE


def text_of(lines):
    """Return the certificate as text."""
    return dump(lines).decode()


def malformed():
    """Files that cannot be read, with the reason."""
    cross = cross_lines()
    good = text_of(cross)

    def swap(reason, name, old, new):
        assert good.count(old) >= 1
        return name, reason, good.replace(old, new, 1).encode()

    yield "empty_file", "unknown-format", b""
    yield "witness_text", "bad-fields", dump(with_line(cross, 5, {"witness": "12"}))
    yield "witness_object", "bad-fields", dump(with_line(cross, 5, {"witness": {"1": "1", "2": "1"}}))
    yield "line_lists_witness", "bad-fields", dump(with_line(cross, 5, ["witness"]))
    yield "line_is_text", "bad-fields", dump(with_line(cross, 5, "witness"))
    yield "line_is_null", "bad-fields", dump(with_line(cross, 5, None))
    yield "pieces_text", "bad-fields", dump(with_line(cross, 3, {"neuron": 0, "pieces": "child"}))
    yield "pieces_mapping", "bad-fields", dump(with_line(cross, 3, {"neuron": 0, "pieces": {"child": 0, "open": 1}}))
    yield "pattern_text", "bad-fields", dump(edit(POINT, 2, pattern="0000"))
    yield "pattern_mapping", "bad-fields", dump(edit(POINT, 2, pattern={"0": 0}))
    yield "pattern_negative", "bad-fields", dump(edit(POINT, 2, pattern=[0, 0, 0, -1]))
    yield "strict_0", "bad-fields", dump(edit(POINT, 2, strict=0))
    yield "facet_one_pattern", "bad-fields", dump(edit(CROSS_FACET, 2, patterns=[[0, 0]]))
    for kind, lines, _ in WRONG_CLAIMS:
        for title, piece in (("text", "0"), ("negative", -1), ("true", True)):
            one = "pattern" in lines[1]  # of two, the first one can be read, but is wrong
            unreadable = edit(lines, 2, **({"pattern": [0, piece]} if one else {"patterns": [[9], [0, piece]]}))
            yield f"{kind}_pattern_{title}", "bad-fields", dump(unreadable)
            yield f"{kind}_pattern_{title}_and_no_proof", "bad-fields", dump(unreadable[:2])
    for kind, lines, wrong in WRONG_CLAIMS[1:]:
        wrong_and_unreadable = with_line(edit(lines, 2, **wrong), 3, {"witness": [0]})
        yield f"{kind}_wrong_claim_and_unreadable_proof", "bad-rational", dump(wrong_and_unreadable)
    yield "facet_three_patterns", "bad-fields", dump(edit(CROSS_FACET, 2, patterns=[[0, 0], [0, 1], [0, 0]]))
    yield "facet_pattern_object", "bad-fields", dump(edit(CROSS_FACET, 2, patterns={"a": [0, 0], "b": [0, 1]}))
    yield "excluded_word", "bad-fields", dump(with_line(INFEASIBLE, 3, {"excluded": "open"}))
    for name, text in (
        ("float", "0.5"),
        ("not_reduced", "2/4"),
        ("over_one", "3/1"),
        ("plus", "+1"),
        ("minus_zero", "-0"),
        ("zero_denominator", "1/0"),
        ("space", " 1"),
        ("leading_zero", "01"),
        ("nan", "NaN"),
        ("empty", ""),
        ("arabic_digits", "\u0661"),
        ("newline", "1\n"),
        ("negative_denominator", "1/-2"),
        ("zero_over", "0/5"),
    ):
        yield f"rational_{name}", "bad-rational", dump(with_line(cross, 5, {"witness": ["-1", text]}))
    yield "rational_number", "bad-rational", dump(with_line(cross, 5, {"witness": [-1, -1]}))
    yield "rational_list", "bad-rational", dump(with_line(cross, 5, {"witness": ["-1", ["-1"]]}))
    yield "huge_integer", "bad-size", dump(with_line(cross, 5, {"witness": ["-1", "-" + "9" * 100_001]}))
    for name, text in (
        ("float", "0.0"),
        ("exponent", "1e3"),
        ("nan", "NaN"),
        ("infinity", "Infinity"),
        ("minus_infinity", "-Infinity"),
        ("huge", "9" * 16),
        ("huge_text", "9" * 10_000),
        ("minus_zero", "-0"),
    ):
        yield swap("bad-number", f"number_{name}", '"n_cells": 4', f'"n_cells": {text}')
    yield swap("bad-fields", "negative_count", '"n_cells": 4', '"n_cells": -4')
    yield swap("bad-fields", "count_true", '"n_cells": 4', '"n_cells": true')
    yield swap("bad-fields", "complete_1", '"complete": true', '"complete": 1')
    yield swap("bad-fields", "claim_field", '"complete": true', '"complete": true, "engine": "walk"')
    yield swap("bad-keys", "duplicate_key", '"n_cells": 4', '"n_cells": 5, "n_cells": 4')
    yield swap("bad-keys", "duplicate_row", '["child", "child"]', '[{"U0": "1", "U0": "2"}, "child"]')
    yield swap("bad-fields", "row_name", '["child", "child"]', '[{"V0": "1"}, "child"]')
    yield swap("bad-fields", "row_name_of_ten_digits", '["child", "child"]', '[{"L1000000000": "1"}, "child"]')
    yield swap("bad-fields", "row_name_zeros", '["child", "child"]', '[{"L00": "1"}, "child"]')
    yield swap("bad-fields", "piece_word", '["child", "child"]', '["child", "leaf"]')
    yield swap("bad-fields", "pieces_object", '["child", "child"]', '{"0": "child", "1": "child"}')
    yield swap("bad-fields", "node_field", '"pieces": ["child"', '"depth": 0, "pieces": ["child"')
    yield swap("bad-fields", "leaf_field", '{"witness": ["-1", "-1/2"]}', '{"witness": ["-1", "-1/2"], "strict": true}')
    yield swap("bad-json", "blank_line", "\n{", "\n\n{")
    yield swap("bad-json", "not_ascii", '"neuron"', '"n\u00e9uron"')
    yield swap("bad-json", "two_values", '"complete": true}', '"complete": true} {}')
    yield swap("bad-fields", "list_line", '{"neuron": 0, "pieces": ["child", "child"]}', '["neuron", 0]')
    yield swap("bad-json", "byte_order_mark", '{"format"', '\ufeff{"format"')
    yield "deeply_nested", "bad-json", dump(cross[:2]) + b"[" * 100_000 + b"]" * 100_000 + b"\n"
    yield "cut_in_line", "bad-end", good[:-5].encode()
    yield "no_final_newline", "bad-end", good[:-1].encode()
    yield "binary", "bad-json", b"\x00\xff\x7f\n"
    yield "utf_16", "bad-json", good.encode("utf-16")[:200] + b"\n"
    packed = gzip.compress(good.encode(), mtime=0)
    yield "cut_gzip.gz", "bad-gzip", packed[:-20]
    yield "damaged_gzip.gz", "bad-gzip", packed[:-8] + b"\0" * 8
    yield "gzip_header_only.gz", "bad-gzip", packed[:12]
    yield "garbage_after_gzip.gz", "bad-gzip", packed + b"{}\n"
    yield "garbage_after_padded_gzip.gz", "bad-gzip", packed + b"\0" * 9 + b"{}\n"
    yield "bomb.gz", "bad-size", gzip.compress(b" " * ((1 << 26) + 10), mtime=0)
    yield from malformed_problems()


def main():
    """Write all files."""
    index = {}

    def put(folder, name, data, exit_code, reason, note=""):
        path = HERE / folder / (name if name.endswith(".gz") else f"{name}.jsonl")
        if len(data) > 20_000 and path.suffix != ".gz":
            path, data = path.with_suffix(".gz"), gzip.compress(data, mtime=0)
        path.write_bytes(data)
        entry = {"exit": exit_code, "reason": reason}
        index[f"{folder}/{path.name}"] = {**entry, "note": note} if note else entry

    for folder in ("accept", "reject", "malformed"):
        for path in (HERE / folder).iterdir():
            path.unlink()
    for name, lines, note in accepted():
        assert lines[0]["fingerprint"] == sha(lines[0]["network"])
        put("accept", name, dump(lines), 0, None, note)
    for name, data, note in accepted_bytes():
        put("accept", name, data, 0, None, note)
    for name, reason, lines in rejected():
        put("reject", name, lines if isinstance(lines, bytes) else dump(lines), 1, reason)
    for name, reason, data in malformed():
        put("malformed", name, data, 2, reason)
    (HERE / "index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
