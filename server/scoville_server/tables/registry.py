"""The registry of tables: opens, restores and removes them, and sends them the server's own commands."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Alarm
from scoville_server.background.eventual import Pending
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import shutting_down
from scoville_server.journal.base import Mark
from scoville_server.net.peer import Peer
from scoville_server.nodes.nodes import Nodes
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.restart import Adopted, Restart
from scoville_server.tables.actor import Done, SteadyTime, TableActor, TableRuntime
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.action import Command, Refused
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_server.tables.observers import Change, TableObserver, TableObservers
from scoville_server.tables.state_machine import restore_table
from scoville_server.tables.storage import TableStorage
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId

_log = logging.getLogger(__name__)

_RESTART: Final = Restart()
"""Of a table that this server has opened, or of which nobody knows when its server ended."""


class TableRegistry:
    """The tables of the server: `tables` finds them, `commands` sends the server's own commands to them.

    `codes` and the `directory` are those of all nodes.

    Args:
        nodes: Finds tables and users, whichever node has them, and decides which tables this one serves.
        catalog: The games.
        storage: Where the tables are kept.
        runtime: The runtime of the tables' actors.
        background: Waits for the end of actors.
    """

    def __init__(
        self,
        nodes: Nodes[TableActor],
        catalog: GameCatalog,
        storage: TableStorage,
        runtime: TableRuntime,
        background: BackgroundTasks,
    ) -> None:
        self.tables, self.codes, self.directory = nodes.tables, nodes.codes, nodes.directory
        self.commands = ServerCommands(self.tables, runtime)
        self.observers = TableObservers(_EndedTables(self, storage))
        self.clock, self.find_game = runtime.clock, catalog.find_game
        self.new_back_off = runtime.new_back_off
        self.count_elsewhere: Callable[[UserId], int] = lambda _: 0
        self._ownership = nodes.ownership
        self._catalog = catalog
        self._storage = storage
        self._runtime = runtime
        self._background = background
        self._closing = False
        self._moving: list[TableActor] = []

    def restore_tables(
        self,
        tables: Iterable[Table],
        marks: Mapping[TableId, Mark],
        find_alive_ms: Callable[[int], int | None] = lambda _: None,
    ) -> None:
        """Add the stored tables.

        Args:
            tables: The tables as their records make them.
            marks: The mark of each table's newest record.
            find_alive_ms: Returns when the owner of an epoch, 0 for a server alone, was last known to be alive, in
                milliseconds since 1970.
        """
        for table in tables:
            epoch = 0 if table.owner is None else table.owner.epoch
            self._set_up(table, marks[table.id], Restart(alive_ms=find_alive_ms(epoch)))

    async def open_table(self, records: Sequence[Record]) -> TableActor:
        """Open a table from its first records, which are journaled before anybody is notified. Raises ScovilleError."""
        if self._closing:
            raise shutting_down()
        owner = self._ownership.owner
        if owner is not None:
            records = (*records, Adopted(at_ms=records[-1].at_ms, owner=owner))
        table = restore_table(records, self._catalog.find_game)
        # A server that ends waits: written commands must be answered.
        with self._background.stay_open():
            mark = await self._storage.write_first_records(table.id, records)
            actor = self._set_up(table, mark)
            # The server may have begun to end during the write, after `close_tables` had listed the tables.
            self._end_if_closing(actor)
        return actor

    @property
    def is_closing(self) -> bool:
        """Whether this node takes no more tables."""
        return self._closing

    def take_over_table(self, table: Table, mark: Mark, alive_ms: int | None = None, *, was_held: bool = False) -> None:
        """Serve a table whose owner runs no more, or hands it over, which it has served until `alive_ms`.

        One that its owner holds goes on as if nothing had happened. Whether this node serves it is decided by the
        append of its adoption.
        """
        if not self._closing and table.id not in self.tables:
            # The clock of the other node may be ahead.
            time = SteadyTime(self.clock, max(table.latest_ms, alive_ms or 0), goes_on=was_held)
            self._set_up(table, mark, Restart(alive_ms=alive_ms, was_held=was_held), time)

    def unwatch_table(self, table: str, peer: Peer) -> None:
        """Stop sending a table's events to a connection, if the table still exists."""
        try:
            self.tables.find_table(table).watched.remove_watcher(peer)
        except ScovilleError as error:
            _log.debug("table %s: %s", table, error.message)

    def remove_table(self, actor: TableActor) -> None:
        """Remove a table; commands in its inbox are still answered."""
        if actor.table.id not in self.tables:
            return
        self._ownership.release_table(actor.table.id)
        # Released first: nobody finds the table any more, so no command comes after the last one.
        actor.stop_accepting(retire=True)
        self.observers.notify_removed(actor)
        self._storage.retire_table(actor)

    def _forget_moved(self, actor: TableActor, removed: bool) -> None:
        """Forget a table that another node has adopted; its records are that node's to delete."""
        if removed:
            self._ownership.release_table(actor.table.id)
        else:
            self._ownership.note_moved(actor.table.id)
        self._storage.note_adopted_elsewhere()
        self.observers.notify_moved(actor)

    def move_tables(self) -> None:
        """End all actors: another node has taken over everything. Commands under way are still answered."""
        self._closing = True
        self.commands.stop_repeating()
        self._storage.stop_filing()
        # Listed first: a table leaves the directory when it ends, and `wait_for_moved` waits for all of these.
        self._moving = self.tables.all_tables()
        for actor in self._moving:
            actor.end_moved()

    async def wait_for_moved(self) -> None:
        """Wait until the actors of all tables that were moved have ended."""
        for actor in self._moving:
            await actor.wait_for_end()

    def close_tables(self) -> None:
        """Open no more tables, and let all actors end after the commands they have accepted."""
        self._closing = True
        self.commands.stop_repeating()
        self._storage.stop_filing()
        for actor in self.tables.all_tables():
            self._end_if_closing(actor)

    def close_tables_of(self, game: str, reason: str) -> None:
        """Close the unfinished tables of a game that is called no more, in a later turn of the loop."""
        for actor in self.tables.all_tables():
            table = actor.table
            if table.opened.game == game and table.status != "finished" and table.closed is None:
                self.commands.send_until_answered(table.id, Close(reason=reason, cause="game_failed"))

    def _end_if_closing(self, actor: TableActor) -> None:
        if self._closing:
            actor.stop_accepting()
            self._background.start_task(actor.wait_for_end())

    def _set_up(
        self, table: Table, mark: Mark, restart: Restart = _RESTART, time: SteadyTime | None = None
    ) -> TableActor:
        log = self._storage.open_log(table.id, mark)
        actor = TableActor(table, log, self._runtime, self.observers, self._forget_moved, time)
        # Before its observers are notified: they send commands to the table, by its id.
        self._ownership.claim_table(table.id, actor)
        self.observers.notify_opened(actor)
        # The former run may have ended before the game was filed, and before the table was removed.
        if table.status == "finished":
            self._storage.file_game(table)
        # A command like all others: the time that a restart took is a fact of the table, so it is a record.
        restart = replace(restart, owner=self._ownership.owner)
        if actor.watched.awaits_adoption:
            announce = partial(self._ownership.announce_table, table.id)
            self.commands.send_until_answered(table.id, restart, settled=announce)
        else:
            self._ownership.announce_table(table.id)
            self.commands.send_until_answered(table.id, restart)
        if _is_over(table):
            self.remove_table(actor)
        return actor


class _EndedTables(TableObserver):
    """Files games that end, and removes tables that are over: last, since other observers need them before."""

    observed = frozenset({Change.STATUS, Change.SEATS, Change.ADMISSION, Change.SEAL})

    def __init__(self, registry: TableRegistry, storage: TableStorage) -> None:
        self._registry = registry
        self._storage = storage

    def table_changed(self, actor: TableActor, done: Done) -> None:
        before, after = done
        if (after.status == "finished" != before.status) or after.unsealed != before.unsealed:
            self._storage.file_game(after)
        if _is_over(after):
            self._registry.remove_table(actor)


def _is_over(table: Table) -> bool:
    """Whether to remove a table. A default table stays when all players have left."""
    waiting = table.status == "waiting" and table.closed is None
    waits_on = table.opened.user == SERVER_USER and waiting
    return table.is_over and not waits_on


def count_seated(tables: Serving[TableActor]) -> int:
    """Return how many people have a seat at tables."""
    return sum(len(actor.table.human_seats) for actor in tables.all_tables())


def _is_always_wanted() -> bool:
    return True


def _do_nothing() -> None:
    pass


class _Order(NamedTuple):
    table: TableId
    command: Command
    wanted: Callable[[], bool]
    settled: Callable[[], None]
    delay: BackOff


class ServerCommands:
    """Sends commands for which no client waits.

    `send_once` does not repeat: its caller repeats what is still due. `send_until_answered` repeats a command until the
    table has carried it out or refused it by its own rules.
    """

    def __init__(self, tables: Serving[TableActor], runtime: TableRuntime) -> None:
        self._tables = tables
        self._new_back_off = runtime.new_back_off
        self._call_later = runtime.clock.call_later
        self._retries: set[Alarm] = set()
        self._closed = False

    def send_once(self, table: TableId, command: Command) -> None:
        """Send a command once; if the table cannot carry it out now, it is dropped."""
        try:
            self._tables.find_table(table).queue_command(command)
        except ScovilleError as error:
            _log.info("table %s: %s", table, error.message)

    def send_until_answered(
        self,
        table: TableId,
        command: Command,
        wanted: Callable[[], bool] = _is_always_wanted,
        settled: Callable[[], None] = _do_nothing,
    ) -> None:
        """Send a command until the table answers it, as long as it is `wanted`; `settled` gets the answer."""
        self._try_order(_Order(table, command, wanted, settled, self._new_back_off()))

    def stop_repeating(self) -> None:
        self._closed = True
        for retry in self._retries:
            retry.cancel()
        self._retries.clear()

    def _try_order(self, order: _Order) -> None:
        if not order.wanted():
            return
        try:
            answer = self._tables.find_table(order.table).queue_command(order.command)
        except ScovilleError as error:
            _log.info("table %s: %s", order.table, error.message)
            # Every other error is final: the table is gone or has moved, or the server ends.
            if error.code == Code.BUSY:
                self._try_later(order)
        else:
            answer.add_done_callback(partial(self._settle_order, order))

    def _settle_order(self, order: _Order, answer: Pending[Done | Refused]) -> None:
        if answer.cancelled():
            return
        result = answer.result()
        if isinstance(result, Refused) and result.passing:
            self._try_later(order)
        else:
            order.settled()

    def _try_later(self, order: _Order) -> None:
        if self._closed:
            return
        holder: list[Alarm] = []

        def ring() -> None:
            self._retries.discard(holder[0])
            self._try_order(order)

        holder.append(self._call_later(order.delay.next_wait(), ring))
        self._retries.add(holder[0])
