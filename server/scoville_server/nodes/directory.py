"""Which node serves a table, for those that this one does not serve. That nodes tell each other is known here."""

from collections.abc import Callable, Collection, Mapping
from typing import Final, Protocol

from scoville_runtime.clock import CallLater
from scoville_server.nodes.codes import SharedCodes
from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import Members, NodeId
from scoville_shared.ids import TableId

QUICK_MATCH: Final = "quick match"
"""The task of one node for all to seat users who want to play at once, at default tables among others."""
COMMUNITY: Final = "clubs and tournaments"
"""Another one: it reminds, pairs and counts in tournaments and clubs. One node has both, since some are of clubs."""
DAILY: Final = "daily deals"
"""Another one: it draws, opens, closes and reveals the daily deals, and has the tables of attempts."""
CHORES: Final = "chores"
"""Another one: it deletes what is old, and sends digests."""

OnClaims = Callable[[NodeId, Collection[TableId]], object]
"""Is called with a node, and tables that it serves."""


class Directory(Protocol):
    """The nodes that serve tables."""

    def find_owner(self, table: str) -> NodeId | None:
        """Return the other node that serves a table; None if this one does, and if none is known to."""

    def is_moving(self, table: str) -> bool:
        """Whether the node that served a table runs no more, and no other one is known to have taken it over.

        A node that has joined others says so of all tables that it has not heard of, until it knows which have records.
        """

    async def wait_for_claim(self, table: str, call_later: CallLater, seconds: float) -> None:
        """Wait until any node says that it serves a table, or so many seconds."""

    def may_lack_tables(self) -> bool:
        """Whether there may be tables of which this node knows nothing but their records, if anything."""

    def note_stored(self, stored: Collection[TableId]) -> None:
        """Note which tables have records: those of them that no node says it serves are moving.

        The tables of lost nodes that have none, two times in a row, are forgotten: they were removed when their node
        was lost.
        """

    def doubt_stored(self) -> None:
        """Doubt, until the next `note_stored`, that every table has been heard of: a node was lost.

        Its last messages may be lost with it.
        """

    def refuse_table(self, table: TableId) -> None:
        """Tell all nodes that a table cannot be read: this node answers for it, and it is unknown to users."""

    def find_coded(self, code: str) -> TableId | None:
        """Return the table of another node to which a code leads; None if it leads to one of this node, or to none."""

    def find_doer(self, task: str) -> NodeId | None:
        """Return the other node that does one thing for all; None if this one does."""

    def follow_claims(self, on_claims: OnClaims) -> None:
        """Call a function for tables of which another node says that it serves them."""

    async def hear_claims(self) -> bool:
        """Wait until this node has heard the others' messages about their tables; returns False if any is silent."""

    async def begin_sharing(self) -> None:
        """Tell the other nodes which tables this one serves, and hear what they serve, from now on."""


class SharedDirectory:
    """The `Directory` of nodes that tell each other which tables they hold; empty while this one is alone."""

    def __init__(self, members: Members, held: HeldKeys, codes: SharedCodes, *, joins: bool) -> None:
        self._members = members
        self._held = held
        self._missing: set[str] = set()
        # Their node may have been lost before this one began to listen.
        self._unclaimed: set[str] = set()
        self._knows_stored = not joins
        self.wait_for_claim = held.wait_for_holder
        self.find_coded = codes.find_table

    def find_owner(self, table: str) -> NodeId | None:
        return None if self._held.is_held_here(table) else self._held.find_holder(table)

    def is_moving(self, table: str) -> bool:
        if self._held.is_held_here(table) or self._held.find_holder(table) is not None:
            self._unclaimed.discard(table)
            return False
        return not self._knows_stored or table in self._unclaimed or self._held.is_orphaned(table)

    def may_lack_tables(self) -> bool:
        return not self._knows_stored or any(self.is_moving(table) for table in tuple(self._unclaimed))

    def note_stored(self, stored: Collection[TableId]) -> None:
        held = self._held
        missing = {table for table in held.list_orphaned() if table not in stored}
        for table in missing & self._missing:
            held.forget_key(table)
        self._missing = missing
        self._unclaimed = {
            table for table in stored if not held.is_held_here(table) and not held.is_held_elsewhere(table)
        }
        self._knows_stored = True

    def doubt_stored(self) -> None:
        self._knows_stored = False

    def refuse_table(self, table: TableId) -> None:
        # Users would wait for it for ever as a moving table, and each wrong code might lead to it.
        self._held.hold_key(table)

    def find_doer(self, task: str) -> NodeId | None:
        doer = self._members.heir_of(task)
        return None if doer == self._members.me else doer

    def follow_claims(self, on_claims: OnClaims) -> None:
        def note_change(node: NodeId, held: Mapping[str, bytes], _: object) -> None:
            on_claims(node, [TableId(table) for table in held])

        self._held.on_change = note_change

    async def hear_claims(self) -> bool:
        return await self._held.hear_others()

    async def begin_sharing(self) -> None:
        await self._held.begin_sharing()
