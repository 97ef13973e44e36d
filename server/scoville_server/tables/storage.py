"""Storage of tables: records in the journal, until the finished game is filed, and tables restored from them."""

import gc
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Final, NamedTuple

from msgspec import MsgspecError

from scoville_outside import guard
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import START, Journal, Mark, Shared, StoredTable
from scoville_server.tables.actor import RecordLog, TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.model.records import Created, Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve, pack_record, restore_table, unpack_record
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.games import registry
from scoville_shared.ids import TableId

Keeper = Callable[[Table], Awaitable[bool]]
"""Finishes with a table that is over; returns whether its records may be deleted."""

NetworksOf = Callable[[TableId], Sequence[str]]
"""Returns the networks that opened a table, the narrowest first; none after a restart."""


class TableStorage:
    """Keeps the records of a table until its game is filed and every keeper has finished with it.

    Args:
        journal: Where the records of the tables are kept.
        archive: Where finished games are filed; None keeps none.
        background: Runs the deletion of records.
    """

    def __init__(self, journal: Journal, archive: Archive | None, background: BackgroundTasks) -> None:
        self._journal = journal
        self._archive = archive
        self._background = background
        self._keepers: tuple[Keeper, ...] = ()
        self._networks: NetworksOf = lambda _: ()
        self._filed: dict[TableId, Awaitable[bool]] = {}
        self._unfiled: dict[TableId, Mark] = {}
        """The marks of removed tables whose games could not be archived yet."""

    def connect_keepers(self, keepers: Sequence[Keeper], networks: NetworksOf) -> None:
        """Connect the services that depend on tables; once, before the first one."""
        self._keepers = tuple(keepers)
        self._networks = networks

    async def write_first_records(self, table: TableId, records: Sequence[Record]) -> Mark:
        """Write the first records of a table; returns the mark of the newest. Raises JournalError."""
        return await self._journal.append(table, [pack_record(record) for record in records], START)

    def note_adopted_elsewhere(self) -> None:
        """Look whether another node serves everything by now, since it has adopted a table."""
        if isinstance(self._journal, Shared):
            self._journal.check_epoch_soon()

    def open_log(self, table: TableId, mark: Mark) -> RecordLog:
        """Return the log to which the further records of a table are appended."""
        return RecordLog(self._journal, table, mark)

    def file_game(self, table: Table) -> None:
        """Archive a finished game; its records stay until that has succeeded."""
        # A daily deal keeps its results itself, and that of an evening is kept once all have played it: in the archive
        # players could read the seed.
        if self._archive is not None and (not table.opened.deal or table.unsealed):
            # The records go only when the file is safe: a crash between the two leaves both, and loses nothing.
            self._filed[table.id] = self._archive.save_game(table, self._networks(table.id))

    def note_filed(self, table: Table) -> None:
        """Delete the records of a table that was removed before its game could be archived."""
        self._filed.pop(table.id, None)
        mark = self._unfiled.pop(table.id, None)
        if mark is not None:
            self._background.insist_on_write(lambda: self._delete_records(table, mark))

    def retire_table(self, actor: TableActor) -> None:
        """Delete the records of a removed table when they are not needed any more."""
        self._background.insist_on_write(lambda: self._retire_table(actor))

    def stop_filing(self) -> None:
        """Stop retrying: what could not be filed is still in the journal."""
        if self._archive is not None:
            self._archive.stop_retrying()

    async def _retire_table(self, actor: TableActor) -> None:
        await actor.wait_for_end()
        filed = self._filed.get(actor.table.id)
        if filed is None or await filed:
            await self._delete_records(actor.table, actor.mark)
        else:
            self._unfiled[actor.table.id] = actor.mark
        self._filed.pop(actor.table.id, None)

    async def _delete_records(self, table: Table, mark: Mark) -> None:
        # A list on purpose: every keeper is asked, also when an earlier one says no.
        if all([await keeper(table) for keeper in self._keepers]):
            await self._journal.delete_records(table.id, mark)


_log = logging.getLogger(__name__)

FindGame = Callable[[str], AnyGame]


def restore_tables(
    stored: Mapping[TableId, StoredTable], find_game: FindGame, report_damage: ReportDamage
) -> list[Table]:
    """Restore the stored tables, oldest first; one that fails is reported, and its records stay as they are."""
    found = (_restore_table(table, kept, find_game, report_damage) for table, kept in stored.items())
    return sorted((table for table in found if table is not None), key=lambda table: table.opened.at_ms)


@contextmanager
def pause_garbage_collector() -> Iterator[None]:
    """Pause the garbage collector while tables are read: a collection would take as long as the restoring.

    Whether it looks at them later is the process's own affair: a client may have several servers, one after the other.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _restore_table(
    table: TableId, stored: StoredTable, find_game: FindGame, report_damage: ReportDamage
) -> Table | None:
    try:
        return read_table(stored, find_game)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one table must not keep the others shut
        reason = f"Table {table} cannot be reopened; its records stay in the journal: {error}"
        report_damage(Damage(reason=reason))
        return None


class Ahead(NamedTuple):
    """A table as so many of its first records make it."""

    records: int
    table: Table


_LEFT_OUT: Final = object()
"""The value read ahead for a table that cannot be read: it is not tried again with each record."""


def read_ahead(before: object, packed: Sequence[bytes]) -> object:
    """Read a table on, as a `ReadAhead`; one that cannot be read is left to the node that takes over and reports it.

    So are games of other packages: a node that waits serves nobody, and runs nobody else's code.
    """
    try:
        if isinstance(before, Ahead):
            return Ahead(len(packed), _read_on(before, packed))
        return before or Ahead(len(packed), read_table(StoredTable(packed, START), _find_own_game))
    except Exception:  # noqa: BLE001 - as in `_restore_table`
        return _LEFT_OUT


def _find_own_game(slug: str) -> AnyGame:
    if not registry.is_ours(slug):
        raise LookupError(f"{slug} is of another package")
    return guard.load_game(slug)


def read_table(stored: StoredTable, find_game: FindGame) -> Table:
    """Restore a table. Raises exceptions of its game, and ValueError for other rules or records than this version's."""
    ahead = stored.ahead
    # A server may have another form of the same game, as one that it guards, or none at all.
    if isinstance(ahead, Ahead) and ahead.table.game is find_game(ahead.table.opened.game):
        return _read_on(ahead, stored.records)
    records = [*_unpack_records(stored.records)]
    _check_rules(records[0], find_game)
    return restore_table(records, find_game)


def _read_on(ahead: Ahead, packed: Sequence[bytes]) -> Table:
    return reduce(evolve, _unpack_records(packed[ahead.records :], ahead.records), ahead.table)


def _unpack_records(packed: Sequence[bytes], before: int = 0) -> Iterator[Record]:
    """Decode a table's records after so many. Raises ValueError, naming the first that is none of this version."""
    for n, data in enumerate(packed, before + 1):
        try:
            yield unpack_record(data)
        except (MsgspecError, ValueError) as error:
            raise ValueError(f"its record {n} is not a record of this version of Scoville ({error})") from error


def _check_rules(opened: object, find_game: FindGame) -> None:
    """Raise ValueError for other rules, whose moves would make another game today, and for other options."""
    if isinstance(opened, Created):
        game = find_game(opened.game)
        today = game.info.rules_version
        if opened.rules_version != today:
            raise ValueError(
                f"it was started with version {opened.rules_version} of its rules; this server has version {today}"
            )
        try:
            game.codec.decode_options(opened.options)
        except CodecError as error:
            raise ValueError(f"its record 1 has options that {opened.game} does not have ({error})") from error
