"""The control desk: carries out the commands of the control socket by the server's own services.

It lists tables without their cards, and networks with their users.
"""

import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol

from msgspec import Struct, convert
from msgspec.structs import replace

from scoville_runtime.events import Event, Events, Field, fields_of, kind_of
from scoville_runtime.figures import Durations
from scoville_runtime.host_status import HostStatus, MaintenanceStatus, PlannedStatus, ServerStatus
from scoville_server.accounts.users import Users
from scoville_server.control import commands as c
from scoville_server.control.host_status import host_status
from scoville_server.control.tables import TableList, TablesOfNodes, is_in_any
from scoville_server.control.wire import Asked
from scoville_server.events import Damage
from scoville_server.moderation.maintenance import MaintenanceOn, PlannedShutdown
from scoville_server.moderation.model.ban_index import BanSubject
from scoville_server.moderation.records import ModerationRecords
from scoville_server.moderation.service import ModerationService
from scoville_server.net.sanitize import sanitize_params
from scoville_server.nodes.nodes import Nodes
from scoville_server.observation.status import ServerFigures
from scoville_server.settings.live import Reload
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.balance import TableBalance
from scoville_server.tables.lifecycle.far_commands import FarCommands
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.networks import network_of, parse_network
from scoville_shared.protocol import messages as m

_MOST_OF_A_KIND: Final = 64
"""Events that are kept of one kind: ten thousand refusals must not hide a wrong log-in."""


class EventRow(Struct, frozen=True, kw_only=True):
    """A recent event; smaller priorities are more important, as in syslog."""

    number: int
    at_ms: int
    kind: str
    priority: int
    fields: dict[str, Field]


class RecentEvents:
    """Sink that keeps the latest events of each kind. `date_ms` returns the time in milliseconds since 1970."""

    def __init__(self, date_ms: Callable[[], int]) -> None:
        self._date_ms = date_ms
        self._latest_number = 0
        self._by_kind: dict[str, deque[tuple[int, int, Event]]] = {}

    def take_event(self, event: Event) -> None:
        """Keep an event. Its fields are read when they are asked for: a flood pays for a tuple alone."""
        self._latest_number += 1
        kept = self._by_kind.setdefault(kind_of(event), deque(maxlen=_MOST_OF_A_KIND))
        kept.append((self._latest_number, self._date_ms(), event))

    def close_sink(self) -> None:
        """Keep the events: they may still be read."""

    def list_events(self, since: int, most: int) -> list[EventRow]:
        """List the latest events after a number, oldest first."""
        # By their numbers, no two of which are equal: events themselves are never compared.
        found = sorted(each for kept in self._by_kind.values() for each in kept if each[0] > since)[-most:]
        return [
            EventRow(
                number=number,
                at_ms=at_ms,
                kind=kind_of(event),
                priority=int(event.priority),
                fields=fields_of(event),
            )
            for number, at_ms, event in found
        ]


class NetworkRow(Struct, frozen=True, kw_only=True):
    """A network as limits count it: its users and connections, and the share of all connections."""

    network: str
    users: int
    connections: int
    share: float
    refusals_per_minute: int
    banned: bool


class NetworkList(Struct, frozen=True, kw_only=True):
    """Networks, at most as many as wanted, and how many there are."""

    networks: list[NetworkRow]
    total: int


def list_networks(
    addresses: Iterable[str],
    users: Iterable[str],
    is_banned: Callable[[str], bool],
    count_refusals: Callable[[str], int],
    wanted: c.ListNetworks,
) -> NetworkList:
    """List networks, those with the most connections first.

    Args:
        addresses: The "host:port" of each connection.
        users: That of each connected user.
        is_banned: Whether a host is banned from the server.
        count_refusals: Returns the refusals of a network in the last minute.
        wanted: Which rows the list has.
    """
    connections, people = Counter(map(network_of, addresses)), Counter(map(network_of, users))
    total = max(1, connections.total())
    found = [network for network, _ in connections.most_common() if network and is_in_any(wanted.match, [network])]
    rows = [
        NetworkRow(
            network=network,
            users=people[network],
            connections=connections[network],
            share=round(connections[network] / total, 3),
            refusals_per_minute=count_refusals(network),
            banned=is_banned(network.partition("/")[0]),
        )
        for network in found[: wanted.most]
    ]
    return NetworkList(networks=rows, total=len(found))


class Caller(NamedTuple):
    """A user of this machine at the control socket; `name` is how the audit log names them."""

    uid: int
    login: str

    @property
    def name(self) -> str:
        """Their login with its number; longer than any name of a user, so that no admin can be mistaken for them."""
        return f"{self.login} (uid {self.uid}, control socket)"


class Desk(Protocol):
    """Carries out the commands of a control socket."""

    async def carry_out(self, caller: Caller, asked: Asked) -> object:
        """Carry out a command and return its result. Raises ScovilleError."""

    async def begin_sharing(self) -> None:
        """Answer the desks of other nodes from now on."""


class WatchedServices(Protocol):
    """The services of a server that the desk watches and acts through."""

    moderation: ModerationService
    moderation_records: ModerationRecords
    users: Users
    nodes: Nodes[TableActor]
    shutdown: PlannedShutdown
    balance: TableBalance
    far_commands: FarCommands
    figures: ServerFigures
    events: Events


class DeskServices(NamedTuple):
    """The services of a server that the desk needs."""

    services: WatchedServices
    read_status: Callable[[], ServerStatus]
    events: RecentEvents
    addresses: Callable[[], Iterable[str]]
    """Returns the "host:port" of each connection."""
    place: Callable[[], tuple[str, int, str]]
    """Returns where the server listens, and its pin."""
    stop: Callable[[], None]
    """Lets the server end, as after SIGTERM."""
    restart: Callable[[], Awaitable[int]]
    """Begins a restart. Returns the id of the process that takes over, 0 for this one. Raises ScovilleError if the
    server cannot be started again."""
    reload_settings: Callable[[], Awaitable[Reload]]
    """Reads the settings again, as after SIGHUP."""


class SlowRow(Struct, frozen=True, kw_only=True):
    """How long work of one kind took in the last minute; `count` is how often it was done since the start."""

    what: str
    count: int
    p50_seconds: float
    p99_seconds: float
    longest_seconds: float


class SlowList(Struct, frozen=True, kw_only=True):
    """Kinds of work, the slowest first."""

    kinds: list[SlowRow]


class EventList(Struct, frozen=True, kw_only=True):
    """The latest events, oldest first."""

    events: list[EventRow]


class Left(Struct, frozen=True, kw_only=True):
    """The seconds until the end, None if none is planned."""

    left_seconds: float | None


class Moved(Struct, frozen=True, kw_only=True):
    """A table that has moved, and the node that serves it now."""

    table: str
    node: str


class Restarting(Struct, frozen=True, kw_only=True):
    """The version that ends, and when it was started: its successor names others.

    Attributes:
        successor: The id of the process that takes over, 0 for the same one.
    """

    version: str
    started_ms: int
    successor: int


_USUAL_DRAIN_MS: Final = 600_000


Handler = Callable[[Caller, Any, str], object | Awaitable[object]]


class ControlDesk:
    """Carries out commands. Every act is in the audit log before it happens, with who did it and why."""

    def __init__(self, server: DeskServices) -> None:
        self._server = server
        self._moderation = server.services.moderation
        self._records = server.services.moderation_records
        self._users = server.services.users
        self._shutdown = server.services.shutdown
        self._figures = server.services.figures
        self._tables = TablesOfNodes(server.services.nodes)
        self.begin_sharing = self._tables.begin_sharing
        self._handlers: Final[dict[str, Handler]] = {
            "status": self._read_status,
            "users": self._list_users,
            "tables": self._list_tables,
            "networks": self._list_networks,
            "reports": self._list_reports,
            "bans": self._list_bans,
            "slow": self._list_slow,
            "log": self._list_events,
            "audit": self._list_acts,
            "announce": self._announce_text,
            "kick": self._kick_user,
            "warn": self._warn_user,
            "warnings": self._list_warnings,
            "moderator": self._switch_moderator,
            "ban": self._add_ban,
            "unban": self._lift_ban,
            "close-table": self._close_table,
            "move-table": self._move_table,
            "drain": self._plan_shutdown,
            "restart": self._restart_server,
            "reload": self._reload_settings,
            "maintenance": self._switch_maintenance,
            "resolve-report": self._resolve_report,
            "report-event": self._report_event,
        }

    async def carry_out(self, caller: Caller, asked: Asked) -> object:
        """Carry out a command and return its result. Raises ScovilleError."""
        result = self._handlers[asked.command.name](caller, asked.arguments, asked.reason)
        return await result if isinstance(result, Awaitable) else result

    # --- the server -------------------------------------------------------------------------------------

    def _read_status(self, _: Caller, __: c.NoArguments, ___: str) -> HostStatus:
        mode = self._records.maintenance.mode
        left = self._shutdown.left_seconds
        host, port, pin = self._server.place()
        return host_status(
            self._server.read_status(),
            host=host,
            port=port,
            pin=pin,
            open_reports=len(self._records.reports.open_reports),
            bans=len(self._moderation.list_bans()),
            shutdown=None if left is None else PlannedStatus(left_seconds=left, reason=self._shutdown.reason),
            maintenance=None if mode is None else convert(mode, MaintenanceStatus, from_attributes=True),
        )

    def _list_slow(self, _: Caller, __: c.NoArguments, ___: str) -> SlowList:
        figures = self._figures
        now = figures.clock.seconds()
        durations = {**figures.requests.durations, "loop": figures.lag.durations}
        rows = [_describe_durations(what, each, now) for what, each in durations.items()]
        return SlowList(kinds=sorted(rows, key=lambda row: row.longest_seconds, reverse=True))

    def _list_events(self, _: Caller, wanted: c.ListSince, __: str) -> EventList:
        return EventList(events=self._server.events.list_events(wanted.since, wanted.most))

    async def _plan_shutdown(self, caller: Caller, wanted: c.PlanShutdown, reason: str) -> Left:
        if wanted.cancel:
            if self._shutdown.left_seconds is None:
                raise ScovilleError(Code.BAD_PARAMS, "No end is planned that could be called off.")
            await self._moderation.log_act(caller, "drain cancelled", why=reason)
            self._shutdown.call_off()
            return Left(left_seconds=None)
        in_ms = wanted.in_ms or _USUAL_DRAIN_MS
        await self._moderation.log_act(caller, f"drain in {in_ms // 1000} s", why=reason)
        self._shutdown.plan_shutdown(in_ms / 1000, reason, self._server.stop)
        return Left(left_seconds=self._shutdown.left_seconds)

    async def _reload_settings(self, caller: Caller, _: c.NoArguments, reason: str) -> Reload:
        await self._moderation.log_act(caller, "reload", why=reason)
        return await self._server.reload_settings()

    async def _restart_server(self, caller: Caller, _: c.NoArguments, reason: str) -> Restarting:
        await self._moderation.log_act(caller, "restart", why=reason)
        successor = await self._server.restart()
        status = self._server.read_status()
        return Restarting(version=status.version, started_ms=status.started_ms, successor=successor)

    async def _switch_maintenance(self, caller: Caller, wanted: c.SwitchMaintenance, reason: str) -> m.Empty:
        maintenance = self._records.maintenance
        await self._moderation.log_act(caller, f"maintenance {wanted.mode}", why=reason)
        mode = MaintenanceOn(by=caller.name, reason=reason, since_ms=self._users.time.now_ms())
        await maintenance.switch_mode(mode if wanted.mode == "on" else None)
        return m.Empty()

    # --- lists -----------------------------------------------------------------------------------------

    async def _list_users(self, _: Caller, wanted: c.ListUsers, __: str) -> m.UsersReply:
        found = await self._moderation.list_users()
        match = wanted.match.casefold()
        shown = [user for user in found if match in user.name.casefold() or match in (user.address or "")]
        return m.UsersReply(users=shown[: wanted.most])

    async def _list_tables(self, _: Caller, wanted: c.ListTables, __: str) -> TableList:
        return await self._tables.list_tables(wanted)

    def _list_networks(self, _: Caller, wanted: c.ListNetworks, __: str) -> NetworkList:
        users = self._users
        refused = self._figures.events.refused_by_network
        of_users = [users.connections.address_of(user.id) for user in users.sessions.connected_users()]
        return list_networks(self._server.addresses(), of_users, self._is_banned_host, refused.count_recent, wanted)

    def _is_banned_host(self, host: str) -> bool:
        subject = BanSubject(UserId(""), "", host)
        return self._records.bans.find_ban("server", subject, self._users.time.now_ms()) is not None

    def _list_reports(self, _: Caller, __: c.NoArguments, ___: str) -> m.ReportsReply:
        return m.ReportsReply(reports=self._moderation.list_reports())

    def _list_bans(self, _: Caller, __: c.NoArguments, ___: str) -> m.BansReply:
        return m.BansReply(bans=self._moderation.list_bans())

    async def _list_acts(self, _: Caller, wanted: c.ListSince, __: str) -> m.AuditReply:
        # Without a number the latest ones, and not those of long ago.
        since = wanted.since or max(0, self._records.audit.latest_number - wanted.most)
        return m.AuditReply(entries=(await self._moderation.list_acts(since))[: wanted.most])

    # --- acts ------------------------------------------------------------------------------------------

    async def _announce_text(self, caller: Caller, wanted: c.Announce, _: str) -> m.Empty:
        await self._moderation.announce_text(caller, wanted.text)
        return m.Empty()

    async def _kick_user(self, caller: Caller, wanted: c.Kick, reason: str) -> m.Empty:
        user = self._users.sessions.known_user(wanted.name)
        await self._moderation.kick_user(caller, user, reason)
        return m.Empty()

    async def _warn_user(self, caller: Caller, wanted: c.Kick, reason: str) -> m.Empty:
        await self._moderation.warn_user(caller, self._users.sessions.known_user(wanted.name), reason)
        return m.Empty()

    def _list_warnings(self, _: Caller, wanted: c.Kick, __: str) -> m.ListWarningsReply:
        user = self._users.sessions.known_user(wanted.name)
        return m.ListWarningsReply(history=self._moderation.list_warnings(user))

    async def _switch_moderator(self, caller: Caller, wanted: c.SwitchModerator, reason: str) -> m.Empty:
        user = self._users.sessions.known_user(wanted.name)
        await self._moderation.appoint_moderator(caller, user, moderator=wanted.mode == "on", reason=reason)
        return m.Empty()

    async def _add_ban(self, caller: Caller, wanted: c.AddBan, reason: str) -> m.BanReply:
        kind = wanted.kind or kind_of_target(wanted.target)
        request = m.BanRequest(
            kind=kind, target=wanted.target, scope=wanted.scope, duration_ms=wanted.for_ms, reason=reason
        )
        return m.BanReply(ban=(await self._moderation.add_ban(caller, sanitize_params(request))).info)

    async def _lift_ban(self, caller: Caller, wanted: c.LiftBan, reason: str) -> m.Empty:
        await self._moderation.lift_ban(caller, wanted.id, reason)
        return m.Empty()

    async def _close_table(self, caller: Caller, wanted: c.CloseTable, reason: str) -> m.Empty:
        far = self._server.services.far_commands
        if far.is_elsewhere(wanted.table):
            await self._moderation.log_act(caller, "close", wanted.table, reason)
            far.send_command(TableId(wanted.table), Close(reason=reason))
        else:
            await self._moderation.close_table(caller, wanted.table, reason)
        return m.Empty()

    async def _move_table(self, caller: Caller, wanted: c.MoveTable, reason: str) -> Moved:
        await self._moderation.log_act(caller, "move", wanted.table, reason)
        return Moved(table=wanted.table, node=await self._server.services.balance.move_table(wanted.table, wanted.to))

    async def _resolve_report(self, caller: Caller, wanted: c.ResolveReport, reason: str) -> m.Empty:
        await self._moderation.resolve_report(caller, wanted.id, reason)
        return m.Empty()

    def _report_event(self, caller: Caller, wanted: c.ReportEvent, _: str) -> m.Empty:
        event = wanted.event
        # Damage was found, and is nobody's act.
        if not isinstance(event, Damage):
            event = replace(event, by=caller.name)
        self._server.services.events.report_event(event)
        return m.Empty()


def _describe_durations(what: str, durations: Durations, now: float) -> SlowRow:
    p50, p99, longest = durations.list_quantiles(now, 0.5, 0.99, 1.0)
    return SlowRow(what=what, count=durations.count, p50_seconds=p50, p99_seconds=p99, longest_seconds=longest)


_MISTYPED_NETWORK: Final = re.compile(
    r"[\d.]+/.*|\d+\.\d+\.\d+\.\d+|[\da-f.]*:[\da-f.]*:[\da-f:.]*(/.*)?", re.IGNORECASE
)
"""The form of a mistyped address or network."""


def kind_of_target(target: str) -> m.BanKind:
    """Return the kind of a ban's target by its form: the fingerprint of a key, an address or network, or a name.

    A mistyped network is none of a name: such a ban would be in force and keep nobody out.
    """
    if target.startswith("SHA256:"):
        return "key"
    try:
        parse_network(target)
    except ValueError:
        return "address" if _MISTYPED_NETWORK.fullmatch(target) else "name"
    return "address"
