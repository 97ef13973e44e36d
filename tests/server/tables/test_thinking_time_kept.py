"""A crash returns no thinking time, and down time counts for nobody."""

import shutil
from pathlib import Path

import pytest

from scoville_runtime.clock import Clock
from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.files import alive
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actor import TableActor
from scoville_shared.protocol.messages import ClockParams, CreateRequest, JoinRequest, StartRequest
from tests.server.conftest import Start
from tests.support.server import Caller, core_of, toy_server
from tests.support.tables import NOON

HOUR = 3600.0


class Machine:
    """A machine whose time a test moves on; it can also be set to another time."""

    def __init__(self) -> None:
        self.seconds, self.off_ms = 0.0, 0
        self.clock = Clock(lambda: NOON + self.off_ms + round(self.seconds * 1000), lambda: self.seconds)


async def thinking(server: Server) -> TableActor:
    """Begin a game in which Anna has to move, with five minutes for each move."""
    anna, ben = await Caller(server).hello("Anna"), await Caller(server).hello("Ben")
    table = (await anna.call(CreateRequest(game="heap", seat_count=2, clock=ClockParams(move_ms=300_000)))).info.table
    for user in (anna, ben):
        await user.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    await core_of(server).background.finish_tasks()
    return core_of(server).tables.find_table(table)


async def noted(server: Server) -> None:
    """Trigger one heartbeat."""
    core_of(server).pulse.beat_once()
    await core_of(server).background.finish_tasks()


async def reopened(server: Server, table: str) -> TableActor:
    """Wait until a table has noted that the server is back."""
    actor, begun = core_of(server).tables.find_table(table), core_of(server).pulse._begun_ms
    for _ in range(1000):
        await core_of(server).journal.read(actor.table.id)
        if actor.table.clocks is not None and actor.table.clocks.at_ms >= begun:
            return actor
    raise AssertionError("it never happened")


def spent(actor: TableActor) -> int:
    """The thinking time used by the running seat at the last look."""
    assert actor.table.clocks is not None
    [seat] = actor.table.clocks.running
    return actor.table.clocks.spent[seat]


async def test_restart_adds_no_thinking_time(start: Start) -> None:
    machine = Machine()
    server = await start(clock=machine.clock)
    actor = await thinking(server)
    machine.seconds += 100
    await noted(server)
    machine.seconds += HOUR
    again = await start(server, clock=machine.clock)
    actor = await reopened(again, actor.table.id)
    assert spent(actor) == 100_000
    assert actor.table.clocks.at_ms == NOON + round(machine.seconds * 1000)


async def test_a_second_kill_before_anything_was_noted_charges_nothing_more(start: Start) -> None:
    machine = Machine()
    server = await start(clock=machine.clock)
    table = (await thinking(server)).table.id
    machine.seconds += 100
    await noted(server)
    for _ in range(3):
        machine.seconds += HOUR
        server = await start(server, clock=machine.clock)
        assert spent(await reopened(server, table)) == 100_000
    machine.seconds += 50
    await noted(server)
    machine.seconds += HOUR
    assert spent(await reopened(await start(server, clock=machine.clock), table)) == 150_000


async def test_nothing_is_noted_before_all_tables_know(start: Start, tmp_path: Path) -> None:
    """Otherwise a kill in that moment would charge the time in which the server was down."""
    machine = Machine()
    server = await start(clock=machine.clock)
    table = (await thinking(server)).table.id
    machine.seconds += 100
    await noted(server)
    folder = tmp_path / "copy"
    shutil.copytree(server.settings.data, folder)
    before = alive_ms(folder)
    machine.seconds += HOUR
    again = toy_server(Settings(data=folder), clock=machine.clock)
    await again.start()
    core_of(again).pulse.beat_once()
    assert not core_of(again).pulse._writing
    assert alive_ms(folder) == before
    await reopened(again, table)
    await noted(again)
    assert alive_ms(folder) != before
    await again.close()


async def test_a_stopped_server_notes_the_time_last(tmp_path: Path) -> None:
    machine = Machine()
    server = toy_server(Settings(data=tmp_path / "data"), clock=machine.clock)
    await server.start()
    table = (await thinking(server)).table.id
    machine.seconds += 77.5
    await server.close()
    machine.seconds += HOUR
    again = toy_server(Settings(data=tmp_path / "data"), clock=machine.clock)
    await again.start()
    assert spent(await reopened(again, table)) == 77_500
    await again.close()


@pytest.mark.parametrize("off_ms", [-3_600_000, 3_600_000])
async def test_a_clock_set_while_running_charges_fairly(start: Start, off_ms: int) -> None:
    machine = Machine()
    server = await start(clock=machine.clock)
    machine.seconds += 10
    machine.off_ms = off_ms
    table = (await thinking(server)).table.id
    machine.seconds += 100
    await noted(server)
    again = await start(server, clock=machine.clock)
    assert spent(await reopened(again, table)) in (0, 100_000)


@pytest.mark.parametrize("waited", [0, 50])
@pytest.mark.parametrize("has_ended", [True, False])
async def test_clock_set_back_charges_new_tables_fairly(start: Start, has_ended: bool, waited: int) -> None:
    machine = Machine()
    server = await start(clock=machine.clock)
    first = await thinking(server)
    machine.seconds += 100
    await noted(server)
    if has_ended:
        core_of(server).registry.remove_table(first)
    # What has been noted until now is ahead of every table that is opened from now on.
    machine.off_ms = -3_600_000
    await noted(server)
    table = (await thinking(server)).table.id
    if waited:
        machine.seconds += waited
        await noted(server)
    machine.off_ms = 0
    again = await start(server, clock=machine.clock)
    assert spent(await reopened(again, table)) == waited * 1000


async def test_a_restored_table_is_not_charged_for_later(tmp_path: Path) -> None:
    machine, data = Machine(), tmp_path / "data"
    server = toy_server(Settings(data=data), clock=machine.clock)
    await server.start()
    table = (await thinking(server)).table.id
    back_up(data, tmp_path / "copy")
    machine.seconds += 200
    await server.close()
    assert alive_ms(data) == NOON + 200_000
    restore_backup(tmp_path / "copy", data, force=True)
    again = toy_server(Settings(data=data), clock=machine.clock)
    await again.start()
    assert spent(await reopened(again, table)) == 0
    await again.close()


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"0000000000 000000000000001 0123456789abcdef\n", b"\xff" * 44])
def test_a_note_that_cannot_be_read_is_none(tmp_path: Path, damage: bytes) -> None:
    assert alive.read_note(tmp_path, 0) is None
    file = alive.NoteFile(tmp_path, 0, None)
    file.note_time(NOON)
    assert (alive_ms(tmp_path), alive.read_note(tmp_path, 1)) == (NOON, None)
    file.note_time(NOON + 5)
    assert alive_ms(tmp_path) == NOON + 5
    file.note_commit(7, 5, b"who it is")
    assert alive.read_note(tmp_path, 0) == alive.Note(NOON + 5, 7, 5, b"who it is")
    (tmp_path / alive.ALIVE).write_bytes(damage)
    assert alive.read_note(tmp_path, 0) is None
    file.close()


def test_a_note_that_was_deleted_is_written_anew(tmp_path: Path) -> None:
    file = alive.NoteFile(tmp_path, 0, None)
    file.note_commit(7, 5, b"who it is")
    (tmp_path / alive.ALIVE).unlink()
    file.note_time(NOON)
    assert alive.read_note(tmp_path, 0) == alive.Note(NOON, 7, 5, b"who it is")
    file.close()


def alive_ms(folder: Path) -> int | None:
    note = alive.read_note(folder, 0)
    return None if note is None else note.alive_ms
