"""Joins the tables of this node with those of all others, in both directions.

Requests of its users leave for other nodes by `TableLines`; users of other nodes visit its own tables. Watching goes on
where a table has moved to, and a node that hung reads its tables back: others may have adopted them.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from msgspec import Struct, msgpack

from scoville_runtime.clock import Clock
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.accounts.users import Users
from scoville_server.background.eventual import answer_after
from scoville_server.errors import make_goodbye, server_moved, table_moved
from scoville_server.journal.base import StoredUser
from scoville_server.limits.throttle import Source
from scoville_server.net.peer import Peer
from scoville_server.net.sanitize import sanitize_params
from scoville_server.nodes.bus import Bus, NoSubscriber, at_node
from scoville_server.nodes.connections import SharedConnections
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.link.answering import FarPeer
from scoville_server.nodes.link.frames import Introduction, PassedOn
from scoville_server.nodes.link.links import Links
from scoville_server.nodes.members import Members, NodeId
from scoville_server.nodes.nodes import Nodes
from scoville_server.nodes.serving import Serving
from scoville_server.services import Services
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.visits import TableVisits
from scoville_server.tables.invitations import Invitations
from scoville_server.tables.lifecycle.moving import TableMoves
from scoville_server.tables.watching.audience import Watcher
from scoville_server.visiting.lines import CROSSING, READS_TABLE, TableLines
from scoville_server.visiting.tasks import TASK_OF
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.networks import networks_of
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import METHOD_OF, InvitedNotice, Params, PollRequest, Reply, WatchRequest

_log = logging.getLogger(__name__)

_MISSED: Final = "invitations.described"
_MOVING_SECONDS: Final = 10.0
"""How long an invitation waits for a table whose node was lost; then until its user comes again."""
_LOOK_SECONDS: Final = 0.5
"""Seconds between two looks for the node of such a table, which may have adopted it unheard."""

CarryOut = Callable[[Callable[[ConnectedClient, Params], Answer], ConnectedClient, Params], Answer]
"""Answers a request by a handler. Raises ScovilleError."""
ResumeWatching = Callable[[ConnectedClient, PassedOn], None]
"""Lets a connection go on watching a table that has moved to this node. Raises ScovilleError."""
_Handle = Callable[[ConnectedClient, Any], Answer]
_SHOW_NEWEST: Final = frozenset({PollRequest, WatchRequest})
"""Requests whose handlers wait by themselves: no event may overtake their answer."""


class _Missed(Struct, frozen=True, array_like=True):
    """An invitation that a user has missed, as the node to which they have come back tells that of the table."""

    user: UserId
    table: TableId
    by: str


class MissedElsewhere:
    """Asks the nodes that serve their tables for missed invitations: those know whether they still hold.

    The asking node sends them: that of the table may not have heard yet to which node the user has come back.
    """

    def __init__(self, invitations: Invitations, directory: Directory, clock: Clock) -> None:
        self._invitations = invitations
        self._directory = directory
        self._clock = clock

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Share from now on."""

        async def invite(message: bytes) -> bytes:
            missed = msgpack.decode(message, type=_Missed)
            notice = self._invitations.describe_again(missed.user, missed.table, missed.by)
            return b"" if notice is None else msgpack.encode(notice)

        async def pass_on(user: UserId, table: TableId, by: str) -> bool:
            return await self._pass_on(bus, _Missed(user, table, by))

        self._invitations.pass_on = pass_on
        await bus.answer(at_node(members.me, _MISSED), invite)

    async def _pass_on(self, bus: Bus, missed: _Missed) -> bool:
        """Return whether an invitation need not be passed on again; a table may wait for its next node."""
        directory, table, seconds = self._directory, missed.table, self._clock.seconds
        until = seconds() + _MOVING_SECONDS
        while (left := until - seconds()) > 0:
            owner = directory.find_owner(table)
            if owner is not None:
                try:
                    described = await bus.request(at_node(owner, _MISSED), msgpack.encode(missed))
                except NoSubscriber:  # lost a moment ago, and not missed yet
                    pass
                else:
                    notice = msgpack.decode(described, type=InvitedNotice) if described else None
                    return self._invitations.send_notice(missed.user, notice)
            elif not directory.is_moving(table):
                # Closed, or this node serves it by now.
                return self._invitations.invite_again(missed.user, table, missed.by)
            await directory.wait_for_claim(table, self._clock.call_later, min(left, _LOOK_SECONDS))
        return False


class VisitingClient(ConnectedClient):
    """The connection of a user of another node. That node has greeted them, and closes it when they are taken over."""

    def __init__(self, peer: Peer, sessions: Sessions, visitor: User) -> None:
        super().__init__(peer, sessions)
        self.visitor = visitor
        self._networks = networks_of(peer.address)

    @property
    def user(self) -> User:
        return self.visitor

    @property
    def source(self) -> Source:
        sessions, user = self._sessions, self.visitor
        return Source(user.id, self._networks, sessions.standing_of(user), user.arrival, sessions.arrivals)


class WatchesGoOn:
    """Lets those go on watching who have watched a table before it moved.

    Args:
        tables: The tables of this node.
        visits: Notes who watches which of them.
        moves: Knows which tables have just come, and how they were then.
        watch_elsewhere: Lets a connection to this node go on at the node of a table.
    """

    def __init__(
        self,
        tables: Serving[TableActor],
        visits: TableVisits,
        moves: TableMoves,
        watch_elsewhere: ResumeWatching,
    ) -> None:
        self._tables = tables
        self._visits = visits
        self._find_taken = moves.find_taken
        self._watch_elsewhere = watch_elsewhere

    def resume_watching(self, connection: ConnectedClient, passed: PassedOn) -> None:
        """Go on with a connection at a table that has moved to this node. Raises ScovilleError."""
        watcher = msgpack.decode(passed.watcher, type=Watcher)
        taken = self._find_taken(passed.table)
        if taken is None or watcher.user != connection.user.id:
            raise table_moved(passed.table)
        if passed.table in self._tables:
            self._visits.start_watching(connection, taken.actor)
        else:
            self._check_removed(passed.table)
        taken.actor.watched.adopt_watcher(connection.peer, watcher, taken.before)

    def _check_removed(self, table: str) -> None:
        """Raise ScovilleError `moved` for a table that has left, and was not closed: its end must be seen by all."""
        try:
            self._tables.find_table(table)
        except ScovilleError as error:
            if error.code != Code.UNKNOWN_TABLE:
                raise

    def send_on(self, table: TableId, to: NodeId, peer: Peer, watcher: Watcher) -> None:
        """Let a connection that has watched a table here go on at the node to which it has moved."""
        passed = PassedOn(table, to, msgpack.encode(watcher))
        if isinstance(peer, FarPeer):
            peer.watch_elsewhere(passed, make_goodbye(table_moved(passed.table)))
        elif (connection := self._visits.find_connection(peer)) is not None:
            self._watch_elsewhere(connection, passed)


class Visitors:
    """Begins the visits of users of other nodes.

    Args:
        users: The users whom this node knows.
        connections: Those by which users are reached.
        handlers: Those of this node alone: what crosses one link crosses no second one.
        carry_out: Answers a request by its handler.
        resume_watching: Lets a connection go on watching a table that has moved here.
    """

    def __init__(
        self,
        users: Users,
        connections: SharedConnections,
        handlers: Handlers,
        carry_out: CarryOut,
        resume_watching: ResumeWatching,
    ) -> None:
        self.users = users
        self.connections = connections
        self.resume_watching = resume_watching
        answered: tuple[type[Params], ...] = (*CROSSING, *TASK_OF, m.QuickMatchRequest, m.CreateRequest)
        self.handlers = {kind: handlers[kind] for kind in answered}
        self.carry_out = carry_out

    def open_visit(self, peer: FarPeer, introduction: Introduction) -> "TableVisit":
        """Begin a visit."""
        return TableVisit(self, peer, introduction)

    def find_visitor(self, introduction: Introduction, known: User | None = None) -> User:
        """Return a user as their own node knows them; one whom nobody else knows lives as long as the visit."""
        users, number = self.users, introduction.user
        if introduction.stored and users.sessions.find_user(number) is None:
            # The row comes as well, perhaps later.
            lapsed = tuple(map(TableId, introduction.lapsed))
            users.note_stored(StoredUser(user=number, name=introduction.name, lapsed=lapsed))
        user = users.sessions.find_user(number) or known or User(number, introduction.name)
        users.sessions.rename_visitor(user, introduction.name)
        if not user.claimed and user.met is None and introduction.age_seconds >= 0:
            user.met = users.sessions.now() - introduction.age_seconds
        if user.met is not None and not user.arrival:
            # In the order in which this node has heard of them: the numbers of two nodes cannot be compared.
            users.sessions.arrivals += 1
            user.arrival = users.sessions.arrivals
        return user


class TableVisit:
    """The visit of one connection of another node: it asks, watches, and is released like one of this node."""

    def __init__(self, visitors: Visitors, peer: FarPeer, introduction: Introduction) -> None:
        self._visitors = visitors
        self._peer = peer
        self._client = VisitingClient(peer, visitors.users.sessions, visitors.find_visitor(introduction))
        visitors.connections.add_visit(introduction.user, peer)

    def introduce_user(self, introduction: Introduction) -> None:
        self._client.visitor = self._visitors.find_visitor(introduction, self._client.visitor)

    def handle_request(self, params: Params) -> Answer:
        """Answer a request. Raises ScovilleError."""
        handle = self._visitors.handlers.get(type(params))
        if handle is None:
            sentence = f"{METHOD_OF[type(params)]} is answered by the node of a user alone."
            raise ScovilleError(Code.UNKNOWN_METHOD, sentence)
        return self._visitors.carry_out(handle, self._client, sanitize_params(params))

    def resume_watching(self, passed: PassedOn) -> None:
        try:
            self._visitors.resume_watching(self._client, passed)
        except ScovilleError as error:
            # Their own node lets them come back.
            _log.info("table %s: %s", passed.table, error.message)
            self._peer.close(make_goodbye(table_moved(passed.table)))

    def end_visit(self) -> None:
        self._visitors.connections.remove_visit(self._client.visitor.id, self._peer)
        for observer in self._visitors.users.observers:
            observer.connection_released(self._peer)


def join_tables(services: Services, links: Links, carry_out: CarryOut) -> Handlers:
    """Return the handlers of this node's users, and let users of other nodes visit its tables."""
    connections, users = services.connections, services.users
    handlers = read_once_sure(services.handlers, services.nodes)
    assert isinstance(connections, SharedConnections), "links lead to other nodes"
    find_seat = services.tournaments.book.find_seat
    lines = TableLines(services.nodes, links, find_seat, users, services.budgets, services.clock)
    balance, visits = services.balance, services.visits
    goes_on = WatchesGoOn(services.tables, visits, balance.moves, lines.watch_elsewhere)
    lines.resume_here, lines.choose_node = goes_on.resume_watching, balance.choose_node
    lines.note_seat, lines.note_leave = services.feed.far.note_seat, services.feed.far.note_leave
    balance.moves.send_on = goes_on.send_on
    users.observers = (*users.observers, lines)
    missed = MissedElsewhere(services.invitations, services.nodes.directory, services.clock)
    connections.on_sharing.append(missed.begin_sharing)
    for waiting in (services.invitations.missed, users.warnings.unseen):
        waiting.share_with(services.nodes.members)
    connections.on_changed = lambda user, is_here: [
        note(user, is_here) for note in (services.seating.user_located, services.tournaments.user_located)
    ]
    services.nodes.members.follow_losses(links.lose_node)
    links.open_visit = Visitors(users, connections, handlers, carry_out, goes_on.resume_watching).open_visit
    return lines.route_requests(handlers)


def read_once_sure(handlers: Handlers, nodes: Nodes[TableActor]) -> Handlers:
    """Return handlers that describe a table once this node is sure of it: others may have it by now.

    A node that was missed reads the table back. One that hears nobody asks the engine whether it still serves.
    """

    def answer_now(handle: _Handle, connection: ConnectedClient, p: Any) -> Answer:
        if type(p) in _SHOW_NEWEST or not (actor := nodes.tables.find_table(p.table)).is_behind():
            return handle(connection, p)
        return _answer_when_read(actor.catch_up(), handle, connection, p)

    def answer_in_contact(handle: _Handle, connection: ConnectedClient, p: Any) -> Answer:
        # The table may have moved to another node meanwhile, and this one must not say that there is none.
        if p.table not in nodes.tables:
            raise table_moved(p.table)
        return answer_now(handle, connection, p)

    def answer_once_sure(handle: _Handle, connection: ConnectedClient, p: Any) -> Answer:
        nodes.notice_hang()
        if p.table not in nodes.tables:
            return handle(connection, p)
        contact = nodes.restore_contact()
        if contact is None:
            return answer_now(handle, connection, p)
        return answer_after(_require_contact(contact), lambda: answer_in_contact(handle, connection, p))

    return {**handlers, **{kind: partial(answer_once_sure, handlers[kind]) for kind in READS_TABLE}}


async def _answer_when_read(ready: Awaitable[None], handle: _Handle, connection: ConnectedClient, p: Any) -> Reply:
    """Answer once a table was read back; as a coroutine, whose refusals are checked."""
    await ready
    answer = handle(connection, p)
    return await answer if isinstance(answer, Awaitable) else answer


async def _require_contact(contact: Awaitable[bool]) -> None:
    if not await contact:
        raise server_moved()
