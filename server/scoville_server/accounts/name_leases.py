"""Names of guests at several nodes: one node gives them, so that no two get one at the same moment."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct, msgpack

from scoville_server.accounts.sessions import GivenName, Sessions
from scoville_server.nodes.bus import Bus, NoSubscriber, at_node
from scoville_server.nodes.members import Members, NodeId
from scoville_shared.ids import UserId

LEASE_SECONDS: Final = 5.0
"""How long a name is kept for a node that has asked for it: until all have heard who has got it there."""
_NAMES: Final = "names"
"""The subject at each node, and what its heir does for all."""


class _Wanted(Struct, frozen=True, array_like=True):
    """A node asks for a name for a user; `user` is None for a guest who is new."""

    node: NodeId
    name: str
    user: UserId | None


class NameLeases:
    """Asks the node that gives names, or gives them where that is this one.

    Nothing of it is stored, and a node that does not answer decides nothing: then the asker takes what it knows itself.
    """

    def __init__(self, members: Members, bus: Bus, sessions: Sessions, now: Callable[[], float]) -> None:
        self._members = members
        self._bus = bus
        self._sessions = sessions
        self._now = now

    async def begin_sharing(self) -> None:
        """Give names, and ask for them, from now on."""
        await self._bus.answer(at_node(self._members.me, _NAMES), self._give_name)
        self._sessions.ask_for_name = self._ask_for_name

    def _ask_for_name(self, wanted: str, user: UserId | None) -> Awaitable[GivenName | None] | None:
        self._sessions.names_elsewhere.end_promises(self._now())
        giver = self._members.heir_of(_NAMES)
        return None if giver == self._members.me else self._ask_node(giver, wanted, user)

    async def _ask_node(self, giver: NodeId, wanted: str, user: UserId | None) -> GivenName | None:
        request = msgpack.encode(_Wanted(self._members.me, wanted, user))
        try:
            return msgpack.decode(await self._bus.request(at_node(giver, _NAMES), request), type=GivenName)
        # The node that gives names has just ended, and no other has taken over that duty yet.
        except NoSubscriber:
            return None

    async def _give_name(self, request: bytes) -> bytes:
        wanted = msgpack.decode(request, type=_Wanted)
        self._sessions.names_elsewhere.end_promises(self._now())
        given = self._sessions.choose_name(wanted.name, wanted.user)
        until = self._now() + LEASE_SECONDS
        self._sessions.names_elsewhere.promise_name(wanted.node, wanted.user, given.name, until)
        return msgpack.encode(given)
