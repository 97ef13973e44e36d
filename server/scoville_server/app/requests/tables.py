"""Tables: listed, opened, joined, left, started, played at again."""

from scoville_server.actor import TableActor
from scoville_server.app.guest import Guest, Handlers
from scoville_server.app.noticeboard import listed
from scoville_server.sessions import Person
from scoville_server.table.audience import commentators_key
from scoville_server.table.commands import Join, Leave, Pause, Ready, Resume, Start
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.wire import messages as m


def _list(guest: Guest, _: m.ListTables) -> m.Tables:
    tables, more = listed(guest.house.floor, guest.person.id)
    return m.Tables(tables=tables, more=more)


async def _create(guest: Guest, p: m.CreateTable) -> m.TableCreated:
    person = guest.person
    return _created(person, await open_table(guest, p))


async def _join(guest: Guest, p: m.JoinTable) -> m.Seated:
    actor, person = guest.find(p.table), guest.person
    seat = await sit_down(guest, actor, p.nonce, p.seat)
    return m.Seated(seat=seat, info=actor.info(person.id))


async def _leave(guest: Guest, p: m.LeaveTable) -> m.Empty:
    actor, person = deal_with(guest, p, ends=True), guest.person
    await actor.do(Leave(person=person.id))
    guest.house.rematches.left(actor.table.id, person.id)
    return m.Empty()


async def _ready(guest: Guest, p: m.ReadyAt) -> m.Empty:
    await deal_with(guest, p).do(Ready(person=guest.person.id, ready=p.ready))
    return m.Empty()


async def _start(guest: Guest, p: m.StartTable) -> m.Empty:
    guest.house.check_open()
    await guest.find(p.table).do(Start(person=guest.person.id, strength=p.bots))
    return m.Empty()


async def _pause(guest: Guest, p: m.PauseTable) -> m.Empty:
    await deal_with(guest, p).do(Pause(person=guest.person.id))
    return m.Empty()


async def _resume(guest: Guest, p: m.ResumeTable) -> m.Empty:
    await deal_with(guest, p, ends=True).do(Resume(person=guest.person.id))
    return m.Empty()


async def _again(guest: Guest, p: m.PlayAgain) -> m.TableCreated:
    old, person = guest.find(p.table), guest.person
    return _created(person, await guest.house.play_again(old, person, guest.source))


def deal_with(guest: Guest, p: m.OfTable, *, ends: bool = False) -> TableActor:
    """Find a table for somebody who wants something of it beside the game, and count that. Raises ScovilleError.

    What `ends` something (to leave, to go on) follows what was counted, and is refused for nobody else's sake.
    """
    actor = guest.find(p.table)
    source = guest.source._replace(networks=()) if ends else guest.source
    guest.house.budgets.action(source, actor.table.id)
    return actor


async def open_table(guest: Guest, wish: m.CreateTable) -> TableActor:
    """Open a table for whoever asks. Raises ScovilleError."""
    person = guest.person
    await guest.house.remember(person)
    return await guest.house.open_table(person, guest.source, wish)


async def sit_down(guest: Guest, actor: TableActor, nonce: str, seat: int | None = None) -> Seat:
    """Seat whoever asks, and take their share of the chance. Raises ScovilleError."""
    person, limit = guest.person, guest.house.settings.tables_seated
    guest.house.budgets.action(guest.source, actor.table.id)
    if actor.table.place_of(person.id) is None:
        guest.house.check_may_play(person)
    if len(person.tables) >= limit and actor.table.id not in person.tables:
        raise ScovilleError(Code.TOO_MANY, f"You sit at {limit} tables already; leave one first.")
    await guest.house.remember(person)
    wish = Join(person=person.id, name=person.name, seat=seat, nonce=bytes.fromhex(nonce))
    taken = (await actor.do(wish)).after.seat_of(person.id)
    assert taken is not None, "who joined has a seat"
    return taken


def _created(person: Person, actor: TableActor) -> m.TableCreated:
    """Show a new table; its commentator's key is for who opened it alone."""
    opened = actor.table.opened
    key = commentators_key(opened) if opened.person == person.id else ""
    return m.TableCreated(info=actor.info(person.id), key=key)


HANDLERS: Handlers = {
    m.ListTables: _list,
    m.CreateTable: _create,
    m.JoinTable: _join,
    m.LeaveTable: _leave,
    m.ReadyAt: _ready,
    m.StartTable: _start,
    m.PauseTable: _pause,
    m.ResumeTable: _resume,
    m.PlayAgain: _again,
}
