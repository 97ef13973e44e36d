"""Calls that wait for their replies, by message number."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from scoville_client.transport.base import LinkError
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer
from scoville_shared.protocol.messages import Reply


class PendingCalls:
    """The calls of one connection that were sent and not answered."""

    def __init__(self) -> None:
        self._replies: dict[int, asyncio.Future[Reply]] = {}

    @contextmanager
    def reply(self, msgid: int) -> Iterator[asyncio.Future[Reply]]:
        """Expect the reply to a message inside the block. The future raises ScovilleError, or LinkError at the end."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._replies[msgid] = reply
        try:
            yield reply
        finally:
            self._replies.pop(msgid, None)

    def answer(self, answer: Answer) -> None:
        """Give an answer to its call; late ones are dropped."""
        reply = self._replies.pop(answer.msgid, None)
        # A call that timed out or was cancelled has left; its late answer belongs to nobody.
        if reply is None or reply.done():
            return
        if isinstance(answer.result, ScovilleError):
            reply.set_exception(answer.result)
        else:
            reply.set_result(answer.result)

    def fail(self, reason: str) -> None:
        """Let every call raise a LinkError with a sentence."""
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(LinkError(reason))
