"""Opening of tables by users, within what they may and within their share, and the space for them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from scoville_server.accounts.connection import Permits
from scoville_server.accounts.sessions import User
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.throttle import Source
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actor import TableActor
from scoville_server.tables.factory import TableFactory, TournamentTable
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import SERVER_USER, Table, is_sealed
from scoville_server.tables.observers import TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import CreateRequest


class TableSpace(TableObserver):
    """Counts the tables of each address, including those about to be opened.

    An address that has used up its share, or the one with the most when all tables are in use, loses its unused
    tables, oldest first: those at which nobody has sat yet or whose game ended and is left. A user who has opened as
    many as one may loses those whose game has ended.
    """

    def __init__(self, registry: TableRegistry, most: Adjustable[int], most_of_user: int) -> None:
        self._registry = registry
        self._most = as_live(most)
        self._most_of_user = most_of_user
        self._shares: Shares[object] = Shares()
        self._opening: Counter[UserId] = Counter()

    @contextmanager
    def reserve_table(self, user: UserId | None, networks: Sequence[str]) -> Iterator[None]:
        """Reserve space for one table while it is opened. Raises ScovilleError `too_many`.

        `user` opens it; None for a rematch and a daily deal, which count for no single user.
        """
        if user is not None:
            self._make_way_for(user)
        self._make_room(networks)
        # A key that nothing else has: the table has no id yet, and several may be opening.
        key = object()
        owner = user or UserId("")
        self._shares.hold_thing(key, networks)
        self._opening[owner] += 1
        try:
            yield
        finally:
            self._shares.release_thing(key)
            self._opening[owner] -= 1
            if not self._opening[owner]:
                del self._opening[owner]

    def count_opened(self, table: TableId, networks: Sequence[str]) -> None:
        self._shares.hold_thing(table, networks)

    def networks_of(self, table: TableId) -> Sequence[str]:
        """Return the networks that opened a table; empty after a restart."""
        return self._shares.networks_holding(table)

    def table_removed(self, actor: TableActor) -> None:
        self._shares.release_thing(actor.table.id)

    def _make_way_for(self, user: UserId) -> None:
        tables = [actor for actor in self._registry.tables.all_tables() if actor.table.opened.user == user]
        mine = [actor for actor in tables if not actor.table.opened.deal]
        opened = len(mine) + self._opening[user] + self._registry.count_elsewhere(user)
        left = [actor for actor in mine if _is_left(actor.table)]
        if opened < self._most_of_user:
            return
        # Clearing one table makes room for one, which is not enough for a user beyond the bound.
        if not left or opened > self._most_of_user:
            sentence = f"You have opened {opened} tables, the most allowed; leave one first."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "tables"})
        self._registry.remove_table(left[0])

    def _make_room(self, networks: Sequence[str]) -> None:
        free = self._most.value - len(self._registry.tables) - self._opening.total()
        if free > 0 and not self._shares.refuses_more(networks, free):
            return
        unused = [actor for actor in self._registry.tables.all_tables() if _is_unused(actor.table)]
        # While tables are free an address makes room among its own; only a full server takes from others.
        if free > 0:
            unused = [actor for actor in unused if self._shares.is_holder(networks, actor.table.id)]
        if unused:
            # `max` returns the first of equals, and the tables are in order of age: the oldest goes.
            self._registry.remove_table(max(unused, key=lambda actor: self._shares.weigh_holder(actor.table.id)))
            return
        if len(self._registry.tables) >= self._most.value:
            sentence = f"All {self._most.value} tables of this server are in use; join one of them."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "tables_of_all"})
        sentence = "Your address has opened its share of this server's tables; join or leave one of them."
        raise ScovilleError(Code.TOO_MANY, sentence, {"why": "tables"})


def _is_unused(table: Table) -> bool:
    """Whether a table is empty: no user has sat there yet, or all have left after its game."""
    return (table.seq == 0 and table.opened.user != SERVER_USER) or _is_left(table)


def _is_left(table: Table) -> bool:
    """Whether all have left after the game; the table remains for players who may return to see the result."""
    return table.status == "finished" and not table.human_seats and not is_sealed(table)


class TableOpener:
    """Opens tables that users ask for."""

    def __init__(
        self,
        registry: TableRegistry,
        factory: TableFactory,
        access: TableAccess,
        space: TableSpace,
        budgets: Budgets,
        permits: Permits,
    ) -> None:
        self._registry = registry
        self._factory = factory
        self._access = access
        self._space = space
        self._budgets = budgets
        self._permits = permits

    async def open_table(self, user: User, source: Source, request: CreateRequest) -> TableActor:
        """Open a table for a user, whom the journal must know. Raises ScovilleError."""
        with self.reserve_table(user, source):
            lock = await self._access.hash_password(request.password, source)
            with self._access.reserved_code() as code:
                actor = await self._registry.open_table(self._factory.records_on_request(user, request, code, lock))
            self._space.count_opened(actor.table.id, source.networks)
            return actor

    @contextmanager
    def reserve_table(self, user: User, source: Source, *, counts: bool = True) -> Iterator[None]:
        """Reserve space for a table that a user may open; `counts` among those of the user. Raises ScovilleError."""
        self._permits.check_may_play(user)
        # Reserved before anything waits: users who ask at once must not all see the last free place.
        with self._space.reserve_table(user.id if counts else None, source.networks):
            self._budgets.count_opening(source)
            yield

    def check_request(self, request: CreateRequest, rules_version: int | None = None) -> None:
        """Raise ScovilleError for a table that cannot be opened any more, or by other rules than `rules_version`."""
        self._factory.check_request(request, rules_version)

    async def open_for_tournament(self, wanted: TournamentTable) -> TableActor:
        """Open a table of a tournament. Raises ScovilleError."""
        # It counts for no user and no address: the user who calls a tournament does not play all its games.
        with self._space.reserve_table(None, ()), self._access.reserved_code() as code:
            return await self._registry.open_table(self._factory.records_for_tournament(wanted, code))

    async def open_prepared(self, records: Sequence[Record], source: Source) -> TableActor:
        """Open a table from its first records, which name no code. Raises ScovilleError."""
        created, *rest = records
        with self._access.reserved_code() as code:
            actor = await self._registry.open_table([replace(created, code=code), *rest])
        self._space.count_opened(actor.table.id, source.networks)
        return actor
