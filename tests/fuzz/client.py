"""A client that sends arbitrary bytes and trusts no reply."""

import asyncio
from typing import Any, cast

import msgpack

from scoville_shared.errors import Code
from tests.support.wire_page import data_fields, is_documented

TIMEOUT = 60.0
"""Seconds in which everything is answered."""


class FuzzClient(asyncio.Protocol):
    """One connection. `faults` are forbidden replies."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        self.token = ""
        self.name = ""
        self.table = ""
        self.open = False
        self._unpacker = msgpack.Unpacker(strict_map_key=False)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._msgid = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.open = True

    def data_received(self, data: bytes) -> None:
        self._unpacker.feed(data)
        for message in self._unpacker:
            if message[0] == 1 and message[1] in self._waiting:
                self._waiting.pop(message[1]).set_result(message[2:])

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        for waiting in self._waiting.values():
            waiting.set_result((None, None))
        self._waiting.clear()

    async def ask(self, method: str, params: Any = None) -> Any:
        """Send a request; returns the result, None for a refusal or a closed connection."""
        if not self.open:
            return None
        self._msgid += 1
        answer = self._waiting[self._msgid] = asyncio.get_running_loop().create_future()
        self.transport.write(msgpack.packb([0, self._msgid, method, [{} if params is None else params]]))
        try:
            async with asyncio.timeout(TIMEOUT):
                error, result = await answer
        except TimeoutError:
            self.faults.append(f"{method} was never answered: {params}")
            return None
        if error is not None:
            self._judge(method, params, error)
        return result

    def _judge(self, method: str, params: Any, error: Any) -> None:
        proper = {"code": str, "message": str, "data": dict}
        if {key: type(value) for key, value in error.items()} != proper or not error["code"] or not error["message"]:
            self.faults.append(f"{method} was refused without saying why: {error}")
        if not is_documented(method, error["code"]):
            self.faults.append(f"{method}: docs/protocol.md does not tell of {error['code']}: {error['message']}")
        elif error["code"] in set(Code) and error["data"].keys() - data_fields(error["code"]):
            self.faults.append(
                f"{method}: docs/protocol.md does not have this data of {error['code']}: {error['data']}"
            )
        if error["code"] in ("internal", "bad_frame"):
            self.faults.append(f"{method}: {error['code']}: {error['message']}: {params}")
