"""Adoption: of several nodes one takes over each table whose owner runs no more."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Journal, Shared, StoredTable
from scoville_server.nodes.directory import QUICK_MATCH
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.storage import restore_tables
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId

_log = logging.getLogger(__name__)

SETTLED_SECONDS: Final = 2.0
"""How long a node that has begun to serve waits, until it has heard of all others and of their tables."""

_AT_ONCE: Final = 16
"""Tables that are read together."""
_MOST_FAILURES: Final = 3
"""How often a table is read that has a hole, or is deleted at that moment: another replica may have it whole."""
LOOK_SECONDS: Final = 10.0
"""Seconds between two looks: a node that was silent may have said that it serves a table whose owner is lost."""


_QUIET_SECONDS: Final = 60.0
"""Seconds between two lines of the log about what one node claims."""
_MOST_NAMED: Final = 5
"""Tables that such a line names."""


class WaitingTables(NamedTuple):
    """Tells which tables wait for any players: whether one may, by what its node told before it was lost, or does."""

    may_wait: Callable[[str], bool]
    waits: Callable[[Table], bool]


class Adoption:
    """Takes over tables at this node, as soon as another one is lost.

    Each table has one heir among the nodes that run. If two nodes see different ones, both may try to adopt a table:
    the journal takes one of the adoptions, and the other node finds that out. So does the owner, if it was only
    believed lost.

    Args:
        nodes: The nodes, and the tables of each.
        registry: Takes the tables.
        journal: Has their records.
        background: Runs the work, and repeats writes that the journal refuses.
        quick: Knows which tables wait for any players: the node that seats these takes them over.
    """

    def __init__(
        self,
        nodes: Nodes[TableActor],
        registry: TableRegistry,
        journal: Journal,
        background: BackgroundTasks,
        quick: WaitingTables,
    ) -> None:
        self._nodes = nodes
        self._registry = registry
        self._journal = journal
        self._background = background
        self._call_later, self._seconds = registry.clock.call_later, registry.clock.seconds
        self._quick = quick
        self._failures: Counter[TableId] = Counter()
        """How often each table could not be read."""
        self._claimed: dict[NodeId, float] = {}
        """Time of the latest line of the log about claims, in monotonic seconds."""
        self._has_looked = False
        self._has_seen_others = nodes.joins
        self._is_settled, self._is_looking, self._looks_again = False, False, False

    def begin_adopting(self) -> None:
        """Look for tables without an owner: soon, at each loss of a node, and at intervals."""
        if isinstance(self._journal, Shared):
            self._nodes.members.follow_losses(self._note_loss)
            self._nodes.members.follow_gaps(self._read_back_all)
            self._nodes.directory.follow_claims(self._note_claims)
            self._call_later(SETTLED_SECONDS, self._look_around)

    def _note_loss(self, _: NodeId) -> None:
        self._nodes.directory.doubt_stored()
        self._look_soon()

    def _look_around(self) -> None:
        self._is_settled = True
        self._has_seen_others |= len(self._nodes.members.running_nodes()) > 1
        # Without others a node that has not joined them has inherited every table at its start.
        if self._has_seen_others:
            self._look_soon()
        if not self._registry.is_closing:
            self._call_later(LOOK_SECONDS, self._look_around)

    def _look_soon(self) -> None:
        if self._is_looking:
            self._looks_again = True
        elif self._is_settled and not self._registry.is_closing:
            self._is_looking = True
            self._background.insist_on_write(self._adopt_tables)

    async def _adopt_tables(self) -> None:
        """Adopt the tables of which this node is the heir. Raises JournalError if the journal cannot be read now."""
        assert isinstance(self._journal, Shared)
        self._looks_again = False
        every = {*await self._journal.list_tables()}
        # A list that began before another node was lost may lack tables that it opened.
        if not self._looks_again:
            self._nodes.directory.note_stored(every)
        tables = [table for table in sorted(every) if self._may_adopt(table)]
        for start in range(0, len(tables), _AT_ONCE):
            some = tables[start : start + _AT_ONCE]
            stored = await self._journal.read_tables(some)
            for table in some:
                if table in stored:
                    self._adopt_table(table, stored[table])
                else:
                    self._note_failure(table)
        self._is_looking, self._has_looked = False, True
        if self._looks_again:
            self._look_soon()

    def _note_failure(self, table: TableId) -> None:
        self._failures[table] += 1
        if self._failures[table] == _MOST_FAILURES and self._nodes.members.heir_of(table) == self._nodes.members.me:
            self._nodes.directory.refuse_table(table)

    def _may_adopt(self, table: TableId) -> bool:
        # At its first look it finds the tables that it had itself, before it was started again.
        me, heir_of = self._nodes.members.me, self._nodes.members.heir_of
        may_inherit = not self._has_looked or heir_of(table) == me
        if not may_inherit:
            may_inherit = heir_of(QUICK_MATCH) == me and self._quick.may_wait(table)
        return may_inherit and self._is_without_holder(table) and self._failures[table] < _MOST_FAILURES

    def _is_without_holder(self, table: TableId) -> bool:
        return table not in self._nodes.tables and self._nodes.directory.find_owner(table) is None

    def _adopt_table(self, table: TableId, stored: StoredTable) -> None:
        found = restore_tables({table: stored}, self._registry.find_game, self._journal.report_damage)
        if not found:
            self._failures[table] = _MOST_FAILURES
        # Again: others may have adopted it meanwhile.
        elif self._is_without_holder(table) and self._inherits_table(found[0]):
            self._registry.take_over_table(found[0], stored.mark)

    def _inherits_table(self, table: Table) -> bool:
        members, owner = self._nodes.members, table.owner
        if owner is None or owner.node == members.me:
            # This node has been started again before anybody has missed it.
            return owner is not None
        # A running owner has opened the table a moment ago, and its claim is on the way.
        thing = QUICK_MATCH if self._quick.waits(table) else table.id
        return owner.node not in members.running_nodes() and members.heir_of(thing) == members.me

    def _note_claims(self, node: NodeId, tables: Collection[TableId]) -> None:
        """Look whether tables that this node serves were adopted by another one, which believed them lost."""
        doubled = [table for table in tables if table in self._nodes.tables]
        if doubled:
            self._log_claims(node, doubled)
            self._background.start_task(self._read_back(doubled))

    def _log_claims(self, node: NodeId, doubled: Sequence[TableId]) -> None:
        # A node says again what it serves each time that it was not heard for a moment.
        now = self._seconds()
        if now >= self._claimed.get(node, -_QUIET_SECONDS) + _QUIET_SECONDS:
            self._claimed[node] = now
            more = len(doubled) - _MOST_NAMED
            named = ", ".join(doubled[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
            _log.info("%s says that it serves tables that are served here: %s", node, named)

    def _read_back_all(self, is_missed: bool) -> None:
        """Look which tables have been adopted by others while this node was silent."""
        if not self._has_seen_others:
            return
        actors = self._nodes.tables.all_tables()
        if is_missed:
            for actor in actors:
                actor.begin_doubting()
        self._background.start_task(self._read_back([actor.table.id for actor in actors]))

    async def _read_back(self, tables: Sequence[TableId]) -> None:
        failures: Counter[str] = Counter()
        for table in tables:
            try:
                await self._nodes.tables.find_table(table).catch_up()
            except ScovilleError as error:
                # Tables that have moved are as they should be.
                failures[error.message if error.code == Code.BUSY else ""] += 1
        for why, count in failures.items():
            if why:
                _log.info("%d tables could not be read back: %s", count, why)
