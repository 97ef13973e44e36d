"""Handlers of moderation and reports."""

from typing import Protocol

from scoville_server.accounts.channel import check_proof
from scoville_server.accounts.connection import Connection, Handlers
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.accounts.users import Users
from scoville_server.moderation.service import ModerationService
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


class _Core(Protocol):
    accounts: AccountService
    moderation: ModerationService
    users: Users
    sessions: Sessions


class _Connection(Connection, Protocol):
    def find(self, table: str) -> TableActor: ...

    @property
    def core(self) -> _Core: ...


async def _users(connection: _Connection, _: m.UsersRequest) -> m.UsersReply:
    _admin(connection)
    return m.UsersReply(users=await connection.core.moderation.connected())


async def _become_admin(connection: _Connection, p: m.BecomeAdminRequest) -> m.Empty:
    check_proof(connection.peer, "password")
    await connection.core.moderation.become_admin(connection.user, p.code, connection.source)
    return m.Empty()


async def _announce(connection: _Connection, p: m.AnnounceRequest) -> m.Empty:
    await connection.core.moderation.announce(_admin(connection), p.text)
    return m.Empty()


async def _kick(connection: _Connection, p: m.KickUserRequest) -> m.Empty:
    await connection.core.moderation.kick(_admin(connection), connection.core.sessions.known(p.name), p.reason or "")
    return m.Empty()


async def _ban(connection: _Connection, p: m.BanRequest) -> m.BanReply:
    return m.BanReply(ban=(await connection.core.moderation.ban(_admin(connection), p)).info)


async def _unban(connection: _Connection, p: m.UnbanRequest) -> m.Empty:
    await connection.core.moderation.lift(_admin(connection), p.id)
    return m.Empty()


def _bans(connection: _Connection, _: m.BansRequest) -> m.BansReply:
    _admin(connection)
    return m.BansReply(bans=connection.core.moderation.listed())


async def _close(connection: _Connection, p: m.CloseTableRequest) -> m.Empty:
    await connection.core.moderation.close(_admin(connection), p.table, p.reason or "")
    return m.Empty()


async def _appoint(connection: _Connection, p: m.AppointRequest) -> m.Empty:
    await connection.core.moderation.appoint(
        _admin(connection), connection.core.sessions.known(p.name), admin_from_now=p.admin
    )
    return m.Empty()


async def _recover_account(connection: _Connection, p: m.RecoverAccountRequest) -> m.RecoverAccountReply:
    admin, user, core = _admin(connection), connection.core.sessions.known(p.name), connection.core
    core.users.claims.held(user.id)
    await core.moderation.note_recovery(admin, user, "recovery code", p.reason or "")
    code, expires_ms = await core.accounts.begin_recovery(user, admin.name)
    return m.RecoverAccountReply(code=code, expires_ms=expires_ms)


def _audit(connection: _Connection, p: m.AuditRequest) -> m.AuditReply:
    _admin(connection)
    return m.AuditReply(entries=connection.core.moderation.audit.since(p.since))


def _reports(connection: _Connection, _: m.ReportsRequest) -> m.ReportsReply:
    _admin(connection)
    return m.ReportsReply(reports=connection.core.moderation.reported())


async def _resolve(connection: _Connection, p: m.ResolveReportRequest) -> m.Empty:
    await connection.core.moderation.resolve(_admin(connection), p.id, p.note or "")
    return m.Empty()


async def _report(connection: _Connection, p: m.ReportRequest) -> m.Empty:
    user = connection.user
    if p.table:
        connection.find(p.table)
    connection.core.sessions.known(p.name)
    await connection.core.moderation.reporting.report(user, connection.source, p)
    return m.Empty()


def _admin(connection: _Connection) -> User:
    """Return the connection's user. Raises ScovilleError `not_allowed` unless they are an admin."""
    user = connection.user
    if user not in connection.core.moderation.admins:
        raise ScovilleError(Code.NOT_ALLOWED, "Only admins of this server can do that.")
    return user


HANDLERS: Handlers[_Connection] = {
    m.BecomeAdminRequest: _become_admin,
    m.UsersRequest: _users,
    m.AnnounceRequest: _announce,
    m.KickUserRequest: _kick,
    m.BanRequest: _ban,
    m.UnbanRequest: _unban,
    m.BansRequest: _bans,
    m.CloseTableRequest: _close,
    m.AppointRequest: _appoint,
    m.RecoverAccountRequest: _recover_account,
    m.AuditRequest: _audit,
    m.ReportsRequest: _reports,
    m.ResolveReportRequest: _resolve,
    m.ReportRequest: _report,
}
