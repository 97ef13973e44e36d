"""Players of rated games who let the time run out: a bot takes over, and the others need not stay for them."""

import asyncio

import pytest

from scoville_server.players.model.career import find_stayed_seats
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause, Resume
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.action import Command, Refused
from scoville_server.tables.model.table import MOST_STALLS, Table, bot_level
from scoville_shared.bots.registry import USUAL
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import MOST_PAUSED_MS, Left, Resumed, TableClock, TableSettings
from tests.server.tables.actors import Room
from tests.support.server import until
from tests.support.tables import MINUTE, carry_out, play_first, refusal_of, start_rated, start_table, user_of

MINUTES = 60.0


def left(actor: TableActor) -> list[tuple[int, str, bool]]:
    """List who left, why, and whether that was excused."""
    events = [recorded.event for recorded in actor.table.recorded_events]
    return [(event.seat, event.reason, event.excused) for event in events if isinstance(event, Left)]


async def test_two_overruns_in_a_row_bring_a_bot(room: Room) -> None:
    actor = await started(room, start_rated("Anna", "Ben", game="heap"))
    await room.watch.go_on(1.5 * MINUTES)
    assert (actor.table.overruns, left(actor)) == ({1: 1}, []), "one costs that move alone"
    await actor.carry_out(any_move(actor, "Anna"))
    await room.watch.go_on(1.5 * MINUTES)
    assert left(actor) == [(1, "stalled", False)]
    while actor.table.running:
        await room.watch.go_on(0)
        await until(lambda: actor.table.pending in ([0], []))
        if actor.table.running:
            await actor.carry_out(any_move(actor, "Anna"))
    assert find_stayed_seats(actor.table) == {0}


async def started(room: Room, table: Table) -> TableActor:
    """Make an actor whose timers are set."""
    actor = room.actor(table)
    await asyncio.sleep(0)
    return actor


def any_move(actor: TableActor, name: str) -> Command:
    """A player makes the fallback move themselves."""
    seat = actor.table.seat_of(user_of(name))
    assert seat is not None
    game, state = actor.table.game, actor.table.state
    return Play(user=user_of(name), move=game.codec.encode_plain(game.fallback(game.view(state, seat))))


async def test_a_move_of_their_own_ends_the_row(room: Room) -> None:
    actor = await started(room, start_rated("Anna", "Ben"))
    assert actor.table.pending == [0, 1]
    await room.watch.go_on(1.5 * MINUTES)
    assert actor.table.overruns == {0: 1, 1: 1}
    await actor.carry_out(play_first("Anna", actor.table))
    assert actor.table.overruns == {0: 0, 1: 1}


async def test_endless_reconnects_lose_the_seat(room: Room) -> None:
    actor = await started(room, start_rated("Anna", "Ben", game="heap", sticks=60))
    back = Join(user=user_of("Anna"), name="Anna")
    for count in range(1, MOST_STALLS + 1):
        while actor.table.seats[0].human:
            if actor.table.pending == [1]:
                await actor.carry_out(any_move(actor, "Ben"))
            else:
                await room.watch.go_on(MINUTES)
        assert actor.table.stalls == {0: count}
        answer = await actor.queue_command(back)
        assert isinstance(answer, Refused) == (count == MOST_STALLS)
    assert isinstance(answer, Refused)
    assert answer.code == "not_allowed"


def test_a_clock_makes_moves_at_unrated_tables_for_ever() -> None:
    unrated = start_table("Anna", "Ben", clock=MINUTE, settings=TableSettings(rated=False))
    assert not unrated.rated
    assert not carry_out(unrated, Leave(user=user_of("Ben"))).departures[Seat(1)].excused


@pytest.mark.parametrize(
    ("clock", "fits"),
    [
        (TableClock(), False),
        (TableClock(move_ms=60_000), True),
        (TableClock(move_ms=4_999), False),
        (TableClock(move_ms=1_000, bank_ms=60_000), True),
        (TableClock(bank_ms=300_000, increment_ms=5_000), True),
        (TableClock(bank_ms=59_999), False),
        (TableClock(bank_ms=3_600_001), False),
        (TableClock(move_ms=300_001), False),
        (TableClock(bank_ms=60_000, increment_ms=300_001), False),
        (TableClock(increment_ms=10_000), False),
    ],
)
def test_only_games_with_a_sensible_clock_are_rated(clock: TableClock, fits: bool) -> None:
    table = start_table("Anna", "Ben", clock=clock)
    assert (table.rated, table.may_be_rated, table.counts_for_careers) == (fits, fits, True)


# --- leaving ------------------------------------------------------------------------------------------


async def test_leaving_while_another_owes_counts_as_staying(room: Room) -> None:
    actor = await started(room, start_rated("Anna", "Ben"))
    await actor.carry_out(play_first("Ben", actor.table))
    await room.watch.go_on(1.1 * MINUTES)  # the clock moves for Anna, who owes the next move as well
    await actor.carry_out(play_first("Ben", actor.table))
    await actor.carry_out(Leave(user=user_of("Ben")))
    assert left(actor) == [(1, "left", True)]
    await room.watch.go_on(3 * MINUTES)
    assert left(actor)[1:] == [(0, "stalled", False)]
    await room.watch.go_on(3 * MINUTES)
    assert actor.table.status == "finished"
    assert find_stayed_seats(actor.table) == {1}


def test_early_leaver_is_absent() -> None:
    assert not carry_out(start_rated("Anna", "Ben"), Leave(user=user_of("Ben"))).departures[Seat(1)].excused


def test_last_player_to_leave_counts_as_stayed() -> None:
    table = carry_out(start_rated("Anna", "Ben", "Cleo"), Leave(user=user_of("Cleo")), Leave(user=user_of("Anna")))
    assert [table.departures[Seat(seat)].excused for seat in (0, 2)] == [False, False]
    assert find_stayed_seats(carry_out(table, Leave(user=user_of("Ben")))) == {1}


def test_returning_player_is_present_again() -> None:
    table = carry_out(start_rated("Anna", "Ben"), Leave(user=user_of("Ben")), Leave(user=user_of("Anna")))
    back = carry_out(table, Join(user=user_of("Ben"), name="Ben"))
    assert find_stayed_seats(back) == {0, 1}


def test_rated_games_use_the_usual_bots() -> None:
    weak = TableSettings(absent_level="random")
    assert bot_level(start_rated("Anna", "Ben", settings=weak), Seat(0)) == USUAL
    assert bot_level(start_table("Anna", "Ben", settings=weak), Seat(0)) == "random"


# --- pauses -------------------------------------------------------------------------------------------


async def test_a_rated_game_is_not_paused_for_ever(room: Room) -> None:
    actor = await started(room, start_rated("Anna", "Ben"))
    await actor.carry_out(Pause(user=user_of("Anna")))
    await actor.carry_out(Pause(user=user_of("Ben")))
    await room.watch.go_on(10 * MINUTES)
    assert actor.table.paused
    await actor.carry_out(Resume(user=user_of("Ben")))
    for name in ("Anna", "Ben"):
        await actor.carry_out(Pause(user=user_of(name)))
    await room.watch.go_on(MOST_PAUSED_MS / 1000 - 10 * MINUTES - 1)
    assert actor.table.paused
    await room.watch.go_on(2)
    assert not actor.table.paused
    assert actor.table.recorded_events[-1].event == Resumed(seq=actor.table.seq, seat=0, reason="over")
    assert refusal_of(actor.table, Pause(user=user_of("Anna"))) == "too_many"


async def test_lone_player_cannot_delay_the_end(room: Room) -> None:
    actor = await started(room, start_rated("Anna", "Ben"))
    await actor.carry_out(Leave(user=user_of("Ben")))
    await actor.carry_out(Pause(user=user_of("Anna")))
    assert actor.table.paused
    await room.watch.go_on(MOST_PAUSED_MS / 1000 + 5 * MINUTES)
    assert actor.table.status == "finished"


def test_other_games_are_paused_as_long_as_players_like() -> None:
    table = carry_out(start_table("Anna", "Ben"), Pause(user=user_of("Anna")), Pause(user=user_of("Ben")))
    assert table.paused
    assert table.pause_ends_ms is None
