"""Control socket and monitoring port of a node that waits for its turn."""

from collections.abc import Callable
from pathlib import Path

from scoville_runtime.clock import Clock
from scoville_runtime.host_status import ClusterStatus, HostStatus
from scoville_server.control.desk import Caller
from scoville_server.control.host_status import host_status
from scoville_server.control.service import ControlSocket
from scoville_server.control.wire import Asked
from scoville_server.net.doors.unix_socket import SocketError, has_unix_sockets
from scoville_server.observation.figures import TableCensus, UserCensus
from scoville_server.observation.monitoring import Monitoring
from scoville_server.observation.status import Gauges, ServerFigures, StatusReader
from scoville_server.server import bounds_of
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError


class WaitingDesk:
    """Answers `status`, and sends clients that want more to the node that serves."""

    def __init__(self, read_status: Callable[[], HostStatus], find_serving: Callable[[], str]) -> None:
        self._read_status = read_status
        self._find_serving = find_serving

    async def carry_out(self, caller: Caller, asked: Asked) -> object:  # noqa: ARG002 - all get the same answer
        """Carry out a command. Raises ScovilleError for all but `status`."""
        if asked.command.name == "status":
            return self._read_status()
        serving = self._find_serving()
        where = f"{serving} serves" if serving else "no node serves at the moment"
        raise ScovilleError(Code.MOVED, f"This node waits for its turn; {where}. Run the command on that machine.")

    async def begin_sharing(self) -> None:
        """Share nothing: this node has no tables."""


class WaitingHost:
    """Opens the control socket and the port for monitoring while a node waits.

    Args:
        settings: The settings of the node.
        data: Its data folder.
        read_cluster: Returns the cluster as this node sees it.
        place: Returns where users reach this node: host and port, and the pin.
        clock: The clock.
    """

    def __init__(
        self,
        settings: Settings,
        data: Path,
        read_cluster: Callable[[], ClusterStatus],
        place: Callable[[], tuple[str, int, str]],
        clock: Clock,
    ) -> None:
        self._read_cluster = read_cluster
        self._place = place
        figures = ServerFigures(clock, TableCensus((), clock.seconds), UserCensus(lambda _: None))
        self._lag = figures.lag
        self._reader = StatusReader(figures, _idle_gauges(clock, read_cluster), bounds_of(settings), None, data)
        self._reader.started = True
        self._monitoring = (
            Monitoring(settings.metrics, self._reader, clock.seconds) if settings.metrics.listen else None
        )
        desk = WaitingDesk(self._read_status, lambda: read_cluster().serving)
        self._control = ControlSocket(data, desk, clock) if has_unix_sockets() else None

    def open_ports(self) -> str:
        """Open the port for metrics and the control socket; returns why there is no socket. Raises MonitoringError."""
        self._lag.start_ticking()
        if self._monitoring is not None:
            self._monitoring.open_port()
        try:
            if self._control is not None:
                self._control.open_socket()
        except SocketError as error:
            return error.message
        return ""

    async def close_ports(self) -> None:
        """Close the port and the socket: the server of this node opens its own, or the node ends."""
        self._lag.stop_ticking()
        if self._monitoring is not None:
            self._monitoring.close_port()
        if self._control is not None:
            await self._control.close_socket()

    def _read_status(self) -> HostStatus:
        host, port, pin = self._place()
        return host_status(
            self._reader.read_status(),
            host=host,
            port=port,
            pin=pin,
            open_reports=0,
            bans=0,
            shutdown=None,
            maintenance=None,
        )


def _idle_gauges(clock: Clock, read_cluster: Callable[[], ClusterStatus]) -> Gauges:
    """Return the gauges of a node that serves no user."""
    began_ms = clock.date_ms()
    return Gauges(
        connections=lambda: 0,
        buffered_bytes=lambda: 0,
        kept_games=lambda: 0,
        kept_bytes=lambda: 0,
        bots=lambda: 0,
        passwords=lambda: 0,
        polls=lambda: 0,
        readers=lambda: 0,
        draining=lambda: False,
        clock_warning=lambda: "",
        reload_ok=lambda: True,
        reloaded_ms=lambda: began_ms,
        cluster=read_cluster,
    )
