from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactregions.errors import FormatError, InputError, ShapeError
from exactregions.network import HARD_TANH, RELU, Network, PiecewiseLinear
from exactregions.patterns import PatternCodec
from tests.network.reference import Refusal


@st.composite
def codecs(draw: st.DrawFn) -> PatternCodec:
    widths = tuple(draw(st.lists(st.integers(1, 4), max_size=4)))
    count = sum(widths)
    pieces = draw(st.lists(st.sampled_from([1, 2, 3, 4, 5, 9, 10, 11, 12, 17, 257]), min_size=count, max_size=count))
    return PatternCodec(widths, tuple(pieces))


@st.composite
def tables(draw: st.DrawFn) -> tuple[PatternCodec, list[tuple[int, ...]]]:
    codec = draw(codecs())
    pattern = st.tuples(*[st.integers(0, count - 1) for count in codec.pieces])
    return codec, draw(st.lists(pattern, max_size=8))


@given(tables())
def test_printed_patterns_are_read_back(drawn: tuple[PatternCodec, list[tuple[int, ...]]]) -> None:
    codec, patterns = drawn
    assert [codec.parse(codec.format(pattern)) for pattern in patterns] == patterns


@given(tables())
def test_packed_patterns_are_unpacked(drawn: tuple[PatternCodec, list[tuple[int, ...]]]) -> None:
    codec, patterns = drawn
    packed = codec.pack(patterns)
    assert packed.shape == (len(patterns), codec.n_bytes)
    assert [tuple(row) for row in codec.unpack(packed).tolist()] == patterns


@given(tables())
def test_packed_patterns_sort_like_tuples(drawn: tuple[PatternCodec, list[tuple[int, ...]]]) -> None:
    codec, patterns = drawn
    order = codec.order(codec.pack(patterns))
    assert [patterns[index] for index in order] == sorted(patterns)


def test_commas_appear_only_where_a_piece_can_exceed_nine() -> None:
    codec = PatternCodec((2, 2, 1), (2, 10, 2, 11, 12))
    assert codec.format((1, 9, 0, 3, 11)) == "19|0,3|11"
    assert codec.parse("19|0,3|11") == (1, 9, 0, 3, 11)


def test_a_relu_pattern_takes_one_bit_a_neuron_first_neuron_first() -> None:
    codec = PatternCodec((3,), (2, 2, 2))
    assert codec.pack([(1, 0, 1)]).tolist() == [[0b10100000]]


def test_the_codec_of_a_network_knows_the_pieces_of_every_neuron() -> None:
    stairs = PiecewiseLinear(range(11), range(12), (0, 0))
    network = Network([([[1], [1]], [0, 0]), ([[1, 1]], [0])], activation=[[RELU, HARD_TANH], [stairs]])
    codec = PatternCodec.of(network)
    assert (codec.widths, codec.pieces, codec.n_neurons) == ((2, 1), (2, 3, 12), 3)
    assert codec.format(network.pattern_at([5])) == "12|6"


def test_a_network_without_hidden_neurons_has_the_empty_pattern() -> None:
    codec = PatternCodec((), ())
    assert codec.format(()) == ""
    assert codec.parse("") == ()
    packed = codec.pack([(), ()])
    assert packed.shape == (2, 0)
    assert codec.unpack(packed).shape == (2, 0)
    assert codec.order(packed).tolist() == [0, 1]


CODEC = PatternCodec((2, 1), (2, 2, 3))


@pytest.mark.parametrize("text", ["", "10", "10|1|0", "1|1", "100|1", "1x|0", "-1|0", "1 0|0", "²0|0"])
def test_text_of_another_shape_is_refused(text: str) -> None:
    with Refusal(FormatError, "line 3"):
        CODEC.parse(text, where="line 3")


def test_pieces_that_do_not_exist_are_refused() -> None:
    with Refusal(InputError, "no piece 2", "neuron 1", "line 3"):
        CODEC.parse("12|0", where="line 3")
    with Refusal(InputError, "no piece 3 at neuron 2"):
        CODEC.check((0, 0, 3))
    with Refusal(InputError, "no piece -1"):
        CODEC.check((0, 0, -1))
    with Refusal(ShapeError, "2 pieces for 3"):
        CODEC.check((0, 0))
    with Refusal(InputError, "0.5", "neuron 1"):
        CODEC.check((0, 0.5, 0))


def test_numpy_patterns_are_accepted() -> None:
    assert CODEC.check(np.array([1, 0, 2], np.uint16)) == (1, 0, 2)
