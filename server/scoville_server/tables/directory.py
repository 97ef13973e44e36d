"""The directory of tables."""

from typing import Generic, Protocol, TypeVar

from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId


class Keeper(Protocol):
    """Anything that keeps a table, such as its actor."""

    table: Table


K = TypeVar("K", bound=Keeper)


class Directory(Protocol[K]):
    """Finds tables, in one process or across several."""

    def room(self) -> None:
        """Check that there is space for one more table. Raises ScovilleError `too_many`."""

    def room_for(self, user: UserId, opening: int = 0) -> None:
        """Check that a user may open one more table, `opening` ones included. Raises ScovilleError `too_many`."""

    def add(self, keeper: K) -> None:
        """Add a table."""

    def remove(self, table: TableId) -> None:
        """Remove a table."""

    def find(self, table: str) -> K:
        """Find a table. Raises ScovilleError `unknown_table`."""

    def all(self) -> list[K]:
        """List the tables, oldest first."""


class TableDirectory(Generic[K]):
    """The tables of this process: at most `limit`, and `per_person` opened by one user."""

    def __init__(self, limit: int, per_person: int) -> None:
        self._limit = limit
        self.per_person = per_person
        self._keepers: dict[str, K] = {}

    def room(self) -> None:
        """Check that there is space for one more table. Raises ScovilleError `too_many`."""
        if self.full:
            raise ScovilleError(Code.TOO_MANY, f"All {self._limit} tables of this server are in use; join one of them.")

    @property
    def full(self) -> bool:
        """Whether there is no space for one more table."""
        return self.free <= 0

    @property
    def free(self) -> int:
        """How many more tables fit."""
        return self._limit - len(self._keepers)

    def room_for(self, user: UserId, opening: int = 0) -> None:
        """Check that a user may open one more table, `opening` ones included. Raises ScovilleError `too_many`."""
        mine = opening + sum(keeper.table.opened.user == user for keeper in self._keepers.values())
        if mine >= self.per_person:
            raise ScovilleError(Code.TOO_MANY, f"You have opened {mine} tables; close one by leaving it first.")

    def add(self, keeper: K) -> None:
        """Add a table."""
        self._keepers[keeper.table.id] = keeper

    def remove(self, table: TableId) -> None:
        """Remove a table."""
        self._keepers.pop(table, None)

    def __contains__(self, table: str) -> bool:
        return table in self._keepers

    def find(self, table: str) -> K:
        """Find a table. Raises ScovilleError `unknown_table`."""
        try:
            return self._keepers[table]
        except KeyError:
            raise unknown_table(table) from None

    def all(self) -> list[K]:
        """List the tables, oldest first."""
        return [*self._keepers.values()]


def unknown_table(table: str) -> ScovilleError:
    """Return the error for a missing table; users from whom a table is hidden get the same words."""
    return ScovilleError(Code.UNKNOWN_TABLE, f"There is no table {table!r} here.", {"table": table})
