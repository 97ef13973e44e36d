"""Rematches: the next table for the same players."""

from collections.abc import Awaitable, Sequence

from scoville_server.accounts.sessions import User
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.limits.throttle import Source
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.rematch import Rematch
from scoville_server.tables.actor import TableActor
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.model.action import require_granted
from scoville_server.tables.observers import TableObserver
from scoville_server.tables.opener import TableSpace
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.state_machine import decide
from scoville_shared.ids import TableId, UserId


class Rematches(TableObserver):
    """Opens one rematch per game, however many players request it at once.

    Every player's seat is kept there until they come; a player who leaves the old table without having come loses it.
    """

    def __init__(
        self,
        registry: TableRegistry,
        access: TableAccess,
        factory: TableFactory,
        background: BackgroundTasks,
        space: TableSpace,
    ) -> None:
        self._space = space
        self._registry = registry
        self._access = access
        self._factory = factory
        self._background = background
        self._next: dict[TableId, TableActor] = {}
        self._under_way: dict[TableId, Awaitable[TableActor]] = {}
        self._kept: dict[TableId, set[UserId]] = {}

    def table_opened(self, actor: TableActor) -> None:
        """Note of which table this one is the rematch, so that a second request leads here, also after a restart."""
        if actor.table.opened.before is not None:
            self._next[actor.table.opened.before] = actor

    def catch_up(self) -> None:
        """Announce the rematches of restored tables, if the server stopped before it could."""
        for before, actor in self._next.items():
            table = actor.table
            asker = None if table.host is None else table.seats[table.host].user
            if before in self._registry.tables and asker is not None:
                self._registry.commands.send_until_answered(before, Rematch(user=asker, table=table.id))

    def table_removed(self, actor: TableActor) -> None:
        before = actor.table.opened.before
        if before is not None and self._next.get(before) is actor:
            del self._next[before]
        self._kept.pop(actor.table.id, None)

    def user_arrived(self, table: TableId, user: UserId) -> None:
        """Note that a player has come to the rematch."""
        if table in self._kept:
            self._kept[table].discard(user)

    def give_up_seat(self, old: TableId, user: UserId) -> None:
        """Give up a player's seat in the rematch because they left the old table: the others would wait in vain."""
        actor = self._next.get(old)
        if actor is None or user not in self._kept.get(actor.table.id, ()):
            return
        # A player who has moved is there; a move does not call `user_arrived`, as the most frequent request.
        seat = actor.table.owned_seat(user)
        if not any(move.seat == seat and move.mover == "player" for move in actor.table.moves):
            self._kept[actor.table.id].discard(user)
            self._registry.commands.send_until_answered(actor.table.id, Leave(user=user))

    def opened_after(self, old: TableActor) -> bool:
        return old.table.id in self._next or old.table.id in self._under_way

    async def open_or_find(
        self, old: TableActor, user: User, source: Source, levels: Sequence[str | None] | None = None
    ) -> TableActor:
        """Find or open the rematch of `old`, with bots of other `levels` at its seats. Raises ScovilleError."""
        # Judged before a table is opened for it; the old table decides again when it is announced.
        asked = Rematch(user=user.id, table=old.table.id, other_bots=levels is not None)
        require_granted(decide(old.table, asked, old.now()))
        table = old.table.id
        # Two requests of the same moment share one table.
        if table not in self._under_way:
            self._under_way[table] = self._background.start_task(self._open_and_announce(old, user, source, levels))
        # The task outlives the connection that asked: the others are led to the same table.
        return await self._background.shield_task(self._under_way[table])

    async def _open_and_announce(
        self, old: TableActor, user: User, source: Source, levels: Sequence[str | None] | None
    ) -> TableActor:
        """Open the rematch first, then announce it at the old table: players who follow find it."""
        try:
            # Opened already where an earlier announcement failed, or the server stopped before it.
            actor = self._next.get(old.table.id) or await self._open_table(old, user, source, levels)
            await old.carry_out(Rematch(user=user.id, table=actor.table.id))
        finally:
            del self._under_way[old.table.id]
        return actor

    async def _open_table(
        self, old: TableActor, user: User, source: Source, levels: Sequence[str | None] | None
    ) -> TableActor:
        with self._space.reserve_table(None, source.networks):
            with self._access.reserved_code() as code:
                records = self._factory.records_of_rematch(old.table, user, code, levels)
                actor = await self._registry.open_table(records)
            self._space.count_opened(actor.table.id, source.networks)
        sitting = {seat_state.user for seat_state in actor.table.seats if seat_state.user is not None}
        # Without the user who asked and is there already.
        self._kept[actor.table.id] = sitting - {user.id}
        return actor
