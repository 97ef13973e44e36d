"""Users who come back: since when they were away, what they were invited to, and how long a turn still waits."""

from pathlib import Path

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.clock import START_MS, FakeClock
from tests.support.core import connect_user, seat_users
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_server

HOUR = 3_600


def away_since(user: Caller) -> int | None:
    assert user.welcome is not None
    return user.welcome.away_since_ms


def token_of(user: Caller) -> str:
    assert user.welcome is not None
    return user.welcome.token


async def test_an_absence_begins_when_the_connection_ends() -> None:
    clock = FakeClock()
    server = toy_server(clock=clock.server)
    await server.start()
    anna = await connect_user(server, "Anna")
    assert away_since(anna) is None
    clock.advance(2 * HOUR)
    anna.hang_up()
    clock.advance(3 * HOUR)
    again = await connect_user(server, token=token_of(anna))
    assert away_since(again) == START_MS + 2 * HOUR * 1000
    other = await connect_user(server, token=token_of(again))
    assert away_since(other) is None, "they were still connected"
    await server.close()


async def invite(host: Caller, table: str, name: str) -> None:
    await host.call(m.InviteRequest(table=table, name=name))


def invitations(user: Caller) -> list[tuple[str, str]]:
    return [(each.info.table, each.by) for each in user.peer.heard if isinstance(each, m.InvitedNotice)]


@pytest.mark.parametrize("still_open", [True, False])
async def test_a_missed_invitation_waits_for_the_guest(server: Server, still_open: bool) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    table = await anna.create()
    await anna.call(m.JoinRequest(table=table))
    ben.hang_up()
    await invite(anna, table, "Ben")
    if not still_open:
        await anna.call(m.StartRequest(table=table))
    again = await connect_user(server, token=token_of(ben))
    await core_of(server).background.finish_tasks()
    assert invitations(again) == [(table, "Anna")] * still_open
    again.hang_up()
    once_more = await connect_user(server, token=token_of(again))
    await core_of(server).background.finish_tasks()
    assert invitations(once_more) == [], "it is sent once"


async def test_missed_invitations_are_bounded(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.tables.invitations.MOST_MISSED", 2)
    ben = await connect_user(server, "Ben")
    ben.hang_up()
    tables = []
    for name in ("Anna", "Zoe", "Max"):
        host = await connect_user(server, name)
        tables.append(await host.create())
        await host.call(m.JoinRequest(table=tables[-1]))
        await invite(host, tables[-1], "Ben")
    again = await connect_user(server, token=token_of(ben))
    await core_of(server).background.finish_tasks()
    assert invitations(again) == [(tables[1], "Zoe"), (tables[2], "Max")]


async def test_lists_say_how_long_an_own_turn_waits() -> None:
    clock = FakeClock()
    server = toy_server(clock=clock.server)
    await server.start()
    anna = await connect_user(server, "Anna")
    reply = await anna.call(m.CreateRequest(game="high_card", seat_count=2, clock=m.ClockParams(move_ms=60_000)))
    table = reply.info.table
    await anna.call(m.JoinRequest(table=table))

    async def left() -> int | None:
        [info] = (await anna.call(m.ListTablesRequest())).tables
        found: int | None = info.turn_left_ms
        return found

    assert await left() is None
    await anna.call(m.StartRequest(table=table))
    clock.advance(20)
    assert await left() == 40_000
    await server.close()


async def test_without_a_clock_a_turn_waits_for_ever(server: Server) -> None:
    table, [anna, _] = await seat_users(server, "Anna", "Ben")
    await anna.call(m.StartRequest(table=table))
    [info] = (await anna.call(m.ListTablesRequest())).tables
    assert (info.your_turn, info.turn_left_ms) == (True, None)


async def test_a_missed_invitation_outlives_a_restart(tmp_path: Path) -> None:
    settings = Settings(accounts=CHEAP_HASHING, data=tmp_path)
    server = toy_server(settings)
    await server.start()
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    own, table = await ben.create(), await anna.create()
    for user, seat in ((ben, own), (anna, table)):  # users with a seat are known after a restart
        await user.call(m.JoinRequest(table=seat))
    ben.hang_up()
    await invite(anna, table, "Ben")
    await server.close()
    server = toy_server(settings)
    await server.start()
    again = await connect_user(server, token=token_of(ben))
    await core_of(server).background.finish_tasks()
    assert invitations(again) == [(table, "Anna")]
    again.hang_up()
    await server.close()
    server = toy_server(settings)
    await server.start()
    once_more = await connect_user(server, token=token_of(again))
    await core_of(server).background.finish_tasks()
    assert invitations(once_more) == [], "it is sent once"
    await server.close()
