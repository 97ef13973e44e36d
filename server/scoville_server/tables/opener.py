"""Opening of tables by users, within what they may and within their share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from scoville_server.accounts.permits import Permits
from scoville_server.accounts.sessions import User
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.throttle import Source
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actor import TableActor
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.model.records import Record
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.space import TableSpace
from scoville_shared.protocol.messages import CreateRequest


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
    def reserve_table(self, user: User, source: Source) -> Iterator[None]:
        """Reserve space for a table that a user may open. Raises ScovilleError."""
        self._permits.check_may_play(user)
        # Reserved before anything waits: users who ask at once must not all see the last free place.
        with self._space.reserve_table(user.id, source.networks):
            self._budgets.count_opening(source)
            yield

    async def open_prepared(self, records: Sequence[Record], source: Source) -> TableActor:
        """Open a table from its first records, which name no code. Raises ScovilleError."""
        created, *rest = records
        with self._access.reserved_code() as code:
            actor = await self._registry.open_table([replace(created, code=code), *rest])
        self._space.count_opened(actor.table.id, source.networks)
        return actor
