"""Presence: at which node each user is connected. Nodes tell each other over the bus; the newest one wins."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct, msgpack

from scoville_server.accounts.sessions import TAKEN_OVER, Sessions, User
from scoville_server.nodes.bus import Address, Bus, at_node
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.members import Members, NodeId
from scoville_shared.ids import UserId


class Visit(Struct, frozen=True, array_like=True):
    """A user has connected to a node under a name, or is not connected to it any more.

    `number` is higher than that of each connection of theirs that the node has heard of, and at least its time, in
    milliseconds since 1970. The time alone could not tell which one is newer, since clocks of nodes differ; it decides
    where a node has not heard of the other connection.
    """

    user: UserId
    number: int
    here: bool
    name: str = ""


class Visits(Struct, frozen=True, array_like=True):
    """Message of a node about its visits: one that has changed, or a part of a list of all.

    Attributes:
        node: The node.
        visits: The visits.
        begins: Whether a list of all begins with them.
        ends: Whether a list of all ends with them: nobody else is connected to that node.
    """

    node: NodeId
    visits: tuple[Visit, ...]
    begins: bool = False
    ends: bool = False


_VISITS: Final = Address("visits")
"""Changes and lists come at one subject: of messages at two, a later one could be heard first."""
_ASKED: Final = "visits.asked"
_PORTION: Final = 2_000
"""Visits in one message: the engine refuses one of a megabyte."""


class Presence:
    """Tells the other nodes who is connected to this one, and notes who is to them.

    Of two connections of a user the one with the higher number stays; of two with one number, which began at the same
    moment, that at the node whose name comes later. The other node hangs up. Nothing waits for any of this.

    A node that comes, or was not heard for a moment, and this one tell each other everything again.
    """

    def __init__(
        self,
        members: Members,
        bus: Bus,
        sessions: Sessions,
        connections: UserConnections,
        on_elsewhere: Callable[[UserId, str], object] = lambda *_: None,
    ) -> None:
        self._members = members
        self._bus = bus
        self._sessions = sessions
        self._connections = connections
        self._on_elsewhere = on_elsewhere
        """Is called with a user, and the name under which they are connected to another node; empty for none."""
        self._at: defaultdict[NodeId, dict[UserId, Visit]] = defaultdict(dict)
        """The latest visits to other nodes that this one has heard of, also of users whose rows come later."""
        self._listed: dict[NodeId, set[UserId]] = {}
        """Who was named so far in the list of all visits that a node is sending."""
        self._running: frozenset[NodeId] = frozenset()

    async def begin_sharing(self) -> None:
        """Share from now on, and ask the others who is connected to them."""
        await self._bus.subscribe(_VISITS, lambda visits: self._note_visits(msgpack.decode(visits, type=Visits)))
        await self._bus.subscribe(at_node(self._members.me, _ASKED), lambda _: self._tell_all())
        self._sessions.on_visit = self._tell_visit
        self._sessions.on_known = self._locate_user
        self._sessions.is_running = self._is_running
        self._members.follow_returns(self._share_again)
        # At once: seats are kept for those who come back within their grace, which begins now.
        self._members.follow_losses(self._end_visits_to)
        for node in self._list_others():
            self._ask_node(node)

    def _list_others(self) -> Sequence[NodeId]:
        return [node for node in self._members.running_nodes() if node != self._members.me]

    def _is_running(self, node: str) -> bool:
        return node in self._members.running_nodes()

    # --- telling -----------------------------------------------------------------------------------------

    def _tell_visit(self, user: User) -> None:
        if not user.is_here:
            self._locate_user(user)
        if self._list_others():
            self._publish_visits(Visits(self._members.me, (_describe_visit(user),)))

    def _publish_visits(self, visits: Visits) -> None:
        self._bus.publish(_VISITS, msgpack.encode(visits))

    def _ask_node(self, node: NodeId) -> None:
        self._bus.publish(at_node(node, _ASKED), b"")

    def _share_again(self, node: NodeId) -> None:
        self._tell_all()
        self._ask_node(node)

    def _tell_all(self) -> None:
        visits = [*map(_describe_visit, self._sessions.connected_users())]
        for start in range(0, len(visits) or 1, _PORTION):
            portion = tuple(visits[start : start + _PORTION])
            ends = start + _PORTION >= len(visits)
            self._publish_visits(Visits(self._members.me, portion, begins=not start, ends=ends))

    # --- hearing -----------------------------------------------------------------------------------------

    def _note_visits(self, heard: Visits) -> None:
        node = heard.node
        if node == self._members.me:
            return
        self._end_lost_visits()
        if heard.begins:
            self._listed[node] = set()
        for visit in heard.visits:
            self._note_visit(node, visit)
        listed = self._listed.get(node)
        if listed is None:
            return
        listed.update(visit.user for visit in heard.visits)
        if heard.ends:
            del self._listed[node]
            self._end_visits(node, [user for user in self._at[node] if user not in listed])

    def _end_visits(self, node: NodeId, users: Iterable[UserId]) -> None:
        """Note that users have left a node whose messages about that were not heard."""
        for user in users:
            self._note_visit(node, Visit(user, 0, here=False))

    def _note_visit(self, node: NodeId, visit: Visit) -> None:
        if visit.here:
            self._at[node][visit.user] = visit
            self._sessions.names_elsewhere.add_name(node, visit.user, visit.name)
        else:
            self._at[node].pop(visit.user, None)
            self._sessions.names_elsewhere.drop_name(node, visit.user)
        newest = self._find_newest(visit.user)[1]
        self._connections.locate_user(visit.user, newest)
        self._on_elsewhere(visit.user, self._at[NodeId(newest)][visit.user].name if newest else "")
        user = self._sessions.find_user(visit.user)
        if user is None:
            return
        user.visit = max(user.visit, visit.number)
        if not user.is_here:
            self._locate_user(user)
        elif visit.here:
            self._compare_visits(user, node, visit)

    def _end_lost_visits(self) -> None:
        """Forget users who were connected to a lost node: it could not report that they have gone."""
        # Only of nodes that ran before: one that has just started may be heard before it is listed.
        running = frozenset(self._members.running_nodes())
        ended, self._running = self._running - running, running
        for node in ended:
            self._end_visits_to(node)

    def _end_visits_to(self, node: NodeId) -> None:
        self._listed.pop(node, None)
        self._end_visits(node, [*self._at[node]])
        del self._at[node]

    def _compare_visits(self, user: User, node: NodeId, visit: Visit) -> None:
        if (visit.number, node) > (user.connected_as, self._members.me):
            user.elsewhere = node
            self._connections.close_connection(user.id, TAKEN_OVER)
        else:
            # That node may not have heard of this one, or not yet.
            self._tell_visit(user)

    def _locate_user(self, user: User) -> None:
        """Note to which other node a user is connected who is not connected to this one."""
        number, user.elsewhere = self._find_newest(user.id)
        user.visit = max(user.visit, number)

    def _find_newest(self, user: UserId) -> tuple[int, str]:
        """Return the number of a user's newest connection to another node, and that node; 0 and empty for none."""
        return max(
            ((found[user].number, str(node)) for node, found in self._at.items() if user in found), default=(0, "")
        )


def _describe_visit(user: User) -> Visit:
    return Visit(user.id, user.connected_as, user.is_here, user.name)
