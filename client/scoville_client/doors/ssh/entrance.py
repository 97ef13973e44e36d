"""Entrance of the SSH door: which connections begin a handshake, and what each of them may cost."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import asyncssh
from asyncssh.connection import SSHServerConnection
from asyncssh.encryption import get_encryption_algs
from asyncssh.kex import get_kex_algs
from asyncssh.mac import get_mac_algs

from scoville_client.doors.hosting.metering import Meter, MeteredReader, Meters, run_charged

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
        """Hand on what comes, as fast as its sender may cost."""
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
        """Read again."""
        if self._reader is not None:
            self._reader.hold_reading(held=False)

    def connection_lost(self, exc: Exception | None) -> None:
        """End SSH."""
        if self._reader is not None:
            self._reader.stop_reading()
        if self._ssh is not None:
            self._ssh.connection_lost(exc)
