"""A node of a cluster: it joins, waits for its turn, and makes the server that serves then, alone or beside others.

A node that serves, and may have been followed, keeps users waiting until it is sure again (`Contact`).
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import EventLog, Events
from scoville_runtime.host_status import ClusterStatus, NodeStatus
from scoville_server.background.shared_reads import SharedReads
from scoville_server.cluster.engine_bus import EngineBus
from scoville_server.cluster.key_switch import KeyedPort, KeySwitch
from scoville_server.cluster.link_port import LinkPort, open_link_port
from scoville_server.cluster.node_folder import NodeFolder, open_node_folder
from scoville_server.cluster.waiting_host import WaitingHost
from scoville_server.cluster.waiting_port import ANSWER_SECONDS, WaitingPort
from scoville_server.errors import server_moved
from scoville_server.identity import ServerKey
from scoville_server.journal.base import Conflict, JournalError
from scoville_server.journal.jetstream.client import Unreached
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.doubts import find_doubts, find_table_doubts
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import KEY_ADVICE, ClusterTerms, Member, OtherKey, compare_node
from scoville_server.journal.jetstream.messages import read_row_message, subject_of_row
from scoville_server.journal.jetstream.mirror import CLUSTER, Mirror
from scoville_server.journal.jetstream.seen_file import SeenFile
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.listening import ListeningSockets
from scoville_server.nodes.election import BEAT_SECONDS, Port
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.neighbours import Neighbours, ServingMembers
from scoville_server.nodes.nodes import Nodes, join_nodes
from scoville_server.nodes.settings import ClusterSettings
from scoville_server.nodes.standby import LOOK_SECONDS, ServingPort, Standby, WaitingService
from scoville_server.server import Server
from scoville_server.settings.live import LiveSettings
from scoville_server.settings.model import Settings, SettingsReader
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.balance import LoadMeter
from scoville_server.tables.storage import read_ahead
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import write_peer

_log = logging.getLogger(__name__)
_LOOK_SECONDS: Final = 0.3
START_SECONDS: Final = 60.0
"""How long a node waits at its start for an engine that is reached and does not answer."""
_WATCH_SECONDS: Final = 60.0
"""Seconds between two looks at the servers of the engine."""
_SECONDS_TO_START: Final = 1.0
_SECONDS_A_TABLE: Final = 0.005
"""How long a node may be silent when it takes over, and for each table, several times what it needs."""
NO_CONTACT_SECONDS: Final = 3.0
"""How long a node in doubt keeps users waiting: clients that hear nothing for a second ask others who serves."""
_SURE_SECONDS: Final = 1.0
"""How long a node is sure that it serves after the engine has said so: the others may simply be gone."""


def place_of(cluster: ClusterSettings) -> Place:
    """Return where a cluster keeps its journal."""
    return Place(servers=cluster.servers, name=cluster.name, system=cluster.system, ca_file=cluster.ca_file)


def _find_left(neighbours: Neighbours) -> NodeId | None:
    """Return the node that has served and has just left; None if it was lost without a word."""
    served = neighbours.served
    return NodeId(served.beat.node) if served is not None and served.beat.leaving else None


def is_passing(failure: Exception) -> bool:
    """Whether a node that could not take over waits again: another one was faster, or the engine is away.

    An engine that has lost a machine elects first, and then answers again. A key that changes at that moment is taken
    up by `KeySwitch`, before the node serves; one that lacks it accepts nobody until it has it.
    """
    return isinstance(failure, Conflict | Unreached | OtherKey) or getattr(failure, "code", "") == Code.OUTCOME_UNKNOWN


async def read_at_start(engine: Engine, mirror: Mirror, clock: Clock) -> None:
    """Connect to an engine whose servers are reached, and read it, once they have elected a leader.

    Where all machines start together, or one in the middle of a fault, that takes longer than a request. Raises
    JournalError.
    """
    until, said = clock.seconds() + START_SECONDS, ""
    while True:
        try:
            await engine.connect()
            return await mirror.catch_up()
        except Unreached as error:
            if clock.seconds() >= until:
                raise
            if error.message != said:
                _log.warning("%s This node tries again for a minute.", said := error.message)
        await engine.close()
        await clock.sleep(LOOK_SECONDS)


async def _look_at_port(clock: Clock, address: str) -> Port:
    """Look whether the port of another node is closed."""
    host, _, port = address.rpartition(":")
    opening = asyncio.ensure_future(asyncio.open_connection(host.strip("[]"), int(port)))
    # Bounded: a machine that is gone does not answer at all.
    await clock.wait(opening, seconds=_LOOK_SECONDS)
    if not opening.done():
        opening.cancel()
        return "unclear"
    try:
        _, writer = opening.result()
    # Only a refusal shows that nothing listens there; all else may be the network.
    except ConnectionRefusedError:
        return "closed"
    except OSError:
        return "unclear"
    writer.close()
    return "unclear"


class ClusterNode:
    """One process of a cluster, from its start to its end.

    Args:
        settings: Its settings, with `cluster.servers` and a data folder of its own.
        clock: The clock.

    Attributes:
        doubts: Why the engine may lose what it has acknowledged, in a sentence each.
    """

    def __init__(self, settings: Settings, clock: Clock = SYSTEM) -> None:
        self.doubts: list[str] = []
        self._settings = settings
        self._clock = clock
        cluster = settings.cluster
        self._place = place_of(cluster)
        self._courier = EngineCourier(self._place, clock)
        self._bus = EngineBus(self._courier)
        self._folder: NodeFolder | None = None
        self._switch: KeySwitch | None = None
        self._waiting = WaitingPort(settings, WaitingService(lambda: self._serving_port), lambda: self._key, clock)
        self._sending_away: asyncio.Task[None] | None = None
        self._waiting_host: WaitingHost | None = None
        self._engine = Engine(self._place, clock)
        self._events = Events(EventLog(clock))
        self._seen_file = SeenFile(clock)
        self._mirror = Mirror(self._engine, self._events.report_event, clock, self._seen_file, read_ahead)
        self._neighbours: Neighbours | None = None
        self._serving_port: ServingPort | None = None
        self._watching: asyncio.Task[None] | None = None
        self._link_port: LinkPort | None = None
        self._joins = False
        """Whether it serves beside others in this turn, in their epoch."""
        self.name = self.address = cluster.address

    @property
    def neighbours(self) -> Neighbours:
        """The other nodes, once this one has joined."""
        assert self._neighbours is not None, "it joins first"
        return self._neighbours

    @property
    def _key(self) -> ServerKey:
        return self._joined_folder.key if self._switch is None else self._switch.key

    @property
    def _joined_folder(self) -> NodeFolder:
        assert self._folder is not None, "it joins first"
        return self._folder

    def _show_key_at(self, port: KeyedPort | None) -> None:
        if self._switch is not None:
            self._switch.port = port

    async def _read_noted_key(self) -> bytes:
        """Read the public key that the cluster has noted. Raises JournalError."""
        subject = subject_of_row(CLUSTER, KEY_ADVICE)
        found = (await self._engine.read_last([subject])).get(subject)
        return b"" if found is None else read_row_message(CLUSTER, KEY_ADVICE, found.payload).value or b""

    @property
    def _member(self) -> Member:
        return Member(self.name, self.address, self._key, self._joined_folder.secrets)

    @property
    def has_others(self) -> bool:
        """Whether another node can take over."""
        return bool(self.neighbours.heard)

    @property
    def keeps_users(self) -> bool:
        """Whether its connections outlive its server: the node that follows serves all tables."""
        return self.has_others and self._link_port is None

    async def join(self, sockets: ListeningSockets) -> None:
        """Open the port, connect to the engine, and compare this node with the others.

        Raises JournalError with a sentence for the host, and OSError for the port.
        """
        data = self._settings.data
        if data is None:
            raise JournalError("A node of a cluster needs a data folder of its own, for its key; name one with --data.")
        self._folder = open_node_folder(data, self._settings.doors)
        self._seen_file.folder = data
        # First, and accepting nothing yet: with port 0 only the bound port makes the address of this node.
        await self._open_port(sockets, accepts=False)
        self.address = self.address or write_peer(socket.gethostname(), self._waiting.number)
        self.name = self.address
        await self._courier.connect()
        self._neighbours = Neighbours(self._courier, self.name, self.address, self._clock)
        self._serving_port = ServingPort(self._neighbours, partial(_look_at_port, self._clock), self._clock)
        self._link_port = await open_link_port(
            self._settings.cluster, self._neighbours, NodeId(self.name), lambda: self._key, self._clock
        )
        await read_at_start(self._engine, self._mirror, self._clock)
        self._begin_switching(data)
        await compare_node(self._engine, self._mirror, self._member)
        self._waiting.begin_accepting()
        self.doubts = await self._find_doubts()
        self._neighbours.start_beating()
        self._watching = asyncio.get_running_loop().create_task(self._watch_engine())

    def _begin_switching(self, data: Path) -> None:
        """Follow changes of the key, one that came while this node did not run first."""
        self._switch = KeySwitch(
            data, self._joined_folder.key, self._courier, self.neighbours, self._read_noted_key, self._clock
        )
        self._take_noted_key()
        self._switch.start_watching()
        self._show_key_at(self._waiting)

    async def _watch_engine(self) -> None:
        """Check repeatedly for writes that the engine may lose or has lost: a disk can fail while everything runs."""
        while True:
            await self._clock.sleep(_WATCH_SECONDS)
            if self._engine.is_connected:
                await self.look_for_doubts()

    async def look_for_doubts(self) -> None:
        """Look for writes that the engine may lose, or has lost, and log new ones."""
        before, self.doubts = self.doubts, await self._find_doubts()
        for doubt in self.doubts:
            if doubt not in before:
                _log.warning("Not durable: %s", doubt)

    async def _open_port(self, sockets: ListeningSockets, *, accepts: bool = True) -> None:
        await self._waiting.open(self._joined_folder.doors, sockets, accepts=accepts)
        self._show_key_at(self._waiting)

    async def wait_for_turn(self, sockets: ListeningSockets) -> None:
        """Send users to the node that serves until this one is to. Raises OSError, MonitoringError."""
        assert self._switch is not None, "it has joined"
        if self._link_port is not None:
            # Connections of an earlier turn's server get no more answers.
            self._link_port.renew_links()
        # Users who waited for a takeover by this node that did not come about.
        await self._waiting.send_away()
        if not self._waiting.is_open:
            await self._switch.wait_until_settled()
            await self._open_port(sockets)
        self._open_host_ports()
        # Requests to the server of an earlier turn are awaited no more.
        await self._bus.close()
        # This node has served: the journal of its server has closed the engine.
        if self._engine.is_closed:
            await self._mirror.ends.note_seen(self._mirror, at_once=True)
            self._engine = Engine(self._place, self._clock)
            self._mirror = Mirror(self._engine, self._events.report_event, self._clock, self._seen_file, read_ahead)
            await self._reach_engine()
        assert self._serving_port is not None, "it has joined"
        port, joins = self._serving_port, self._link_port is not None
        hold_users = self._waiting.hold_users
        standby = Standby(self._mirror, self.neighbours, port, self._clock, joins=joins, hold_users=hold_users)
        while True:
            self._joins = await standby.wait_for_turn()
            await self._switch.wait_until_settled()
            if self._take_noted_key():
                return
            # It would serve nobody: users know the server by the other key.
            await self._clock.sleep(LOOK_SECONDS)

    def _take_noted_key(self) -> bool:
        """Take the key that the cluster has noted, if this node has it; returns whether it shows that one."""
        noted = self._mirror.find_row(CLUSTER, KEY_ADVICE)
        if noted is None or self._switch is None:
            return True
        self._switch.finish_switch(noted.value)
        return self._key.public == noted.value

    async def _reach_engine(self) -> None:
        """Connect to the engine again, whenever it is back."""
        said = ""
        while True:
            try:
                return await self._engine.connect()
            except JournalError as error:
                if error.message != said:
                    _log.warning("%s", said := error.message)
                await self._clock.sleep(LOOK_SECONDS)

    def _open_host_ports(self) -> None:
        """Let hosts look at this node while it waits. Raises MonitoringError."""
        data = self._settings.data
        assert data is not None, "it has joined"
        port = self._waiting.number
        self._waiting_host = WaitingHost(
            self._settings, data, self.read_status, lambda: (self._settings.host, port, self._key.pin), self._clock
        )
        no_control = self._waiting_host.open_ports()
        if no_control:
            _log.warning("%s", no_control)

    async def _find_doubts(self) -> list[str]:
        return [*await find_doubts(self._engine, self._clock), *await find_table_doubts(self._mirror)]

    def read_status(self) -> ClusterStatus:
        """Return the cluster as hosts are shown it."""
        seen = self.neighbours, self._clock.seconds(), self.doubts
        return describe_cluster(self._place.name, self.address, *seen, is_connected=self._courier.is_connected)

    async def close_port(self) -> None:
        """Give the ports up for the server of this node, which inherits that of the users; those who are here wait."""
        host, self._waiting_host = self._waiting_host, None
        if host is not None:
            await host.close_ports()
        self._show_key_at(None)
        await self._waiting.pass_on()

    def begin_accepting(self) -> None:
        """Send those who have waited here to the server of this node, which accepts users now."""
        self.neighbours.begin_accepting()
        self._sending_away = asyncio.get_running_loop().create_task(self._waiting.send_away(ANSWER_SECONDS))

    def make_server(self, read_settings: SettingsReader, sockets: ListeningSockets) -> Server:
        """Make the server of this node, which takes over when it starts, or joins the others that serve."""
        neighbours, journal = self.neighbours, self._make_journal()
        links = None if self._link_port is None else self._link_port.links
        members, bus = ServingMembers(neighbours, NodeId(self.name)), self._bus
        left = None if self._joins else _find_left(neighbours)
        self._courier.on_reconnected = members.note_gap
        members.follow_losses(bus.lose_node)

        def make_nodes(flushes: FlushQueue) -> Nodes[TableActor]:
            nodes: Nodes[TableActor] = join_nodes(flushes, members, bus, joins=self._joins, links=links)
            neighbours.read_load = LoadMeter(nodes.tables, self._clock.seconds).read_load
            return nodes._replace(
                addresses=neighbours.addresses,
                read_loads=neighbours.list_loads,
                begin_draining=neighbours.begin_draining,
                read_status=self.read_status,
                restore_contact=Contact(neighbours, journal.confirm_epoch, self._clock).restore_contact,
                notice_hang=neighbours.notice_hang,
                left=left,
            )

        server = Server(
            LiveSettings(self._settings, self._clock, read_settings),
            journal=journal,
            clock=self._clock,
            sockets=sockets,
            make_nodes=make_nodes,
        )
        self._show_key_at(server.keyed_port)
        return server

    def _make_journal(self) -> JetStreamJournal:
        def begin_serving(epoch: int) -> None:
            self.neighbours.begin_serving(epoch, _SECONDS_TO_START + len(self._mirror.chains) * _SECONDS_A_TABLE)

        journal = JetStreamJournal(
            self._engine,
            ClusterTerms(
                self._member,
                self._settings.pending_writes,
                leave_out_damaged=self._settings.leave_out_damaged,
                on_epoch=begin_serving,
                # The mirror has read nothing since this node found that it is its turn.
                known_epoch=self._mirror.serving_epoch,
                knows_lanes=self.neighbours.knows_lanes,
            ),
            self._mirror,
            self._events,
        )
        # A node that was cut off learns of its successor as soon as it hears anything, and not only at its next write.
        self.neighbours.on_followed = journal.note_successor
        return journal

    async def end_serving(self, *, leaving: bool) -> None:
        """Tell the other nodes that this one has stopped serving; `leaving` asks another one to take over.

        The message has left when this returns: users get their goodbyes next, and must not reach the others before it.
        """
        self.neighbours.end_serving(leaving=leaving)
        await self._courier.flush_messages()

    async def leave(self) -> None:
        """Stop being a node."""
        if self._watching is not None:
            self._watching.cancel()
        if self._switch is not None:
            self._switch.stop_watching()
        if self._neighbours is not None:
            self._neighbours.stop_beating()
        await self.close_port()
        await self._waiting.send_away()
        if self._sending_away is not None:
            await self._sending_away
        if self._link_port is not None:
            await self._link_port.close()
        await self._mirror.ends.note_seen(self._mirror, at_once=True)
        await self._engine.close()
        await self._bus.close()
        await self._courier.close()
        if self._folder is not None:
            self._folder.lock.release_folder()


class Contact:
    """Tells whether a node that serves can be sure of that.

    Args:
        neighbours: Its knowledge of the other nodes.
        confirm: Raises ScovilleError `moved` if the engine says that another node serves, others if it does not answer.
        clock: The clock.
    """

    def __init__(self, neighbours: Neighbours, confirm: Callable[[], Awaitable[None]], clock: Clock) -> None:
        self._neighbours = neighbours
        self._confirm = confirm
        self._clock = clock
        self._reads = SharedReads(clock)
        self._sure_until = 0.0

    def restore_contact(self) -> Awaitable[bool] | None:
        """Return None while this node is sure that it serves, else what ends once it is, or after some seconds.

        The result is whether users may come: not to a node that reaches the engine, and gets no answer.
        """
        neighbours = self._neighbours
        # The engine's answer counts for a moment, but not against the beat of a successor, which is newer.
        was_confirmed = self._clock.seconds() < self._sure_until and not neighbours.is_followed
        return None if was_confirmed or not neighbours.is_in_doubt else self._wait_for_contact()

    async def _wait_for_contact(self) -> bool:
        """Raises ScovilleError `moved` when another node serves."""
        self._check_followed()
        until = self._clock.seconds() + NO_CONTACT_SECONDS
        asking = asyncio.ensure_future(self._reads.share_read(self._ask_engine))
        try:
            while self._neighbours.is_in_doubt and self._clock.seconds() < until:
                if not asking.done():
                    await self._clock.wait(asking, seconds=BEAT_SECONDS)
                elif self._read_verdict(asking):
                    return True
                else:
                    await self._clock.sleep(BEAT_SECONDS)
                self._check_followed()
            # Without any server of the engine no other node serves either, as far as this one can tell.
            return not self._neighbours.is_in_doubt or self._neighbours.is_cut_off
        finally:
            asking.cancel()

    def _check_followed(self) -> None:
        """Raise ScovilleError `moved` with the address of the successor, if one was heard."""
        if self._neighbours.is_followed:
            raise server_moved(self._neighbours.serving_address)

    def _read_verdict(self, asking: "asyncio.Future[None]") -> bool:
        """Return whether the engine has said that this node serves. Raises ScovilleError `moved`."""
        error = asking.exception()
        if isinstance(error, ScovilleError) and error.code == Code.MOVED:
            raise server_moved() from error
        return error is None

    async def _ask_engine(self) -> None:
        began = self._clock.seconds()
        await self._confirm()
        # An answer that took long says how it was when it was asked for.
        self._sure_until = began + _SURE_SECONDS


def describe_cluster(
    name: str, address: str, neighbours: Neighbours, now: float, doubts: Sequence[str], *, is_connected: bool
) -> ClusterStatus:
    """Return the cluster as a node sees it.

    Args:
        name: The name of the cluster.
        address: Where users reach this node.
        neighbours: Its knowledge of the others.
        now: The time, in monotonic seconds.
        doubts: Why the engine may lose what it has acknowledged.
        is_connected: Whether it is reached.
    """
    own = NodeStatus(
        address=address, serves=bool(neighbours.epoch), heard_seconds=None, tables=neighbours.read_load().tables
    )
    others = [
        NodeStatus(
            address=heard.beat.address,
            serves=neighbours.serves_now(heard),
            heard_seconds=now - heard.at,
            tables=heard.beat.tables,
        )
        for _, heard in sorted(neighbours.heard.items())
    ]
    return ClusterStatus(
        name=name,
        epoch=neighbours.epoch,
        serving=address if neighbours.epoch else neighbours.serving_address,
        connected=is_connected,
        nodes=[own, *others],
        doubts=[*doubts],
    )
