"""Quick matches wait for the disk together, not one after the other."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from scoville_server.journal.base import Change, Mark, StoredUser
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import JoinReply, QuickMatchRequest
from tests.support import virtual_time
from tests.support.core import code_of
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_server
from tests.support.virtual_time import in_virtual_time

SYNC = 0.2


class SlowDisk(MemoryJournal):
    """A journal whose commits take a while; writes of one turn share one, and what comes meanwhile shares the next."""

    def __init__(self) -> None:
        super().__init__()
        self._next: asyncio.Future[None] | None = None
        self._busy = False

    async def _saved(self) -> None:
        loop = asyncio.get_running_loop()
        if self._next is None:
            self._next = loop.create_future()
            if not self._busy:
                loop.call_soon(self._begin)
        await self._next

    def _begin(self) -> None:
        commit, self._next = self._next, None
        self._busy = commit is not None
        if commit is not None:
            asyncio.get_running_loop().call_later(SYNC, self._end, commit)

    def _end(self, commit: "asyncio.Future[None]") -> None:
        commit.set_result(None)
        self._begin()

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        await self._saved()
        return await super().append(table, records, after, afresh=afresh)

    async def put_user(self, known: StoredUser) -> None:
        await self._saved()
        await super().put_user(known)

    async def write(self, changes: Sequence[Change]) -> None:
        await self._saved()
        await super().write(changes)


async def started(**settings: Any) -> Server:
    free = {"table_creations_per_address": 0, "table_actions_per_address": 0, "default_tables": ()}
    server = toy_server(Settings(accounts=CHEAP_HASHING, **free, **settings), SlowDisk(), virtual_time.make_clock())
    await server.start()
    await asyncio.sleep(3 * SYNC)  # what a start writes is on the disk
    return server


async def callers(server: Server, number: int) -> list[Caller]:
    return [await Caller(server, f"192.0.2.{n % 200}:1").hello(f"Guest {n}") for n in range(number)]


async def timed(caller: Caller, request: QuickMatchRequest) -> tuple[JoinReply, float]:
    began = asyncio.get_running_loop().time()
    reply = await caller.call(request)
    return reply, asyncio.get_running_loop().time() - began


@pytest.mark.parametrize("number", [20, 150])
def test_all_who_ask_at_once_wait_for_two_syncs(number: int) -> None:
    @in_virtual_time
    async def run() -> None:
        server = await started()
        players = await callers(server, number)
        found = await asyncio.gather(*(timed(player, QuickMatchRequest(game="heap")) for player in players))
        assert max(seconds for _, seconds in found) <= 2 * SYNC + 0.01
        seats = Counter((reply.info.table, reply.seat) for reply, _ in found)
        assert max(seats.values()) == 1
        taken = Counter(reply.info.table for reply, _ in found)
        most = max(taken.values())
        assert most > 1
        assert len([table for table, players in taken.items() if players < most]) <= 1, "all are full but one"
        await server.close()

    run()


@in_virtual_time
async def test_two_requests_of_one_user_at_once_find_one_seat() -> None:
    server = await started()
    (anna,) = await callers(server, 1)
    one, other = await asyncio.gather(*(anna.call(QuickMatchRequest(game="heap")) for _ in range(2)))
    assert (one.info.table, one.seat) == (other.info.table, other.seat)
    await server.close()


@in_virtual_time
async def test_an_unopenable_table_leads_to_a_new_one() -> None:
    server = await started(tables_hosted=1)
    anna, ben = await callers(server, 2)
    await anna.create("high_card")
    refused = asyncio.ensure_future(code_of(anna, QuickMatchRequest(game="heap")))
    await asyncio.sleep(0)
    seated = await ben.call(QuickMatchRequest(game="heap"))
    assert (await refused, seated.seat) == ("too_many", 0)
    await server.close()


@in_virtual_time
async def test_a_vanished_quick_player_keeps_no_seat() -> None:
    server = await started()
    anna, ben = await callers(server, 2)
    gone = asyncio.ensure_future(anna.call(QuickMatchRequest(game="heap")))
    other = asyncio.ensure_future(ben.call(QuickMatchRequest(game="heap")))
    await asyncio.sleep(SYNC / 2)
    gone.cancel()
    assert (await other).seat == 0
    quick = core_of(server).quick
    assert (quick._reserved, quick._openings) == ({}, {})
    await server.close()


@in_virtual_time
async def test_a_disk_that_refuses_leaves_no_reservation() -> None:
    class Broken(SlowDisk):
        async def append(self, *_: Any, **__: Any) -> Mark:
            await self._saved()
            raise ScovilleError("not_saved", "The disk is full.")

    server = toy_server(Settings(accounts=CHEAP_HASHING, default_tables=()), Broken(), virtual_time.make_clock())
    await server.start()
    players = await callers(server, 3)
    codes = await asyncio.gather(*(code_of(player, QuickMatchRequest(game="heap")) for player in players))
    assert codes == ["not_saved"] * 3
    quick = core_of(server).quick
    assert (quick._reserved, quick._openings) == ({}, {})
    await server.close()
