"""Two servers that both serve, on one journal and one bus, in virtual time."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from scoville_server.journal.memory import MemoryJournal
from scoville_server.nodes.bus import Address, Answerer, Handler, NoSubscriber
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.links import LinkWire, WireDialer
from tests.support.server import CHEAP_HASHING, Caller, toy_shelf


class Both:
    """The nodes as one of them sees them; each takes over every table, and the first one gives names."""

    def __init__(self, me: NodeId) -> None:
        self.me = me
        self.running = [NodeId("a"), NodeId("b")]
        self._followers: list[Callable[[NodeId], object]] = []
        self._loss_followers: list[Callable[[NodeId], object]] = []
        self._gap_followers: list[Callable[[bool], object]] = []

    def running_nodes(self) -> list[NodeId]:
        return self.running

    def heir_of(self, thing: str) -> NodeId:
        if thing.startswith("code "):
            return self.running[sum(thing.encode()) % len(self.running)]
        return self.running[0] if thing in ("names", "quick match") else self.me

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        self._followers.append(on_return)

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        self._loss_followers.append(on_loss)

    def lose(self, node: NodeId) -> None:
        self.running = [each for each in self.running if each != node]
        for on_loss in self._loss_followers:
            on_loss(node)

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        self._gap_followers.append(on_gap)

    def note_gap(self) -> None:
        """Note that this node hung, and that the others may have missed it."""
        for on_gap in self._gap_followers:
            on_gap(True)

    def note_return(self, node: str) -> None:
        for on_return in self._followers:
            on_return(NodeId(node))


class Wire:
    """Carries the messages of all nodes, as late as it is set to; while it is cut they are lost.

    Requests, and their answers, are as `quick` as it is set to.
    """

    def __init__(self) -> None:
        self.seconds = self.quick = 0.0
        self.is_cut = False
        self.ends: list[EndOfWire] = []

    def carry(self, deliver: Callable[[], object]) -> None:
        if self.is_cut:
            return
        if self.seconds:
            asyncio.get_running_loop().call_later(self.seconds, deliver)
        else:
            deliver()

    async def wait(self) -> None:
        await asyncio.sleep(self.quick)


class EndOfWire:
    """The `Bus` of one node: what it publishes its own handlers get at once, and the others over the wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.handlers: defaultdict[Address, list[Handler]] = defaultdict(list)
        self.answerers: dict[Address, Answerer] = {}
        wire.ends.append(self)

    def publish(self, to: Address, message: bytes) -> None:
        self.take_message(to, message)
        for end in self._wire.ends:
            if end is not self:
                self._wire.carry(lambda end=end: end.take_message(to, message))

    def take_message(self, to: Address, message: bytes) -> None:
        for handle in self.handlers.get(to, ()):
            handle(message)

    async def request(self, to: Address, message: bytes) -> bytes:
        if to in self.answerers:
            return await self.answerers[to](message)
        answerers = [] if self._wire.is_cut else [end.answerers[to] for end in self._wire.ends if to in end.answerers]
        await self._wire.wait()
        if not answerers:
            raise NoSubscriber(to)
        reply = await answerers[0](message)
        await self._wire.wait()
        return reply

    async def subscribe(self, at: Address, handle: Handler) -> None:
        self.handlers[at].append(handle)

    async def answer(self, at: Address, reply: Answerer) -> None:
        self.answerers[at] = reply


class TwoServers:
    """Two servers on one journal: the second one starts while the first one lives."""

    def __init__(self, make_catalog: Callable[[], GameCatalog] = toy_shelf, **settings: Any) -> None:
        self.journal = MemoryJournal()
        self._make_catalog = make_catalog
        self.wire = Wire()
        self.members: dict[str, Both] = {}
        self.second_joins = False
        """Whether the second one takes over no table of the first one."""
        self.dialer = WireDialer()
        self._names = iter("ab")
        self._settings = settings
        self.a: Server
        self.b: Server

    async def start_server(self, data: Path | None = None) -> Server:
        me = NodeId(next(self._names))
        members = self.members[me] = Both(me)
        server = Server(
            Settings(accounts=CHEAP_HASHING, data=data, **self._settings),
            catalog=self._make_catalog(),
            journal=self.journal,
            clock=virtual_time.make_clock(),
            make_nodes=lambda flushes: join_nodes(
                flushes,
                members,
                EndOfWire(self.wire),
                joins=self.second_joins and me != "a",
                links=self.dialer.links_of(me),
            ),
        )
        await server.start()
        await asyncio.sleep(1)
        return server

    async def start_a(self) -> Server:
        self.a = await self.start_server()
        return self.a

    async def start_b(self) -> Server:
        self.b = await self.start_server()
        return self.b

    @property
    def link(self) -> LinkWire:
        """The link on which `b` asks `a`."""
        return self.dialer.wires["b", "a"]

    def end_gap(self) -> None:
        """Mend the wire; each node notes that the other one is heard again."""
        self.wire.is_cut = False
        for me, other in (("a", "b"), ("b", "a")):
            self.members[me].note_return(other)


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
