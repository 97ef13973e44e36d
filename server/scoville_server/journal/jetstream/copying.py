"""A whole journal at once: written into a cluster that is empty, and read from one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.events import ReportDamage
from scoville_server.journal.base import Conflict, JournalError
from scoville_server.journal.jetstream.engine import Engine, InFlight, NoAnswer, Outgoing, Place
from scoville_server.journal.jetstream.insistence import INSIST_SECONDS, Insistence
from scoville_server.journal.jetstream.member import KEY_ADVICE
from scoville_server.journal.jetstream.messages import (
    BARRIER,
    TableMark,
    make_row_message,
    make_table_message,
    subject_of_row,
    subject_of_table,
)
from scoville_server.journal.jetstream.mirror import ALIVE, CLUSTER, COPYING, EPOCH_BEFORE, USERS, Alive, Mirror
from scoville_server.journal.jetstream.stores import AuditStream, GameStream, place_of_files
from scoville_server.journal.snapshots import Snapshot
from scoville_shared.ids import TableId

_BATCH: Final = 500
"""Rows of one atomic batch."""
_MOST_BYTES: Final = 524_288
"""Bytes of one message, or of the rows of one batch; a larger row has a batch of its own."""


class ClusterCopy:
    """A cluster that is copied as a whole, while no node of it runs or, for reading, also while one does.

    Args:
        place: Where it keeps its journal.
        report_damage: Is called for everything that cannot be read.
        clock: The clock.

    Attributes:
        games: Its finished games.
        audit: Its audit log.
    """

    def __init__(self, place: Place, report_damage: ReportDamage, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._report_damage = report_damage
        self._engine = Engine(place, clock)
        self._files = Engine(place_of_files(place), clock)
        self._insistence = Insistence(self._engine, clock)
        insistence = Insistence(self._files, clock)
        self.games = GameStream(self._files, insistence, self._allow, clock)
        self.audit = AuditStream(self._files, insistence, self._allow, report_damage, clock)

    async def _allow(self) -> None:
        """Nobody else writes to a cluster that is being filled."""

    async def connect(self) -> None:
        """Connect to the engine. Raises JournalError."""
        await self._engine.connect()
        await self._files.connect()

    async def close(self) -> None:
        """Disconnect."""
        await self._files.close()
        await self._engine.close()

    # --- reading ----------------------------------------------------------------------------------------

    async def read_snapshot(self, *, unfinished: bool = False) -> Snapshot:
        """Read the journal as it is now. Raises JournalError.

        An `unfinished` one is that which this copy fills: no node may have begun to use it.
        """
        mirror = Mirror(self._engine, self._report_damage, self._clock)
        barrier = Outgoing(BARRIER, b"", replaces=True)
        await mirror.catch_up(await self._insistence.publish_message(barrier, Conflict(CLUSTER, BARRIER)))
        for error in mirror.take_damage().values():
            raise error
        if unfinished and mirror.epoch is not None:
            raise JournalError("A node has begun to serve meanwhile: stop all nodes, and begin the copy again.")
        if not unfinished and mirror.find_row(CLUSTER, COPYING) is not None:
            raise JournalError("A copy into this cluster is not finished, so nothing can be copied from it.")
        return _snapshot_of(mirror)

    async def find_public_key(self) -> bytes | None:
        """Return the public key of the server, as its first node has noted it. Raises JournalError."""
        mirror = Mirror(self._engine, self._report_damage, self._clock)
        await mirror.catch_up()
        row = mirror.find_row(CLUSTER, KEY_ADVICE)
        return None if row is None else row.value

    # --- writing ----------------------------------------------------------------------------------------

    async def begin_writing(self) -> None:
        """Mark the cluster as being filled, and clear leavings of an interrupted copy.

        Raises JournalError if it is not empty.
        """
        mirror = Mirror(self._engine, self._report_damage, self._clock)
        await mirror.catch_up()
        name = self._engine.place.name
        if mirror.find_row(CLUSTER, COPYING) is None and not mirror.is_empty:
            raise JournalError(
                f"The cluster {name} is not empty, and stays as it is. Choose another cluster.name, or delete its "
                f"streams {name} and {self._files.place.name} with the tool nats, when no node runs."
            )
        for engine in (self._engine, self._files):
            await engine.purge(">")
        await self._write_batch([_row_message(CLUSTER, COPYING, 1, b"")])

    async def end_writing(self) -> None:
        """Let nodes use the cluster. Raises JournalError."""
        await self._write_batch([_row_message(CLUSTER, COPYING, 1, None)])

    async def write_key(self, public: bytes) -> None:
        """Note which key the nodes must have. Raises JournalError."""
        await self._write_batch([_row_message(CLUSTER, KEY_ADVICE, 2, public)])

    async def write_epoch_before(self, epoch: int) -> None:
        """Note the newest epoch that the tables know, which those of the new cluster follow. Raises JournalError."""
        await self._write_batch([_row_message(CLUSTER, EPOCH_BEFORE, 3, msgspec.msgpack.encode(epoch))])

    async def write_table(self, table: TableId, records: Sequence[bytes]) -> None:
        """Write the records of a table. Raises JournalError."""
        mark = TableMark()
        for part in _split_records(records):
            message = make_table_message(table, part, mark, afresh=False)
            outgoing = Outgoing(subject_of_table(table), msgspec.msgpack.encode(message), expected=mark.sequence)
            sequence = await self._insistence.publish_message(outgoing, Conflict("tables", table))
            mark = TableMark(sequence, message.n + len(part), message.seal)

    async def write_rows(self, snapshot: Snapshot) -> None:
        """Write the users, the rows of all books, and when the server was alive. Raises JournalError."""
        rows = [
            *((USERS, user.user, msgspec.msgpack.encode(user)) for user in snapshot.users),
            *((book, key, value) for book, each in snapshot.books.items() for key, value in each),
        ]
        if snapshot.alive_ms is not None:
            rows.append((CLUSTER, ALIVE, msgspec.msgpack.encode(Alive(0, snapshot.alive_ms))))
        births = enumerate(rows, 4)
        for batch in _split_rows(_row_message(book, key, birth, value) for birth, (book, key, value) in births):
            await self._write_batch(batch)

    async def _write_batch(self, batch: Sequence[Outgoing]) -> None:
        until = self._clock.seconds() + INSIST_SECONDS
        while True:
            try:
                # Twice is the same as once: nobody else writes, and each message replaces the one before.
                await self._engine.publish_batch(batch)
            except (NoAnswer, InFlight):
                await self._insistence.wait_to_retry(until)
            else:
                return


def _row_message(book: str, key: str, birth: int, value: bytes | None) -> Outgoing:
    payload = msgspec.msgpack.encode(make_row_message(book, key, birth, value))
    return Outgoing(subject_of_row(book, key), payload, replaces=True, expires=value is None)


def _snapshot_of(mirror: Mirror) -> Snapshot:
    books = {
        book: [(key, row.value) for key, row in rows]
        for book, rows in mirror.books().items()
        if book not in (USERS, CLUSTER)
    }
    users, alive = mirror.users(), mirror.alive
    tables = {table: [*stored.records] for table, stored in mirror.take_tables().items()}
    return Snapshot(tables, users, books, None if alive is None else alive.at_ms)


def _split_records(records: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Split records into parts that fit into a message each."""
    start = size = 0
    for n, record in enumerate(records):
        if size + len(record) > _MOST_BYTES and n > start:
            yield records[start:n]
            start, size = n, 0
        size += len(record)
    yield records[start:]


def _split_rows(rows: Iterable[Outgoing]) -> Iterator[list[Outgoing]]:
    """Split rows into batches."""
    batch: list[Outgoing] = []
    size = 0
    for row in rows:
        if batch and (len(batch) == _BATCH or size + len(row.payload) > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(row.payload)
    if batch:
        yield batch
