"""The registry of tables: opens, restores, archives and removes them, and notifies observers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from scoville_server.background.retry import RetryDelay
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.clock import Clock
from scoville_server.config import Settings
from scoville_server.journal.base import Journal
from scoville_server.journal.files.generations import GAMES
from scoville_server.net.service import Peer
from scoville_server.tables.actor import Done, TableActor, shutting_down
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.directory import TableDirectory
from scoville_server.tables.model.commands import Reopen
from scoville_server.tables.model.evolve import fold
from scoville_server.tables.model.project import IsHere
from scoville_server.tables.model.records import AnyRecord
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_server.tables.server_commands import Commands
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId

_log = logging.getLogger(__name__)


class TableObserver:
    """Observes all tables; called after the watchers were notified. It may send commands to tables, but never wait."""

    def opened(self, actor: TableActor) -> None:
        """A table was opened or restored."""

    def changed(self, actor: TableActor, done: Done) -> None:
        """A table has changed."""

    def cleared(self, actor: TableActor) -> None:
        """A table was removed."""

    def altered(self, actor: TableActor) -> None:
        """The spectators or the connected players of a table have changed."""


class TableRegistry:
    """The tables of the server.

    `lobby` finds tables, `observers` are called for all of them in this order, `commands` sends the server's own
    commands. `keepers` decide, once they are done with a finished table, whether its records may be deleted.
    """

    def __init__(
        self,
        settings: Settings,
        catalog: GameCatalog,
        journal: Journal,
        is_here: IsHere,
        background: BackgroundTasks,
        clock: Clock | None = None,
    ) -> None:
        self._settings = settings
        self.lobby: TableDirectory[TableActor] = TableDirectory(settings.tables, settings.tables_opened)
        self.commands = Commands(self.lobby, self.delay)
        self.observers: list[TableObserver] = []
        self.keepers: list[Callable[[Table], Awaitable[bool]]] = []
        self._catalog = catalog
        self._journal = journal
        self._is_here = is_here
        self._background = background
        self._clock = clock or Clock()
        self.networks: Callable[[TableId], Sequence[str]] = lambda _: ()
        self.archive = None if settings.data is None else self._archive(settings.data)
        self._filed: dict[TableId, asyncio.Task[bool]] = {}
        self._closing = False

    def _archive(self, data: Path) -> Archive:
        archive = Archive(data / GAMES, self._settings.games, self._journal, self._background, self.delay())
        archive.needed = self.lobby.__contains__
        archive.saved = self._saved
        return archive

    def restore(self, tables: Iterable[Table], alive_ms: int | None = None) -> None:
        """Add the stored tables; the former run was last known to be alive at `alive_ms` (milliseconds since 1970)."""
        for table in tables:
            self._set_up(table, alive_ms)

    async def open(self, records: Sequence[AnyRecord]) -> TableActor:
        """Open a table from its first records, which are journaled before anybody is notified. Raises ScovilleError."""
        if self._closing:
            raise shutting_down()
        table = fold(records, self._catalog.game)
        await self._journal.append(table.id, records)
        if self._closing:
            raise shutting_down()
        return self._set_up(table)

    def delay(self) -> RetryDelay:
        """Return a new back-off for writes that the disk may refuse."""
        return RetryDelay(self._settings.retries)

    def unwatch(self, table: str, peer: Peer) -> None:
        """Stop sending a table's events to a connection, if the table still exists."""
        try:
            self.lobby.find(table).unwatch(peer)
        except ScovilleError as error:
            _log.debug("table %s: %s", table, error.message)

    def clear(self, actor: TableActor) -> None:
        """Remove a table; commands in its inbox are still answered."""
        if actor.table.id not in self.lobby:
            return
        self.lobby.remove(actor.table.id)
        actor.stop(retire=True)
        for follower in self.observers:
            follower.cleared(actor)
        self._background.insist(lambda: self._retire(actor), self.delay())

    def altered(self, actor: TableActor) -> None:
        """Notify the observers of a change that is no event."""
        for follower in self.observers:
            follower.altered(actor)

    def close(self) -> None:
        """Open no more tables, and let all actors end after the commands they have accepted."""
        self._closing = True
        self.commands.close()
        if self.archive is not None:
            self.archive.close()
        for actor in self.lobby.all():
            actor.stop()
            self._background.do(actor.ended())

    def _set_up(self, table: Table, alive_ms: int | None = None) -> TableActor:
        actor = TableActor(
            table,
            self._journal,
            is_here=self._is_here,
            changed=self._changed,
            inbox=self._settings.inbox,
            now=self._clock.steady(table.latest_ms),
            audience_changed=self.altered,
            delay=self.delay(),
        )
        self.lobby.add(actor)
        for follower in self.observers:
            follower.opened(actor)
        if table.status == "finished":
            self._file(table)
        self.commands.insist(table.id, Reopen(alive_ms=alive_ms))
        if _over(table):
            self.clear(actor)
        return actor

    def _changed(self, actor: TableActor, done: Done) -> None:
        for follower in self.observers:
            follower.changed(actor, done)
        if done.after.status == "finished" != done.before.status:
            self._file(done.after)
        if _over(done.after):
            self.clear(actor)

    def _file(self, table: Table) -> None:
        """Archive a finished game; its records stay until that has succeeded."""
        if self.archive is not None:
            self._filed[table.id] = self.archive.save(table, self.networks(table.id))

    def _saved(self, table: Table) -> None:
        """Delete the records of a table that was removed before its game could be archived."""
        if table.id not in self.lobby:
            self._background.insist(lambda: self._forget(table), self.delay())

    async def _retire(self, actor: TableActor) -> None:
        await actor.ended()
        filed = self._filed.get(actor.table.id)
        if filed is None or await filed:
            await self._forget(actor.table)
        self._filed.pop(actor.table.id, None)

    async def _forget(self, table: Table) -> None:
        if all([await keeper(table) for keeper in self.keepers]):
            await self._journal.retire(table.id)


def _over(table: Table) -> bool:
    """Whether to remove a table. A default table stays when all players have left, unless somebody was kicked there."""
    waiting = table.status == "waiting" and table.closed is None
    waits_on = table.opened.person == SERVER_USER and waiting and not table.kicked
    return table.over and not waits_on
