"""Handlers of the lobby: list the tables, watch, unwatch, quick match."""

from typing import Protocol

from scoville_server.accounts.connection import Handlers
from scoville_server.lobby.feed import LobbyFeed, listed
from scoville_server.lobby.quick_match import QuickMatch
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.connection import TableConnection, TableCore
from scoville_server.tables.handlers.tables import join_reply, open_table, sit_down
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m


class _Core(TableCore, Protocol):
    feed: LobbyFeed
    quick: QuickMatch


class _Connection(TableConnection, Protocol):
    @property
    def core(self) -> _Core: ...


def _list(connection: _Connection, _: m.ListTablesRequest) -> m.ListTablesReply:
    tables, more = listed(connection.core.lobby, connection.user.id)
    return m.ListTablesReply(tables=tables, more=more)


def _watch(connection: _Connection, _: m.WatchLobbyRequest) -> m.LobbySnapshot:
    return connection.core.feed.watch(connection.user, connection.peer)


def _unwatch(connection: _Connection, _: m.UnwatchLobbyRequest) -> m.Empty:
    connection.core.feed.unwatch(connection.peer)
    return m.Empty()


async def _quick(connection: _Connection, p: m.QuickMatchRequest) -> m.JoinReply:
    async def sit(actor: TableActor) -> Seat:
        return await sit_down(connection, actor)

    async def open_one(request: m.CreateRequest) -> TableActor:
        return await open_table(connection, request)

    user = connection.user
    connection.core.budgets.action(
        connection.source
    )  # before it waits for others: a queue of requests would keep them waiting
    actor, seat = await connection.core.quick.seat(user, p.game or "", sit, open_one)
    return join_reply(actor, user.id, seat)


HANDLERS: Handlers[_Connection] = {
    m.ListTablesRequest: _list,
    m.WatchLobbyRequest: _watch,
    m.UnwatchLobbyRequest: _unwatch,
    m.QuickMatchRequest: _quick,
}
