"""A server with a control socket, and clients that speak to it without an event loop of their own."""

import asyncio
import json
import os
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.control_client import CONTROL_SOCKET
from scoville_runtime.short_paths import short_path_to
from scoville_server.control.desk import ControlDesk
from scoville_server.control.service import ControlSocket
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.server import toy_server


@asynccontextmanager
async def controlled_server(
    folder: Path, clock: Clock = SYSTEM, stop: Callable[[], None] = lambda: None, **settings: Any
) -> AsyncIterator[Server]:
    """Run a server with toy games, and its control socket in a folder."""
    server = toy_server(Settings(**settings), clock=clock)
    await server.start()
    control = ControlSocket(folder, ControlDesk(server.watch_and_control(stop)), clock)
    control.open_socket()
    yield server
    await control.close_socket()
    await server.close()


class ControlLine:
    """A raw connection to a control socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, folder: Path) -> "ControlLine":
        with short_path_to(folder / CONTROL_SOCKET) as short:
            return cls(*await asyncio.open_unix_connection(short, limit=2**26))

    async def call(self, command: str, reason: str = "", **arguments: Any) -> Any:
        """Carry out a command and return the reply."""
        return await self.send(json.dumps({"command": command, "arguments": arguments, "reason": reason}).encode())

    async def send(self, request: bytes) -> Any:
        """Send the bytes of a request and return the reply; None at the end."""
        self.writer.write(request + b"\n")
        reply = await self.reader.readline()
        return json.loads(reply) if reply else None

    def close(self) -> None:
        self.writer.close()


def call_as(uid: int, gids: list[int], socket_path: str, request: bytes) -> bytes:
    """Send a request as another user of the machine, in a child process; returns the reply or the error's number.

    Needs root. The folder is entered before: those above it may be closed to others.
    """
    import socket

    reading, writing = os.pipe()
    folder, name = os.path.split(socket_path)
    child = os.fork()
    if child == 0:
        try:
            os.chdir(folder)
            os.setgroups(gids)
            os.setresgid(gids[0], gids[0], gids[0])
            os.setresuid(uid, uid, uid)
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(20)
                line.connect(name)
                with suppress(BrokenPipeError):  # the server may have refused us already
                    line.sendall(request + b"\n")
                os.write(writing, line.makefile("rb").readline())
        except OSError as error:
            os.write(writing, struct.pack("i", error.errno or 0))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        reply = pipe.read()
    os.waitpid(child, 0)
    return reply
