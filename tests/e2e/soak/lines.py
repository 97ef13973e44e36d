"""MessagePack-RPC connection of the soak test, which can break at any moment and measures response times."""

import asyncio
import sys
import time
from collections import deque
from typing import Any

from tests.e2e.soak.ledger import Ledger
from tests.support.rpc import Refusal, RpcClient

TIMEOUT = 30.0
"""Seconds after which an answer is not coming."""


class LineBroken(Exception):
    """The connection was lost or closed."""


def address_of(number: int) -> str:
    """Give each user an address of their own if the machine has enough: limits count by address."""
    return f"127.1.{number // 250}.{number % 250 + 1}" if sys.platform == "linux" else ""


class Line(RpcClient):
    """One connection of a user."""

    def __init__(self, port: int, number: int, ledger: Ledger) -> None:
        super().__init__(port, address_of(number))
        self.notices = deque(maxlen=50)  # type: ignore[assignment]
        self._ledger = ledger

    async def ask(self, method: str, **params: Any) -> Any:
        """Call a method. Raises Refusal, LineBroken, and TimeoutError for an answer that does not come."""
        if self.closed.is_set():
            raise LineBroken
        began = time.perf_counter()
        answer = self.send(method, **params)
        done, _ = await asyncio.wait((answer,), timeout=TIMEOUT)
        if not done:
            raise TimeoutError(f"{method} was not answered within {TIMEOUT:g} seconds")
        if answer.cancelled():
            raise LineBroken
        if "wait_ms" not in params:
            self._ledger.answered(method, time.perf_counter() - began)
        try:
            result = answer.result()
        except Refusal as no:
            self._ledger.refuse(method, no.code, no.message)
            raise
        self._ledger.moves += method == "table.play"
        return result

    async def abort(self) -> None:
        """Abort the connection."""
        self._writer.transport.abort()
        await self._reading

    async def hang_up(self) -> None:
        """Close the connection."""
        self._writer.close()
        await self._reading
