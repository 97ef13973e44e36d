"""The port for monitoring: /metrics for Prometheus, /healthz and /readyz for supervisors and load balancers.

A small HTTP/1.1 responder in a thread of its own answers while the event loop stands still, which is when it matters,
and whatever its clients do costs players nothing: one request per connection, a bound on connections, bytes and time,
and pages that are no longer than memory has anyway. It reads no bodies and knows GET and HEAD only. A full web server
would be an extra that hosts without browsers have no use for.
"""

import json
import logging
import selectors
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address
from threading import Thread
from typing import Final, NamedTuple

from scoville_runtime.clock import SYSTEM
from scoville_server.net.listening import ListeningSockets
from scoville_server.observation.metrics import CONTENT_TYPE, MetricsPage
from scoville_server.observation.metrics_settings import MetricsSettings, parse_listen
from scoville_server.observation.status import StatusReader
from scoville_shared.errors import ScovilleError

_log = logging.getLogger(__name__)

_BACKLOG: Final = 64
_READ_BYTES: Final = 4_096
_TICK_SECONDS: Final = 0.5
_METHODS: Final = ("GET", "HEAD")


class Page(NamedTuple):
    """An answer."""

    status: HTTPStatus
    content_type: str
    body: bytes


Pages = Mapping[str, Callable[[], Page]]
"""The function that makes the answer for each path; called in the thread of the responder."""


def text_page(status: HTTPStatus, text: str) -> Page:
    """Return a page of plain text."""
    return Page(status, "text/plain; charset=utf-8", f"{text}\n".encode())


class _Client:
    """One connection."""

    __slots__ = ("deadline", "host", "received", "sock", "unsent")

    def __init__(self, sock: socket.socket, host: str, deadline: float) -> None:
        self.sock = sock
        self.host = host
        self.deadline = deadline
        self.received = b""
        self.unsent: memoryview | None = None
        """The rest of the answer; None while the request is read."""


class Responder:
    """Answers on one port.

    Args:
        settings: Its bounds.
        pages: The pages by path.
        now: Returns monotonic seconds, in any thread.
    """

    def __init__(self, settings: MetricsSettings, pages: Pages, now: Callable[[], float]) -> None:
        self._settings = settings
        self._pages = pages
        self._now = now
        self._selector = selectors.DefaultSelector()
        self._clients: dict[socket.socket, _Client] = {}
        """All connections, oldest first."""
        self._of: Counter[str] = Counter()
        self._listener: socket.socket | None = None
        self._waker, self._wakened = socket.socketpair()
        self._thread: Thread | None = None
        self._own_name = socket.gethostname().lower()

    def open_port(self, host: str, port: int, sockets: ListeningSockets | None = None) -> int:
        """Listen, answer from now on, and return the port. Raises OSError."""
        sockets = sockets or ListeningSockets()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        [(*_, address), *_] = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
        inherited = sockets.take_monitoring(address[:2])
        self._listener = inherited or socket.create_server(address[:2], family=family, backlog=_BACKLOG)
        self._listener.setblocking(False)
        sockets.keep_monitoring(self._listener)
        self._wakened.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._wakened, selectors.EVENT_READ)
        self._thread = Thread(target=self._serve_clients, name="monitoring", daemon=True)
        self._thread.start()
        return int(self._listener.getsockname()[1])

    def close_port(self) -> None:
        """Stop answering, and close all connections. May be called more than once, and before `open_port`."""
        if self._thread is not None:
            # Its other end becomes readable, and the thread ends.
            self._waker.close()
            self._thread.join()
            self._thread = None
        else:
            self._waker.close()
            self._wakened.close()
            self._selector.close()

    # --- on the thread ----------------------------------------------------------------------------------

    def _serve_clients(self) -> None:
        try:
            while self._serve_once():
                pass
        except Exception:  # noqa: BLE001 - the server goes on without it
            _log.exception("The port for monitoring has failed; it answers no more")
        finally:
            for client in [*self._clients.values()]:
                self._drop_client(client)
            if self._listener is not None:
                self._listener.close()
            self._wakened.close()
            self._selector.close()

    def _serve_once(self) -> bool:
        """Wait for the next event; returns whether to go on."""
        for key, _ in self._selector.select(_TICK_SECONDS if self._clients else None):
            if key.fileobj is self._wakened:
                return False
            if key.fileobj is self._listener:
                self._accept_client()
            # A connection may have been dropped in this very turn, to make room for a newer one.
            elif (client := self._clients.get(key.fileobj)) is not None:  # type: ignore[call-overload]
                try:
                    self._continue_client(client)
                except OSError:  # reset by the other end
                    self._drop_client(client)
        now = self._now()
        for client in [client for client in self._clients.values() if client.deadline <= now]:
            self._drop_client(client)
        return True

    def _accept_client(self) -> None:
        assert self._listener is not None
        try:
            sock, peer = self._listener.accept()
        except OSError:  # gone again, or no files are left: the next one may fit
            return
        sock.setblocking(False)
        host, limits = str(peer[0]), self._settings
        # The newest connection is the one that somebody waits for now.
        if self._of[host] >= limits.connections_per_address:
            self._drop_client(next(client for client in self._clients.values() if client.host == host))
        elif len(self._clients) >= limits.connections:
            heaviest, _ = self._of.most_common(1)[0]
            self._drop_client(next(client for client in self._clients.values() if client.host == heaviest))
        self._clients[sock] = _Client(sock, host, self._now() + limits.request_seconds)
        self._of[host] += 1
        self._selector.register(sock, selectors.EVENT_READ)

    def _drop_client(self, client: _Client) -> None:
        if self._clients.pop(client.sock, None) is None:
            return
        self._of[client.host] -= 1
        if not self._of[client.host]:
            del self._of[client.host]
        with suppress(OSError, KeyError, ValueError):
            self._selector.unregister(client.sock)
        client.sock.close()

    def _continue_client(self, client: _Client) -> None:
        if client.unsent is None:
            self._read_request(client)
        else:
            self._send_answer(client)

    def _read_request(self, client: _Client) -> None:
        try:
            data = client.sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        client.received += data
        if b"\r\n\r\n" in client.received or b"\n\n" in client.received:
            head = client.received.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
            self._begin_answer(client, head)
        elif len(client.received) > self._settings.header_bytes:
            self._begin_answer(client, b"", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif not data:
            self._drop_client(client)

    def _begin_answer(self, client: _Client, head: bytes, refused: HTTPStatus | None = None) -> None:
        method, page = ("GET", _make_refusal(refused)) if refused is not None else self._answer_request(client, head)
        client.unsent = memoryview(_format_answer(page, with_body=method != "HEAD"))
        client.received = b""
        self._selector.modify(client.sock, selectors.EVENT_WRITE)
        self._send_answer(client)

    def _send_answer(self, client: _Client) -> None:
        assert client.unsent is not None
        try:
            sent = client.sock.send(client.unsent)
        except BlockingIOError:
            return
        client.unsent = client.unsent[sent:]
        if not client.unsent:
            self._end_client(client)

    def _end_client(self, client: _Client) -> None:
        """Close a connection whose answer is sent.

        Bytes that it may still have sent are read away first: closed with unread bytes, the system resets a connection,
        and the answer is lost.
        """
        with suppress(OSError):
            client.sock.shutdown(socket.SHUT_WR)
            for _ in range(_BACKLOG):
                if not client.sock.recv(_READ_BYTES):
                    break
        self._drop_client(client)

    def _answer_request(self, client: _Client, head: bytes) -> tuple[str, Page]:
        """Return the method and the answer."""
        # Every byte is a character there: a strange head is answered, and raises nothing.
        lines = head.decode("latin-1").split("\n")
        method, _, rest = lines[0].partition(" ")
        target, _, version = rest.partition(" ")
        if version not in ("HTTP/1.0", "HTTP/1.1") or not target.startswith("/"):
            return "GET", _make_refusal(HTTPStatus.BAD_REQUEST)
        hosts = [line.partition(":")[2].strip() for line in lines[1:] if line[:5].lower() == "host:"]
        if len(hosts) > 1 or (version == "HTTP/1.1" and not hosts):
            return "GET", _make_refusal(HTTPStatus.BAD_REQUEST)
        if method not in _METHODS:
            return "GET", _make_refusal(HTTPStatus.METHOD_NOT_ALLOWED)
        # A page in a browser here could point its own name at this machine, and then read this port's answers.
        if _is_loopback(client.host) and hosts and not self._is_own_host(hosts[0]):
            return method, text_page(
                HTTPStatus.MISDIRECTED_REQUEST, "Use localhost or an IP address; this port knows no other name."
            )
        make = self._pages.get(target.partition("?")[0])
        if make is None:
            paths = ", ".join(self._pages)
            return method, text_page(HTTPStatus.NOT_FOUND, f"There is no such page; there are {paths}.")
        try:
            return method, make()
        except Exception:  # noqa: BLE001 - a fault in one page must not end the others
            _log.exception("The page %s could not be made", target)
            return method, _make_refusal(HTTPStatus.INTERNAL_SERVER_ERROR)

    def _is_own_host(self, host: str) -> bool:
        """Whether a Host header names this machine: by an address, as localhost, or by its own name."""
        name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
        if name.lower().rstrip(".") in ("localhost", self._own_name):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def _is_loopback(host: str) -> bool:
    address = ip_address(host.partition("%")[0])
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _make_refusal(status: HTTPStatus) -> Page:
    return text_page(status, f"{status.value} {status.phrase}")


def _format_answer(page: Page, *, with_body: bool) -> bytes:
    status = page.status
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {page.content_type}",
        f"Content-Length: {len(page.body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        lines.append(f"Allow: {', '.join(_METHODS)}")
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return head + page.body if with_body else head


HUNG_SECONDS: Final = 2.0
"""How long the event loop may stand still and count as healthy: its longest work takes a tenth of that."""


class MonitoringError(ScovilleError):
    """The port for monitoring cannot be opened; the sentence is for the host."""

    def __init__(self, message: str) -> None:
        super().__init__("monitoring_failed", message)


class Monitoring:
    """Opens and closes the port, and makes its pages, in the thread of the responder.

    Args:
        settings: Where it listens, and its bounds.
        reader: Reads the status of the server.
        now: Returns monotonic seconds, in any thread.
    """

    def __init__(
        self, settings: MetricsSettings, reader: StatusReader, now: Callable[[], float] = SYSTEM.seconds
    ) -> None:
        self._settings = settings
        self._reader = reader
        self._now = now
        self._metrics = MetricsPage(reader)
        self._rendered = b""
        self._rendered_at = float("-inf")
        pages = {"/metrics": self._make_metrics, "/healthz": self._make_health, "/readyz": self._make_readiness}
        self._responder = Responder(settings, pages, now)
        self.port = 0
        """The bound port, 0 for none."""

    def open_port(self, sockets: ListeningSockets | None = None) -> None:
        """Answer from now on, at an inherited socket if there is one. Raises MonitoringError."""
        listen = self._settings.listen
        try:
            host, port = parse_listen(listen)
            self.port = self._responder.open_port(host, port, sockets or ListeningSockets())
        except ValueError as error:
            raise MonitoringError(f"{error}.") from error
        except OSError as error:
            why = error.strerror or str(error)
            raise MonitoringError(f"metrics.listen: the server cannot listen on {listen}: {why}.") from error

    def close_port(self) -> None:
        self._responder.close_port()

    def _make_metrics(self) -> Page:
        now = self._now()
        if now - self._rendered_at >= self._settings.page_seconds:
            self._rendered, self._rendered_at = self._metrics.render_page(), now
        return Page(HTTPStatus.OK, CONTENT_TYPE, self._rendered)

    def _make_health(self) -> Page:
        reader = self._reader
        stood = self._now() - reader.figures.lag.ticked_at
        # Before the start has ended nothing ticks, and restoring ten thousand tables may take longer than this.
        if reader.started and stood > HUNG_SECONDS:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, f"The event loop has stood still for {stood:.1f} seconds.")
        return text_page(HTTPStatus.OK, "The server is running.")

    def _make_readiness(self) -> Page:
        reasons = self._reader.list_reasons(self._reader.read_disk_space())
        body = json.dumps({"ready": not reasons, "reasons": reasons}).encode() + b"\n"
        return Page(HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK, "application/json", body)
