"""The end of a node that hands over: users wait for nothing that can be done before, or after they were sent on."""

import asyncio
from collections.abc import Sequence
from typing import cast

from scoville_server.journal.base import Change
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.tcp import TcpServer
from scoville_shared.errors import Code
from tests.support.accounts import connect_owner
from tests.support.server import Caller, toy_server
from tests.support.virtual_time import in_virtual_time, make_clock


class CountingJournal(MemoryJournal):
    """A journal that counts the rows of sessions that are written."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions = 0

    async def write(self, changes: Sequence[Change]) -> None:
        self.sessions += sum(change.book == "sessions" for change in changes)
        await super().write(changes)


@in_virtual_time
async def test_uses_of_sessions_are_written_before_users_wait_for_the_end() -> None:
    """Of 900 users who were connected they took a quarter of a second, in which nobody was answered."""
    journal = CountingJournal()
    server = toy_server(journal=journal, clock=make_clock())
    await server.start()
    for name in ("Anna", "Ben"):
        await connect_owner(server, name)
    await asyncio.sleep(3600)
    journal.sessions = 0
    await server.hand_over_tables(asyncio.Event())
    assert journal.sessions == 2
    await server.close(goes_on=True, moves_on=True)
    assert journal.sessions == 2


class RecordingPort:
    """A port that notes how many rows of sessions were written when it stopped listening."""

    def __init__(self, journal: CountingJournal) -> None:
        self._journal = journal
        self.written = 0

    def stop_listening(self) -> None:
        self.written = self._journal.sessions

    async def close(self, *_: object, **__: object) -> None:
        pass


@in_virtual_time
async def test_uses_are_written_early_before_a_restart() -> None:
    journal = CountingJournal()
    server = toy_server(journal=journal, clock=make_clock())
    await server.start()
    peers = [(await connect_owner(server, name)).peer for name in ("Anna", "Ben")]
    await asyncio.sleep(3600)
    journal.sessions = 0
    server._tcp = cast("TcpServer", port := RecordingPort(journal))
    await server.close(goes_on=True, hands_over="inherited")
    server._sockets.close_kept()
    assert (port.written, journal.sessions) == (2, 2)
    assert all(peer.held for peer in peers)


@in_virtual_time
async def test_other_nodes_can_know_of_the_end_before_users_do() -> None:
    server = toy_server(clock=make_clock())
    await server.start()
    anna = await Caller(server).hello("Anna")
    closed = []

    async def tell_others() -> None:
        await asyncio.sleep(1)
        closed.append(anna.peer.closed)

    await server.close(goes_on=True, moves_on=True, on_written=tell_others)
    assert closed == [False]
    assert anna.peer.bye is not None
    assert anna.peer.bye.code == Code.MOVED
