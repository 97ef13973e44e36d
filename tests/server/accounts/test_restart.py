"""Identities survive a restart: claimed names, tokens, and journals of older versions."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    ClaimNameRequest,
    EndSessionRequest,
    JoinRequest,
    LoginRequest,
    ReleaseNameRequest,
    SayRequest,
    ShowAccountRequest,
)
from tests.support.accounts import PASSWORD, connect_guest, connect_owner, ed25519_keys, make_cheap_limits, sign_request
from tests.support.core import code_of
from tests.support.server import Caller, core_of, toy_server
from tests.support.virtual_time import in_virtual_time, make_clock

Start = Callable[..., Awaitable[Server]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start a server on a folder: a new one, a given one, or that of a killed server."""
    async with AsyncExitStack() as stack:
        count = 0

        async def start(killed: Server | None = None, folder: Path | None = None) -> Server:
            nonlocal count
            count += 1
            folder = folder or tmp_path / f"run {count}"
            if killed is not None:
                shutil.copytree(killed.settings.data, folder)
            server = toy_server(Settings(data=folder, accounts=make_cheap_limits()))
            stack.push_async_callback(server.close)
            await server.start()
            return server

        yield start


async def seated(server: Server, caller: Caller) -> str:
    table = await caller.create()
    await caller.call(JoinRequest(table=table))
    return table


async def test_a_claim_that_was_answered_outlives_a_kill(start: Start) -> None:
    server = await start()
    anna, keys = await connect_owner(server, "Anna"), ed25519_keys()
    ben = await connect_guest(server, "Ben")
    await ben.call(await sign_request(ben, keys, ClaimNameRequest))
    again = await start(server)
    assert (await connect_guest(again, token=anna.welcome.token)).welcome.claimed
    assert (await connect_guest(again, "anna")).welcome.name_claimed
    caller = await connect_guest(again)
    assert (await caller.call(LoginRequest(name="Anna", password=PASSWORD))).name == "Anna"
    account = await caller.call(ShowAccountRequest())
    assert len(account.sessions) == 2
    assert core_of(again).sessions.find_by_name("ben").claimed


async def test_released_name_and_revoked_token_stay_so(start: Start) -> None:
    server = await start()
    anna, ben = await connect_owner(server, "Anna"), await connect_owner(server, "Ben")
    elsewhere = await connect_guest(server)
    await elsewhere.call(LoginRequest(name="Anna", password=PASSWORD))
    await elsewhere.call(EndSessionRequest())
    await ben.call(ReleaseNameRequest())
    again = await start(server)
    assert not (await connect_guest(again, token=anna.welcome.token)).welcome.claimed
    back = await connect_guest(again, token=ben.welcome.token)
    assert (back.welcome.name, back.welcome.claimed) == ("Ben", False)
    assert await code_of(back, LoginRequest(name="Ben", password=PASSWORD)) == "wrong_login"


async def test_a_token_given_at_a_log_in_outlives_a_kill(start: Start) -> None:
    server = await start()
    await connect_owner(server, "Anna")
    caller = await connect_guest(server)
    token = (await caller.call(LoginRequest(name="Anna", password=PASSWORD))).token
    assert (await connect_guest(await start(server), token=token)).welcome.name == "Anna"


async def test_neither_password_nor_token_stands_in_the_folder(start: Start) -> None:
    server = await start()
    anna = await connect_owner(server, "Anna")
    kept = b"".join(path.read_bytes() for path in server.settings.data.glob(f"{JOURNAL}*"))
    assert b"$argon2id$" in kept
    assert PASSWORD.encode() not in kept
    assert anna.welcome.token.encode() not in kept


@in_virtual_time
async def test_a_restart_makes_no_guest_known() -> None:
    journal = MemoryJournal()
    server = toy_server(Settings(), journal, make_clock())
    await server.start()
    vera = await connect_guest(server, "Vera")
    await vera.call(SayRequest(text="hi"))
    await server.close()
    await asyncio.sleep(500)
    again = toy_server(Settings(), journal, make_clock())
    await again.start()
    sessions = core_of(again).sessions
    assert sessions.standing_of(sessions.known_user("Vera")) == 0
    await asyncio.sleep(101)
    assert sessions.standing_of(sessions.known_user("Vera")) == 1
    await again.close()
