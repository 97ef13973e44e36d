"""Games without connected players: paused, then played by bots, and closed only after a long time."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actor import TableActor
from scoville_shared.protocol.messages import (
    ClockParams,
    Closed,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    ListTablesRequest,
    MovesRequest,
    PlayRequest,
    StartRequest,
    WatchRequest,
)
from tests.server.conftest import Start
from tests.support.core import connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server, until

USUAL = Settings(grace_seconds=60, deserted_seconds=3600, tables_hosted=3)


class Timer:
    """An event that a test triggers."""

    def __init__(self, seconds: float, do: Callable[[], None]) -> None:
        self.seconds, self.do, self.cancelled = seconds, do, False

    def cancel(self) -> None:
        self.cancelled = True


class Waits:
    """The timers of a server, which a test triggers."""

    def __init__(self, server: Server) -> None:
        self._timers: list[Timer] = []
        core_of(server).deserted._call_later = self._later

    def _later(self, seconds: float, do: Callable[[], None]) -> Any:
        self._timers.append(Timer(seconds, do))
        return self._timers[-1]

    @property
    def seconds(self) -> list[float]:
        return [timer.seconds for timer in self._timers if not timer.cancelled]

    def end(self, seconds: float) -> None:
        """Trigger the timers of some seconds."""
        for timer in [timer for timer in self._timers if not timer.cancelled and timer.seconds == seconds]:
            timer.cancelled = True
            timer.do()


def actor_of(server: Server, table: str) -> TableActor:
    return core_of(server).tables.find_table(table)


async def with_bots(server: Server, absence_ms: int | UnsetType | None = UNSET) -> tuple[str, Caller]:
    """Let Anna play against bots."""
    anna = await connect_user(server, "Anna")
    params = CreateRequest(game="heap", seat_count=2, clock=ClockParams(absence_ms=absence_ms))
    table: str = (await anna.call(params)).info.table
    await anna.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    return table, anna


async def turns() -> None:
    for _ in range(100):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("absence_ms", "seconds"), [(UNSET, 60), (7_000, 7)])
async def test_a_game_left_by_its_only_player_waits(absence_ms: int | UnsetType, seconds: float) -> None:
    server = toy_server(USUAL)
    waits = Waits(server)
    table, anna = await with_bots(server, absence_ms)
    await until(lambda: actor_of(server, table).table.pending == [0])
    moves = len(actor_of(server, table).table.moves)
    await anna.call(LeaveRequest(table=table))
    await turns()
    assert waits.seconds == [seconds, 3600]
    assert len(actor_of(server, table).table.moves) == moves
    (listed,) = (await anna.call(ListTablesRequest())).tables
    assert (listed.status, listed.paused, listed.your_seat) == ("playing", True, 0)
    await anna.call(JoinRequest(table=table))
    assert waits.seconds == []
    assert not actor_of(server, table).table.paused
    await server.close()


async def test_then_bots_finish_it_and_the_result_waits() -> None:
    server = toy_server(USUAL)
    waits = Waits(server)
    table, anna = await with_bots(server)
    await anna.call(LeaveRequest(table=table))
    waits.end(60)
    await until(lambda: actor_of(server, table).table.status == "finished")
    await turns()
    assert waits.seconds == []
    assert [info.status for info in (await anna.call(ListTablesRequest())).tables] == ["finished"]
    await anna.call(JoinRequest(table=table))
    shot = await anna.call(WatchRequest(table=table))
    assert (shot.seat, shot.info.status) == (0, "finished")
    await anna.call(LeaveRequest(table=table))
    await until(lambda: table not in core_of(server).tables)
    await server.close()


async def test_player_away_too_long_finds_the_result() -> None:
    server = toy_server(USUAL)
    Waits(server)
    table, anna = await with_bots(server)
    anna.hang_up()
    user = core_of(server).sessions.find_by_name("Anna")
    assert user is not None
    seating, number = core_of(server).seating, actor_of(server, table).table.id
    seating.hand_seat_to_bot(user, number, seating.absences.end_absence(user, number))
    await until(lambda: actor_of(server, table).table.status == "finished")
    await turns()
    assert anna.welcome is not None
    back = await connect_user(server, "Anna", anna.welcome.token)
    (listed,) = (await back.call(ListTablesRequest())).tables
    assert (listed.status, listed.your_seat) == ("finished", 0)
    await server.close()


async def test_the_first_leaver_finds_the_result() -> None:
    server = toy_server(USUAL)
    table, (anna, ben) = await seat_users(server, "Anna", "Ben", game="heap")
    await anna.call(StartRequest(table=table))
    await anna.call(LeaveRequest(table=table))
    actor = actor_of(server, table)
    while actor.table.status == "playing":
        await until(lambda: actor.table.pending == [1] or actor.table.status == "finished")
        await play_one(ben, table)
    await ben.call(LeaveRequest(table=table))
    await turns()
    assert [info.status for info in (await anna.call(ListTablesRequest())).tables] == ["finished"]
    await server.close()


async def play_one(caller: Caller, table: str) -> None:
    moves = (await caller.call(MovesRequest(table=table))).moves
    if moves:
        await caller.call(PlayRequest(table=table, move=moves[0]))


@pytest.mark.parametrize("how", ["leaves", "is disconnected"])
async def test_an_endless_seat_is_bounded_without_connections(how: str) -> None:
    server = toy_server(USUAL)
    waits = Waits(server)
    table, anna = await with_bots(server, absence_ms=None)
    zoe = await connect_user(server, "Zoe")
    await zoe.call(WatchRequest(table=table))
    if how == "leaves":
        await anna.call(LeaveRequest(table=table))
    else:
        anna.hang_up()
    await turns()
    assert waits.seconds == [3600]
    waits.end(3600)
    await until(lambda: table not in core_of(server).tables)
    assert isinstance(zoe.peer.events[-1].event, Closed)
    await server.close()


async def test_the_bound_counts_from_when_the_last_one_is_disconnected() -> None:
    server = toy_server(USUAL)
    waits = Waits(server)
    table, (anna, ben) = await seat_users(server, "Anna", "Ben", game="heap")
    await anna.call(StartRequest(table=table))
    anna.hang_up()
    assert waits.seconds == []
    ben.hang_up()
    assert waits.seconds == [3600]
    assert ben.welcome is not None
    await connect_user(server, "Ben", ben.welcome.token)
    assert waits.seconds == []
    await server.close()


async def test_after_a_restart_a_game_waits_anew(start: Start) -> None:
    server = await start(grace_seconds=60)
    table, anna = await with_bots(server)
    await anna.call(LeaveRequest(table=table))
    again = await start(server, grace_seconds=60)
    await turns()
    assert actor_of(again, table).table.deserted
    assert [wait[1] for wait in core_of(again).deserted._timers] == ["seat", "anybody"]


async def test_left_games_make_way_for_their_users_new_ones() -> None:
    server = toy_server(USUAL)
    waits = Waits(server)
    anna = await connect_user(server, "Anna")
    for _ in range(USUAL.tables_hosted + 2):
        table: str = (await anna.call(CreateRequest(game="heap", seat_count=2))).info.table
        await anna.call(JoinRequest(table=table))
        await anna.call(StartRequest(table=table))
        await anna.call(LeaveRequest(table=table))
        waits.end(60)
        await until(lambda: core_of(server).tables.all_tables()[-1].table.status == "finished")
    assert len(core_of(server).tables.all_tables()) == USUAL.tables_hosted
    await server.close()
