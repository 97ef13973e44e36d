"""Bots get a View and randomness of their own; a bot's error never stops a table."""

from typing import Any

import pytest

from scoville_server.tables import bots as botseat
from scoville_server.tables.model.commands import PlayForSeat, Refused
from scoville_server.tables.model.decide import decide
from scoville_shared.engine.dice import Stream
from scoville_shared.ids import Seat
from tests.support.tables import NOON, after, playing
from tests.support.toys import HighView, Lay


def thought(table: Any) -> PlayForSeat:
    thoughts: list[PlayForSeat] = []
    botseat.think(table, Seat(1), thoughts.append)
    return thoughts[0]


def test_the_same_table_makes_a_bot_think_the_same() -> None:
    table = playing("Anna", seats=2)
    assert thought(table) == thought(table)


def test_a_bots_chance_differs_by_seat_and_by_move() -> None:
    table = playing("Anna", seats=3)
    later = after(table, thought(table))

    def first(stream: Stream) -> int:
        return stream.below(2**32)

    seats = {first(botseat.chance(table, Seat(seat))) for seat in range(3)}
    assert len(seats) == 3
    assert first(botseat.chance(later, Seat(1))) != first(botseat.chance(table, Seat(1)))


def test_a_bot_is_given_nothing_but_its_view(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def spy(game: Any, view: Any, chance: Stream) -> Any:
        given.append(view)
        return game.fallback(view)

    monkeypatch.setattr(botseat, "find_bot", lambda slug, strength: spy)
    table = playing("Anna", seats=2)
    thought(table)
    assert given == [table.game.view(table.state, Seat(1))]
    assert isinstance(given[0], HighView)


def crash(game: Any, view: Any, chance: Stream) -> Any:
    raise ZeroDivisionError


def cheat(game: Any, view: Any, chance: Stream) -> Any:
    return Lay(99)


@pytest.mark.parametrize("bot", [crash, cheat])
def test_the_fallback_is_played_for_a_bot_that_fails(bot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(botseat, "find_bot", lambda slug, strength: bot)
    table = playing("Anna", seats=2)
    assert thought(table).move == {"card": max(table.state.hands[1])}


def test_a_bots_move_is_not_wanted_any_more_when_the_person_is_back() -> None:
    table = playing("Anna", "Ben")
    answer = decide(table, PlayForSeat(seat=Seat(1), move={"card": table.state.hands[1][0]}, nth=0), NOON)
    assert isinstance(answer, Refused)
