"""A copy of the cluster's journal in memory, which follows the engine."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import (
    ABSENT,
    Change,
    JournalError,
    ReadAhead,
    Row,
    StoredTable,
    StoredTables,
    StoredUser,
)
from scoville_server.journal.jetstream.engine import (
    KEEP_DELETED_SECONDS,
    MOST_IN_BATCH,
    RETRY_SECONDS,
    Engine,
    Incoming,
    NoAnswer,
    Outgoing,
)
from scoville_server.journal.jetstream.losses import SeenEnds, row_lost
from scoville_server.journal.jetstream.messages import (
    EPOCH,
    LANES,
    ROWS,
    TABLES,
    Chain,
    EpochMessage,
    make_row_message,
    read_row_message,
    row_at,
    row_of,
    sequence_of,
    subject_of_lane,
    subject_of_row,
    subject_of_table,
    table_of,
)
from scoville_server.journal.jetstream.seen_file import SeenFile
from scoville_shared.ids import TableId

USERS: Final = "users"
"""The book of the users: a row of it is a `StoredUser`."""
CLUSTER: Final = "cluster"
"""The book of what the journal itself notes."""
ALIVE: Final = "alive"
"""The key of its row of who was alive when: an `Alive`."""
COPYING: Final = "copying"
"""The key of the row that marks a cluster as one that is being filled."""
EPOCH_BEFORE: Final = "epoch before"
"""The key of its row of the newest epoch that tables know which were copied into the cluster."""

MOST_DELETED: Final = 10_000
"""Deletions that a node remembers: one that serves for years must not grow with each table that ends."""

_LANES: Final = frozenset(subject_of_lane(lane) for lane in range(LANES))
_ATTEMPTS: Final = 8
"""How often the replicas are asked for a row that one of them lacks: chance decides which of them answers."""
_SETTLE_SECONDS: Final = 1.0
_AHEAD_SECONDS: Final = 0.02
"""How long tables are read ahead after each look at the engine: users who ask a waiting node the way wait so long."""

OnRow = Callable[[str, str, Row | None], object]


class Alive(Struct, frozen=True, array_like=True):
    """When a serving node was alive, by its own clock, in milliseconds since 1970; epoch 0 is a server alone."""

    epoch: int
    at_ms: int


class _TablesAhead:
    """Reads tables on as their records come: a node that takes over would play all of their games again."""

    def __init__(self, read_ahead: ReadAhead, seconds: Callable[[], float]) -> None:
        self._read_ahead = read_ahead
        self._seconds = seconds
        self._tables: dict[TableId, None] = {}

    def note_records(self, table: TableId) -> None:
        """Note that a table has more records."""
        self._tables[table] = None

    @property
    def is_behind(self) -> bool:
        """Whether tables are left that have more records."""
        return bool(self._tables)

    def read_some(self, chains: Mapping[TableId, Chain]) -> None:
        """Read tables on for a moment."""
        until = self._seconds() + _AHEAD_SECONDS
        while self._tables and self._seconds() < until:
            table, _ = self._tables.popitem()
            chain = chains.get(table)
            if chain is not None and not chain.fault:
                chain.ahead = self._read_ahead(chain.ahead, chain.records)


class Mirror:
    """A copy of the engine's content, as far as it was read.

    Attributes:
        on_row: Is called for each row that changes, once the mirror is complete for the first time.
        epoch: Which node serves; None before the first one.
        epoch_sequence: The sequence of that message, 0 for none.
        followed: The sequence up to which `follow_rows` has read.
        ends: Sequences that this node has seen, and that the engine may have lost since.
    """

    def __init__(
        self,
        engine: Engine,
        report_damage: ReportDamage,
        clock: Clock = SYSTEM,
        seen_file: SeenFile | None = None,
        read_ahead: ReadAhead = lambda _, __: None,
    ) -> None:
        self._engine = engine
        self._report_damage = report_damage
        self._ahead = _TablesAhead(read_ahead, clock.seconds)
        self.ends = SeenEnds(engine, seen_file or SeenFile(clock))
        self._seconds = clock.seconds
        self._sleep = clock.sleep
        self.on_row: OnRow = lambda _book, _key, _row: None
        self.deleted: dict[str, int] = {}
        """The sequences of messages that say that something was deleted, by subject."""
        self._forget_all()

    def _forget_all(self) -> None:
        self._tables: dict[TableId, Chain] = {}
        self._rows: defaultdict[str, dict[str, tuple[int, int, bytes]]] = defaultdict(dict)
        """By book and key the birth, the sequence and the value of each row."""
        self.deleted.clear()
        self.ends.forget_all()
        self.epoch: EpochMessage | None = None
        self.epoch_sequence = 0
        self._epoch_message = b""
        self._lanes: dict[str, tuple[int, bytes]] = {}
        """The newest message of each fence: its sequence, and the message of its epoch."""
        self._sequence = self.followed = 0
        self._is_compared = False
        """Whether the rows were compared with those of the leader since everything was read."""
        self._births = 0
        self._read_at = self._seconds()
        self._spoilt: dict[tuple[str, str], JournalError] = {}

    async def catch_up(self, to: int = 0) -> None:
        """Read the messages kept by the engine since the last time, at least up to a sequence. Raises NoAnswer."""
        if self._seconds() - self._read_at > KEEP_DELETED_SECONDS / 2:
            # The engine may have forgotten by now that something was deleted.
            self._forget_all()
        # For five seconds: a replica may be behind the message up to which is to be read.
        attempts = 100
        while True:
            async for message in self._engine.read_from(self._sequence + 1):
                self._take_message(message)
            self._read_at = self._seconds()
            if self._sequence >= to:
                if not self._is_compared:
                    await self._read_missing_rows()
                    await self._find_losses()
                    self._is_compared = True
                await self.ends.note_seen(self)
                self._ahead.read_some(self._tables)
                return
            attempts -= 1
            if not attempts:
                raise NoAnswer
            await self._sleep(RETRY_SECONDS)

    async def follow_rows(self) -> None:
        """Read the rows that others have written since the last time; a writer notes its own. Raises NoAnswer.

        For a node that serves: it has let the tables go, and reads each of them when somebody else has changed it.
        """
        start = max(self._sequence, self.followed) + 1
        async for subject, sequence, payload in self._engine.read_from(start, ROWS):
            self.followed = sequence
            place = _place_of(subject)
            if self.is_newer(*place, sequence):
                self._take_row(*place, subject, sequence, payload)
        await self.ends.note_seen(self)

    def is_newer(self, book: str, key: str, sequence: int) -> bool:
        """Whether a message about a row is newer than what is known: others write between a write and its answer."""
        known = self._rows[book].get(key)
        return sequence > (self.deleted.get(subject_of_row(book, key), 0) if known is None else known[1])

    async def _read_missing_rows(self) -> None:
        """Read the rows that the leader has and this mirror lacks: the replica that has answered may have lost them.

        Raises NoAnswer.
        """
        if self._engine.replicas > 1 and self._sequence:
            missing = [each for each in await self._engine.count_messages(ROWS) if not self._knows_row(each)]
            for _ in range(_ATTEMPTS if missing else 0):
                found: dict[str, Incoming] = {}
                for start in range(0, len(missing), MOST_IN_BATCH):
                    found |= await self._engine.read_last(missing[start : start + MOST_IN_BATCH])
                for subject in found.keys() & {*missing}:
                    self._take_row(*_place_of(subject), subject, found[subject].sequence, found[subject].payload)
                missing = [each for each in missing if each not in found]

    async def _find_losses(self) -> None:
        """Compare the engine's messages with those seen here. Raises JournalError if the engine has none."""
        rows, reasons = await self.ends.find_losses(self, self.sequence_of(subject_of_row(CLUSTER, COPYING)))
        for book, key in rows:
            self._spoilt[book, key] = row_lost(book, key)
        for chain in self._tables.values():
            self.ends.note_chain(chain)
        for reason in reasons:
            self._report_damage(Damage(path=self._engine.place.name, reason=reason))

    def copy_rows(self) -> dict[str, list[tuple[str, tuple[int, int, bytes]]]]:
        """Return the keys of all books, each with the birth, the sequence and the value of its row."""
        return {book: [*rows.items()] for book, rows in self._rows.items()}

    def sequence_of(self, subject: str) -> int:
        """Return the newest sequence of a subject as it was read, 0 for none."""
        table, row = table_of(subject), row_of(subject)
        if table in self._tables:
            return self._tables[table].mark.sequence
        known = self._rows[row[0]].get(row[1]) if row is not None else None
        return self.deleted.get(subject, 0) if known is None else known[1]

    def _knows_row(self, subject: str) -> bool:
        place = book, key = _place_of(subject)
        return key in self._rows[book] or subject in self.deleted or place in self._spoilt

    def _take_message(self, message: Incoming) -> None:
        subject, sequence, payload = message
        self._sequence = sequence
        if subject == EPOCH:
            self.epoch, self.epoch_sequence = msgspec.msgpack.decode(payload, type=EpochMessage), sequence
            self._epoch_message = payload
        elif subject in _LANES:
            self._lanes[subject] = sequence, payload
        elif (table := table_of(subject)) is not None:
            if payload:
                self.deleted.pop(subject, None)
                self._tables.setdefault(table, Chain(table)).take_message(sequence, payload)
                self.ends.note_table(table, sequence)
                self._ahead.note_records(table)
            else:
                self._tables.pop(table, None)
                self.note_deleted(subject, sequence)
        elif (row := row_of(subject)) is not None:
            self._take_row(*row, subject, sequence, payload)

    def _take_row(self, book: str, key: str, subject: str, sequence: int, payload: bytes) -> None:
        try:
            message = read_row_message(book, key, payload)
        except JournalError as error:
            self._spoilt[book, key] = error
            return
        self._spoilt.pop((book, key), None)
        self.note_row(book, key, subject, sequence, message.birth, message.value)
        self.on_row(book, key, None if message.value is None else row_at(sequence, message.value))

    def note_row(self, book: str, key: str, subject: str, sequence: int, birth: int, value: bytes | None) -> None:
        """Note a row as it is now; None for a deleted one."""
        if value is None:
            self._rows[book].pop(key, None)
            self.note_deleted(subject, sequence)
        else:
            self._rows[book][key] = birth, sequence, value
            self.deleted.pop(subject, None)
            self._births = max(self._births, birth)

    def note_deleted(self, subject: str, sequence: int) -> None:
        """Note that something was deleted; of the oldest the engine is asked when they are written again."""
        if (table := table_of(subject)) is not None:
            self.ends.forget_table(table)
        # Behind all others, since the first one is forgotten first.
        self.deleted.pop(subject, None)
        self.deleted[subject] = sequence
        if len(self.deleted) > MOST_DELETED:
            del self.deleted[next(iter(self.deleted))]

    def make_write(self, change: Change, birth: int) -> Outgoing:
        """Return the message that makes a change of a row with that place in its book."""
        book, key, value, after = change
        subject = subject_of_row(book, key)
        message = make_row_message(book, key, birth, value)
        expected = None if after is None else sequence_of(after)
        if after == ABSENT:
            expected = self.deleted.get(subject, 0)
        return Outgoing(
            subject, msgspec.msgpack.encode(message), expected=expected, replaces=True, expires=value is None
        )

    def take_write(self, change: Change, birth: int, sequence: int) -> Row | None:
        """Note a message that the engine has kept; returns the row, None for a deleted one."""
        subject = subject_of_row(change.book, change.key)
        self.note_row(change.book, change.key, subject, sequence, birth, change.value)
        return None if change.value is None else row_at(sequence, change.value)

    def birth_of(self, book: str, key: str) -> int:
        """Return the place of a row in its book, for a new one the last."""
        known = self._rows[book].get(key)
        if known is not None:
            return known[0]
        self._births += 1
        return self._births

    def take_damage(self) -> dict[tuple[str, str], JournalError]:
        """Return the damaged rows by book and key, once."""
        spoilt, self._spoilt = self._spoilt, {}
        return spoilt

    def find_row(self, book: str, key: str) -> Row | None:
        """Return a row as it was read."""
        known = self._rows[book].get(key)
        return None if known is None else row_at(known[1], known[2])

    def rows_of(self, book: str) -> list[tuple[str, Row]]:
        """Return the rows of a book, oldest first."""
        found = sorted(self._rows[book].items(), key=lambda item: item[1][0])
        return [(key, row_at(sequence, value)) for key, (_, sequence, value) in found]

    def books(self) -> Mapping[str, list[tuple[str, Row]]]:
        """Return the rows of all books."""
        return {book: self.rows_of(book) for book in self._rows}

    def users(self) -> list[StoredUser]:
        """Return the users, the one that was written last comes last."""
        found = sorted(self._rows[USERS].values(), key=lambda row: row[1])
        return [msgspec.msgpack.decode(value, type=StoredUser) for _, _, value in found]

    def take_tables(self) -> dict[TableId, StoredTable]:
        """Return the tables without a fault, and let the records go; the others are reported."""
        chains, self._tables = self._tables, {}
        for chain in chains.values():
            self.ends.note_chain(chain)
        return take_whole_tables(chains, self._report_damage, self._engine.place.name)

    def take_stored_tables(self) -> StoredTables:
        """Return the stored tables with the newest beat."""
        alive, tables = self.alive, self.take_tables()
        return StoredTables(tables) if alive is None else StoredTables(tables, alive.at_ms, alive.epoch)

    @property
    def serving_epoch(self) -> int:
        """The newest epoch, 0 for none."""
        return 0 if self.epoch is None else self.epoch.epoch

    @property
    def is_empty(self) -> bool:
        """Whether the cluster has never had anything, not even a node."""
        return self.epoch is None and not self._tables and not any(self._rows.values())

    @property
    def chains(self) -> Mapping[TableId, Chain]:
        """The tables as they were read, with and without a fault."""
        return self._tables

    def take_chain(self, chain: Chain) -> None:
        """Take a table as it was read at another time."""
        self._tables[chain.table] = chain

    @property
    def is_behind(self) -> bool:
        """Whether tables are left to be read ahead."""
        return self._ahead.is_behind

    @property
    def faults(self) -> int:
        """How many tables are faulty in this copy."""
        return sum(bool(chain.fault) for chain in self._tables.values())

    async def find_lost_tables(self) -> list[TableId]:
        """Return the tables that are whole here, and of which the leader has fewer messages. Raises NoAnswer."""
        lost = await _compare_counts(self._engine, self._tables)
        if lost:
            # Messages deleted or condensed just now are read in a moment.
            await self._sleep(_SETTLE_SECONDS)
            lost = [each for each in await _compare_counts(self._engine, self._tables) if each in lost]
        return [chain.table for chain in lost]

    @property
    def alive(self) -> Alive | None:
        """When which serving node was last known to be alive; None before the first beat."""
        row = self.find_row(CLUSTER, ALIVE)
        return None if row is None else msgspec.msgpack.decode(row.value, type=Alive)

    def list_lanes(self) -> dict[str, int]:
        """List the fences of the epoch, each with the sequence of its message.

        There are none in an epoch that a node of an earlier version has taken.
        """
        epoch = self._epoch_message
        return {lane: sequence for lane, (sequence, message) in self._lanes.items() if message == epoch}

    @property
    def newest_epoch(self) -> int:
        """The newest epoch that a table may know, 0 for none."""
        row = self.find_row(CLUSTER, EPOCH_BEFORE)
        return max(self.serving_epoch, 0 if row is None else msgspec.msgpack.decode(row.value, type=int))


async def _compare_counts(engine: Engine, chains: Mapping[TableId, Chain]) -> list[Chain]:
    # Without any, as at a node that serves, a thousand counts tell nothing.
    counts = await engine.count_messages(TABLES) if chains else {}
    whole = [chain for chain in chains.values() if not chain.fault]
    return [chain for chain in whole if chain.messages > counts.get(subject_of_table(chain.table), 0)]


def take_whole_tables(
    chains: Mapping[TableId, Chain], report_damage: ReportDamage, path: str
) -> dict[TableId, StoredTable]:
    """Return the tables without a fault; the others are reported."""
    for chain in chains.values():
        if chain.fault:
            report_damage(Damage(path=path, reason=describe_fault(chain)))
    return {
        table: StoredTable(chain.records, chain.mark.write(), chain.ahead)
        for table, chain in chains.items()
        if not chain.fault
    }


def _place_of(subject: str) -> tuple[str, str]:
    place = row_of(subject)
    assert place is not None, subject
    return place


def describe_fault(chain: Chain) -> str:
    """Describe why a table is not served."""
    return f"Table {chain.table} cannot be reopened: {chain.fault} in the engine of the cluster."
