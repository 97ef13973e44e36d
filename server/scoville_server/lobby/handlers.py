"""Handlers of the lobby: list the tables, watch, unwatch, quick match."""

from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.users import Users
from scoville_server.limits.budgets import Budgets
from scoville_server.lobby.feed import LobbyFeed, list_tables
from scoville_server.lobby.quick_match import QuickMatch
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.tables import Joining, join_reply
from scoville_server.tables.opener import TableOpener
from scoville_shared.protocol import messages as m


class LobbyHandlers:
    """Handlers of the list of tables."""

    def __init__(self, tables: Serving[TableActor], feed: LobbyFeed) -> None:
        self._tables = tables
        self._feed = feed
        self.by_request: Handlers = {
            m.ListTablesRequest: self._list_tables,
            m.WatchLobbyRequest: self._watch_lobby,
            m.UnwatchLobbyRequest: self._unwatch_lobby,
        }

    def _list_tables(self, connection: ConnectedClient, _: m.ListTablesRequest) -> m.ListTablesReply:
        tables, more = list_tables(self._tables, self._feed.far, connection.user.id)
        return m.ListTablesReply(tables=tables, more=more)

    def _watch_lobby(self, connection: ConnectedClient, _: m.WatchLobbyRequest) -> m.LobbySnapshot:
        return self._feed.watch_lobby(connection.user, connection.peer)

    def _unwatch_lobby(self, connection: ConnectedClient, _: m.UnwatchLobbyRequest) -> m.Empty:
        self._feed.unwatch_lobby(connection.peer)
        return m.Empty()


class QuickMatchHandlers:
    """The handler of quick matches."""

    def __init__(
        self,
        quick: QuickMatch,
        users: Users,
        joining: Joining,
        opener: TableOpener,
        budgets: Budgets,
        permits: Permits,
    ) -> None:
        self._quick = quick
        self._users = users
        self._joining = joining
        self._opener = opener
        self._budgets = budgets
        self._permits = permits
        self.by_request: Handlers = {m.QuickMatchRequest: self._match_user}

    async def _match_user(self, connection: ConnectedClient, p: m.QuickMatchRequest) -> m.JoinReply:
        user, game = connection.user, p.game or ""
        self._budgets.count_action(connection.source)
        self._quick.check_game(game)
        self._permits.check_may_play(user)
        # Nobody waits for this alone: the journal saves it before the seat, in the same commit or an earlier one.
        self._users.insist_on_writing(user)

        def join(actor: TableActor) -> Join:
            return self._joining.join_command(connection, actor)

        async def open_one(request: m.CreateRequest) -> TableActor:
            return await self._opener.open_table(user, connection.source, request)

        actor, seat = await self._quick.seat_user(user, game, join, open_one)
        return join_reply(actor, user.id, seat)
