"""Handlers of profiles and leaderboards."""

from scoville_server.connection import ClientConnection, Handlers
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


def _profile(connection: ClientConnection, p: m.AskProfile) -> m.Profile:
    person = connection.person if not p.name else connection.core.sessions.by_name(p.name)
    if person is None:
        raise ScovilleError(Code.UNKNOWN_PERSON, f"Nobody here is called {p.name}.", {"name": p.name})
    return connection.core.careers.profile(person)


def _leaders(connection: ClientConnection, p: m.AskLeaders) -> m.Leaders:
    connection.core.catalog.game(p.game)
    return m.Leaders(leaders=connection.core.careers.leaders(p.game))


HANDLERS: Handlers = {m.AskProfile: _profile, m.AskLeaders: _leaders}
