"""Idle tables: the host is replaced, then the table is closed; only actions of users count."""

import pytest

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.server import Server
from scoville_server.services import Services
from scoville_server.settings.model import Settings
from scoville_server.tables.actor import TableActor
from scoville_shared.protocol.messages import (
    AnnouncedNotice,
    Closed,
    CreateRequest,
    HostTransferred,
    JoinRequest,
    MovesRequest,
    PlayRequest,
    ReadyRequest,
    RematchRequest,
    StartRequest,
    TransferHostRequest,
    WatchRequest,
)
from tests.server.conftest import Start
from tests.support.core import connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server, until

IDLE = Settings(unseated_seconds=600, host_idle_seconds=300, idle_seconds=1800, finished_seconds=900)


class Hours:
    """A table's manual clock: advancing it triggers due timers."""

    def __init__(self, core: Services, actor: TableActor) -> None:
        self.ms = actor.now()
        self._idle_timeouts = core.idle_timeouts
        actor.now = lambda: self.ms

    def pass_by(self, seconds: float, *actors: TableActor) -> None:
        self.ms += round(seconds * 1000)
        for actor in actors:
            timer = self._idle_timeouts._timers.get(actor.table.id)
            if timer is not None:
                timer.cancel()
                self._idle_timeouts._do_due_acts(actor)


def actor_of(server: Server, table: str) -> TableActor:
    return core_of(server).tables.find_table(table)


def timed(server: Server, actor: TableActor) -> Hours:
    """Stop a table's clock."""
    return Hours(core_of(server), actor)


def kinds(caller: Caller) -> list[type]:
    return [type(notice.event) for notice in caller.peer.events]


def warnings(caller: Caller) -> list[str]:
    return [notice.text for notice in caller.peer.heard if isinstance(notice, AnnouncedNotice)]


async def test_an_idle_host_is_replaced_and_then_the_table_closed() -> None:
    server = toy_server(IDLE)
    table, (anna, ben, cleo) = await seat_users(server, "Anna", "Ben", "Cleo")
    actor = actor_of(server, table)
    hours = timed(server, actor)
    ben.hang_up()
    await cleo.call(WatchRequest(table=table))
    hours.pass_by(299, actor)
    assert cleo.peer.events == []
    hours.pass_by(2, actor)
    await until(lambda: HostTransferred in kinds(cleo))
    event = cleo.peer.events[-1].event
    assert (event.host, event.reason) == (2, "idle")
    hours.pass_by(1441, actor)
    assert warnings(cleo) == ["Your table of High Card closes in 58 seconds unless a player does something."]
    assert warnings(anna) == warnings(cleo)
    assert Closed not in kinds(cleo)
    hours.pass_by(60, actor)
    await until(lambda: Closed in kinds(cleo))
    await until(lambda: core_of(server).tables.all_tables() == [])
    assert core_of(server).idle_timeouts._timers == core_of(server).idle_timeouts._seen == {}
    await server.close()


async def test_only_getting_ready_refreshes_the_idle_clock() -> None:
    server = toy_server(IDLE)
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    actor = actor_of(server, table)
    hours = timed(server, actor)
    hours.pass_by(200, actor)
    await anna.call(ReadyRequest(table=table))
    hours.pass_by(200, actor)
    assert actor.table.host == 0
    hours.pass_by(101, actor)
    await until(lambda: actor.table.host == 1)
    await (await connect_user(server, "Cleo")).call(JoinRequest(table=(await anna.create())))
    for _ in range(2):
        hours.pass_by(1000, actor)
    await until(lambda: actor.table.closed is not None)
    assert ben.peer.events == []
    await server.close()


@pytest.mark.parametrize("by", ["chat", "ready"])
async def test_opener_returns_as_host_by_acting(by: str) -> None:
    server = toy_server(IDLE)
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    actor, core = actor_of(server, table), core_of(server)
    hours = timed(server, actor)
    hours.pass_by(301, actor)
    await until(lambda: actor.table.host == 1)
    core.idle_timeouts.note_activity(actor, actor.table.seats[1].user)
    assert actor.table.host == 1
    if by == "chat":
        core.idle_timeouts.note_activity(actor, actor.table.seats[0].user)
    else:
        await anna.call(ReadyRequest(table=table))
    await until(lambda: actor.table.host == 0)
    await ben.call(WatchRequest(table=table))
    await anna.call(TransferHostRequest(table=table, seat=1))
    await until(lambda: actor.table.host == 1)
    core.idle_timeouts.note_activity(actor, actor.table.seats[0].user)
    assert actor.table.host == 1, "what was given away is not taken back"
    await server.close()


async def test_opener_whom_nobody_could_replace_takes_nothing_back() -> None:
    server = toy_server(IDLE)
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    actor, core = actor_of(server, table), core_of(server)
    hours = timed(server, actor)
    ben.hang_up()
    hours.pass_by(301, actor)
    await core.background.finish_tasks()
    assert actor.table.host == 0, "nobody is there to take over"
    await anna.call(TransferHostRequest(table=table, seat=1))
    core.idle_timeouts.note_activity(actor, actor.table.seats[0].user)
    assert core.idle_timeouts._replaced == set()
    await anna.call(ReadyRequest(table=table))
    await core.background.finish_tasks()
    assert actor.table.host == 1
    await server.close()


async def test_opener_takes_nothing_back_that_others_have_given() -> None:
    server = toy_server(IDLE)
    table, (anna, ben, _) = await seat_users(server, "Anna", "Ben", "Cleo")
    actor, core = actor_of(server, table), core_of(server)
    hours = timed(server, actor)
    hours.pass_by(301, actor)
    await until(lambda: actor.table.host == 1)
    await ben.call(TransferHostRequest(table=table, seat=0))
    await anna.call(TransferHostRequest(table=table, seat=2))
    core.idle_timeouts.note_activity(actor, actor.table.seats[0].user)
    await anna.call(ReadyRequest(table=table))
    await core.background.finish_tasks()
    assert actor.table.host == 2
    await server.close()


async def test_opener_returns_although_the_next_host_was_idle_too() -> None:
    server = toy_server(IDLE)
    table, _ = await seat_users(server, "Anna", "Ben", "Cleo")
    actor, core = actor_of(server, table), core_of(server)
    hours = timed(server, actor)
    for host in (1, 2):
        hours.pass_by(301, actor)
        await until(lambda host=host: actor.table.host == host)
    core.idle_timeouts.note_activity(actor, actor.table.seats[0].user)
    await until(lambda: actor.table.host == 0)
    await server.close()


async def test_talk_is_doing_something() -> None:
    server = toy_server(IDLE)
    table, _ = await seat_users(server, "Anna", "Ben")
    actor, core = actor_of(server, table), core_of(server)
    hours = timed(server, actor)
    host = actor.table.seats[0].user
    assert host is not None
    for _ in range(20):
        hours.pass_by(290, actor)
        core.idle_timeouts.note_activity(actor, host)
    assert (actor.table.host, actor.table.closed) == (0, None)
    await server.close()


async def test_off_is_off() -> None:
    server = toy_server(Settings(host_idle_seconds=0, idle_seconds=0, finished_seconds=0))
    table, _ = await seat_users(server, "Anna", "Ben")
    assert core_of(server).idle_timeouts._timers == {}
    assert actor_of(server, table).table.closed is None
    await server.close()


async def test_running_games_stay_and_finished_ones_linger() -> None:
    server = toy_server(IDLE)
    table, users = await seat_users(server, "Anna", "Ben")
    actor = actor_of(server, table)
    hours = timed(server, actor)
    await users[0].call(StartRequest(table=table))
    assert core_of(server).idle_timeouts._timers == {}
    while actor.table.status == "playing":
        user = users[actor.table.pending[0]]
        moves = (await user.call(MovesRequest(table=table))).moves
        await user.call(PlayRequest(table=table, move=moves[0]))
    hours.pass_by(839, actor)
    assert warnings(users[0]) == []
    hours.pass_by(2, actor)
    assert len(warnings(users[0])) == 1
    hours.pass_by(60, actor)
    await until(lambda: core_of(server).tables.all_tables() == [])
    await server.close()


async def test_a_table_left_for_a_rematch_closes_soon() -> None:
    server = toy_server(IDLE)
    table, users = await seat_users(server, "Anna", "Ben")
    actor = actor_of(server, table)
    hours = timed(server, actor)
    await users[0].call(StartRequest(table=table))
    while actor.table.status == "playing":
        user = users[actor.table.pending[0]]
        moves = (await user.call(MovesRequest(table=table))).moves
        await user.call(PlayRequest(table=table, move=moves[0]))
    following = (await users[0].call(RematchRequest(table=table))).info.table
    hours.pass_by(61, actor)
    await until(lambda: [actor.table.id for actor in core_of(server).tables.all_tables()] == [following])
    await server.close()


async def test_a_new_table_waits_for_its_first_player(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    actor = actor_of(server, (await anna.call(CreateRequest(game="heap", seat_count=2))).info.table)
    hours = timed(server, actor)
    hours.pass_by(599, actor)
    assert core_of(server).tables.all_tables() == [actor]
    hours.pass_by(2, actor)
    assert core_of(server).tables.all_tables() == []


async def test_downtime_counts_for_nobody(start: Start) -> None:
    server = await start()
    table, _ = await seat_users(server, "Anna", "Ben")
    await core_of(server).background.finish_tasks()
    later = SYSTEM.date_ms() + 10_000_000
    again = await start(server, clock=Clock(lambda: later, lambda: 0.0))
    core = core_of(again)
    assert [due.at_ms - later for due in core.idle_timeouts._list_dues(actor_of(again, table).table)] == [
        300_000,
        1_740_000,
        1_800_000,
    ]
