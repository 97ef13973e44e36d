"""Quick match: a seat at once, at a table without a host that starts automatically."""

import asyncio
from collections.abc import Awaitable, Callable

from msgspec import UNSET

from scoville_server.accounts.sessions import User
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.tables.actions.join import Join, JoinTogether
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.factory import QuickTables, TableFactory
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import CreateRequest

JoinCommand = Callable[[TableActor], Join]
Open = Callable[[CreateRequest], Awaitable[TableActor]]

_MISSED = {Code.UNKNOWN_TABLE, Code.KICKED, Code.MOVED}
"""Refusals of a table that looked free a moment ago, beside having no seat left."""


class _Opening:
    """A table that is being opened for one user who wants to play; others count on its further seats already."""

    def __init__(self, request: CreateRequest) -> None:
        self.game = request.game
        self.seats = request.seat_count
        self.users: list[UserId] = []
        """The user of each request that waits for the table, its opener's first."""

    def takes_user(self, user: UserId, game: str) -> bool:
        return user in self.users or (game in ("", self.game) and len(set(self.users)) < self.seats)


class QuickMatch(TableObserver):
    """Matches users who want to play.

    A place is chosen and reserved in one turn of the loop. Only then the request waits for the disk, beside all others:
    it holds no lock, and the journal saves all of them together.
    """

    observed = frozenset({Change.STATUS})

    def __init__(self, catalog: GameCatalog, factory: TableFactory, background: BackgroundTasks) -> None:
        self._catalog = catalog
        self._factory = factory
        self._background = background
        self._waiting: dict[TableId, TableActor] = {}
        """Tables that wait for any players, oldest first: a search must not look at all tables of a server."""
        self._reserved: dict[TableId, list[UserId]] = {}
        """The users of requests under way, which are about to take seats of these."""
        self._joins: dict[TableId, list[Join]] = {}
        """Joins that the next write of a table will hold."""
        self._joining: dict[TableId, asyncio.Task[Done]] = {}
        self._openings: dict[_Opening, asyncio.Task[TableActor]] = {}
        factory.live_quick.follow(self._follow_clock)

    # --- tables ------------------------------------------------------------------------------------------

    def table_opened(self, actor: TableActor) -> None:
        self._note_table(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        if done.after.status != done.before.status:
            self._note_table(actor)

    def table_removed(self, actor: TableActor) -> None:
        self._waiting.pop(actor.table.id, None)

    def _follow_clock(self, _: QuickTables) -> None:
        """Seat users only at tables with the present clock."""
        for actor in [*self._waiting.values()]:
            self._note_table(actor)

    def _note_table(self, actor: TableActor) -> None:
        if self.waits_for_anybody(actor.table):
            self._waiting[actor.table.id] = actor
        else:
            self._waiting.pop(actor.table.id, None)

    def waits_for_anybody(self, table: Table) -> bool:
        """Whether users who want to play at once are seated at a table."""
        return table.status == "waiting" and self._is_for_anybody(table)

    def _is_for_anybody(self, table: Table) -> bool:
        opened = table.opened
        return (
            not (opened.settings.private or table.locked)
            and opened.reserved is UNSET
            and opened.settings.hostless
            and (opened.settings.start == "full" or opened.settings.fill_ms is not None)
            and opened.options == self._catalog.complete_options(opened.game, {})
            # Without one the game is not rated, and nobody chose another.
            and opened.clock == self._factory.quick.clock
        )

    # --- requests ----------------------------------------------------------------------------------------

    def check_game(self, game: str) -> None:
        """Check that a game exists, any game if empty. Raises ScovilleError."""
        if game:
            self._catalog.find_game(game)

    async def seat_user(self, user: User, game: str, join: JoinCommand, open_table: Open) -> tuple[TableActor, Seat]:
        """Seat a user at a waiting table of `game` (any game if empty), or at a new one. Raises ScovilleError."""
        missed: set[TableId] = set()
        while True:
            actor = self._reserve_seat(user.id, game, missed) or await self._reserve_at_new_table(
                user.id, game, open_table
            )
            try:
                seat = await self._join_with_others(actor, join(actor))
                if seat is not None:
                    return actor, seat
            except ScovilleError as error:
                if error.code not in _MISSED:
                    raise
            finally:
                self._release_seat(actor.table.id, user.id)
            # Never the same again: the search would find it first each time.
            missed.add(actor.table.id)

    async def _join_with_others(self, actor: TableActor, join: Join) -> Seat | None:
        """Seat a user together with all who join that table in this turn; None if there was no seat left."""
        joins = self._joins.setdefault(actor.table.id, [])
        joins.append(join)
        if len(joins) == 1:
            self._joining[actor.table.id] = self._background.start_task(self._join_all(actor))
        done = await self._background.shield_task(self._joining[actor.table.id])
        return done.after.seat_of(join.user)

    async def _join_all(self, actor: TableActor) -> Done:
        """Join in the next turn of the loop, with all who have come until then."""
        # Before the write: users who arrive while it waits for the disk belong to the next one.
        del self._joining[actor.table.id]
        return await actor.carry_out(JoinTogether(joins=tuple(self._joins.pop(actor.table.id))))

    def _reserve_seat(self, user: UserId, game: str, missed: set[TableId]) -> TableActor | None:
        """Reserve a seat at the best table: where the user is seated already, then the fullest, then the oldest."""
        fitting = [
            actor
            for table, actor in self._waiting.items()
            if table not in missed and self._fits_user(actor.table, user, game)
        ]
        actor = min(fitting, key=lambda actor: self._rank_table(actor.table, user), default=None)
        if actor is not None:
            self._reserved.setdefault(actor.table.id, []).append(user)
        return actor

    def _release_seat(self, table: TableId, user: UserId) -> None:
        users = self._reserved[table]
        users.remove(user)
        if not users:
            del self._reserved[table]

    def _is_at(self, table: Table, user: UserId) -> bool:
        """Whether a user has a seat at a table, or another request of theirs is about to take one."""
        return table.seat_of(user) is not None or user in self._reserved.get(table.id, ())

    def _rank_table(self, table: Table, user: UserId) -> tuple[bool, int]:
        return not self._is_at(table, user), -len(table.human_seats) - len(self._reserved.get(table.id, ()))

    def _fits_user(self, table: Table, user: UserId, game: str) -> bool:
        return (
            table.closed is None
            and game in ("", table.opened.game)
            and table.admits_user(user)
            and (len(table.free_seats) > len(self._reserved.get(table.id, ())) or self._is_at(table, user))
        )

    async def _reserve_at_new_table(self, user: UserId, game: str, open_table: Open) -> TableActor:
        """Wait for a table that another request opens, or open one. Raises ScovilleError."""
        opening = next((opening for opening in self._openings if opening.takes_user(user, game)), None)
        if opening is None:
            return await self._wait_for(self._begin_to_open(game, open_table), user)
        try:
            return await self._wait_for(opening, user)
        except ScovilleError:
            # The other user may not open one; this one may.
            return await self._wait_for(self._begin_to_open(game, open_table), user)

    def _begin_to_open(self, game: str, open_table: Open) -> _Opening:
        request = self._factory.request_for_anybody(game or self._catalog.list_slugs()[0])
        opening = _Opening(request)
        self._openings[opening] = self._background.start_task(self._open_table(opening, open_table(request)))
        return opening

    async def _wait_for(self, opening: _Opening, user: UserId) -> TableActor:
        opening.users.append(user)
        task = self._openings[opening]
        try:
            return await self._background.shield_task(task)
        except asyncio.CancelledError:
            # The connection is lost; the table is for the others.
            if opening in self._openings:
                opening.users.remove(user)
            # The user has given up when the table was already open.
            elif task.done() and task.exception() is None:
                self._release_seat(task.result().table.id, user)
            raise

    async def _open_table(self, opening: _Opening, opened: Awaitable[TableActor]) -> TableActor:
        """Open a table, and reserve its seats in the turn in which others can find it."""
        # The users of this turn are saved with the table, and not by a commit of their own.
        await asyncio.sleep(0)
        try:
            actor = await opened
        finally:
            del self._openings[opening]
        if opening.users:
            self._reserved.setdefault(actor.table.id, []).extend(opening.users)
        return actor
