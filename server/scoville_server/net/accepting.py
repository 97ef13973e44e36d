"""Accepting connections: all that the system holds are taken in one turn of the loop, and begin in a fair order.

An event loop accepts them in the order in which they came, and the fastest one a single connection in each turn: behind
a flood a newcomer would wait for hundreds of turns. And each would get a transport, a handler and a place among the
connections before it has said anything, which costs as much as ten requests. Here a connection begins once its first
bytes are there, and that of a network that has used much of the server lately waits in the same queue as its requests.
"""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from typing import Any, Final

from scoville_runtime.clock import Alarm, Clock
from scoville_runtime.token_bucket import TokenBucket
from scoville_server.background.eventual import pass_on
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import Network, ReadScheduler, charge_both
from scoville_server.net.tls.records import holds_first_record
from scoville_server.net.unfinished import Unfinished

_logger = logging.getLogger(__name__)

BACKLOG: Final = 4096
"""Connections that the system holds until they are accepted: after a restart everybody comes back at once. One more
fails at a Unix socket, and takes a second longer at a port."""
FLOODED_BACKLOG: Final = 128
"""The same during a flood of connections that end before they have begun. The system's queue is first come, first
served: the next ones would wait behind a thousand, and a flooder whose connection finds no place waits as well."""
FUTILE: Final = 20
"""Connections that may end before they have begun without being a flood: at once, and again in FUTILE_SECONDS."""
FUTILE_SECONDS: Final = 5.0
WAITING: Final = 256
"""Accepted connections that may wait for their first bytes or a turn; each holds an open file and little else."""
WAITING_OF_NETWORK: Final = 128
"""The same of one network."""
SILENT_SECONDS: Final = 1.0
"""Seconds after which a connection begins that has said nothing: the time limits of its driver are for it, too."""
PIECES_SECONDS: Final = 0.01
"""Seconds between two looks at a first record that comes in pieces."""
_STEP: Final = 2_048
"""Bytes that are received at a time: a ClientHello has fewer."""
BEGIN_SECONDS: Final = 0.0001
"""Processor time that a beginning connection is assumed to cost later in the loop, beside its driver's."""
RESERVED: Final = 64 + WAITING
"""Files beside connections: the journal, finished games as they are written, modules that are loaded when needed, and
connections that have not begun."""
_NO_ROOM: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_ROOM_SECONDS: Final = 1.0
"""Seconds until a server without free files or memory accepts again: at once it would fail again without end."""


class Arrival:
    """An accepted connection that has not begun: a reader of the scheduler, which looks for its first bytes."""

    __slots__ = (
        "_address",
        "_arrivals",
        "_early",
        "_is_queued",
        "_is_watched",
        "_sock",
        "meter",
        "shared_meter",
        "since",
    )

    def __init__(self, arrivals: "Arrivals", sock: socket.socket, address: str, network: Network, now: float) -> None:
        self._arrivals = arrivals
        self._address = address
        self._sock: socket.socket | None = sock
        self._early = b""
        self._is_watched = self._is_queued = False
        self.shared_meter = network
        self.meter = arrivals.meter
        self.since = now

    @property
    def network(self) -> str:
        """The network that it comes from."""
        return self.shared_meter.key

    def look_or_queue(self) -> None:
        """Look for the first bytes at once, or when it is the connection's turn."""
        if self._sock is None:
            return
        scheduler = self._arrivals.scheduler
        if scheduler.may_arrive(self.shared_meter, scheduler.now()):
            self.take_turn(0.0)
        elif not self._is_queued:
            self._is_queued = True
            self.stop_watching()  # or the loop would report the same bytes in each turn
            scheduler.queue_reader(self, self.shared_meter, heavy=True)

    def take_turn(self, _seconds: float) -> None:
        """Receive the first bytes, and begin the connection, or wait for more, or close it after its peer."""
        self._is_queued = False
        if self._sock is None:
            return
        scheduler = self._arrivals.scheduler
        began = scheduler.begin_read()
        if not self._receive_first_bytes(self._sock):
            self._arrivals.note_futile()
            self.close()
        # Not with half a record: a driver could do nothing with it but wait, and has more to hold meanwhile.
        elif holds_first_record(self._early) or began - self.since >= SILENT_SECONDS:
            self._begin_connection()
        elif self._early:
            self._arrivals.look_again(self)
        else:
            self._watch_for_bytes(self._sock)
        # Even a look costs time: a flood of connections that send nothing must not be free.
        charge_both(self.shared_meter, scheduler.arrivals, began, scheduler.cost_since(began))

    def drop(self) -> None:
        """Begin although nothing has come, since too many wait: from now on its driver's limits are for it."""
        self.since = float("-inf")
        self.take_turn(0.0)

    def close(self) -> None:
        """Close a connection that has not begun."""
        if (sock := self._leave_waiting()) is not None:
            sock.close()
            self._arrivals.on_left()

    def _begin_connection(self) -> None:
        if (sock := self._leave_waiting()) is not None:
            self._arrivals.begin_connection(sock, self._early, self._address, self.shared_meter)

    def _leave_waiting(self) -> socket.socket | None:
        self.stop_watching()
        sock, self._sock = self._sock, None
        if sock is not None:
            self._arrivals.waiting.remove(self)
            self._arrivals.scheduler.leave_network(self.shared_meter)  # a driver joins by itself
        return sock

    def _receive_first_bytes(self, sock: socket.socket) -> bool:
        """Receive the first bytes; return whether the peer goes on."""
        try:
            while not holds_first_record(self._early):
                data = sock.recv(_STEP)
                if not data:
                    return False
                self._early += data
        # No more has come yet.
        except BlockingIOError:
            return True
        # The peer has reset the connection before it was accepted.
        except OSError:
            return False
        return True

    def _watch_for_bytes(self, sock: socket.socket) -> None:
        """Wait for the first bytes."""
        if not self._is_watched:
            try:
                asyncio.get_running_loop().add_reader(sock, self.look_or_queue)
            except NotImplementedError:  # the loop of Windows; there it begins without having said anything
                self._begin_connection()
            else:
                self._is_watched = True

    def stop_watching(self) -> None:
        """Wait for no bytes for now."""
        if self._is_watched and self._sock is not None:
            self._is_watched = False
            asyncio.get_running_loop().remove_reader(self._sock)


class Arrivals:
    """Accepted connections that wait for their first bytes or their turn.

    Args:
        scheduler: The queue in which they wait.
        begin: Begins a connection with the bytes that have come and its "host:port"; its cost comes later in the loop.
        on_left: Is called for each connection that has ended before it began.
    """

    def __init__(
        self,
        scheduler: ReadScheduler,
        begin: Callable[[socket.socket, bytes, str], object],
        on_left: Callable[[], object] = lambda: None,
    ) -> None:
        self.scheduler = scheduler
        self._begin = begin
        self.on_left = on_left
        self.meter = scheduler.make_meter()
        """Never charged: an arrival has used nothing itself, and what it costs is its network's."""
        self.waiting: Unfinished[Arrival] = Unfinished(WAITING, WAITING_OF_NETWORK)
        self._futile = TokenBucket(FUTILE, FUTILE / FUTILE_SECONDS, scheduler.now())
        self._alarm: Alarm | None = None
        self._in_pieces: list[Arrival] = []

    def add_connection(self, sock: socket.socket, address: str) -> None:
        """Take a connection from a "host:port"."""
        arrival = Arrival(self, sock, address, self.scheduler.join_network(address), self.scheduler.now())
        self.waiting.add(arrival)
        arrival.look_or_queue()
        if self.waiting and self._alarm is None:
            self._alarm = self.scheduler.clock.call_later(SILENT_SECONDS, self._begin_silent)

    def note_futile(self) -> None:
        """Count a connection that has ended before it began; not of users who come back, and wait at several nodes."""
        now = self.scheduler.now()
        if self.scheduler.expects_returns(now):
            return
        if self._futile.count_tokens(now) > -FUTILE:  # or a flood of hours would have to be paid off for hours
            self._futile.take_tokens(1, now)

    @property
    def backlog(self) -> int:
        """How many connections the system should hold."""
        return FLOODED_BACKLOG if self._futile.count_tokens(self.scheduler.now()) < 0 else BACKLOG

    def look_again(self, arrival: Arrival) -> None:
        """Look a little later for the rest of a record that comes in pieces: each could be a single byte."""
        if not self._in_pieces:
            self.scheduler.clock.call_later(PIECES_SECONDS, self._look_at_pieces)
        # Watched, each byte would wake the loop; one look for all of them costs the same for any number.
        arrival.stop_watching()
        self._in_pieces.append(arrival)

    def _look_at_pieces(self) -> None:
        arrivals, self._in_pieces = self._in_pieces, []
        for arrival in arrivals:
            arrival.look_or_queue()

    def begin_connection(self, sock: socket.socket, early: bytes, address: str, network: Network) -> None:
        """Begin a connection, and charge its network and all arrivals for that."""
        self.scheduler.charge_later_work(network, BEGIN_SECONDS)
        self._begin(sock, early, address)

    def close(self) -> None:
        """Begin waiting connections, which get a goodbye with its reason that way: the server stops listening."""
        if self._alarm is not None:
            self._alarm.cancel()
        for arrival in self.waiting.all:
            arrival.drop()

    def _begin_silent(self) -> None:
        """Begin the connections that have waited for long."""
        latest = self.scheduler.now() - SILENT_SECONDS
        for arrival in self.waiting.all:
            # Queued like the others: a network that keeps silent must not come before those that speak.
            if arrival.since <= latest:
                arrival.look_or_queue()
        again = self.scheduler.clock.call_later
        self._alarm = again(SILENT_SECONDS, self._begin_silent) if self.waiting else None


class Beginnings:
    """Hands accepted connections to the loop. `welcome` makes the protocol of each.

    It gets the first bytes, and the peer's "host:port" from when it was accepted, empty at a Unix socket: once a peer
    has reset the connection, the system does not know any more who it was. `on_begun` is called once a connection has
    begun, or failed to.
    """

    def __init__(
        self, welcome: Callable[[bytes, str], asyncio.BaseProtocol], on_begun: Callable[[], object] = lambda: None
    ) -> None:
        self._welcome = welcome
        self._on_begun = on_begun
        self._tasks: set[asyncio.Task[None]] = set()
        """A loop keeps no task alive."""

    def __len__(self) -> int:
        return len(self._tasks)

    def begin_connection(self, sock: socket.socket, early: bytes = b"", address: str = "") -> None:
        """Begin a connection in one of the next turns of the loop."""
        task = asyncio.get_running_loop().create_task(self._begin_connection(sock, early, address))
        self._tasks.add(task)
        task.add_done_callback(self._note_begun)

    def _note_begun(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._on_begun()

    async def close(self) -> None:
        """Wait until all connections have begun."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _begin_connection(self, sock: socket.socket, early: bytes, address: str) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: self._welcome(early, address), sock)
        except OSError as error:  # the peer is gone already
            sock.close()
            _logger.info("A connection could not begin: %s", error)


class Listener:
    """A socket that listens. Accepted sockets are handed to `add` with the peer's address.

    Args:
        sock: The bound socket.
        add: Takes a connection.
        limits: How long connections are accepted in one turn of the loop.
        clock: Clock of the pauses.
        backlog: Returns how many connections the system should hold.
    """

    def __init__(
        self,
        sock: socket.socket,
        add: Callable[[socket.socket, Any], None],
        limits: ConnectionLimits,
        clock: Clock,
        backlog: Callable[[], int] = lambda: BACKLOG,
    ) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._add = add
        self._slice = limits.slice_seconds
        self._clock = clock
        self._backlog, self._held = backlog, 0
        self._adapt_backlog()
        self._task: asyncio.Task[None] | None = None
        self._coming: asyncio.Future[None] | None = None
        """A future that is done once a connection waits in the system."""

    @property
    def port(self) -> int:
        """The bound port."""
        port: int = self._sock.getsockname()[1]
        return port

    def begin_accepting(self) -> None:
        """Accept connections from now on; until then the system holds them."""
        self._task = asyncio.get_running_loop().create_task(self._accept_forever(), name="accepting")

    def hold_connections(self) -> None:
        """Accept nothing until `begin_accepting`; the system holds who comes."""
        if self._task is not None:
            self._task.cancel()
            self._stop_watching(self._coming)

    def close(self) -> None:
        """Stop listening."""
        self.hold_connections()
        self._sock.close()

    async def _accept_forever(self) -> None:
        while True:
            try:
                # The loop wakes for the first one; those that wait behind it are then accepted without a turn for each.
                await self._wait_for_connection()
                rest = self._accept_waiting()
                self._adapt_backlog()
            except OSError as error:
                rest = 0.0
                if error.errno in _NO_ROOM:
                    _logger.error("No connection can be accepted: %s", error.strerror)
                    rest = _ROOM_SECONDS
            except Exception:
                # A bug at one connection must not leave the server deaf.
                _logger.exception("A connection could not be accepted")
                rest = 0.0
            # Also without a rest: some loops accept waiting connections without a turn for others.
            await self._clock.sleep(rest)

    async def _wait_for_connection(self) -> None:
        """Wait until one can be accepted. A loop that accepted it itself would lose it if this is cancelled then."""
        loop = asyncio.get_running_loop()
        coming = self._coming = loop.create_future()
        try:
            loop.add_reader(self._sock, pass_on, coming, None)
        except NotImplementedError:  # the loop of Windows
            self._coming = None
            self._add(*await loop.sock_accept(self._sock))
            return
        try:
            await coming
        finally:
            self._stop_watching(coming)

    def _stop_watching(self, coming: "asyncio.Future[None] | None") -> None:
        # Not those that have begun to wait since.
        if coming is not None and coming is self._coming:
            self._coming = None
            coming.get_loop().remove_reader(self._sock)

    def _accept_waiting(self) -> float:
        """Accept waiting connections, for a slice of time; return how long to rest if more waits. Raises OSError."""
        began = self._clock.seconds()
        try:
            while (took := self._clock.seconds() - began) < self._slice:
                sock, peer = self._sock.accept()
                sock.setblocking(False)
                self._add(sock, peer)
        except BlockingIOError:
            return 0.0
        return took  # half of the time, as for all arrivals, is for users who are here

    def _adapt_backlog(self) -> None:
        wanted = self._backlog()
        if wanted != self._held:
            self._held = wanted
            self._sock.listen(wanted)


def make_room(connections: int) -> int:
    """Raise the process's limit of open files for so many connections; returns how many the system allows."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return connections
    wanted = connections + RESERVED
    # Never lowered: the program that starts the server may need a higher limit for its children.
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else max(soft, min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(connections, soft - RESERVED))


async def find_addresses(host: str, port: int) -> list[tuple[str, int]]:
    """Return the addresses at which a host's port may be bound, for an empty host at every address. Raises OSError."""
    if not host:
        return [("::", port), ("0.0.0.0", port)]  # noqa: S104 - that is what an empty host means
    return [address[:2] for _, address in await _find_addresses(host, port)]


async def _find_addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, Any]]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return [*dict.fromkeys((family, address) for family, _, _, _, address in found)]


async def bind_port(host: str, port: int) -> list[socket.socket]:
    """Bind a port at all addresses of a host, or for an empty one at every address of this machine. Raises OSError."""
    if not host:
        return [_bind_everywhere(port)]
    bound: list[socket.socket] = []
    try:
        for family, address in await _find_addresses(host, port):
            bound.append(socket.create_server(address, family=family))
    except OSError:
        for each in bound:
            each.close()
        raise
    return bound


def _bind_everywhere(port: int) -> socket.socket:
    """Bind every IPv4 and IPv6 address with one socket: two sockets would get different free ports."""
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", port))
