"""Losses of the engine that leave no hole: the newest messages of subjects, which this node has seen before."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol

from scoville_server.background.tasks import let_others_run
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.engine import KEEP_DELETED_SECONDS, MOST_IN_BATCH, Engine
from scoville_server.journal.jetstream.messages import (
    EPOCH,
    Chain,
    row_of,
    subject_of_row,
    subject_of_table,
    table_of,
)
from scoville_server.journal.jetstream.seen_file import SEEN, Seen, SeenFile
from scoville_shared.ids import TableId

_ATTEMPTS: Final = 8
"""How often the replicas are asked for messages that one of them lacks: chance decides which of them answers."""


_LISTED_AT_ONCE: Final = 500
"""Rows that are listed in one turn of the loop, which that must not hold."""


class Copy(Protocol):
    """A node's copy of the engine's rows."""

    @property
    def is_empty(self) -> bool:
        """Whether the engine has nothing of a cluster, not even a node."""

    def sequence_of(self, subject: str) -> int:
        """Return the newest sequence of a subject, 0 for none."""

    @property
    def epoch_sequence(self) -> int:
        """The sequence of the newest epoch, 0 for none."""

    def copy_rows(self) -> Mapping[str, Sequence[tuple[str, tuple[int, int, bytes]]]]:
        """Return the keys of all books, each with the birth, the sequence and the value of its row."""


class SeenEnds:
    """The newest message of each table and row that a node has seen, also before it was started.

    Args:
        engine: The engine.
        seen_file: Where that is noted.

    Attributes:
        counts: How many messages the engine must have of each table that this node has read, or written to.
        find_holes: Looks in the engine whether it does; set by what can mend them.
    """

    def __init__(self, engine: Engine, seen_file: SeenFile) -> None:
        self.counts: dict[TableId, int] = {}
        self.find_holes: Callable[[], Awaitable[list[TableId]]] = _find_nothing
        self._engine = engine
        self._seen_file = seen_file
        self._tables: dict[TableId, tuple[int, float]] = {}
        """The newest sequence of each table, and when this node has heard of it."""
        self._lost: dict[TableId, int] = {}
        """The tables whose newest messages are lost, with the sequence that this node has seen."""
        self._is_compared = False
        self._lost_rows: dict[str, int] = {}
        """The same for the subjects of rows, until the host has accepted it."""

    def forget_all(self) -> None:
        """Forget everything: the whole engine is about to be read again."""
        self._tables.clear()
        self.counts.clear()
        self._lost.clear()
        self._lost_rows.clear()
        self._is_compared = False

    def note_table(self, table: TableId, sequence: int) -> None:
        """Note the newest message of a table."""
        self._tables[table] = sequence, self._engine.clock.seconds()

    def note_append(self, table: TableId, sequence: int, *, is_first: bool) -> None:
        """Note a message that this node has written, `is_first` if it has replaced all others, or there was none."""
        self.note_table(table, sequence)
        if is_first:
            self.counts[table] = 1
        elif table in self.counts:
            self.counts[table] += 1

    def forget_table(self, table: TableId) -> None:
        """Forget a table that was deleted."""
        self._tables.pop(table, None)
        self.counts.pop(table, None)

    def note_chain(self, chain: Chain) -> None:
        """Note a table as it was read, and give it a fault if its newest messages are lost."""
        self.counts[chain.table] = chain.messages
        if not chain.fault and chain.mark.sequence < self._lost.get(chain.table, 0):
            chain.fault = f"its newest records, after its record {chain.mark.records}, are missing"

    def accept_rows(self) -> None:
        """Go on without the lost rows: a node begins to serve, so they protect nobody, or its host has said so."""
        self._lost_rows.clear()

    async def find_losses(self, copy: Copy, filled_at: int) -> tuple[list[tuple[str, str]], list[str]]:
        """Compare the copy of the engine with the sequences that this node has noted.

        Returns the lost rows by book and key, and a sentence for each table that is lost as a whole. Raises
        JournalError if all of it is gone, NoAnswer.
        """
        seen = self._seen_file.read_seen()
        lost = {} if seen is None else await find_losses(self._engine, copy, seen, filled_at)
        rows, reasons = [], []
        for subject, sequence in lost.items():
            table, row = table_of(subject), row_of(subject)
            if row is not None:
                rows.append(row)
                self._lost_rows[subject] = sequence
            elif table is None:
                raise emptied_engine_error()
            elif copy.sequence_of(subject):
                self._lost[table] = sequence
            else:
                reasons.append(f"Table {table} is lost: the engine of the cluster has nothing of it any more.")
        self._is_compared = True
        return rows, reasons

    async def note_seen(self, copy: Copy, *, at_once: bool = False) -> None:
        """Write the sequences that this node has seen to its file, if that is due."""
        if self._is_compared and (self._seen_file.is_due or at_once):
            # Of tables heard of earlier this node may have missed the deletion, which the engine forgets in a day.
            since = self._engine.clock.seconds() - KEEP_DELETED_SECONDS / 2
            tables = {subject_of_table(table): at for table, (at, heard) in self._tables.items() if heard >= since}
            # Losses stay noted: a node that is not used, or only waits, must not take the rest for the whole.
            lost = {subject_of_table(table): sequence for table, sequence in self._lost.items()}
            seen = {**await _list_rows(copy), **tables, **lost, **self._lost_rows}
            await self._seen_file.write_seen(self._engine.made_at, seen)


async def _find_nothing() -> list[TableId]:
    return []


async def _list_rows(copy: Copy) -> dict[str, int]:
    """List the subjects of rows with their sequences, and that of the epoch, a portion at a time."""
    listed = {EPOCH: copy.epoch_sequence} if copy.epoch_sequence else {}
    # Rows may change between two portions, which does no harm: sequences only grow, and deletions leave marks.
    for book, rows in copy.copy_rows().items():
        for start in range(0, len(rows), _LISTED_AT_ONCE):
            portion = rows[start : start + _LISTED_AT_ONCE]
            listed.update((subject_of_row(book, key), row[1]) for key, row in portion)
            await let_others_run()
    return listed


async def find_losses(engine: Engine, copy: Copy, seen: Seen, filled_at: int) -> Mapping[str, int]:
    """Return the subjects whose newest messages no replica has any more, with the sequences that this node has seen.

    Raises JournalError if the engine has nothing at all any more, NoAnswer.

    Args:
        engine: The engine.
        copy: The node's copy.
        seen: The sequences that this node has noted.
        filled_at: The sequence at which a copy into the cluster has ended, 0 for none.
    """
    if seen.sequences and copy.is_empty:
        raise emptied_engine_error()
    # Another stream, or one emptied and filled with a copy since: what this node saw before counts no more.
    if seen.stream != engine.made_at or filled_at > seen.newest:
        return {}
    age = engine.clock.date_ms() - seen.at_ms
    # For a day the engine remembers that something was deleted.
    is_recent = 0 <= age < KEEP_DELETED_SECONDS * 1000 / 2
    lost = {subject: at for subject, at in seen.sequences.items() if copy.sequence_of(subject) < at}
    for _ in range(_ATTEMPTS):
        subjects = [*lost]
        for start in range(0, len(subjects), MOST_IN_BATCH):
            portion = subjects[start : start + MOST_IN_BATCH]
            found = await engine.read_last(portion)
            for subject in portion:
                if (subject in found and found[subject].sequence >= lost[subject]) or (
                    subject not in found and not is_recent
                ):
                    del lost[subject]
    return lost


def emptied_engine_error() -> JournalError:
    """Return why a node does not use an engine that has less than it had."""
    return JournalError(
        "The engine of the cluster has lost what this node has seen in it: it was emptied, or its servers came back "
        "with an old copy. Stop the nodes, and bring the stores of the NATS servers back, or fill an empty cluster "
        f"with copy-to-cluster. To go on with what is there, delete {SEEN} in the data folder of each node."
    )


def row_lost(book: str, key: str) -> JournalError:
    """Return that a row is gone, or older than it was."""
    return JournalError(f"The row {key} of the book {book} is lost in the engine, or older than this node has seen it.")
