"""The registry of tables: opens, restores, archives and removes them, and notifies observers."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Clock
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import shutting_down
from scoville_server.journal.base import START, Journal, Mark
from scoville_server.net.service import Peer
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.bots import Ask, no_answer
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_server.tables.record_log import pack
from scoville_server.tables.server_commands import Commands
from scoville_server.tables.state_machine import fold
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


Keeper = Callable[[Table], Awaitable[bool]]
"""Finishes with a table that is over; returns whether its records may be deleted."""

NetworksOf = Callable[[TableId], Sequence[str]]
"""Returns the networks that opened a table, the narrowest first; none after a restart."""


class TableRegistry:
    """The tables of the server: `lobby` finds them, `commands` sends the server's own commands to them.

    Args:
        nodes: Finds tables and users, whichever node has them, and decides which tables this one serves.
        catalog: The games.
        journal: Where the records of the tables are kept.
        archive: Where finished games are filed; None keeps none.
        background: Runs the deletion of records.
        clock: The source of each table's time.
        inbox: Most commands that wait at one table.
        ask: Has the questions of searching bots answered.
    """

    def __init__(
        self,
        nodes: Nodes[TableActor],
        catalog: GameCatalog,
        journal: Journal,
        archive: Archive | None,
        background: BackgroundTasks,
        clock: Clock,
        inbox: int,
        ask: Ask = no_answer,
    ) -> None:
        self.lobby = nodes.tables
        self._ownership = nodes.ownership
        self._is_here = nodes.connections.is_here
        self.commands = Commands(self.lobby, self.delay, clock)
        self._observers: tuple[TableObserver, ...] = ()
        self._keepers: tuple[Keeper, ...] = ()
        self._networks: NetworksOf = lambda _: ()
        self._catalog = catalog
        self._journal = journal
        self._archive = archive
        self._background = background
        self.clock = clock
        self._inbox = inbox
        self._ask = ask
        self._filed: dict[TableId, Awaitable[bool]] = {}
        self._unfiled: dict[TableId, Mark] = {}
        """The marks of removed tables whose games could not be archived yet."""
        self._closing = False

    def connect(self, observers: Sequence[TableObserver], keepers: Sequence[Keeper], networks: NetworksOf) -> None:
        """Connect the services that depend on the registry; once, before the first table.

        Args:
            observers: Called for every table, in this order.
            keepers: Decide, once they are done with a finished table, whether its records may be deleted.
            networks: Returns the networks that opened a table.
        """
        assert not self._observers, "the registry is connected once"
        self._observers = tuple(observers)
        self._keepers = tuple(keepers)
        self._networks = networks

    def restore(self, tables: Iterable[Table], marks: Mapping[TableId, Mark], alive_ms: int | None = None) -> None:
        """Add the stored tables.

        Args:
            tables: The tables as their records make them.
            marks: The mark of each table's newest record.
            alive_ms: When the former run was last known to be alive, in milliseconds since 1970.
        """
        for table in tables:
            self._set_up(table, marks[table.id], alive_ms)

    async def open(self, records: Sequence[Record]) -> TableActor:
        """Open a table from its first records, which are journaled before anybody is notified. Raises ScovilleError."""
        if self._closing:
            raise shutting_down()
        table = fold(records, self._catalog.game)
        mark = await self._journal.append(table.id, [pack(record) for record in records], START)
        if self._closing:
            raise shutting_down()
        return self._set_up(table, mark)

    def delay(self) -> BackOff:
        """Return a new back-off for writes that the disk may refuse."""
        return self._background.new_back_off()

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
        self._ownership.release(actor.table.id)
        # Released first: nobody finds the table any more, so no command comes after the last one.
        actor.stop(retire=True)
        for observer in self._observers:
            observer.cleared(actor)
        self._background.insist(lambda: self._retire(actor))

    def altered(self, actor: TableActor) -> None:
        """Notify the observers of a change that is no event."""
        for observer in self._observers:
            observer.altered(actor)

    def close(self) -> None:
        """Open no more tables, and let all actors end after the commands they have accepted."""
        self._closing = True
        self.commands.close()
        if self._archive is not None:
            self._archive.close()
        for actor in self.lobby.all():
            actor.stop()
            self._background.do(actor.ended())

    def _set_up(self, table: Table, mark: Mark, alive_ms: int | None = None) -> TableActor:
        actor = TableActor(
            table,
            self._journal,
            mark,
            is_here=self._is_here,
            changed=self._changed,
            inbox=self._inbox,
            now=self.clock.steady(table.latest_ms),
            audience_changed=self.altered,
            delay=self.delay(),
            ask=self._ask,
        )
        self._ownership.claim(table.id, actor)
        for observer in self._observers:
            observer.opened(actor)
        if table.status == "finished":
            self._file(table)
        # A command like all others: the time that a restart took is a fact of the table, so it is a record.
        self.commands.insist(table.id, Restart(alive_ms=alive_ms))
        if _over(table):
            self.clear(actor)
        return actor

    def _changed(self, actor: TableActor, done: Done) -> None:
        for observer in self._observers:
            observer.changed(actor, done)
        if done.after.status == "finished" != done.before.status:
            self._file(done.after)
        if _over(done.after):
            self.clear(actor)

    def _file(self, table: Table) -> None:
        """Archive a finished game; its records stay until that has succeeded."""
        if self._archive is not None:
            # The records go only when the file is safe: a crash between the two leaves both, and loses nothing.
            self._filed[table.id] = self._archive.save(table, self._networks(table.id))

    def saved(self, table: Table) -> None:
        """Delete the records of a table that was removed before its game could be archived."""
        self._filed.pop(table.id, None)
        mark = self._unfiled.pop(table.id, None)
        if mark is not None:
            self._background.insist(lambda: self._forget(table, mark))

    async def _retire(self, actor: TableActor) -> None:
        await actor.ended()
        filed = self._filed.get(actor.table.id)
        if filed is None or await filed:
            await self._forget(actor.table, actor.mark)
        else:
            self._unfiled[actor.table.id] = actor.mark
        self._filed.pop(actor.table.id, None)

    async def _forget(self, table: Table, mark: Mark) -> None:
        # A list on purpose: every keeper is asked, also when an earlier one says no.
        if all([await keeper(table) for keeper in self._keepers]):
            await self._journal.retire(table.id, mark)


def _over(table: Table) -> bool:
    """Whether to remove a table. A default table stays when all players have left."""
    waiting = table.status == "waiting" and table.closed is None
    waits_on = table.opened.user == SERVER_USER and waiting
    return table.over and not waits_on
