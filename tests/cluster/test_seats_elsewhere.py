"""Seats at tables of other nodes: they keep users, their names and their accounts as those of their own node do."""

import asyncio

from scoville_server.lobby.digests import DIGEST_SECONDS
from scoville_server.moderation.maintenance import MaintenanceOn
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.cluster.several import SeveralServers
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time

SHOWN_SECONDS = DIGEST_SECONDS + 1


async def opened_table(servers: SeveralServers) -> str:
    table = await (await servers.come("Ben", "b")).create("high_card", 3)
    assert table in servers.core("b").tables
    await asyncio.sleep(SHOWN_SECONDS)
    return table


@in_virtual_time
async def test_guest_with_a_seat_at_another_node_is_kept_with_their_name() -> None:
    servers = SeveralServers("abc")
    await servers.start()
    table = await opened_table(servers)
    emil = await Caller(servers.servers["c"]).hello("Emil")
    await emil.call(m.JoinRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    emil.hang_up()
    await asyncio.sleep(1)
    assert emil.welcome is not None
    for node in "abc":
        sessions = servers.core(node).sessions
        assert sessions._idle_guest(sessions.known_user("Emil").id) is None, "he would lose his seat"
    for node in "ca":
        emil = await Caller(servers.servers[node]).hello("Max", emil.welcome.token)
        assert emil.welcome is not None
        assert (emil.welcome.resumed, emil.welcome.name) == (True, "Emil")
        emil.hang_up()
        other = await Caller(servers.servers[node]).hello("Emil")
        assert other.welcome is not None
        assert other.welcome.name != "Emil"
        other.hang_up()
    emil = await Caller(servers.servers["a"]).hello("", emil.welcome.token)
    await emil.call(m.LeaveRequest(table=table))
    assert emil.welcome is not None
    emil = await Caller(servers.servers["a"]).hello("Max", emil.welcome.token)
    assert emil.welcome is not None
    assert emil.welcome.name == "Max"


@in_virtual_time
async def test_seat_counts_from_the_answer_on() -> None:
    servers = SeveralServers("ab")
    await servers.start()
    table = await opened_table(servers)
    anna = await servers.come("Anna", "a")
    await anna.call(m.JoinRequest(table=table))
    assert await outcome_of(anna.call(m.LogoutRequest())) == "seated"
    assert await outcome_of(anna.call(m.DeleteAccountRequest())) == "seated"
    await asyncio.sleep(SHOWN_SECONDS)
    assert await outcome_of(anna.call(m.DeleteAccountRequest())) == "seated"
    await anna.call(m.LeaveRequest(table=table))
    assert await outcome_of(anna.call(m.DeleteAccountRequest())) == "ok"


@in_virtual_time
async def test_seat_that_a_quick_match_gives_counts_at_once() -> None:
    servers = SeveralServers("ab")
    await servers.start()
    ben = await servers.come("Ben", "b")
    table = (await ben.call(m.QuickMatchRequest(game="heap"))).info.table
    assert table in servers.core("a").tables
    assert await outcome_of(ben.call(m.LogoutRequest())) == "seated"


@in_virtual_time
async def test_player_of_another_node_comes_in_during_maintenance() -> None:
    servers = SeveralServers("ab")
    await servers.start()
    table = await opened_table(servers)
    anna, zoe = await servers.come("Anna", "a"), await servers.come("Zoe", "a")
    await anna.call(m.JoinRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    await servers.core("a").moderation_records.maintenance.switch_mode(MaintenanceOn("Anna", "repairs", 1))
    for user, outcome in ((anna, "ok"), (zoe, "maintenance")):
        user.hang_up()
        assert user.welcome is not None
        assert await outcome_of(Caller(servers.servers["a"]).hello("", user.welcome.token)) == outcome
