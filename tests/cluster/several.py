"""Servers that serve in one epoch, in virtual time, with a bus and links; each can be killed at any of its writes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from scoville_server.journal.base import Change, CommitFailed, Mark, OnChange, Revision, Row
from scoville_server.journal.memory import MemoryJournal
from scoville_server.nodes.bus import Address, NoSubscriber
from scoville_server.nodes.election import MISSING_SECONDS
from scoville_server.nodes.loads import NodeLoad
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from tests.cluster.pair import Both, EndOfWire, Wire
from tests.support import virtual_time
from tests.support.journals import JournalView, shared_journal
from tests.support.links import WireDialer
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_shelf

T = TypeVar("T")
PASSWORD = "a very long password"
SETTLED = 3.0
"""Seconds after which all nodes know each other, and do what is theirs."""


def is_table(thing: str) -> bool:
    """Whether something is the id of a table, and no task."""
    return len(thing) == 12 and all(letter in "0123456789abcdef" for letter in thing)


class NodeOfSeveral(Both):
    """The nodes as one of them sees them: tables go by their hash, and all else to the first one that runs."""

    def __init__(self, me: NodeId, running: list[NodeId]) -> None:
        super().__init__(me)
        self.running = running

    def heir_of(self, thing: str) -> NodeId:
        if is_table(thing) or thing.startswith("code "):
            return max(self.running, key=lambda node: sha256(f"{node} {thing}".encode()).digest())
        return self.running[0]


class MortalBus(EndOfWire):
    """The bus of a node, which carries nothing once that is dead."""

    is_dead = False

    def publish(self, to: Address, message: bytes) -> None:
        if not self.is_dead:
            super().publish(to, message)

    def take_message(self, to: Address, message: bytes) -> None:
        if not self.is_dead:
            super().take_message(to, message)

    async def request(self, to: Address, message: bytes) -> bytes:
        if self.is_dead:
            raise NoSubscriber(to)
        return await super().request(to, message)


class MortalJournal(JournalView):
    """The journal as one node sees it, which dies at its write number `dies_at`; that one `is_kept` or not.

    One that has fallen behind follows the messages of other nodes, or what else is in its `late_books`, only when it
    catches up, and cannot while its engine `is_away`.
    """

    is_away = False
    late_books: frozenset[str] = frozenset({"chat"})

    def __init__(self, store: MemoryJournal, views: list[JournalView]) -> None:
        super().__init__(store, views)
        self._present = asyncio.Event()
        self._present.set()
        self._is_writing = False
        self._late: list[Callable[[], object]] = []

    def fall_behind(self) -> None:
        self._present.clear()

    def catch_up(self) -> None:
        late, self._late = self._late, []
        for follow in late:
            follow()
        self._present.set()

    def follow(self, book: str, on_change: OnChange) -> None:
        def follow_late(key: str, row: Row | None) -> None:
            if self._present.is_set() or self._is_writing or book not in self.late_books:
                on_change(key, row)
            else:
                self._late.append(lambda: on_change(key, row))

        self.store.follow(book, follow_late)

    async def reach_present(self) -> Callable[[Revision], bool]:
        if self.is_away:
            raise CommitFailed("The engine does not answer.")
        was_kept_before = await super().reach_present()
        await self._present.wait()
        return was_kept_before

    writes = 0
    dies_at: int | None = None
    is_kept = False
    on_death: Callable[[], object] = staticmethod(lambda: None)
    is_dead = False

    def next_view(self) -> "MortalJournal":
        return MortalJournal(self.store, self.views)

    def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Awaitable[Mark]:
        if not self._is_last():
            return super().append(table, records, after, afresh=afresh)
        if self.is_kept and not self.is_dead:
            self.store.append(table, records, after, afresh=afresh)
        return self._die()

    async def write(self, changes: Sequence[Change]) -> None:
        if not self._is_last():
            self._is_writing = True
            try:
                await super().write(changes)
            finally:
                self._is_writing = False
            return
        if self.is_kept and not self.is_dead:
            await self.store.write(changes)
        await self._die()

    def _is_last(self) -> bool:
        if not self.is_dead:
            self.writes += 1
        return self.is_dead or self.writes - 1 == self.dies_at

    def _die(self) -> "asyncio.Future[Any]":
        if not self.is_dead:
            self.is_dead = True
            self.on_death()
        # A process that is dead gets no answer.
        return asyncio.get_running_loop().create_future()


class SeveralServers:
    """Servers by their names; the first one has what one node does for all, as long as it runs."""

    def __init__(
        self,
        names: str = "ab",
        make_catalog: Callable[[], GameCatalog] = toy_shelf,
        start_ms: int = virtual_time.NOON_MS,
        **settings: Any,
    ) -> None:
        self.names = [NodeId(name) for name in names]
        self._make_catalog = make_catalog
        self._settings = settings
        self._start_ms = start_ms
        self.wire, self.dialer = Wire(), WireDialer()
        first = shared_journal()
        self._first_view = MortalJournal(first.store, first.views)
        first.views.remove(first)
        self.servers: dict[str, Server] = {}
        self.members: dict[str, NodeOfSeveral] = {}
        self.journals: dict[str, MortalJournal] = {}
        self.buses: dict[str, MortalBus] = {}
        self.doubts: dict[str, Callable[[], Awaitable[bool]]] = {}
        """By the names of nodes in doubt whether they serve, what ends once they are sure."""

    async def start(self) -> None:
        for name in self.names:
            await self.start_server(name)
        await asyncio.sleep(SETTLED)

    async def start_server(self, name: NodeId, *, joins: bool = True) -> Server:
        running = [each for each in self.names if each in self.servers or each == name]
        members = self.members[name] = NodeOfSeveral(name, running)
        journal = self.journals[name] = self._first_view.next_view() if self.journals else self._first_view
        bus = self.buses[name] = MortalBus(self.wire)
        is_first = len(self.servers) == 0
        server = self.servers[name] = Server(
            Settings(accounts=CHEAP_HASHING, **self._settings),
            catalog=self._make_catalog(),
            journal=journal,
            clock=virtual_time.make_clock(self._start_ms),
            make_nodes=lambda flushes: join_nodes(
                flushes, members, bus, joins=joins and not is_first, links=self.dialer.links_of(name)
            )._replace(
                read_loads=lambda: self._read_loads(name),
                restore_contact=lambda: self.doubts[name]() if name in self.doubts else None,
            ),
        )
        journal.on_death = lambda: self._bury(name)
        await server.start()
        for other in running:
            if other != name:
                self.members[other].running = running
                self.members[other].note_return(name)
        return server

    def _read_loads(self, me: str) -> dict[NodeId, NodeLoad]:
        """Return what the others serve that a node believes to run, as its beats tell."""
        others = [node for node in self.members[me].running if node != me and node in self.servers]
        return {node: self.core(node).balance._meter.read_load() for node in others if not self.is_dead(node)}

    def kill_at_write(self, name: str, number: int, *, is_kept: bool) -> None:
        """Kill a server at its write of a number, counted from now on."""
        journal = self.journals[name]
        journal.writes, journal.dies_at, journal.is_kept = 0, number, is_kept

    def kill(self, name: str) -> None:
        """Kill a server."""
        journal = self.journals[name]
        journal.is_dead = True
        self._bury(name)

    def silence(self, name: str) -> None:
        """Let a server hear and say nothing more on the bus."""
        self.buses[name].is_dead = True
        self.buses[name].answerers.clear()

    def is_dead(self, name: str) -> bool:
        return self.journals[name].is_dead

    def _bury(self, name: str) -> None:
        self.silence(name)
        self.dialer.links[name].open_visit = None
        for pair, wire in self.dialer.wires.items():
            if name in pair:
                wire.cut()
        for other, members in self.members.items():
            if other != name and not self.is_dead(other):
                asyncio.get_running_loop().call_later(MISSING_SECONDS, members.lose, NodeId(name))

    async def come(self, name: str, node: str) -> Caller:
        """Return a user with a claimed name."""
        caller = await Caller(self.servers[node]).hello(name)
        await caller.call(m.ClaimNameRequest(password=PASSWORD))
        return caller

    def part_nodes(self) -> None:
        """Let each node miss all others, which go on to use the same journal."""
        self.wire.is_cut = True
        for name, members in self.members.items():
            for other in [*members.running]:
                if other != name:
                    members.lose(other)

    def core(self, name: str) -> Any:
        return core_of(self.servers[name])
