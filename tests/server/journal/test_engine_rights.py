"""Connections to the engine: a wrong password, lacking rights, certificates, and how they end."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.journal.base import START, Change, JournalError
from scoville_server.journal.jetstream import engine as engine_module
from scoville_server.journal.jetstream.client import _make_transport, connect_client
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.net.tls.context import server_context
from scoville_shared.ids import TableId
from tests.support.nats_server import BINARY, KEY, MISSING, NatsServer
from tests.support.process import quiet_port, run_server

T1 = TableId("t1")
SETTINGS = """
accounts {
    SYS { users: [{user: system, password: pass}] }
    SCOVILLE { jetstream: enabled, users: [
        {user: scoville, password: pass},
        {user: deaf, password: pass, permissions: {publish: ">", subscribe: {deny: ">"}}},
        {user: outsider, password: pass, permissions: {publish: {deny: ["$JS.>", "scoville.>", "beats.>"]}}},
        {user: reader, password: pass, permissions: {publish: ["$JS.API.STREAM.INFO.>", "$JS.API.DIRECT.GET.>"]}}
    ] }
    OTHER { jetstream: enabled, users: [{user: other, password: pass}] }
    PLAIN { users: [{user: plain, password: pass}] }
}
system_account: SYS
"""
NO_RIGHTS = r"may not do what a node needs \(permissions violation"


class Guarded:
    """A server with accounts, at which a node serves a table."""

    def __init__(self, folder: Path) -> None:
        self.server = NatsServer(folder, settings=SETTINGS)

    def place(self, user: str, password: str = "pass") -> Place:
        address = self.server.address.removeprefix("nats://")
        credentials = f"{user}:{password}@" if user else ""
        return Place(servers=(f"nats://{credentials}{address}",), replicas=1)

    def journal(self, user: str, password: str = "pass") -> JetStreamJournal:
        member = Member(user, f"{user}.example:7700", KEY)
        return JetStreamJournal(Engine(self.place(user, password)), ClusterTerms(member, 1_000, insist_seconds=0.5))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    if not BINARY.exists():
        pytest.skip(MISSING)
    guarded = Guarded(tmp_path_factory.mktemp("nats"))
    yield guarded
    guarded.server.kill()


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "ANSWER_SECONDS", 0.3)


async def open_and_serve(journal: JetStreamJournal) -> None:
    try:
        await journal.open()
        await journal.take_epoch()
    finally:
        await journal.close()


@pytest.mark.parametrize(
    ("user", "password", "sentence"),
    [
        ("scoville", "secret", "it refuses the user or the password"),
        ("stranger", "pass", "it refuses the user or the password"),
        ("", "", "it refuses the user or the password"),
        ("deaf", "pass", f"{NO_RIGHTS} for subscription"),
        ("outsider", "pass", rf"{NO_RIGHTS} for publish to .\$js.api.stream.info"),
        ("plain", "pass", "JetStream not enabled for account"),
    ],
)
async def test_user_without_rights_is_told_why(guarded: Guarded, user: str, password: str, sentence: str) -> None:
    with pytest.raises(JournalError, match=sentence) as refused:
        await open_and_serve(guarded.journal(user, password))
    assert "secret" not in refused.value.message
    assert "pass@" not in refused.value.message


async def test_nobody_without_rights_changes_anything(guarded: Guarded) -> None:
    """The epoch, tables, rows and beats stay those of the node that serves."""
    serving = guarded.journal("scoville")
    deposed: list[bool] = []
    serving.on_deposed = lambda: deposed.append(True)
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    courier = EngineCourier(guarded.place("scoville"))
    await courier.connect()
    courier.hear_messages(heard.put_nowait)
    try:
        await serving.open()
        await serving.take_epoch()
        mark = await serving.append(T1, [b"1"], START)
        with pytest.raises(JournalError, match=NO_RIGHTS):
            await open_and_serve(guarded.journal("reader"))
        for user in ("outsider", "reader", "other"):
            client = await connect_client(guarded.place(user).servers)
            for subject in ("epoch", "fence", "t.t1", "r.bans.one"):
                await client.publish(f"scoville.{subject}", b"forged")
            for call in ("STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.DELETE"):
                await client.publish(f"$JS.API.{call}.scoville", b'{"seq": 1}')
            if user != "reader":
                await client.publish("beats.scoville", b"forged")
            await client.flush()
            await client.close()
        # Another account has a cluster of its own under the same name.
        await open_and_serve(guarded.journal("other"))
        await serving.write([Change("book", "key", b"1")])
        mark = await serving.append(T1, [b"2"], mark)
        assert await serving.read(T1) == ([b"1", b"2"], mark)
        assert await serving.get("bans", "one") is None
        courier.send_message(b"own")
        assert await heard.get() == b"own", "it comes behind all others"
        assert not deposed
    finally:
        await courier.close()
        await serving.close()


async def test_unreadable_certificate_authority_is_named(tmp_path: Path) -> None:
    for file, text in ((tmp_path / "missing.pem", None), (tmp_path / "empty.pem", "")):
        if text is not None:
            file.write_text(text, encoding="utf-8")
        with pytest.raises(JournalError, match=f"{file.name}, cannot be read"):
            await Engine(Place(servers=("tls://127.0.0.1:1",), ca_file=str(file))).connect()


async def test_node_that_cannot_join_is_told_nothing_else(guarded: Guarded, tmp_path: Path) -> None:
    """Nor that its port is taken: it has opened that itself."""
    address = guarded.place("scoville", "secret").servers[0]
    options = ("--host", "127.0.0.1", "--port", str(quiet_port()), "--data", str(tmp_path))
    node = await run_server("--cluster", address, *options)
    _, said = await node.communicate()
    assert node.returncode == 1
    assert "it refuses the user or the password" in said.decode()
    assert "secret" not in said.decode()
    assert "in use" not in said.decode()


async def test_end_of_a_protected_connection_is_no_complaint(caplog: pytest.LogCaptureFixture) -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0, ssl=server_context(KEY))
    place = urlparse(f"tls://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    transport = _make_transport(SYSTEM)
    await transport.connect(place, 1024, 10)
    await transport.connect_tls(place, context, 1024, 10)
    assert await transport.read(1) == b""
    transport.close()
    await transport.wait_closed()
    server.close()
    await server.wait_closed()
    assert [record.getMessage() for record in caplog.records] == []
