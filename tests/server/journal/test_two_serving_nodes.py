"""Journals of two nodes that serve in one epoch, on a real engine: both write, and each follows the other."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.model.channels import Channels
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.chat.model.messages import LOBBY, ChatMessage, NewMessage
from scoville_server.chat.service import ChatWriter
from scoville_server.journal.base import ABSENT, START, Change, Conflict, Deposed, Fenced, Revision, Row, StoredUser
from scoville_server.journal.books import PassingBook
from scoville_server.journal.jetstream import journal as journal_module
from scoville_server.journal.jetstream.doubts import find_table_doubts
from scoville_server.journal.jetstream.engine import Engine, Incoming, NoAnswer, Outgoing, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.messages import EPOCH, LANES
from scoville_shared.ids import TableId, UserId
from tests.support.idle import eventually
from tests.support.nats_server import Opened, remove_message


@pytest.fixture
async def nodes(nats_place: Place) -> Any:
    opened = Opened(nats_place)
    yield opened
    for journal in opened.made:
        await journal.close()


async def serve_together(nodes: Opened) -> tuple[JetStreamJournal, JetStreamJournal]:
    """Return two nodes that serve in one epoch."""
    first, second = await nodes.serve("a"), await nodes.open("b")
    await second.join_epoch()
    return first, second


async def test_one_newer_epoch_ends_all_that_share_the_former(nodes: Opened) -> None:
    serving = await serve_together(nodes)
    deposed: list[str] = []
    for name, journal in zip("ab", serving, strict=True):
        journal.on_deposed = partial(deposed.append, name)
    third = await nodes.serve("c")
    assert (await third.get("book", "x"), serving[0]._epoch, serving[1]._epoch, third._epoch) == (None, 1, 1, 2)
    for journal in serving:
        with pytest.raises(Deposed):
            await journal.write([Change("book", "x", b"1")])
    await eventually(lambda: sorted(deposed) == ["a", "b"])
    await (await nodes.open("d")).join_epoch()
    assert nodes.made[-1]._epoch == 2


async def test_tables_are_read_together_after_one_look(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = await serve_together(nodes)
    tables = [TableId(name) for name in ("one", "two", "three")]
    marks = {table: await first.append(table, [table.encode(), b"more"], START) for table in tables}
    await first.delete_records(tables[2], marks[tables[2]])
    looks, read_last = list[list[str]](), Engine.read_last

    async def note_look(engine: Engine, subjects: Sequence[str]) -> dict[str, Incoming]:
        looks.append([*subjects])
        return await read_last(engine, subjects)

    monkeypatch.setattr(Engine, "read_last", note_look)
    found = await second.read_tables([*tables, TableId("none")])
    assert {table: kept.records for table, kept in found.items()} == {
        table: [table.encode(), b"more"] for table in tables[:2]
    }
    assert len(looks) == 1
    await second.append(tables[0], [b"mine"], found[tables[0]].mark)
    assert (await first.read(tables[0]))[0] == [b"one", b"more", b"mine"]


async def test_deleted_tables_are_not_listed(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine knows for a day that they were deleted: so long they would be on their way for users."""
    first, second = await serve_together(nodes)
    marks = {table: await first.append(table, [b"1"], START) for table in map(TableId, ["one", "two", "three"])}
    assert {*await second.list_tables()} == {"one", "two", "three"}
    await first.delete_records(TableId("two"), marks[TableId("two")])
    assert {*await first.list_tables()} == {*await second.list_tables()} == {"one", "three"}
    await first.append(TableId("one"), [b"2"], marks[TableId("one")])
    reads, read_last = list[Sequence[str]](), Engine.read_last

    async def count_reads(engine: Engine, subjects: Sequence[str]) -> dict[str, Incoming]:
        reads.append(subjects)
        return await read_last(engine, subjects)

    monkeypatch.setattr(Engine, "read_last", count_reads)
    assert {*await second.list_tables()} == {"one", "three"}
    assert reads == [["t.three"]], "a deleted one is read once"


async def test_node_joins_no_epoch_that_came_after_its_turn(nodes: Opened) -> None:
    await nodes.serve("a")
    late = await nodes.open("b", known_epoch=1)
    await nodes.serve("c")
    with pytest.raises(Conflict):
        await late.join_epoch()
    with pytest.raises(Deposed):
        await late.write([Change("book", "x", b"1")])


async def test_node_joins_no_epoch_before_the_first_one(nodes: Opened) -> None:
    journal = await nodes.open("a")
    with pytest.raises(Conflict):
        await journal.join_epoch()
    with pytest.raises(Deposed):
        await journal.write([Change("book", "x", b"1")])


async def test_nodes_that_serve_follow_what_the_others_write(nodes: Opened) -> None:
    first, second = await serve_together(nodes)
    heard: dict[str, list[tuple[str, bytes | None]]] = {"a": [], "b": []}

    def note(node: str, key: str, row: Row | None) -> None:
        heard[node].append((key, None if row is None else row.value))

    for node, journal in (("a", first), ("b", second)):
        journal.follow("book", partial(note, node))
    await first.write([Change("book", "x", b"1"), Change("book", "y", b"1")])
    await second.write([Change("book", "z", b"2")])
    await eventually(lambda: all(len(changes) == 3 for changes in heard.values()))
    assert [sorted(changes) for changes in heard.values()] == [[("x", b"1"), ("y", b"1"), ("z", b"2")]] * 2
    await second.write(
        [Change("book", "x", None), Change("book", "y", b"3", after=(await first.get("book", "y")).revision)]
    )  # type: ignore[union-attr]
    await eventually(lambda: all(len(changes) == 5 for changes in heard.values()))
    assert [sorted(changes[3:], key=str) for changes in heard.values()] == [[("x", None), ("y", b"3")]] * 2
    with pytest.raises(Conflict):
        await first.write([Change("book", "z", b"4", after=ABSENT)])
    await first.write([Change("book", "x", b"5", after=ABSENT)])
    await eventually(lambda: heard["b"][-1] == ("x", b"5"))
    await asyncio.sleep(0.6)
    assert [len(changes) for changes in heard.values()] == [6, 6], "each change is heard of once"


async def test_node_that_reaches_the_present_has_followed_what_was_kept_before(
    nodes: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FOLLOW_SECONDS", 0.01)
    first, second = await serve_together(nodes)
    heard: dict[str, Row | None] = {}
    second.follow("book", heard.__setitem__)
    revisions: list[Revision] = []
    for n in range(5):
        await first.write([Change("book", f"{n}", b"1")])
        was_kept_before = await second.reach_present()
        assert heard[f"{n}"] is not None
        revisions.append(heard[f"{n}"].revision)  # type: ignore[union-attr]
        assert [was_kept_before(revision) for revision in revisions] == [True] * (n + 1)
    await first.write([Change("book", "late", b"1")])
    late = await first.get("book", "late")
    assert late is not None
    assert not was_kept_before(late.revision)


async def test_crowd_that_connects_at_once_shares_few_marks(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "FOLLOW_SECONDS", 0.01)
    first, second = await serve_together(nodes)
    await first.write([Change("book", "x", b"1")])
    row = await first.get("book", "x")
    assert row is not None
    before = next(second._row_follower._marks)
    present = await asyncio.gather(*(second.reach_present() for _ in range(300)))
    assert all(was_kept_before(row.revision) for was_kept_before in present)
    assert next(second._row_follower._marks) - before - 1 == 1


async def test_node_that_ends_reaches_no_present(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "FOLLOW_SECONDS", 60.0)
    first, second = await serve_together(nodes)
    reaching = asyncio.ensure_future(first.reach_present())
    await eventually(lambda: first._row_follower._waiting)
    await first.close()
    with pytest.raises(Deposed):
        await reaching
    await nodes.serve("c")
    with pytest.raises(Deposed):
        await second.reach_present()


async def test_nodes_that_serve_follow_each_other_s_users(nodes: Opened) -> None:
    first, second = await serve_together(nodes)
    heard: dict[str, list[tuple[UserId, StoredUser | None]]] = {"a": [], "b": []}
    for node, journal in (("a", first), ("b", second)):
        journal.follow_users(lambda user, known, node=node: heard[node].append((user, known)))
    anna, ben = (StoredUser(user=UserId(name.lower()), name=name) for name in ("Anna", "Ben"))
    await first.put_user(anna)
    await second.put_user(ben)
    await eventually(lambda: all(len(changes) == 2 for changes in heard.values()))
    await second.delete_user(anna.user)
    await eventually(lambda: all(len(changes) == 3 for changes in heard.values()))
    assert [sorted(changes[:2], key=str) for changes in heard.values()] == [[("anna", anna), ("ben", ben)]] * 2
    assert [changes[2] for changes in heard.values()] == [("anna", None)] * 2


async def test_nodes_that_serve_number_the_messages_of_a_channel_together(nodes: Opened) -> None:
    channels, writers = [], []
    for journal in await serve_together(nodes):
        mine = Channels(ChatLimits(lobby=15))

        def follow(key: str, message: ChatMessage | None, _: Revision, mine: Channels = mine) -> None:
            if message is None:
                mine.note_deleted(key)
            else:
                mine.add_message(message)

        book = PassingBook("chat", ChatMessage, journal, follow)
        assert [*book.release_rows()] == []
        background = BackgroundTasks()
        channels.append(mine)
        writers.append((ChatWriter(mine, book, background), background, book))
    said = []
    for n in range(10):
        for writer, *_ in writers:
            text = NewMessage(at_ms=n, channels=(LOBBY,), by=UserId("anna"), name="Anna", text=f"{n}")
            said.append(writer.write_message(text))
        await asyncio.sleep(0.01)
    numbers = [(await message).n for message in said]
    assert sorted(numbers) == [*range(1, 21)]
    await eventually(lambda: channels[0].messages_since(LOBBY) == channels[1].messages_since(LOBBY))
    assert [message.n for message in channels[0].messages_since(LOBBY)] == [*range(6, 21)]


async def test_nodes_agree_on_a_row_that_both_write(nodes: Opened) -> None:
    first, second = await serve_together(nodes)
    latest: dict[str, bytes | None] = {}
    for node, journal in (("a", first), ("b", second)):
        journal.follow("book", lambda _, row, node=node: latest.update({node: None if row is None else row.value}))
    for n in range(40):
        await asyncio.gather(
            *(each.write([Change("book", "x", b"%s %d" % (name, n))]) for each, name in ((first, b"a"), (second, b"b")))
        )
    kept = await first.get("book", "x")
    assert kept is not None
    await eventually(lambda: latest == {"a": kept.value, "b": kept.value})
    assert first._mirror.find_row("book", "x") == second._mirror.find_row("book", "x") == kept


class HalfBlindEngine(Engine):
    """An engine of several replicas, of which the one that answers each odd read of a table lacks its first message."""

    replicas_in_turn = 0

    async def connect(self, *, makes_stream: bool = True) -> None:
        await super().connect(makes_stream=makes_stream)
        self.replicas = 3

    async def read_from(self, sequence: int, subject: str = ">", at_once: int = 0) -> AsyncIterator[Incoming]:
        self.replicas_in_turn += 1
        lacks = self.replicas_in_turn % 2 and subject.startswith("t.")
        async for message in super().read_from(sequence, subject):
            if not lacks:
                yield message
            lacks = False


@pytest.mark.parametrize("reads_all", [True, False])
async def test_node_that_reads_a_table_with_a_hole_mends_it(nodes: Opened, reads_all: bool) -> None:
    first, reported, table = await nodes.serve("a"), list[str](), TableId("one")
    mark = await first.append(table, [b"0"], START)
    mark = await first.append(table, [b"1"], mark)
    half_blind = HalfBlindEngine(nodes.place)
    heir = await nodes.open("b", engine=half_blind)
    await heir.join_epoch()
    heir.report_damage = lambda damage: reported.append(damage.reason)  # type: ignore[method-assign]
    half_blind.replicas_in_turn = 0
    records = (await heir.read_tables([table]))[table].records if reads_all else (await heir.read(table))[0]
    assert [*records] == [b"0", b"1"]
    assert ["it was written afresh, and is whole again" in each for each in reported] == [True]
    assert len([each async for each in first._engine.read_from(1, "t.>")]) == 1
    # Its owner runs, and finds that its records are the same.
    with pytest.raises(Fenced):
        await first.append(table, [b"2"], mark)
    found, mark = await first.read(table)
    await first.append(table, [b"2"], mark)
    assert found == [b"0", b"1"]


async def test_table_of_which_nobody_has_a_whole_copy_stays_as_it_is(nodes: Opened) -> None:
    first, second = await serve_together(nodes)
    table, reported = TableId("one"), list[str]()
    mark = await first.append(table, [b"0"], START)
    await first.append(table, [b"1"], mark)
    before = [each async for each in first._engine.read_from(1, "t.>")]
    await remove_message(nodes.place, before[0].sequence)
    second.report_damage = lambda damage: reported.append(damage.reason)  # type: ignore[method-assign]
    assert await second.read_tables([table]) == {}
    assert reported == ["Table one cannot be reopened: its records 1 to 1 are missing in the engine of the cluster."]
    assert [each async for each in first._engine.read_from(1, "t.>")] == before[1:]


async def test_hole_in_a_table_is_found_while_its_owner_runs(nodes: Opened) -> None:
    first, second = await serve_together(nodes)
    tables = [TableId(name) for name in ("one", "two", "three", "four")]
    marks = {}
    for table in tables:
        marks[table] = await first.append(table, [b"0"], START)
        for record in (b"1", b"2"):
            marks[table] = await first.append(table, [record], marks[table])

    async def look() -> list[str]:
        return await find_table_doubts(first._mirror)

    assert await look() == []
    # What others do to tables that this node had is no hole.
    await second.append(tables[1], [b"all"], marks[tables[1]], afresh=True)
    await second.delete_records(tables[2], marks[tables[2]])
    await first.append(tables[3], [b"all"], marks[tables[3]], afresh=True)
    assert await look() == []
    [_, middle, _] = [each async for each in first._engine.read_from(1, "t.one")]
    await remove_message(nodes.place, middle.sequence)
    for _ in range(2):
        [doubt] = await look()
        assert doubt.startswith("The engine has lost messages of tables that are played: one. Their node goes on")
    # It does, and a table that is over is missed no more.
    marks[tables[0]] = await first.append(tables[0], [b"3"], marks[tables[0]])
    assert len(await look()) == 1
    await first.delete_records(tables[0], marks[tables[0]])
    assert await look() == []
    assert {*first._mirror.ends.counts} == {tables[1], tables[3]}


async def test_hole_that_a_replica_does_not_have_is_mended_while_its_owner_runs(nodes: Opened) -> None:
    first, reported, table = await nodes.serve("a", engine=HalfBlindEngine(nodes.place)), list[str](), TableId("one")
    first.report_damage = lambda damage: reported.append(damage.reason)  # type: ignore[method-assign]
    mark = await first.append(table, [b"0"], START)
    mark = await first.append(table, [b"1"], mark)
    first._mirror.ends.counts[table] += 1
    first._engine.replicas_in_turn = 0  # type: ignore[attr-defined]
    assert await find_table_doubts(first._mirror) == []
    assert ["it was written afresh, and is whole again" in each for each in reported] == [True]
    assert first._mirror.ends.counts == {table: 1}
    with pytest.raises(Fenced):
        await first.append(table, [b"2"], mark)
    assert (await first.read(table))[0] == [b"0", b"1"]


async def test_nodes_of_one_epoch_write_behind_different_fences(nodes: Opened) -> None:
    first, second = await serve_together(nodes)
    guards = [journal._writer._fences.make_message().guard for journal in (first, second)]
    assert len({*guards}) == 2
    assert all(guard.startswith("epoch.") for guard in guards)
    for journal, key in ((first, "x"), (second, "y")):
        await journal.write([Change("book", key, b"1")])
    third = await nodes.serve("c")
    for journal, key in ((first, "x"), (second, "y")):
        with pytest.raises(Deposed):
            await journal.write([Change("book", key, b"2")])
    for key in "xy":
        assert (row := await third.get("book", key)) is not None
        assert row.value == b"1"


async def test_epoch_of_an_earlier_version_has_one_fence(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await nodes.serve("a")
    former = await nodes.open("b", knows_lanes=lambda: False)
    await former.join_epoch()
    assert former._writer._fences.make_message().guard == EPOCH

    async def write_none(_: object, sequence: int, __: bytes) -> dict[str, int]:
        return {"": sequence}

    monkeypatch.setattr(journal_module, "write_lanes", write_none)
    later = await nodes.serve("c")
    assert later._writer._fences.make_message().guard == EPOCH
    with pytest.raises(Deposed):
        await former.write([Change("book", "x", b"1")])
    assert first._epoch < later._epoch
    await later.write([Change("book", "x", b"2")])
    monkeypatch.undo()
    newest = await nodes.serve("d")
    assert newest._writer._fences.make_message().guard != EPOCH
    with pytest.raises(Deposed):
        await later.write([Change("book", "x", b"3")])


async def test_node_that_took_the_epoch_and_was_followed_before_its_fences_gives_way(nodes: Opened) -> None:
    first, second = await nodes.open("a"), await nodes.open("b")
    publish_together = first._insistence.publish_together

    async def be_followed(*messages: Any) -> list[int]:
        await second._mirror.catch_up()
        await second.take_epoch()
        return await publish_together(*messages)

    first._insistence.publish_together = be_followed  # type: ignore[method-assign]
    with pytest.raises(Conflict):
        await first.take_epoch()
    await second.write([Change("book", "x", b"1")])


async def test_answer_to_the_fences_of_an_epoch_may_be_lost(nodes: Opened) -> None:
    first = await nodes.open("a")
    publish_batch, lost = first._engine.publish_batch, [1]

    async def lose_answer(messages: Sequence[Outgoing]) -> list[int]:
        kept = await publish_batch(messages)
        if lost and lost.pop():
            raise NoAnswer
        return kept

    first._engine.publish_batch = lose_answer  # type: ignore[method-assign]
    await first.take_epoch()
    assert not lost
    assert len(first._mirror.list_lanes()) == LANES
    await first.write([Change("book", "x", b"1")])
