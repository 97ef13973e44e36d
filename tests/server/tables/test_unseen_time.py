"""Thinking time begins when players are shown that it is their turn: a journal that is slow costs them nothing."""

import asyncio

import pytest

from scoville_server.journal.base import CommitFailed, Mark
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model import clock
from scoville_shared.errors import Code
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.support import virtual_time
from tests.support.server import Caller, GatedJournal, core_of, toy_server
from tests.support.virtual_time import in_virtual_time

MOVE_MS = 10_000


async def begin_game() -> tuple[GatedJournal, TableActor, list[Caller]]:
    """A game of two with ten seconds for each move, and its journal."""
    journal = GatedJournal()
    server = toy_server(journal=journal, clock=virtual_time.make_clock())
    await server.start()
    users = [await Caller(server).hello(name) for name in ("Anna", "Ben")]
    made = await users[0].call(
        m.CreateRequest(game="heap", seat_count=2, clock=m.ClockParams(move_ms=MOVE_MS, bank_ms=0, absence_ms=None))
    )
    for user in users:
        await user.call(m.JoinRequest(table=made.info.table))
    await users[0].call(m.StartRequest(table=made.info.table))
    return journal, core_of(server).tables.find_table(made.info.table), users


def left_ms(actor: TableActor) -> tuple[Seat, int]:
    """The seat that is to move, and what it has left."""
    assert actor.table.clocks is not None
    [seat] = actor.table.clocks.running
    return seat, clock.time_left_ms(clock.let_time_pass(actor.table.clocks, actor.now()), seat)


async def play(actor: TableActor, users: list[Caller], seat: int) -> None:
    await users[seat].call(m.PlayRequest(table=actor.table.id, move={"sticks": 1}))


@pytest.mark.parametrize("seconds", [0.05, 1.0, 9.0, 25.0])
@in_virtual_time
async def test_time_that_the_journal_takes_is_charged_to_nobody(seconds: float) -> None:
    journal, actor, users = await begin_game()
    for thought in (0.0, 3.0):
        mover, left = left_ms(actor)
        assert left == MOVE_MS
        await asyncio.sleep(thought)
        before = actor.now()
        journal.gate.clear()
        playing = asyncio.ensure_future(play(actor, users, mover))
        await asyncio.sleep(seconds)
        journal.gate.set()
        await playing
        assert left_ms(actor) == (Seat(1 - mover), MOVE_MS)
        assert before <= actor.now() <= before + 1
    assert [*actor.table.played] == [1, 1]
    # What is noted for a crash is not ahead of what the table has counted.
    core = core_of(users[0].server)
    assert core.pulse.now_ms() <= actor.now()
    mover, _ = left_ms(actor)
    await asyncio.sleep(MOVE_MS / 1000 - 0.1)
    assert left_ms(actor)[0] == mover
    await asyncio.sleep(0.2)
    assert left_ms(actor)[0] == 1 - mover, "the clock has moved"


@in_virtual_time
async def test_finished_table_does_not_delay_the_heartbeat() -> None:
    journal, actor, users = await begin_game()
    journal.gate.clear()
    playing = asyncio.ensure_future(play(actor, users, left_ms(actor)[0]))
    await asyncio.sleep(5)
    journal.gate.set()
    await playing
    pulse = core_of(users[0].server).pulse
    assert pulse.now_ms() <= actor.now()
    while actor.table.status == "playing":
        await play(actor, users, left_ms(actor)[0])
    assert pulse.now_ms() > actor.now() + 4_000


@in_virtual_time
async def test_time_of_a_quick_journal_goes_on_with_the_date() -> None:
    journal, actor, users = await begin_game()
    before = actor.now()
    journal.gate.clear()
    playing = asyncio.ensure_future(play(actor, users, left_ms(actor)[0]))
    await asyncio.sleep(0.01)
    journal.gate.set()
    await playing
    assert actor.now() == before + 10


@in_virtual_time
async def test_time_until_a_write_has_failed_is_charged_to_nobody() -> None:
    journal, actor, users = await begin_game()
    mover, _ = left_ms(actor)
    await asyncio.sleep(3)
    keep, disk = journal.append, asyncio.Event()

    async def refuse(*_: object, **__: object) -> Mark:
        await disk.wait()
        raise CommitFailed("The disk is full.")

    journal.append = refuse  # type: ignore[method-assign]
    for seconds in (4.0, 8.0):
        disk.clear()
        playing = asyncio.ensure_future(outcome_of(play(actor, users, mover)))
        await asyncio.sleep(seconds)
        disk.set()
        assert await playing == Code.NOT_SAVED
        assert left_ms(actor) == (mover, MOVE_MS - 3_000)
    journal.append = keep  # type: ignore[method-assign]
    # The clock moves when that time is over, and not before.
    await asyncio.sleep((MOVE_MS - 3_000) / 1000 - 0.1)
    assert left_ms(actor) == (mover, 100)
    await asyncio.sleep(0.2)
    assert left_ms(actor)[0] == 1 - mover
