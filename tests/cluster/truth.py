"""What the engine has of one table at the end, replayed record by record, and who wrote it when."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import msgspec

from scoville_server.tables.model.records import Created, Played, Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import create_table, evolve, restore_table, unpack_record
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from scoville_shared.values import Mover
from tests.cluster.engine import Engine, Written
from tests.support.toys import find_toy


class Damaged(Exception):
    """The records do not make a table."""


class Move(NamedTuple):
    """A recorded move, the `nth` of its seat."""

    seat: int
    nth: int
    move: Any
    mover: Mover


class _Batch(NamedTuple):
    """Records that were kept at once."""

    written: Written
    records: Sequence[Record]


class Truth:
    """A table by its records.

    Attributes:
        final: The table at the end.
        after: The table right after the append that made an event, by the event's number.
        at: When that append was kept, in seconds of the world.
        moves: The moves by their events' numbers; `numbered` by seat and number.
        joined: Seats and names of all who ever joined.
        seeds: Every seed that the table ever had.
    """

    final: Table

    def __init__(self, batches: Sequence[_Batch]) -> None:
        self._batches = batches
        self.after: dict[int, Table] = {}
        self.at: dict[int, float] = {}
        self.moves: dict[int, Move] = {}
        self.joined: set[tuple[int | None, str]] = set()
        self.seeds: set[bytes] = set()
        self.last_at = batches[-1].written.at
        self.tables: list[tuple[_Batch, Table]] = []
        table: Table | None = None
        for batch in batches:
            table = self._replay(table, batch)
            self.tables.append((batch, table))
        assert table is not None
        self.final = table
        self.numbered = {(move.seat, move.nth): move for move in self.moves.values()}

    def _replay(self, before: Table | None, batch: _Batch) -> Table:
        known = 0 if before is None else before.seq
        self.seeds.update(record.seed for record in batch.records if isinstance(record, Created))
        if before is not None and batch.written.afresh:
            table = restore_table(batch.records, find_toy)
        else:
            table = self._evolve(before, batch.records)
        for recorded in table.events_after(known):
            event = recorded.event
            self.after[event.seq], self.at[event.seq] = table, batch.written.at
            if isinstance(event, m.Joined):
                self.joined.add((event.seat, event.name))
        return table

    def _evolve(self, table: Table | None, records: Sequence[Record]) -> Table:
        for record in records:
            if isinstance(record, Created):
                table = create_table(find_toy(record.game), record)
                continue
            if table is None:
                raise Damaged("its first record does not create it")
            former, table = table, evolve(table, record)
            if isinstance(record, Played):
                seq = next(
                    each.event.seq for each in table.events_after(former.seq) if isinstance(each.event, m.Played)
                )
                self.moves[seq] = Move(record.seat, former.played[record.seat], record.move, record.mover)
        if table is None:
            raise Damaged("it has no records")
        return table

    def faults_of_owners(self) -> Iterator[str]:
        """I5: a process that has written never writes again after another one has."""
        runs = [process for process, _ in groupby(batch.written.process for batch in self._batches)]
        for n, process in enumerate(runs):
            if process in runs[:n]:
                yield f"table {self.final.id}: {process.name} wrote again after {runs[n - 1].name} had"
                return

    def faults_of_time(self) -> Iterator[str]:
        """I12: the table's time never falls, and the clock moves for nobody before their time is over."""
        records = [record for batch in self._batches if not batch.written.afresh for record in batch.records]
        for early, late in pairwise(records):
            if late.at_ms < early.at_ms:
                yield f"table {self.final.id}: {type(late).__name__} is {early.at_ms - late.at_ms} ms before the last"
        yield from self._early_clock_moves()

    def _early_clock_moves(self) -> Iterator[str]:
        move_ms = self.final.opened.clock.move_ms or 0
        since: dict[int, float] = {}
        for batch, table in self.tables:
            for record in batch.records:
                if isinstance(record, Played) and record.mover == "clock":
                    waited = batch.written.at - since.get(record.seat, 0.0)
                    if waited * 1000 < move_ms - 20:
                        yield f"table {table.id}: the clock moved for seat {record.seat} after {waited:.2f} s"
                if isinstance(record, Played):
                    since.pop(record.seat, None)
            pending = {*table.pending}
            since = {seat: since.get(seat, batch.written.at) for seat in pending}


def read_truth(engine: Engine, table: TableId) -> Truth:
    """Replay what the engine has of a table. Raises Damaged."""
    log = [written for written in engine.log if written.table == table]
    kept = engine.retired.get(table) or engine.store._kept.get(table, [])
    begins = max(n for n, written in enumerate(log) if written.afresh or n == 0)
    batches = [_Batch(written, _unpack(written.records)) for written in log[:begins]]
    # What is there at the end counts, and not what was once acknowledged.
    rest = [*kept]
    for n, written in enumerate(log[begins:], begins):
        size = len(written.records) if n < len(log) - 1 else len(rest)
        batches.append(_Batch(written, _unpack(rest[:size])))
        rest = rest[size:]
    try:
        return Truth([batch for batch in batches if batch.records])
    except Damaged:
        raise
    except Exception as error:
        raise Damaged(f"its records cannot be replayed: {error!r}") from error


def _unpack(packed: Sequence[bytes]) -> list[Record]:
    try:
        return [unpack_record(record) for record in packed]
    except msgspec.DecodeError as error:
        raise Damaged(str(error)) from error
