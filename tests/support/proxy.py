"""TCP proxy between a client and a server, whose connections can be cut, silenced and restored."""

import asyncio
from types import TracebackType
from typing import Self


class Proxy:
    """Forwards bytes to the server at `port` until it is cut.

    `cut` closes every connection and accepts none, `silence` keeps the connections but forwards nothing (like a pulled
    network cable), `swallow` does so with new ones as well, `mend` forwards again from then on.
    """

    def __init__(self, port: int) -> None:
        self.port = 0
        self._server_port = port
        self._cut = self._swallows = False
        self._silent: set[asyncio.StreamWriter] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._listening = await asyncio.start_server(self._came, "127.0.0.1", 0)
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._listening.wait_closed()

    def cut(self) -> None:
        """Close every connection, and every new one at once."""
        self._cut = True
        for writer in self._writers:
            writer.close()

    def silence(self) -> None:
        """Stop forwarding on the present connections; new ones work."""
        self._silent |= self._writers

    def swallow(self) -> None:
        """Stop forwarding on all connections; new ones are accepted, as by the system of a process that hangs."""
        self.silence()
        self._swallows = True

    def mend(self) -> None:
        """Forward new connections again."""
        self._cut = self._swallows = False

    async def _came(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.close()
            return
        if self._swallows:
            self._writers.add(writer)
            return
        try:
            there, on = await asyncio.open_connection("127.0.0.1", self._server_port)
        except ConnectionError:  # the server is down, which looks the same from here
            writer.close()
            return
        self._writers |= {writer, on}
        for source, sink in ((reader, on), (there, writer)):
            task = asyncio.get_running_loop().create_task(self._carry(source, sink))
            self._tasks.add(task)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                if sink not in self._silent:
                    sink.write(data)
        except ConnectionError:
            pass
        finally:
            if sink not in self._silent:
                sink.close()
