"""Moves as exported games write them."""

import pytest

from scoville_shared.engine.codec import CodecError
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import PASS, TAKE


def test_moves_are_written_as_their_action():
    assert [GAME.codec.encode_plain(move) for move in (TAKE, PASS)] == [{"action": "take"}, {"action": "pass"}]
    assert [GAME.codec.decode_move({"action": word}) for word in ("take", "pass")] == [TAKE, PASS]


@pytest.mark.parametrize(
    "move", [{"action": "fold"}, {"action": 1}, {"take": True}, {"action": "take", "card": 3}, "take"]
)
def test_anything_else_is_no_move(move):
    with pytest.raises(CodecError):
        GAME.codec.decode_move(move)


@pytest.mark.parametrize("options", [{"rounds": 0}, {"rounds": 5}, {"chips": 3}, {"tactical": 1}])
def test_options_out_of_bounds_are_refused(options):
    with pytest.raises(CodecError):
        GAME.codec.decode_options(options)
