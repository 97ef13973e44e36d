"""Storage of tables: their records in the journal, and the files of finished games, until the records may go."""

from collections.abc import Awaitable, Callable, Sequence

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import START, Journal, Mark
from scoville_server.tables.actor import TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.record_log import RecordLog, pack_record
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

    def open_log(self, table: TableId, mark: Mark) -> RecordLog:
        """Return the log to which the further records of a table are appended."""
        return RecordLog(self._journal, table, mark)

    def file_game(self, table: Table) -> None:
        """Archive a finished game; its records stay until that has succeeded."""
        if self._archive is not None:
            # The records go only when the file is safe: a crash between the two leaves both, and loses nothing.
            self._filed[table.id] = self._archive.save_game(table, self._networks(table.id))

    def note_filed(self, table: Table) -> None:
        """Delete the records of a table that was removed before its game could be archived."""
        self._filed.pop(table.id, None)
        mark = self._unfiled.pop(table.id, None)
        if mark is not None:
            self._background.insist(lambda: self._delete_records(table, mark))

    def retire_table(self, actor: TableActor) -> None:
        """Delete the records of a removed table once nobody needs them any more."""
        self._background.insist(lambda: self._retire_table(actor))

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
            await self._journal.retire(table.id, mark)
