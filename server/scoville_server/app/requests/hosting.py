"""What those who sit at a table do about others: let them in, invite them, send them away, make them the host."""

from scoville_server.actor import TableActor
from scoville_server.app.guest import Guest, Handlers
from scoville_server.app.requests.tables import deal_with
from scoville_server.sessions import Person
from scoville_server.table.commands import Invite, Kick, MakeHost, Refused
from scoville_server.table.deciding.verdict import host_seat, not_seated
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import PersonId
from scoville_shared.wire import messages as m


async def _enter(guest: Guest, p: m.EnterTable) -> m.Entered:
    person = guest.person
    actor = await guest.house.doors.enter(person, guest.source, p)
    return m.Entered(info=actor.info(person.id))


async def _invite(guest: Guest, p: m.Invite) -> m.Empty:
    actor, person, house = guest.find(p.table), guest.person, guest.house
    if actor.table.seat_of(person.id) is None:
        raise not_seated(actor.table).error()
    other = house.sessions.by_name(p.name)
    if other is None:
        raise _nobody(f"Nobody called {p.name} is known here.", p.name)
    house.budgets.invitation(guest.source, other.id)
    await actor.do(Invite(person=person.id, guest=other.id, name=other.name))
    if other is not person and other.peer is not None and not house.ignores(other, person):
        other.peer.notify(m.InviteNotice(info=actor.info(other.id), by=person.name))
    return m.Empty()


async def _kick(guest: Guest, p: m.Kick) -> m.Empty:
    actor = deal_with(guest, p)
    host = host_seat(actor.table, actor.table.seat_of(guest.person.id), "sends people away")
    if isinstance(host, Refused):  # before the name is looked for: only the host learns who is there
        raise host.error()
    whom, name = _found(actor, p.name, guest.house.sessions.by_name(p.name))
    await actor.do(Kick(person=guest.person.id, whom=whom, name=name, reason=p.reason))
    return m.Empty()


async def _make_host(guest: Guest, p: m.MakeHost) -> m.Empty:
    await deal_with(guest, p).do(MakeHost(person=guest.person.id, seat=p.seat))
    return m.Empty()


def _found(actor: TableActor, name: str, bearer: Person | None) -> tuple[PersonId, str]:
    """Find somebody who sits at a table, or the bearer of the name, who looks on there."""
    for chair in actor.table.chairs:
        if chair.person is not None and chair.name.casefold() == name.casefold():
            return chair.person, chair.name
    if bearer is None or bearer.id not in actor.hearing():
        raise _nobody(f"Nobody called {name} is at this table.", name)
    return bearer.id, bearer.name


def _nobody(sentence: str, name: str) -> ScovilleError:
    return ScovilleError(Code.UNKNOWN_PERSON, sentence, {"name": name})


HANDLERS: Handlers = {m.EnterTable: _enter, m.Invite: _invite, m.Kick: _kick, m.MakeHost: _make_host}
