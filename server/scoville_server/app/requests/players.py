"""What is known of players."""

from scoville_server.app.guest import Guest, Handlers
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m


def _profile(guest: Guest, p: m.AskProfile) -> m.Profile:
    person = guest.person if not p.name else guest.house.sessions.by_name(p.name)
    if person is None:
        raise ScovilleError(Code.UNKNOWN_PERSON, f"Nobody here is called {p.name}.", {"name": p.name})
    return guest.house.careers.profile(person)


def _leaders(guest: Guest, p: m.AskLeaders) -> m.Leaders:
    guest.house.shelf.game(p.game)
    return m.Leaders(leaders=guest.house.careers.leaders(p.game))


HANDLERS: Handlers = {m.AskProfile: _profile, m.AskLeaders: _leaders}
