"""Files whose first line cannot be read: wrong fields, types and shapes in the network and the domain."""

from __future__ import annotations

from tests.certificates.samples import CROSS, cross_lines
from tests.proofs_checks.toy import RELU, STEP, dump, problem


def malformed_problems():
    """Files with an unreadable line 1, with the reason."""
    cross = cross_lines()
    head = cross[0]

    def line1(reason, title, /, **changes):
        return title, reason, dump([{**head, **changes}, *cross[1:]])

    def net(reason, title, /, **changes):
        return line1(reason, title, network={**CROSS, **changes})

    yield line1("unknown-format", "other_format", format="something")
    yield line1("unknown-format", "format_number", format=1)
    yield line1("unknown-version", "version_2", version=2)
    yield line1("unknown-version", "version_true", version=True)
    yield line1("unknown-version", "version_text", version="1")
    yield line1("unknown-version", "version_2_with_another_field", version=2, note="hello")
    for name, reason in (("format", "unknown-format"), ("version", "unknown-version"), ("kind", "bad-fields")):
        yield f"{name}_missing", reason, dump([{k: v for k, v in head.items() if k != name}, *cross[1:]])
    for name, value in (("number", 0), ("null", None), ("true", True), ("list", [head["fingerprint"]]), ("object", {})):
        yield line1("bad-fields", f"fingerprint_{name}", fingerprint=value)
    for name, value in (("null", None), ("list", [head]), ("text", "exactregions-certificate")):
        yield f"line_1_is_{name}", "bad-fields", dump([value, *cross[1:]])
    yield line1("unknown-kind", "kind", kind="region")
    yield line1("bad-fields", "unknown_field", note="hello")
    yield "missing_field", "bad-fields", dump([{k: v for k, v in head.items() if k != "domain"}, *cross[1:]])
    yield net("bad-fields", "unknown_network_field", name="cross")
    yield net("bad-network", "input_dim_0", input_dim=0)
    yield net("bad-network", "input_dim_wrong", input_dim=3)
    yield net("bad-size", "input_dim_huge", input_dim=10**9)
    yield net("bad-size", "input_dim_1025", input_dim=1025)
    yield net("bad-fields", "input_dim_negative", input_dim=-2)
    yield net("bad-fields", "input_dim_null", input_dim=None)
    for name, value in (("null", None), ("object", {}), ("text", "0")):
        yield net("bad-network", f"layers_{name}", layers=value)
        yield net("bad-network", f"weights_{name}", layers=[[value, ["0", "0"]]])
        yield net("bad-network", f"weights_row_{name}", layers=[[[["1", "0"], value], ["0", "0"]]])
        yield net("bad-network", f"bias_{name}", layers=[[[["1", "0"], ["0", "1"]], value]])
        for field in ("breakpoints", "slopes", "anchor"):
            yield net("bad-network", f"{field}_{name}", activation=[[RELU, {**RELU, field: value}]])
    yield net("bad-network", "output_layer_number", output_layer=1)
    no_rows = problem({**CROSS, "output_layer": [[], []]}, "R^2")
    yield "output_layer_without_rows", "bad-network", dump([no_rows, *cross[1:]])
    yield net("bad-fields", "activation_of_neuron_null", activation=[[RELU, None]])
    yield net("bad-rational", "weight_number", layers=[[[["1", "0"], ["0", 1]], ["0", "0"]]])
    yield net("bad-fields", "input_dim_string", input_dim="2")
    yield net("bad-network", "no_activation", activation=[])
    yield net("bad-network", "activation_of_one_neuron", activation=[[RELU]])
    yield net("bad-network", "activation_name", activation=["relu"])
    yield net("bad-network", "activation_slopes", activation=[[{**RELU, "slopes": ["0"]}, RELU]])
    yield net("bad-network", "activation_order", activation=[[RELU, {**STEP, "breakpoints": ["0", "0"]}]])
    yield net("bad-network", "activation_anchor", activation=[[RELU, {**RELU, "anchor": ["1", "1"]}]])
    yield net("bad-network", "empty_layer", layers=[[[], []]], activation=[[]])
    yield net("bad-network", "ragged_layer", layers=[[[["1", "0"], ["1"]], ["0", "0"]]])
    yield net("bad-network", "bias_short", layers=[[[["1", "0"], ["0", "1"]], ["0"]]])
    yield net("bad-network", "output_shape", output_layer=[[["1"]], ["0"]])
    yield net("bad-network", "layer_number", layers=[5])
    yield net("bad-network", "layer_text", layers=["Wb"])
    yield net("bad-network", "activation_text", activation=["ab"])
    yield line1("bad-fields", "network_list", network=["input_dim", "activation", "layers", "output_layer"])
    yield line1("unknown-kind", "kind_list", kind=["regions"])
    yield line1("bad-domain", "directions_text", domain={"origin": ["0", "0"], "directions": "11"})
    yield line1("bad-domain", "directions_object", domain={"origin": ["0", "0"], "directions": {"0": ["1", "1"]}})
    yield line1("bad-domain", "domain_dimension", domain="R^3")
    yield line1("bad-domain", "domain_number", domain=2)
    for name, value in (("null", None), ("object", {"0": "1"}), ("text", "1")):
        slice_, sides = {"origin": ["0", "0"], "directions": [["1", "1"]]}, {"A": [["1", "0"]], "b": ["0"]}
        yield line1("bad-domain", f"origin_{name}", domain={**slice_, "origin": value})
        yield line1("bad-domain", f"direction_{name}", domain={**slice_, "directions": [value]})
        yield line1("bad-domain", f"normals_{name}", domain={**sides, "A": value})
        yield line1("bad-domain", f"normal_{name}", domain={**sides, "A": [value]})
        yield line1("bad-domain", f"sides_{name}", domain={**sides, "b": value})
        yield line1("bad-domain", f"box_side_{name}", domain=[["0", "1"], value])
    yield line1("bad-fields", "domain_object", domain={})
    yield line1("bad-domain", "slice_inner_number", domain={**slice_, "inner": 1})
    yield line1("bad-size", "directions_1025", domain={**slice_, "directions": [["0", "0"]] * 1025})
    yield line1("bad-domain", "domain_text", domain="R^02")
    yield line1("bad-domain", "domain_null", domain=None)
    yield line1("bad-domain", "box_short", domain=[["0", "1"]])
    yield line1("bad-domain", "box_side", domain=[["0", "1"], ["0"]])
    yield line1("bad-domain", "polyhedron_shape", domain={"A": [["1", "0"]], "b": ["0", "0"]})
    yield line1("bad-domain", "slice_empty", domain={"origin": ["0", "0"], "directions": []})
    yield line1("bad-domain", "slice_inner", domain={"origin": ["0", "0"], "directions": [["1", "1"]], "inner": "R^2"})
    yield line1(
        "bad-fields",
        "slice_in_slice",
        domain={"origin": ["0", "0"], "directions": [["1", "1"]], "inner": {"origin": ["0"], "directions": [["1"]]}},
    )
