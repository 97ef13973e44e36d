"""Spectating in rounds: the table as it was at the end of a round, with all events."""

from itertools import pairwise

import pytest

from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause
from scoville_server.tables.model.records import Played
from scoville_server.tables.model.table import Table, table_for_spectators, tables_between
from scoville_server.tables.state_machine import evolve, restore_table
from scoville_server.tables.watching.audience import Sight
from scoville_server.tables.watching.project import final_notices, project_change, project_events, view_of
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import EventNotice, Kicked, TableClock, TableSettings
from tests.support.tables import (
    any_game,
    carry_out,
    join_as,
    move_by_clock,
    new_table,
    play_first,
    play_out,
    start_table,
    user_of,
)

LATE = Sight(None, live=False)
LIVE = Sight(None, live=True)


def in_rounds(behind: int = 0, game: str = "high_card", **more: object) -> Table:
    """Two or more users play at a table with delayed rounds for spectators."""
    names = ("Anna", "Ben", "Cleo")[: max(2, any_game(game).info.seats[0])]
    return start_table(*names, game=game, settings=TableSettings(spectating="rounds", rounds_behind=behind), **more)


def played(table: Table, rounds: int) -> Table:
    """Let everybody play by the clock until so many rounds are over."""
    for _ in range(rounds):
        begun = table.game.round(table.state)
        while table.status == "playing" and table.game.round(table.state) == begun:
            table = move_by_clock(table, table.pending[0])
    return table


def test_before_the_deal_the_table_is_seen_as_it_is() -> None:
    table = carry_out(new_table(settings=TableSettings(spectating="rounds", rounds_behind=5)), join_as("Anna"))
    assert table_for_spectators(table) is table


def test_a_round_is_not_seen_before_it_is_over() -> None:
    table = in_rounds()
    dealt = table_for_spectators(table)
    assert (dealt.seq, dealt.state, dealt.pending) == (table.seq, table.state, [0, 1])
    half = carry_out(table, play_first("Anna", table), Pause(user=user_of("Ben")))
    assert table_for_spectators(half) == dealt
    over = carry_out(table, play_first("Anna", table), play_first("Ben", table))
    assert table_for_spectators(over).state == over.state
    assert table_for_spectators(over).seq == over.seq


@pytest.mark.parametrize("behind", [1, 2])
def test_so_many_rounds_behind_the_latest(behind: int) -> None:
    table = in_rounds(behind, rounds=6)
    assert table_for_spectators(table).status == "waiting", "the deal comes late as well"
    assert table_for_spectators(played(table, behind)).state == table.state
    one = played(table, 1)
    assert table_for_spectators(played(one, behind)).state == one.state


def test_no_more_rounds_are_kept_than_are_shown() -> None:
    table = played(in_rounds(1), 2)
    assert len(table.rounds) == 2
    assert all(not earlier.rounds for earlier in table.rounds)
    assert played(start_table("Anna", "Ben"), 2).rounds == ()


@pytest.mark.parametrize("behind", [0, 1, 20])
def test_when_the_game_is_over_everybody_sees_all_of_it(behind: int) -> None:
    table = play_out(in_rounds(behind))
    assert table_for_spectators(table) is table
    assert table.rounds == ()


def test_a_table_closed_midway_shows_its_end() -> None:
    table = carry_out(in_rounds(2), Close(reason="The house closes."))
    assert table_for_spectators(table) is table


def test_a_game_without_rounds_is_seen_when_it_is_over() -> None:
    table = in_rounds(game="heap")
    later = move_by_clock(move_by_clock(table, table.pending[0]), table.pending[0] ^ 1)
    assert table_for_spectators(later).state == table.state


@pytest.mark.parametrize("game", ["heap", "high_card", *registry.list_slugs()])
@pytest.mark.parametrize("behind", [0, 1, 3])
def test_each_late_event_comes_once_with_its_view(game: str, behind: int) -> None:
    tables = [carry_out(in_rounds(behind, game, seed=bytes([behind]) * 32))]
    while tables[-1].status == "playing":
        tables.append(move_by_clock(tables[-1], tables[-1].pending[-1]))
    live = [(now.event, now.view) for a, b in pairwise(tables) for now in project_change(a, b, LIVE)]
    late = [(now.event, now.view) for a, b in pairwise(tables) for now in project_change(a, b, LATE)]
    already = [
        (now.event, view_of(tables[0], None))
        for now in project_events(tables[0], table_for_spectators(tables[0]).seq, None)
    ]
    assert late == [*already, *live]


def test_nothing_is_reported_while_a_round_lasts() -> None:
    table = in_rounds(clock=TableClock(move_ms=30_000))
    steps = [table]
    for command in (play_first("Anna", table), Pause(user=user_of("Anna")), Leave(user=user_of("Anna"))):
        steps.append(carry_out(steps[-1], command))
    assert [project_change(a, b, LATE) for a, b in pairwise(steps)] == [[], [], []]


def test_a_delayed_round_reports_its_remaining_time() -> None:
    table = in_rounds(clock=TableClock(bank_ms=60_000))
    half = carry_out(table, play_first("Anna", table), seconds=7)
    over = carry_out(half, play_first("Ben", half), seconds=9)
    assert [notice.left_ms for notice in project_change(half, over, LATE)] == [[53_000, 51_000]] * 2


def test_of_several_rounds_at_once_every_end_is_passed() -> None:
    table = in_rounds(2)
    one = played(table, 1)
    two = played(one, 1)
    over = play_out(two)
    assert [seen.seq for seen in tables_between(two, over)] == [table.seq, one.seq, two.seq, over.seq]


def test_a_kicked_user_sees_no_later_count() -> None:
    kick = Kick(user=user_of("Anna"), whom=user_of("Zoe"), name="Zoe", reason="too loud")

    def heard(moves: int) -> list[EventNotice]:
        table = in_rounds()
        for name in ("Anna", "Ben", "Anna")[:moves]:
            table = carry_out(table, play_first(name, table))
        return [*final_notices(table, carry_out(table, kick), LATE)]

    (last,) = heard(0)
    assert last.event == Kicked(
        seq=table_for_spectators(in_rounds()).seq + 1, seat=None, name="Zoe", reason="too loud", host=0
    )
    assert heard(1) == [last]
    assert heard(2) != [last], "a round is over, and seen"
    assert heard(3) == heard(2)


def test_the_rounds_that_are_shown_outlive_the_server() -> None:
    table = played(in_rounds(1), 1)
    records = [Played(at_ms=made.at_ms, seat=made.seat, move=made.move, mover=made.mover) for made in table.moves]
    begun = in_rounds(1)
    for record in records:
        begun = evolve(begun, record)
    assert begun == table
    assert table_for_spectators(begun) == table_for_spectators(table)
    assert restore_table([table.opened], any_game).rounds == ()


def test_a_seated_user_sees_the_present_round() -> None:
    table = in_rounds(3)
    moved = carry_out(table, play_first("Anna", table))
    (notice,) = project_change(table, moved, Sight(Seat(1), live=True))
    assert notice.event.seq == moved.seq
