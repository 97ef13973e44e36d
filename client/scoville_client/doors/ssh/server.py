"""SSH server of the door: listens, and keeps account of its connections and sessions.

It decides which connections begin a handshake, and what each of them may cost.
"""

import asyncio
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import asyncssh
from asyncssh.connection import SSHServerConnection
from asyncssh.encryption import get_encryption_algs
from asyncssh.kex import get_kex_algs
from asyncssh.mac import get_mac_algs

from scoville_client.doors.hosting.events import DoorRefusal
from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.metering import Meter, MeteredReader, Meters, run_charged
from scoville_client.doors.hosting.reporting import DoorFigures
from scoville_client.doors.hosting.session import Shared
from scoville_client.doors.hosting.session_limits import BACKLOG, IDLE_SECONDS
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.doors.ssh.connection import (
    HANDSHAKES,
    HANDSHAKES_PER_ADDRESS,
    KEEPALIVE_SECONDS,
    KEEPALIVES,
    LOGIN_SECONDS,
    SESSIONS,
    SESSIONS_PER_ADDRESS,
    SshConnection,
)
from scoville_client.doors.ssh.request import SshRequest
from scoville_client.doors.ssh.session import SshSession, return_sentence
from scoville_client.doors.upstream import Upstream
from scoville_client.session.identity.hosted import HostedIdentity, Origin
from scoville_client.session.start_options import Start
from scoville_runtime.atomic_files import create_file
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_runtime.events import Events
from scoville_runtime.places import Places
from scoville_shared.engine.phrases import Phrase
from scoville_shared.networks import network_of_host, write_peer

_TRIES: Final = 16
"""Free ports that are tried: the one of the first address may be in use at another one."""
_MISSING: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
"""A machine without IPv6, or without IPv4, says one of these."""


async def bind_port(host: str, port: int, *, reuse_port: bool = False) -> list[socket.socket]:
    """Bind a port at all addresses of a host, of an empty one at every address of this machine. Raises OSError.

    Port 0 is any free one, the same at all addresses.
    """
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    addresses = [*dict.fromkeys((family, address) for family, _, _, _, address in found)]
    for _ in range(_TRIES - 1):
        try:
            return _bind_all(addresses, port, reuse_port=reuse_port)
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE:
                raise
    return _bind_all(addresses, port, reuse_port=reuse_port)


def _bind_all(
    addresses: Sequence[tuple[socket.AddressFamily, tuple[Any, ...]]], port: int, *, reuse_port: bool
) -> list[socket.socket]:
    bound = list[socket.socket]()
    missing: OSError | None = None
    try:
        for family, (address, _, *more) in addresses:
            try:
                bound.append(socket.create_server((address, port, *more), family=family, reuse_port=reuse_port))
            except OSError as error:
                # An address of a name that this machine does not have at the moment: the others are enough.
                if error.errno not in _MISSING:
                    raise
                missing = error
            else:
                # All addresses get the port that the system has chosen for the first one.
                port = port or bound[0].getsockname()[1]
    except OSError:
        # All or none: a part of them would look like a door that works.
        for each in bound:
            each.close()
        raise
    if missing is not None and not bound:
        raise missing
    return bound


_KEX: Final = (
    "mlkem768x25519-sha256",
    "sntrup761x25519-sha512",
    "sntrup761x25519-sha512@openssh.com",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
)
"""Key exchanges. A finite-field group of 8,192 bits costs the door a tenth of a second, and its client nothing."""
_ENCRYPTION: Final = ("chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr")
_MACS: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "umac-128-etm@openssh.com")
_SIGNATURES: Final = (
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
"""Signatures of users' keys."""


def offered_algorithms() -> dict[str, list[str]]:
    """Return the algorithms that the door offers, as options of asyncssh: modern ones that this installation has."""
    return {
        "kex_algs": _available_of(_KEX, get_kex_algs()),
        "encryption_algs": _available_of(_ENCRYPTION, get_encryption_algs()),
        "mac_algs": _available_of(_MACS, get_mac_algs()),
        "signature_algs": [*_SIGNATURES],
    }


def _available_of(wanted: tuple[str, ...], known: list[bytes]) -> list[str]:
    return [name for name in wanted if name.encode() in known]


class _ChargedConnection(SSHServerConnection):
    """A connection of asyncssh whose tasks are charged: key exchanges and signatures are computed there."""

    def __init__(self, loop: asyncio.AbstractEventLoop, options: Any, meter: Meter, cpu: Callable[[], float]) -> None:
        self._meter = meter
        self._cpu = cpu
        super().__init__(loop, options)

    def create_task(self, coro: Awaitable[None], task_logger: Any = None) -> "asyncio.Task[None]":
        """Run something in a task, and charge it."""
        return super().create_task(run_charged(coro, self._meter, self._cpu), task_logger)  # type: ignore[arg-type]


class Entrance(asyncio.Protocol):
    """One TCP connection to the door.

    Args:
        admits: Counts a connection of an address; returns whether there is room for it.
        options: Makes the options of asyncssh.
        meters: The meters of the process.
    """

    def __init__(
        self, admits: Callable[[str], bool], options: asyncssh.SSHServerConnectionOptions, meters: Meters
    ) -> None:
        self._admits = admits
        self._options = options
        self._meters = meters
        self._ssh: SSHServerConnection | None = None
        self._reader: MeteredReader | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin SSH if there is room: a connection that is refused costs neither a packet nor a key."""
        assert isinstance(transport, asyncio.Transport)
        # There is none where the peer is gone already.
        address = (transport.get_extra_info("peername") or ("",))[0]
        if not self._admits(address):
            transport.abort()
            return
        meter = self._meters.open_meter(address)
        self._ssh = _ChargedConnection(
            asyncio.get_running_loop(), self._options, meter, self._meters.clock.working_seconds
        )
        self._reader = MeteredReader(self._meters.clock, meter, self._ssh.data_received)
        self._reader.start_reading(transport)
        self._ssh.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Hand on arrived bytes, as fast as their sender may cost."""
        if self._reader is not None:
            self._reader.receive_bytes(data)

    def eof_received(self) -> None:
        """End the connection."""
        if self._ssh is not None:
            self._ssh.eof_received()

    def pause_writing(self) -> None:
        """Read no more from a peer that does not take its answers: they would pile up."""
        if self._reader is not None:
            self._reader.hold_reading(held=True)

    def resume_writing(self) -> None:
        """Read again: the peer takes what was written."""
        if self._reader is not None:
            self._reader.hold_reading(held=False)

    def connection_lost(self, exc: Exception | None) -> None:
        """End SSH over a connection that is lost, and drop what was not handed on yet."""
        if self._reader is not None:
            self._reader.stop_reading()
        if self._ssh is not None:
            self._ssh.connection_lost(exc)


_KIND = "ssh-ed25519"


def host_key(file: Path) -> asyncssh.SSHKey:
    """Read the host key, or make it. Raises OSError, and ValueError for a file that holds no key."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return _new_key(file)
    try:
        return asyncssh.import_private_key(content)
    except asyncssh.KeyImportError as error:
        raise ValueError(f"{file}: {error}") from error


def _new_key(file: Path) -> asyncssh.SSHKey:
    """Make a key. Of several doors that start at the same time, all use the key that was there first."""
    key = asyncssh.generate_private_key(_KIND, comment="scoville")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        create_file(file, key.export_private_key())
    except FileExistsError:
        return host_key(file)
    return key


STOPPING: Final = Phrase("The server is stopping. Your seat waits: connect again in a moment.")


class DoorOptions(NamedTuple):
    """Where a door listens.

    Attributes:
        host: Address; empty for all.
        port: Port; 0 for any free one.
        reuse_port: Whether several processes share the port.
        idle_seconds: Seconds without input after which a session ends.
    """

    host: str = ""
    port: int = 2222
    reuse_port: bool = False
    idle_seconds: float = IDLE_SECONDS


class SshDoor:
    """Lets users in over ssh, and hosts a client for each.

    Args:
        upstream: The server that they play on.
        key: The host key.
        options: Where to listen.
        clock: Clock of everything in the door.
        events: Gets its events.
        figures: Counts the bytes of its sessions.
    """

    def __init__(
        self,
        upstream: Upstream,
        key: asyncssh.SSHKey,
        options: DoorOptions,
        clock: Clock = SYSTEM,
        events: Events | None = None,
        figures: DoorFigures | None = None,
    ) -> None:
        self._upstream = upstream
        self._key = key
        self._options = options
        self._clock = clock
        self._events = events or Events()
        self.garbage = GarbageCollector(clock)
        self._shared = Shared(
            StartGate(clock=clock, quiet_seconds=self.garbage.quiet_seconds),
            InputBudgets(clock),
            self.garbage,
            clock,
            options.idle_seconds,
            events=self._events,
            figures=figures or DoorFigures(),
        )
        self._handshakes = Places(HANDSHAKES, HANDSHAKES_PER_ADDRESS)
        self._inside = Places(SESSIONS, SESSIONS_PER_ADDRESS)
        self._connections: set[SshConnection] = set()
        self._sessions: set[SshSession] = set()
        self._meters = Meters(clock)
        self._listeners: list[asyncio.Server] = []

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the host key, as ssh shows it to users who come for the first time."""
        return self._key.get_fingerprint()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._listeners[0].sockets[0].getsockname()[1]
        return port

    @property
    def sessions(self) -> int:
        """The number of users inside."""
        return len(self._sessions)

    async def open(self) -> None:
        """Listen. Raises OSError if the port is in use."""
        # Below that anybody who connects makes it write lines; important things are reported as events.
        logging.getLogger("asyncssh").setLevel(logging.ERROR)
        ssh = asyncssh.SSHServerConnectionOptions(
            server_factory=lambda: SshConnection(self),
            server_host_keys=[self._key],
            server_version="Scoville",
            encoding=None,
            line_editor=False,
            allow_scp=False,
            agent_forwarding=False,
            x11_forwarding=False,
            gss_host=None,
            password_auth=True,
            host_based_auth=False,
            login_timeout=LOGIN_SECONDS,
            keepalive_interval=KEEPALIVE_SECONDS,
            keepalive_count_max=KEEPALIVES,
            # No configuration file of the account that runs the door, which is about its own connections.
            config=[],
            **offered_algorithms(),
        )
        options = self._options
        for line in await bind_port(options.host, options.port, reuse_port=options.reuse_port):
            listener = await asyncio.get_running_loop().create_server(
                lambda: Entrance(self.admit_address, ssh, self._meters), sock=line, backlog=BACKLOG
            )
            self._listeners.append(listener)

    async def close(self) -> None:
        """Tell all users, and close; their seats wait for them."""
        for listener in self._listeners:
            listener.close()
        for session in tuple(self._sessions):
            session.end_session(STOPPING)
        await self._wait_for_sessions()
        for connection in tuple(self._connections):
            connection.abort()

    async def _wait_for_sessions(self) -> None:
        """Wait until the sessions have ended, for a few seconds at most."""
        for _ in range(50):
            if not self._sessions:
                return
            await self._clock.sleep(0.1)

    # --- what connections need ----------------------------------------------------------------------------

    def admit_address(self, address: str) -> bool:
        """Count a new connection of an address; returns whether there is room for it."""
        network = network_of_host(address)
        if self._inside.has_room(network) and self._handshakes.take_place(network):
            return True
        self._events.report_event(DoorRefusal(code="too_many", address=write_peer(address, 0)))
        return False

    def note_connection(self, connection: SshConnection) -> None:
        """Note a connection that has been admitted."""
        self._connections.add(connection)

    def logged_in(self, connection: SshConnection) -> None:
        """Count a connection as one of a user."""
        network = network_of_host(connection.address)
        self._handshakes.give_back(network)
        self._inside.add_one(network)

    def forget_connection(self, connection: SshConnection) -> None:
        self._connections.discard(connection)
        places = self._inside if connection.is_logged_in else self._handshakes
        places.give_back(network_of_host(connection.address))

    def open_session(self, connection: SshConnection) -> SshSession:
        """Make the session of a user."""
        session = SshSession(
            connection,
            lambda request: self._make_visitor(connection, request),
            self._shared,
            self._options.port,
            self._sessions.discard,
        )
        self._sessions.add(session)
        return session

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Alarm:
        """Call a function after some seconds."""
        return self._clock.call_later(seconds, callback)

    def _make_visitor(self, connection: SshConnection, request: SshRequest) -> Visitor:
        identity = HostedIdentity(
            self._upstream.read_credential,
            Origin("ssh", connection.address, connection.port),
            key=connection.key,
            resume=request.resume,
            clock=self._clock,
        )
        return Visitor(
            Start(kind="join", host="localhost", name=request.name, code=request.table),
            lambda: self._upstream.make_link(self._clock),
            identity,
            write_peer(connection.address, connection.port),
            connection.address,
            return_sentence,
            ignored_password=connection.has_typed_password,
        )
