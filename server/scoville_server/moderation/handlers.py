"""Handlers of moderation and reports."""

from typing import Protocol

from scoville_server.accounts.connection import Connection, Handlers
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.moderation.service import ModerationService
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


class _Core(Protocol):
    moderation: ModerationService
    sessions: Sessions


class _Connection(Connection, Protocol):
    def find(self, table: str) -> TableActor: ...

    @property
    def core(self) -> _Core: ...


def _people(connection: _Connection, _: m.ListPeople) -> m.People:
    _admin(connection)
    return m.People(people=[connection.core.moderation.see(person) for person in connection.core.sessions.here()])


async def _announce(connection: _Connection, p: m.Announce) -> m.Empty:
    await connection.core.moderation.announce(_admin(connection), p.text)
    return m.Empty()


async def _send_away(connection: _Connection, p: m.SendAway) -> m.Empty:
    await connection.core.moderation.send_away(_admin(connection), _known(connection, p.name), p.reason)
    return m.Empty()


async def _ban(connection: _Connection, p: m.Ban) -> m.Banned:
    return m.Banned(ban=(await connection.core.moderation.ban(_admin(connection), p)).info)


async def _unban(connection: _Connection, p: m.Unban) -> m.Empty:
    await connection.core.moderation.lift(_admin(connection), p.id)
    return m.Empty()


def _bans(connection: _Connection, _: m.ListBans) -> m.Bans:
    _admin(connection)
    return m.Bans(bans=connection.core.moderation.listed())


async def _close(connection: _Connection, p: m.CloseTable) -> m.Empty:
    await connection.core.moderation.close(_admin(connection), p.table, p.reason)
    return m.Empty()


async def _appoint(connection: _Connection, p: m.Appoint) -> m.Empty:
    await connection.core.moderation.appoint(_admin(connection), _known(connection, p.name), admin_from_now=p.admin)
    return m.Empty()


def _audit(connection: _Connection, p: m.ReadAudit) -> m.Audit:
    _admin(connection)
    return m.Audit(lines=connection.core.moderation.audit.since(p.since))


def _reports(connection: _Connection, _: m.ListReports) -> m.Reports:
    _admin(connection)
    return m.Reports(reports=connection.core.moderation.reported())


async def _resolve(connection: _Connection, p: m.Resolve) -> m.Empty:
    await connection.core.moderation.resolve(_admin(connection), p.id, p.note)
    return m.Empty()


async def _report(connection: _Connection, p: m.Report) -> m.Empty:
    person = connection.person
    if p.table:
        connection.find(p.table)
    _known(connection, p.name)
    await connection.core.moderation.report(person, connection.source, p)
    return m.Empty()


def _admin(connection: _Connection) -> User:
    """Return the connection's user. Raises ScovilleError `not_allowed` unless they are an admin."""
    person = connection.person
    if person not in connection.core.moderation.admins:
        raise ScovilleError(Code.NOT_ALLOWED, "Only those who look after this server may do that.")
    return person


def _known(connection: _Connection, name: str) -> User:
    person = connection.core.sessions.by_name(name)
    if person is None:
        raise ScovilleError(Code.UNKNOWN_PERSON, f"Nobody called {name} is known here.", {"name": name})
    return person


HANDLERS: Handlers[_Connection] = {
    m.ListPeople: _people,
    m.Announce: _announce,
    m.SendAway: _send_away,
    m.Ban: _ban,
    m.Unban: _unban,
    m.ListBans: _bans,
    m.CloseTable: _close,
    m.Appoint: _appoint,
    m.ReadAudit: _audit,
    m.ListReports: _reports,
    m.Resolve: _resolve,
    m.Report: _report,
}
