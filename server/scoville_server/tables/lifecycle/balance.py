"""The balance between nodes that all serve: where new tables are opened, and which ones move to another node."""

import logging
from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct, msgpack

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import node_takes_no_table, unknown_table
from scoville_server.journal.base import Journal
from scoville_server.nodes.bus import at_node
from scoville_server.nodes.directory import QUICK_MATCH
from scoville_server.nodes.loads import (
    WATCHED_WEIGHT,
    NodeLoad,
    choose_for_new_table,
    choose_receiver,
    evens_out,
    list_by_load,
)
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import Nodes, is_alone
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.far_commands import FarCommands
from scoville_server.tables.lifecycle.moving import Offer, TableMoves
from scoville_server.tables.model.table import Table
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId

_log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
"""Seconds between two looks whether this node is still too heavy, while it gives tables away."""
SETTLED_SECONDS: Final = 5.0
"""How long a node that has begun to serve waits until users are back at its tables; so often it looks while all is
even."""
_MOST_A_LOOK: Final = 8
"""Tables that move after one look: small steps, since each one is a write."""
REST_SECONDS: Final = 60.0
"""How long a table stays where it has come to, whatever the load."""
_RETURN_SECONDS: Final = 8.0
"""How long a table that has come counts as watched, if it was: watchers who had to connect again are back by then."""
_FRESH_SECONDS: Final = 1.0
"""How long a load counts: beats of others tell in a moment what this node has sent them."""
_AT_ONCE: Final = 8
"""Tables that are handed over together."""
_MOVE: Final = "tables.move"


class LoadMeter:
    """Measures the load of this node, at most once a second: a beat comes more often, and looks at no table."""

    def __init__(self, tables: Serving[TableActor], seconds: Callable[[], float]) -> None:
        self._tables = tables
        self._seconds = seconds
        self._at = float("-inf")
        self._load = NodeLoad()

    def read_load(self) -> NodeLoad:
        """Return the load of this node, measured at most a second ago."""
        now = self._seconds()
        if now >= self._at + _FRESH_SECONDS or len(self._tables) < self._load.watched:
            self._at, self._load = now, self.measure_load()
        return NodeLoad(len(self._tables), self._load.watched)

    def measure_load(self) -> NodeLoad:
        """Count the tables and users that this node serves now."""
        actors = self._tables.all_tables()
        return NodeLoad(len(actors), sum(actor.watched.has_watchers for actor in actors))


class _Order(Struct, frozen=True, array_like=True):
    """A table that its node is to give to another one, or to the lightest for an empty name."""

    table: TableId
    to: str


class _Moved(Struct, frozen=True, array_like=True):
    """To which node a table has moved, or why it has not, in a sentence for hosts."""

    to: str = ""
    refusal: str = ""


class TableBalance:
    """Decides where tables are served; `moves` moves them.

    Args:
        nodes: The nodes, with their loads.
        registry: The tables of this node.
        moves: Gives tables to other nodes.
        background: Runs moves.

    Attributes:
        waits_for_anybody: Whether a table waits for any players: the node that seats these keeps it.
    """

    def __init__(
        self,
        nodes: Nodes[TableActor],
        registry: TableRegistry,
        moves: TableMoves,
        background: BackgroundTasks,
    ) -> None:
        self.moves = moves
        self.waits_for_anybody: Callable[[Table], bool] = lambda _: False
        self._nodes = nodes
        self._registry = registry
        self._background = background
        self._clock = registry.clock
        self._meter = LoadMeter(nodes.tables, self._clock.seconds)
        self._sent: list[tuple[float, NodeId]] = []
        """Where tables were opened a moment ago, which no load tells yet, and when."""
        self._is_draining = self._is_giving = self._is_moving = False
        self._came_watched: dict[TableId, float] = {}
        """When others have offered watched tables for the sake of the load, in monotonic seconds."""
        moves.refuse_offer = self._refuse_offer

    async def begin_sharing(self) -> None:
        """Take tables of other nodes, and give them some of this one, from now on."""
        if is_alone(self._nodes):
            return
        await self.moves.begin_sharing()
        await self._nodes.bus.answer(at_node(self._nodes.members.me, _MOVE), self._answer_order)
        self._clock.call_later(SETTLED_SECONDS, self._look_around)

    # --- new tables --------------------------------------------------------------------------------------

    def choose_node(self) -> NodeId | None:
        """Return the other node that opens the next table; None if this one does."""
        me, others, own = self._nodes.members.me, self._read_others(), self._meter.read_load()
        if not others:
            return None
        opened = self._count_sent(me)
        own = NodeLoad(own.tables, min(own.tables, own.watched + opened), self._is_draining)
        chosen = choose_for_new_table(me, own, others)
        self._sent.append((self._clock.seconds(), chosen))
        return None if chosen == me else chosen

    def _read_others(self) -> dict[NodeId, NodeLoad]:
        """Return the loads of the other nodes, with the tables that this one has just sent to them."""
        loads = self._nodes.read_loads()
        return {
            node: NodeLoad(load.tables + sent, load.watched + sent, load.drains)
            for node, load in loads.items()
            for sent in (self._count_sent(node),)
        }

    def _count_sent(self, node: NodeId) -> int:
        since = self._clock.seconds() - _FRESH_SECONDS
        self._sent = [each for each in self._sent if each[0] > since]
        return sum(each == node for _, each in self._sent)

    # --- evening out -------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        if self._registry.is_closing or self._is_draining:
            return
        others = self._read_others()
        if others and not self._is_moving:
            me, own = self._nodes.members.me, self._meter.measure_load()
            to = choose_receiver(me, own, others, is_giving=self._is_giving)
            self._is_giving = to is not None
            if to is not None:
                self._is_moving = True
                self._background.start_task(self._give_some(to, own.weight, others[to].weight))
        self._clock.call_later(LOOK_SECONDS if self._is_giving else SETTLED_SECONDS, self._look_around)

    async def _give_some(self, to: NodeId, own: int, theirs: int) -> None:
        """Move some tables to a node with less load, unwatched ones first."""
        try:
            for actor in self._list_movable()[:_MOST_A_LOOK]:
                weight = WATCHED_WEIGHT if actor.watched.has_watchers else 1
                if not evens_out(weight, own, theirs):
                    break
                await self.moves.give_table(actor, to, weight=weight, load=own)
                own, theirs = own - weight, theirs + weight
        except ScovilleError as error:
            _log.info("%s", error.message)
        finally:
            self._is_moving = False

    def _refuse_offer(self, offer: Offer) -> str:
        """Return why this node takes no table that is offered, for hosts; empty if it does."""
        if self._is_draining:
            return "it gives its own tables away."
        if not offer.weight:
            return ""
        if not evens_out(offer.weight, offer.load, self._weigh_own()):
            return "it is not lighter."
        if offer.weight >= WATCHED_WEIGHT:
            self._came_watched[offer.table] = self._clock.seconds()
        return ""

    def _weigh_own(self) -> int:
        """Weigh the load of this node: so a giver whose beats are old, or two of them, cannot give it too much."""
        since = self._clock.seconds() - _RETURN_SECONDS
        self._came_watched = {table: at for table, at in self._came_watched.items() if at > since}
        tables, load = self._nodes.tables, self._meter.measure_load()
        waiting = [table for table in self._came_watched if table in tables]
        unwatched = [table for table in waiting if not tables.find_table(table).watched.has_watchers]
        return NodeLoad(load.tables, load.watched + len(unwatched)).weight

    def _list_movable(self) -> list[TableActor]:
        """List the tables that may move to balance the load, unwatched and idle ones first."""
        movable = [actor for actor in self._nodes.tables.all_tables() if self._may_move(actor)]
        return sorted(movable, key=lambda actor: (actor.watched.has_watchers, actor.table.acted_ms))

    def _may_move(self, actor: TableActor) -> bool:
        table = actor.table
        # A table whose game has ended disappears by itself.
        is_for_others = table.status == "finished" or self.waits_for_anybody(table)
        is_settled = not (actor.watched.awaits_adoption or table.is_over or is_for_others)
        return is_settled and self.moves.seconds_here(table.id) >= REST_SECONDS

    # --- on request --------------------------------------------------------------------------------------

    async def move_table(self, table: str, to: str = "") -> NodeId:
        """Move a table of any node to another one, if it is not there; returns which. It is the lightest for none.

        Raises ScovilleError.
        """
        if table in self._nodes.tables:
            return await self._give_to(self._nodes.tables.find_table(table), to)
        owner = self._nodes.directory.find_owner(table)
        if owner is None:
            raise unknown_table(table)
        order = msgpack.encode(_Order(TableId(table), to))
        answer = await self._nodes.bus.request(at_node(owner, _MOVE), order)
        moved = msgpack.decode(answer, type=_Moved)
        if moved.refusal:
            raise ScovilleError(Code.BUSY, moved.refusal)
        return NodeId(moved.to)

    async def _answer_order(self, message: bytes) -> bytes:
        order = msgpack.decode(message, type=_Order)
        try:
            to = await self._give_to(self._nodes.tables.find_table(order.table), order.to)
        except ScovilleError as error:
            return msgpack.encode(_Moved(refusal=error.message))
        return msgpack.encode(_Moved(to))

    async def _give_to(self, actor: TableActor, to: str = "") -> NodeId:
        """Give a table to a node, or to the lightest one that takes it. Raises ScovilleError."""
        if to == self._nodes.members.me:
            return NodeId(to)
        table, nodes = actor.table, list_by_load(self._read_others())
        if to and to not in nodes:
            names = ", ".join(nodes) or "none"
            raise node_takes_no_table(table.id, to, f"these nodes take tables now: {names}.")
        if self.waits_for_anybody(table):
            doer = self._nodes.directory.find_doer(QUICK_MATCH)
            if doer is None and not self._is_draining:
                # Another node would remove it, or seat nobody there.
                raise node_takes_no_table(
                    table.id, to or "another node", "it waits for any players, whom this one seats."
                )
            if not to and doer in nodes:
                nodes = [doer, *nodes]
        refused = node_takes_no_table(table.id, "another node", "no other node serves.")
        for node in [NodeId(to)] if to else nodes:
            # First: others that are given away at the same time go elsewhere.
            self._sent.append((self._clock.seconds(), node))
            try:
                await self.moves.give_table(actor, node)
            except ScovilleError as error:
                refused = error
            else:
                return node
        raise refused

    # --- the end -----------------------------------------------------------------------------------------

    async def hand_over_all(self) -> None:
        """Move all tables to the other nodes, watched ones first, as far as these accept them."""
        if not self._nodes.read_loads():
            return
        self._is_draining = True
        self._nodes.begin_draining()
        before = len(self._nodes.tables) + 1
        # Some tables may still have been opened meanwhile; a table that no node takes now, none takes a moment later.
        while 0 < len(self._nodes.tables) < before and not self._registry.is_closing:
            before = len(self._nodes.tables)
            actors = self._nodes.tables.all_tables()
            actors.sort(key=lambda actor: not actor.watched.has_watchers)
            waiting = iter(actors)
            working = [self._background.start_task(self._hand_over(waiting)) for _ in range(_AT_ONCE)]
            try:
                for work in working:
                    await work
            finally:
                # Where the time for it is over they would go on, and the end of the node would wait for them.
                for work in working:
                    work.cancel()

    async def _hand_over(self, waiting: Iterable[TableActor]) -> None:
        for actor in waiting:
            try:
                await self._give_to(actor)
            except ScovilleError as error:
                _log.info("%s", error.message)


def make_reach(
    nodes: Nodes[TableActor],
    registry: TableRegistry,
    journal: Journal,
    background: BackgroundTasks,
) -> tuple[FarCommands, TableBalance]:
    """Make the parts that reach the tables of all nodes: one sends commands to them, one moves them."""
    moves = TableMoves(nodes, registry, journal)
    return FarCommands(nodes, registry.commands), TableBalance(nodes, registry, moves, background)
