"""Tables of several nodes: adoption is a record, and an owner that finds a later one ends."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from scoville_server.background.eventual import Eventual
from scoville_server.journal.memory import MemoryJournal
from scoville_server.nodes.members import Incarnation, NodeId
from scoville_server.nodes.nodes import single_node
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions.condense import condense_table
from scoville_server.tables.actions.restart import Adopted
from scoville_server.tables.model.clock import Clocks
from scoville_server.tables.state_machine import restore_table, unpack_record
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.journals import JournalView, shared_journal
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_server, toy_shelf
from tests.support.tables import NOON, any_game, carry_out, join_as, new_table
from tests.support.virtual_time import in_virtual_time


async def start_node(name: str, journal: JournalView) -> Server:
    server = Server(
        Settings(accounts=CHEAP_HASHING),
        catalog=toy_shelf(),
        journal=journal,
        clock=virtual_time.make_clock(),
        make_nodes=lambda flushes: single_node(flushes, NodeId(name)),
    )
    await server.start()
    await asyncio.sleep(1)
    return server


async def code_of(awaitable: Awaitable[Any]) -> str:
    try:
        await awaitable
    except ScovilleError as error:
        return error.code
    return "ok"


async def play_first_move(table: str, user: Caller) -> None:
    moves = (await user.call(m.MovesRequest(table=table))).moves
    await user.call(m.PlayRequest(table=table, move=moves[0]))


class TakenOver:
    """A game at node `a`, both of whose players watch it; `b` takes it over, of which `a` hears by its writes alone."""

    async def begin(self, *, hears: bool = False) -> "TakenOver":
        self.journal = shared_journal()
        self.journal.hears_nothing = not hears
        self.a = await start_node("a", self.journal)
        self.anna, self.ben = await Caller(self.a).hello("Anna"), await Caller(self.a).hello("Ben")
        self.table = await self.anna.create("high_card", 2)
        for user in (self.anna, self.ben):
            await user.call(m.JoinRequest(table=self.table))
        await self.anna.call(m.StartRequest(table=self.table))
        for user in (self.anna, self.ben):
            await user.call(m.WatchRequest(table=self.table))
        return self

    async def take_over(self, **view: bool) -> "TakenOver":
        other = self.journal.next_view()
        for name, value in view.items():
            setattr(other, name, value)
        self.other = other
        self.b = await start_node("b", other)
        assert self.anna.welcome is not None
        self.anna_at_b = await Caller(self.b).hello("Anna", self.anna.welcome.token)
        return self

    async def owners(self) -> list[Incarnation]:
        records = [unpack_record(record) for record in (await self.journal.read(TableId(self.table)))[0]]
        return [record.owner for record in records if isinstance(record, Adopted)]


async def test_refused_start_deposes_nobody() -> None:
    journal = shared_journal()
    first = Server(Settings(accounts=CHEAP_HASHING, host="127.0.0.1", port=0), toy_shelf(), journal)  # type: ignore[arg-type]
    await first.start()
    try:
        settings = Settings(accounts=CHEAP_HASHING, host="127.0.0.1", port=first.port)
        second = Server(settings, toy_shelf(), journal.next_view())  # type: ignore[arg-type]
        with pytest.raises(OSError, match="in use"):
            await second.start()
        await second.close()
        anna = await Caller(first).hello("Anna")
        await anna.call(m.SayRequest(text="Still here"))
    finally:
        await first.close()


@in_virtual_time
async def test_records_before_the_epoch_are_not_missing() -> None:
    journal = shared_journal()
    first = await start_node("a", journal)
    waiting = journal.next_view()
    opened = Server(Settings(accounts=CHEAP_HASHING), toy_shelf(), waiting, virtual_time.make_clock())  # type: ignore[arg-type]
    await core_of(opened).open_journal()
    anna = await Caller(first).hello("Anna")
    await anna.call(m.ClaimNameRequest(password="green or red?"))
    table = await anna.create("high_card", 2)
    await core_of(opened).restore_services()
    assert core_of(opened).users.claims.find_owner("Anna") is not None
    assert table in core_of(opened).tables


@in_virtual_time
async def test_owner_of_a_table_that_was_adopted_looks_whether_another_node_serves() -> None:
    game = await (await TakenOver().begin()).take_over()
    assert game.journal.looks == 0
    assert await code_of(play_first_move(game.table, game.anna)) == Code.MOVED
    assert game.journal.looks == 1


@in_virtual_time
async def test_deposed_owner_accepts_no_move() -> None:
    game = await (await TakenOver().begin()).take_over()
    await play_first_move(game.table, game.anna_at_b)
    assert [await code_of(play_first_move(game.table, game.ben)) for _ in range(2)] == [Code.MOVED, Code.MOVED]
    assert [owner.node for owner in await game.owners()] == ["a", "b"]


@in_virtual_time
async def test_deposed_owner_sends_its_watchers_on() -> None:
    game = await (await TakenOver().begin()).take_over()
    known = (await game.ben.call(m.PollRequest(table=game.table))).seq
    polling = asyncio.ensure_future(game.ben.call(m.PollRequest(table=game.table, since=known, wait_ms=50_000)))
    await asyncio.sleep(0.1)
    await code_of(play_first_move(game.table, game.ben))
    assert [user.peer.bye and user.peer.bye.code for user in (game.anna, game.ben)] == [Code.MOVED, Code.MOVED]
    assert await code_of(polling) == Code.MOVED


@in_virtual_time
async def test_node_that_hears_of_its_successor_sends_everybody_on() -> None:
    game = await TakenOver().begin(hears=True)
    zoe = await Caller(game.a).hello("Zoe")
    await game.take_over()
    assert [user.peer.bye and user.peer.bye.code for user in (game.anna, game.ben, zoe)] == [Code.MOVED] * 3
    assert await code_of(Caller(game.a).hello("Yan")) == Code.MOVED
    assert (core_of(game.a).permits.serves, core_of(game.b).permits.serves) == (False, True)


@in_virtual_time
async def test_former_node_writes_no_row() -> None:
    game = await (await TakenOver().begin()).take_over()
    assert await code_of(game.ben.call(m.SayRequest(text="hi"))) == Code.MOVED
    assert await code_of(game.ben.call(m.ClaimNameRequest(password="a very long password"))) == Code.MOVED


@pytest.mark.parametrize(("epoch", "charged"), [(1, 0), (2, 20_000)])
@in_virtual_time
async def test_only_beats_of_the_owner_count_as_thinking_time(epoch: int, charged: int) -> None:
    journal = shared_journal()
    first = await start_node("a", journal)
    users = [await Caller(first).hello(name) for name in ("Anna", "Ben")]
    clock = m.ClockParams(move_ms=600_000)
    opened = await users[0].call(m.CreateRequest(game="high_card", seat_count=2, clock=clock))
    table = TableId(opened.info.table)
    for user in users:
        await user.call(m.JoinRequest(table=table))
    await users[0].call(m.StartRequest(table=table))
    second = await start_node("b", journal.next_view())
    adopted = clocks_of(second, table)
    await asyncio.sleep(30)
    third = journal.next_view()
    third.alive = adopted.at_ms + 20_000, epoch
    found = clocks_of(await start_node("c", third), table)
    assert [found.spent[seat] - adopted.spent[seat] for seat in found.running] == [charged] * 2


def clocks_of(server: Server, table: TableId) -> Clocks:
    found = core_of(server).tables.find_table(table).table.clocks
    assert found is not None
    return found


@in_virtual_time
async def test_nothing_happens_before_the_adoption() -> None:
    game = await (await TakenOver().begin()).take_over(broken=True)
    assert await code_of(play_first_move(game.table, game.anna_at_b)) == Code.BUSY
    assert await code_of(game.anna_at_b.call(m.WatchRequest(table=game.table))) == Code.BUSY
    assert await code_of(game.anna_at_b.call(m.PollRequest(table=game.table))) == Code.BUSY
    game.other.broken = False
    await asyncio.sleep(60)
    assert await code_of(play_first_move(game.table, game.anna_at_b)) == "ok"


@pytest.mark.parametrize("request_type", [m.WatchRequest, m.PollRequest])
@in_virtual_time
async def test_users_wait_for_the_adoption_of_their_table(request_type: type[m.WatchRequest | m.PollRequest]) -> None:
    game = await TakenOver().begin()
    other = game.journal.next_view()
    other.gate.clear()
    zoe = await Caller(await start_node("b", other)).hello("Zoe")
    shown = zoe.handler.handle_request(request_type(table=game.table))
    # Not by a Task, whose answer comes turns after the user has begun to watch: events would overtake it.
    assert isinstance(shown, Eventual)
    await asyncio.sleep(1)
    assert not shown.done()
    other.gate.set()
    assert (await shown).info.table == game.table


@pytest.mark.parametrize("request_type", [m.WatchRequest, m.PollRequest])
@in_virtual_time
async def test_nobody_is_shown_less_than_they_know(request_type: type[m.WatchRequest | m.PollRequest]) -> None:
    game = await (await TakenOver().begin()).take_over()
    zoe = await Caller(game.a).hello("Zoe")
    await play_first_move(game.table, game.anna_at_b)
    known = (await game.anna_at_b.call(m.WatchRequest(table=game.table))).seq
    game.journal.gate.clear()
    watching = asyncio.ensure_future(code_of(zoe.call(request_type(table=game.table, since=known))))
    await asyncio.sleep(1)
    assert not watching.done()
    game.journal.gate.set()
    assert await watching == Code.MOVED


@pytest.mark.parametrize("request_type", [m.WatchRequest, m.PollRequest])
@in_virtual_time
async def test_false_claim_of_newer_events_still_watches(request_type: type[m.WatchRequest]) -> None:
    game = await TakenOver().begin()
    zoe = await Caller(game.a).hello("Zoe")
    assert (await zoe.call(request_type(table=game.table, since=99))).seq < 99


@in_virtual_time
async def test_former_node_ends_nothing_of_its_successor() -> None:
    game = await (await TakenOver().begin()).take_over()
    zoe, vera = await Caller(game.a).hello("Zoe"), await Caller(game.b).hello("Vera")
    table = await game.anna_at_b.create("high_card", 2)
    assert vera.welcome is not None
    assert await code_of(zoe.call(m.WatchRequest(table=table))) == Code.MOVED
    assert await code_of(zoe.call(m.JoinRequest(table=table))) == Code.MOVED
    assert await code_of(Caller(game.a).hello("Vera", vera.welcome.token)) == Code.MOVED
    assert await code_of(vera.call(m.WatchRequest(table="nowhere"))) == Code.UNKNOWN_TABLE
    assert await code_of(Caller(game.b).hello("Yan", "unknown")) == "ok"


@in_virtual_time
async def test_false_claim_hides_nothing_from_others() -> None:
    game = await TakenOver().begin()
    zoe = await Caller(game.a).hello("Zoe")
    await zoe.call(m.WatchRequest(table=game.table, since=99))
    await game.take_over()
    await play_first_move(game.table, game.anna_at_b)
    known = (await game.anna_at_b.call(m.WatchRequest(table=game.table))).seq
    assert await code_of(game.ben.call(m.WatchRequest(table=game.table, since=known))) == Code.MOVED


@in_virtual_time
async def test_growing_claims_cause_one_read_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    game = await TakenOver().begin()
    reads: list[float] = []
    read, now = game.journal.read, asyncio.get_running_loop().time

    def note_read(table: TableId) -> Awaitable[Any]:
        reads.append(now())
        return read(table)

    monkeypatch.setattr(game.journal, "read", note_read)
    began = now()
    for claim in range(100, 130, 10):
        claims = [m.WatchRequest(table=game.table, since=claim + n) for n in range(10)]
        assert await asyncio.gather(*[code_of(game.ben.call(each)) for each in claims]) == ["ok"] * 10
    assert [round(at - began, 3) for at in reads] == [0, 1, 2]


@in_virtual_time
async def test_adopted_table_is_watched_though_nobody_learned_of_its_adoption() -> None:
    journal = shared_journal()
    table = await (await Caller(await start_node("a", journal)).hello()).create("high_card", 2)
    other = journal.next_view()
    other.loses_answers = True
    node = await start_node("b", other)
    other.loses_answers = False
    await asyncio.sleep(60)
    assert await code_of((await Caller(node).hello()).call(m.WatchRequest(table=table))) == "ok"


@in_virtual_time
@pytest.mark.parametrize("slow", ["read", "append"])
async def test_seat_taken_during_a_move_has_its_new_owner(caplog: pytest.LogCaptureFixture, slow: str) -> None:
    """A player joins and is gone; only when the table has moved does its former owner learn that they have joined."""
    journal = shared_journal()
    node = await start_node("a", journal)
    anna, ben = await Caller(node).hello("Anna"), await Caller(node).hello("Ben")
    table = await anna.create("high_card", 2)
    journal.loses_answers = slow == "read"
    if slow == "append":
        journal.gate.clear()
    joining = asyncio.ensure_future(code_of(ben.call(m.JoinRequest(table=table))))
    await asyncio.sleep(0.1)
    journal.gate.clear()
    ben.hang_up()
    coming = asyncio.ensure_future(code_of(anna.call(m.JoinRequest(table=table))))
    await asyncio.sleep(0.1)
    core_of(node).tables.find_table(table).end_moved()
    journal.gate.set()
    assert await asyncio.gather(joining, coming) == [{"read": Code.OUTCOME_UNKNOWN, "append": "ok"}[slow], Code.MOVED]
    await asyncio.sleep(1)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


@in_virtual_time
async def test_waiting_commands_are_refused_as_moved() -> None:
    game = await (await TakenOver().begin()).take_over()
    waiting = [asyncio.ensure_future(game.ben.call(m.LeaveRequest(table=game.table))) for _ in range(3)]
    assert [await code_of(each) for each in waiting] == [Code.MOVED] * 3
    assert core_of(game.a).tables.all_tables() == []


@in_virtual_time
async def test_only_a_successor_says_that_a_table_is_gone() -> None:
    game = await (await TakenOver().begin()).take_over()
    _, mark = await game.journal.read(TableId(game.table))
    await game.other.delete_records(TableId(game.table), mark)
    assert await code_of(game.ben.call(m.LeaveRequest(table=game.table))) == Code.MOVED
    assert await code_of(game.ben.call(m.WatchRequest(table=game.table))) == Code.MOVED


@in_virtual_time
async def test_server_alone_adopts_nothing() -> None:
    journal = MemoryJournal()
    for _ in range(2):
        server = toy_server(Settings(accounts=CHEAP_HASHING), journal=journal, clock=virtual_time.make_clock())
        await server.start()
        table = await (await Caller(server).hello()).create("high_card", 2)
        kinds = [type(unpack_record(record)).__name__ for record in (await journal.read(TableId(table)))[0]]
        assert kinds == ["Created"]


def test_condensed_table_keeps_its_owner() -> None:
    table = carry_out(new_table("high_card", 2), join_as("Anna"))
    owner = Incarnation(NodeId("a"), 3)
    adopted = restore_table([table.opened, Adopted(at_ms=NOON, owner=owner)], any_game)
    assert restore_table(condense_table(adopted, NOON), any_game).owner == owner
