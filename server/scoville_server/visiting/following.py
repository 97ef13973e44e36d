"""Requests about a table that moves while they are answered: the node that serves it next is asked again."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from scoville_runtime.clock import CallLater
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.background.eventual import Eventual, Pending, start_awaitable
from scoville_server.errors import link_lost, node_unreached
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.members import NodeId
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Reply

MOVING_SECONDS: Final = 5.0
"""How long a request waits for the next node of a table: refused, clients would come back ever later."""


class MovedTables:
    """Asks the next node of a table what the former one has refused with `moved`: nothing of it was done.

    Args:
        directory: Finds the node that serves a table.
        is_served_here: Whether this node serves a table.
        call_later: Calls a function later.

    Attributes:
        routed: Answer requests, at whichever node serves their table now.
    """

    def __init__(self, directory: Directory, is_served_here: Callable[[object], bool], call_later: CallLater) -> None:
        self.routed: Handlers = {}
        self._find_owner, self._wait_for_claim = directory.find_owner, directory.wait_for_claim
        self._is_served_here = is_served_here
        self._call_later = call_later

    def answer_or_follow(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: Any
    ) -> Answer:
        """Answer about a table of this node, or let the node answer to which it moves meanwhile."""
        try:
            answer = handle(connection, p)
        except ScovilleError as error:
            if error.code != Code.MOVED:
                raise
            return self._follow_table(error, None, connection, p)
        if isinstance(answer, Coroutine):
            return self._follow_answer(answer, connection, p)
        if not isinstance(answer, Eventual) or (answer.done() and answer.exception() is None):
            return answer
        reply: Eventual[Reply] = Eventual()
        answer.add_done_callback(lambda done: self._pass_on_answer(done, connection, p, reply))
        return reply

    def _pass_on_answer(
        self, done: Pending[Reply], connection: ConnectedClient, p: Any, reply: Eventual[Reply]
    ) -> None:
        error = done.exception()
        if error is None:
            reply.set_result(done.result())
        elif isinstance(error, ScovilleError) and error.code == Code.MOVED:
            self.ask_again(None, connection, p, reply)
        else:
            reply.set_exception(error)

    async def _follow_answer(self, answer: Awaitable[Reply], connection: ConnectedClient, p: Any) -> Reply:
        try:
            return await answer
        except ScovilleError as error:
            return await self._follow_table(error, None, connection, p)

    def ask_again(self, former: NodeId | None, connection: ConnectedClient, p: Any, reply: Eventual[Reply]) -> None:
        """Ask the node to which a table has moved, for a reply that is waited for."""
        moved = ScovilleError(Code.MOVED, "")
        asked = start_awaitable(self._follow_table(moved, former, connection, p))
        asked.add_done_callback(lambda done: _settle_reply(reply, done))

    async def _follow_table(
        self, error: ScovilleError, former: NodeId | None, connection: ConnectedClient, p: Any
    ) -> Reply:
        """Ask the node to which a table has moved: the `former` one, None for this one, has done nothing.

        Raises ScovilleError, the `error` if it says anything else.
        """
        if error.code != Code.MOVED:
            raise error
        if not self._is_elsewhere(p.table, former):
            await self._wait_for_claim(p.table, self._call_later, MOVING_SECONDS)
            if not self._is_elsewhere(p.table, former):
                raise node_unreached(p.table)
        answer = self.routed[type(p)](connection, p)
        return await answer if isinstance(answer, Awaitable) else answer

    def _is_elsewhere(self, table: str, former: NodeId | None) -> bool:
        """Whether another node than a former one is known to serve a table."""
        if self._is_served_here(table):
            return former is not None
        return self._find_owner(table) not in (None, former)


def _settle_reply(reply: Eventual[Reply], done: Pending[Reply]) -> None:
    if done.cancelled():
        reply.set_exception(link_lost())
    elif (error := done.exception()) is not None:
        reply.set_exception(error)
    else:
        reply.set_result(done.result())
