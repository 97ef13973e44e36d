"""Moves as exported games write them."""

import pytest

from scoville_shared.engine.codec import CodecError
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import KEEP, NewScore
from tests.shared.games.chilli_chase.tables import card_by, total_by

WRITTEN = [
    (total_by("-", 3), {"card": 3, "op": "-", "left": "total"}),
    (card_by("root", 4), {"card": 4, "op": "root", "left": "card"}),
    (NewScore(-9), {"score": -9}),
    (KEEP, {"keep": True}),
]


@pytest.mark.parametrize(("move", "plain"), WRITTEN)
def test_a_move_is_written_and_read(move, plain):
    assert GAME.codec.encode_plain(move) == plain
    assert GAME.codec.decode_move(plain) == move


@pytest.mark.parametrize(
    "plain",
    [
        {"card": 7, "op": "-", "left": "total"},
        {"card": 0, "op": "-", "left": "total"},
        {"card": 3, "op": "!", "left": "total"},
        {"card": 3, "op": "-", "left": "both"},
        {"card": 3},
        {"card": 3, "op": "-", "left": "total", "sum": 11},
        {"score": "9"},
        {"score": 9.5},
        {"keep": False},
        {"formula": "14-3"},
        [],
    ],
)
def test_anything_else_is_no_move(plain):
    with pytest.raises(CodecError):
        GAME.codec.decode_move(plain)


def test_changing_a_score_names_the_new_one():
    with pytest.raises(CodecError, match=r"^keep is always true"):
        GAME.codec.decode_move({"keep": False})


@pytest.mark.parametrize(
    "options",
    [
        {"points": 2},
        {"points": 11},
        {"cap": 98},
        {"cap": 1_000_000},
        {"turn_limit": 49},
        {"turn_limit": 10_001},
        {"turn_limit": None},
        {"dealer": 1},
    ],
)
def test_options_out_of_bounds_are_refused(options):
    with pytest.raises(CodecError):
        GAME.codec.decode_options(options)
