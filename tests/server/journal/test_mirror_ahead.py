"""A mirror reads tables on while its node waits, a moment at a time."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import msgspec

from scoville_server.journal.jetstream.engine import Engine, Incoming, Place
from scoville_server.journal.jetstream.messages import TableMark, make_table_message, subject_of_table
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_shared.ids import TableId
from tests.support.clock import FakeClock


class KeptMessages:
    """The part of an engine with one replica that a mirror reads tables from."""

    replicas = 1
    place = Place(servers=(), name="test")
    made_at = 0
    clock = FakeClock().clock

    def __init__(self) -> None:
        self.kept: list[Incoming] = []
        self._marks: dict[str, TableMark] = {}

    def append(self, table: str, *records: bytes, afresh: bool = False) -> None:
        """Keep records of a table."""
        mark = self._marks.get(table, TableMark())
        message = make_table_message(table, records, mark, afresh=afresh)
        sequence = len(self.kept) + 1
        self.kept.append(Incoming(subject_of_table(TableId(table)), sequence, msgspec.msgpack.encode(message)))
        self._marks[table] = TableMark(sequence, message.n + len(records), message.seal)

    async def read_from(self, start: int, *_: Any) -> AsyncIterator[Incoming]:
        """Yield the messages from a sequence on."""
        for message in self.kept[start - 1 :]:
            yield message


class Reading:
    """A mirror, and how often each table was read on: what is known ahead is the records themselves."""

    def __init__(self, cost: float = 0.0) -> None:
        self.engine, self.clock = KeptMessages(), FakeClock()
        self._cost = cost
        self.reads: list[tuple[object, int]] = []
        self.mirror = Mirror(cast("Engine", self.engine), lambda _: None, self.clock.clock, read_ahead=self._read_ahead)

    def _read_ahead(self, before: object, records: Sequence[bytes]) -> object:
        self.reads.append((before, len(records)))
        self.clock.time += self._cost
        return [*records]


async def test_tables_are_read_on_and_taken_with_what_is_known() -> None:
    reading = Reading()
    reading.engine.append("t1", b"a", b"b")
    await reading.mirror.catch_up()
    reading.engine.append("t1", b"c")
    await reading.mirror.catch_up()
    await reading.mirror.catch_up()
    assert reading.reads == [(None, 2), ([b"a", b"b"], 3)]
    assert reading.mirror.take_tables()[TableId("t1")].ahead == [b"a", b"b", b"c"]


async def test_a_table_written_afresh_is_read_from_its_start() -> None:
    reading = Reading()
    reading.engine.append("t1", b"a", b"b")
    await reading.mirror.catch_up()
    reading.engine.append("t1", b"d", afresh=True)
    await reading.mirror.catch_up()
    assert reading.reads == [(None, 2), (None, 1)]


async def test_next_look_goes_on_reading() -> None:
    reading = Reading(cost=0.015)
    for n in range(5):
        reading.engine.append(f"t{n}", b"a")
    await reading.mirror.catch_up()
    assert len(reading.reads) == 2
    assert reading.mirror.is_behind
    await reading.mirror.catch_up()
    await reading.mirror.catch_up()
    assert len(reading.reads) == 5
    assert not reading.mirror.is_behind


async def test_a_table_with_a_hole_is_not_read() -> None:
    reading = Reading()
    reading.engine.append("t1", b"a")
    reading.engine.append("t1", b"b")
    del reading.engine.kept[0]
    await reading.mirror.catch_up()
    assert reading.mirror.faults == 1
    assert reading.reads == []
