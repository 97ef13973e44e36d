"""Presence: at which node each user is connected. Nodes tell each other over the bus; the newest one wins."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, msgpack

from scoville_server.accounts.sessions import TAKEN_OVER, Sessions, User
from scoville_server.nodes.bus import Address, Bus
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.members import Members, NodeId
from scoville_shared.ids import UserId


class Visit(Struct, frozen=True, array_like=True):
    """A user has connected to a node, or is not connected to it any more.

    `number` counts their connections at all nodes: clocks of nodes differ, and could not tell which one is newer.
    """

    user: UserId
    number: int
    node: NodeId
    here: bool


_VISITS: Final = Address("visits")
_ASKED: Final = Address("visits.asked")


class Presence:
    """Tells the other nodes who is connected to this one, and notes who is to them.

    Of two connections of a user the one with the higher number stays; of two with one number, which began at the same
    moment, that at the node whose name comes later. The other node hangs up. Nothing waits for any of this.
    """

    def __init__(self, members: Members, bus: Bus, sessions: Sessions, connections: UserConnections) -> None:
        self._members = members
        self._bus = bus
        self._sessions = sessions
        self._connections = connections
        self._strangers: dict[UserId, Visit] = {}
        """The connections elsewhere of users whom this node does not know yet: their rows come later."""
        self._running: frozenset[NodeId] = frozenset()

    async def begin_sharing(self) -> None:
        """Share from now on, and ask the others who is connected to them."""
        await self._bus.subscribe(_VISITS, lambda visit: self._take_visit(msgpack.decode(visit, type=Visit)))
        await self._bus.subscribe(_ASKED, lambda asker: self._tell_all(asker.decode()))
        self._sessions.on_visit = self._tell_visit
        self._sessions.on_known = self._adopt_user
        self._sessions.is_running = self._is_running
        if self._list_others():
            self._bus.publish(_ASKED, self._members.me.encode())

    def _list_others(self) -> Sequence[NodeId]:
        return [node for node in self._members.running_nodes() if node != self._members.me]

    def _is_running(self, node: str) -> bool:
        return node in self._members.running_nodes()

    def _tell_visit(self, user: User) -> None:
        if self._list_others():
            visit = Visit(user.id, user.visit, self._members.me, user.here)
            self._bus.publish(_VISITS, msgpack.encode(visit))

    def _tell_all(self, asker: str) -> None:
        if asker != self._members.me:
            for user in self._sessions.connected_users():
                self._tell_visit(user)

    def _take_visit(self, visit: Visit) -> None:
        if visit.node == self._members.me:
            return
        user = self._sessions.find_user(visit.user)
        if user is None:
            self._forget_strangers_of_ended_nodes()
            if visit.here:
                self._strangers[visit.user] = visit
            elif (known := self._strangers.get(visit.user)) is not None and known.node == visit.node:
                del self._strangers[visit.user]
        elif not user.here:
            _note_visit(user, visit)
        elif visit.here:
            self._compare_visits(user, visit)

    def _forget_strangers_of_ended_nodes(self) -> None:
        """Forget who was connected to a node that runs no more: it could not say that they are gone."""
        # By those that ran before: one that has just begun may be heard before it is listed.
        running = frozenset(self._members.running_nodes())
        ended, self._running = self._running - running, running
        if ended:
            self._strangers = {user: visit for user, visit in self._strangers.items() if visit.node not in ended}

    def _compare_visits(self, user: User, visit: Visit) -> None:
        if (visit.number, visit.node) > (user.visit, self._members.me):
            user.visit, user.elsewhere = visit.number, visit.node
            self._connections.close_connection(user.id, TAKEN_OVER)
        else:
            # That node may not have heard of this one, or not yet.
            self._tell_visit(user)

    def _adopt_user(self, user: User) -> None:
        visit = self._strangers.pop(user.id, None)
        if visit is not None:
            _note_visit(user, visit)


def _note_visit(user: User, visit: Visit) -> None:
    """Note a connection elsewhere of a user who is not connected to this node."""
    if visit.here:
        if visit.number >= user.visit:
            user.visit, user.elsewhere = visit.number, visit.node
    elif user.elsewhere == visit.node:
        user.elsewhere = ""
