"""Moves of tables to another node while they are played: this one holds a table until the other has adopted it."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from msgspec import Struct, msgpack
from msgspec.structs import replace

from scoville_server.background.eventual import Eventual, finish_anyway
from scoville_server.errors import make_goodbye, node_takes_no_table, table_moved
from scoville_server.journal.base import Journal, Mark, Shared
from scoville_server.net.peer import Peer
from scoville_server.nodes.bus import at_node
from scoville_server.nodes.members import Incarnation, NodeId
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.hold import HeldTable, Hold
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.storage import read_table
from scoville_server.tables.watching.audience import Watcher
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId

_log = logging.getLogger(__name__)

_TAKE: Final = "tables.take"
_KEPT_SECONDS: Final = 30.0
"""How long a node keeps what it has read of a table before it gets it, and what it was as it came."""


class Offer(Struct, frozen=True, array_like=True):
    """A table that its owner wants to give to another node.

    Attributes:
        table: The table.
        owner: As whom its node owns it.
        mark: The mark of its newest record.
        at_ms: Its time in milliseconds since 1970.
        is_held: Whether nothing happens at it any more until the other node has answered; else that looks whether it
            could serve the table, and may have read it before.
        weight: Its weight, and that of its node, in a move that evens out the load of the two; 0 for another one.
        load: See `weight`.
    """

    table: TableId
    owner: Incarnation
    mark: bytes
    at_ms: int
    is_held: bool = False
    weight: int = 0
    load: int = 0


class _Answer(Struct, frozen=True, array_like=True):
    """Why a node does not take a table, for hosts; empty if it does. `lasts` if it never will, in this version."""

    refusal: str = ""
    lasts: bool = False


class _Ready(NamedTuple):
    """A table as it was read."""

    table: Table
    mark: Mark


class Taken(NamedTuple):
    """A table as it was when this node has taken it, and its actor: it may be removed before all go on watching."""

    before: Table
    actor: TableActor


# Decision 058: the owner lets nothing happen between its last record and the other node's adoption.
class TableMoves:
    """Gives tables of this node to others, and takes theirs.

    A table is given in two steps. First the other node reads it, so that one which does not know the rules or the
    records of the table refuses it while the game goes on. Then this node holds the table: commands wait in its inbox,
    and the other node writes its adoption behind the newest record. After that this node ends its actor; what has
    waited is refused with `moved`, and asked again at the other node, and all watchers go on there. If no answer comes,
    this node reads who owns the table.

    Args:
        nodes: The nodes.
        registry: The tables of this node.
        journal: Has their records.

    Attributes:
        send_on: Lets a connection go on watching a table at another node.
        refuse_offer: Returns why this node takes no table that is offered, for hosts; empty if it does.
    """

    def __init__(
        self,
        nodes: Nodes[TableActor],
        registry: TableRegistry,
        journal: Journal,
    ) -> None:
        self._nodes = nodes
        self._registry = registry
        self._journal = journal
        self._call_later, self._seconds = registry.clock.call_later, registry.clock.seconds
        self._ready: dict[TableId, _Ready] = {}
        self._taken: dict[TableId, Taken] = {}
        self._came: dict[TableId, float] = {}
        """When tables have come that are here, in monotonic seconds."""
        self.send_on: Callable[[TableId, NodeId, Peer, Watcher], object] = _send_goodbye
        self.refuse_offer: Callable[[Offer], str] = lambda _: ""

    async def begin_sharing(self) -> None:
        """Take tables of other nodes from now on."""
        await self._nodes.bus.answer(at_node(self._nodes.members.me, _TAKE), self._answer_offer)

    def find_taken(self, table: str) -> Taken | None:
        """Return a table that this node has taken a moment ago; None for others."""
        return self._taken.get(TableId(table))

    def seconds_here(self, table: TableId) -> float:
        """Return for how many seconds a table has been here since it came from another node."""
        return self._seconds() - self._came.get(table, float("-inf"))

    def let_rest(self, table: TableId) -> None:
        """Let a table count as one that has just come: it is not moved soon."""
        self._came = {each: at for each, at in self._came.items() if each in self._nodes.tables}
        self._came[table] = self._seconds()

    # --- giving ------------------------------------------------------------------------------------------

    async def give_table(self, actor: TableActor, to: NodeId, *, weight: int = 0, load: int = 0) -> None:
        """Give a table to another node. Raises ScovilleError: then this node goes on with it, unless it has moved."""
        table, owner = actor.table.id, self._nodes.ownership.owner
        if owner is None or actor.table.owner != owner:
            raise node_takes_no_table(table, to, "this node does not own the table yet.")
        offer = Offer(table, owner, actor.mark, actor.now(), weight=weight, load=load)
        await self._make_offer(to, offer)
        held: Eventual[HeldTable] = Eventual()

        def note_refusal(answer: Done | Refused) -> None:
            if isinstance(answer, Refused) and not held.done():
                held.set_exception(answer.to_error())

        actor.submit_command(Hold(begin=held.set_result), note_refusal)
        # The caller may be cancelled: the table must not stay held.
        await finish_anyway(self._give_held(actor, to, offer, held))

    async def _give_held(self, actor: TableActor, to: NodeId, offer: Offer, waiting: Eventual[HeldTable]) -> None:
        held, send_on = await waiting, None
        try:
            await self._make_offer(to, replace(offer, mark=held.mark, at_ms=held.at_ms, is_held=True))
            send_on = partial(self.send_on, offer.table, to)
        finally:
            # Whatever the other node says, it may have written its adoption, or do so later.
            held.end_hold(send_on, send_on is None)
            if send_on is None:
                _log.warning("table %s: %s has not confirmed that it has taken the table", offer.table, to)
                await self._find_owner(actor)

    async def _find_owner(self, actor: TableActor) -> None:
        """Look who owns a table that another node has perhaps taken."""
        try:
            await actor.catch_up()
        except ScovilleError as error:
            _log.info("table %s: %s", actor.table.id, error.message)

    async def _make_offer(self, to: NodeId, offer: Offer) -> None:
        """Offer a table. Raises ScovilleError."""
        answer = await self._nodes.bus.request(at_node(to, _TAKE), msgpack.encode(offer))
        read = msgpack.decode(answer, type=_Answer)
        if read.lasts:
            self.let_rest(offer.table)
        if read.refusal:
            raise node_takes_no_table(offer.table, to, read.refusal)

    # --- taking ------------------------------------------------------------------------------------------

    async def _answer_offer(self, message: bytes) -> bytes:
        offer = msgpack.decode(message, type=Offer)
        try:
            await (self._take_table(offer) if offer.is_held else self._prepare_table(offer))
        except ScovilleError as error:
            return msgpack.encode(_Answer(error.message, lasts=error.code == Code.INTERNAL))
        return msgpack.encode(_Answer())

    async def _prepare_table(self, offer: Offer) -> None:
        """Read a table that is offered. Raises ScovilleError if this node cannot serve it."""
        refusal = self.refuse_offer(offer)
        if refusal or self._registry.is_closing or not isinstance(self._journal, Shared):
            raise ScovilleError(Code.BUSY, refusal or "it takes no tables.")
        self._ready[offer.table] = await self._read_table(offer.table)
        self._call_later(_KEPT_SECONDS, lambda: self._ready.pop(offer.table, None))

    async def _take_table(self, offer: Offer) -> None:
        """Adopt a table that its owner holds. Raises ScovilleError."""
        ready = self._ready.pop(offer.table, None)
        if ready is None or ready.mark != offer.mark:
            ready = await self._read_table(offer.table)
        if ready.mark != offer.mark or ready.table.owner != offer.owner:
            raise ScovilleError(Code.BUSY, "it finds another owner, or other records, in the journal.")
        self._registry.take_over_table(*ready, alive_ms=offer.at_ms, was_held=True)
        actor = self._nodes.tables.find_table(offer.table)
        await actor.wait_for_adoption()
        self._taken[offer.table] = taken = Taken(ready.table, actor)
        self.let_rest(offer.table)
        self._call_later(_KEPT_SECONDS, lambda: self._forget_taken(taken))

    def _forget_taken(self, taken: Taken) -> None:
        if self._taken.get(taken.before.id) is taken:
            del self._taken[taken.before.id]

    async def _read_table(self, table: TableId) -> _Ready:
        """Read a table. Raises ScovilleError if this node cannot serve it."""
        assert isinstance(self._journal, Shared)
        stored = (await self._journal.read_tables([table])).get(table)
        if stored is None:
            raise ScovilleError(Code.BUSY, "it cannot read the table in the journal.")
        try:
            return _Ready(read_table(stored, self._registry.find_game), stored.mark)
        except Exception as error:
            # Whatever this node lacks, another one may have it.
            raise ScovilleError(Code.INTERNAL, f"{error}.") from error


def _send_goodbye(table: TableId, _: NodeId, peer: Peer, __: Watcher) -> None:
    peer.close(make_goodbye(table_moved(table)))
