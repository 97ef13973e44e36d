"""What is typed finds the move that is meant."""

import pytest

from scoville_client.plain.choosing import MOST_NAMED, listed, matching
from scoville_shared.games.dicht_dran.state import PLAYS, TAKE_BACK
from scoville_shared.games.registry import load

GAME = load("dicht_dran")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("63", [PLAYS[63]]),
        ("6", [PLAYS[6]]),
        ("take it back", [TAKE_BACK]),
        ("Take Back", [TAKE_BACK]),
        ("take_back", [TAKE_BACK]),
        ("take", [TAKE_BACK]),
        ("7", []),
        ("", [PLAYS[6], PLAYS[63], TAKE_BACK]),
        ("pass", []),
    ],
)
def test_what_is_typed_finds_its_move(typed: str, meant: list[object]) -> None:
    assert matching(GAME, [PLAYS[6], PLAYS[63], TAKE_BACK], typed) == meant


def test_of_very_many_moves_only_the_first_are_named() -> None:
    assert listed(range(2_000_000)) == list(range(MOST_NAMED))
