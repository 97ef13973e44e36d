"""Automatic starts: when all seats are taken, all players are ready, or they have waited long enough."""

import pytest
from msgspec.structs import replace

from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import AutoStart, Start
from scoville_server.tables.model.table import Table
from scoville_shared.protocol.messages import CountdownCancelled, CountdownStarted, ReadyChanged, TableSettings
from tests.support.tables import (
    NOON,
    carry_out,
    join_as,
    latest_event,
    open_table,
    records_of,
    refusal_of,
    start_table,
    user_of,
)

FULL = TableSettings(start="full", countdown_ms=5000)
READY = TableSettings(start="ready", countdown_ms=5000)
FILL = TableSettings(fill_ms=30_000)


def ready(name: str, ready: bool = True) -> Ready:
    return Ready(user=user_of(name), ready=ready)


def begins_in(table: Table) -> float | None:
    """The automatic start in seconds after noon."""
    return None if table.next_start_ms is None else (table.next_start_ms - NOON) / 1000


def started(table: Table, seconds: float) -> bool:
    return carry_out(table, AutoStart(), seconds=seconds).status == "playing"


def test_a_host_starts_the_game_unless_something_else_was_agreed() -> None:
    table = carry_out(open_table(2), join_as("Anna"), join_as("Ben"), ready("Anna"), ready("Ben"))
    assert begins_in(table) is None
    assert carry_out(table, AutoStart()) is table


def test_a_full_table_counts_down_and_starts() -> None:
    table = carry_out(open_table(2, settings=FULL), join_as("Anna"))
    assert begins_in(table) is None
    table = carry_out(table, join_as("Ben"), seconds=10)
    assert (begins_in(table), latest_event(table)) == (
        15,
        CountdownStarted(seq=table.seq, starts_in_ms=5_000, reason="full"),
    )
    assert not started(table, 14.9)
    assert started(table, 15)


def test_a_player_who_leaves_breaks_the_countdown_off() -> None:
    table = carry_out(open_table(2, settings=FULL), join_as("Anna"), join_as("Ben"), Leave(user=user_of("Ben")))
    assert (begins_in(table), latest_event(table)) == (None, CountdownCancelled(seq=table.seq))
    assert not started(table, 100)
    assert begins_in(carry_out(table, join_as("Cleo"), seconds=60)) == 65


def test_readiness_is_said_and_taken_back() -> None:
    table = carry_out(open_table(), join_as("Anna"), ready("Anna"))
    assert (table.ready, latest_event(table)) == ({0}, ReadyChanged(seq=table.seq, seat=0, ready=True))
    assert carry_out(table, ready("Anna")) is table
    table = carry_out(table, ready("Anna", False))
    assert (table.ready, latest_event(table)) == (frozenset(), ReadyChanged(seq=table.seq, seat=0, ready=False))
    assert refusal_of(table, ready("Zoe")) == "not_seated"
    assert refusal_of(start_table("Anna", "Ben"), ready("Anna")) == "already_started"


def test_readiness_starts_the_game_with_bots() -> None:
    table = carry_out(
        open_table(3, settings=replace(READY, bot_level="easy")), join_as("Anna"), join_as("Ben"), ready("Anna")
    )
    assert begins_in(table) is None
    table = carry_out(table, ready("Ben"), seconds=3)
    assert (begins_in(table), latest_event(table)) == (
        8,
        CountdownStarted(seq=table.seq, starts_in_ms=5_000, reason="ready"),
    )
    begun = carry_out(table, AutoStart(), seconds=8)
    assert [seat_state.info.kind for seat_state in begun.seats] == ["human", "human", "bot"]
    assert (begun.strength, begun.ready, begun.countdown) == ("easy", frozenset(), None)


def test_newcomers_are_unready_and_delay_the_start() -> None:
    table = carry_out(open_table(3, settings=READY), join_as("Anna"), ready("Anna"))
    assert begins_in(table) == 5
    table = carry_out(table, join_as("Ben"))
    assert begins_in(table) is None
    assert begins_in(carry_out(table, ready("Ben"), ready("Anna", False))) is None
    table = carry_out(table, Kick(user=user_of("Anna"), whom=user_of("Ben"), name="Ben"), seconds=20)
    assert begins_in(table) == 25


def test_readiness_goes_with_the_user_not_with_the_seat() -> None:
    table = carry_out(
        open_table(3, settings=READY), join_as("Anna"), join_as("Ben"), ready("Ben"), Leave(user=user_of("Ben"))
    )
    assert carry_out(table, join_as("Cleo", seat=1)).ready == frozenset()


def test_bots_fill_a_long_waiting_table() -> None:
    table = carry_out(open_table(3, settings=FILL), join_as("Anna"), seconds=10)
    assert (begins_in(table), latest_event(table)) == (
        40,
        CountdownStarted(seq=table.seq, starts_in_ms=30_000, reason="fill"),
    )
    table = carry_out(table, join_as("Ben"), Leave(user=user_of("Anna")), seconds=20)
    assert begins_in(table) == 40, "Ben has waited since then, together with Anna"
    assert carry_out(table, AutoStart(), seconds=40).names[1] == "Ben"
    assert begins_in(carry_out(table, Leave(user=user_of("Ben")), join_as("Cleo"), seconds=30)) == 60


def test_of_two_countdowns_the_one_that_is_over_first_counts() -> None:
    settings = TableSettings(start="full", countdown_ms=5000, fill_ms=30_000)
    table = carry_out(open_table(2, settings=settings), join_as("Anna"))
    full = carry_out(table, join_as("Ben"), seconds=10)
    assert (begins_in(full), latest_event(full)) == (
        15,
        CountdownStarted(seq=full.seq, starts_in_ms=5_000, reason="full"),
    )
    broken = carry_out(full, Leave(user=user_of("Ben")), seconds=12)
    assert (begins_in(broken), latest_event(broken)) == (
        30,
        CountdownStarted(seq=broken.seq, starts_in_ms=18_000, reason="fill"),
    )
    assert begins_in(carry_out(table, join_as("Ben"), seconds=28)) == 30


def test_no_time_to_count_down_is_at_once() -> None:
    table = carry_out(
        open_table(2, settings=TableSettings(start="full", countdown_ms=0)), join_as("Anna"), join_as("Ben"), seconds=7
    )
    assert begins_in(table) == 7
    assert started(table, 7)


def test_a_host_need_not_wait_for_the_countdown() -> None:
    table = carry_out(
        open_table(2, settings=FULL), join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random")
    )
    assert (table.status, table.countdown) == ("playing", None)
    assert carry_out(table, AutoStart(), seconds=100) is table


@pytest.mark.parametrize(("settings", "users", "seconds"), [(FULL, 2, 5), (FILL, 1, 30), (READY, 1, 5)])
def test_when_the_server_is_back_the_countdown_begins_anew(settings: TableSettings, users: int, seconds: int) -> None:
    table = carry_out(open_table(2, settings=settings), *map(join_as, ["Anna", "Ben"][:users]))
    if settings is READY:
        table = carry_out(table, ready("Anna"))
    assert begins_in(table) == seconds
    back = carry_out(table, Restart(), seconds=3600)
    assert begins_in(back) == 3600 + seconds
    event = latest_event(back)
    assert isinstance(event, CountdownStarted)
    assert event.starts_in_ms == 1_000 * seconds


def test_where_nothing_counts_down_the_servers_return_is_no_record() -> None:
    assert records_of(carry_out(open_table(2, settings=FULL), join_as("Anna")), Restart(), NOON) == ()


def test_a_closed_table_does_not_start() -> None:
    table = carry_out(open_table(2, settings=FULL), join_as("Anna"), join_as("Ben"), Close(reason="Enough."))
    assert not table.has_timers
    assert refusal_of(table, AutoStart()) == "unknown_table"
