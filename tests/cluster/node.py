"""One server of a cluster in a box, and connections to it that carry messages through the world's channels."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from scoville_server.background.eventual import Eventual
from scoville_server.cluster.node import Contact
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.peer import ConnectionHandler, End
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.neighbours import Neighbours
from scoville_server.nodes.nodes import Nodes, single_node
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ByeNotice, HostedUser, Notice, Params, Reply
from tests.cluster.beats import Air, BoxCourier
from tests.cluster.engine import Engine, NodeJournal
from tests.cluster.world import Channel, Process, World
from tests.support.server import CHEAP_HASHING, notice_of, toy_shelf

ADMIN = "Carla"


class Node:
    """A server process with its connection to the engine; `number` is that of its machine.

    A node that is started again is another Node at the same machine. `default_tables` are the games of those.
    """

    default_tables: tuple[str, ...] = ()

    def __init__(
        self, world: World, engine: Engine, air: Air, number: int, start: int, skew_ms: int, *, later_version: bool
    ) -> None:
        self.world = world
        self.number = number
        self.id = NodeId(f"node{number}")
        self.process = Process(world, f"node{number}.{start}", skew_ms)
        self.journal = NodeJournal(engine, self.process, later_version=later_version)
        self.courier = BoxCourier(air, self.process)
        self.neighbours = Neighbours(self.courier, self.id, f"{self.id}.example:1", self.process.clock)
        self.journal.on_epoch = self._begin_serving
        self.neighbours.on_followed = self.journal.note_successor
        self.server: Server | None = None
        self.accepts = self.is_stopping = False
        self.why_not = ""
        self.sides: dict[_NodeSide, None] = {}
        self.process.on_death.append(self._lose_connections)
        self.process.start_task(self._start)

    async def _start(self) -> None:
        server = Server(
            Settings(
                accounts=CHEAP_HASHING,
                admins=(ADMIN,),
                lobby_seconds=0.5,
                finished_seconds=20,
                default_tables=self.default_tables,
            ),
            catalog=toy_shelf(),
            journal=self.journal,
            clock=self.process.clock,
            make_nodes=self._make_nodes,
        )
        self.neighbours.start_beating()
        try:
            await server.start()
        except ScovilleError as error:
            self.why_not = error.message
            self.process.run_soon(self.process.kill)
            return
        self.server, self.accepts = server, True

    def _make_nodes(self, flushes: FlushQueue) -> Nodes[TableActor]:
        nodes: Nodes[TableActor] = single_node(flushes, self.id)
        contact = Contact(self.neighbours, self.journal.confirm_epoch, self.process.clock)
        return nodes._replace(restore_contact=contact.restore_contact)

    def _begin_serving(self, epoch: int) -> None:
        self.courier.epoch = epoch
        self.neighbours.begin_serving(epoch, 0.0)

    def stop(self) -> None:
        """Stop as a service manager does it: with SIGTERM, and SIGKILL for one that does not listen."""
        if self.server is None:
            self.process.kill()
        elif not self.is_stopping:
            self.is_stopping, self.accepts = True, False
            self.process.start_task(partial(self._stop, self.server))
            self.world.call_later(10, self.process.kill)

    async def _stop(self, server: Server) -> None:
        await server.close(goes_on=True)
        self.process.run_soon(self.process.kill)

    def _lose_connections(self) -> None:
        for side in [*self.sides]:
            side.to_client.send(lambda side=side: side.client_lost())


class _NodeSide:
    """The node's end of one connection, as a `Peer`."""

    door: HostedUser | None = None
    secure = True
    local = True
    number = 0
    address = ""

    def __init__(self, node: Node, to_client: Channel, client: "Connection") -> None:
        self.node = node
        self.to_client = to_client
        self._client = client
        self.handler: ConnectionHandler | None = None
        self.is_closed = False
        self._requests: dict[asyncio.Task[None], None] = {}
        node.sides[self] = None

    def client_lost(self) -> None:
        self._client.note_end(None)

    def notify(self, notice: Notice) -> None:
        if not self.is_closed:
            self.to_client.send(lambda: self._client.note_notice(notice))

    def pass_on_notice(self, notice: bytes) -> None:
        self.notify(notice_of(notice))

    def hold_requests(self) -> None:
        """Requests are small here, and answered."""

    def close(self, bye: ByeNotice | None = None) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.to_client.send(lambda: self._client.note_end(bye))
            self.node.process.run_soon(lambda: self.release(End("closed")))

    def release(self, end: End) -> None:
        self.is_closed = True
        self.node.sides.pop(self, None)
        for request in self._requests:
            request.cancel()
        if self.handler is not None:
            handler, self.handler = self.handler, None
            handler.release_connection(end)

    def handle(self, params: Params, answer: Callable[[Reply | ScovilleError], object]) -> None:
        if self.handler is None or self.is_closed:
            return
        task = self.node.process.loop.create_task(self._handle(self.handler, params, answer))
        self._requests[task] = None
        task.add_done_callback(lambda done: self._requests.pop(done, None))

    async def _handle(self, handler: ConnectionHandler, params: Params, answer: Callable[[Any], object]) -> None:
        try:
            found = handler.handle_request(params)
            if isinstance(found, Eventual):
                # In the turn in which it is there, as a connection does it: no notice overtakes it.
                found.add_done_callback(lambda done: self.to_client.send(lambda: answer(_read_result(done))))
                return
            reply: Any = await found if isinstance(found, Awaitable) else found
        except ScovilleError as error:
            reply = error
        # Also to a connection that is closing: what was asked for before is answered.
        self.to_client.send(lambda: answer(reply))


def _read_result(done: Eventual[Reply]) -> Reply | ScovilleError:
    error = done.exception()
    return error if isinstance(error, ScovilleError) else done.result()


class Connection:
    """A client's connection to one node."""

    def __init__(
        self,
        node: Node,
        client: Process,
        channels: tuple[Channel, Channel],
        on_notice: Callable[[Notice], object],
        on_end: Callable[[ByeNotice | None], object],
    ) -> None:
        self.node = node
        self._client = client
        self._to_node, to_client = channels
        self._on_notice, self._on_end = on_notice, on_end
        self.is_over = False
        self._side = _NodeSide(node, to_client, self)
        self._to_node.send(lambda: node.process.run_soon(self._accept))
        if node.process.state == "dead":
            to_client.send(lambda: self.note_end(None))

    def _accept(self) -> None:
        if self.node.server is None or not self.node.accepts:
            self._side.close()
        elif not self._side.is_closed:
            self._side.handler = self.node.server.accept_connection(self._side)

    def request(self, params: Params, answer: Callable[[Reply | ScovilleError], object]) -> None:
        def on_answer(reply: Reply | ScovilleError) -> None:
            self._client.run_soon(lambda: None if self.is_over else answer(reply))

        self._to_node.send(lambda: self.node.process.run_soon(lambda: self._side.handle(params, on_answer)))

    def hang_up(self) -> None:
        self.is_over = True
        self._to_node.send(lambda: self.node.process.run_soon(lambda: self._side.release(End("left"))))

    def note_notice(self, notice: Notice) -> None:
        self._client.run_soon(lambda: None if self.is_over else self._on_notice(notice))

    def note_end(self, bye: ByeNotice | None) -> None:
        def end() -> None:
            if not self.is_over:
                self.is_over = True
                self._on_end(bye)

        self._client.run_soon(end)
