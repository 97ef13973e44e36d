"""The server: its services, and the port that leads to them."""

import asyncio
import logging
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sized
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from scoville_outside import guard
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import Event, EventLog, Events
from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.control.desk import DeskServices, RecentEvents
from scoville_server.errors import make_goodbye, server_moved
from scoville_server.events import ConfigReload, ConfigReloadRefused, Drain, Ready, Start, Stop
from scoville_server.handover import (
    BYE_RESTARTING,
    HandingOver,
    HandsOver,
    Inheriting,
    StepDown,
    UsersPort,
    begin_inheriting,
)
from scoville_server.identity import ServerKey
from scoville_server.journal.backups.note import take_unreported_event
from scoville_server.journal.base import Journal, Shared
from scoville_server.journal.figures import Measured
from scoville_server.journal.files import credential_file
from scoville_server.journal.memory import MemoryJournal
from scoville_server.limits.live import Live
from scoville_server.lobby.default_tables import is_default_table
from scoville_server.net.doors import unix_socket
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.listening import ListeningSockets
from scoville_server.net.peer import ConnectionHandler, Peer
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.net.tcp import Doors, Security, TcpServer, open_server
from scoville_server.nodes.nodes import Nodes, single_node
from scoville_server.observation.status import Bounds, Gauges, StatusReader, summarize_status
from scoville_server.requests import ConnectionReports, FinalAnswers, RequestRouter, carry_out_alone
from scoville_server.services import Services
from scoville_server.settings.games import allowed_slugs
from scoville_server.settings.live import LiveSettings, Reload
from scoville_server.settings.model import BadSettings, Settings, proxies_of
from scoville_server.tables.actor import TableActor
from scoville_server.tables.catalog import GameCatalog
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import write_peer
from scoville_shared.protocol.messages import ByeNotice

if TYPE_CHECKING:
    import ssl

    from scoville_server.observation.monitoring import Monitoring

_log = logging.getLogger(__name__)
_BYE = ByeNotice(code=Code.SHUTTING_DOWN, message="The server is shutting down.")
_GOODBYE_SECONDS = 0.1
"""Seconds that clients have to read the goodbye of a server that goes on: all others wait for them."""


async def _refuse_restart() -> int:
    """Refuse to restart a server that is no process of its own."""
    raise ScovilleError(Code.BAD_PARAMS, "This server is part of another program; restart that.")


async def _go_on() -> None:
    """Go on with a start: no other process has to let this one serve."""


class Server:
    """A whole server, as a `Service`: every new connection gets a `RequestRouter`.

    `keyed_port` shows its key. `moved` is set when another node serves and all users were sent to it.
    `port` is the bound port once the server has started, 0 while it listens nowhere. `door_socket` and
    `door_credential_file` are then the paths for its doors, None if it takes none, or the system has no such sockets.
    """

    def __init__(
        self,
        settings: Settings | LiveSettings,
        catalog: GameCatalog | None = None,
        journal: Journal | None = None,
        clock: Clock = SYSTEM,
        sockets: ListeningSockets | None = None,
        make_nodes: Callable[[FlushQueue], Nodes[TableActor]] = single_node,
    ) -> None:
        self._sockets = sockets or ListeningSockets()
        self.moved: asyncio.Event = asyncio.Event()
        self.live_settings = settings if isinstance(settings, LiveSettings) else LiveSettings(settings, clock)
        self._reloading = asyncio.Lock()
        live = self.live_settings.live
        self.port = 0
        self.door_socket: Path | None = None
        self.door_credential_file: Path | None = None
        self._shown_codes: dict[str, str] = {}
        self._private: Path | None = None
        """A temporary folder for these two, where there is no data folder."""
        self._clock = clock
        self.events = Events(EventLog(clock))
        self._lifetime = _Lifetime(self.events, clock)
        self._services = Services(
            live,
            catalog or _make_catalog(live.value),
            journal or _make_journal(live, clock, self.events),
            clock,
            self.events,
            make_nodes,
        )
        self._reports = ConnectionReports(self.events, self._services.figures.requests, clock.seconds)
        self._finals = _make_final_answers(self._services)
        self._handlers = _join_handlers(self._services, self._finals)
        self._scheduler = ReadScheduler(live.select(lambda s: s.connections), clock, self._services.flushes)
        self._connections: dict[RequestRouter, Peer] = {}
        self._step_down = StepDown(self._services, self._connections, self.moved.set)
        self._services.on_deposed = self._step_down.begin_step_down
        self._inside: set[RequestRouter] = set()
        """Those of this process."""
        self._deserted = asyncio.Event()
        self._tcp: TcpServer | None = None
        self.status = _make_status(self._services, self.live_settings, self._connections, self._scheduler)
        self._monitoring: Monitoring | None = None
        self._inheriting: Inheriting | None = None
        self.keyed_port = UsersPort(self._services, self._connections, self._scheduler.expect_returns)

    async def start(self, on_restored: Callable[[], Awaitable[None]] = _go_on) -> None:
        """Restore the kept data, and listen if the settings name a port.

        Args:
            on_restored: Is awaited before anything is done for users; the start is refused with its exceptions.

        Raises JournalError if the data folder cannot be used, OSError for the port, SocketError for that of doors,
        MonitoringError; close the server after each. The folder is as it was then, unless the disk is at fault.
        """
        self._lifetime.report_start(self.settings)
        try:
            # First: it answers that the server is not ready while tables are restored.
            self._monitoring = _open_monitoring(self.settings, self.status, self._clock, self._sockets)
            await self._open_and_listen(on_restored)
        except BaseException as error:  # also after a cancel: everything open by now must be closed
            self._lifetime.note_failure(error)
            self._services.abandon_start()
            raise
        self._lifetime.report_ready(self.settings, self.port, self.key.pin, self.table_count)

    async def _open_and_listen(self, on_restored: Callable[[], Awaitable[None]]) -> None:
        """Read the kept data, bind the port, and only then change anything: a busy port must leave no trace.

        Connections are accepted last; until then they wait in the system's backlog.
        """
        await self._services.open_journal()
        settings, doors = self.settings, self._prepare_doors()
        if settings.port is not None or self.door_socket is not None:
            security = self.live_settings.live.select(
                lambda s: Security(lambda: _make_context(self.key), s.plain_text, s.local_plain_text, proxies_of(s))
            )
            how = (self._scheduler, self._services.arrivals.is_known, security, doors, self._sockets)
            self._tcp = await open_server(self, settings.host, settings.port, *how, accepts=False)
            self.port = self._tcp.port
        self._inheriting = begin_inheriting(self._services)
        await self._services.restore_services()
        await self._inheriting.receive_connections(self._sockets)
        await self._services.prepare_folder()
        if self.door_credential_file is not None:
            group = unix_socket.find_group(settings.doors.group)
            credential_file.write_credential(self.door_credential_file, doors.credential, shared=group is not None)
            unix_socket.share_with_group(self.door_credential_file, group)
        await on_restored()
        self._services.start_activity(self.port)
        await self._inheriting.begin_connections(self._tcp)
        self.status.started = True
        self.keyed_port.open_port(self._tcp)

    @property
    def monitoring_port(self) -> int:
        """The port for monitoring, 0 for none."""
        return 0 if self._monitoring is None else self._monitoring.port

    def _prepare_doors(self) -> Doors:
        """Return how the server takes doors; a new credential is not written yet. Raises JournalError."""
        settings = self.settings.doors
        if not settings.enabled:
            return Doors(replace(settings, socket=None))
        folder = self.settings.data
        if folder is None and None in (settings.socket, settings.credential_file):
            folder = self._private = Path(tempfile.mkdtemp(prefix="scoville-"))
        elsewhere = folder or Path()
        self.door_credential_file = settings.credential_file or elsewhere / credential_file.CREDENTIAL
        if unix_socket.has_unix_sockets():
            self.door_socket = settings.socket or elsewhere / unix_socket.SOCKET
        credential = credential_file.find_credential(self.door_credential_file) or credential_file.make_credential()
        self._services.hosted.use_secret(credential)
        self._services.figures.doors.use_secret(credential)
        return Doors(self.live_settings.live.select(lambda s: replace(s.doors, socket=self.door_socket)), credential)

    @property
    def settings(self) -> Settings:
        """The settings that hold now."""
        return self.live_settings.live.value

    async def reload(self) -> Reload:
        """Read the settings again and change those that can change while the server runs; on any fault nothing changes.

        Connections, tables and games stay. Two reloads at once run one after the other.
        """
        async with self._reloading:
            result = await _read_and_apply(self.live_settings)
        if result.is_in_force:
            event: Event = ConfigReload(changed=len(result.changed), restart=len(result.needs_restart))
        else:
            event = ConfigReloadRefused(faults=len(result.faults), reason=" ".join(result.faults))
        self.events.report_event(event)
        return result

    @property
    def key(self) -> ServerKey:
        """The key by which clients recognize the server."""
        return self._services.identity.key

    def watch_and_control(
        self, stop: Callable[[], None], restart: Callable[[], Awaitable[int]] = _refuse_restart
    ) -> DeskServices:
        """Return the parts of this server that a control desk watches and acts on.

        Args:
            stop: Lets the server end.
            restart: Begins a restart; returns the id of the process that takes over, 0 for this one.
        """
        self._services.events.add_sink(recent := RecentEvents(self._clock.date_ms))
        return DeskServices(
            services=self._services,
            read_status=self.status.read_status,
            events=recent,
            place=lambda: (self.settings.host, self.port, self.key.pin),
            stop=stop,
            restart=restart,
            reload_settings=self.reload,
            addresses=lambda: [peer.address for peer in self._connections.values()],
        )

    @property
    def admin_codes(self) -> dict[str, str]:
        """The one-time codes of the configured admins who have no account, by configured name."""
        return self._services.admin_codes.prepare_codes()

    def take_new_admin_codes(self) -> dict[str, str]:
        """Return the admin codes that have come since the last call, by configured name."""
        shown = self._shown_codes
        self._shown_codes = self.admin_codes
        return {name: code for name, code in self._shown_codes.items() if shown.get(name) != code}

    @property
    def table_count(self) -> int:
        """The number of tables, without default tables at which nobody sits."""
        tables = [actor.table for actor in self._services.tables.all_tables()]
        return sum(bool(table.human_seats) or not is_default_table(table) for table in tables)

    def make_protocol(self) -> asyncio.Protocol:
        """Make the server's end of a connection inside this process."""
        return ConnectionDriver(_InProcess(self._accept_inside), self._scheduler.limits, self._scheduler)

    @property
    def others(self) -> int:
        """How many connections there are, except for those inside this process."""
        return len(self._connections) - len(self._inside)

    def accept_connection(self, peer: Peer) -> ConnectionHandler:
        """Accept a new connection."""
        router = self._make_router(peer)
        self._update_deserted()
        return router

    def _accept_inside(self, peer: Peer) -> ConnectionHandler:
        router = self._make_router(peer)
        self._inside.add(router)
        return router

    def _make_router(self, peer: Peer) -> RequestRouter:
        services = self._services
        client = ConnectedClient(peer, services.sessions)
        how = (self._handlers, services.arrivals, self._reports, self._forget_router, self._finals)
        router = RequestRouter(client, *how)
        self._connections[router] = peer
        return router

    @property
    def goes_on(self) -> bool:
        """Whether the service manager keeps the port open: users who connect after the end start the next server."""
        return self._sockets.port_is_kept

    def describe_briefly(self) -> str:
        """Describe how the server is in a line, for the service manager."""
        return summarize_status(self.status.read_status())

    async def check_journal(self) -> bool:
        """Return whether the journal answers at all; an error such as a full disk is an answer, a hang is none."""
        return await self._services.remembered_time.check_journal()

    async def drain(self, hurry: asyncio.Event) -> None:
        """Prepare the end: refuse new guests and games, announce it, and let games continue for `drain_seconds`.

        Returns earlier once nobody is connected from outside of this process, or when `hurry` is set.
        """
        seconds = self.settings.drain_seconds
        self.events.report_event(Drain(seconds=seconds, connections=self.others))
        self._services.start_draining(seconds)
        if seconds and self.others:
            ends = [asyncio.ensure_future(event.wait()) for event in (hurry, self._deserted)]
            await self._clock.wait(*ends, seconds=seconds)
            for end in ends:
                end.cancel()

    async def hand_over_tables(self, hurry: asyncio.Event) -> None:
        """Give all tables to other nodes that serve, for some seconds, or until `hurry` is set."""
        await self._step_down.hand_over_tables(hurry)

    async def close(
        self,
        *,
        goes_on: bool = False,
        hands_over: HandsOver = "",
        moves_on: bool = False,
        on_written: Callable[[], Awaitable[object]] = _go_on,
        on_kept: Callable[[], object] = lambda: None,
    ) -> None:
        """Answer accepted requests, send all users the goodbye, and end.

        Args:
            hands_over: How the successor gets connections, if it does.
            goes_on: Whether a successor inherits the sockets: then new connections wait for it, and all users are asked
                to come back at once.
            moves_on: Whether that is another node, to which everybody is sent.
            on_written: Is awaited when nothing more is written.
            on_kept: Is called when all that a successor inherits is kept; only goodbyes follow.
        """
        bye, unanswered = _goodbye_of(goes_on=goes_on, moves_on=moves_on), list[Collection[object]]()
        handing_over = HandingOver(self._services, self._connections, self._sockets, hands_over)
        if self._inheriting is not None:
            self._inheriting.stop_waiting()
        with self._lifetime.report_end():
            async with AsyncExitStack() as ending:  # from its last callback to the first, whatever fails
                if self._monitoring is not None:
                    ending.callback(self._monitoring.close_port)
                if self._private is not None:
                    ending.callback(shutil.rmtree, self._private, ignore_errors=True)
                ending.push_async_callback(handing_over.relay_connections)
                peers, seconds = self._connections, self.settings.drain_seconds
                ending.push_async_callback(_send_goodbyes, peers, self._tcp, seconds, bye, goes_on=goes_on)
                if not goes_on or hands_over == "relayed":  # or users would wait at the port of a process that ends
                    self._sockets.close_kept()
                try:
                    await handing_over.write_ahead()
                    if goes_on and self._tcp is not None:
                        self._tcp.stop_listening()
                        # Requests that arrive from now on are for the successor; here they would be refused.
                        unanswered = [peer.hold_requests() for peer in tuple(self._connections.values())]
                    await handing_over.note_watched()
                finally:
                    await self._services.close()
                await on_written()
                await handing_over.keep_connections(unanswered)
                on_kept()

    def _forget_router(self, router: RequestRouter) -> None:
        self._connections.pop(router, None)
        self._inside.discard(router)
        self._update_deserted()

    def _update_deserted(self) -> None:
        (self._deserted.clear if self.others else self._deserted.set)()


def _make_final_answers(services: Services) -> FinalAnswers | None:
    if not isinstance(services.journal, Shared):
        return None
    return FinalAnswers(services.journal, services.nodes.restore_contact, services.clock)


def _join_handlers(services: Services, finals: FinalAnswers | None) -> Handlers:
    """Return the handlers of this node's users' requests, about tables of other nodes as well."""
    if services.nodes.links is None and finals is None:
        return services.handlers
    from scoville_server.visiting.joining import join_tables, read_once_sure  # a server that is alone does without

    if services.nodes.links is None:
        return read_once_sure(services.handlers, services.nodes)
    return join_tables(services, services.nodes.links, carry_out_alone if finals is None else finals.carry_out)


def _make_context(key: ServerKey) -> "ssl.SSLContext":
    from scoville_server.net.tls.context import server_context  # slow to load

    return server_context(key)


async def _read_and_apply(live: LiveSettings) -> Reload:
    try:
        loaded = await asyncio.to_thread(live.read)
    except BadSettings as error:
        return live.refuse_reload(error.faults)
    except Exception as error:  # noqa: BLE001 - whatever it is, the old settings hold
        _log.exception("The settings could not be read")
        return live.refuse_reload((f"The settings could not be read: {error}",))
    for note in loaded.notes:
        _log.warning("%s", note)
    return live.apply_settings(loaded.settings, loaded.origins)


def _goodbye_of(*, goes_on: bool, moves_on: bool) -> ByeNotice:
    if moves_on:
        return make_goodbye(server_moved())
    return BYE_RESTARTING if goes_on else _BYE


class _Lifetime:
    """Reports the start and the end of a server."""

    def __init__(self, events: Events, clock: Clock) -> None:
        self._events = events
        self._now = clock.seconds
        self._started = clock.seconds()
        self._failure = ""

    @property
    def _seconds(self) -> float:
        return round(self._now() - self._started, 3)

    def report_start(self, settings: Settings) -> None:
        self._started = self._now()
        self._events.report_event(Start(version=__version__, data="" if settings.data is None else str(settings.data)))

    def note_failure(self, error: BaseException) -> None:
        """Note why the server cannot start."""
        self._failure = str(error) or type(error).__name__

    def report_ready(self, settings: Settings, port: int, pin: str, tables: int) -> None:
        """Report that users can connect, and a backup that was made while no server ran."""
        listens = write_peer(settings.host or "*", port) if port else ""
        self._events.report_event(Ready(listens=listens, pin=pin, tables=tables, seconds=self._seconds))
        backup = None if settings.data is None else take_unreported_event(settings.data)
        if backup is not None:
            self._events.report_event(backup)

    @contextmanager
    def report_end(self) -> Iterator[None]:
        """Report the end after the body, and flush the sinks."""
        try:
            yield
        finally:
            self._events.report_event(Stop(reason=self._failure, seconds=self._seconds))
            self._events.close_sinks()


async def _send_goodbyes(
    connections: Mapping[RequestRouter, Peer], tcp: TcpServer | None, seconds: float, bye: ByeNotice, *, goes_on: bool
) -> None:
    # A copy: some of them end while the others get the goodbye.
    for peer in tuple(connections.values()):
        peer.close(bye)
    if tcp is not None:
        await tcp.close(min(_GOODBYE_SECONDS, seconds) if goes_on else seconds, bye, goes_on=goes_on)


class _InProcess(NamedTuple):
    """A `Service` for connections inside this process."""

    accept_connection: Callable[[Peer], ConnectionHandler]


def _open_monitoring(
    settings: Settings, status: StatusReader, clock: Clock, sockets: ListeningSockets
) -> "Monitoring | None":
    """Open the port for monitoring, if the settings name one. Raises MonitoringError."""
    if not settings.metrics.listen:
        return None
    from scoville_server.observation.monitoring import Monitoring  # most servers do without it

    monitoring = Monitoring(settings.metrics, status, clock.seconds)
    try:
        monitoring.open_port(sockets)
    except BaseException:
        monitoring.close_port()
        raise
    return monitoring


def _make_status(services: Services, live: LiveSettings, connections: Sized, scheduler: ReadScheduler) -> StatusReader:
    """Make the reader of a server's status."""
    archive, journal = services.archive, services.journal
    gauges = Gauges(
        connections=lambda: len(connections),
        buffered_bytes=lambda: scheduler.buffers.total,
        kept_games=lambda: 0 if archive is None else archive.kept_games,
        kept_bytes=lambda: 0 if archive is None else archive.kept_bytes,
        bots=lambda: services.bot_thinking.waiting,
        passwords=lambda: services.accounts.passwords.waiting,
        polls=lambda: services.polls.waiting,
        readers=lambda: scheduler.waiting_networks,
        draining=lambda: services.permits.draining,
        clock_warning=lambda: services.time.warning,
        reload_ok=lambda: live.last_reload_ok,
        reloaded_ms=lambda: live.last_success_ms,
        cluster=services.nodes.read_status,
        stopped_games=services.catalog.list_stopped,
        links=services.nodes.describe_links,
    )
    figures = journal.figures if isinstance(journal, Measured) else None
    return StatusReader(services.figures, gauges, live.live.select(bounds_of), figures, live.live.value.data)


def bounds_of(settings: Settings) -> Bounds:
    """Return the limits beside which figures are shown."""
    return Bounds(
        remembered=settings.guests,
        connections=settings.connections.total,
        buffered_bytes=settings.connections.buffers,
        tables=settings.tables,
        kept_games=settings.games.files,
        kept_bytes=settings.games.bytes,
        memory_bytes=settings.limits.memory_mib * 1_048_576,
        bots=settings.thinking.waiting,
        passwords=settings.accounts.hashing.waiting,
        polls=settings.polls,
    )


def _make_journal(live: Live[Settings], clock: Clock, events: Events) -> Journal:
    settings = live.value
    # Practice: nobody else waits for the game, its seed deals it again, and a disk would delay the first screen.
    if settings.data is None:
        return MemoryJournal()
    from scoville_server.journal.sqlite import SqliteJournal

    most, tolerant = live.select(lambda s: s.pending_writes), settings.leave_out_damaged
    return SqliteJournal(settings.data, most, leave_out_damaged=tolerant, clock=clock, events=events)


def _make_catalog(settings: Settings) -> GameCatalog:
    return GameCatalog(settings.game_options, lambda: guard.list_usable(allowed_slugs(settings)))
