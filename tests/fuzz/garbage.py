"""Coverage-guided bytes on a connection: atheris, starting from real conversations."""

import asyncio
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import atheris
import msgpack
from msgspec.structs import replace

with atheris.instrument_imports(include=["scoville_shared.protocol", "scoville_server.net", "scoville_server.app"]):
    from scoville_server.server import Server
    from scoville_shared.protocol.messages import METHODS

from tests.fuzz.world import SETTINGS, is_complaint
from tests.server.net.doubles import HELLO, RecordingTransport

INPUTS_OF_A_SERVER = 500
"""How much one server hears before another takes its place: what users leave behind costs time."""
TURNS = 6
ALONE = replace(SETTINGS, port=None)
CUT = 0xC1
"""The one byte that MessagePack never uses cuts an input: what is behind it arrives later."""

CONVERSATIONS: list[list[tuple[str, dict[str, Any]]]] = [
    [("table.list", {}), ("lobby.watch", {}), ("ping", {"payload": "?"})],
    [
        (
            "table.create",
            {"game": "no_thanks", "seat_count": 3, "options": {"rounds": 1}, "settings": {"start": "ready"}},
        )
    ],
    [
        ("lobby.quick_match", {"game": "dicht_dran"}),
        ("chat.say", {"text": "Hello"}),
        ("chat.read", {}),
    ],
    [("table.join", {"table": "t", "seat": 1}), ("table.play", {"table": "t", "move": {"card": 63}, "nth": 0})],
    [
        ("table.poll", {"table": "t", "since": 3, "wait_ms": 1}),
        ("table.watch", {"table": "t", "key": "k", "point_of_view": 0}),
    ],
    [
        ("account.claim_name", {"password": "a long password"}),
        ("account.login", {"name": "Anna", "password": "sesame"}),
    ],
    *[[(method, {})] for method in METHODS],
]


def try_bytes(minutes: float, seed: int) -> None:
    """Run for some minutes, then end the process: its exit status says whether there were faults."""
    corpus = Path(mkdtemp(prefix="scoville-fuzz-"))
    for number, data in enumerate(_conversations()):
        (corpus / str(number)).write_bytes(data)
    requests = [
        f"-max_total_time={round(60 * minutes)}",
        f"-seed={seed}",
        "-max_len=2048",
        f"-artifact_prefix={corpus}/",
    ]
    print(f"What it finds stays in {corpus}", flush=True)
    atheris.Setup([sys.argv[0], *requests, str(corpus)], Listener().hear)
    atheris.Fuzz()


def _conversations() -> Iterator[bytes]:
    for conversation in CONVERSATIONS:
        asked = [msgpack.packb([0, n, method, [params]]) for n, (method, params) in enumerate(conversation, 1)]
        yield b"".join(asked)
        yield bytes([CUT]).join(asked)


class Listener(logging.Handler):
    """A server that receives one input after another; its warnings are faults."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(is_complaint)
        logging.getLogger().addHandler(self)
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda _, context: self._faults.append(str(context)))
        self._faults: list[str] = []
        self._heard = 0
        self._server = self._loop.run_until_complete(_started())

    def emit(self, record: logging.LogRecord) -> None:
        self._faults.append(logging.Formatter().format(record))

    def hear(self, data: bytes) -> None:
        """Send bytes on a new connection, after a hello. Raises AssertionError for forbidden reactions."""
        self._loop.run_until_complete(self._hear(data))
        assert not self._faults, "\n".join(self._faults)

    async def _hear(self, data: bytes) -> None:
        self._heard += 1
        if self._heard % INPUTS_OF_A_SERVER == 0:
            await self._server.close()
            self._server = await _started()
        transport = RecordingTransport()
        transport.connect(self._server.make_protocol())
        transport.protocol.data_received(msgpack.packb(HELLO))
        for part in data.split(bytes([CUT])):
            if not transport.ended:
                transport.protocol.data_received(part)
                await _turns()
        codes = [message[2]["code"] for message in transport.messages() if message[0] == 1 and message[2]]
        if not transport.ended:
            transport.protocol.connection_lost(None)
        assert "internal" not in codes


async def _started() -> Server:
    server = Server(ALONE)
    await server.start()
    return server


async def _turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)
