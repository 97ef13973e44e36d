"""The port for monitoring: /metrics for Prometheus, /healthz and /readyz for supervisors and load balancers."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from scoville_runtime.clock import SYSTEM
from scoville_server.net.listening import ListeningSockets
from scoville_server.observation.http import Page, Responder, text_page
from scoville_server.observation.limits import MetricsSettings, parse_listen
from scoville_server.observation.metrics import CONTENT_TYPE, MetricsPage
from scoville_server.observation.status import StatusReader
from scoville_shared.errors import ScovilleError

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
