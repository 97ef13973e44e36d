"""The bus: messages between nodes, which every node also sends to itself. That they need no network is known here."""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import NewType, Protocol

from scoville_server.errors import RetryableError
from scoville_server.nodes.members import NodeId
from scoville_shared.errors import Code

Address = NewType("Address", str)
"""Address of a subscription: a subject of all nodes, or that of one node (`at_node`)."""

Handler = Callable[[bytes], None]
"""Handles a published message."""

Answerer = Callable[[bytes], Awaitable[bytes]]
"""Returns the reply to a request."""


class NoSubscriber(RetryableError):
    """A request for which no node has subscribed, such as one to a node that has just stopped."""

    def __init__(self, to: Address) -> None:
        super().__init__(Code.INTERNAL, f"No server process answers at {to}.")


class Bus(Protocol):
    """Carries messages between nodes. Nothing is kept: a node gets what is published while it is subscribed."""

    def publish(self, to: Address, message: bytes) -> None:
        """Send a message to all subscribers, those of this node included. Never blocks and never raises."""

    async def request(self, to: Address, message: bytes) -> bytes:
        """Send a message to one subscriber, and return the reply. Raises NoSubscriber."""

    async def subscribe(self, at: Address, handle: Handler) -> None:
        """Call `handle`, which must not raise, for every message to an address from now on."""

    async def answer(self, at: Address, reply: Answerer) -> None:
        """Answer the requests to an address from now on."""


class LocalBus:
    """A `Bus` within this process: handlers run before the call returns."""

    def __init__(self) -> None:
        self._handlers: dict[Address, list[Handler]] = defaultdict(list)
        self._answerers: dict[Address, Answerer] = {}

    def publish(self, to: Address, message: bytes) -> None:
        for handle in self._handlers.get(to, ()):
            handle(message)

    async def request(self, to: Address, message: bytes) -> bytes:
        if to not in self._answerers:
            raise NoSubscriber(to)
        return await self._answerers[to](message)

    async def subscribe(self, at: Address, handle: Handler) -> None:
        self._handlers[at].append(handle)

    async def answer(self, at: Address, reply: Answerer) -> None:
        self._answerers[at] = reply


def at_node(node: NodeId, subject: str) -> Address:
    """Return the address of a subject at one node."""
    return Address(f"node.{node}.{subject}")


def is_at_node(address: Address, node: NodeId) -> bool:
    """Whether an address is one of that node's."""
    return address.startswith(at_node(node, ""))
