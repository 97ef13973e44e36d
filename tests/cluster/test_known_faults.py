"""What two servers that both serve do to each other on one journal: known faults. One that passes must lose its mark.

Where one of several nodes serves, as in `tests/server/tables/test_ownership.py`, none of them can happen.
"""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_server
from tests.support.virtual_time import in_virtual_time

known_fault = pytest.mark.xfail(strict=True, raises=(AssertionError, ScovilleError))

PASSWORD = "a very long password"


class TwoServers:
    """Two servers on one journal: the second one starts while the first one lives."""

    def __init__(self, **settings: Any) -> None:
        self.journal = MemoryJournal()
        self._settings = settings
        self.a: Server
        self.b: Server

    async def start_server(self, data: Path | None = None) -> Server:
        settings = Settings(accounts=CHEAP_HASHING, data=data, **self._settings)
        server = toy_server(settings, journal=self.journal, clock=virtual_time.clock())
        await server.start()
        await asyncio.sleep(1)
        return server

    async def start_a(self) -> Server:
        self.a = await self.start_server()
        return self.a

    async def start_b(self) -> Server:
        self.b = await self.start_server()
        return self.b


async def play_first_move(table: str, user: Caller) -> None:
    moves = (await user.call(m.MovesRequest(table=table))).moves
    await user.call(m.PlayRequest(table=table, move=moves[0]))


async def outcome_of(awaitable: Awaitable[object]) -> str:
    """Return `ok`, or the code of the refusal."""
    try:
        await awaitable
    except ScovilleError as error:
        return error.code
    return "ok"


async def begun_game(server: Server) -> tuple[str, Caller, Caller]:
    anna, ben = await Caller(server).hello("Anna"), await Caller(server).hello("Ben")
    table = await anna.create("high_card", 2)
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    for user in (anna, ben):
        await user.call(m.WatchRequest(table=table))
    return table, anna, ben


async def taken_over_game() -> tuple[TwoServers, str, Caller, Caller, Caller]:
    """A game that `b` has taken over from `a`, and at which Anna has moved there; `anna` and `ben` are still at `a`."""
    two = TwoServers()
    table, anna, ben = await begun_game(await two.start_a())
    await two.start_b()
    assert anna.welcome is not None
    anna_at_b = await Caller(two.b).hello("Anna", anna.welcome.token)
    await play_first_move(table, anna_at_b)
    return two, table, anna, ben, anna_at_b


@known_fault
@in_virtual_time
async def test_user_has_one_connection_at_two_servers() -> None:
    _, _, anna, _, _ = await taken_over_game()
    await asyncio.sleep(2)
    assert anna.peer.closed


@known_fault
@in_virtual_time
async def test_name_has_one_owner() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    guests = [await Caller(server).hello("Zoe") for server in (two.a, two.b)]
    claims = [await outcome_of(guest.call(m.ClaimNameRequest(password=PASSWORD))) for guest in guests]
    assert claims.count("ok") == 1


@known_fault
@in_virtual_time
async def test_messages_of_two_servers_are_kept() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    for server, name in ((two.a, "Zoe"), (two.b, "Yan")):
        guest = await Caller(server).hello(name)
        await guest.call(m.SayRequest(text=f"from {name}"))
    assert len(two.journal._books["chat"]) == 2


@known_fault
@in_virtual_time
async def test_ban_binds_at_every_server() -> None:
    two = TwoServers(admins=("Carla",))
    await two.start_a()
    await two.start_b()
    carla = await Caller(two.a).hello("Carla")
    await carla.call(m.ClaimNameRequest(password=PASSWORD))
    await carla.call(m.BecomeAdminRequest(code=two.a.admin_codes["Carla"]))
    await Caller(two.a).hello("Troll")
    await carla.call(m.BanRequest(kind="name", target="Troll", scope="server", reason="spam"))
    await asyncio.sleep(1)
    assert await outcome_of(Caller(two.b).hello("Troll")) == Code.BANNED


@known_fault
@in_virtual_time
async def test_used_token_is_noticed_at_every_server() -> None:
    two, _, anna, _, _ = await taken_over_game()
    assert anna.welcome is not None
    await asyncio.sleep(1)
    again = await Caller(two.a).hello("Anna", anna.welcome.token)
    assert again.welcome is not None
    assert again.welcome.token_reused


@known_fault
@in_virtual_time
async def test_new_guest_stays_new_at_every_server() -> None:
    two = TwoServers()
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    standings = []
    for server in (two.a, two.b):
        sessions = core_of(server).sessions
        standings.append(sessions.standing_of(sessions.known_user("Vera")))
    assert standings == [0, 0]


@known_fault
@in_virtual_time
async def test_connected_guest_makes_no_room_elsewhere() -> None:
    two = TwoServers(guests=2)
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    for number in range(3):
        await outcome_of(Caller(two.b).hello(f"Guest{number}"))
    await asyncio.sleep(1)
    assert "Vera" in [user.name for user in two.journal._users.values()]


@in_virtual_time
async def test_default_table_takes_users_of_both_servers() -> None:
    two = TwoServers(default_tables=("high_card",))
    await two.start_a()
    await two.start_b()
    tried: list[str] = []
    for server, name in ((two.a, "Anna"), (two.b, "Ben")):
        guest = await Caller(server).hello(name)
        tried.append(await outcome_of(guest.call(m.QuickMatchRequest(game="high_card"))))
    assert tried == ["ok", "ok"]


@known_fault
@in_virtual_time
async def test_start_elsewhere_leaves_archived_games(tmp_path: Path) -> None:
    two = TwoServers()
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        (folder / "games").mkdir(parents=True)
    table, anna, ben = await begun_game(await two.start_server(data=folders[0]))
    for _ in range(3):
        for user in (anna, ben):
            await play_first_move(table, user)
    for user in (anna, ben):
        await user.call(m.LeaveRequest(table=table))
    await asyncio.sleep(1)
    archived = [*two.journal._books["games"]]
    assert len(archived) == 1
    await two.start_server(data=folders[1])
    assert [*two.journal._books["games"]] == archived
