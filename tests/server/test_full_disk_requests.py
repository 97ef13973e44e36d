"""Requests on a full disk: refused as such, and possible again later."""

import asyncio
from collections.abc import Callable

import pytest

from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.core import code_of, connect_user, seat_users
from tests.support.journals import HOUR, open_server_on_full_disk
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time

REQUESTS: list[Callable[[str], m.Params]] = [
    lambda _: m.CreateRequest(game="heap", seat_count=2),
    lambda table: m.JoinRequest(table=table),
    lambda table: m.SayRequest(table=table, text="Hello"),
    lambda _: m.SayRequest(text="Hello"),
    lambda table: m.ReadyRequest(table=table),
]


@pytest.mark.parametrize("request_of", REQUESTS)
def test_every_kind_of_request_is_refused_once_and_succeeds_later(request_of: Callable[[str], m.Params]) -> None:
    async def main() -> None:
        async with open_server_on_full_disk(idle_seconds=0, host_idle_seconds=0) as (server, journal):
            table, (anna,) = await seat_users(server, "Anna")
            params = request_of(table)
            caller = await connect_user(server, "Cleo") if isinstance(params, m.JoinRequest) else anna
            journal.full = True
            assert await code_of(caller, params)
            before = journal.refused.total()
            await asyncio.sleep(HOUR)
            assert journal.refused.total() - before <= 1
            journal.full = False
            await caller.call(params)

    virtual_time.run_virtually(main())


@pytest.mark.parametrize("whole", [m.SayRequest(text="Hello"), m.SayRequest(text="Hello", to="Ben")])
def test_an_unkept_message_is_not_sent(whole: m.SayRequest) -> None:
    async def main() -> None:
        async with open_server_on_full_disk() as (server, journal):
            anna, _ = [await connect_user(server, name) for name in ("Anna", "Ben")]
            journal.full = True
            for _ in range(20):
                assert await code_of(anna, whole) != "slow_down"
            journal.full = False
            for _ in range(2):
                await anna.call(whole)
            assert await code_of(anna, whole) == "slow_down"

    virtual_time.run_virtually(main())


@in_virtual_time
async def test_every_unsaved_message_is_refused_as_such() -> None:
    """Callers have addresses: without one, only some of the rate limits apply."""
    async with open_server_on_full_disk() as (server, journal):
        anna = await Caller(server, "192.0.2.1:4000").hello("Anna")
        await Caller(server, "192.0.2.2:4000").hello("Ben")
        table = await anna.create()
        await anna.call(m.JoinRequest(table=table))
        journal.full = True
        for message in (
            m.SayRequest(text="one"),
            m.SayRequest(text="two", table=table),
            m.SayRequest(text="three", to="Ben"),
        ):
            assert await code_of(anna, message) == "not_saved"
