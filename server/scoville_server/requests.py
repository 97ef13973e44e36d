"""Requests of one client: from a checked message to the handler that answers it."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from scoville_runtime.clock import Clock
from scoville_runtime.events import Events
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.background.shared_reads import SharedReads
from scoville_server.errors import server_moved
from scoville_server.events import Connect, Disconnect, FloodEnded, refusal_kind
from scoville_server.hello import UserArrivals
from scoville_server.journal.base import JournalError, Shared
from scoville_server.net.peer import End, Peer
from scoville_server.net.sanitize import sanitize_params
from scoville_server.observation.figures import RequestFigures
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import METHOD_OF, HelloReply, HelloRequest, Params, Reply


class ConnectionReports:
    """Reports of a server about its connections and their requests: as events, and as figures of how long answers took.

    `now` returns monotonic seconds, `note_answer` counts an answered request that was read at such a time.
    """

    def __init__(self, events: Events, figures: RequestFigures, now: Callable[[], float]) -> None:
        self._events = events
        self.now = now
        self.note_answer = figures.note_answer

    def report_connection(self, peer: Peer) -> None:
        """Report a new connection; inside one process nobody connects."""
        if peer.address:
            self._events.report_event(Connect(address=peer.address, connection=peer.number))

    def report_refusal(self, connection: ConnectedClient, method: str, code: str) -> None:
        """Report a refused request."""
        peer, user = connection.peer, _name_of(connection)
        self._events.report_event(
            refusal_kind(code)(code=code, method=method, address=peer.address, connection=peer.number, user=user)
        )

    def report_end(self, connection: ConnectedClient, end: End, began: float) -> None:
        """Report the end of a connection that began at a time, and the flood for which it was cut off."""
        address, number, user = connection.peer.address, connection.peer.number, _name_of(connection)
        if not address:
            return
        if end.reason == Code.TOO_MANY:
            self._events.report_event(FloodEnded(address=address, connection=number, detail=end.detail, user=user))
        seconds = round(self.now() - began, 3)
        self._events.report_event(
            Disconnect(
                address=address, connection=number, reason=end.reason, seconds=seconds, detail=end.detail, user=user
            )
        )


def _name_of(connection: ConnectedClient) -> str:
    return "" if connection.known_user is None else connection.known_user.name


class FinalAnswers:
    """Answers that are the end of something to a user: there is no such table, nobody knows this token.

    Another node may have taken over without the knowledge of this one, which was cut off and has just come back: it
    lacks the tables and sessions of its successor. So it looks who serves before it says so.
    """

    def __init__(self, journal: Shared, restore_contact: Callable[[], Awaitable[bool] | None], clock: Clock) -> None:
        self._journal = journal
        self._restore_contact = restore_contact
        self._reads = SharedReads(clock)

    def carry_out(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, params: Params
    ) -> Answer:
        """Answer a request by its handler, a final answer only once it is sure. Raises ScovilleError."""
        try:
            return self.check_answer(params, handle(connection, params))
        except ScovilleError as error:
            if not is_final(error):
                raise
            return self.refuse_surely(error)

    def check_answer(self, params: Params, answer: Answer) -> Answer:
        """Return an answer, after a confirmation that this node serves where the answer would be final."""
        if isinstance(answer, HelloReply):
            # A token that this node does not know may be one of its successor; a used-up token is known for sure.
            is_lost = isinstance(params, HelloRequest) and params.token and not answer.resumed
            if is_lost and not answer.token_reused:
                return self._answer_surely(answer)
            contact = self._restore_contact()
            return answer if contact is None else self._answer_after(contact, answer)
        return self._watch_answer(params, answer) if isinstance(answer, Coroutine) else answer

    async def refuse_surely(self, error: ScovilleError) -> Reply:
        """Raise a final refusal, or `moved` if the journal does not confirm that this node serves."""
        await self._confirm_serving()
        raise error

    async def _answer_surely(self, answer: Reply) -> Reply:
        await self._confirm_serving()
        return answer

    async def _answer_after(self, contact: Awaitable[bool], answer: Reply) -> Reply:
        """Answer a hello once other nodes are reached again: until then a user would not find their tables there."""
        if not await contact:
            raise server_moved()
        return answer

    async def _watch_answer(self, params: Params, answer: Awaitable[Reply]) -> Reply:
        try:
            checked = self.check_answer(params, await answer)
            return await checked if isinstance(checked, Awaitable) else checked
        except ScovilleError as error:
            if is_final(error):
                await self._confirm_serving()
            raise

    async def _confirm_serving(self) -> None:
        try:
            await self._reads.share_read(self._journal.confirm_epoch)
        except JournalError as error:
            raise server_moved() from error


def is_final(error: ScovilleError) -> bool:
    """Whether a refusal is the end of something to a user."""
    return error.code in (Code.UNKNOWN_TABLE, Code.UNKNOWN_CODE)


class RequestRouter:
    """The `ConnectionHandler` of one connection; `left` is called when it has been released.

    `finals` are the final answers of a node of a cluster; None for a server alone, which knows everything.
    """

    def __init__(
        self,
        connection: ConnectedClient,
        handlers: Handlers,
        arrivals: UserArrivals,
        reports: ConnectionReports,
        left: Callable[["RequestRouter"], None],
        finals: FinalAnswers | None = None,
    ) -> None:
        self.connection = self._connection = connection
        self._handlers = handlers
        self._arrivals = arrivals
        self._reports = reports
        self._left = left
        self._finals = finals
        self._began = reports.now()
        self.note_answer = reports.note_answer
        reports.report_connection(connection.peer)

    def handle_request(self, params: Params) -> Answer:
        """Handle a request. Raises ScovilleError."""
        handle, finals = self._handlers[type(params)], self._finals
        if finals is None:
            return handle(self._connection, sanitize_params(params))
        return finals.carry_out(handle, self._connection, sanitize_params(params))

    def note_refusal(self, params: Params | None, code: str) -> None:
        """Report a refusal."""
        self._reports.report_refusal(self._connection, "connect" if params is None else METHOD_OF[type(params)], code)

    def note_malformed_request(self, code: str) -> None:
        """Report a message that is no valid request."""
        self._reports.report_refusal(self._connection, "malformed", code)

    def release_connection(self, end: End) -> None:
        """Release everything that belongs to the connection; the user and their seats stay."""
        self._reports.report_end(self._connection, end, self._began)
        self._arrivals.release_connection(self._connection)
        self._left(self)


def carry_out_alone(
    handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, params: Params
) -> Answer:
    """Answer a request by its handler, where no final answer has to be confirmed. Raises ScovilleError."""
    return handle(connection, params)
