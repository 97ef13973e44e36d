"""The directory of tables."""

from typing import Generic, Protocol, TypeVar

from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId


class Keeper(Protocol):
    """Whoever keeps a table."""

    table: Table


K = TypeVar("K", bound=Keeper)


class Directory(Protocol[K]):
    """Where tables are found, in one process or across several."""

    def room(self) -> None:
        """Raise ScovilleError `too_many` when there is no room for one more table."""

    def room_for(self, person: UserId, opening: int = 0) -> None:
        """Raise ScovilleError `too_many` when this person has opened, or is `opening`, as many tables as one may."""

    def add(self, keeper: K) -> None:
        """List a table."""

    def remove(self, table: TableId) -> None:
        """Take a table off the list."""

    def find(self, table: str) -> K:
        """Find a table. Raises ScovilleError `unknown_table`."""

    def all(self) -> list[K]:
        """List the tables, oldest first."""


class TableDirectory(Generic[K]):
    """The tables of this process: `limit` in all, `per_person` opened by one person."""

    def __init__(self, limit: int, per_person: int) -> None:
        self._limit = limit
        self.per_person = per_person
        self._keepers: dict[str, K] = {}

    def room(self) -> None:
        """Raise ScovilleError `too_many` when there is no room for one more table."""
        if self.full:
            raise ScovilleError(Code.TOO_MANY, f"All {self._limit} tables of this server are in use; join one of them.")

    @property
    def full(self) -> bool:
        """There is no room for one more table."""
        return self.free <= 0

    @property
    def free(self) -> int:
        """How many more tables there is room for."""
        return self._limit - len(self._keepers)

    def room_for(self, person: UserId, opening: int = 0) -> None:
        """Raise ScovilleError `too_many` when this person has opened, or is `opening`, as many tables as one may."""
        mine = opening + sum(keeper.table.opened.person == person for keeper in self._keepers.values())
        if mine >= self.per_person:
            raise ScovilleError(Code.TOO_MANY, f"You have opened {mine} tables; close one by leaving it first.")

    def add(self, keeper: K) -> None:
        """List a table."""
        self._keepers[keeper.table.id] = keeper

    def remove(self, table: TableId) -> None:
        """Take a table off the list."""
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
    """Say that a table is not there: also to whom it is hidden from, in the same words."""
    return ScovilleError(Code.UNKNOWN_TABLE, f"There is no table {table!r} here.", {"table": table})
