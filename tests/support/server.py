"""Connections, journals and servers for tests, without bytes."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, cast

import msgspec

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.journal.base import Journal, Mark
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.peer import End
from scoville_server.server import Server
from scoville_server.services import Services
from scoville_server.settings.model import Settings
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.networks import is_loopback
from scoville_shared.protocol.connection import ClientConnection
from scoville_shared.protocol.messages import (
    METHOD_OF,
    METHODS,
    PROTOCOL,
    ByeNotice,
    CreateRequest,
    EventNotice,
    HelloReply,
    HelloRequest,
    HostedUser,
    Notice,
    Params,
    Reply,
)
from tests.support.idle import eventually
from tests.support.toys import TOYS, find_toy
from tests.support.wire_page import check_documented


def notice_of(encoded: bytes) -> Notice:
    """Return a notice as a client reads it."""
    reader = ClientConnection()
    reader.feed_bytes(encoded)
    [read] = reader.read_incoming()
    return cast("Notice", read)


class RecordingPeer:
    """Peer that records its notices and its end."""

    number = 0

    def __init__(self, address: str = "", *, secure: bool = True) -> None:
        self.address = address
        self.secure = secure
        self.door: HostedUser | None = None
        self.heard: list[Notice] = []
        self.bye: ByeNotice | None = None
        self.closed = self.held = False

    @property
    def local(self) -> bool:
        return self.door is None and is_loopback(self.address)

    def notify(self, notice: Notice) -> None:
        self.heard.append(notice)

    def pass_on_notice(self, notice: bytes) -> None:
        self.notify(notice_of(notice))

    def hold_requests(self) -> Collection[object]:
        self.held = True
        return ()

    def hand_over(self) -> None:
        return None

    def hand_to_relay(self) -> None:
        return None

    def close(self, bye: ByeNotice | None = None) -> None:
        self.bye, self.closed = bye, True

    @property
    def events(self) -> list[EventNotice]:
        """The table events heard."""
        return [notice for notice in self.heard if isinstance(notice, EventNotice)]


def read_raw(params: Params, reply: Reply) -> Reply:
    """Return a reply, decoded if another node has answered with bytes."""
    if isinstance(reply, msgspec.Raw):
        kind = METHODS[METHOD_OF[type(params)]].reply
        decoded: Reply = msgspec.msgpack.decode(reply, type=kind)
        return decoded
    return reply


class Caller:
    """A client connected straight to the service; every refusal must be one that docs/protocol.md knows."""

    def __init__(self, server: Server, address: str = "") -> None:
        self.server = server
        self.peer = RecordingPeer(address)
        self.handler = server.accept_connection(self.peer)
        self.welcome: HelloReply | None = None

    async def call(self, params: Params) -> Any:
        """Send a request and return the reply. Raises ScovilleError for a refusal."""
        try:
            answer = self.handler.handle_request(params)
            reply: Reply = await answer if isinstance(answer, Awaitable) else answer
        except ScovilleError as error:
            check_documented(METHOD_OF[type(params)], error.code, error.data)
            raise
        return read_raw(params, reply)

    async def hello(self, name: str = "", token: str = "") -> "Caller":
        self.welcome = await self.call(HelloRequest(protocol=PROTOCOL, name=name, token=token))
        return self

    async def create(self, game: str = "high_card", seats: int = 3) -> str:
        """Open a table; returns its id."""
        reply = await self.call(CreateRequest(game=game, seat_count=seats))
        table: str = reply.info.table
        return table

    def hang_up(self) -> None:
        self.handler.release_connection(End("left"))


class GatedJournal(MemoryJournal):
    """A journal whose disk is slow: nothing is kept until the gate is opened. It can also be broken."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken = False
        self.asked = asyncio.Event()

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        self.asked.set()
        await self.gate.wait()
        if self.broken:
            raise OSError(28, "no space left on device")
        return await super().append(table, records, after, afresh=afresh)


class SlowBookJournal(MemoryJournal):
    """A journal whose disk is slow for one book: its `writes` are counted, wait for the gate, and may be refused."""

    def __init__(self, book: str) -> None:
        super().__init__()
        self.book, self.writes = book, 0
        self.refusal: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def write(self, changes: Any) -> None:
        if any(change.book == self.book for change in changes):
            self.writes += 1
            await self.gate.wait()
            if self.refusal is not None:
                raise self.refusal
        await super().write(changes)


def toy_shelf() -> GameCatalog:
    """A shelf with the toys on it."""
    return GameCatalog(slugs=lambda: sorted(TOYS), load=find_toy)


CHEAP_HASHING = AccountLimits(hashing=Hashing(memory_kib=8, passes=1))


def toy_server(settings: Settings | None = None, journal: Journal | None = None, clock: Clock | None = None) -> Server:
    """A server of toy games that listens nowhere; if no settings are given its password hashing is cheap."""
    return Server(
        settings or Settings(accounts=CHEAP_HASHING), catalog=toy_shelf(), journal=journal, clock=clock or SYSTEM
    )


def core_of(server: Server) -> Services:
    """Return the services of a server."""
    return server._services


async def until(met: Callable[[], bool]) -> None:
    """Wait for a condition: it is checked after each of many turns of the loop, then whenever the loop is idle."""
    for _ in range(1000):
        if met():
            return
        await asyncio.sleep(0)
    await eventually(met)
