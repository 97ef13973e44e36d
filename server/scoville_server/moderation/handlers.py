"""Handlers of moderation and reports."""

from scoville_server.accounts.connection import ConnectedClient, Handlers, check_proof
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.accounts.users import Users
from scoville_server.errors import staff_protected
from scoville_server.moderation.reports import ReportDesk
from scoville_server.moderation.service import ModerationService
from scoville_server.tables.handlers.visits import TableVisits
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


class AdminHandlers:
    """Handlers of `admin.*`: for admins, some for moderators as well, `become_admin` for all."""

    def __init__(self, moderation: ModerationService, users: Users, accounts: AccountService) -> None:
        self._moderation = moderation
        self._users = users
        self._accounts = accounts
        self.by_request: Handlers = {
            m.BecomeAdminRequest: self._become_admin,
            m.UsersRequest: self._list_users,
            m.AnnounceRequest: self._announce_text,
            m.KickUserRequest: self._kick_user,
            m.WarnUserRequest: self._warn_user,
            m.ListWarningsRequest: self._list_warnings,
            m.AppointModeratorRequest: self._appoint_moderator,
            m.BanRequest: self._add_ban,
            m.UnbanRequest: self._lift_ban,
            m.BansRequest: self._list_bans,
            m.CloseTableRequest: self._close_table,
            m.AppointRequest: self._appoint_admin,
            m.RecoverAccountRequest: self._recover_account,
            m.AuditRequest: self._list_acts,
            m.ReportsRequest: self._list_reports,
            m.ResolveReportRequest: self._resolve_report,
        }

    async def _become_admin(self, connection: ConnectedClient, p: m.BecomeAdminRequest) -> m.Empty:
        check_proof(connection.peer, "password")
        await self._moderation.become_admin(connection.user, p.code, connection.source)
        return m.Empty()

    async def _list_users(self, connection: ConnectedClient, _: m.UsersRequest) -> m.UsersReply:
        self._check_admin(connection)
        return m.UsersReply(users=await self._moderation.list_users())

    async def _announce_text(self, connection: ConnectedClient, p: m.AnnounceRequest) -> m.Empty:
        await self._moderation.announce_text(self._check_admin(connection), p.text)
        return m.Empty()

    async def _kick_user(self, connection: ConnectedClient, p: m.KickUserRequest) -> m.Empty:
        actor = self._check_moderator(connection, p.name)
        await self._moderation.kick_user(actor, self._users.sessions.known_user(p.name), p.reason or "")
        return m.Empty()

    async def _warn_user(self, connection: ConnectedClient, p: m.WarnUserRequest) -> m.Empty:
        actor = self._check_moderator(connection, p.name)
        await self._moderation.warn_user(actor, self._users.sessions.known_user(p.name), p.reason)
        return m.Empty()

    def _list_warnings(self, connection: ConnectedClient, p: m.ListWarningsRequest) -> m.ListWarningsReply:
        self._check_moderator(connection)
        user = self._users.sessions.known_user(p.name)
        return m.ListWarningsReply(history=self._moderation.list_warnings(user))

    async def _appoint_moderator(self, connection: ConnectedClient, p: m.AppointModeratorRequest) -> m.Empty:
        admin, user = self._check_admin(connection), self._users.sessions.known_user(p.name)
        await self._moderation.appoint_moderator(admin, user, moderator=p.moderator)
        return m.Empty()

    async def _add_ban(self, connection: ConnectedClient, p: m.BanRequest) -> m.BanReply:
        mutes = p.scope == "chat" and p.kind == "name"
        actor = self._check_moderator(connection, p.target) if mutes else self._check_admin(connection)
        return m.BanReply(ban=(await self._moderation.add_ban(actor, p)).info)

    async def _lift_ban(self, connection: ConnectedClient, p: m.UnbanRequest) -> m.Empty:
        await self._moderation.lift_ban(self._check_admin(connection), p.id)
        return m.Empty()

    def _list_bans(self, connection: ConnectedClient, _: m.BansRequest) -> m.BansReply:
        self._check_admin(connection)
        return m.BansReply(bans=self._moderation.list_bans())

    async def _close_table(self, connection: ConnectedClient, p: m.CloseTableRequest) -> m.Empty:
        await self._moderation.close_table(self._check_admin(connection), p.table, p.reason or "")
        return m.Empty()

    async def _appoint_admin(self, connection: ConnectedClient, p: m.AppointRequest) -> m.Empty:
        admin = self._check_admin(connection)
        await self._moderation.appoint_admin(admin, self._users.sessions.known_user(p.name), admin_from_now=p.admin)
        return m.Empty()

    async def _recover_account(self, connection: ConnectedClient, p: m.RecoverAccountRequest) -> m.RecoverAccountReply:
        admin, user = self._check_admin(connection), self._users.sessions.known_user(p.name)
        # Refused before it is logged: the audit log has no codes that were never made.
        self._users.claims.known_account(user.id)
        await self._moderation.note_recovery(admin, user, "recovery code", p.reason or "")
        code, expires_ms = await self._accounts.begin_recovery(user, admin.name)
        return m.RecoverAccountReply(code=code, expires_ms=expires_ms)

    async def _list_acts(self, connection: ConnectedClient, p: m.AuditRequest) -> m.AuditReply:
        self._check_admin(connection)
        return m.AuditReply(entries=await self._moderation.list_acts(p.since))

    def _list_reports(self, connection: ConnectedClient, _: m.ReportsRequest) -> m.ReportsReply:
        return m.ReportsReply(reports=self._moderation.list_reports(self._check_moderator(connection)))

    async def _resolve_report(self, connection: ConnectedClient, p: m.ResolveReportRequest) -> m.Empty:
        actor = self._check_moderator(connection)
        self._moderation.check_report(actor, p.id)
        await self._moderation.resolve_report(actor, p.id, p.note or "")
        return m.Empty()

    def _check_admin(self, connection: ConnectedClient) -> User:
        return self._moderation.check_admin(connection.user)

    def _check_moderator(self, connection: ConnectedClient, name: str = "") -> User:
        """Return the connection's user, who acts on the user with a `name`.

        Raises ScovilleError `not_allowed` unless they are an admin or a moderator, and for moderators who act on admins
        or each other.
        """
        actor = connection.user
        if not (self._moderation.is_admin(actor) or self._moderation.is_moderator(actor)):
            sentence = "Only admins and moderators of this server can do that."
            raise ScovilleError(Code.NOT_ALLOWED, sentence, {"why": "moderators"})
        user = self._users.sessions.find_by_name(name) if name else None
        protected = user is not None and (self._moderation.is_admin(user) or self._moderation.is_moderator(user))
        if protected and user is not actor and not self._moderation.is_admin(actor):
            raise staff_protected()
        return actor


class ReportHandlers:
    """The handler of reports, which every user may send."""

    def __init__(self, reporting: ReportDesk, sessions: Sessions, visits: TableVisits) -> None:
        self._reporting = reporting
        self._sessions = sessions
        self._visits = visits
        self.by_request: Handlers = {m.ReportRequest: self._add_report}

    async def _add_report(self, connection: ConnectedClient, p: m.ReportRequest) -> m.Empty:
        user = connection.user
        if p.table:
            # Only a table that they may see: the report quotes its chat, and must not tell whether there is one.
            self._visits.find_table(connection, p.table)
        self._sessions.known_user(p.name)
        await self._reporting.add_report(user, connection.source, p)
        return m.Empty()
