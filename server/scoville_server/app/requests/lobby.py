"""The lobby: watched, and left for the next best table."""

from scoville_server.actor import TableActor
from scoville_server.app.guest import Guest, Handlers
from scoville_server.app.requests.tables import open_table, sit_down
from scoville_shared.ids import Seat
from scoville_shared.wire import messages as m


def _watch(guest: Guest, _: m.WatchLobby) -> m.LobbySnapshot:
    return guest.house.noticeboard.watch(guest.person, guest.peer)


def _unwatch(guest: Guest, _: m.UnwatchLobby) -> m.Empty:
    guest.house.noticeboard.unwatch(guest.peer)
    return m.Empty()


async def _quick(guest: Guest, p: m.QuickMatch) -> m.Seated:
    async def sit(actor: TableActor) -> Seat:
        return await sit_down(guest, actor, p.nonce)

    async def open_one(wish: m.CreateTable) -> TableActor:
        return await open_table(guest, wish)

    person = guest.person
    guest.house.budgets.action(guest.source)  # before it waits for others: a queue of wishes would keep them waiting
    actor, seat = await guest.house.quick.seat(person, p.game, sit, open_one)
    return m.Seated(seat=seat, info=actor.info(person.id))


HANDLERS: Handlers = {m.WatchLobby: _watch, m.UnwatchLobby: _unwatch, m.QuickMatch: _quick}
