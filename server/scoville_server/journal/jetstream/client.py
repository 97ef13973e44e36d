"""Connections to servers of NATS, and why there is none, in a sentence for the host."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.journal.base import JournalError

if TYPE_CHECKING:
    from ssl import SSLContext

    from nats.aio.client import Client

_log = logging.getLogger(__name__)

CONNECT_SECONDS: Final = 5.0
"""How long a node looks for a server of the engine when it starts."""
RECONNECT_SECONDS: Final = 0.1
CLOSE_SECONDS: Final = 1.0
"""How long a client may take to close: it flushes first, which an engine that is away makes endless."""
GOODBYE_SECONDS: Final = 0.3
_NO_RIGHTS: Final = "permissions violation"
_REFUSED: Final = "authorization violation"
"""How errors of the engine begin, or what is in them, about a user without rights, and one who is not let in."""
_REFUSAL: Final = "it refuses the user or the password in these addresses"


class Unreached(JournalError):
    """The engine is not there, or does not answer; it may be later."""


class _Refusals:
    """Refusals of the servers to this client.

    Attributes:
        by_all: Is done when as many attempts to connect were refused as there are servers.
        reason: Why there is no connection yet, as a clause.
    """

    def __init__(self, servers: int, on_lacking_rights: Callable[[str], object]) -> None:
        self.by_all: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.reason = "no answer"
        self._left = servers
        self._on_lacking_rights = on_lacking_rights

    async def note_error(self, error: Exception) -> None:
        """Note an error of the client."""
        _log.debug("engine: %s", error)
        text = str(error).removeprefix("nats: ")
        if text.lower().startswith(_NO_RIGHTS):
            sentence = (
                f"The user of the engine may not do what a node needs ({text}): give it all rights in an account of "
                "its own, as docs/scaling.md shows."
            )
            _log.warning("%s", sentence)
            self._on_lacking_rights(sentence)
        elif mismatch := getattr(error, "verify_message", ""):
            found = mismatch.rstrip(".")
            self.reason = f"its certificate is not accepted, since {found} (cluster.ca_file names who has signed it)"
        elif _REFUSED in text.lower():
            # Of several servers one may have other passwords than the rest.
            self._left -= 1
            if self._left <= 0 and not self.by_all.done():
                self.by_all.set_result(None)


async def connect_client(
    servers: Iterable[str],
    ca_file: str = "",
    clock: Clock = SYSTEM,
    on_lacking_rights: Callable[[str], object] = lambda _: None,
    on_reconnected: Callable[[], object] = lambda: None,
) -> "Client":
    """Connect to NATS. Raises JournalError with a sentence for the host.

    Args:
        servers: The addresses of its servers.
        ca_file: The certificate authority, empty for the system's.
        clock: The clock.
        on_lacking_rights: Is called with a sentence when the engine refuses something that this user has sent.
        on_reconnected: Is called when a lost connection is made again.
    """
    try:
        from nats import errors
        from nats.aio.client import Client
    except ModuleNotFoundError:
        sentence = "A cluster needs the package nats-py, which is not installed: install the extra cluster."
        raise JournalError(sentence) from None
    options: dict[str, Any] = {"tls": _make_context(ca_file)} if ca_file else {}
    options["reconnect_time_wait"] = RECONNECT_SECONDS
    addresses = [*servers]
    client = Client()
    client._transport = _make_transport(clock)  # noqa: SLF001 - it takes none by its arguments
    refusals = _Refusals(len(addresses), on_lacking_rights)

    async def note_disconnected() -> None:
        if not client.is_closed:
            _log.warning("The connection to the engine of the cluster is lost; nothing can be saved until it is back.")

    async def note_reconnected() -> None:
        _log.warning("The engine of the cluster is reached again.")
        on_reconnected()

    connecting = asyncio.ensure_future(
        client.connect(
            addresses,
            # Without a limit: a node waits for an engine that is away, and nothing queued here is sent twice.
            max_reconnect_attempts=-1,
            connect_timeout=2,
            ping_interval=2,
            max_outstanding_pings=2,
            pending_size=0,
            allow_reconnect=True,
            error_cb=refusals.note_error,
            disconnected_cb=note_disconnected,
            reconnected_cb=note_reconnected,
            **options,
        )
    )
    await clock.wait(connecting, refusals.by_all, seconds=CONNECT_SECONDS)
    try:
        if not connecting.done():
            connecting.cancel()
            raise Unreached(_REFUSAL if refusals.by_all.done() else refusals.reason)
        connecting.result()
        return client
    except (JournalError, errors.Error, OSError) as error:
        # Without the credentials of the address, which include the password.
        where = ", ".join(address.rpartition("@")[2].removeprefix("nats://") for address in addresses)
        raise Unreached(f"The engine of the cluster is not reached at {where}: {_reason_of(error)}.") from error


def _make_transport(clock: Clock) -> Any:
    """Return a transport that does not wait for the goodbye of a vanished server: TLS would, for half a minute."""
    from nats.aio.transport import TcpTransport

    untyped: Any = TcpTransport

    class ImpatientTransport(untyped):  # type: ignore[misc]
        def __bool__(self) -> bool:
            return True  # or the client would replace it

        async def connect_tls(self, *arguments: Any, **options: Any) -> None:
            await super().connect_tls(*arguments, **options)
            # Its reader was made without encryption, and asyncio would complain of that at the end of each connection.
            self._io_writer.transport.get_protocol()._over_ssl = True  # noqa: SLF001

        async def wait_closed(self) -> None:
            closing = asyncio.ensure_future(super().wait_closed())
            await clock.wait(closing, seconds=GOODBYE_SECONDS)
            if not closing.done() and self._io_writer is not None:
                self._io_writer.transport.abort()
            await closing

    return ImpatientTransport()


def _make_context(ca_file: str) -> "SSLContext":
    """Return settings that trust one certificate authority. Raises JournalError."""
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # an SSLError is one as well
        raise JournalError(
            f"The certificate authority of cluster.ca_file, {ca_file}, cannot be read: {error}."
        ) from error


def _reason_of(error: Exception) -> str:
    return error.message if isinstance(error, JournalError) else str(error) or type(error).__name__
