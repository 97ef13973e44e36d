"""Recovery after a crash: tables, seats, secret picks, event numbers and access."""

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoville_runtime.clock import Clock
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.server import Server
from scoville_server.tables.actions.restart import Restarted
from scoville_server.tables.actor import TableActor
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import (
    ClockParams,
    CreateRequest,
    ExportRequest,
    JoinRequest,
    LeaveRequest,
    ListTablesRequest,
    MovesRequest,
    PlayRequest,
    PollRequest,
    RevealRequest,
    StartRequest,
    TableClock,
    TableSnapshot,
)
from tests.server.conftest import Start
from tests.support.journals import append_records, kept_records
from tests.support.server import Caller, core_of, until
from tests.support.tables import new_table


async def connect_user(server: Server, name: str = "", token: str = "") -> Caller:
    return await Caller(server).hello(name, token)


async def back(server: Server, *users: Caller) -> list[Caller]:
    """Reconnect users by their tokens."""
    return [await connect_user(server, token=user.welcome.token) for user in users]


async def seated(server: Server, *names: str, game: str = "high_card") -> tuple[str, list[Caller]]:
    users = [await connect_user(server, name) for name in names]
    table = await users[0].create(game, max(2, len(names)))
    for user in users:
        await user.call(JoinRequest(table=table))
    return table, users


async def table_for_watcher(table: str, *users: Caller) -> list[TableSnapshot]:
    """Let several users watch the table from its first event."""
    return [await user.call(PollRequest(table=table)) for user in users]


async def play(table: str, user: Caller) -> None:
    """Make the first legal move."""
    moves = (await user.call(MovesRequest(table=table))).moves
    await user.call(PlayRequest(table=table, move=moves[0]))


async def play_out(table: str, users: list[Caller]) -> None:
    while (shot := await users[0].call(PollRequest(table=table))).info.status == "playing":
        await play(table, users[shot.pending[0]])


async def test_a_restored_secret_pick_looks_as_before(start: Start) -> None:
    server = await start()
    table, (anna, ben) = await seated(server, "Anna", "Ben")
    zoe = await connect_user(server, "Zoe")
    await anna.call(StartRequest(table=table))
    for user in (anna, ben, ben):
        await play(table, user)
    before = await table_for_watcher(table, anna, ben, zoe)
    again = await start(server)
    anna, ben = await back(again, anna, ben)
    zoe = await connect_user(again, "Zoe")
    assert await table_for_watcher(table, anna, ben, zoe) == before
    assert before[1].pending == [0]
    await play(table, anna)
    (shot,) = await table_for_watcher(table, zoe)
    assert shot.events[-1].seq == before[2].seq + 1
    await play_out(table, [anna, ben])


async def test_both_runs_draw_the_same_cards(start: Start) -> None:
    server = await start()
    table, users = await seated(server, "Anna", "Ben")
    await users[0].call(StartRequest(table=table))
    await play(table, users[0])
    again = await start(server)
    for one in (users, others := await back(again, *users)):
        await play_out(table, one)
    assert [shot.events for shot in await table_for_watcher(table, *users)] == [
        shot.events for shot in await table_for_watcher(table, *others)
    ]


async def test_a_waiting_table_keeps_seats_options_and_host(start: Start) -> None:
    server = await start()
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    made = await anna.call(CreateRequest(game="high_card", seat_count=3, options={"rounds": 2}))
    table = made.info.table
    await ben.call(JoinRequest(table=table, seat=2, nonce_hash=nonce_hash(table, b"\x0b" * 32).hex()))
    await anna.call(JoinRequest(table=table, seat=0))
    before = (await anna.call(ListTablesRequest())).tables
    again = await start(server)
    anna, ben = await back(again, anna, ben)
    assert (await anna.call(ListTablesRequest())).tables == before
    assert before[0].options == {"rounds": 2}
    assert before[0].host == 2
    await ben.call(StartRequest(table=table, bots="random"))
    await ben.call(RevealRequest(table=table, nonce="0b" * 32))
    (shot,) = await table_for_watcher(table, anna)
    started = shot.events[3]
    assert started.nonces == [None, None, "0b" * 32]


async def test_tables_are_listed_in_the_order_of_their_opening(start: Start) -> None:
    server = await start(clock=Clock(itertools.count().__next__))
    users = [await connect_user(server) for _ in range(9)]
    opened = [await user.create() for user in users]
    again = await start(server)
    assert [info.table for info in (await (await connect_user(again)).call(ListTablesRequest())).tables] == opened


def end_grace_time(server: Server) -> None:
    """Run the timers of every seat that waits for its player: first the warning, then the end."""
    timers = core_of(server).seating.absences._absences
    for _ in ("warning", "end"):
        for absence in tuple(timers.values()):
            alarm: Any = absence.timer
            alarm._call_back()
            absence.timer.cancel()
    assert not timers


def humans(actor: TableActor) -> list[bool]:
    return [seat_state.human for seat_state in actor.table.seats]


async def test_an_absent_player_is_replaced_after_the_grace_time(start: Start) -> None:
    server = await start()
    table, (anna, ben) = await seated(server, "Anna", "Ben")
    await anna.call(StartRequest(table=table))
    again = await start(server)
    await back(again, anna)
    actor = core_of(again).tables.find_table(table)
    assert [user.name for user, _ in core_of(again).seating.absences._absences] == ["Ben"]
    end_grace_time(again)
    await until(lambda: actor.table.played == (0, 1))
    assert (humans(actor), actor.table.moves[0].mover) == ([True, False], "bot")
    await back(again, ben)
    await until(lambda: humans(actor) == [True, True])


async def test_absence_before_a_crash_returns_and_leaving_does_not(start: Start) -> None:
    server = await start(grace_seconds=0.001)
    table, (anna, ben, cleo) = await seated(server, "Anna", "Ben", "Cleo")
    await anna.call(StartRequest(table=table))
    await cleo.call(LeaveRequest(table=table))
    ben.hang_up()
    actor = core_of(server).tables.find_table(table)
    await until(lambda: humans(actor) == [True, False, False])
    await until_written(server)
    again = await start(server)
    anna, ben, cleo = await back(again, anna, ben, cleo)
    actor = core_of(again).tables.find_table(table)
    await until(lambda: humans(actor) == [True, True, False])
    assert [shot.seat for shot in await table_for_watcher(table, anna, ben, cleo)] == [0, 1, None]


async def test_clocks_continue_without_the_downtime(start: Start) -> None:
    server = await start()
    anna = await connect_user(server, "Anna")
    params = CreateRequest(game="heap", seat_count=2, clock=ClockParams(move_ms=600_000, bank_ms=60_000))
    table = (await anna.call(params)).info.table
    await anna.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table, bots="random"))
    await until_written(server)
    again = await start(server)
    actor = core_of(again).tables.find_table(table)
    kept = actor.table.clocks
    await until(lambda: actor.table.clocks != kept)
    records = await kept_records(core_of(again).journal, TableId(table))
    assert any(isinstance(record, Restarted) for record in records)
    clocks = actor.table.clocks
    assert clocks is not None
    assert clocks.terms == TableClock(move_ms=600_000, bank_ms=60_000)
    assert max(clocks.spent) < 600_000


async def test_a_table_of_bots_plays_on(start: Start) -> None:
    server = await start()
    table, (anna,) = await seated(server, "Anna", game="heap")
    await anna.call(StartRequest(table=table, bots="random"))
    again = await start(server, grace_seconds=0.001)
    actor = core_of(again).tables.find_table(table)
    await until(lambda: actor.table.status == "finished")


async def test_a_finished_table_comes_back_until_all_have_left(start: Start, tmp_path: Path) -> None:
    server = await start()
    table, users = await seated(server, "Anna", "Ben", game="heap")
    await users[0].call(StartRequest(table=table))
    await play_out(table, users)
    lines = (await users[0].call(ExportRequest(table=table))).lines
    again = await start(server)
    users = await back(again, *users)
    assert (await users[1].call(ExportRequest(table=table))).lines == lines
    for user in users:
        await user.call(LeaveRequest(table=table))
    await until_written(again)
    third = await start(again)
    assert (await (await connect_user(third)).call(ListTablesRequest())).tables == []
    assert (third.settings.data / "games" / f"{table}.jsonl").read_text().splitlines() == lines
    assert len([*(third.settings.data / "games").iterdir()]) == 1, "however often it is written, it is one game"


async def until_written(server: Server) -> None:
    core = core_of(server)
    await core.background.finish_tasks()


async def test_an_unwritable_finished_game_stays_in_the_journal(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    server = await start()
    games = server.settings.data / "games"
    games.write_text("in the way")
    table, users = await seated(server, "Anna", "Ben", game="heap")
    await users[0].call(StartRequest(table=table))
    await play_out(table, users)
    for user in users:
        await user.call(LeaveRequest(table=table))
    await until_written(server)
    assert "could not be saved" in caplog.text
    games.unlink()
    again = await start(server)
    await until_written(again)
    assert (again.settings.data / "games" / f"{table}.jsonl").exists()
    assert await kept_records(core_of(again).journal, TableId(table)) == []


async def test_a_table_without_players_is_finally_removed(start: Start) -> None:
    server = await start()
    await (await connect_user(server)).create()
    again = await start(server, unseated_seconds=0.001)
    await until(lambda: core_of(again).tables.all_tables() == [])


async def test_an_unreadable_table_closes_no_other(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    server = await start()
    table, users = await seated(server, "Anna", "Ben")
    journal = core_of(server).journal
    opened = new_table("heap").opened
    strange = msgspec.structs.replace(opened, table=TableId("chess"), game="chess")
    older = msgspec.structs.replace(opened, table=TableId("older"), rules_version=0)
    for record in (strange, older):
        await append_records(journal, record.table, [record])
    again = await start(server)
    assert [info.table for info in (await (await back(again, *users))[0].call(ListTablesRequest())).tables] == [table]
    assert "Table chess cannot be reopened" in caplog.text
    assert "it was started with version 0 of its rules; this server has version 1" in caplog.text
    assert await kept_records(core_of(again).journal, older.table) == [older]


# --- users ----------------------------------------------------------------------------------------------


async def test_a_token_is_not_kept_but_proves_its_user(start: Start) -> None:
    server = await start()
    _, (anna, _) = await seated(server, "Anna", "Ben")
    token = anna.welcome.token
    again = await start(server)
    kept = b"".join(path.read_bytes() for path in again.settings.data.glob(f"{JOURNAL}*"))
    assert b"Anna" in kept
    assert token.encode() not in kept
    (anna,) = await back(again, anna)
    assert (anna.welcome.name, anna.welcome.resumed) == ("Anna", True)
    stranger = await connect_user(again, "Anna", token="made up")
    assert stranger.welcome.name == "Anna 2"


async def test_visitor_without_actions_is_not_stored(start: Start) -> None:
    server = await start()
    zoe = await connect_user(server, "Zoe")
    again = await start(server)
    assert not (await back(again, zoe))[0].welcome.resumed


async def test_users_who_make_room_for_others_are_kept_no_longer(start: Start) -> None:
    server = await start(guests=1)
    anna = await connect_user(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    await anna.call(LeaveRequest(table=table))
    anna.hang_up()
    await connect_user(server, "Ben")
    await until_written(server)
    again = await start(server)
    assert core_of(again).sessions._by_id == {}


async def test_an_unkept_move_can_be_repeated(start: Start) -> None:
    server = await start()
    table, (anna, ben) = await seated(server, "Anna", "Ben")
    await anna.call(StartRequest(table=table))
    journal = core_of(server).journal
    assert isinstance(journal, SqliteJournal)
    before = await table_for_watcher(table, anna, ben)
    db = journal._writer._store._db
    db.execute("PRAGMA query_only = ON")
    with pytest.raises(ScovilleError, match="nothing was changed; try again") as refused:
        await play(table, anna)
    with pytest.raises(ScovilleError, match="nothing was changed"):
        await ben.create()
    assert refused.value.code == "not_saved"
    assert await table_for_watcher(table, anna, ben) == before
    db.execute("PRAGMA query_only = OFF")
    await play_out(table, [anna, ben])
