"""The journal of a cluster: epochs, holes, lost answers, and what an engine says of itself."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scoville_server.events import Damage
from scoville_server.identity import ServerKey
from scoville_server.journal.base import (
    ABSENT,
    START,
    Change,
    Conflict,
    Deposed,
    Fenced,
    JournalError,
    Mark,
    Row,
    StoredUser,
)
from scoville_server.journal.jetstream import engine as engine_module
from scoville_server.journal.jetstream import mirror as mirror_module
from scoville_server.journal.jetstream.client import Unreached
from scoville_server.journal.jetstream.doubts import (
    Look,
    ServerLook,
    StreamState,
    describe_looks,
    find_doubts,
    list_losses,
)
from scoville_server.journal.jetstream.engine import Engine, Incoming, InFlight, NoAnswer, Outgoing, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.journal.jetstream.mending import TableMender
from scoville_server.journal.jetstream.messages import Chain, subject_of_row, subject_of_table
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId
from tests.support import virtual_time
from tests.support.nats_server import BINARY, KEY, MISSING, NatsServer, Opened, remove_message
from tests.support.virtual_time import in_virtual_time

T1, T2 = TableId("t1"), TableId("t2")


@pytest.fixture
async def nodes(nats_place: Place) -> Any:
    opened = Opened(nats_place)
    yield opened
    for journal in opened.made:
        await journal.close()


async def test_former_node_writes_nothing_that_is_fenced(nodes: Opened) -> None:
    former = await nodes.serve("a")
    mark = await former.append(T1, [b"1"], START)
    deposed: asyncio.Queue[bool] = asyncio.Queue()
    former.on_deposed = lambda: deposed.put_nowait(True)
    later = await nodes.serve("b")
    for write in (
        former.write([Change("book", "key", b"x")]),
        former.put_user(StoredUser(user=UserId("anna"), name="Anna")),
        former.append(T2, [b"new"], START),
        former.delete_records(T1, mark),
        former.note_alive(5),
    ):
        with pytest.raises(Deposed):
            await write
    # Called in a turn of its own: a node that has just looked refuses all five within the turn before.
    assert await deposed.get()
    assert await later.get("book", "key") is None
    assert await later.read(T1) == ([b"1"], mark)
    assert await later.read(T2) == ([], START)
    assert deposed.empty(), "it is called once"


class DeafEngine(Engine):
    """An engine from which a node does not hear that another one has taken an epoch."""

    async def read_epoch_hint(self, subject: str, on_message: Callable[[], object]) -> None:
        pass


async def test_former_owner_appends_until_its_successor_has_adopted(nodes: Opened) -> None:
    former = await nodes.serve("a", engine=DeafEngine(nodes.place))
    mark = await former.append(T1, [b"1"], START)
    later = await nodes.serve("b")
    mark = await former.append(T1, [b"2"], mark)
    records, known = await later.read(T1)
    await later.append(T1, [b"adopted"], known)
    with pytest.raises((Fenced, Deposed)):
        await former.append(T1, [b"3"], mark)
    assert (await later.read(T1))[0] == [*records, b"adopted"]


async def test_one_of_two_nodes_takes_the_epoch(nodes: Opened) -> None:
    first, second = await nodes.open("a"), await nodes.open("b")
    assert await first.take_epoch() == 1
    with pytest.raises(Conflict):
        await second.take_epoch()
    await first.write([Change("book", "key", b"1")])


async def test_node_whose_turn_came_before_another_served_lets_it_serve(nodes: Opened) -> None:
    """Two nodes that start together both find that no node serves; the later one would end the epoch of the first."""
    first = await nodes.serve("a", known_epoch=0)
    late = await nodes.open("b", known_epoch=0)
    with pytest.raises(Conflict):
        await late.take_epoch()
    await first.write([Change("book", "key", b"1")])
    again = await nodes.open("b", known_epoch=1)
    assert await again.take_epoch() == 2


async def test_follower_hears_what_was_written_before_the_epoch(nodes: Opened) -> None:
    first, second = await nodes.serve("a"), await nodes.open("b")
    heard: list[tuple[str, bytes | None]] = []
    second.follow("book", lambda key, row: heard.append((key, row and row.value)))
    await first.write([Change("book", "one", b"1"), Change("book", "two", b"2")])
    await first.write([Change("book", "one", None)])
    await first.append(T1, [b"1"], START)
    await second.take_epoch()
    assert {key for key, value in dict(heard).items() if value is not None} == {"two"}
    assert [*(await second.tables()).tables] == [T1]


async def test_next_node_knows_whose_beat_was_the_last(nodes: Opened) -> None:
    first = await nodes.serve("a")
    assert (await first.tables()).alive_ms_of(0) is None
    await first.note_alive(5)
    for name in ("b", "c"):
        later = await nodes.serve(name)
        # The second one ends before its first beat, and its clock may be another one.
        assert [(await later.tables()).alive_ms_of(epoch) for epoch in range(4)] == [None, 5, None, None]


async def test_table_with_a_hole_is_not_served(nodes: Opened) -> None:
    reported: list[Damage] = []
    journal = await nodes.serve("a")
    for table in (T1, T2):
        mark = START
        for n in range(5):
            mark = await journal.append(table, [b"%d" % n], mark)
    await remove_message(nodes.place, await sequence_of(nodes.place, subject_of_table(T1), 2))
    with pytest.raises(JournalError, match="its records 3 to 3 are missing"):
        await journal.read(T1)
    later = await nodes.serve("b")
    assert later._mirror.faults == 1
    later.report_damage = reported.append  # type: ignore[method-assign]
    later._mirror._report_damage = reported.append
    assert [*(await later.tables()).tables] == [T2]
    assert [damage.reason for damage in reported] == [
        "Table t1 cannot be reopened: its records 3 to 3 are missing in the engine of the cluster."
    ]


async def append_five(journal: JetStreamJournal, table: TableId = T1) -> Mark:
    mark = START
    for n in range(5):
        mark = await journal.append(table, [b"%d" % n], mark)
    return mark


@pytest.mark.parametrize("lost", [0, 2, 4])
async def test_node_that_has_followed_mends_a_table(nodes: Opened, lost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[Damage] = []
    await append_five(await nodes.serve("a"))
    follower = await nodes.open("b")
    follower.report_damage = reported.append  # type: ignore[method-assign]
    monkeypatch.setattr(mirror_module, "_SETTLE_SECONDS", 0)
    assert await follower._mirror.find_lost_tables() == []
    await remove_message(nodes.place, await sequence_of(nodes.place, subject_of_table(T1), lost))
    assert await follower._mirror.find_lost_tables() == [T1]
    await follower.take_epoch()
    stored = (await follower.tables()).tables[T1]
    assert stored.mark is not None
    await follower.append(T1, [b"adopted"], stored.mark)
    whole = [b"0", b"1", b"2", b"3", b"4", b"adopted"]
    assert (await (await nodes.serve("c")).read(T1))[0] == whole
    assert [damage.reason for damage in reported] == [
        "Table t1 had lost messages in the engine of the cluster; it was written afresh, and is whole again."
    ]


async def test_table_lost_by_a_replica_is_read_elsewhere(nodes: Opened) -> None:
    await append_five(await nodes.serve("a"))
    for name in ("b", "c"):
        node = await nodes.open(name)
        chain = node._mirror._tables[T1]
        chain.fault = "its records 1 to 2 are missing"
        if name == "c":
            del node._mirror._tables[T1]
        await node.take_epoch()
        assert [*(await node.tables()).tables[T1].records] == [b"0", b"1", b"2", b"3", b"4"]


class ForgetfulEngine(Engine):
    """An engine of several replicas, of which the one that is read first has lost a row."""

    async def connect(self, *, makes_stream: bool = True) -> None:
        await super().connect(makes_stream=makes_stream)
        self.replicas = 3

    async def read_from(self, sequence: int, subject: str = ">", at_once: int = 0) -> AsyncIterator[Incoming]:
        async for message in super().read_from(sequence, subject):
            if "bans" not in message.subject:
                yield message


async def test_row_lost_by_a_replica_is_read_elsewhere(nodes: Opened) -> None:
    first = await nodes.serve("a")
    await first.write([Change("bans", f"b{n}", b"Zoe") for n in range(3)])
    await first.write([Change("bans", "b1", None)])
    node = await nodes.open("b", engine=ForgetfulEngine(nodes.place))
    assert {key for key, _ in node._mirror.rows_of("bans")} == {"b0", "b2"}


async def test_newer_records_of_the_former_owner_are_not_replaced(nodes: Opened) -> None:
    former = await nodes.serve("a", engine=DeafEngine(nodes.place))
    mark = await append_five(former)
    later = await nodes.serve("b")
    await former.append(T1, [b"5"], mark)
    before = await sequence_of(nodes.place, subject_of_table(T1), 0)
    await TableMender(later._engine, later._insistence, later._mirror, later._writer, later.report_damage).mend_tables()
    assert [*(await later.tables()).tables[T1].records][-1] == b"5"
    assert await sequence_of(nodes.place, subject_of_table(T1), 0) == before


async def test_node_remembers_a_bounded_number_of_deletions(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror_module, "MOST_DELETED", 3)
    journal = await nodes.serve("a")
    for n in range(5):
        await journal.write([Change("book", f"key{n}", b"1")])
        await journal.write([Change("book", f"key{n}", None)])
    assert len(journal._mirror.deleted) == 3
    await journal.write([Change("book", "key0", b"2", ABSENT)])
    row = await journal.get("book", "key0")
    assert row is not None
    assert row.value == b"2"


def test_two_histories_of_a_table_are_found() -> None:
    from msgspec import msgpack

    from scoville_server.journal.jetstream.messages import TableMark, make_table_message

    first = make_table_message(T1, [b"1"], TableMark(), afresh=False)
    after = TableMark(1, 1, first.seal)
    one, other = (make_table_message(T1, [record], after, afresh=False) for record in (b"one", b"other"))
    behind = make_table_message(T1, [b"3"], TableMark(2, 2, one.seal), afresh=False)
    chain = Chain(T1)
    for n, message in enumerate((first, other, behind), 1):
        chain.take_message(n, msgpack.encode(message))
    assert chain.fault == "two histories of it exist from its record 3 on"
    spoilt = Chain(T1)
    spoilt.take_message(1, msgpack.encode(first).replace(b"1", b"2"))
    assert spoilt.fault == "the message 1 is damaged"


async def test_damaged_row_that_protects_players_refuses_the_start(nodes: Opened) -> None:
    await nodes.serve("a")
    engine = Engine(nodes.place)
    await engine.connect()
    for book in ("bans", "chat"):
        await engine.publish(Outgoing(subject_of_row(book, "one"), b"\x90"))
    await engine.close()
    with pytest.raises(JournalError, match="row one of the book bans is damaged"):
        await nodes.open("b")
    await nodes.open("b", leave_out_damaged=True)


class LosesAnswers(Engine):
    """An engine whose answers to writes are lost, one after the other."""

    lost = 0

    async def publish(self, message: Outgoing, *, repeats: bool = False) -> int:
        return self._lose(await super().publish(message, repeats=repeats), message.subject)

    async def publish_batch(self, messages: Any) -> list[int]:
        return self._lose(await super().publish_batch(messages), messages[-1].subject)

    def _lose(self, answer: Any, subject: str) -> Any:
        if subject != "barrier" and self.lost:
            self.lost -= 1
            raise NoAnswer
        return answer


async def test_write_whose_answer_is_lost_is_kept_once(nodes: Opened) -> None:
    engine = LosesAnswers(nodes.place)
    journal = await nodes.serve("a", engine=engine)
    engine.lost = 1
    mark = await journal.append(T1, [b"1"], START)
    engine.lost = 1
    mark = await journal.append(T1, [b"2"], mark)
    engine.lost = 1
    await journal.write([Change("book", "key", b"1", ABSENT), Change("book", "other", b"2")])
    row = await journal.get("book", "key")
    assert row is not None
    engine.lost = 1
    await journal.write([Change("book", "key", b"2", row.revision)])
    engine.lost = 1
    with pytest.raises(Conflict):
        await journal.write([Change("book", "key", b"3", row.revision)])
    assert await journal.read(T1) == ([b"1", b"2"], mark)
    engine.lost = 1
    await journal.delete_records(T1, mark)
    assert await journal.read(T1) == ([], START)


async def test_deleted_row_may_be_created_again(nodes: Opened) -> None:
    journal = await nodes.serve("a")
    for _ in range(2):
        await journal.write([Change("book", "key", b"1", ABSENT)])
        row = await journal.get("book", "key")
        await journal.write([Change("book", "key", None)])
        assert row is not None
        with pytest.raises(Conflict):
            await journal.write([Change("book", "key", b"2", row.revision)])
    later = await nodes.serve("b")
    await later.write([Change("book", "key", b"3", ABSENT)])
    assert (await later.get("book", "key") or Row(b"", ABSENT)).value == b"3"


async def test_names_of_any_form_return(nodes: Opened) -> None:
    names = ["lobby/1", "Anna Ü. *>", "", "=41", "a.b", "…"]
    journal = await nodes.serve("a")
    await journal.write([Change(f"book.{name}", name, name.encode()) for name in names])
    later = await nodes.serve("b")
    found: dict[str, Row | None] = {}
    for name in names:
        later.follow(f"book.{name}", found.__setitem__)
    assert {key: row and row.value for key, row in found.items()} == {name: name.encode() for name in names}


async def test_many_rows_are_written_in_portions(nodes: Opened) -> None:
    journal = await nodes.serve("a")
    await journal.write([Change("book", f"{n:04}", b"x") for n in range(2_000)])
    rows: dict[str, Row | None] = {}
    (await nodes.serve("b")).follow("book", rows.__setitem__)
    assert [*rows] == [f"{n:04}" for n in range(2_000)]


async def test_node_with_another_key_does_not_join(nodes: Opened) -> None:
    await nodes.open("a")
    with pytest.raises(JournalError, match=r"Copy server\.key from the data folder of another node"):
        await nodes.open("b", key=ServerKey.new_key())
    await nodes.open("c", secrets={"Copy door.credential": b"1"})
    with pytest.raises(JournalError, match=r"Copy door\.credential"):
        await nodes.open("d", secrets={"Copy door.credential": b"2"})


async def test_unreachable_engine_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.journal.jetstream.client.CONNECT_SECONDS", 0.05)
    with pytest.raises(JournalError) as refused:
        await Engine(Place(servers=("nats://user:secret@127.0.0.1:1",))).connect()
    assert "127.0.0.1:1" in refused.value.message
    assert "secret" not in refused.value.message


async def test_append_to_a_missing_engine_has_an_unknown_outcome(tmp_path: Path) -> None:
    if not BINARY.exists():
        pytest.skip(MISSING)
    server = NatsServer(tmp_path / "nats")
    terms = ClusterTerms(Member("a", "a.example:7700", KEY), 1_000, insist_seconds=0.2)
    journal = JetStreamJournal(Engine(server.place()), terms)
    try:
        await journal.open()
        await journal.take_epoch()
        mark = await journal.append(T1, [b"1"], START)
        server.kill()
        with pytest.raises(JournalError) as refused:
            await journal.append(T1, [b"2"], mark)
        assert refused.value.code == Code.OUTCOME_UNKNOWN
    finally:
        server.kill()
        await journal.close()


SYSTEM_ACCOUNT = """
accounts {
    SYS { users: [{user: sys, password: pass}] }
    APP { jetstream: enabled, users: [{user: app, password: pass}] }
}
system_account: SYS
"""


@pytest.mark.parametrize("sync", ["always", "2m"])
async def test_doubts_about_the_engine_are_named(tmp_path: Path, sync: str) -> None:
    if not BINARY.exists():
        pytest.skip(MISSING)
    server = NatsServer(tmp_path / "nats", settings=SYSTEM_ACCOUNT, jetstream=f"sync_interval: {sync}")
    address = server.address.removeprefix("nats://")
    engine = Engine(Place(servers=(f"nats://app:pass@{address}",), replicas=1, system=(f"nats://sys:pass@{address}",)))
    try:
        await engine.connect()
        doubts = await find_doubts(engine)
        late = ["nats0 sync their disks later than they answer: set sync_interval: always."]
        assert doubts == [
            "The engine keeps 1 of 3 replicas: a lost disk loses games.",
            *(late if sync == "2m" else []),
        ]
    finally:
        await engine.close()
        server.kill()


def test_server_whose_disk_was_full_is_named() -> None:
    servers = {"nats0": ServerLook(False, {}, has_stopped=True), "nats1": ServerLook(True, {})}
    assert describe_looks([servers], 2) == [
        (
            "nats0 have stopped to keep anything, as they do when a disk is full, or when they may not write to their "
            "store_dir: mend that, and restart them."
        )
    ]


def look(**servers: tuple[int, int]) -> Look:
    return {name: ServerLook(True, {"club": StreamState(*state)}) for name, state in servers.items()}


def test_server_with_fewer_messages_than_its_equals_has_lost_some() -> None:
    lost = look(one=(10, 20), two=(7, 20), three=(9, 19))
    assert list_losses([lost]) == {("two", "club"): 3}
    assert list_losses([lost, look(one=(12, 22), two=(8, 22))]) == {("two", "club"): 3}
    # It was only about to drop what had expired, or the two cannot be compared at the moment.
    assert list_losses([lost, look(one=(7, 20), two=(7, 20))]) == {}
    assert list_losses([lost, look(one=(11, 21), two=(7, 20))]) == {}


async def sequence_of(place: Place, subject: str, n: int) -> int:
    """Return the sequence of a subject's message number `n`, from 0."""
    engine = Engine(place)
    await engine.connect()
    found = [message.sequence async for message in engine.read_from(1, subject)]
    await engine.close()
    return found[n]


async def test_answer_that_nobody_waits_for_is_forgotten(nats_place: Place) -> None:
    engine: Any = Engine(nats_place)
    await engine.connect()
    await engine.close()
    made, expect = [], engine._inbox.expect_answer

    def note() -> Any:
        reply, answer = expect()
        made.append(answer)
        return reply, answer

    engine._inbox.expect_answer = note
    with pytest.raises(NoAnswer):
        await engine.publish(Outgoing("t.t1", b"x"))
    assert [answer.cancelled() for answer in made] == [True]


async def test_read_without_an_answer_is_asked_again(nats_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "READ_SECONDS", 0.05)
    engine: Any = Engine(nats_place)
    await engine.connect()
    for n in range(3):
        await engine.publish(Outgoing(f"t.t{n}", b"x"))
    publish = engine._publish_raw
    swallowed: list[str] = []

    async def swallow(subject: str, *arguments: Any) -> None:
        if len(swallowed) < 3 and "DIRECT.GET" in subject:
            swallowed.append(subject)
        else:
            await publish(subject, *arguments)

    engine._publish_raw = swallow
    assert [message.subject async for message in engine.read_from(1, "t.>")] == ["t.t0", "t.t1", "t.t2"]
    assert len(swallowed) == 3
    monkeypatch.setattr(engine, "_publish_raw", lambda *_: asyncio.sleep(0))
    with pytest.raises(NoAnswer):
        _ = [message async for message in engine.read_from(1)]
    await engine.close()


class ElectingEngine(Engine):
    """An engine whose servers elect their leader for some seconds, and answer so."""

    def __init__(self, seconds: float) -> None:
        super().__init__(Place(servers=("nats://127.0.0.1:1",)), virtual_time.make_clock())
        self._elected = self.clock.seconds() + seconds
        self.lacks: dict[str, bool] = {}

    async def _publish_raw(self, subject: str, payload: bytes, reply: str, headers: Any = None) -> None:
        elects = {"error": {"err_code": 10008, "description": "JetStream system temporarily unavailable"}}
        takes = dict.fromkeys(["allow_atomic", "allow_direct", "allow_rollup_hdrs", "allow_msg_ttl"], True)
        made = {"config": {"num_replicas": 3, "storage": "file", **takes, **self.lacks}}
        data = json.dumps(elects if self.clock.seconds() < self._elected else made).encode()
        self._inbox._answers[reply].set_result(SimpleNamespace(headers=None, data=data))


@in_virtual_time
async def test_node_waits_for_an_election_at_its_start() -> None:
    engine = ElectingEngine(9)
    await engine._find_stream(makes_stream=True)
    assert engine.replicas == 3
    with pytest.raises(Unreached, match="temporarily unavailable"):
        await ElectingEngine(60)._find_stream(makes_stream=True)


@in_virtual_time
async def test_engine_that_takes_no_batches_is_refused() -> None:
    """A server of NATS before 2.12 makes the stream, and keeps each message of a batch by itself."""
    engine = ElectingEngine(0)
    engine.lacks = {"allow_atomic": False}
    with pytest.raises(JournalError, match=r"need nats-server 2\.12 or newer"):
        await engine._find_stream(makes_stream=True)


class RacedEngine(ElectingEngine):
    """An engine at which another node makes the stream between this one's look and its request."""

    def __init__(self) -> None:
        super().__init__(0)
        self._asked: list[str] = []

    async def _publish_raw(self, subject: str, payload: bytes, reply: str, headers: Any = None) -> None:
        self._asked.append(subject.split(".")[3])
        errors = {1: (10059, "stream not found"), 2: (10058, "stream name already in use")}
        if len(self._asked) not in errors:
            await super()._publish_raw(subject, payload, reply, headers)
            return
        code, description = errors[len(self._asked)]
        answer = {"error": {"err_code": code, "description": description}}
        self._inbox._answers[reply].set_result(SimpleNamespace(headers=None, data=json.dumps(answer).encode()))


@in_virtual_time
async def test_node_uses_the_stream_that_another_one_has_just_made() -> None:
    engine = RacedEngine()
    await engine._find_stream(makes_stream=True)
    assert (engine._asked, engine.replicas) == (["INFO", "CREATE", "INFO"], 3)


async def test_nodes_that_start_together_note_one_key(nodes: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    publish, in_flight = Engine.publish, [True] * 3

    async def publish_at_once(engine: Engine, message: Outgoing, *, repeats: bool = False) -> int:
        # The engine judges none of them while it keeps the first one.
        if message.expected == 0 and in_flight:
            in_flight.pop()
            raise InFlight("another write is under way")
        return await publish(engine, message, repeats=repeats)

    monkeypatch.setattr(Engine, "publish", publish_at_once)
    await asyncio.gather(*(nodes.open(name, secrets={"Copy door.credential": b"1"}) for name in "abc"))
    assert not in_flight
    assert len({len(journal._mirror.rows_of("cluster")) for journal in nodes.made}) == 1
    assert {row.value for _, row in nodes.made[0]._mirror.rows_of("cluster")} == {KEY.public, b"1"}
