"""The control socket: listens in the data folder, and answers the commands of users of this machine."""

import asyncio
import contextlib
import logging
import os
import socket
from pathlib import Path
from typing import Final

from scoville_runtime.clock import Clock
from scoville_runtime.control_client import CONTROL_SOCKET
from scoville_server.control import wire
from scoville_server.control.desk import Caller, Desk
from scoville_server.control.peers import caller_of, may_control, peer_of, refusal_text, socket_mode
from scoville_server.net.accepting import Beginnings, Listener
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors import unix_socket
from scoville_server.net.listening import ListeningSockets
from scoville_shared.errors import Code, ScovilleError

_log = logging.getLogger(__name__)

_KIND: Final = "control"
MOST_CLIENTS: Final = 32
"""Clients at once; further ones are refused. Several hosts with a `top` each, and scripts."""
IDLE_SECONDS: Final = 120.0
"""Seconds between two requests after which a client is dropped: `top` asks each second, a command once."""
READING_SECONDS: Final = 10.0
"""Seconds that a client has to read a reply, and the server to carry out a command."""
RESTARTING_SECONDS: Final = 45.0
"""The same for a restart: on a busy machine the installed version takes its time to show that it starts at all."""


class ControlSocket:
    """Listens on the socket of a data folder. Each client has one request at a time, so nothing queues up."""

    def __init__(self, folder: Path, desk: Desk, clock: Clock, sockets: ListeningSockets | None = None) -> None:
        self.path = folder / CONTROL_SOCKET
        self._folder = folder
        self._desk = desk
        self._clock = clock
        self._sockets = sockets or ListeningSockets()
        self._beginnings = Beginnings(self._make_protocol)
        self._listener: Listener | None = None
        self._clients: set[asyncio.Task[None]] = set()

    async def begin_sharing(self) -> None:
        """Answer other nodes, also while the socket cannot be opened."""
        await self._desk.begin_sharing()

    def open_socket(self) -> None:
        """Bind and listen, or inherit the socket. Raises SocketError."""
        bound = self._sockets.take_path(_KIND, self.path)
        if bound is None:
            bound = unix_socket.bind_socket(self.path, socket_mode(), "remove it, or choose another data folder")
            with contextlib.suppress(OSError):  # the folder's group may be one that the server's user is no member of
                os.chown(self.path, -1, self._folder.stat().st_gid)
        self._listener = Listener(
            bound, lambda line, _: self._beginnings.begin_connection(line), ConnectionLimits(), self._clock
        )
        self._listener.begin_accepting()
        self._sockets.keep_path(_KIND, self.path, bound)

    def stop_listening(self) -> None:
        """Stop accepting: new connections wait for the successor, which inherits the socket."""
        if self._listener is not None:
            self._listener.close()

    async def close_socket(self, *, goes_on: bool = False) -> None:
        """Stop listening, drop all clients, and remove the socket unless a successor inherits it."""
        if self._listener is None:
            return
        self._listener.close()
        if not goes_on and not self._sockets.is_stored(_KIND, self.path):
            unix_socket.remove_socket(self.path)
        await self._beginnings.close()
        for client in tuple(self._clients):
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _make_protocol(self, _early: bytes, _address: str) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=wire.LONGEST_REQUEST), self._start_client)

    def _start_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.ensure_future(self._serve_client(reader, writer))
        # The loop alone keeps no task alive.
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            caller = self._admit_client(writer)
            while line := await self._read_line(reader):
                writer.write(await self._answer_request(caller, line))
                async with self._clock.limit(READING_SECONDS):
                    await writer.drain()
        except ScovilleError as error:
            writer.write(wire.write_failure(error))
        except (OSError, TimeoutError):
            pass  # it is gone, or does not read
        except Exception:  # noqa: BLE001 - a client must not end the server
            _log.exception("the control socket has dropped a client")
        finally:
            writer.close()
            # Unread bytes are dropped then: a client that never reads must not hold a place.
            with contextlib.suppress(OSError, TimeoutError):
                async with self._clock.limit(READING_SECONDS):
                    await writer.wait_closed()
            writer.transport.abort()

    def _admit_client(self, writer: asyncio.StreamWriter) -> Caller:
        """Return the caller at the other end. Raises ScovilleError for users who may not control the server."""
        # Of a copy: the event loop's own object has no options of its system.
        with socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno())) as line:
            peer = peer_of(line)
        if not may_control(peer, self._folder):
            raise ScovilleError(Code.NOT_ALLOWED, refusal_text(self._folder))
        if len(self._clients) > MOST_CLIENTS:
            raise ScovilleError(
                Code.TOO_MANY, f"{MOST_CLIENTS} clients use the control socket already; end one of them."
            )
        return caller_of(peer)

    async def _answer_request(self, caller: Caller, line: bytes) -> bytes:
        try:
            asked = wire.read_request(line)
            restarts = asked.command.name == "restart"
            async with self._clock.limit(RESTARTING_SECONDS if restarts else READING_SECONDS):
                return wire.write_result(await self._desk.carry_out(caller, asked))
        except ScovilleError as error:
            return wire.write_failure(error)
        except TimeoutError:
            sentence = "The server did not finish this in time; look whether it happened before you repeat it."
            return wire.write_failure(ScovilleError(Code.OUTCOME_UNKNOWN, sentence))
        except Exception:  # noqa: BLE001 - the next command may succeed
            _log.exception("a command of the control socket failed")
            return wire.write_failure(ScovilleError(Code.INTERNAL, "The server failed at that; its log has more."))

    async def _read_line(self, reader: asyncio.StreamReader) -> bytes:
        """Read a request; nothing at the end. Raises TimeoutError, and ScovilleError `frame_too_large`."""
        try:
            async with self._clock.limit(IDLE_SECONDS):
                return await reader.readline()
        except ValueError:
            sentence = f"A request has at most {wire.LONGEST_REQUEST} bytes."
            raise ScovilleError(Code.FRAME_TOO_LARGE, sentence) from None
