"""Restarts in place under a service manager: another process takes over, and one that fails changes nothing."""

import asyncio
import os
import select
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_runtime.control_client import ControlClient
from scoville_runtime.service_manager import ServiceManager as Manager
from scoville_runtime.succession import Successor
from scoville_server.cli.restarting import Succession
from scoville_server.net.listening import ListeningSockets
from scoville_shared.errors import ScovilleError
from tests.e2e.restarts.manager import ServiceManager
from tests.support.process import run_server
from tests.support.rpc import RpcClient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is on Linux alone")


class Unit(ServiceManager):
    """A service whose settings, and whose next start, a test can spoil."""

    def __init__(self, folder: Path) -> None:
        self.settings = folder / "server.toml"
        self.settings.write_text("")
        self._hook = folder / "hook" / "sitecustomize.py"
        self._hook.parent.mkdir()
        self._fifo = folder / "fifo"
        os.mkfifo(self._fifo)
        super().__init__(folder / "data", "--config", str(self.settings))

    async def start(self) -> None:
        """Start, with a watchdog."""
        path = os.pathsep.join((str(self._hook.parent), *sys.path))
        await self.start_server(PYTHONPATH=path, WATCHDOG_USEC="900000")

    def begin_next_with(self, code: str) -> None:
        """Let the next start run some code before anything else."""
        self._hook.write_text(code)

    async def hang_next(self) -> "asyncio.Task[int]":
        """Let the next start hang; returns what waits until it does, and has its end of a pipe then."""
        self.begin_next_with(f"open({str(self._fifo)!r}).read()")
        return asyncio.ensure_future(asyncio.to_thread(os.open, self._fifo, os.O_WRONLY))

    async def ask_restart(self) -> str:
        """Ask for a restart; returns why it is refused, if it is."""
        client = ControlClient(self.data, seconds=60)
        try:
            await asyncio.to_thread(client.send_command, "restart", {}, "a new version")
        except ScovilleError as error:
            return error.message
        finally:
            client.close()
        return ""


def is_read(pipe: int) -> bool:
    """Whether somebody has the other end of a pipe."""
    look = select.poll()
    look.register(pipe, 0)
    return not look.poll(0)


NOT_TAKEN_OVER = "The installed version could not take over, so the former one goes on; its log says why.\n"


def list_children(pid: int) -> list[int]:
    """List the children of a process, zombies among them."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.fixture
async def unit(tmp_path: Path) -> AsyncIterator[Unit]:
    with Unit(tmp_path) as unit:
        try:
            await unit.start()
            yield unit
        finally:
            await unit.end_server()


async def test_a_successor_becomes_the_main_process_and_nobody_notices(unit: Unit) -> None:
    async with RpcClient(unit.port) as anna, RpcClient(unit.port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
        await anna.call("table.join", table=table)
        seen = (await ben.call("table.watch", table=table))["seq"]
        processes = [unit.pid]
        for _ in range(2):
            await unit.restart_in_place()
            processes.append(unit.pid)
            watched = unit.watched
            while unit.watched == watched:
                await anna.call("ping")
            await ben.call("table.join", table=table)
            await ben.call("table.leave", table=table)
            await ben.call("table.watch", table=table)
        assert len({*processes}) == 3
        snapshot = await ben.call("table.watch", table=table)
        events = [event["seq"] for event in ben.events()]
        assert events == [*range(seen + 1, seen + 1 + len(events))]
        assert len(events) >= snapshot["seq"] - seen >= 4
        assert not anna.closed.is_set()
        assert not ben.closed.is_set()
    assert list_children(unit.pid) == []
    assert processes[0] not in list_children(os.getpid())


async def test_failed_successor_leaves_its_predecessor_serving(unit: Unit) -> None:
    before = unit.pid
    with socket.create_server(("127.0.0.1", 0)) as busy:
        async with RpcClient(unit.port) as anna:
            await anna.hello("Anna")
            table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
            unit.begin_next_with("import os; os.kill(os.getpid(), 9)")
            assert (
                await unit.ask_restart() == "The installed version does not start (it has ended); this server goes on."
            )
            unit.begin_next_with("")
            unit.settings.write_text("prot = 5757")
            said = await unit.ask_restart()
            assert said.startswith(f"The installed version does not start ({unit.settings}:1: prot: ")
            assert "\n" not in said
            await anna.call("table.join", table=table)
            unit.settings.write_text(f'[metrics]\nlisten = "127.0.0.1:{busy.getsockname()[1]}"\n')
            told = await run_server("restart", "--data", str(unit.data))
            assert (await told.communicate())[1].decode() == NOT_TAKEN_OVER
            assert told.returncode == 1
            await unit.wait_until_ready()
            assert unit.pid == before
            await anna.call("table.leave", table=table)
            unit.settings.write_text("")
            await unit.restart_in_place()
            await anna.call("ping")
            assert not anna.closed.is_set()
            assert unit.pid != before


class Recorder:
    """A successor that notes what it is sent."""

    pid = 412

    def __init__(self) -> None:
        self.signals: list[int] = []

    def forward_signals(self, *more: int) -> None:
        """Note them."""
        self.signals += more


@pytest.mark.parametrize(
    ("reloaded_ms", "hurry", "sent"),
    [
        (5, False, []),
        (17, False, [signal.SIGHUP]),  # what it has read may be older
        (5, True, [signal.SIGTERM]),
    ],
)
async def test_successor_handles_late_signals_of_its_predecessor(
    reloaded_ms: int, hurry: bool, sent: list[int]
) -> None:
    successor, hurries = Recorder(), asyncio.Event()
    succession = Succession(cast("Successor", successor), Manager(), hurries, began_ms=17)
    if hurry:
        hurries.set()
    succession.forward_signals(reloaded_ms)
    assert successor.signals == sent


class KillingManager(Manager):
    """A manager in whose time to read a message the successor dies."""

    def __init__(self) -> None:
        super().__init__()
        self.main_processes: list[int] = []

    def name_main(self, pid: int) -> None:
        """Note it."""
        self.main_processes.append(pid)
        if pid != os.getpid():
            handle = os.pidfd_open(pid)
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            select.select([handle], [], [])  # until it has ended
            os.close(handle)


TAKES_OVER = """
import asyncio
from scoville_runtime.succession import Predecessor

async def take_over(predecessor):
    predecessor.report_ready()
    await predecessor.wait_for_turn()
    await predecessor.succeed()

asyncio.run(take_over(Predecessor.find()))
"""


async def test_process_whose_named_successor_dies_is_the_main_one_again(caplog: pytest.LogCaptureFixture) -> None:
    manager = KillingManager()
    successor = await Successor.start(SYSTEM, [sys.executable, "-c", TAKES_OVER])
    succession = Succession(successor, manager, asyncio.Event(), began_ms=0)
    succession.begin_passing(ListeningSockets())
    assert not await succession.is_over()
    assert manager.main_processes == [succession.pid, os.getpid()]
    assert "did not take over (it has ended); this one goes on" in caplog.text


async def test_no_second_successor_while_one_gets_ready(unit: Unit) -> None:
    hanging = await unit.hang_next()
    first = asyncio.ensure_future(unit.ask_restart())
    pipe = await hanging
    assert await unit.ask_restart() == "The server restarts or stops already."
    async with RpcClient(unit.port) as anna:
        await anna.hello("Anna")
    await unit.stop_server()
    assert "has stopped answering" in await first
    assert not is_read(pipe), "it is killed"
    os.close(pipe)


async def test_a_successor_whose_predecessor_is_killed_takes_nothing(unit: Unit) -> None:
    hanging = await unit.hang_next()
    asking = asyncio.ensure_future(unit.ask_restart())
    pipe = await hanging
    os.kill(unit.pid, signal.SIGKILL)
    assert await asking
    os.close(pipe)  # it goes on, and finds nobody
    await unit.end_server()
    unit.begin_next_with("")
    await unit.start()
    async with RpcClient(unit.port) as anna:
        await anna.hello("Anna")
