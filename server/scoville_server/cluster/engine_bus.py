"""The bus of a cluster, over the servers of NATS."""

import asyncio
import logging
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Final

from scoville_server.journal.jetstream.courier import EngineCourier, Received
from scoville_server.journal.jetstream.messages import escape_token
from scoville_server.nodes.bus import Address, Answerer, Handler, NoSubscriber, is_at_node
from scoville_server.nodes.members import NodeId

_log = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 2.0
"""How long a node waits for the answer of another one: longer than it takes to be missed."""
_ORIGIN_BYTES: Final = 8
_PART, _LAST, _FAILED = b"+", b".", b"!"
"""How the parts of an answer begin: more follow, it is the last one, or there is no answer."""


class EngineBus:
    """A `Bus` over the connection of a courier, from its first subscription to `close`.

    Messages of this node reach its own handlers before the call returns, also while it is cut off from all others.
    """

    def __init__(self, courier: EngineCourier) -> None:
        self._courier = courier
        self._origin = secrets.token_bytes(_ORIGIN_BYTES)
        self._handlers: defaultdict[Address, list[Handler]] = defaultdict(list)
        self._answerers: dict[Address, Answerer] = {}
        self._ends: list[Callable[[], Awaitable[None]]] = []
        """The functions that end each subscription."""
        self._answering: set[asyncio.Task[None]] = set()
        self._waiting: defaultdict[Address, set[asyncio.Future[bytes]]] = defaultdict(set)
        """The answers that are waited for, by the address of their requests."""

    def publish(self, to: Address, message: bytes) -> None:
        for handle in self._handlers.get(to, ()):
            handle(message)
        self._courier.post_message(self._subject_of(to), self._origin + message)

    async def request(self, to: Address, message: bytes) -> bytes:
        # The engine brings a message back to its sender, but not faster than a call.
        if to in self._answerers:
            return await self._answerers[to](message)
        if not self._courier.is_connected:
            raise NoSubscriber(to)
        parts: list[bytes] = []
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def note_part(part: Received) -> None:
            if answer.done():
                return
            kind = part.data[:1]
            parts.append(part.data[1:])
            if kind == _LAST:
                answer.set_result(b"".join(parts))
            elif kind == _FAILED or part.nobody_listens:
                answer.set_exception(NoSubscriber(to))

        inbox = self._courier.new_inbox()
        unsubscribe = await self._courier.subscribe_subject(inbox, note_part)
        # Before the message leaves: the node may be lost meanwhile.
        self._waiting[to].add(answer)
        try:
            self._courier.post_message(self._subject_of(to), message, inbox)
            await self._courier.clock.wait(answer, seconds=ANSWER_SECONDS)
            if not answer.done():
                raise NoSubscriber(to)
            return answer.result()
        finally:
            self._waiting[to].discard(answer)
            if not self._waiting[to]:
                del self._waiting[to]
            await unsubscribe()

    def lose_node(self, node: NodeId) -> None:
        """Wait no longer for the answers of a node that runs no more, or hangs."""
        for to, answers in self._waiting.items():
            if is_at_node(to, node):
                for answer in answers:
                    if not answer.done():
                        answer.set_exception(NoSubscriber(to))

    async def subscribe(self, at: Address, handle: Handler) -> None:
        handlers = self._handlers[at]
        handlers.append(handle)
        if len(handlers) > 1:
            return

        def note(message: Received) -> None:
            if message.data[:_ORIGIN_BYTES] == self._origin:
                return
            for each in handlers:
                each(message.data[_ORIGIN_BYTES:])

        self._ends.append(await self._courier.subscribe_subject(self._subject_of(at), note))

    async def answer(self, at: Address, reply: Answerer) -> None:
        self._answerers[at] = reply

        def note(request: Received) -> None:
            # In a task of its own: requests do not wait for the answers to others.
            task = asyncio.get_running_loop().create_task(self._answer_request(reply, request))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

        self._ends.append(await self._courier.subscribe_subject(self._subject_of(at), note))

    async def _answer_request(self, reply: Answerer, request: Received) -> None:
        try:
            answer = await reply(request.data)
        except Exception:  # noqa: BLE001 - whatever it is, the other node waits
            _log.exception("A request of another node could not be answered.")
            self._courier.post_message(request.reply, _FAILED)
            return
        size = max(1, self._courier.most_bytes - len(_PART))
        parts = [answer[start : start + size] for start in range(0, len(answer), size)] or [b""]
        for part in parts[:-1]:
            self._courier.post_message(request.reply, _PART + part)
        self._courier.post_message(request.reply, _LAST + parts[-1])

    async def close(self) -> None:
        """Hear nothing more."""
        ends, self._ends = self._ends, []
        self._handlers.clear()
        self._answerers.clear()
        for unsubscribe in ends:
            await unsubscribe()
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    def _subject_of(self, address: Address) -> str:
        return f"bus.{escape_token(self._courier.place.name)}.{escape_token(address)}"
