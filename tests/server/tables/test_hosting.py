"""Actions among players: ready, invite, kick, transfer the host."""

import pytest

from scoville_server.limits.budgets import InvitationLimits
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    CreateRequest,
    IgnoreRequest,
    InvitedNotice,
    InviteRequest,
    JoinRequest,
    Kicked,
    KickRequest,
    LeaveRequest,
    Left,
    ListTablesRequest,
    ReadyRequest,
    Started,
    StartRequest,
    TableSettingsParams,
    TransferHostRequest,
    WatchRequest,
)
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import Caller, toy_server, until


def invitations(caller: Caller) -> list[InvitedNotice]:
    return [notice for notice in caller.peer.heard if isinstance(notice, InvitedNotice)]


async def private(host: Caller) -> str:
    reply = await host.call(CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(private=True)))
    table: str = reply.info.table
    await host.call(JoinRequest(table=table))
    return table


async def test_when_all_are_ready_the_game_begins_by_itself(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    settings = TableSettingsParams(start="ready", countdown_ms=0)
    table = (await anna.call(CreateRequest(game="heap", seat_count=2, settings=settings))).info.table
    for user in (anna, ben):
        await user.call(JoinRequest(table=table))
    await ben.call(WatchRequest(table=table))
    await anna.call(ReadyRequest(table=table))
    assert (await ben.call(ListTablesRequest())).tables[0].ready_seats == [0]
    await ben.call(ReadyRequest(table=table))
    await until(lambda: any(isinstance(notice.event, Started) for notice in ben.peer.events))


async def test_an_invitation_opens_the_door_and_says_who_invites(server: Server) -> None:
    anna, ben, zoe = [await connect_user(server, name) for name in ("Anna", "Ben", "Zoe")]
    table = await private(anna)
    assert await code_of(zoe, InviteRequest(table=table, name="Zoe")) == "unknown_table"
    await anna.call(InviteRequest(table=table, name="ben"))
    (notice,) = invitations(ben)
    assert (notice.by, notice.info.table) == ("Anna", table)
    assert notice.info.code
    await ben.call(JoinRequest(table=table))
    assert await code_of(anna, InviteRequest(table=table, name="Nobody")) == "unknown_user"


async def test_invitations_of_ignored_users_stay_silent(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    await ben.call(IgnoreRequest(name="Anna"))
    await anna.call(InviteRequest(table=await private(anna), name="Ben"))
    assert invitations(ben) == []


async def test_invitations_have_a_pace() -> None:
    server = toy_server(Settings(invitations=InvitationLimits(sent=1)))
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    table = await private(anna)
    await anna.call(InviteRequest(table=table, name="Ben"))
    assert await code_of(anna, InviteRequest(table=table, name="Ben")) == "slow_down"
    assert len(invitations(ben)) == 1
    await server.close()


async def test_a_kick_is_final_and_shows_its_reason(server: Server) -> None:
    table, (anna, ben, cleo) = await seat_users(server, "Anna", "Ben", "Cleo")
    await cleo.call(WatchRequest(table=table))
    assert await code_of(ben, KickRequest(table=table, name="Cleo")) == "not_host"
    await anna.call(KickRequest(table=table, name="BEN", reason="never comes"))
    event = cleo.peer.events[-1].event
    assert isinstance(event, Kicked)
    assert (event.seat, event.name, event.reason) == (1, "Ben", "never comes")
    assert await code_of(ben, JoinRequest(table=table)) == "kicked"


async def test_a_spectator_can_be_kicked_and_who_is_elsewhere_cannot(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    zoe = await connect_user(server, "Zoe")
    assert await code_of(anna, KickRequest(table=table, name="Zoe")) == "unknown_user"
    assert await code_of(anna, KickRequest(table=table, name="Nobody")) == "unknown_user"
    await zoe.call(WatchRequest(table=table))
    await anna.call(KickRequest(table=table, name="Zoe"))
    assert await code_of(zoe, WatchRequest(table=table)) == "kicked"


async def test_the_host_can_be_somebody_else(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(TransferHostRequest(table=table, seat=1))
    assert await code_of(anna, StartRequest(table=table)) == "not_host"
    await ben.call(StartRequest(table=table))


async def test_leavers_stay_away_and_absent_players_return() -> None:
    server = toy_server(Settings(grace_seconds=0.001))
    table, (anna, ben, cleo) = await seat_users(server, "Anna", "Ben", "Cleo")
    await anna.call(StartRequest(table=table))
    await cleo.call(WatchRequest(table=table))
    await anna.call(LeaveRequest(table=table))
    anna.hang_up()
    ben.hang_up()

    def left() -> dict[str, str]:
        events = [notice.event for notice in cleo.peer.events]
        return {event.name: event.reason for event in events if isinstance(event, Left)}

    await until(lambda: left() == {"Anna": "left", "Ben": "absent"})
    for user in (anna, ben):
        await connect_user(server, token=user.welcome.token)
    await until(lambda: type(cleo.peer.events[-1].event).__name__ == "Joined")
    (info,) = (await cleo.call(ListTablesRequest())).tables
    assert [seat.kind for seat in info.seats] == ["bot", "human", "human"]
    await server.close()


@pytest.mark.parametrize(
    "params", [ReadyRequest(table="x"), KickRequest(table="x", name="Ben"), TransferHostRequest(table="x", seat=0)]
)
async def test_a_table_that_is_not_there_is_reported(server: Server, params: object) -> None:
    assert await code_of(await connect_user(server), params) == "unknown_table"


async def test_nobody_fidgets_without_an_end() -> None:
    server = toy_server(Settings(table_actions=5))
    await server.start()
    table, [anna, ben] = await seat_users(server, "Anna", "Ben")
    for number in range(4):
        await anna.call(ReadyRequest(table=table, ready=number % 2 == 0))
    for params in (
        ReadyRequest(table=table),
        TransferHostRequest(table=table, seat=1),
        LeaveRequest(table=table),
        JoinRequest(table=table),
    ):
        assert await code_of(anna, params) == "slow_down"
    await ben.call(ReadyRequest(table=table))
    await anna.call(StartRequest(table=table))
    await server.close()
