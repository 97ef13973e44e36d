"""Servers recognized by their keys: first use, pins, rotation, unknown servers, and a man in the middle."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_client.session.changes import ConnectionLost
from scoville_client.session.session import Session
from scoville_client.transport.address import Address, parse_address
from scoville_client.transport.base import LinkError, WrongServer
from scoville_client.transport.known_servers import KnownServers, ServerIdentity, identity_of
from scoville_client.transport.tls import TlsLink, plain_text_refused
from scoville_server import handover
from scoville_server.identity import ServerKey
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.tls.context import certificate_of
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.identity import FormerKey, pin_of
from tests.support.client import HurriedClock, Recorder
from tests.support.server import GatedJournal, until

LOCAL = "127.0.0.1"
KEY = ServerKey(bytes(range(32)))
STRANGER = ServerKey(bytes(32))
NEXT = KEY.next_key()
"""The key that has replaced `KEY`."""


@contextlib.asynccontextmanager
async def serving(key: ServerKey = KEY, port: int = 0) -> AsyncIterator[Server]:
    journal = MemoryJournal()
    journal._key = key
    server = Server(Settings(host=LOCAL, port=port), journal=journal)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


@pytest.fixture
def known(tmp_path: Path) -> KnownServers:
    return KnownServers(tmp_path / "servers")


async def connected(port: int, known: KnownServers, pin: str = "") -> TlsLink:
    """Connect, say hello, and leave."""
    link, session = TlsLink(Address(LOCAL, port, pin), known), Session()
    try:
        await session.connect(link, "Anna")
    finally:
        await session.close()
    return link


async def test_an_unknown_server_is_known_from_its_first_use_on(known: KnownServers, tmp_path: Path) -> None:
    async with serving() as server:
        link = await connected(server.port, known)
        assert link.identity == ServerIdentity(KEY.public, ())
        [file] = (tmp_path / "servers").iterdir()
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text() == f"{KEY.pin}\n"
        assert KnownServers(tmp_path / "servers").find_pin(Address(LOCAL, server.port)) == KEY.pin
        await connected(server.port, known)


async def test_another_server_at_a_known_address_gets_nothing(known: KnownServers) -> None:
    async with serving(STRANGER) as server:
        known.keep_key(Address(LOCAL, server.port), KEY.pin)
        with pytest.raises(WrongServer) as refused:
            await connected(server.port, known)
        assert not server._services.sessions.arrivals
        for part in (KEY.pin, STRANGER.pin, f"scoville join {LOCAL}:{server.port}#{STRANGER.pin}", "Nothing was sent"):
            assert part in refused.value.message
        assert known.find_pin(Address(LOCAL, server.port)) == KEY.pin


async def test_an_address_may_carry_the_pin(known: KnownServers) -> None:
    async with serving() as server:
        await connected(server.port, known, KEY.pin)
        with pytest.raises(WrongServer, match=STRANGER.pin):
            await connected(server.port, known, STRANGER.pin)
        assert known.find_pin(Address(LOCAL, server.port)) == KEY.pin


async def test_a_typed_pin_replaces_the_stored_one(known: KnownServers) -> None:
    async with serving(STRANGER) as server:
        known.keep_key(Address(LOCAL, server.port), KEY.pin)
        await connected(server.port, known, STRANGER.pin)
        await connected(server.port, known)
        assert known.find_pin(Address(LOCAL, server.port)) == STRANGER.pin


@pytest.mark.parametrize("slow", [False, True])
async def test_request_under_way_is_done_once_when_the_key_changes(
    known: KnownServers, monkeypatch: pytest.MonkeyPatch, slow: bool
) -> None:
    journal = GatedJournal()
    journal._key = KEY
    server = Server(Settings(host=LOCAL, port=0, default_tables=()), journal=journal)
    await server.start()
    session = Session(clock=HurriedClock().clock)
    await session.connect(TlsLink(Address(LOCAL, server.port), known), "Anna")
    journal.gate.clear()
    opening = asyncio.ensure_future(session.lobby.create_table("no_thanks", 3, {}))
    await journal.asked.wait()
    if slow:
        monkeypatch.setattr(handover, "STEP_DOWN_SECONDS", 0)
    server.keyed_port.use_key(NEXT)
    if slow:
        with pytest.raises(LinkError):
            await opening
    journal.gate.set()
    if not slow:
        await opening
    await until(lambda: session.connection.link.losses == 1 and session.connection.online)
    await session.lobby.create_table("no_thanks", 3, {})
    # What took too long was given up, and not asked for again, which would do it twice.
    assert len(server._services.tables.all_tables()) == (1 if slow else 2)
    await session.close()
    await server.close()


async def test_key_changes_while_users_are_connected(known: KnownServers) -> None:
    async with serving() as server:
        link, session = TlsLink(Address(LOCAL, server.port), known), Session(clock=HurriedClock().clock)
        await session.connect(link, "Anna")
        server.keyed_port.hold_connections()
        server.keyed_port.use_key(NEXT)
        await until(lambda: not session.connection.online)
        server.keyed_port.begin_accepting()
        await until(lambda: session.connection.online)
        assert link.server_keys[0] == NEXT.public.hex()
        assert known.find_pin(Address(LOCAL, server.port)) == NEXT.pin
        await session.close()


@pytest.mark.parametrize("rotations", [1, 2, 16])
async def test_a_signed_successor_takes_the_place_of_the_pinned_key(known: KnownServers, rotations: int) -> None:
    key = KEY
    for _ in range(rotations):
        key = key.next_key()
    async with serving(key) as server:
        known.keep_key(Address(LOCAL, server.port), KEY.pin)
        await connected(server.port, known)
        assert known.find_pin(Address(LOCAL, server.port)) == key.pin


async def test_an_unsigned_successor_key_is_a_stranger(known: KnownServers) -> None:
    signature = STRANGER.sign("successor", STRANGER.public)
    forged = ServerKey(bytes(32), (FormerKey(KEY.public, signature),))
    async with serving(forged) as server:
        known.keep_key(Address(LOCAL, server.port), KEY.pin)
        with pytest.raises(WrongServer):
            await connected(server.port, known)


# --- keys that were replaced ----------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["", KEY.pin])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_replaced_key_is_never_accepted_again(
    known: KnownServers, tmp_path: Path, *, typed: str, restarted: bool
) -> None:
    """Somebody who has stolen the former key could be in between, and the user may have an old invitation."""
    async with serving(NEXT) as server:
        port = server.port
        await connected(port, known, KEY.pin)
    if restarted:
        known = KnownServers(tmp_path / "servers")
    async with serving(KEY, port) as thief:
        with pytest.raises(WrongServer, match=NEXT.pin) as refused:
            await connected(port, known, typed)
        assert "Nothing was sent" in refused.value.message
        assert not thief._services.sessions.arrivals
    assert known.find_pin(Address(LOCAL, port)) == NEXT.pin
    async with serving(NEXT, port):
        await connected(port, known, typed)


async def test_a_replaced_key_is_refused_at_every_address(known: KnownServers) -> None:
    known.keep_key(Address("scoville.example"), NEXT.pin, [KEY.pin])
    async with serving() as thief:
        with pytest.raises(WrongServer, match=NEXT.pin):
            await connected(thief.port, known, KEY.pin)
        known.keep_key(Address(LOCAL, thief.port), KEY.pin)  # as stored before the user met the successor elsewhere
        with pytest.raises(WrongServer, match=NEXT.pin):
            await connected(thief.port, known)


@pytest.mark.parametrize("typed", ["", KEY.pin])
async def test_a_replaced_key_signs_no_other_successor(known: KnownServers, typed: str) -> None:
    stolen = ServerKey(bytes(32), (FormerKey(KEY.public, KEY.sign("successor", STRANGER.public)),))
    async with serving(stolen) as thief:
        address = Address(LOCAL, thief.port)
        known.keep_key(address, NEXT.pin, [KEY.pin])
        with pytest.raises(WrongServer, match=NEXT.pin):
            await connected(thief.port, known, typed)
        assert known.find_pin(address) == NEXT.pin


async def test_replaced_keys_are_learnt_at_the_first_use(known: KnownServers) -> None:
    async with serving(NEXT.next_key()) as server:
        port = server.port
        await connected(port, known)
    for former in (KEY, NEXT):
        async with serving(former, port):
            with pytest.raises(WrongServer):
                await connected(port, known, former.pin)


async def test_replaced_keys_are_bounded_and_the_newest_stay(known: KnownServers, tmp_path: Path) -> None:
    address, newer = (
        Address("example"),
        [f"{chr(65 + number // 26)}{chr(65 + number % 26):A>19}" for number in range(100)],
    )
    for number, pin in enumerate(newer[1:], 1):
        known.keep_key(address, pin, [newer[number - 1]])
    again = KnownServers(tmp_path / "servers")
    assert [pin for pin in newer if again.is_replaced(pin)] == newer[-65:-1]


async def test_without_files_replaced_keys_are_refused_for_the_process() -> None:
    known = KnownServers(None)
    async with serving(NEXT) as server:
        port = server.port
        await connected(port, known, KEY.pin)
    async with serving(KEY, port):
        with pytest.raises(WrongServer):
            await connected(port, known, KEY.pin)


async def test_an_unreadable_list_of_replaced_keys_accepts_nothing(known: KnownServers, tmp_path: Path) -> None:
    (tmp_path / "servers" / "example_5757.replaced").mkdir(parents=True)
    async with serving() as server:
        with pytest.raises(LinkError, match="cannot be read"):
            await connected(server.port, known)


async def test_a_pin_that_cannot_be_read_is_no_first_use(known: KnownServers, tmp_path: Path) -> None:
    async with serving() as server:
        (tmp_path / "servers" / f"{LOCAL}_{server.port}.pin").mkdir(parents=True)
        with pytest.raises(LinkError, match="cannot be read"):
            await connected(server.port, known)
        (tmp_path / "servers" / f"{LOCAL}_{server.port}.pin").rmdir()


@pytest.mark.parametrize("content", [b"", b"ABC", b"?" * 20 + b"\n", b"A" * 20, b"\xff" * 21, b"a" * 20 + b"\n"])
async def test_a_damaged_pin_is_named_with_its_remedy(known: KnownServers, tmp_path: Path, content: bytes) -> None:
    async with serving() as server:
        await connected(server.port, known)
        file = tmp_path / "servers" / f"127.0.0.1_{server.port}.pin"
        pin = file.read_bytes()
        file.write_bytes(content)
        with pytest.raises(
            LinkError, match=r"\.pin is damaged.*Ask the host for the pin.*delete it only if"
        ) as refused:
            await connected(server.port, known)
        assert "someone may be intercepting" not in refused.value.message
        assert file.read_bytes() == content
        await connected(server.port, known, pin.decode().strip())
        assert file.read_bytes() == pin, "the pin that the user has typed is stored again"
        await connected(server.port, known)


async def test_without_files_servers_are_known_for_the_process(tmp_path: Path) -> None:
    (tmp_path / "servers").write_text("a file")
    for known in (KnownServers(tmp_path / "servers" / "x"), KnownServers(None)):
        known.keep_key(Address(LOCAL, 1), KEY.pin)
        assert known.find_pin(Address(LOCAL, 1)) == KEY.pin


async def test_a_lost_connection_is_not_taken_up_with_another_server(known: KnownServers) -> None:
    session = Session(clock=HurriedClock().clock)
    recorder = Recorder(session)
    async with serving() as server:
        port = server.port
        await session.connect(TlsLink(Address(LOCAL, port), known))
    async with serving(STRANGER, port):
        await until(lambda: bool(recorder.of(ConnectionLost)))
        assert STRANGER.pin in recorder.of(ConnectionLost)[0].reason
    await session.close()


# --- somebody in between --------------------------------------------------------------------------------


class Tap:
    """A man in the middle, who records all bytes, or replies in plain text himself."""

    def __init__(self, port: int, answer: bytes = b"") -> None:
        self.seen = b""
        self._port = port
        self._answer = answer
        self._tasks: list[asyncio.Task[None] | None] = []

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._came, LOCAL, 0)
        try:
            yield int(server.sockets[0].getsockname()[1])
        finally:
            server.close()
            await asyncio.gather(*filter(None, self._tasks))
            await server.wait_closed()

    async def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.append(asyncio.current_task())
        await self._serve(reader, writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._answer:
            self.seen += await reader.read(65536)
            writer.write(self._answer)
            with contextlib.suppress(ConnectionError):
                self.seen += await reader.read()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            return
        there, on = await asyncio.open_connection(LOCAL, self._port)
        await asyncio.gather(self._carry(reader, on), self._carry(there, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                self.seen += data
                writer.write(data)
        writer.close()


async def test_an_eavesdropper_finds_no_secret_in_the_bytes(known: KnownServers) -> None:
    nonces: list[str] = []

    def nonce() -> str:
        nonces.append(f"{len(nonces) + 1:02x}" * 32)
        return nonces[-1]

    async with serving() as server:
        tap = Tap(server.port)
        async with tap.listening() as port:
            session = Session(nonce)
            await session.connect(TlsLink(Address(LOCAL, port), known), "Annabella")
            await session.account.claim_name("a long password")
            table = await session.lobby.create_table("no_thanks", 3)
            await session.join_table(table.table)
            token = session.connection.token
            await session.close()
    assert nonces
    assert token
    assert len(tap.seen) > 1000
    for secret in (
        token.encode(),
        b"a long password",
        bytes.fromhex(nonces[0]),
        nonces[0].encode(),
        b"Annabella",
        b"hello",
    ):
        assert secret not in tap.seen


@pytest.mark.parametrize(
    "answer", [b"\x94\x01\x01\xc0\x80", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28"]
)
@pytest.mark.parametrize("pinned", [True, False])
async def test_nobody_talks_a_client_into_plain_text(known: KnownServers, pinned: bool, answer: bytes) -> None:
    tap = Tap(0, answer)
    async with tap.listening() as port:
        if pinned:
            known.keep_key(Address(LOCAL, port), KEY.pin)
        with pytest.raises(LinkError, match="nothing was sent"):
            await connected(port, known)
    assert tap.seen[0] == 0x16
    assert b"hello" not in tap.seen


def test_a_known_server_is_not_reached_in_plain_text(known: KnownServers) -> None:
    address = Address("example")
    assert plain_text_refused(address, known) == ""
    assert KEY.pin in plain_text_refused(address._replace(pin=KEY.pin), known)
    known.keep_key(address, KEY.pin)
    assert KEY.pin in plain_text_refused(address, known)
    assert plain_text_refused(Address("example", 5758), known) == ""


# --- addresses ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["example", "192.0.2.7:80", "[::1]:5758", "fe80::1%eth0"])
def test_an_address_with_a_pin_is_read_and_written(place: str) -> None:
    address = parse_address(f"{place}#{KEY.pin.lower()}")
    assert address == parse_address(place)._replace(pin=pin_of(KEY.public))
    assert parse_address(address.short) == address
    assert "#" not in str(address)


@pytest.mark.parametrize("pin", ["", "A" * 19, "A" * 21, "A" * 19 + "1", "A" * 19 + "\u017f", "A" * 10 + "#" + "A" * 9])
def test_invalid_pin_is_explained(pin: str) -> None:
    with pytest.raises(ValueError, match=r"is not a pin.*\.$"):
        parse_address(f"example#{pin}")


def test_a_key_with_which_anybody_can_sign_is_no_identity() -> None:
    """A server could deny what such a key has signed."""
    certificate = ServerKey(bytes(32))
    weak = bytes([1, *bytes(31)])
    der = ssl.PEM_cert_to_DER_cert(certificate_of(certificate).decode()).replace(certificate.public, weak)
    with pytest.raises(ValueError, match="anybody can sign"):
        identity_of(der)
