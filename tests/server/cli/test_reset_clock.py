"""A clock that was far ahead leaves no wrong date behind, and a command resets the one that a server has trusted."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from scoville_runtime.clock import Clock
from scoville_server.cli.offline_repairs import reset_clock
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.contents import KnownTime
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.accounts import make_cheap_limits
from tests.support.process import Run
from tests.support.server import Caller, core_of, toy_server
from tests.support.tables import NOON

HOUR, DAY = 3_600_000, 86_400_000
CENTURY = 36_500 * DAY


class Machine:
    """A machine whose clock is set between the runs of its server."""

    def __init__(self, folder: Path) -> None:
        self.date_ms, self.seconds = NOON, 0.0
        self.folder = folder

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.date_ms, lambda: self.seconds)

    def go_on(self, ms: int) -> None:
        self.date_ms += ms
        self.seconds += ms / 1000

    async def start(self) -> Server:
        server = toy_server(Settings(accounts=make_cheap_limits(), data=self.folder), clock=self.clock)
        await server.start()
        return server

    async def run(self) -> tuple[str, str]:
        """Run a server once, with a guest who takes a seat; returns its warning and the guest's token."""
        server = await self.start()
        guest = await Caller(server).hello("Gus")
        await guest.call(m.JoinRequest(table=await guest.create()))
        warning = core_of(server).time.warning
        self.go_on(HOUR)
        await server.close()
        assert guest.welcome is not None
        return warning, guest.welcome.token


async def test_a_clock_a_century_ahead_is_not_remembered(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert (await machine.run())[0] == ""
    machine.date_ms += CENTURY
    assert "ahead of the newest time" in (await machine.run())[0]
    machine.date_ms -= CENTURY
    for _ in range(2):
        assert (await machine.run())[0] == ""


async def test_a_wrong_first_clock_is_reset_by_command(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.date_ms += CENTURY
    _, token = await machine.run()
    machine.date_ms -= CENTURY
    warning, _ = await machine.run()
    assert "behind the newest time" in warning
    assert "scoville-server reset-clock" in warning
    reset = await reset_clock(tmp_path, machine.clock)
    assert reset.before_ms - reset.now_ms > CENTURY - DAY
    assert reset.now_ms == machine.date_ms
    server = await machine.start()
    assert core_of(server).time.warning == ""
    sessions = [core_of(server).users.tokens.get_session(key) for key in core_of(server).users.tokens.keys]
    limits = make_cheap_limits()
    assert sessions
    for session in sessions:
        assert session is not None
        assert session.expires_ms <= machine.date_ms + limits.token_ms(claimed=False)
        assert session.used_ms <= machine.date_ms
    back = await Caller(server).hello(token=token)
    assert back.welcome is not None
    assert back.welcome.name == "Gus"
    await core_of(server).background.finish_tasks()
    await server.close()
    assert (await machine.run())[0] == ""


async def test_a_trusted_wrong_clock_is_reset_as_well(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    await machine.run()
    machine.date_ms += CENTURY
    server = await machine.start()
    machine.go_on(2 * DAY)
    core_of(server)._hourly._do_chores()
    await core_of(server).background.finish_tasks()
    await server.close()
    machine.date_ms -= CENTURY
    assert "behind" in (await machine.run())[0]
    await reset_clock(tmp_path, machine.clock)
    assert (await machine.run())[0] == ""


async def test_the_clock_of_a_running_server_is_not_reset(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    server = await machine.start()
    with pytest.raises(FolderTaken):
        await reset_clock(tmp_path)
    await server.close()


async def test_where_there_is_no_server_no_clock_is_reset(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="There is no server in"):
        await reset_clock(tmp_path)
    assert not (tmp_path / "server.lock").exists()


async def test_the_command_says_both_dates(run: Run, tmp_path: Path) -> None:
    await (await Machine(tmp_path).start()).close()
    process = await run("reset-clock", "--data", str(tmp_path))
    out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.decode().startswith("The server now takes 20")
    with closing(sqlite3.connect(tmp_path / "journal.sqlite3")) as db:
        (value,) = db.execute("SELECT value FROM books WHERE book = 'clock'").fetchone()
    assert msgspec.msgpack.decode(value, type=KnownTime).at_ms > NOON
