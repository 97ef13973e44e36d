"""A flood of throw-away guests from one address takes nothing from other users."""

from collections import Counter
from functools import partial

from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.limits.budgets import InvitationLimits
from scoville_server.moderation.model.moderation_limits import ModerationLimits
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    PROTOCOL,
    ClaimNameRequest,
    CreateRequest,
    EnterRequest,
    HelloRequest,
    IgnoreRequest,
    InvitedNotice,
    InviteRequest,
    JoinRequest,
    LogoutRequest,
    RematchRequest,
    ReportRequest,
    SayRequest,
)
from tests.support.accounts import PASSWORD, account_server
from tests.support.core import ATTACKER, INNOCENT, connect_from, send_swarm, stop_clocks, try_request
from tests.support.server import Caller, core_of, toy_server

TABLE = CreateRequest(game="heap", seat_count=3)


async def test_a_swarms_tables_are_bounded_by_address() -> None:
    server = toy_server(Settings(tables=40, table_creations_per_address=0))
    stop_clocks(server)

    async def open_and_sit(caller: Caller) -> str:
        outcome = await try_request(caller, TABLE)
        if outcome == "ok":
            table = core_of(server).tables.all_tables()[-1].table.id
            await try_request(caller, JoinRequest(table=table))
        return outcome

    outcomes = Counter(await send_swarm(server, 60, open_and_sit))
    assert outcomes["ok"] <= 30
    assert outcomes["too_many"] >= 30
    innocent = await connect_from(server, INNOCENT)
    assert [await try_request(innocent, TABLE) for _ in range(5)] == ["ok"] * 5
    await server.close()


async def test_an_address_loses_its_own_unused_tables_first() -> None:
    server = toy_server(Settings(tables=8, table_creations_per_address=0))
    stop_clocks(server)
    innocent = await connect_from(server, INNOCENT)
    mine = await innocent.create()
    assert set(await send_swarm(server, 30, lambda caller: try_request(caller, TABLE))) == {"ok"}
    assert mine in core_of(server).tables
    assert len(core_of(server).tables.all_tables()) <= 7
    assert await try_request(innocent, TABLE) == "ok"
    await server.close()


async def test_new_tables_are_limited_by_address() -> None:
    server = toy_server(Settings(table_creations_per_address=5))
    clock = stop_clocks(server)
    outcomes = await send_swarm(server, 10, lambda caller: try_request(caller, TABLE))
    assert outcomes == ["ok"] * 5 + ["slow_down"] * 5
    assert await try_request(await connect_from(server, INNOCENT), TABLE) == "ok"
    clock.seconds = 60.0
    assert await try_request(await connect_from(server, ATTACKER), TABLE) == "ok"
    await server.close()


async def test_known_users_have_their_own_budget_behind_an_address() -> None:
    server = toy_server(Settings(table_creations_per_address=5))
    clock = stop_clocks(server)
    neighbour = await connect_from(server, ATTACKER, "Anna")
    clock.seconds = 601.0
    await send_swarm(server, 10, lambda caller: try_request(caller, TABLE))
    assert await try_request(neighbour, TABLE) == "ok"
    await server.close()


async def test_a_rematch_is_a_table_like_any_other() -> None:
    server = toy_server(Settings(table_creations=1))
    stop_clocks(server)
    anna = await connect_from(server, INNOCENT)
    assert await try_request(anna, TABLE) == "ok"
    table = core_of(server).tables.all_tables()[0]
    await anna.call(JoinRequest(table=table.table.id))
    assert await try_request(anna, RematchRequest(table=table.table.id)) == "slow_down"
    await server.close()


async def test_floods_of_hellos_replace_only_their_own_guests() -> None:
    server = toy_server(Settings(guests=200))
    stop_clocks(server)
    innocent = await connect_from(server, INNOCENT, "Anna")
    passing = [await connect_from(server, f"192.0.2.{number}") for number in range(20)]
    for caller in (innocent, *passing):
        caller.hang_up()

    async def look_in(caller: Caller) -> None:
        caller.hang_up()

    await send_swarm(server, 1_000, look_in)
    back = await connect_from(server, INNOCENT, token=innocent.welcome.token)
    assert back.welcome.name == "Anna"
    again = [await connect_from(server, "192.0.2.9", token=one.welcome.token) for one in passing]
    assert [one.welcome.name for one in again if one.welcome.resumed] == [one.welcome.name for one in passing]
    assert len(core_of(server).sessions._by_id) <= 200
    await server.close()


async def test_a_swarm_that_stays_leaves_room_for_others() -> None:
    server = toy_server(Settings(guests=40))
    stop_clocks(server)
    outcomes = []
    for _ in range(60):
        caller = Caller(server)
        caller.peer.address = f"{ATTACKER}:1"
        outcomes.append(await try_request(caller, HelloRequest(protocol=PROTOCOL)))
    assert Counter(outcomes) == {"ok": 30, "too_many": 30}
    for number in range(1, 6):
        await connect_from(server, f"192.0.2.{number}")
    await server.close()


async def test_an_ipv6_household_counts_as_one_address() -> None:
    server = toy_server(Settings(table_creations_per_address=2))
    stop_clocks(server)
    for _ in range(2):
        assert await try_request(await connect_from(server, "2001:db8:1:2::9"), TABLE) == "ok"
    assert await try_request(await connect_from(server, "2001:db8:1:2:ffff::7"), TABLE) == "slow_down"
    sites = [await try_request(await connect_from(server, f"2001:db8:1:{n}::1"), TABLE) for n in range(3, 12)]
    assert sites == ["ok"] * 6 + ["slow_down"] * 3
    assert await try_request(await connect_from(server, "2001:db8:2:2::9"), TABLE) == "ok"
    await server.close()


async def invite_anna(server: Server, caller: Caller) -> str:
    """Open a table, and invite Anna to it; returns the code of a refusal."""
    outcome = await try_request(caller, TABLE)
    if outcome != "ok":
        return outcome
    table = core_of(server).tables.all_tables()[-1].table.id
    await caller.call(JoinRequest(table=table))
    return await try_request(caller, InviteRequest(table=table, name="Anna"))


async def test_a_victim_gets_few_invitations_however_many_invite() -> None:
    server = toy_server(Settings(table_creations_per_address=0))
    stop_clocks(server)
    victim = await connect_from(server, INNOCENT, "Anna")
    friend = await connect_from(server, "192.0.2.7", "Ben")

    for host in ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"):
        await send_swarm(server, 40, partial(invite_anna, server), host=host)
    heard = [notice for notice in victim.peer.heard if isinstance(notice, InvitedNotice)]
    assert len(heard) == 30
    clock = stop_clocks(server)
    clock.seconds = 2.0
    assert await invite_anna(server, friend) == "ok"
    await server.close()


async def test_invitations_are_bounded_by_address() -> None:
    server = toy_server(Settings(table_creations_per_address=0))
    stop_clocks(server)
    victim = await connect_from(server, INNOCENT, "Anna")

    await send_swarm(server, 60, partial(invite_anna, server))
    assert sum(isinstance(notice, InvitedNotice) for notice in victim.peer.heard) == 12
    assert await invite_anna(server, await connect_from(server, "192.0.2.7", "Ben")) == "ok"
    await server.close()


async def test_whispers_to_one_user_are_bounded(server: Server) -> None:
    stop_clocks(server)
    victim = await connect_from(server, INNOCENT, "Anna")
    for host in ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"):
        await send_swarm(server, 40, lambda caller: try_request(caller, SayRequest(text="boo", to="Anna")), host=host)
    by_name = Counter(getattr(getattr(notice, "message", None), "name", "") for notice in victim.peer.heard)
    assert by_name.total() - by_name[""] <= 60
    friend = await connect_from(server, "192.0.2.7", "Ben")
    core_of(server).sessions.find_user(core_of(server).sessions.find_by_name("Ben").id).met = None
    assert await try_request(friend, SayRequest(text="Hello", to="Anna")) == "ok"


async def test_reports_of_one_address_do_not_close_reporting() -> None:
    server = toy_server(Settings(moderation=ModerationLimits(reports=40, reports_per_address=0)))
    stop_clocks(server)
    await connect_from(server, INNOCENT, "Anna")
    report = ReportRequest(name="Anna", text="nothing")
    outcomes = Counter(await send_swarm(server, 60, lambda caller: try_request(caller, report)))
    assert outcomes == {"ok": 30, "too_many": 30}
    assert await try_request(await connect_from(server, INNOCENT), report) == "ok"
    reports = core_of(server).moderation_records.reports
    for waiting in reports.open_reports[:20]:
        await reports.remove_report(waiting.id)
    assert await try_request(await connect_from(server, ATTACKER), report) == "ok"
    await server.close()


async def test_reports_of_one_address_are_few(server: Server) -> None:
    stop_clocks(server)
    await connect_from(server, INNOCENT, "Anna")
    report = ReportRequest(name="Anna", text="nothing")
    outcomes = Counter(await send_swarm(server, 100, lambda caller: try_request(caller, report)))
    assert outcomes == {"ok": 20, "slow_down": 80}
    assert await try_request(await connect_from(server, INNOCENT), report) == "ok"


async def test_names_are_shared_by_address() -> None:
    server = account_server(claims=8, claims_per_hour=0)
    stop_clocks(server)
    outcomes = Counter(
        await send_swarm(server, 20, lambda caller: try_request(caller, ClaimNameRequest(password=PASSWORD)))
    )
    assert outcomes == {"ok": 6, "too_many": 14}
    assert await try_request(await connect_from(server, INNOCENT), ClaimNameRequest(password=PASSWORD)) == "ok"
    await server.close()


async def test_writes_beside_the_game_are_counted_by_address() -> None:
    server = toy_server(Settings())
    stop_clocks(server)
    await connect_from(server, INNOCENT, "Anna")
    outcomes = Counter(await send_swarm(server, 300, lambda caller: try_request(caller, IgnoreRequest(name="Anna"))))
    assert outcomes == {"ok": 240, "slow_down": 60}
    assert await try_request(await connect_from(server, INNOCENT), IgnoreRequest(name="Anna")) == "ok"
    assert set(await send_swarm(server, 3, lambda caller: try_request(caller, LogoutRequest()))) == {"slow_down"}
    await server.close()


async def test_a_swarms_whispers_replace_only_its_own() -> None:
    chat = ChatLimits(whisper_users=20, messages_per_address=(), whispers_received=ChatLimits().repeats)
    server = toy_server(Settings(chat=chat))
    stop_clocks(server)
    anna = await connect_from(server, INNOCENT, "Anna")
    await connect_from(server, "192.0.2.7", "Ben")
    await anna.call(SayRequest(text="See you at eight", to="Ben"))
    names = iter(range(1_000))

    async def whisper(caller: Caller) -> None:
        other = await connect_from(server, ATTACKER, f"Visitor {next(names)}")
        await try_request(caller, SayRequest(text="spam", to=other.welcome.name))

    await send_swarm(server, 60, whisper)
    await core_of(server).background.finish_tasks()
    kept = core_of(server).chat.channels
    whispers = [channel for channel in kept.ids if channel.startswith("whisper/")]
    users = core_of(server).sessions
    assert len(whispers) <= 20
    assert {f"whisper/{users.find_by_name(name).id}" for name in ("Anna", "Ben")} <= {*whispers}
    await server.close()


async def test_local_users_have_no_address_limit() -> None:
    server = toy_server(Settings(table_creations_per_address=1))
    stop_clocks(server)
    for _ in range(5):
        assert await try_request(await Caller(server).hello(), TABLE) == "ok"
    assert await try_request(await Caller(server).hello(), EnterRequest(code="no-such")) == "unknown_code"
    await server.close()


async def test_a_neighbour_who_was_there_before_a_swarm_continues() -> None:
    server = toy_server(Settings(table_creations_per_address=5, invitations=InvitationLimits(received=8)))
    stop_clocks(server)
    victim = await connect_from(server, INNOCENT, "Anna")
    neighbour, friend = await connect_from(server, ATTACKER, "Ben"), await connect_from(server, "192.0.2.7", "Cleo")

    for host in (ATTACKER, "127.0.0.3", "127.0.0.4"):
        await send_swarm(server, 20, partial(invite_anna, server), host=host)
    assert sum(isinstance(notice, InvitedNotice) for notice in victim.peer.heard) == 8
    assert [await invite_anna(server, caller) for caller in (neighbour, friend)] == ["ok", "ok"]
    assert await invite_anna(server, await connect_from(server, ATTACKER)) == "slow_down"
    await server.close()


async def test_a_flood_is_forgotten_before_earlier_guests() -> None:
    server = toy_server(Settings(guests=200))
    stop_clocks(server)
    neighbours = [await connect_from(server, ATTACKER) for _ in range(20)]
    for caller in neighbours:
        caller.hang_up()

    async def look_in(caller: Caller) -> None:
        caller.hang_up()

    await send_swarm(server, 1_000, look_in)
    back = [await connect_from(server, ATTACKER, token=one.welcome.token) for one in neighbours]
    assert [one.welcome.name for one in back if one.welcome.resumed] == [one.welcome.name for one in neighbours]
    await server.close()
