"""`exactregions bounds` and `exactregions make`."""

from __future__ import annotations

import json
from math import comb

import pytest
from click.testing import CliRunner

import exactregions as er
from exactregions.analysis.bounds import bounds_of_network
from exactregions.analysis.bounds_plot import bounds_figure, save_bounds_figure
from exactregions.analysis.making import KINDS
from exactregions.analysis.random_networks import random_network
from exactregions.cli import main
from exactregions.errors import InputError


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_network_with_one_hidden_layer_always_has_its_count(tmp_path):
    path = tmp_path / "e6.json"
    assert run("make", "e6", "-o", path).exit_code == 0
    result = run("bounds", path, "--json")
    facts = json.loads(result.stdout)
    assert (facts["n_cells"], facts["n_strict"], facts["status"], facts["engine"]) == (
        51840,
        51840,
        "exact",
        "zaslavsky",
    )
    assert (facts["input_dim"], facts["hidden"], facts["domain"]) == (6, [36], "R^6")
    assert facts["network"] == er.load(path).fingerprint
    central = next(row for row in facts["bounds"] if row["name"] == "zero_bias")
    assert central["holds"]
    assert central["value"] == 2 * sum(comb(35, k) for k in range(6))


def test_a_deep_network_is_counted_on_the_domain_of_its_file(tmp_path):
    path = tmp_path / "tent.json"
    run("make", "tent", "--depth", 5, "-o", path)
    facts = json.loads(run("bounds", path, "--json").stdout)
    assert (facts["n_cells"], facts["domain"]) == (32, "(0, 1)")
    maximum = next(row for row in facts["bounds"] if row["name"] == "maximum_on_line")
    assert (maximum["value"], maximum["holds"]) == (None, False)
    assert json.loads(run("bounds", path, "--domain", "R", "--json").stdout)["n_cells"] > 32


def test_a_shape_is_tabulated_without_a_network():
    facts = json.loads(run("bounds", "--widths", "2,32,32,32", "--json").stdout)
    values = {row["name"]: row["value"] for row in facts["bounds"]}
    assert (values["serra_2018"], values["serra_2018_lower"], values["montufar_2014"]) == (
        148035889, 44182609, 34668544,
    )  # fmt: skip
    assert (facts["n_cells"], facts["network"], facts["hidden"]) == (None, None, [32, 32, 32])
    assert json.loads(run("bounds", "--widths", "3,10", "--json").stdout)["n_cells"] == 176
    text = run("bounds", "--widths", "2,2,2").stdout
    assert "every layer but the last at least 3 n_0 = 6 wide" in text


def test_random_networks_are_made_by_seed(tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        made = run(
            "make", "random", "--widths", "2,5,5", "--law", "integer", "--seed", seed, "-o", tmp_path / f"{name}.npz"
        )
        assert made.exit_code == 0
    a, b, c = (er.load(tmp_path / f"{name}.npz").fingerprint for name in "abc")
    assert a == b != c


def test_the_help_names_every_kind():
    text = run("make", "--help").stdout
    assert [kind for kind in KINDS if kind not in text] == []


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_figure_is_written(tmp_path, suffix):
    path = tmp_path / f"bounds.{suffix}"
    result = run("bounds", "--widths", "1,3,3", "--plot", path)
    assert result.exit_code == 0
    assert path.stat().st_size > 5000
    assert "figure" in result.stderr


def test_the_figure_shows_bounds_counts_and_the_network():
    table = bounds_of_network(random_network(1, (4, 4)))
    figure = bounds_figure(table, seeds=2)
    left, right = figure.axes
    assert (left.get_xlabel(), right.get_xlabel()) == ("width of every layer", "hidden layers")
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert {"Serra et al. 2018, upper", "random networks, exact", "this network, exact"} <= labels
    star = next(points for points in left.collections if points.get_label() == "this network, exact")
    assert star.get_offsets().tolist() == [[4, table.n_cells]]
    upper = next(line for line in right.lines if line.get_label() == "Serra et al. 2018, upper")
    assert upper.get_ydata().tolist() == [5.0**depth for depth in range(1, 5)]
    dots = next(points for points in right.collections if points.get_label() == "random networks, exact")
    assert all(count <= 5**depth for depth, count in dots.get_offsets().tolist())


def test_a_figure_takes_the_activation_and_the_biases_of_the_network():
    clipped = bounds_figure(bounds_of_network(random_network(1, (2, 2), activation="hardtanh[-1,1]")), seeds=1)
    assert clipped.get_suptitle().startswith("hardtanh[-1,1] networks with 1 input")
    labels = {text.get_text() for text in clipped.legends[0].get_texts()}
    assert "Montúfar 2017, upper" in labels
    assert "Serra et al. 2018, upper" not in labels  # it does not hold for hard tanh
    cones = bounds_figure(bounds_of_network(random_network(2, (3,), law="zero-bias")), seeds=1)
    assert cones.get_suptitle().startswith("zero-bias ReLU networks with 2 inputs")
    labels = {text.get_text() for text in cones.legends[0].get_texts()}
    assert "zero bias, upper" in labels
    assert "Montúfar et al. 2014, lower" not in labels


def test_a_network_without_hidden_neurons_has_a_table_and_a_figure():
    table = bounds_of_network(er.Network([], output=([[1, 2]], [0])))
    assert table.n_cells == 1
    assert all(bound.admits(1) for bound in table.bounds if bound.holds)
    assert bounds_figure(table, seeds=1).axes


def test_a_figure_of_another_format_is_refused_before_any_work(tmp_path):
    with pytest.raises(InputError, match="not a figure format"):
        save_bounds_figure(bounds_of_network(random_network(1, (2,))), str(tmp_path / "figure.txt"))


def refused(tmp_path):
    net = tmp_path / "net.json"
    run("make", "cycle", "--size", 3, "-o", net)
    target = tmp_path / "new.json"
    return {
        "neither": ("bounds",),
        "both": ("bounds", net, "--widths", "2,2"),
        "no integers": ("bounds", "--widths", "2,x"),
        "zero width": ("bounds", "--widths", "2,0"),
        "domain of a shape": ("bounds", "--widths", "2,2", "--domain", "box:0,1"),
        "no such file": ("bounds", tmp_path / "none.json"),
        "no figure": ("bounds", net, "--plot", tmp_path / "figure.txt"),
        "no folder": ("bounds", net, "--plot", tmp_path / "none" / "figure.png"),
        "no kind": ("make", "moon", "-o", target),
        "missing": ("make", "tent", "-o", target),
        "ignored": ("make", "tent", "--depth", 2, "--seed", 1, "-o", target),
        "negative": ("make", "tent", "--depth", -2, "-o", target),
        "too narrow": ("make", "serra", "--widths", "1,2,2", "-o", target),
        "no law": ("make", "random", "--widths", "1,2", "--law", "cauchy", "-o", target),
        "no format": ("make", "e6", "-o", tmp_path / "net.xyz"),
        "activation": ("make", "random", "--widths", "1,2", "--activation", "softplus", "-o", target),
    }


def test_bad_input_is_one_line_with_exit_code_2_and_leaves_no_file(tmp_path):
    commands = refused(tmp_path)
    before = sorted(tmp_path.iterdir())
    for name, command in commands.items():
        result = run(*command)
        assert (result.exit_code, result.stdout) == (2, ""), name
        assert result.stderr.count("\n") == 1, name
        assert result.stderr.startswith("exactregions: "), name
    assert sorted(tmp_path.iterdir()) == before
