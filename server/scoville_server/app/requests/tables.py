"""Tables: listed, opened, joined, left, started."""

from scoville_server.app.guest import Guest, Handlers
from scoville_server.table.audience import commentators_key
from scoville_server.table.commands import Join, Leave, Pause, Resume, Start
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m


def _list(guest: Guest, _: m.ListTables) -> m.Tables:
    me = guest.person.id
    return m.Tables(tables=[actor.listed(me) for actor in guest.house.lobby.all()])


async def _create(guest: Guest, p: m.CreateTable) -> m.TableCreated:
    person = guest.person
    await guest.house.remember(person)
    actor = await guest.house.open_table(person, guest.address, p)
    return m.TableCreated(info=actor.info(person.id), key=commentators_key(actor.table.opened))


async def _join(guest: Guest, p: m.JoinTable) -> m.Seated:
    actor, person = guest.find(p.table), guest.person
    limit = guest.house.settings.tables_seated
    if len(person.tables) >= limit and actor.table.id not in person.tables:
        raise ScovilleError(Code.TOO_MANY, f"You sit at {limit} tables already; leave one first.")
    await guest.house.remember(person)
    wish = Join(person=person.id, name=person.name, seat=p.seat, nonce=bytes.fromhex(p.nonce))
    done = await actor.do(wish)
    seat = done.after.seat_of(person.id)
    assert seat is not None, "who joined has a seat"
    return m.Seated(seat=seat, info=actor.info(person.id))


async def _leave(guest: Guest, p: m.LeaveTable) -> m.Empty:
    await guest.find(p.table).do(Leave(person=guest.person.id))
    return m.Empty()


async def _start(guest: Guest, p: m.StartTable) -> m.Empty:
    await guest.find(p.table).do(Start(person=guest.person.id, strength=p.bots))
    return m.Empty()


async def _pause(guest: Guest, p: m.PauseTable) -> m.Empty:
    await guest.find(p.table).do(Pause(person=guest.person.id))
    return m.Empty()


async def _resume(guest: Guest, p: m.ResumeTable) -> m.Empty:
    await guest.find(p.table).do(Resume(person=guest.person.id))
    return m.Empty()


HANDLERS: Handlers = {
    m.ListTables: _list,
    m.CreateTable: _create,
    m.JoinTable: _join,
    m.LeaveTable: _leave,
    m.StartTable: _start,
    m.PauseTable: _pause,
    m.ResumeTable: _resume,
}
