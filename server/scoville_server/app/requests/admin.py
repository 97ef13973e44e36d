"""For those who look after the server, and how others call them."""

from scoville_server.app.guest import Guest, Handlers
from scoville_server.sessions import Person
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m


def _people(guest: Guest, _: m.ListPeople) -> m.People:
    _admin(guest)
    return m.People(people=[guest.house.moderation.see(person) for person in guest.house.sessions.here()])


async def _announce(guest: Guest, p: m.Announce) -> m.Empty:
    await guest.house.moderation.announce(_admin(guest), p.text)
    return m.Empty()


async def _send_away(guest: Guest, p: m.SendAway) -> m.Empty:
    await guest.house.moderation.send_away(_admin(guest), _known(guest, p.name), p.reason)
    return m.Empty()


async def _ban(guest: Guest, p: m.Ban) -> m.Banned:
    return m.Banned(ban=(await guest.house.moderation.ban(_admin(guest), p)).info)


async def _unban(guest: Guest, p: m.Unban) -> m.Empty:
    await guest.house.moderation.lift(_admin(guest), p.id)
    return m.Empty()


def _bans(guest: Guest, _: m.ListBans) -> m.Bans:
    _admin(guest)
    return m.Bans(bans=guest.house.moderation.listed())


async def _close(guest: Guest, p: m.CloseTable) -> m.Empty:
    await guest.house.moderation.close(_admin(guest), p.table, p.reason)
    return m.Empty()


async def _appoint(guest: Guest, p: m.Appoint) -> m.Empty:
    await guest.house.moderation.appoint(_admin(guest), _known(guest, p.name), admin_from_now=p.admin)
    return m.Empty()


def _audit(guest: Guest, p: m.ReadAudit) -> m.Audit:
    _admin(guest)
    return m.Audit(lines=guest.house.moderation.audit.since(p.since))


def _reports(guest: Guest, _: m.ListReports) -> m.Reports:
    _admin(guest)
    return m.Reports(reports=guest.house.moderation.reported())


async def _resolve(guest: Guest, p: m.Resolve) -> m.Empty:
    await guest.house.moderation.resolve(_admin(guest), p.id, p.note)
    return m.Empty()


async def _report(guest: Guest, p: m.Report) -> m.Empty:
    person = guest.person
    if p.table:
        guest.find(p.table)
    _known(guest, p.name)
    await guest.house.moderation.report(person, guest.source, p)
    return m.Empty()


def _admin(guest: Guest) -> Person:
    """Find out who asks. Raises ScovilleError `not_allowed` when they do not look after this server."""
    person = guest.person
    if person not in guest.house.moderation.admins:
        raise ScovilleError(Code.NOT_ALLOWED, "Only those who look after this server may do that.")
    return person


def _known(guest: Guest, name: str) -> Person:
    person = guest.house.sessions.by_name(name)
    if person is None:
        raise ScovilleError(Code.UNKNOWN_PERSON, f"Nobody called {name} is known here.", {"name": name})
    return person


HANDLERS: Handlers = {
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
