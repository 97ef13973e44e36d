"""Handlers of the lobby: list the tables, watch, unwatch, quick match."""

from typing import Protocol

from scoville_server.accounts.connection import Handlers
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.lobby.feed import LobbyFeed, listed
from scoville_server.lobby.quick_match import QuickMatch
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.connection import TableConnection, TableCore
from scoville_server.tables.handlers.tables import join_command, join_reply
from scoville_server.tables.model.commands import Join
from scoville_shared.protocol import messages as m


class _Core(TableCore, Protocol):
    background: BackgroundTasks
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
    core, user = connection.core, connection.user
    core.budgets.action(connection.source)
    core.quick.check(p.game or "")
    core.check_may_play(user)
    # Nobody waits for this alone: the journal saves it before the seat, in the same commit or an earlier one.
    core.background.insist(lambda: core.remember(user))

    def join(actor: TableActor) -> Join:
        return join_command(connection, actor)

    async def open_one(request: m.CreateRequest) -> TableActor:
        return await core.open_table(user, connection.source, request)

    actor, seat = await core.quick.seat(user, p.game or "", join, open_one)
    return join_reply(actor, user.id, seat)


HANDLERS: Handlers[_Connection] = {
    m.ListTablesRequest: _list,
    m.WatchLobbyRequest: _watch,
    m.UnwatchLobbyRequest: _unwatch,
    m.QuickMatchRequest: _quick,
}
