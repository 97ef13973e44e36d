"""Why players have their points: each gain of a finished game, and their sums by kind."""

from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.session.table.points import count_gains, explain_points, find_remark, list_gains
from scoville_shared.engine.contract import Gain
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from tests.support.recording_session import GAMES, play_game

CARDS, CHIPS = Phrase("cards"), Phrase("chips")
ANNA = Seat(0)


def test_gains_of_a_kind_are_added_up() -> None:
    gains = [Gain(ANNA, points, Phrase("x"), kind) for points, kind in [(25, CARDS), (-3, CHIPS), (11, CARDS)]]
    why = explain_points(gains)
    assert why is not None
    assert why.render(()) == "cards 36 − chips 3"
    assert explain_points([]) is None
    loss_first = explain_points([gains[1], gains[0]])
    assert loss_first is not None
    assert loss_first.render(()) == "cards 25 − chips 3"
    loss = explain_points(gains[1:2])
    assert loss is not None
    assert loss.render(()) == "− chips 3"


@pytest.mark.parametrize("game", GAMES)
async def test_the_gains_of_a_finished_game_are_its_scores(game: str) -> None:
    async with AsyncExitStack() as stack:
        at, _ = await play_game(stack, game)
        assert at.result is not None
        gains = count_gains(at)
        assert [sum(gain.points for gain in each) for each in gains] == at.result.scores
        lines = [render(phrase, at.names) for phrase in list_gains(at)]
        assert len(lines) == sum(map(bool, gains))
        assert all(line.endswith(".") and "{" not in line for line in lines)


@pytest.mark.parametrize("facts", [[], [object()]])
def test_a_game_that_was_not_seen_whole_has_no_reasons(facts: list[Any]) -> None:
    def count(_: object) -> list[Gain]:
        return [Gain(ANNA, 1, CARDS, CARDS)]

    at: Any = SimpleNamespace(
        result=SimpleNamespace(scores=[5, 2]),
        deal=SimpleNamespace(events=[]),
        game=SimpleNamespace(text=SimpleNamespace(count_points=count)),
        facts_of=lambda _: facts,
    )
    assert count_gains(at) == []
    at.result = None
    assert count_gains(at) == []


@pytest.mark.parametrize("game", GAMES)
async def test_a_bot_says_one_sentence_after_the_game(game: str) -> None:
    async with AsyncExitStack() as stack:
        at, _ = await play_game(stack, game)
        (bot,) = (name for name, seat in zip(at.names, at.info.seats, strict=True) if seat.kind == "bot")
        said = find_remark(at)
        assert said is not None
        assert render(said, at.names).startswith(f"{bot}: ")
        at.info = replace(at.info, seats=[replace(seat, kind="human") for seat in at.info.seats])
        assert find_remark(at) is None
