"""The directory: finds the actors of tables. That they all run in this process is known here only."""

from typing import Generic, Protocol, TypeVar

from scoville_server.errors import unknown_table
from scoville_shared.ids import TableId

A = TypeVar("A")


class Directory(Protocol[A]):
    """The tables that are served, each by its actor."""

    def add(self, table: TableId, actor: A) -> None:
        """Note that this node serves a table from now on."""

    def remove(self, table: TableId) -> None:
        """Note that nobody serves a table any more; an unknown one is fine."""

    def find(self, table: str) -> A:
        """Return the actor of a table. Raises ScovilleError `unknown_table` for one that nobody serves."""

    def all(self) -> list[A]:
        """List the actors, those of the oldest tables first."""

    def __contains__(self, table: object) -> bool:
        """Whether a table is served."""

    def __len__(self) -> int:
        """Return the number of tables."""


class LocalDirectory(Generic[A]):
    """A `Directory` of this process alone."""

    def __init__(self) -> None:
        self._actors: dict[str, A] = {}

    def add(self, table: TableId, actor: A) -> None:
        """Add a table."""
        self._actors[table] = actor

    def remove(self, table: TableId) -> None:
        """Remove a table."""
        self._actors.pop(table, None)

    def find(self, table: str) -> A:
        """Return the actor of a table. Raises ScovilleError `unknown_table`."""
        try:
            return self._actors[table]
        except KeyError:
            raise unknown_table(table) from None

    def all(self) -> list[A]:
        """List the actors."""
        return [*self._actors.values()]

    def __contains__(self, table: object) -> bool:
        return table in self._actors

    def __len__(self) -> int:
        return len(self._actors)
