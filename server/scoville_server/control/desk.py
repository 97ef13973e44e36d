"""The control desk: carries out the commands of the control socket by the server's own services."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, NamedTuple

from scoville_server.accounts.users import Users
from scoville_server.control import commands as c
from scoville_server.control.listing import NetworkList, TableList, list_networks, list_tables
from scoville_server.control.wire import Asked
from scoville_server.moderation.model.ban_index import BanSubject
from scoville_server.moderation.records import ModerationRecords
from scoville_server.moderation.service import ModerationService
from scoville_server.net.sanitize import clean_params
from scoville_server.nodes.directory import Directory
from scoville_server.tables.actor import TableActor
from scoville_shared.ids import UserId
from scoville_shared.networks import parse_network
from scoville_shared.protocol import messages as m


class Caller(NamedTuple):
    """A user of this machine at the control socket; `name` is how the audit log names them."""

    uid: int
    login: str

    @property
    def name(self) -> str:
        """Their login with its number; longer than any name of a user, so that no admin can be mistaken for them."""
        return f"{self.login} (uid {self.uid}, control socket)"


class DeskServices(NamedTuple):
    """What the desk needs of a server."""

    moderation: ModerationService
    records: ModerationRecords
    users: Users
    tables: Directory[TableActor]
    addresses: Callable[[], Iterable[str]]
    """Returns the "host:port" of each connection."""


Handler = Callable[[Caller, Any, str], object | Awaitable[object]]


class ControlDesk:
    """Carries out commands. Every act is in the audit log before it happens, with who did it and why."""

    def __init__(self, services: DeskServices) -> None:
        self._moderation = services.moderation
        self._records = services.records
        self._users = services.users
        self._tables = services.tables
        self._addresses = services.addresses
        self._handlers: Final[dict[str, Handler]] = {
            "users": self._list_users,
            "tables": self._list_tables,
            "networks": self._list_networks,
            "reports": self._list_reports,
            "bans": self._list_bans,
            "audit": self._list_acts,
            "announce": self._announce,
            "kick": self._kick_user,
            "ban": self._add_ban,
            "unban": self._lift_ban,
            "close-table": self._close_table,
            "resolve-report": self._resolve_report,
        }

    async def carry_out(self, caller: Caller, asked: Asked) -> object:
        """Carry out a command and return its result. Raises ScovilleError."""
        result = self._handlers[asked.command.name](caller, asked.arguments, asked.reason)
        return await result if isinstance(result, Awaitable) else result

    # --- lists -----------------------------------------------------------------------------------------

    async def _list_users(self, _: Caller, wanted: c.ListUsers, __: str) -> m.UsersReply:
        found = await self._moderation.list_users()
        match = wanted.match.casefold()
        shown = [user for user in found if match in user.name.casefold() or match in (user.address or "")]
        return m.UsersReply(users=shown[: wanted.most])

    def _list_tables(self, _: Caller, wanted: c.ListTables, __: str) -> TableList:
        return list_tables(self._tables.all_tables(), wanted.match, wanted.sort, wanted.most)

    def _list_networks(self, _: Caller, wanted: c.ListNetworks, __: str) -> NetworkList:
        users = self._users
        of_users = [users.connections.address_of(user.id) for user in users.sessions.connected_users()]
        return list_networks(self._addresses(), of_users, self._is_banned_host, wanted.match, wanted.most)

    def _is_banned_host(self, host: str) -> bool:
        subject = BanSubject(UserId(""), "", host)
        return self._records.bans.find_ban("server", subject, self._users.time.now_ms()) is not None

    def _list_reports(self, _: Caller, __: c.NoArguments, ___: str) -> m.ReportsReply:
        return m.ReportsReply(reports=self._moderation.list_reports())

    def _list_bans(self, _: Caller, __: c.NoArguments, ___: str) -> m.BansReply:
        return m.BansReply(bans=self._moderation.list_bans())

    def _list_acts(self, _: Caller, wanted: c.ListSince, __: str) -> m.AuditReply:
        since = wanted.since or max(0, self._records.audit.latest_number - wanted.most)
        return m.AuditReply(entries=self._moderation.list_acts(since)[: wanted.most])

    # --- acts ------------------------------------------------------------------------------------------

    async def _announce(self, caller: Caller, wanted: c.Announce, _: str) -> m.Empty:
        await self._moderation.announce(caller, wanted.text)
        return m.Empty()

    async def _kick_user(self, caller: Caller, wanted: c.Kick, reason: str) -> m.Empty:
        user = self._users.sessions.known_user(wanted.name)
        await self._moderation.kick_user(caller, user, reason)
        return m.Empty()

    async def _add_ban(self, caller: Caller, wanted: c.AddBan, reason: str) -> m.BanReply:
        kind = wanted.kind or kind_of_target(wanted.target)
        request = m.BanRequest(
            kind=kind, target=wanted.target, scope=wanted.scope, duration_ms=wanted.for_ms, reason=reason
        )
        return m.BanReply(ban=(await self._moderation.add_ban(caller, clean_params(request))).info)

    async def _lift_ban(self, caller: Caller, wanted: c.LiftBan, reason: str) -> m.Empty:
        await self._moderation.lift_ban(caller, wanted.id, reason)
        return m.Empty()

    async def _close_table(self, caller: Caller, wanted: c.CloseTable, reason: str) -> m.Empty:
        await self._moderation.close_table(caller, wanted.table, reason)
        return m.Empty()

    async def _resolve_report(self, caller: Caller, wanted: c.ResolveReport, reason: str) -> m.Empty:
        await self._moderation.resolve_report(caller, wanted.id, reason)
        return m.Empty()


def kind_of_target(target: str) -> m.BanKind:
    """Return what the target of a ban is by its form: the fingerprint of a key, an address or network, or a name."""
    if target.startswith("SHA256:"):
        return "key"
    try:
        parse_network(target)
    except ValueError:
        return "name"
    return "address"
