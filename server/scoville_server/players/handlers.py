"""Handlers of profiles and leaderboards."""

from typing import Protocol

from scoville_server.accounts.connection import Connection, Handlers
from scoville_server.accounts.sessions import Sessions
from scoville_server.players.service import PlayerService
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.protocol import messages as m


class _Core(Protocol):
    careers: PlayerService
    catalog: GameCatalog
    sessions: Sessions


class _Connection(Connection, Protocol):
    @property
    def core(self) -> _Core: ...


def _profile(connection: _Connection, p: m.ProfileRequest) -> m.ProfileReply:
    user = connection.core.sessions.known(p.name) if p.name else connection.user
    return connection.core.careers.profile(user)


def _leaders(connection: _Connection, p: m.LeaderboardRequest) -> m.LeaderboardReply:
    connection.core.catalog.game(p.game)
    return m.LeaderboardReply(leaders=connection.core.careers.leaders(p.game))


HANDLERS: Handlers[_Connection] = {m.ProfileRequest: _profile, m.LeaderboardRequest: _leaders}
