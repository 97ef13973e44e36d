"""Moderation service: every action of an admin is logged before it happens."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from scoville_server.accounts.orphans import IsKnown
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import GHOST, UserObserver, Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import staff_protected
from scoville_server.journal.base import Conflict
from scoville_server.limits.throttle import Source
from scoville_server.moderation.admin_codes import AdminCodes
from scoville_server.moderation.admins import Appointments, WarningHistory
from scoville_server.moderation.bans import Ban
from scoville_server.moderation.every_node import EveryNode
from scoville_server.moderation.records import ModerationRecords
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

REPORTS_SHOWN = 20
"""Reports in one reply, the oldest ones: no admin handles more at once, and each may include many messages."""


class ActingAdmin(Protocol):
    """The author of an act, as the audit log names them: an admin, or a user of the machine at the control socket."""

    @property
    def name(self) -> str:
        """The name in the audit log."""


class ModerationService(UserObserver):
    """Acts of admins: announcements, kicks, bans, closed tables, appointments and answers to reports."""

    def __init__(
        self,
        records: ModerationRecords,
        codes: AdminCodes,
        users: Users,
        every_node: EveryNode,
        tables: Serving[TableActor],
        background: BackgroundTasks,
    ) -> None:
        self._records = records
        self._codes = codes
        self._users = users
        self._every_node = every_node
        self._tables = tables
        self._background = background
        self._acting = asyncio.Lock()
        """One act at a time: it is checked, logged and done before the next one is checked."""

    def rename_admins(self, named: tuple[str, ...]) -> None:
        """Use the admins that the settings name now; each without an account gets a code.

        Raises ScovilleError `storage_lost` if the codes cannot be stored.
        """
        admins = self._records.admins
        admins.rename_configured(named)
        self._background.write_soon(admins.drop_unconfigured())
        self._codes.prepare_codes()

    # --- users ------------------------------------------------------------------------------------------

    def user_connected(self, user: User) -> None:
        """Warn an admin that the machine's clock seems to be wrong."""
        warning = self._users.time.warning
        if warning and user.peer is not None and self.is_admin(user):
            user.peer.notify(m.AnnouncedNotice(text=warning))

    def users_restored(self, is_known: IsKnown) -> None:
        self._background.plan_tidying(partial(self._records.warnings.drop_orphans, is_known))
        # A server that was killed may have left names of accounts that it had deleted: those names are retired.
        for book in self._named_books:
            for name in book.list_names():
                owner = self._users.claims.find_owner(name)
                if owner is not None and not is_known(owner):
                    self._background.plan_tidying(partial(book.erase_name, name, GHOST))

    @property
    def _named_books(self) -> Sequence[Appointments | WarningHistory]:
        """Books with the names of admins who have acted; unlike the audit log these do not outlast the account."""
        return self._records.admins.appointments, self._records.moderators.appointments, self._records.warnings

    def account_deleted(self, user: User) -> None:
        """Erase the name of a deleted account where it has appointed or warned others."""
        for book in self._named_books:
            if user.name in book.list_names():
                self._background.insist_on_write(partial(book.erase_name, user.name, GHOST))

    def user_forgotten(self, user: UserId) -> None:
        """Delete the appointments of a forgotten user, and the warnings that they were given."""
        for records in (self._records.admins, self._records.moderators, self._records.warnings):
            self._background.insist_on_write(partial(records.forget_user, user))
        self._users.warnings.forget_user(user)

    def export_user(self, user: User) -> Mapping[str, Any]:
        reports = [report for report in self._records.reports.open_reports if report.by == user.name]
        return {"admin": self.is_admin(user), "reports": reports}

    def is_admin(self, user: User) -> bool:
        """Whether a user is an admin now."""
        return user in self._records.admins

    def check_admin(self, user: User) -> User:
        """Return a user who is an admin. Raises ScovilleError `not_allowed`."""
        if not self.is_admin(user):
            raise ScovilleError(Code.NOT_ALLOWED, "Only admins of this server can do that.", {"why": "admins"})
        return user

    def is_moderator(self, user: User) -> bool:
        """Whether a user is a moderator now."""
        return user in self._records.moderators

    async def become_admin(self, user: User, code: str, source: Source) -> None:
        """Make a user an admin who gives a one-time code. Raises ScovilleError `not_claimed`, `wrong_code`."""
        await self._codes.use_code(user, code, source, lambda: self.log_act(user, "become_admin", user.name))

    # --- acts of admins ---------------------------------------------------------------------------------

    async def announce_text(self, admin: ActingAdmin, text: str) -> None:
        """Send an announcement to all connected users."""
        await self.log_act(admin, "announce", why=text)
        self._every_node.announce_text(text)

    async def kick_user(self, admin: ActingAdmin, user: User, reason: str) -> None:
        """Disconnect a user; nothing happens if they are not connected."""
        if not self._users.connections.is_here(user.id):
            return
        await self.log_act(admin, "kick", user.name, reason)
        bye = m.ByeNotice(code=Code.KICKED, message=reason or "An admin has kicked you.", reason=reason or None)
        self._users.connections.close_connection(user.id, bye)

    async def warn_user(self, admin: ActingAdmin, user: User, reason: str) -> None:
        """Warn a user; they see it at once, or when they connect."""
        await self.log_act(admin, "warn", user.name, reason)
        # First, also a guest whom the journal does not know yet: the warning outlives a restart, and so must they.
        await self._users.write_user(user)
        warning = m.GivenWarning(at_ms=self._users.time.now_ms(), by=admin.name, reason=reason)
        await self._records.warnings.add_warning(user.id, warning)
        self._users.warnings.warn_for(user, reason)

    def list_warnings(self, user: User) -> list[m.GivenWarning]:
        """List the warnings that a user was given, oldest first."""
        return self._records.warnings.warnings_of(user.id)

    async def appoint_moderator(self, admin: ActingAdmin, user: User, *, moderator: bool, reason: str = "") -> None:
        """Appoint or dismiss a moderator; nothing happens if they are one already, or are none."""
        moderators = self._records.moderators
        async with self._acting:
            if not moderators.check_change(user, moderator_from_now=moderator):
                return
            await self.log_act(admin, "appoint moderator" if moderator else "dismiss moderator", user.name, reason)
            await (moderators.appoint_user(user, admin.name) if moderator else moderators.forget_user(user.id))

    async def add_ban(self, admin: ActingAdmin, request: m.BanRequest) -> Ban:
        """Add a ban, and disconnect the users who are banned by it."""
        async with self._acting:
            return await self._add_ban(admin, request)

    async def _add_ban(self, admin: ActingAdmin, request: m.BanRequest) -> Ban:
        bearer = self._users.sessions.find_anywhere(request.target) if request.kind == "name" else None
        if bearer is admin:
            raise ScovilleError(Code.BAD_PARAMS, "You cannot ban yourself.", {"target": request.target})
        if bearer is not None and self.is_admin(bearer):
            sentence = f"{bearer.name} is an admin of this server; dismiss them first."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"target": request.target})
        now = self._users.time.now_ms()
        asked = Ban(
            id=0,
            kind=request.kind,
            target=request.target,
            user=UserId("") if bearer is None else bearer.id,
            scope=request.scope,
            reason=request.reason or "",
            by=admin.name,
            since_ms=now,
            until_ms=None if request.duration_ms is None else now + request.duration_ms,
        )
        bans = self._records.bans
        while True:
            bans.check_new(asked, now)
            # The log keeps no address, which would be a fact about a person for as long as the log exists.
            target = f"ban {bans.next_id}" if request.kind == "address" else request.target
            await self.log_act(admin, f"ban {request.kind} from {request.scope}", target, request.reason or "")
            # Another node may have taken the number meanwhile, which is in the log by now.
            with suppress(Conflict):
                return await bans.add_ban(asked, now)

    def list_bans(self) -> list[m.BanInfo]:
        """List the bans in force, oldest first."""
        return [ban.info for ban in self._records.bans.bans_in_force(self._users.time.now_ms())]

    async def lift_ban(self, admin: ActingAdmin, number: int, reason: str = "") -> None:
        bans = self._records.bans
        async with self._acting:
            bans.known_ban(number)
            await self.log_act(admin, "unban", str(number), reason)
            await bans.lift_ban(number)

    async def close_table(self, admin: ActingAdmin, table: str, reason: str) -> None:
        actor = self._tables.find_table(table)
        await self.log_act(admin, "close", table, reason)
        close = Close(reason=reason) if reason else Close(reason="An admin closed it.", cause="admin")
        await actor.carry_out(close)

    async def appoint_admin(self, admin: ActingAdmin, user: User, *, admin_from_now: bool) -> None:
        """Appoint or dismiss an admin; nothing happens if they are one already, or are none."""
        admins = self._records.admins
        async with self._acting:
            if not admins.check_change(user, admin_from_now=admin_from_now):
                return
            await self.log_act(admin, "appoint" if admin_from_now else "dismiss", user.name)
            if admin_from_now:
                await admins.add_admin(user, admin.name)
            else:
                await admins.remove_admin(user)

    async def note_recovery(self, by: User, user: User, action: str, reason: str = "") -> None:
        """Log that an admin makes a recovery code for a user, or that it was used."""
        await self.log_act(by, action, user.name, reason)

    def list_reports(self, reader: User | None = None) -> list[m.ReportInfo]:
        """List the open reports that an admin or a moderator may read, oldest first; None is the host."""
        reports = self._records.reports.open_reports
        return [each for each in reports if reader is None or self._may_read(reader, each)][:REPORTS_SHOWN]

    def check_report(self, reader: User, number: int) -> None:
        """Raise ScovilleError for a report that is not open, or that a moderator may not read."""
        if not self._may_read(reader, self._records.reports.find_report(number)):
            raise staff_protected()

    def _may_read(self, reader: User, report: m.ReportInfo) -> bool:
        # A moderator would read who has reported them, and could resolve it.
        if report.club is not None or self.is_admin(reader):
            return True
        user = self._users.sessions.find_by_name(report.name)
        return user is None or not (self.is_admin(user) or self.is_moderator(user))

    async def resolve_report(self, admin: ActingAdmin, number: int, note: str) -> None:
        reports = self._records.reports
        async with self._acting:
            report = reports.find_report(number)
            await self.log_act(admin, "resolve", report.name, note)
            await reports.remove_report(number)

    async def list_users(self) -> list[m.AdminUserInfo]:
        """Describe the connected users to an admin. Raises ScovilleError when a node does not answer."""
        return await self._every_node.list_users()

    async def list_acts(self, since: int) -> list[m.AuditEntry]:
        """List the entries of the audit log after a number, oldest first, at most one page. Raises JournalError."""
        return await self._records.audit.list_acts(since)

    async def log_act(self, admin: ActingAdmin, did: str, whom: str = "", why: str = "") -> None:
        """Log an act before it happens. Raises JournalError: an act that cannot be logged must not happen."""
        await self._records.audit.log_act(self._users.time.now_ms(), admin.name, did, whom, why)
