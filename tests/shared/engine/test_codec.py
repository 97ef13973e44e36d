"""Codec: plain data in and out, and errors for invalid data."""

import pytest

from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Options


def test_missing_options_take_their_defaults():
    assert GAME.codec.decode_options({}) == Options()
    assert GAME.codec.decode_options({"cycles": 1}) == Options(cycles=1)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"cycels": 1}, r"there is no option cycels; the options are cycles=2 \(1 to 5\), open_won=no \(yes or no\)"),
        ({"cycles": 6}, r"cycles cannot be 6; the options are cycles=2 \(1 to 5\)"),
        ({"open_won": True, "cycles": "x"}, "^cycles cannot be x; "),
        ({"peppers": [1] * 99 + [4]}, "peppers"),
        ([], "it must be a map"),
    ],
)
def test_faulty_options_are_refused_with_the_place_of_the_fault(data, says):
    with pytest.raises(CodecError, match=says):
        GAME.codec.decode_options(data)


def test_a_move_without_known_key_lists_the_known():
    with pytest.raises(CodecError, match="card, take_back"):
        GAME.codec.decode_move({"bid": 3})


def test_a_faulty_view_and_a_faulty_fact_are_refused():
    with pytest.raises(CodecError):
        GAME.codec.decode_view({"board": None})
    with pytest.raises(CodecError):
        GAME.codec.decode_fact({"fact": "abracadabra"})


def test_a_state_survives_its_bytes_and_garbage_is_refused():
    state = GAME.setup(Options(), 3, Dice(b"k" * 32))
    assert GAME.codec.unpack_state(GAME.codec.pack_state(state)) == state
    with pytest.raises(CodecError):
        GAME.codec.unpack_state(b"\xc1")
