"""Bots get a View and randomness of their own; a bot's error never stops a table."""

from typing import Any, ClassVar, NamedTuple

import pytest

from scoville_server.tables import bots as botseat
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.model.action import Refused
from scoville_server.tables.state_machine import decide
from scoville_shared.bots.base import Bot
from scoville_shared.bots.search import SearchBot, Thought
from scoville_shared.engine.dice import Stream
from scoville_shared.ids import Seat
from tests.support.tables import NOON, carry_out, play_first, start_table
from tests.support.toys import HighView, Lay


def thought(table: Any) -> PlayForSeat:
    thoughts: list[PlayForSeat] = []
    botseat.SeatBots().choose_move(table, Seat(1), thoughts.append)
    return thoughts[0]


def test_the_same_table_makes_a_bot_think_the_same() -> None:
    table = start_table("Anna", seats=2)
    assert thought(table) == thought(table)


def test_a_bots_chance_differs_by_seat_and_by_move() -> None:
    table = start_table("Anna", seats=3)
    later = carry_out(table, thought(table))

    def first(stream: Stream) -> int:
        return stream.draw_below(2**32)

    seats = {first(botseat.stream_of_move(table, Seat(seat))) for seat in range(3)}
    assert len(seats) == 3
    assert first(botseat.stream_of_move(later, Seat(1))) != first(botseat.stream_of_move(table, Seat(1)))


class Spy(Bot):
    """Plays the fallback and keeps what it was given."""

    remembers = True
    given: ClassVar[list[Any]] = []

    def observe_fact(self, fact: Any) -> None:
        self.given.append(fact)

    def choose_move(self, view: Any, chance: Stream) -> Any:
        self.given.append(view)
        return self.game.fallback(view)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setattr(botseat, "find_bot", lambda slug, level: Spy)
    monkeypatch.setattr(Spy, "given", [])
    return Spy.given


def facts_for(table: Any, seat: int) -> list[Any]:
    """Read what the seat was sent since the deal."""
    sent = [fact for recorded in table.events_after(0) for to, fact in recorded.facts if to in (None, seat)]
    return [table.game.codec.decode_fact(fact) for fact in sent]


def round_over(table: Any) -> Any:
    """Let both players lay a card, so that secret and public facts are recorded."""
    table = carry_out(table, thought(table))
    return carry_out(table, play_first("Anna", table))


def test_a_bot_gets_its_view_and_its_facts(spy: list[Any]) -> None:
    table = round_over(start_table("Anna", seats=2))
    spy.clear()
    thought(table)
    assert spy == [*facts_for(table, 1), table.game.view(table.state, Seat(1))]
    assert len(spy) > 1
    assert isinstance(spy[-1], HighView)


def test_a_bot_observes_every_fact_once(spy: list[Any]) -> None:
    table, bots = start_table("Anna", seats=2), botseat.SeatBots()
    bots.choose_move(table, Seat(1), lambda command: None)
    later = round_over(table)
    spy.clear()
    bots.choose_move(later, Seat(1), lambda command: None)
    observed = list(spy)
    spy.clear()
    thought(later)
    assert observed == spy


class Crash(Bot):
    def choose_move(self, view: Any, chance: Stream) -> Any:
        raise ZeroDivisionError


class Cheat(Bot):
    def choose_move(self, view: Any, chance: Stream) -> Any:
        return Lay(99)


@pytest.mark.parametrize("bot", [Crash, Cheat])
def test_the_fallback_is_played_for_a_bot_that_fails(bot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(botseat, "find_bot", lambda slug, level: bot)
    table = start_table("Anna", seats=2)
    assert thought(table).move == {"card": max(table.state.hands[1])}


def test_a_late_bot_move_is_dropped_when_the_user_returns() -> None:
    table = start_table("Anna", "Ben")
    answer = decide(table, PlayForSeat(seat=Seat(1), move={"card": table.state.hands[1][0]}, nth=0), NOON)
    assert isinstance(answer, Refused)


class Choice(NamedTuple):
    """A question between the cards of a hand."""

    moves: list[Any]
    ways: int = 1
    needed_errors: float = 2.0

    def compare_moves(self, *_: Any) -> None:
        raise AssertionError("nobody answers here")


class Searcher(SearchBot):
    """Asks which card to lay; its rule of thumb is the lowest."""

    playouts = 77

    def make_question(self, view: Any) -> Choice:
        return Choice([{"card": card} for card in sorted(view.hand)])


class Asked:
    """Keeps what was asked, to be answered later."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, int, int, botseat.Answered]] = []

    def __call__(self, table: Any, question: Any, playouts: int, seed: int, answered: botseat.Answered) -> None:
        self.asked.append((question, playouts, seed, answered))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setattr(botseat, "find_bot", lambda slug, level: Searcher)
    return Asked()


@pytest.mark.parametrize(("thought", "place"), [(True, -1), (False, 0)])
def test_a_searching_bot_plays_its_finding_or_rule(thought: bool, place: int, asked: Asked) -> None:
    table, thoughts = start_table("Anna", seats=2), list[PlayForSeat]()
    botseat.SeatBots(asked).choose_move(table, Seat(1), thoughts.append)
    [(question, playouts, seed, answered)] = asked.asked
    assert (thoughts, playouts) == ([], 77)
    assert 0 < seed < 2**32
    answered(Thought(question.moves[-1], (), 77, cut=False) if thought else None)
    assert [command.move for command in thoughts] == [{"card": sorted(table.state.hands[1])[place]}]


def test_a_clock_has_no_time_for_a_search(asked: Asked) -> None:
    table, thoughts = start_table("Anna", seats=2), list[PlayForSeat]()
    botseat.SeatBots(asked).choose_move(table, Seat(1), thoughts.append, by="clock")
    assert not asked.asked
    assert [(command.move, command.mover) for command in thoughts] == [({"card": min(table.state.hands[1])}, "clock")]
