"""What nodes that hung read of their tables: others may have adopted them, and gone on, before anything tells so."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actor import TableActor
from scoville_server.visiting.lines import READS_TABLE
from scoville_shared.protocol.messages import PollRequest, Reply, WatchRequest

_Handle = Callable[[ConnectedClient, Any], Answer]

_SHOW_NEWEST: Final = frozenset({PollRequest, WatchRequest})
"""Requests whose handlers wait by themselves: no event may overtake their answer."""


def read_once_sure(handlers: Handlers, nodes: Nodes[TableActor]) -> Handlers:
    """Return handlers that read a table back before they say what it is like, where this node was missed."""

    def notice_hang(handle: _Handle, connection: ConnectedClient, p: Any) -> Answer:
        nodes.notice_hang()
        return handle(connection, p)

    def answer_once_sure(handle: _Handle, connection: ConnectedClient, p: Any) -> Answer:
        nodes.notice_hang()
        if p.table not in nodes.tables or not (actor := nodes.tables.find_table(p.table)).is_behind():
            return handle(connection, p)
        return _answer_after(actor.catch_up(), handle, connection, p)

    def guard(kind: type[Any]) -> _Handle:
        return partial(notice_hang if kind in _SHOW_NEWEST else answer_once_sure, handlers[kind])

    return {**handlers, **{kind: guard(kind) for kind in READS_TABLE}}


async def _answer_after(ready: Awaitable[None], handle: _Handle, connection: ConnectedClient, p: Any) -> Reply:
    await ready
    answer = handle(connection, p)
    return await answer if isinstance(answer, Awaitable) else answer
