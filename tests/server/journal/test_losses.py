"""What a node has seen in the engine of a cluster, and misses there at its next start."""

from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.events import Damage
from scoville_server.journal.base import START, Change, JournalError
from scoville_server.journal.jetstream.copying import ClusterCopy
from scoville_server.journal.jetstream.engine import KEEP_DELETED_SECONDS, Engine, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.journal.jetstream.messages import TableMark, subject_of_row, subject_of_table
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_server.journal.jetstream.seen_file import SEEN, Seen, SeenFile
from scoville_shared.ids import TableId
from tests.support.nats_server import KEY, ask_stream, remove_message

T1, T2 = TableId("t1"), TableId("t2")


class Nodes:
    """Nodes one after the other, each with the same data folder."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.place = place
        self.folder = folder
        self.reported: list[str] = []
        self._open: list[tuple[JetStreamJournal, Mirror]] = []

    async def serve(self, *, leave_out_damaged: bool = False) -> JetStreamJournal:
        """Start a node, and let it serve."""
        engine = Engine(self.place)
        await engine.connect()
        seen_file = SeenFile(SYSTEM)
        seen_file.folder = self.folder
        mirror = Mirror(engine, self._report_damage, SYSTEM, seen_file)
        terms = ClusterTerms(Member("a", "a.example:7700", KEY), 1_000, leave_out_damaged=leave_out_damaged)
        journal = JetStreamJournal(engine, terms, mirror)
        journal.report_damage = self._report_damage
        self._open.append((journal, mirror))
        await mirror.catch_up()
        await journal.open()
        await journal.take_epoch()
        return journal

    async def stop(self) -> None:
        """Stop the node as SIGTERM does."""
        journal, mirror = self._open.pop()
        await mirror.ends.note_seen(mirror, at_once=True)
        await journal.close()

    async def close(self) -> None:
        while self._open:
            await self.stop()

    def _report_damage(self, damage: Damage) -> None:
        self.reported.append(damage.reason)


@pytest.fixture
async def nodes(nats_place: Place, tmp_path: Path) -> AsyncIterator[Nodes]:
    opened = Nodes(nats_place, tmp_path)
    yield opened
    await opened.close()


async def find_sequence(place: Place, subject: str) -> int:
    engine = Engine(place)
    await engine.connect()
    found = await engine.read_last([subject])
    await engine.close()
    return found[subject].sequence


async def test_row_that_protects_players_and_is_lost_refuses_the_start(nodes: Nodes) -> None:
    first = await nodes.serve()
    await first.write([Change("bans", "b1", b"Zoe"), Change("chat", "c1", b"Hello"), Change("chat", "c2", b"Bye")])
    await nodes.stop()
    for subject in (subject_of_row("bans", "b1"), subject_of_row("chat", "c1")):
        await remove_message(nodes.place, await find_sequence(nodes.place, subject))
    with pytest.raises(JournalError, match="The row b1 of the book bans is lost in the engine"):
        await nodes.serve()
    await nodes.close()
    with pytest.raises(JournalError, match="is lost in the engine"):
        await nodes.serve()
    await nodes.close()
    nodes.reported.clear()
    again = await nodes.serve(leave_out_damaged=True)
    assert {reason.partition(" is lost")[0] for reason in nodes.reported} == {
        "The row b1 of the book bans",
        "The row c1 of the book chat",
    }
    assert await again.get("chat", "c2") is not None
    await nodes.stop()
    nodes.reported.clear()
    await nodes.serve()
    assert not nodes.reported, "the host has accepted it once"


async def test_table_whose_newest_records_are_lost_is_not_served(nodes: Nodes) -> None:
    first = await nodes.serve()
    for table in (T1, T2):
        mark = await first.append(table, [b"1"], START)
        mark = await first.append(table, [b"2"], mark)
    await nodes.stop()
    await remove_message(nodes.place, await find_sequence(nodes.place, subject_of_table(T1)))
    again = await nodes.serve()
    stored = await again.tables()
    assert {table: stored.tables[table].records for table in stored.tables} == {T2: [b"1", b"2"]}
    assert nodes.reported == [
        "Table t1 cannot be reopened: its newest records, after its record 1, are missing in the engine of the cluster."
    ]
    # Nor where tables are read one by one, as among nodes that all serve.
    assert [*await again.read_tables([T1, T2])] == [T2]
    await nodes.stop()
    assert [*(await (await nodes.serve()).tables()).tables] == [T2], "what is lost stays lost"


async def test_table_that_is_gone_is_named(nodes: Nodes) -> None:
    first = await nodes.serve()
    await first.append(T1, [b"1"], START)
    await nodes.stop()
    await remove_message(nodes.place, await find_sequence(nodes.place, subject_of_table(T1)))
    assert not (await (await nodes.serve()).tables()).tables
    assert nodes.reported == ["Table t1 is lost: the engine of the cluster has nothing of it any more."]


async def purge(place: Place) -> None:
    await ask_stream(place, "PURGE")


async def delete_stream(place: Place) -> None:
    await ask_stream(place, "DELETE")


async def remove_epoch(place: Place) -> None:
    await remove_message(place, await find_sequence(place, "epoch"))


@pytest.mark.parametrize("lose", [purge, delete_stream, remove_epoch])
async def test_emptied_engine_is_not_taken_for_a_new_cluster(
    nodes: Nodes, lose: Callable[[Place], Coroutine[Any, Any, None]]
) -> None:
    first = await nodes.serve()
    await first.append(T1, [b"1"], START)
    await nodes.stop()
    await lose(nodes.place)
    for _ in range(2):
        with pytest.raises(JournalError, match="has lost what this node has seen in it"):
            await nodes.serve()
        await nodes.close()
    (nodes.folder / SEEN).unlink()
    await nodes.serve()


@pytest.mark.parametrize("empty", [purge, delete_stream])
async def test_engine_that_was_filled_again_is_used(
    nodes: Nodes, empty: Callable[[Place], Coroutine[Any, Any, None]]
) -> None:
    first = await nodes.serve()
    await first.append(T1, [b"1"], START)
    await first.write([Change("bans", "b1", b"Zoe")])
    await nodes.stop()
    await empty(nodes.place)
    copy = ClusterCopy(nodes.place, lambda _: None)
    await copy.connect()
    await copy.begin_writing()
    await copy.write_key(KEY.public)
    await copy.write_table(T2, [b"1"])
    await copy.end_writing()
    await copy.close()
    assert [*(await (await nodes.serve()).tables()).tables] == [T2]
    assert not nodes.reported


async def test_what_others_have_deleted_meanwhile_is_not_missed(nodes: Nodes) -> None:
    first = await nodes.serve()
    mark = await first.append(T1, [b"1"], START)
    await first.write([Change("bans", "b1", b"Zoe")])
    await nodes.stop()
    seen = (nodes.folder / SEEN).read_bytes()
    second = await nodes.serve()
    await second.delete_records(T1, mark)
    await second.write([Change("bans", "b1", None)])
    await nodes.stop()
    (nodes.folder / SEEN).write_bytes(seen)
    await nodes.serve()
    await nodes.stop()
    assert not nodes.reported
    # After a day the engine has forgotten that it was deleted.
    for subject in (subject_of_row("bans", "b1"), subject_of_table(T1)):
        await remove_message(nodes.place, await find_sequence(nodes.place, subject))
    old = msgspec.msgpack.decode(seen, type=Seen)
    for age_ms in (KEEP_DELETED_SECONDS * 1000, -60_000):
        aged = Seen(old.stream, SYSTEM.date_ms() - age_ms, old.sequences)
        (nodes.folder / SEEN).write_bytes(msgspec.msgpack.encode(aged))
        await nodes.serve()
        await nodes.stop()
    assert not nodes.reported
    assert TableMark.read(mark).sequence == old.sequences[subject_of_table(T1)]


async def test_file_that_cannot_be_read_is_no_reason_to_refuse(nodes: Nodes) -> None:
    await nodes.serve()
    await nodes.stop()
    (nodes.folder / SEEN).write_bytes(b"")
    await nodes.serve()


async def test_node_notes_now_and_then_what_it_has_seen(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.journal.jetstream.seen_file.SAVE_SECONDS", 0.0)
    first = await nodes.serve()
    mark = await first.append(T1, [b"1"], START)
    await first.write([Change("bans", "b1", b"Zoe")])
    await first._mirror.follow_rows()
    noted = msgspec.msgpack.decode((nodes.folder / SEEN).read_bytes(), type=Seen).sequences
    assert noted[subject_of_table(T1)] == TableMark.read(mark).sequence
    assert noted[subject_of_row("bans", "b1")] == await find_sequence(nodes.place, subject_of_row("bans", "b1"))
