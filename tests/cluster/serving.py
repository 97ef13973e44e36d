"""Nodes in a box that serve in one epoch, each its own tables, with users who play; nodes end and hang by seed.

Users connect to the node that serves their table: what carries requests between nodes is not here.
"""

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from scoville_server.net.flushes import FlushQueue
from scoville_server.nodes.bus import Address, Answerer, Handler, NoSubscriber
from scoville_server.nodes.neighbours import ServingMembers
from scoville_server.nodes.nodes import Nodes, join_nodes
from scoville_server.services import Services
from scoville_server.tables.actions.restart import Adopted
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.balance import LoadMeter
from scoville_server.tables.state_machine import restore_table, unpack_record
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from tests.cluster.beats import Air
from tests.cluster.engine import Engine
from tests.cluster.node import Connection, Node
from tests.cluster.world import Channel, Process, World
from tests.support.server import core_of, toy_shelf

ANSWER_SECONDS: Final = 2.0
"""How long a node waits for the answer of another one."""
PATIENCE: Final = 3.0
"""How long a user waits for an answer."""
QUIET: Final = 15.0
"""Seconds without faults at the end, after which everything must have come right."""


class Ether:
    """Carries the messages of buses, and loses those whose way is cut."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.buses: dict[str, BoxBus] = {}


class BoxBus:
    """The `Bus` of one process."""

    def __init__(self, ether: Ether, process: Process) -> None:
        self.process = process
        self.to_ether, self.from_ether = Channel(ether.world), Channel(ether.world)
        self._ether = ether
        self._handlers: defaultdict[Address, list[Handler]] = defaultdict(list)
        self._answerers: dict[Address, Answerer] = {}
        ether.buses[process.name] = self
        process.on_death.append(lambda: ether.buses.pop(process.name, None))

    def publish(self, to: Address, message: bytes) -> None:
        self._take_message(to, message)
        if not self.to_ether.is_cut:
            self.to_ether.send(lambda: self._spread_message(to, message))

    def _spread_message(self, to: Address, message: bytes) -> None:
        for bus in [*self._ether.buses.values()]:
            if bus is not self:
                bus.receive(lambda bus=bus: bus._take_message(to, message))

    def receive(self, deliver: Callable[[], object]) -> None:
        if not self.from_ether.is_cut:
            self.from_ether.send(lambda: self.process.run_soon(deliver))

    def _take_message(self, to: Address, message: bytes) -> None:
        for handle in self._handlers.get(to, ()):
            handle(message)

    async def request(self, to: Address, message: bytes) -> bytes:
        if to in self._answerers:
            return await self._answerers[to](message)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def settle(reply: bytes) -> None:
            if not answer.done():
                answer.set_result(reply)

        def find_answerer() -> None:
            for bus in [*self._ether.buses.values()]:
                if to in bus._answerers:
                    bus.receive(lambda bus=bus: bus.process.loop.create_task(bus._answer(to, message, self, settle)))

        if not self.to_ether.is_cut:
            self.to_ether.send(find_answerer)
        await self.process.clock.wait(answer, seconds=ANSWER_SECONDS)
        if not answer.done():
            raise NoSubscriber(to)
        return answer.result()

    async def _answer(self, to: Address, message: bytes, asker: "BoxBus", settle: Callable[[bytes], None]) -> None:
        reply = await self._answerers[to](message)
        if not self.to_ether.is_cut:
            self.to_ether.send(lambda: asker.receive(lambda: settle(reply)))

    async def subscribe(self, at: Address, handle: Handler) -> None:
        self._handlers[at].append(handle)

    async def answer(self, at: Address, reply: Answerer) -> None:
        self._answerers[at] = reply


class ServingNode(Node):
    """A node that serves beside others; the first one takes the epoch that they join."""

    def __init__(self, box: "Box", number: int, start: int, *, joins: bool) -> None:
        self._joins = joins
        self._ether = box.ether
        self.bus: BoxBus | None = None
        super().__init__(box.world, box.engine, box.air, number, start, 0, later_version=False)

    def _make_nodes(self, flushes: FlushQueue) -> Nodes[TableActor]:
        self.bus = BoxBus(self._ether, self.process)
        members = ServingMembers(self.neighbours, self.id)
        nodes: Nodes[TableActor] = join_nodes(flushes, members, self.bus, joins=self._joins)
        self.neighbours.read_load = LoadMeter(nodes.tables, self.process.clock.seconds).read_load
        return nodes._replace(
            read_loads=self.neighbours.list_loads,
            begin_draining=self.neighbours.begin_draining,
            notice_hang=self.neighbours.notice_hang,
        )

    @property
    def core(self) -> Services | None:
        return None if self.server is None or self.process.state == "dead" else core_of(self.server)

    def find_owner(self, table: str) -> str:
        """Return the node that serves a table as far as this one knows, empty for none."""
        core = self.core
        if core is None:
            return ""
        return self.id if table in core.tables else core.nodes.directory.find_owner(TableId(table)) or ""


class Played(NamedTuple):
    """A move that was acknowledged."""

    table: str
    seq: int


class Pair:
    """Two users who play one game after the other with each other, each connected to the node of their table."""

    def __init__(self, box: "Box", number: int) -> None:
        self.box = box
        self.users = [PlayingUser(box, f"{name}{number}") for name in ("Anna", "Ben")]
        self.table = ""

    async def live(self) -> None:
        while not self.box.is_over:
            try:
                await self._play_game()
            except Unanswered:
                for user in self.users:
                    user.hang_up()
            await self.box.users.clock.sleep(0.1)

    async def _play_game(self) -> None:
        anna = self.users[0]
        if not self.table:
            await anna.come(self.box.chance.choice([*self.box.nodes]))
            opened: m.CreateReply = await anna.ask(m.CreateRequest(game="high_card", seat_count=2))
            self.table = opened.info.table
            self.box.opened.append(self.table)
        for user in self.users:
            await user.come_to_table(self.table)
        await anna.ask(m.StartRequest(table=self.table))
        while not self.box.is_over:
            await self.box.users.clock.sleep(0.05 + 0.2 * self.box.chance.random())
            user = self.box.chance.choice(self.users)
            if not await user.play_move(self.table):
                self.table = ""
                return


class Sitter:
    """A user at a table that does not begin, who is connected for some seconds again and again."""

    def __init__(self, box: "Box", number: int, name: str) -> None:
        self.box, self.number = box, number
        self.user = PlayingUser(box, name)
        self.table = ""

    async def live(self) -> None:
        while not self.box.is_over:
            try:
                if not self.table:
                    await self.user.come(self.number)
                    opened: m.CreateReply = await self.user.ask(m.CreateRequest(game="high_card", seat_count=2))
                    self.table = opened.info.table
                await self.user.come_to_table(self.table)
            except Unanswered:
                self.user.hang_up()
            await self.box.users.clock.sleep(self.box.chance.uniform(1, 6))
            if self.box.chance.random() < 0.1:
                self.user.hang_up()


class Unanswered(Exception):
    """There is no answer, or a refusal; the users look again."""


class PlayingUser:
    """One user with one connection at a time."""

    def __init__(self, box: "Box", name: str) -> None:
        self.box = box
        self.name = name
        self.token = ""
        self.connection: Connection | None = None

    async def come(self, number: int) -> None:
        """Be connected to a node. Raises Unanswered."""
        if self.connection is not None and not self.connection.is_over and self.connection.node.number == number:
            return
        self.hang_up()
        node = self.box.nodes[number]
        if node.process.state == "dead":
            raise Unanswered
        channels = self.box.open_channel(), self.box.open_channel()
        self.connection = Connection(node, self.box.users, channels, lambda _: None, lambda _: None)
        welcome: m.HelloReply = await self.ask(
            m.HelloRequest(protocol=m.PROTOCOL, name=self.name, token=self.token or None)
        )
        self.token = welcome.token

    async def come_to_table(self, table: str) -> m.TableSnapshot:
        """Sit at a table, and return it. Raises Unanswered."""
        number = self.box.find_server(table)
        if number is None:
            raise Unanswered
        await self.come(number)
        snapshot: m.TableSnapshot = await self.ask(m.WatchRequest(table=table))
        if snapshot.seat is None and snapshot.info.status == "waiting":
            await self.ask(m.JoinRequest(table=table))
        return snapshot

    async def play_move(self, table: str) -> bool:
        """Play a move if it is this user's turn; return whether the game goes on. Raises Unanswered."""
        snapshot = await self.come_to_table(table)
        if snapshot.info.status == "finished":
            return False
        moves: m.MovesReply = await self.ask(m.MovesRequest(table=table))
        if moves.moves:
            played: m.PlayReply | None = await self.ask(m.PlayRequest(table=table, move=moves.moves[0]))
            if played is not None:
                self.box.played.append(Played(table, played.seq))
        return True

    async def ask(self, params: m.Params) -> Any:
        """Send a request and return its answer. Raises Unanswered."""
        if self.connection is None or self.connection.is_over:
            raise Unanswered
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.connection.request(params, lambda reply: None if answer.done() else answer.set_result(reply))
        await self.box.users.clock.wait(answer, seconds=PATIENCE)
        if not answer.done():
            answer.cancel()
            self.hang_up()
            raise Unanswered
        reply = answer.result()
        if isinstance(reply, ScovilleError):
            self.box.refusals[f"{type(params).__name__} {reply.code}"] += 1
            if reply.code in ("not_your_turn", "already_started"):
                return None
            raise Unanswered
        return reply

    def hang_up(self) -> None:
        if self.connection is not None and not self.connection.is_over:
            self.connection.hang_up()
        self.connection = None


class Box:
    """Three nodes, an engine, and pairs of users."""

    def __init__(self, seed: int, nodes: int = 3) -> None:
        self.world = World(seed)
        self.chance = self.world.chance
        self.engine, self.air, self.ether = Engine(self.world), Air(self.world), Ether(self.world)
        self.users = Process(self.world, "users")
        self.nodes: dict[int, ServingNode] = {}
        self.started: list[ServingNode] = []
        self.pairs: list[Pair] = []
        self.opened: list[str] = []
        self.played: list[Played] = []
        self.refusals: defaultdict[str, int] = defaultdict(int)
        self.moved = 0
        self.is_over = False
        self._starts = itertools.count(1)
        for number in range(nodes):
            self.start_node(number, joins=number > 0)
            self.world.run_until(self.world.now + 2)

    def start_node(self, number: int, *, joins: bool = True) -> ServingNode:
        if number in self.nodes:
            self.nodes[number].process.kill()
        node = self.nodes[number] = ServingNode(self, number, next(self._starts), joins=joins)
        self.started.append(node)
        return node

    def open_channel(self) -> Channel:
        return Channel(self.world)

    def begin_playing(self, pairs: int) -> None:
        self.pairs = [Pair(self, number) for number in range(pairs)]
        for pair in self.pairs:
            self.users.start_task(pair.live)

    def find_server(self, table: str) -> int | None:
        """Ask a node at random which one serves a table."""
        node = self.chance.choice([*self.nodes.values()])
        if node.process.state != "running":
            return None
        owner = node.find_owner(table)
        return next((number for number, each in self.nodes.items() if each.id == owner), None)

    def kill(self, number: int, seconds: float) -> None:
        """Kill a node, and start it again later."""
        self.nodes[number].process.kill()
        self.world.call_later(seconds, lambda: self.start_node(number))

    def hang(self, number: int, seconds: float) -> None:
        process = self.nodes[number].process
        process.hang()
        self.world.call_later(seconds, process.wake)

    def cut(self, number: int, seconds: float) -> None:
        """Cut a node off from all others; it goes on to reach the engine."""
        node = self.nodes[number]
        channels = [node.courier.to_air, node.courier.from_air]
        if node.bus is not None:
            channels += [node.bus.to_ether, node.bus.from_ether]
        for channel in channels:
            channel.cut()
            self.world.call_later(seconds, channel.mend)

    def drain(self, number: int, seconds: float) -> None:
        """Let a node hand its tables over before it ends, and start it again some seconds later."""
        node = self.nodes[number]

        async def end() -> None:
            if node.server is not None:
                await node.server.hand_over_tables(asyncio.Event())
                node.neighbours.end_serving(leaving=True)
            node.process.run_soon(node.process.kill)

        if node.process.state == "running":
            node.process.start_task(end)
        self.world.call_later(3 + seconds, lambda: self.start_node(number))

    def move_tables(self, number: int, seconds: float) -> None:
        """Move some tables of a node to others, one after the other, in so many seconds."""
        node = self.nodes[number]
        if node.core is None:
            return
        tables = [actor.table.id for actor in node.core.tables.all_tables()]
        self.chance.shuffle(tables)
        for place, table in enumerate(tables[:3]):
            self.world.call_later(place * seconds / 3, lambda table=table: self._move_table(node, table))

    def _move_table(self, node: ServingNode, table: str) -> None:
        to = self.chance.choice([each.id for each in self.nodes.values() if each is not node])

        async def move() -> None:
            if node.core is not None:
                try:
                    await node.core.balance.move_table(table, to)
                    self.moved += 1
                except ScovilleError as error:
                    self.refusals[f"move {error.code}"] += 1

        if node.process.state == "running":
            node.process.start_task(move)

    # --- faults ------------------------------------------------------------------------------------------

    def find_faults(self) -> Iterator[str]:
        """Look at everything, once it is quiet."""
        yield from self.world.faults
        running = [node for node in self.nodes.values() if node.core is not None]
        for table, records in self.engine.store._kept.items():
            found = restore_table([unpack_record(record) for record in records], toy_shelf().find_game)
            owners = [node.id for node in running if node.core is not None and table in node.core.tables]
            if len(owners) != 1:
                yield f"{table} of {found.owner} is served by {owners or 'nobody'}"
                continue
            seen = {node.id: node.find_owner(table) for node in running}
            if {*seen.values()} != {*owners}:
                yield f"{table} is at {owners}, but they say {seen}"
            served = next(node for node in running if node.id == owners[0])
            assert served.core is not None
            table_there = served.core.tables.find_table(table).table
            if table_there.seq != found.seq or table_there.owner != found.owner:
                yield f"{table} is {found.seq} of {found.owner}, at its node {table_there.seq} of {table_there.owner}"
        yield from self._find_lost_moves()
        yield from self._find_foreign_records()

    def _find_lost_moves(self) -> Iterator[str]:
        counted = defaultdict(list)
        for played in self.played:
            counted[played.table].append(played.seq)
        for table, seqs in counted.items():
            if len({*seqs}) != len(seqs):
                yield f"{table} has two moves of one number: {seqs}"
            kept = self.engine.store._kept.get(TableId(table)) or self.engine.retired.get(TableId(table), [])
            seq = restore_table([unpack_record(record) for record in kept], toy_shelf().find_game).seq
            if kept and seq < max(seqs):
                yield f"{table} has lost acknowledged moves: {seq} of {max(seqs)}"

    def list_owners(self) -> dict[TableId, list[str]]:
        """List the nodes that have served each table, one after the other."""
        owners: defaultdict[TableId, list[str]] = defaultdict(list)
        for written in self.engine.log:
            for record in map(unpack_record, written.records):
                if isinstance(record, Adopted) and owners[written.table][-1:] != [record.owner.node]:
                    owners[written.table].append(record.owner.node)
        return owners

    def count_adoptions(self) -> int:
        """Count how often a table went from one node to another one."""
        return sum(len(owners) - 1 for owners in self.list_owners().values())

    def _find_foreign_records(self) -> Iterator[str]:
        owners: dict[TableId, str] = {}
        for written in self.engine.log:
            for record in map(unpack_record, written.records):
                if isinstance(record, Adopted):
                    owners[written.table] = record.owner.node
            if owners.get(written.table, "") != written.process.name.partition(".")[0]:
                yield f"{written.process.name} has written to {written.table} of {owners.get(written.table)}"


class Outcome(NamedTuple):
    """What a run has violated, how many moves were played, and how many tables were adopted by a second node."""

    found: list[str]
    moves: int
    adopted: int


def run_fault(seed: int, begin: Callable[[Box, int, float], object]) -> Outcome:
    """Let one node hang, or be killed, for so long that others take its tables over."""
    box = Box(seed)
    with box.world.repeatable_chance():
        box.begin_playing(6)
        box.world.run_until(box.world.now + 10)
        begin(box, box.chance.randrange(3), 4.0)
        box.world.run_until(box.world.now + 3.5)
        box.is_over = True
        box.world.run_until(box.world.now + 3)
        found = [*box.find_faults()]
        box.world.close()
    return Outcome(found, len(box.played), box.count_adoptions())


def run_box(
    seed: int,
    faults: int = 4,
    pairs: int = 4,
    lasts: float = 30.0,
    more: Callable[[Box], Sequence[Callable[[int, float], object]]] = lambda _: (),
) -> Outcome:
    """Run users and faults by a seed; `more` faults than the usual ones may come."""
    box = Box(seed)
    with box.world.repeatable_chance():
        box.begin_playing(pairs)
        start = box.world.now
        for _ in range(faults):
            number = box.chance.randrange(len(box.nodes))
            at = start + box.chance.uniform(2, lasts)
            begin = box.chance.choice((box.kill, box.hang, box.cut, *more(box)))
            seconds = box.chance.choice((0.2, 0.6, 1.5, 4.0, 8.0))
            box.world.call_at(at, lambda begin=begin, number=number, seconds=seconds: begin(number, seconds))
        box.world.run_until(start + lasts + 8)
        box.world.run_until(box.world.now + QUIET)
        box.is_over = True
        box.world.run_until(box.world.now + PATIENCE + 1)
        found = [*box.find_faults()]
        box.world.close()
    return Outcome(found, len(box.played), box.count_adoptions())
