"""Link to a server over TLS, which recognizes the server by its pinned key, at whichever of its addresses it serves."""

import asyncio
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address, parse_address
from scoville_client.transport.base import (
    CALL_SECONDS,
    ConnectionEnds,
    DeafListener,
    LinkError,
    Listener,
    NoServerAnswers,
    ServerRestarts,
    WrongServer,
)
from scoville_client.transport.caller import Caller, describe_loss
from scoville_client.transport.known_servers import DamagedPin, KnownServers, ServerIdentity, identity_of
from scoville_client.transport.tcp import OPEN_SECONDS, StreamLink, connect_socket
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.identity import pin_of
from scoville_shared.protocol.connection import ClientConnection, ConnectionState
from scoville_shared.protocol.messages import ByeNotice, HelloReply, Params, PingRequest, Reply

MOST: Final = 16
"""Addresses that are remembered: a hostile server could name thousands."""
NEXT_SECONDS: Final = 0.3
"""Seconds after which the next node is tried as well: a machine that is gone does not even refuse."""
NAMED_SECONDS: Final = 2.0
"""The same for a node that another one has just named: it may still restore the tables that it takes over."""


class Places:
    """The address that the user has typed, and those that the server has named; all show the same key.

    Args:
        first: The address that the user has typed, by which the server's key is known.
        more: Further addresses that the user has typed.

    Attributes:
        first: That address.
        nodes: The addresses of all nodes, as the one that served has named them at the last hello, its own first.
    """

    def __init__(self, first: Address, more: Sequence[Address] = ()) -> None:
        self.first = first
        self._typed = (first, *more)
        self.nodes: list[Address] = []
        self._known = [*dict.fromkeys(self._typed)]
        self._named: Address | None = None

    def in_order(self) -> list[Address]:
        """Return the addresses in the order in which to try them: that of the last success comes first."""
        return [*self._known]

    def patience_for(self, place: Address) -> float:
        """Return the seconds that an attempt may take before the next address is tried as well."""
        return NAMED_SECONDS if place == self._named else NEXT_SECONDS

    def note_success(self, place: Address) -> None:
        """Try an address first from now on."""
        self._named = None
        self._put_first(place)

    def note_nodes(self, nodes: Sequence[str]) -> None:
        """Note the addresses that a serving node has named, its own first; what it names no longer is forgotten."""
        named = [place for node in nodes if (place := _read_place(node)) is not None]
        if named:
            # Those that were typed too: the known name may lead to any of them.
            kept = [place for place in self._known if place in named or place in (*self._typed, self._known[0])]
            self._known = [*dict.fromkeys([*kept, *named])][:MOST]
            self.nodes = [*dict.fromkeys(named)][: MOST + 1]

    def note_moved(self, address: str) -> bool:
        """Try the address first that a node has named, or, if it does not know any, the next one.

        Returns whether it has named one.
        """
        place = _read_place(address)
        if place is not None:
            self._named = place
            self._put_first(place)
        elif len(self._known) > 1:
            self._known.append(self._known.pop(0))
        return place is not None

    def list_other_nodes(self, node: Address | None) -> list[Address]:
        """Return the addresses of all nodes but one."""
        return [place for place in self.nodes if place != node]

    def _put_first(self, place: Address) -> None:
        if place in self._known:
            self._known.remove(place)
        self._known.insert(0, place)


async def _is_true_soon(answer: asyncio.Future[bool], clock: Clock) -> bool:
    await clock.wait(answer, seconds=_PING_SECONDS)
    is_true = answer.done() and answer.result()
    answer.cancel()
    return is_true


async def _node_serves(caller: Caller) -> bool:
    """Whether the node of a connection answers a ping, and still serves."""
    try:
        await caller.call(PingRequest())
    except (LinkError, ScovilleError):
        return False
    return True


def _read_place(text: str) -> Address | None:
    with suppress(ValueError):
        # Without a pin: only what the user has typed, or has known, says which key is right.
        return parse_address(text)._replace(pin="")
    return None


SUSPECT_SECONDS: Final = 0.75
"""Seconds without an answer after which the other nodes are asked who serves; chance adds up to a half."""
_ASK_SECONDS: Final = 8.0
"""How long to wait for their answers: nodes that wait answer once they know."""
_PING_SECONDS: Final = 0.25
"""How much longer than they the own node may take to answer a ping."""
_MOST_ASKED: Final = 2
"""Nodes that are asked at once."""
_MOST: Final = 1_024
"""Bytes of the first answer that are looked at; a goodbye has about a hundred."""


class _PeekingObject(ssl.SSLObject):
    """One end of a TLS connection that keeps the first bytes of the other end before OpenSSL takes them."""

    incoming: ssl.MemoryBIO
    first: bytearray

    def do_handshake(self) -> None:
        """Go on with the handshake. Raises SSLError."""
        if not self.first and self.incoming.pending:
            # Nobody can look into a MemoryBIO: all of it is taken out and put back, before OpenSSL has taken any.
            data = self.incoming.read()
            self.incoming.write(data)
            self.first += data[:_MOST]
        super().do_handshake()


class PeekingContext(ssl.SSLContext):
    """The TLS settings of one connection, whose answer begins with `first_bytes`."""

    sslobject_class = _PeekingObject
    _first = bytearray()

    @property
    def first_bytes(self) -> bytes:
        """The first bytes that the other end has sent; empty before they arrive."""
        return bytes(self._first)

    def wrap_bio(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **options: Any) -> ssl.SSLObject:
        """Return one end of a connection over two buffers."""
        wrapped = super().wrap_bio(incoming, outgoing, *args, **options)
        assert isinstance(wrapped, _PeekingObject)
        self._first = bytearray()
        wrapped.incoming, wrapped.first = incoming, self._first
        return wrapped


def refusal_code(first_bytes: bytes) -> str:
    """Return the code of a refusal in plain text; empty if the bytes are none."""
    connection = ClientConnection()
    connection.feed_bytes(first_bytes)
    notice = next(connection.read_incoming(), None)
    return notice.code if isinstance(notice, ByeNotice) else ""


def plain_refusal(first_bytes: bytes, address: str) -> str:
    """Return the meaning of a refusal in plain text, in our words; empty if the bytes are none that we know."""
    code = refusal_code(first_bytes)
    if code == Code.BUSY:
        says = tr(
            "{address} refuses the connection: it is full, or it has too many connections from your address. "
            "Try again later.",
            address=address,
        )
    elif code == Code.SHUTTING_DOWN:
        says = tr(
            "{address} refuses the connection: it is shutting down. Try again when it has been restarted.",
            address=address,
        )
    else:
        return ""
    unproven = tr("The answer came without encryption, so it is not proven to be from the server; nothing was sent.")
    return f"{says} {unproven}"


class TlsLink(StreamLink):
    """An encrypted connection to one server. Nothing is sent before the server's key is known to be the right one.

    A server may be several nodes, of which one serves, or all: each `hello` names their addresses, and all show the
    same key. When one does not answer, the next one is tried as well. A connection whose requests are not answered is
    left once another node says that it serves, and its own does not even answer a ping: nodes follow each other faster
    than a client could be sure by itself.

    The right key has the pin of the address, or else the one that is stored for it. An unknown server is stored. A key
    that the pinned one has signed takes its place, for good: the former key is not accepted again, and signs no other
    successor.

    Args:
        address: The address, with or without a pin.
        known: The servers that the user knows.
        seconds: Limit of a call.
        clock: Clock for the limits.
        places: The addresses of its nodes, which several links may share; None for the one address.
    """

    def __init__(
        self,
        address: Address,
        known: KnownServers,
        seconds: float = CALL_SECONDS,
        clock: Clock = SYSTEM,
        places: Places | None = None,
    ) -> None:
        super().__init__()
        self._address = address
        self._places = places or Places(address)
        self._known = known
        self._seconds = seconds
        self._clock = clock
        self._pin = address.pin
        self._node: Address | None = None
        """The node of this connection: where it was reached, then as it names itself. Other links may have another."""
        self._late = 0
        """Calls that have waited for longer than usual."""
        self._asking: asyncio.Task[None] | None = None
        self.identity: ServerIdentity | None = None

    @property
    def server_name(self) -> str:
        return str(self._address)

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The key that the server has shown in the handshake, and those that it has replaced; empty before that."""
        return (
            () if self.identity is None else (self.identity.key.hex(), *(key.hex() for key in self.identity.replaced))
        )

    @property
    def has_other_nodes(self) -> bool:
        """Whether the server has other nodes, of which one may take over."""
        return bool(self._places.list_other_nodes(self._node))

    def leave_node(self) -> None:
        """Try another node first when the link is opened next."""
        self._places.note_moved("")

    async def close(self) -> None:
        asking, self._asking = self._asking, None
        if asking is not None:
            asking.cancel()
        await super().close()

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply, which may name other nodes of the server. Raises as a `Link` does.

        A node that refuses a request since another one serves counts as lost: nothing has happened, and what was asked
        for may be repeated on the next connection.
        """
        # Noted before the wait: by the time of the reply the link may have reconnected, and that connection is good.
        caller = self._caller
        try:
            with self._watch_call():
                reply = await super().call(params)
        except ScovilleError as error:
            if error.code != Code.MOVED:
                raise
            self._places.note_moved(str(error.data.get("address", "")))
            if caller is None or caller.state is not ConnectionState.OPEN:
                raise
            caller.drop_connection(_moved_text())
            raise LinkError(_moved_text()) from error
        except ConnectionEnds as error:
            # Its key has proved the server, so that it was killed or cut off at this very moment, and may be back.
            raise ServerRestarts(describe_loss(self.server_name, recognized=True)) from error
        if isinstance(reply, HelloReply):
            self._places.note_nodes(reply.nodes)
            if self._places.nodes:
                self._node = self._places.nodes[0]
        return reply

    @contextmanager
    def _watch_call(self) -> Iterator[None]:
        """Ask the other nodes who serves when the body takes long."""
        if not self.has_other_nodes:
            yield
            return
        late = 0

        def note_late() -> None:
            nonlocal late
            late = 1
            self._late += 1
            if self._asking is None or self._asking.done():
                self._asking = asyncio.get_running_loop().create_task(self._leave_former_node())

        alarm = self._clock.call_later(self._suspect_seconds(), note_late)
        try:
            yield
        finally:
            alarm.cancel()
            self._late -= late

    def _suspect_seconds(self) -> float:
        # Varied, so that not all clients of a node that was busy for a moment leave it at the same instant.
        return SUSPECT_SECONDS * (1 + self._clock.chance() / 2)

    async def _leave_former_node(self) -> None:
        """Ask the other nodes who serves, as long as calls wait; end the connection if only another one does."""
        caller = self._caller
        while self._late and caller is not None and caller is self._caller:
            # Where all nodes serve, the others say so as well: a node that only waits for the engine is not left.
            hearing = asyncio.ensure_future(_node_serves(caller))
            address = await self._ask_others()
            is_heard = await _is_true_soon(hearing, self._clock)
            if not is_heard and self._is_elsewhere(address) and caller is self._caller:
                self._places.note_moved(address)
                caller.drop_connection(_moved_text())
                return
            await self._clock.sleep(self._suspect_seconds())

    def _is_elsewhere(self, address: str) -> bool:
        """Whether an address is that of another node than this connection's."""
        # Compared with this connection's node and not with the last hello's: a node that has just taken over may be
        # slow to answer one.
        place = _read_place(address)
        return place is not None and place != self._node

    async def _ask_others(self) -> str:
        """Ask other nodes who serves; returns the address, empty if none of them knows."""
        # Beginning at random: always asking the same nodes would fail while their machine is gone.
        others = self._places.list_other_nodes(self._node)
        start = int(self._clock.chance() * len(others))
        asked = [*others[start:], *others[:start]][:_MOST_ASKED]
        asking = {asyncio.ensure_future(self._ask_node(place)) for place in asked}
        try:
            with self._clock.deadline(_ASK_SECONDS) as over:
                while asking and not over.done():
                    waiting: list[asyncio.Future[Any]] = [*asking, over]
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    done = {each for each in asking if each.done()}
                    answers = [each.result() for each in done]
                    asking -= done
                    known = next(filter(None, answers), "")
                    if known:
                        return known
            return ""
        finally:
            for each in asking:
                each.cancel()

    async def _ask_node(self, place: Address) -> str:
        """Ask one node who serves; returns the address, empty if it does not know."""
        try:
            caller = await self._connect_to(place, DeafListener(), OPEN_SECONDS)
        except LinkError:
            return ""
        try:
            await caller.call(PingRequest())
        except ScovilleError as error:
            return str(error.data.get("address", "")) if error.code == Code.MOVED else ""
        except LinkError:
            return ""
        else:
            return str(place)
        finally:
            caller.abandon()

    async def _connect(self, listener: Listener) -> Caller:
        """Connect to the first node that answers; the next one is tried when one has failed, or takes its time."""
        places, failure, somebody_answers = self._places.in_order(), LinkError(""), False
        trying: dict[asyncio.Task[Caller], Address] = {}
        try:
            while places or trying:
                if places:
                    place = places.pop(0)
                    attempt = self._connect_to(place, listener, OPEN_SECONDS)
                    trying[asyncio.get_running_loop().create_task(attempt)] = place
                await self._clock.wait(*trying, seconds=self._places.patience_for(place) if places else OPEN_SECONDS)
                for attempt_made in [each for each in trying if each.done()]:
                    place = trying.pop(attempt_made)
                    try:
                        caller = attempt_made.result()
                    except LinkError as error:
                        # Another node may be down, or even in other hands: the user hears nothing of that.
                        if isinstance(error, WrongServer) and place == self._address:
                            raise
                        failure = failure if failure.message and place != self._address else error
                        somebody_answers |= not isinstance(error, NoServerAnswers)
                    else:
                        self._places.note_success(place)
                        self._node = place._replace(pin="")
                        return caller
            raise LinkError(failure.message) if somebody_answers and isinstance(failure, NoServerAnswers) else failure
        finally:
            for each in trying:
                each.cancel()
                # A connection made in this very turn cannot be cancelled any more, and nobody else would close it.
                each.add_done_callback(_abandon_late)

    async def _connect_to(self, place: Address, listener: Listener, seconds: float) -> Caller:
        loop, context = asyncio.get_running_loop(), _make_context()
        try:
            async with self._clock.limit(seconds):
                transport, caller = await loop.create_connection(
                    lambda: Caller(listener, self.server_name, self._seconds, self._clock),
                    sock=await connect_socket(place.host, place.port),
                    ssl=context,
                    # No name is sent: servers are recognized by their key, and the name would travel in plain text.
                    server_hostname="",
                )
        except (socket.gaierror, UnicodeError):
            raise LinkError(tr("There is no computer called {host}.", host=repr(place.host))) from None
        except OSError as error:  # an SSLError and a TimeoutError are some as well
            if refusal_code(context.first_bytes) in (Code.RESTARTING, Code.MOVED):
                # Not proven to be from the server; but all that it leads to is another attempt.
                raise ServerRestarts(tr("The server is restarting and will be back in a moment.")) from None
            refused = plain_refusal(context.first_bytes, self.server_name)
            if not refused and not isinstance(error, ssl.SSLError):
                raise NoServerAnswers(
                    tr("No server answers at {address}. Is it running?", address=self.server_name)
                ) from None
            raise LinkError(refused or self._no_encryption()) from None
        try:
            # Before the caller is returned, so that no token can be sent to the wrong server.
            self._recognize_server(transport.get_extra_info("ssl_object"))
        except BaseException:
            caller.abandon()
            raise
        return caller

    def _no_encryption(self) -> str:
        return tr(
            "{address} does not answer with encryption, so nothing was sent. Either it is not a Scoville server, "
            "or someone is intercepting the connection.",
            address=self.server_name,
        )

    def _recognize_server(self, connection: ssl.SSLObject) -> None:
        """Compare the server's key with the expected one. Raises WrongServer."""
        try:
            identity = identity_of(connection.getpeercert(binary_form=True) or b"")
        except ValueError:
            raise LinkError(tr("{place} is not a Scoville server.", place=self.server_name)) from None
        stored, present, replaced = self._read_known(identity)
        expected = self._pin or stored
        if replaced:  # whatever was typed: an owner of the old key, perhaps a thief, is not the server
            newest = next(iter(sorted(present - {identity.pin})), stored)
            raise WrongServer(_replaced_key(self._address, identity.pin, newest))
        if expected and not (present and all(identity.is_known_by(pin) for pin in present)):
            raise WrongServer(_explain_mismatch(self._address, min(present, default=expected), identity.pin))
        former = tuple(map(pin_of, identity.replaced))
        # Written only when something is new: usually a connection leaves the files alone.
        if identity.pin != stored or any(not self._known.is_replaced(pin) for pin in former):
            self._known.keep_key(self._address, identity.pin, former)
        self._pin, self.identity = identity.pin, identity

    def _stored_pin(self) -> str:
        """Return the stored pin; a damaged one does not count where the user has typed another. Raises OSError."""
        try:
            return self._known.find_pin(self._address)
        except DamagedPin:
            if self._pin:
                return ""
            raise

    def _read_known(self, identity: ServerIdentity) -> tuple[str, frozenset[str], bool]:
        """Read the stored pin of the address, the pins to expect there, and whether the shown key was replaced."""
        try:
            stored = self._stored_pin()
            expected = self._pin or stored
            replaced = self._known.is_replaced(identity.pin)
            asked = identity.pin if replaced else expected  # of a replaced key the message names the successor
            return stored, self._known.present_pins(asked) if asked else frozenset(), replaced
        except DamagedPin as error:
            raise LinkError(_damaged_pin(self._address, error.path)) from error
        except OSError as error:
            raise LinkError(
                tr(
                    "The stored pin of {address} cannot be read: {reason}.",
                    address=self.server_name,
                    reason=error.strerror or "",
                )
            ) from error


def _moved_text() -> str:
    return tr("Another server has taken over; you will be connected to it in a moment.")


def _abandon_late(attempt: "asyncio.Task[Caller]") -> None:
    """End a connection that has come too late; another node has answered before."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().abandon()


def _damaged_pin(address: Address, path: Path) -> str:
    return tr(
        "The file {path} is damaged, so {address} cannot be recognized. Nothing was sent. Ask the host for the pin and "
        "type scoville join {address}#PIN, or restore the file. Without it the server would be trusted as at the first "
        "time: delete it only if you want that.",
        path=str(path),
        address=str(address._replace(pin="")),
    )


def plain_text_refused(address: Address, known: KnownServers) -> str:
    """Return why a server is not to be reached in plain text: it is known by its key. Empty if it may be."""
    try:
        pin = address.pin or known.find_pin(address)
    except OSError:
        pin = "?"
    if not pin:
        return ""
    return tr(
        "You know {address} by its key {pin}, so the connection has to be encrypted; remove --plain-text.",
        address=str(address),
        pin=pin,
    )


def _explain_mismatch(address: Address, expected: str, shown: str) -> str:
    return tr(
        "{address} shows the key {shown}, but you know it by {expected}. Nothing was sent: someone may be intercepting "
        "the connection, or the host has made a new key. Ask the host for the pin in another way. If it is {shown}, "
        "type scoville join {new}",
        address=str(address),
        shown=shown,
        expected=expected,
        new=address._replace(pin=shown).short,
    )


def _replaced_key(address: Address, shown: str, newest: str) -> str:
    return tr(
        "{address} shows the key {shown}, which its server has replaced by {newest}. Nothing was sent: somebody may "
        "have the old key, or the host has restored an old backup. A replaced key is never accepted again; ask the "
        "host to start the server with its newest key.",
        address=str(address),
        shown=shown,
        newest=newest,
    )


def _make_context() -> PeekingContext:
    """Return the TLS settings: version 1.3, and no certificate authority, since the key itself is compared."""
    context = PeekingContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
