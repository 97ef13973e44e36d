"""Handlers of profiles and leaderboards."""

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.sessions import Sessions
from scoville_server.players.service import PlayerService
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.protocol import messages as m


class PlayerHandlers:
    """Handlers of profiles and leaderboards."""

    def __init__(self, careers: PlayerService, catalog: GameCatalog, sessions: Sessions) -> None:
        self._careers = careers
        self._catalog = catalog
        self._sessions = sessions
        self.by_request: Handlers = {
            m.ProfileRequest: self._show_profile,
            m.LeaderboardRequest: self._list_leaders,
        }

    def _show_profile(self, connection: ConnectedClient, p: m.ProfileRequest) -> m.ProfileReply:
        user = self._sessions.known_user(p.name) if p.name else connection.user
        return self._careers.describe_user(user)

    def _list_leaders(self, _: ConnectedClient, p: m.LeaderboardRequest) -> m.LeaderboardReply:
        self._catalog.find_game(p.game)
        return m.LeaderboardReply(leaders=self._careers.list_leaders(p.game))
