"""Handlers of the lobby: watch, unwatch, quick match."""

from scoville_server.connection import ClientConnection, Handlers
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.tables import open_table, sit_down
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m


def _watch(connection: ClientConnection, _: m.WatchLobby) -> m.LobbySnapshot:
    return connection.core.feed.watch(connection.person, connection.peer)


def _unwatch(connection: ClientConnection, _: m.UnwatchLobby) -> m.Empty:
    connection.core.feed.unwatch(connection.peer)
    return m.Empty()


async def _quick(connection: ClientConnection, p: m.QuickMatch) -> m.Seated:
    async def sit(actor: TableActor) -> Seat:
        return await sit_down(connection, actor, p.nonce)

    async def open_one(wish: m.CreateTable) -> TableActor:
        return await open_table(connection, wish)

    person = connection.person
    connection.core.budgets.action(
        connection.source
    )  # before it waits for others: a queue of requests would keep them waiting
    actor, seat = await connection.core.quick.seat(person, p.game, sit, open_one)
    return m.Seated(seat=seat, info=actor.info(person.id))


HANDLERS: Handlers = {m.WatchLobby: _watch, m.UnwatchLobby: _unwatch, m.QuickMatch: _quick}
