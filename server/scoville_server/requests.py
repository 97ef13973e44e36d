"""Requests of one client: from a checked message to the handler that answers it."""

from collections.abc import Callable

from scoville_runtime.events import Events
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.events import Connect, Disconnect, FloodEnded, refusal_kind
from scoville_server.hello import UserArrivals
from scoville_server.net.sanitize import clean_params
from scoville_server.net.service import End, Peer
from scoville_server.observation.figures import RequestFigures
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import METHOD_OF, Params


class ConnectionReports:
    """What a server reports of its connections and their requests: as events, and as figures of how long answers took.

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


class RequestRouter:
    """The `ConnectionHandler` of one connection; `left` is called when it has been released."""

    def __init__(
        self,
        connection: ConnectedClient,
        handlers: Handlers,
        arrivals: UserArrivals,
        reports: ConnectionReports,
        left: Callable[["RequestRouter"], None],
    ) -> None:
        self.connection = self._connection = connection
        self._handlers = handlers
        self._arrivals = arrivals
        self._reports = reports
        self._left = left
        self._began = reports.now()
        self.note_answer = reports.note_answer
        reports.report_connection(connection.peer)

    def handle_request(self, params: Params) -> Answer:
        """Handle a request. Raises ScovilleError."""
        return self._handlers[type(params)](self._connection, clean_params(params))

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
