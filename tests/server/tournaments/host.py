"""A machine on which servers with tournaments run one after the other, and users of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from scoville_runtime.clock import Clock
from scoville_server.journal.base import JournalError
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_shelf

PASSWORD = "green or red?"
CLOCK = m.ClockParams(move_ms=30_000)
SETTLED = 21
"""Seconds after a start from which on a server pairs."""


class Host:
    """A machine with a clock and a disk on which servers run one after the other."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.journal = MemoryJournal()
        self.users: dict[str, Caller] = {}
        self.catalog = toy_shelf()

    async def start(self) -> Server:
        fake = self.clock
        clock = Clock(fake._date_ms, lambda: fake.time, fake.call_later, sleep=fake.sleep)
        server = Server(Settings(accounts=CHEAP_HASHING), catalog=self.catalog, journal=self.journal, clock=clock)
        await server.start()
        core_of(server).tournaments.start_serving()
        await wait_until_idle()
        return server

    @asynccontextmanager
    async def run(self) -> AsyncIterator[Server]:
        server = await self.start()
        try:
            yield server
        finally:
            await server.close()

    async def connect(self, server: Server, *names: str) -> list[Caller]:
        """Connect users with claimed names, or again those of an earlier run."""
        for name in names:
            before = self.users.get(name)
            if before is None:
                self.users[name] = await Caller(server).hello(name)
                await self.users[name].call(m.ClaimNameRequest(password=PASSWORD))
            else:
                assert before.welcome is not None
                self.users[name] = await Caller(server).hello(token=before.welcome.token)
        return [self.users[name] for name in names]

    async def pass_time(self, seconds: float) -> None:
        await self.clock.elapse(seconds)
        await wait_until_idle()


class CrashingJournal(MemoryJournal):
    """A journal that takes so many more changes; the server is gone with the next one."""

    left = 10_000

    def _take_one(self) -> None:
        if self.left <= 0:
            raise JournalError("The disk is gone.")
        self.left -= 1

    async def write(self, changes: Any) -> None:
        self._take_one()
        await super().write(changes)

    async def append(self, *arguments: Any, **more: Any) -> Any:
        self._take_one()
        return await super().append(*arguments, **more)


async def show(caller: Caller, number: str) -> m.ShowTournamentReply:
    reply: m.ShowTournamentReply = await caller.call(m.ShowTournamentRequest(tournament=number))
    return reply


def heard(caller: Caller, kind: type[Any]) -> list[Any]:
    return [notice for notice in caller.peer.heard if isinstance(notice, kind)]
