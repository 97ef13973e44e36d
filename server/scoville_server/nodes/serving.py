"""The tables that this node serves, each by its actor, and which of the stored ones it takes over."""

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from scoville_server.errors import table_moved, unknown_table
from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import Incarnation, Members
from scoville_shared.ids import TableId

A_contra = TypeVar("A_contra", contravariant=True)


class Ownership(Protocol[A_contra]):
    """Decides which tables this node serves, and tells the other nodes.

    Attributes:
        owner: As whom this node adopts tables: each one that it takes over or opens has a record of that. None where
            nobody else can write to the journal.
    """

    owner: Incarnation | None

    def inherited_tables(self, tables: Iterable[TableId]) -> set[TableId]:
        """Return which of some stored tables, that no node serves, this node takes over."""

    def claim_table(self, table: TableId, actor: A_contra) -> None:
        """Serve a table at this node from now on, by its actor."""

    def announce_table(self, table: TableId) -> None:
        """Tell the other nodes that this one serves a table: it is certain."""

    def release_table(self, table: TableId) -> None:
        """Stop serving a table; an unknown one is fine."""

    def note_moved(self, table: TableId) -> None:
        """Stop serving a table, since another node has adopted it."""


A = TypeVar("A")


class Serving(Protocol[A]):
    """The tables that this node serves, each by its actor; a `Directory` knows those of the other nodes."""

    def find_table(self, table: str) -> A:
        """Return the actor of a table.

        Raises ScovilleError `unknown_table` for one that is not served here, and `moved` for one that has left.
        """

    def all_tables(self) -> list[A]:
        """List the actors, those of the oldest tables first."""

    def __contains__(self, table: object) -> bool:
        """Whether this node serves a table."""

    def __len__(self) -> int:
        """Return the number of tables."""


class LocalServing(Generic[A]):
    """The `Serving` and the `Ownership` of this process.

    A node that `joins` others takes no stored table over: they serve them. `held` tells them what this one serves.
    """

    def __init__(self, members: Members, held: HeldKeys, *, joins: bool = False) -> None:
        self.owner: Incarnation | None = None
        self._joins = joins
        self._members = members
        self._held = held
        self._actors: dict[str, A] = {}
        self._moved: set[str] = set()

    def inherited_tables(self, tables: Iterable[TableId]) -> set[TableId]:
        """Return the tables of which this node is the heir."""
        if self._joins:
            return set()
        return {table for table in tables if self._members.heir_of(table) == self._members.me}

    def claim_table(self, table: TableId, actor: A) -> None:
        self._actors[table] = actor
        self._moved.discard(table)

    def announce_table(self, table: TableId) -> None:
        if table in self._actors:
            self._held.hold_key(table)

    def release_table(self, table: TableId) -> None:
        if self._actors.pop(table, None) is not None:
            self._held.release_key(table)

    def note_moved(self, table: TableId) -> None:
        self.release_table(table)
        # `unknown_table` would be the end of the table to its users.
        self._moved.add(table)

    def find_table(self, table: str) -> A:
        """Return the actor of a table. Raises ScovilleError `unknown_table` and `moved`."""
        try:
            return self._actors[table]
        except KeyError:
            raise (table_moved if table in self._moved else unknown_table)(table) from None

    def all_tables(self) -> list[A]:
        return [*self._actors.values()]

    def __contains__(self, table: object) -> bool:
        return table in self._actors

    def __len__(self) -> int:
        return len(self._actors)
