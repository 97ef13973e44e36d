"""MessagePack-RPC client written without our code: plain msgpack, maps and a TCP stream."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Any

import msgpack


class Refusal(Exception):
    """The server answered with an error map."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] = error["data"]


class RpcClient:
    """One connection, from the address `source` of this machine if it is given.

    Notifications are kept in `notices` as (method, params) pairs.
    """

    def __init__(self, port: int, source: str = "") -> None:
        self._port = port
        self._source = (source, 0) if source else None
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._msgid = 0
        self.notices: list[tuple[str, dict[str, Any]]] = []
        self.heard = asyncio.Event()
        self.closed = asyncio.Event()
        self.token = ""
        self.name = ""

    async def __aenter__(self) -> "RpcClient":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=self._source)
        self._reading = asyncio.get_running_loop().create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        await self._reading
        with suppress(ConnectionError):  # a server that refuses has not read all; then its system resets the connection
            await self._writer.wait_closed()

    async def hello(self, name: str = "", token: str = "", protocol: int = 1) -> "RpcClient":
        """Send hello, and keep the name and the token from the reply."""
        welcome = await self.call("hello", protocol=protocol, name=name, token=token)
        self.name, self.token = welcome["name"], welcome["token"]
        return self

    async def call(self, method: str, **params: Any) -> Any:
        """Call a method; raises Refusal."""
        return await self.send(method, **params)

    def send(self, method: str, **params: Any) -> asyncio.Future[Any]:
        """Send a request without waiting for its answer."""
        self._msgid += 1
        answer = self._waiting[self._msgid] = asyncio.get_running_loop().create_future()
        self._writer.write(msgpack.packb([0, self._msgid, method, [params]]))
        return answer

    def events(self) -> list[dict[str, Any]]:
        """The table events heard so far."""
        return [params["event"] for method, params in self.notices if method == "table.event"]

    async def _read(self) -> None:
        unpacker = msgpack.Unpacker()
        while data := await self._received():
            unpacker.feed(data)
            for message in unpacker:
                self._take(message)
        self.closed.set()
        for answer in self._waiting.values():
            answer.cancel()

    async def _received(self) -> bytes:
        try:
            return await self._reader.read(65536)
        except ConnectionError:
            return b""

    def _take(self, message: list[Any]) -> None:
        if message[0] == 2:
            self.notices.append((message[1], message[2][0]))
            self.heard.set()
            return
        _, msgid, error, result = message
        answer = self._waiting.pop(msgid)
        if answer.done():
            return
        if error is not None:
            answer.set_exception(Refusal(error))
        else:
            answer.set_result(result)
