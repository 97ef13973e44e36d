"""Requests that other nodes answer: each crosses the link to the node with its table, or with its task."""

import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import CallLater, Clock
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.accounts.model.word_codes import read_code
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.eventual import Eventual, Pending, start_awaitable
from scoville_server.background.shared_reads import SharedReads
from scoville_server.errors import duty_unreached, link_lost, node_unreached, server_moved, table_moved, tables_moving
from scoville_server.limits.budgets import Budgets
from scoville_server.net.peer import Peer
from scoville_server.nodes.directory import QUICK_MATCH, Directory
from scoville_server.nodes.link.asking import AskingLine, Effect
from scoville_server.nodes.link.frames import Introduction, PassedOn
from scoville_server.nodes.link.links import Links
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import Nodes
from scoville_server.visiting.tasks import EFFECT_OF, TASK_OF
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import METHOD_OF, ByeNotice, OfTable, Params, Reply

READS_TABLE: Final[frozenset[type[Params]]] = frozenset(
    {
        m.ExportRequest,
        m.LookBackRequest,
        m.MovesRequest,
        m.PollRequest,
        m.ReadChatRequest,
        m.ReadMoveRequest,
        m.ShowPlanRequest,
        m.UnwatchRequest,
        m.WatchRequest,
    }
)
"""Requests that change nothing."""
_NAMES_TABLE: Final[tuple[type[Params], ...]] = (
    m.JoinRequest,
    m.EnterRequest,
    m.SayRequest,
    m.ReadChatRequest,
    m.ReportRequest,
    m.CallClubRequest,
)
"""Requests beside those of a table that may name one."""
_OF_TABLE: Final[tuple[type[Params], ...]] = tuple(kind for kind in METHOD_OF if issubclass(kind, OfTable))
_EFFECTS: Final = {True: Effect.READS, False: Effect.CHANGES}
CROSSING: Final[Mapping[type[Params], Effect]] = {
    kind: _EFFECTS[kind in READS_TABLE] for kind in (*_OF_TABLE, *_NAMES_TABLE)
}
"""The requests that another node may answer."""
_COUNTED: Final = frozenset(
    {
        m.JoinRequest,
        m.KickRequest,
        m.LookBackRequest,
        m.PauseRequest,
        m.PlanRequest,
        m.QuickMatchRequest,
        m.ReadMoveRequest,
        m.ReadyRequest,
        m.TransferHostRequest,
        m.VoteRequest,
    }
)
"""Requests that count as actions of their user, wherever their table is."""
_NAMING: Final = frozenset(
    {
        m.CreateRequest,
        m.JoinRequest,
        m.QuickMatchRequest,
        m.RematchRequest,
        m.SayRequest,
        m.ReportRequest,
        m.CallClubRequest,
    }
)
"""Requests about tables after which the other node's journal names the user, whom it must know by then."""

_SEATING: Final = frozenset({m.JoinRequest, m.LeaveRequest, m.QuickMatchRequest, m.TakeSeatRequest})
"""Requests after which their user has a seat, or has none any more."""
_NOTHING_DONE: Final = frozenset({Code.BUSY, Code.MOVED, Code.SHUTTING_DOWN})
"""With these codes a node says, or the lost way to it, that it has opened no table."""

NoteSeat = Callable[[UserId, TableId], object]

_log = logging.getLogger(__name__)

_COME_BACK: Final = ByeNotice(
    code=Code.RESTARTING, message="The server process with this table is gone; connect again at once."
)
"""To the same node: after `moved` clients would try another one first."""


class _Receiver:
    """A user's connection, as what comes back on their line reaches it."""

    def __init__(self, connection: ConnectedClient, watch_elsewhere: Callable[[ConnectedClient, PassedOn], None]):
        self._peer = connection.peer
        self.take_notice = connection.peer.pass_on_notice
        self.watch_elsewhere = partial(watch_elsewhere, connection)

    def end_line(self, bye: ByeNotice | None) -> None:
        # A table that the other node serves no more has moved; the users' own node has not.
        has_moved = bye is not None and bye.code == Code.MOVED
        self._peer.close(_COME_BACK if has_moved else bye)

    def lose_watched(self, unanswered: Collection[object]) -> None:
        others = set(self._peer.hold_requests()) - {*unanswered}
        # After a goodbye clients repeat unanswered requests, and these may still be carried out.
        self._peer.close(None if others else _COME_BACK)


class _TableRequest(NamedTuple):
    """A request about a table that this node does not serve, with the handler that answers it here.

    Its effect is that of the request at the node that answers it.
    """

    handle: Callable[[ConnectedClient, Any], Answer]
    effect: Effect
    connection: ConnectedClient
    params: Any


# Decision 056: one branch, and the same bytes on the link as on the client's connection.
class TableLines(UserObserver):
    """Sends requests that other nodes answer to them, on one line for each connection and node.

    Args:
        nodes: Tell which node serves a table.
        links: Lead to the other ones.
        find_seat: Finds the table of a tournament that waits for a user.
        users: The users of this node.
        budgets: Count what users do, also at other nodes.
        clock: The clock.

    Attributes:
        resume_here: Lets a connection go on watching a table that has moved to this node. Raises ScovilleError.
        choose_node: Returns the other node that opens the next table; None if this one does.
        note_seat: Notes that a user has just got a seat at a table of another node.
        note_leave: Notes that they have just left one.
    """

    def __init__(
        self,
        nodes: Nodes[Any],
        links: Links,
        find_seat: Callable[[str, UserId], TableId | None],
        users: Users,
        budgets: Budgets,
        clock: Clock,
    ) -> None:
        directory, self._is_served_here = nodes.directory, nodes.tables.__contains__
        self._links = links
        self._find_owner, self._is_moving = directory.find_owner, directory.is_moving
        self._may_lack_tables = directory.may_lack_tables
        self._restore_contact = nodes.restore_contact
        self._hear_claims, self._reads = directory.hear_claims, SharedReads(clock)
        self._wait_for_claim, self._call_later = directory.wait_for_claim, clock.call_later
        self._find_doer, self._find_coded = directory.find_doer, directory.find_coded
        self._find_seat = find_seat
        self._users = users
        self._budgets = budgets
        self._lines: dict[Peer, dict[NodeId, AskingLine]] = {}
        self._moved = MovedTables(directory, self._is_served_here, clock.call_later)
        self.resume_here: Callable[[ConnectedClient, PassedOn], None] = _refuse_to_resume
        self.choose_node: Callable[[], NodeId | None] = lambda: None
        self.note_seat: NoteSeat = _ignore_seat
        self.note_leave: NoteSeat = _ignore_seat

    def route_requests(self, handlers: Handlers) -> Handlers:
        """Return handlers that ask the node that serves the table, where it is another one."""
        routed = {kind: partial(self._route_request, handlers[kind], effect) for kind, effect in CROSSING.items()}
        tasks = {kind: partial(self._route_to_doer, handlers[kind]) for kind in TASK_OF}
        quick = partial(self._route_quick_match, handlers[m.QuickMatchRequest])
        seat = partial(self._route_to_seat, handlers[m.TakeSeatRequest])
        create = partial(self._route_create, handlers[m.CreateRequest])
        opening: Handlers = {m.QuickMatchRequest: quick, m.TakeSeatRequest: seat, m.CreateRequest: create}
        self._moved.routed = {**handlers, **routed, **tasks, **opening}
        return self._moved.routed

    def _route_to_doer(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: Any
    ) -> Answer:
        kind = type(p)
        effect, doer = EFFECT_OF[kind], self._find_doer(TASK_OF[kind])
        if doer is None:
            return handle(connection, p)
        if self._find_line(doer, connection) is not None:
            return self._ask_node(doer, connection, p, effect)
        if effect is Effect.READS:
            return handle(connection, p)
        raise duty_unreached()

    def _route_to_seat(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: m.TakeSeatRequest
    ) -> Answer:
        table = self._find_seat(p.tournament, connection.user.id)
        owner = None if table is None else self._find_owner(table)
        if owner is not None:
            return self._ask_node(owner, connection, p, Effect.CHANGES)
        if table is not None and self._is_served_here(table):
            return handle(connection, p)
        return self._route_to_doer(handle, connection, p)

    def _route_quick_match(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: m.QuickMatchRequest
    ) -> Answer:
        # Without a way to that node this one opens a table of its own, at which others may join.
        return self._open_elsewhere(self._find_doer(QUICK_MATCH), handle, connection, p)

    def _route_create(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: m.CreateRequest
    ) -> Answer:
        return self._open_elsewhere(self.choose_node(), handle, connection, p)

    def _open_elsewhere(
        self, node: NodeId | None, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: Any
    ) -> Answer:
        """Let another node open a table; this one does if that one cannot be reached, or opens none now."""
        if node is None or self._find_line(node, connection) is None:
            return handle(connection, p)
        return self._ask_to_open(node, handle, connection, p)

    async def _ask_to_open(
        self, node: NodeId, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: Any
    ) -> Reply:
        try:
            asked = self._ask_node(node, connection, p, Effect.CHANGES)
            return await asked if isinstance(asked, Awaitable) else asked
        except ScovilleError as error:
            if error.code not in _NOTHING_DONE:
                raise
        answer = handle(connection, p)
        return await answer if isinstance(answer, Awaitable) else answer

    def _route_request(
        self, handle: Callable[[ConnectedClient, Any], Answer], effect: Effect, connection: ConnectedClient, p: Any
    ) -> Answer:
        if type(p) is m.EnterRequest and p.code and not p.table:
            p = replace(p, table=self._find_coded(read_code(p.code)))
        table = p.table
        if not table and type(p) is m.EnterRequest:
            return self._answer_here(_TableRequest(handle, effect, connection, p))
        if not table:
            return handle(connection, p)
        if self._is_served_here(table):
            return self._moved.answer_or_follow(handle, connection, p)
        owner = self._find_owner(table)
        if owner is not None:
            return self._ask_node(owner, connection, p, effect)
        if self._is_moving(table):
            return self._ask_heir(_TableRequest(handle, effect, connection, p))
        return self._answer_here(_TableRequest(handle, effect, connection, p))

    def watch_elsewhere(self, connection: ConnectedClient, passed: PassedOn) -> None:
        """Let a connection go on watching a table that has moved, or come back where that fails."""
        try:
            if passed.node == self._links.me:
                self.resume_here(connection, passed)
            else:
                self._reach_node(NodeId(passed.node), connection, passed.table).resume_watching(passed)
        except ScovilleError as error:
            _log.info("table %s: %s", passed.table, error.message)
            connection.peer.close(_COME_BACK)

    async def _ask_heir(self, request: _TableRequest) -> Reply:
        """Ask the node that takes a table over from a lost one, once it has. Raises ScovilleError `busy`."""
        table = request.params.table
        await self._wait_for_claim(table, self._call_later, MOVING_SECONDS)
        if self._is_moving(table):
            # To users "unknown" would be the end of the table.
            raise node_unreached(table)
        answer = self._route_request(*request)
        return await answer if isinstance(answer, Awaitable) else answer

    def _answer_here(self, request: _TableRequest) -> Answer:
        """Answer about a table that no other node is known to serve, and that may have been opened a moment ago."""
        try:
            answer = request.handle(request.connection, request.params)
        except ScovilleError as error:
            return self._ask_opener(error, request)
        return self._watch_answer(answer, request) if isinstance(answer, Coroutine) else answer

    async def _watch_answer(self, answer: Awaitable[Reply], request: _TableRequest) -> Reply:
        try:
            return await answer
        except ScovilleError as error:
            return await self._ask_opener(error, request)

    async def _ask_opener(self, error: ScovilleError, request: _TableRequest) -> Reply:
        """Ask the node that serves a table which is unknown here, if it has said so meanwhile. Raises ScovilleError."""
        if error.code not in (Code.UNKNOWN_TABLE, Code.UNKNOWN_CODE):
            raise error
        contact = self._restore_contact()
        if contact is not None:
            # "Not found" from a node in doubt means nothing: it has heard of no other node for a while.
            raise tables_moving() if await contact else server_moved()
        has_heard_all = await self._reads.share_read(self._hear_claims)
        p = request.params
        if not p.table:
            p = replace(p, table=self._find_coded(read_code(p.code)))
            if not p.table and self._may_lack_tables():
                raise tables_moving()
        owner = self._find_owner(p.table) if p.table else None
        if owner is not None:
            asked = self._ask_node(owner, request.connection, p, request.effect)
        elif p.table and self._is_moving(p.table):
            asked = self._ask_heir(request._replace(params=p))
        else:
            # A node that is silent may have opened it. To users "unknown" would be the end of the table.
            raise error if has_heard_all else tables_moving()
        return await asked if isinstance(asked, Awaitable) else asked

    def _ask_node(self, node: NodeId, connection: ConnectedClient, p: Any, effect: Effect) -> Answer:
        kind, user = type(p), connection.user
        if kind is m.PlayRequest:
            return self._send_request(node, connection, p, effect if p.nth is None else Effect.NUMBERED)
        changes = EFFECT_OF.get(kind) is Effect.CHANGES
        if changes or kind in _COUNTED:
            self._budgets.count_action(connection.source)
        if (changes or kind in _NAMING) and user.written != user.known:
            return self._ask_once_written(node, connection, p, effect)
        return self._send_request(node, connection, p, effect)

    async def _ask_once_written(self, node: NodeId, connection: ConnectedClient, p: Any, effect: Effect) -> Reply:
        await self._users.write_user(connection.user)
        return await self._send_request(node, connection, p, effect)

    def _send_request(self, node: NodeId, connection: ConnectedClient, p: Any, effect: Effect) -> Awaitable[Reply]:
        table = _table_of(p)
        follows = bool(table) and type(p) in CROSSING
        ask_again = partial(self._moved.ask_again, node, connection, p) if follows else None
        reply = self._reach_node(node, connection, table).send_request(p, table, effect, ask_again)
        return self._note_seat(reply, connection.user.id, p) if type(p) in _SEATING else reply

    async def _note_seat(self, asked: Awaitable[Reply], user: UserId, p: Any) -> Reply:
        """Note whether a user has a seat now: the lines of tables come some time later."""
        reply = await asked
        table = _table_of(p) or _find_seated(reply)
        if table:
            (self.note_leave if type(p) is m.LeaveRequest else self.note_seat)(user, TableId(table))
        return reply

    def _reach_node(self, node: NodeId, connection: ConnectedClient, table: str) -> AskingLine:
        """Return the line of a connection to a node that knows its user. Raises ScovilleError `busy`."""
        user, peer = connection.user, connection.peer
        line = self._find_line(node, connection)
        if line is None:
            raise node_unreached(table)
        known = (user.name, user.claimed, user.written)
        if known != line.known:
            line.known = known
            line.introduce_user(self._introduce_user(user, peer))
        return line

    def _find_line(self, node: NodeId, connection: ConnectedClient) -> AskingLine | None:
        lines = self._lines.get(connection.peer)
        if lines is None:
            lines = self._lines[connection.peer] = {}
        line = lines.get(node)
        if line is None or not line.is_alive:
            end = self._links.find_end(node)
            if end is None:
                return None
            line = lines[node] = end.open_line(_Receiver(connection, self.watch_elsewhere))
        return line

    def _introduce_user(self, user: User, peer: Peer) -> Introduction:
        return Introduction(
            user.id,
            user.name,
            user.claimed,
            lapsed=tuple(sorted(user.lapsed)),
            stored=user.written is not None,
            age_seconds=-1.0 if user.met is None else self._users.sessions.now() - user.met,
            address=peer.address,
            secure=peer.secure,
            local=peer.local,
            number=peer.number,
        )

    def connection_released(self, peer: Peer) -> None:
        for line in self._lines.pop(peer, {}).values():
            line.leave()


def _refuse_to_resume(_: ConnectedClient, passed: PassedOn) -> None:
    raise table_moved(passed.table)


def _ignore_seat(_: UserId, __: TableId) -> None:
    """Ignore a seat that is taken or left: the default, where nothing counts them."""


class _SeatedAt(Struct):
    table: str = ""


class _Seated(Struct):
    """Common fields of replies that name a table."""

    info: _SeatedAt


_read_seated = msgspec.msgpack.Decoder(_Seated).decode


def _find_seated(reply: Reply) -> str:
    """Return the table of a reply, which comes as bytes from another node."""
    try:
        return _read_seated(cast("msgspec.Raw", reply)).info.table
    except msgspec.MsgspecError:
        return ""


def _table_of(p: Any) -> str:
    """Return the table of a request that names one."""
    return getattr(p, "table", None) or ""


# --- requests about a table that moves --------------------------------------------------------------

MOVING_SECONDS: Final = 5.0
"""How long a request waits for the next node of a table: refused, clients would come back ever later."""


class MovedTables:
    """Repeats requests at a table's next node that the former one has refused with `moved`: nothing was done.

    Args:
        directory: Finds the node that serves a table.
        is_served_here: Whether this node serves a table.
        call_later: Calls a function later.

    Attributes:
        routed: Answer requests, at whichever node serves their table now.
    """

    def __init__(self, directory: Directory, is_served_here: Callable[[object], bool], call_later: CallLater) -> None:
        self.routed: Handlers = {}
        self._find_owner, self._wait_for_claim = directory.find_owner, directory.wait_for_claim
        self._is_served_here = is_served_here
        self._call_later = call_later

    def answer_or_follow(
        self, handle: Callable[[ConnectedClient, Any], Answer], connection: ConnectedClient, p: Any
    ) -> Answer:
        """Answer about a table of this node, or let the node answer to which it moves meanwhile."""
        try:
            answer = handle(connection, p)
        except ScovilleError as error:
            if error.code != Code.MOVED:
                raise
            return self._follow_table(error, None, connection, p)
        if isinstance(answer, Coroutine):
            return self._follow_answer(answer, connection, p)
        if not isinstance(answer, Eventual) or (answer.done() and answer.exception() is None):
            return answer
        reply: Eventual[Reply] = Eventual()
        answer.add_done_callback(lambda done: self._pass_on_answer(done, connection, p, reply))
        return reply

    def _pass_on_answer(
        self, done: Pending[Reply], connection: ConnectedClient, p: Any, reply: Eventual[Reply]
    ) -> None:
        error = done.exception()
        if error is None:
            reply.set_result(done.result())
        elif isinstance(error, ScovilleError) and error.code == Code.MOVED:
            self.ask_again(None, connection, p, reply)
        else:
            reply.set_exception(error)

    async def _follow_answer(self, answer: Awaitable[Reply], connection: ConnectedClient, p: Any) -> Reply:
        try:
            return await answer
        except ScovilleError as error:
            return await self._follow_table(error, None, connection, p)

    def ask_again(self, former: NodeId | None, connection: ConnectedClient, p: Any, reply: Eventual[Reply]) -> None:
        """Ask the node to which a table has moved, for a reply that is waited for."""
        moved = ScovilleError(Code.MOVED, "")
        asked = start_awaitable(self._follow_table(moved, former, connection, p))
        asked.add_done_callback(lambda done: _settle_reply(reply, done))

    async def _follow_table(
        self, error: ScovilleError, former: NodeId | None, connection: ConnectedClient, p: Any
    ) -> Reply:
        """Ask the node to which a table has moved: the `former` one, None for this one, has done nothing.

        Raises ScovilleError, the `error` if it says anything else.
        """
        if error.code != Code.MOVED:
            raise error
        if not self._is_elsewhere(p.table, former):
            await self._wait_for_claim(p.table, self._call_later, MOVING_SECONDS)
            if not self._is_elsewhere(p.table, former):
                raise node_unreached(p.table)
        answer = self.routed[type(p)](connection, p)
        return await answer if isinstance(answer, Awaitable) else answer

    def _is_elsewhere(self, table: str, former: NodeId | None) -> bool:
        """Whether another node than a former one is known to serve a table."""
        if self._is_served_here(table):
            return former is not None
        return self._find_owner(table) not in (None, former)


def _settle_reply(reply: Eventual[Reply], done: Pending[Reply]) -> None:
    if done.cancelled():
        reply.set_exception(link_lost())
    elif (error := done.exception()) is not None:
        reply.set_exception(error)
    else:
        reply.set_result(done.result())
