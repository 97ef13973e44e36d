"""Servers that ran once with a wrong clock keep tokens, names and bans."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scoville_runtime.clock import Clock
from scoville_server.accounts.model.account import UserSession
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.accounts import PASSWORD, connect_guest, make_cheap_limits
from tests.support.server import Caller, core_of, toy_server
from tests.support.tables import NOON

HOUR, DAY = 3_600_000, 86_400_000
SETTINGS = Settings(
    accounts=make_cheap_limits(), admins=("Anna",), idle_seconds=0, host_idle_seconds=0, unseated_seconds=0
)


class Machine:
    """A machine whose clock is set between the runs of its server, and its disk."""

    def __init__(self) -> None:
        self.date_ms, self.seconds = NOON, 0.0
        self.journal = MemoryJournal()

    def go_on(self, ms: int) -> None:
        self.date_ms += ms
        self.seconds += ms / 1000

    @asynccontextmanager
    async def run(self) -> AsyncIterator[Server]:
        clock = Clock(lambda: self.date_ms, lambda: self.seconds)
        server = toy_server(SETTINGS, self.journal, clock)
        await server.start()
        try:
            yield server
        finally:
            await server.close()


async def a_guest_and_an_owner(server: Server) -> dict[str, str]:
    """Two users with a seat each; returns their tokens."""
    tokens = {}
    for name in ("Gus", "Olga"):
        caller = await connect_guest(server, name)
        if name == "Olga":
            await caller.call(m.ClaimNameRequest(password=PASSWORD))
        await caller.call(m.JoinRequest(table=await caller.create()))
        assert caller.welcome is not None
        tokens[name] = caller.welcome.token
    await core_of(server).background.finish_tasks()
    return tokens


async def returned(server: Server, token: str) -> str:
    """Return the user of a token."""
    caller = await connect_guest(server, token=token)
    assert caller.welcome is not None
    return caller.welcome.name


@pytest.mark.parametrize("off_days", [31, 91, 4000, -1, -100, -NOON // DAY + 1])
async def test_one_start_with_a_wrong_clock_ends_no_token(off_days: int) -> None:
    machine = Machine()
    async with machine.run() as server:
        tokens = await a_guest_and_an_owner(server)
    machine.date_ms += off_days * DAY
    async with machine.run() as server:
        machine.go_on(2 * HOUR)
        await core_of(server).users.delete_expired()
    machine.date_ms -= off_days * DAY
    async with machine.run() as server:
        assert {name: await returned(server, token) for name, token in tokens.items()} == {"Gus": "Gus", "Olga": "Olga"}


@pytest.mark.parametrize("off_days", [31, 91, -100])
async def test_nor_does_one_that_runs_for_days(off_days: int) -> None:
    machine = Machine()
    async with machine.run() as server:
        tokens = await a_guest_and_an_owner(server)
    machine.date_ms += off_days * DAY
    async with machine.run() as server:
        for _ in range(3 * 24):
            machine.go_on(HOUR)
            await core_of(server).users.delete_expired()
    machine.date_ms -= off_days * DAY
    async with machine.run() as server:
        assert {name: await returned(server, token) for name, token in tokens.items()} == {"Gus": "Gus", "Olga": "Olga"}


@pytest.mark.parametrize("off_days", [-100, 100])
async def test_tokens_from_a_wrong_clock_last_their_days(off_days: int) -> None:
    machine = Machine()
    async with machine.run() as server:
        tokens = await a_guest_and_an_owner(server)
        expiries = {key: token.expires_ms for key in core_of(server).users.tokens.keys if (token := held(server, key))}
    machine.date_ms += off_days * DAY
    async with machine.run() as server:
        for token in tokens.values():
            await returned(server, token)
        late = await connect_guest(server, "Late")
        await late.call(m.JoinRequest(table=await late.create()))
        assert late.welcome is not None
        tokens["Late"] = late.welcome.token
        after = {key: held(server, key) for key in expiries}
        assert all(token is not None and token.expires_ms >= expiries[key] for key, token in after.items())
    machine.date_ms -= off_days * DAY
    async with machine.run() as server:
        for _ in range(29 * 24):
            machine.go_on(HOUR)
            await core_of(server).users.delete_expired()
        assert {await returned(server, token) for token in tokens.values()} == {"Gus", "Olga", "Late"}


def held(server: Server, key: str) -> UserSession | None:
    return core_of(server).users.tokens.get_session(key)


async def test_with_a_right_clock_tokens_expire_after_their_days() -> None:
    machine = Machine()
    async with machine.run() as server:
        tokens = await a_guest_and_an_owner(server)
        callers = core_of(server).sessions.connected_users()
        for user in callers:
            user.peer = None
        for day in range(91):
            machine.go_on(DAY)
            await core_of(server).users.delete_expired()
            if day == 28:
                assert len(core_of(server).users.tokens.keys) == 2
            if day == 30:
                assert len(core_of(server).users.tokens.keys) == 1
        assert core_of(server).users.tokens.keys == []
        assert await returned(server, tokens["Gus"]) not in ("Gus", "Olga")


async def admin_of(server: Server) -> Caller:
    anna = await connect_guest(server, "Anna")
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
    return anna


async def test_a_ban_holds_through_a_future_clock() -> None:
    machine = Machine()
    async with machine.run() as server:
        anna = await admin_of(server)
        await anna.call(m.BanRequest(target="Zed", duration_ms=7 * DAY))
        assert anna.welcome is not None
        token = anna.welcome.token
    machine.date_ms += 31 * DAY
    async with machine.run() as server:
        with pytest.raises(Exception, match="banned"):
            await connect_guest(server, "Zed")
        anna = await connect_guest(server, token=token)
        await anna.call(m.BanRequest(target="Yan", duration_ms=60_000))
    machine.date_ms -= 31 * DAY
    async with machine.run() as server:
        with pytest.raises(Exception, match="banned"):
            await connect_guest(server, "Zed")


async def test_a_ban_holds_after_a_future_clock() -> None:
    machine = Machine()
    async with machine.run() as server:
        anna = await admin_of(server)
        await anna.call(m.BanRequest(target="Zed", duration_ms=7 * DAY))
    machine.date_ms += 31 * DAY
    async with machine.run() as server:
        await (await connect_guest(server, "Ben")).call(m.CreateRequest(game="heap", seat_count=2))
    machine.date_ms -= 31 * DAY
    async with machine.run() as server:
        with pytest.raises(Exception, match="banned"):
            await connect_guest(server, "Zed")


async def test_a_ban_ends_on_time_in_its_run() -> None:
    machine = Machine()
    async with machine.run() as server:
        anna = await admin_of(server)
        await anna.call(m.BanRequest(target="Zed", duration_ms=3_600_000))
        machine.go_on(HOUR + 1)
        assert (await connect_guest(server, "Zed")).welcome is not None


async def test_only_admins_learn_of_a_wrong_clock() -> None:
    machine = Machine()
    async with machine.run() as server:
        anna = await admin_of(server)
        assert anna.welcome is not None
        token = anna.welcome.token
        assert texts(anna) == []
    machine.date_ms += 31 * DAY
    async with machine.run() as server:
        (warning,) = texts(await connect_guest(server, token=token))
        assert "31 days ahead" in warning
        assert texts(await connect_guest(server, "Ben")) == []


def texts(caller: Caller) -> list[str]:
    return [notice.text for notice in caller.peer.heard if isinstance(notice, m.AnnouncedNotice)]


async def test_a_tables_date_follows_a_corrected_clock() -> None:
    machine = Machine()
    machine.date_ms = 0
    async with machine.run() as server:
        anna = await connect_guest(server, "Anna")
        early = core_of(server).tables.find_table(await anna.create())
        machine.date_ms += NOON
        late = core_of(server).tables.find_table(await anna.create())
        machine.go_on(5000)
        assert (early.now(), late.now()) == (5000, NOON + 5000)
        assert late.table.opened.at_ms == NOON


async def test_a_table_continues_after_the_clock_is_set_back() -> None:
    machine = Machine()
    async with machine.run() as server:
        anna = await connect_guest(server, "Anna")
        table = (
            await anna.call(m.CreateRequest(game="high_card", seat_count=2, clock=m.ClockParams(move_ms=60_000)))
        ).info.table
        await anna.call(m.JoinRequest(table=table))
        await anna.call(m.StartRequest(table=table))
        machine.go_on(10_000)
    machine.date_ms -= 400 * DAY
    async with machine.run() as server:
        actor = core_of(server).tables.find_table(table)
        await core_of(server).background.finish_tasks()
        before = actor.table.clocks
        machine.go_on(20_000)
        assert before is not None
        assert actor.now() - before.at_ms == 20_000
