"""Searches of bots: a cut is recorded with its move, so that every move can be repeated; and who asks for them."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from scoville_server.background.thinking import Asker
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actor import Done
from scoville_server.tables.bots import Answered, SeatBots
from scoville_server.tables.lifecycle.bot_thinking import BotThinking
from scoville_server.tables.model.records import Played, Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import create_table, evolve, pack_record, unpack_record
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import Question, Thought, answer_question, repeat_search
from scoville_shared.ids import Seat
from tests.support.tables import any_game, join_as, move_by_clock, new_table, records_of, user_of

FAST = INTERPRETED._replace(divisor=1)
PLAYOUTS = 200


def cut_after(portions: int, machine: Machine) -> Callable[[Question, int, int], Thought]:
    """Answer as a pool does whose clock cuts a search after so many portions."""

    def think(question: Question, playouts: int, seed: int) -> Thought:
        left = iter(range(portions - 1))
        return answer_question(question, playouts, seed, machine, lambda: next(left, None) is None)

    return think


HURRIES: list[Callable[[Question, int, int], Thought | None]] = [
    cut_after(99, FAST),
    cut_after(3, FAST),
    lambda *_: None,
    cut_after(99, INTERPRETED),
    cut_after(1, FAST),
    cut_after(4, INTERPRETED),
]
"""Everything that may become of a search: finished, cut, not answered, on another machine."""


class Hurried:
    """Answers the questions of a table with all kinds of cuts in turn."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, table: Table, question: Question, playouts: int, seed: int, answered: Answered) -> None:
        think = HURRIES[self.asked % len(HURRIES)]
        self.asked += 1
        answered(think(question, playouts, seed))


def game_with_cuts(game: str) -> list[Record]:
    """Play a game of bots that are cut now and then, next to a player who makes no decision; return its records."""
    table = new_table(game, 3, points=3) if game == "chilli_chase" else new_table(game, 3)
    records: list[Record] = [table.opened]
    bots, thoughts = SeatBots(Hurried()), list[PlayForSeat]()
    for command in (join_as("Anna"), Start(user=user_of("Anna"), strength="strong")):
        records += (made := records_of(table, command))
        table = reduce(evolve, made, table)
    while table.status == "playing" and len(table.moves) < 40:
        for seat in table.bots_due[:1]:
            bots.choose_move(table, seat, thoughts.append)
            records += (made := records_of(table, thoughts.pop()))
            table = reduce(evolve, made, table)
        if Seat(0) in table.pending:
            table = move_by_clock(table, Seat(0))
            records.append(table.moves[-1])
    return [unpack_record(pack_record(record)) for record in records]


@pytest.mark.parametrize("game", ["no_thanks", "dicht_dran", "chilli_chase"])
def test_a_game_with_cuts_is_repeated_from_its_records(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_bot(game, "strong"), "playouts", PLAYOUTS)
    records = game_with_cuts(game)
    opened: Any = records[0]
    table, searched = create_table(any_game(game), opened), list[Any]()
    for record in records[1:]:
        if isinstance(record, Played) and record.mover == "bot":
            assert again(table, record) == record.move
            searched.append(record.searched)
        table = evolve(table, record)
    assert len({made.playouts for made in searched if made is not None}) > 2
    assert {None, 0} <= {made and made.playouts for made in searched}


def again(table: Table, record: Played) -> Any:
    """Repeat the search of a recorded move."""
    moves: list[Any] = []

    def ask(_: Table, question: Question, playouts: int, seed: int, answered: Answered) -> None:
        move = repeat_search(question, playouts, seed, record.searched, FAST)
        answered(Thought(move, (), playouts, cut=False))

    SeatBots(ask).choose_move(table, record.seat, lambda command: moves.append(command.move))
    return moves[0]


class Recorder:
    """A Thinking that keeps who asks for what."""

    def __init__(self) -> None:
        self.warmed: list[tuple[Asker, str, str]] = []
        self.askers: list[Asker] = []

    def ask_pool(self, asker: Asker, *_: object) -> None:
        self.askers.append(asker)

    def warm_up(self, *what: Any) -> None:
        self.warmed.append(what)


def started(level: str, seats: int) -> tuple[Table, Table]:
    """Start a game; return the table before and after that."""
    table = reduce(evolve, records_of(waiting := new_table("no_thanks", seats), join_as("Anna")), waiting)
    table = reduce(evolve, records_of(table, join_as("Ben")), table)
    table = reduce(evolve, records_of(table, join_as("Cleo")), table)
    return table, reduce(evolve, records_of(table, Start(user=user_of("Anna"), strength=level)), table)


@pytest.mark.parametrize(
    ("networks", "asker"),
    [(("narrow", "wide"), Asker("wide", "narrow", "anna", "t1")), ((), Asker("anna", "anna", "anna", "t1"))],
)
def test_a_process_starts_for_a_seated_searching_bot(networks: tuple[str, ...], asker: Asker) -> None:
    thinking = Recorder()
    observer: Any = BotThinking(thinking, lambda _: networks)  # type: ignore[arg-type]
    before, after = started("strong", 4)
    observer.table_changed(None, Done(before, after))
    observer.table_changed(None, Done(after, after))
    assert thinking.warmed == [(asker, "no_thanks", "strong")]
    observer.ask_question(after, None, 1, 1, None)
    assert thinking.askers == [asker]


def test_a_process_starts_for_a_replacing_searching_bot() -> None:
    thinking = Recorder()
    observer: Any = BotThinking(thinking, lambda _: ())  # type: ignore[arg-type]
    observer.table_changed(None, Done(*started("sensible", 4)))
    before, playing = started("master", 3)
    observer.table_changed(None, Done(before, playing))
    assert thinking.warmed == []
    left = reduce(evolve, records_of(playing, Leave(user=user_of("Ben"))), playing)
    observer.table_changed(None, Done(playing, left))
    assert len(thinking.warmed) == 1
