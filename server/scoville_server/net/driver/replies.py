"""Replies of one connection that come later: requests that wait for a commit, a long poll or a worker thread."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial

from scoville_server.background.eventual import Eventual, Pending, start_awaitable
from scoville_server.net.read_scheduler import Work
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import METHOD_OF, Params, Reply
from scoville_shared.protocol.state import ConnectionState

_logger = logging.getLogger(__name__)


class PendingReplies:
    """The requests of one connection that are not answered yet.

    Args:
        connection: The sans-io connection that writes the answers.
        refuse: Answers a request with an error.
        replied: Called after every late answer with the request, and `True` for a reply or `False` for an error.
    """

    __slots__ = ("_connection", "_refuse", "_replied", "waiting")

    def __init__(
        self,
        connection: ServerConnection,
        refuse: Callable[[int, Params, BaseException], None],
        replied: Callable[[Params, bool], None],
    ) -> None:
        self._connection = connection
        self._refuse = refuse
        self._replied = replied
        self.waiting: set[Pending[Reply]] = set()
        """The results that are not there yet."""

    def add_reply(self, msgid: int, params: Params, answer: Awaitable[Reply], work: Callable[[], Work | None]) -> bool:
        """Answer when the result is there; returns whether it was there already. Raises that result's error.

        `work` is called for a result that is not there yet, and counts the request until it is answered.
        """
        waiting = start_awaitable(answer)
        # Answered in this turn without a callback, which would wait for the loop's next.
        if isinstance(waiting, Eventual) and waiting.done():
            self._connection.reply(msgid, waiting.result())
            return True
        self.waiting.add(waiting)
        waiting.add_done_callback(partial(self._send_answer, msgid, params, work()))
        return False

    def cancel_all(self) -> None:
        """Cancel all waiting requests: the connection is lost."""
        for answer in self.waiting:
            answer.cancel()

    def _send_answer(self, msgid: int, params: Params, work: Work | None, answer: Pending[Reply]) -> None:
        self.waiting.discard(answer)
        if work is not None:
            work.end_work()
        # Nobody is left to answer, but a bug that only shows on closed connections must reach the log.
        if self._connection.state in (ConnectionState.CLOSING, ConnectionState.CLOSED):
            error = None if answer.cancelled() else answer.exception()
            if error is not None and not isinstance(error, ScovilleError):
                log_failure(params, "a closed connection", error)
        elif answer.cancelled():
            error = ScovilleError(Code.SHUTTING_DOWN, "The server has cancelled this request.")
            self._refuse(msgid, params, error)
            self._replied(params, False)
        elif (error := answer.exception()) is not None:  # raised here it would know this frame, which knows the answer
            self._refuse(msgid, params, error)
            self._replied(params, False)
        else:
            self._connection.reply(msgid, answer.result())
            self._replied(params, True)


def log_failure(params: Params, address: str, error: BaseException) -> ScovilleError:
    """Log an exception that no handler should raise, and return the error that the client gets in its place."""
    method = METHOD_OF[type(params)]
    _logger.error("%s of %s failed", method, address or "a client inside", exc_info=error)
    return ScovilleError(Code.INTERNAL, f"The server failed at {method} because of a bug.")
