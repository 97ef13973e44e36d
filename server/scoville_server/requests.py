"""Requests of one client: from a checked message to the handler that answers it."""

from collections.abc import Callable

from scoville_runtime.events import Events
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.events import Connect, Disconnect, FloodEnded, refusal_kind
from scoville_server.hello import UserArrivals
from scoville_server.net.sanitize import clean_params
from scoville_server.net.service import End
from scoville_server.observation.figures import RequestFigures
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import METHOD_OF, Params


class RequestRouter:
    """The `ConnectionHandler` of one connection; `left` is called when it has been released."""

    def __init__(
        self,
        connection: ConnectedClient,
        handlers: Handlers,
        arrivals: UserArrivals,
        events: Events,
        figures: RequestFigures,
        now: Callable[[], float],
        left: Callable[["RequestRouter"], None],
    ) -> None:
        self.connection = self._connection = connection
        self._handlers = handlers
        self._arrivals = arrivals
        self._events = events
        self._figures = figures
        self._left = left
        self._now = now
        self._began = now()
        peer = connection.peer
        if peer.address:  # inside one process nobody connects
            events.report_event(Connect(address=peer.address, connection=peer.number))

    def handle_request(self, params: Params) -> Answer:
        """Handle a request. Raises ScovilleError."""
        return self._handlers[type(params)](self._connection, clean_params(params))

    def note_answer(self, params: Params, began: float) -> None:
        """Count an answered request."""
        self._figures.note_answer(type(params), began)

    def note_refusal(self, params: Params | None, code: str) -> None:
        """Report a refusal."""
        self._report_refusal("connect" if params is None else METHOD_OF[type(params)], code)

    def note_malformed_request(self, code: str) -> None:
        """Report a message that is no valid request."""
        self._report_refusal("malformed", code)

    def _report_refusal(self, method: str, code: str) -> None:
        connection = self._connection
        user = "" if connection.known_user is None else connection.known_user.name
        peer = connection.peer
        self._events.report_event(
            refusal_kind(code)(code=code, method=method, address=peer.address, connection=peer.number, user=user)
        )

    def release_connection(self, end: End) -> None:
        """Release everything that belongs to the connection; the user and their seats stay."""
        self._report_end(end)
        self._arrivals.release_connection(self._connection)
        self._left(self)

    def _report_end(self, end: End) -> None:
        connection, report = self._connection, self._events.report_event
        address, number = connection.peer.address, connection.peer.number
        if not address:
            return
        user = "" if connection.known_user is None else connection.known_user.name
        seconds = round(self._now() - self._began, 3)
        if end.reason == Code.TOO_MANY:
            report(FloodEnded(address=address, connection=number, detail=end.detail, user=user))
        report(
            Disconnect(
                address=address, connection=number, reason=end.reason, seconds=seconds, detail=end.detail, user=user
            )
        )
