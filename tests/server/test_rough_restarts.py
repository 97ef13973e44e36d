"""Restarts while something else happens: signals, reloads, backups, a full disk, half requests, doors, strange data."""

import asyncio
import os
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_runtime.control_client import ControlClient
from scoville_runtime.service_manager import Inherited
from scoville_server.handover import Handed, HandedState, HandedTable, encode_handed
from scoville_server.journal.base import JournalError, Mark
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.driver.requests import HELD
from scoville_server.net.listening import ListeningSockets
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.watching.audience import Watcher
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from tests.server import test_restarts
from tests.server.journal.test_full_disk import on_small_disk
from tests.support.core import DoorClient
from tests.support.process import first_line, port_of, run_server
from tests.support.rpc import RpcClient
from tests.support.server import until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows replaces no processes")
PATIENCE_SECONDS = 60.0
"""The host's patience with a server on a busy machine; nothing waits for it when all is well."""


async def start(data: Path, settings: str = "", *options: str) -> tuple[Process, int]:
    """Start a server with a settings file beside its data; returns it and its port."""
    file = data.with_name("server.toml")
    file.write_text(f'host = "127.0.0.1"\nport = 0\ndefault_tables = []\ndata = "{data}"\n{settings}')
    process = await test_restarts.start(data, "--config", str(file), *options)
    return process, port_of(await first_line(process))


def command(data: Path, name: str, reason: str = "") -> Any:
    """Send a command to the control socket; returns its result, or None if the server has hung up."""
    client = ControlClient(data, seconds=PATIENCE_SECONDS)
    try:
        return client.send_command(name, {}, reason)
    except ScovilleError:
        return None
    finally:
        client.close()


async def wait_for_successor(process: Process) -> None:
    """Wait until the successor says that it listens. The server has ended if it never does."""
    while "listens on" not in (line := await first_line(process)):
        assert line, "the server has ended"


async def test_signals_during_a_restart_end_nothing_and_get_lost_nowhere(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    process, port = await start(data, '[community]\nname = "Before"\n')
    ended.append(process)
    file = data.with_name("server.toml")
    restarting = asyncio.ensure_future(asyncio.to_thread(command, data, "restart"))
    coming = asyncio.ensure_future(wait_for_successor(process))
    file.write_text(file.read_text().replace("Before", "After"))
    while not coming.done():
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            process.send_signal(number)
        await asyncio.wait([coming], timeout=0.01)
    await coming
    await restarting
    assert process.returncode is None
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        assert (await anna.call("server.describe"))["name"] == "After"


async def test_reloads_during_a_restart_are_answered_or_hung_up_on(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    process, port = await start(data)
    ended.append(process)
    asked = [asyncio.to_thread(command, data, name) for name in ("reload", "restart", "reload", "reload", "restart")]
    answers = await asyncio.gather(*asked)
    assert any(answers[1::3]), "one of the restarts is accepted"
    await wait_for_successor(process)
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        assert (await asyncio.to_thread(command, data, "reload")) is not None
        await anna.call("ping")


async def test_a_backup_during_a_restart_is_whole(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    process, port = await start(data)
    ended.append(process)
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        tables = {(await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"] for _ in range(5)}
        backups = [tmp_path / f"backup {n}" for n in range(3)]
        copying = [asyncio.ensure_future(run(f"backup {n}", tmp_path, data)) for n in range(3)]
        await asyncio.to_thread(command, data, "restart")
        await wait_for_successor(process)
        for copied in copying:
            assert (await copied)[0] == 0, await copied
        assert {each["table"] for each in (await anna.call("table.list"))["tables"]} == tables
    for backup in backups:
        checked = await run_server("verify-backup", str(backup))
        out, err = await checked.communicate()
        assert (checked.returncode, out.decode()) == (0, f"{backup} can be restored: 5 tables, 0 finished games.\n"), (
            err
        )


async def run(name: str, folder: Path, data: Path) -> tuple[int | None, str]:
    """Back a server up; returns the status of the command, and what it complained of."""
    process = await run_server("backup", str(folder / name), "--data", str(data))
    _, err = await process.communicate()
    return process.returncode, err.decode()


ON_A_FULL_DISK = """
import asyncio, sys
from pathlib import Path
from tests.server.test_rough_restarts import command, start
from tests.support.rpc import RpcClient

async def play(disk, started):
    process, port = await start(disk / "data")
    started.append(process)
    async with RpcClient(port) as anna, RpcClient(port) as ben:
        await anna.hello("Anna")
        table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        await ben.hello("Ben")  # a guest who is only in memory, and cannot be written now
        assert await asyncio.to_thread(command, disk / "data", "restart") is None, "it is in no audit log"
        await ben.call("ping")
    process.terminate()
    assert await process.wait() == 0
    process, port = await start(disk / "data")  # in the space of its reserve for starts
    started.append(process)
    token = anna.token
    async with RpcClient(port) as anna:
        await anna.hello("Anna", token=token)
        assert table in str(await anna.call("table.list"))
        filler.unlink()
        await anna.call("table.create", game="no_thanks", seat_count=3)
    process.terminate()
    assert await process.wait() == 0
    print("plays on")

async def play_and_end(disk):
    started = []
    try:
        await play(disk, started)
    finally:
        for process in started:
            if process.returncode is None:
                process.kill()
                await process.wait()

asyncio.run(play_and_end(Path(sys.argv[1])))
"""


def test_full_disk_stops_no_server_and_loses_nothing(tmp_path: Path) -> None:
    assert "plays on" in on_small_disk(tmp_path / "disk", ON_A_FULL_DISK, size="48m")


class HalfClient(RpcClient):
    """A client that sends a request in two halves."""

    def begin_request(self, method: str) -> tuple[bytes, "asyncio.Future[Any]"]:
        """Send the first half; returns the second one, and the answer to come."""
        number = 1_000_000
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        packed = msgpack.packb([0, number, method, [{}]])
        self._writer.write(packed[:5])
        return packed[5:], answer

    def end_request(self, rest: bytes) -> None:
        """Send the second half."""
        self._writer.write(rest)


async def test_half_a_request_is_finished_in_the_next_process(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    process, port = await start(data)
    ended.append(process)
    async with HalfClient(port) as anna:
        assert isinstance(anna, HalfClient)
        await anna.hello("Anna")
        rest, answer = anna.begin_request("table.list")
        await asyncio.to_thread(command, data, "restart")
        await wait_for_successor(process)
        anna.end_request(rest)
        assert (await answer)["tables"] == []
        assert not anna.closed.is_set()


class EndingJournal(MemoryJournal):
    """A journal that ends when `refuses` is set, before it has written the records that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.refuses = asyncio.Event(), asyncio.Event()

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        if self.refuses.is_set():
            return await super().append(table, records, after, afresh=afresh)
        self.asked.set()
        await self.refuses.wait()
        raise JournalError("The server is shutting down.", Code.SHUTTING_DOWN)


async def test_next_server_answers_an_undone_request() -> None:
    settings, journal = Settings(host="127.0.0.1", port=0, default_tables=()), EndingJournal()
    sockets = ListeningSockets(keeps=True)
    former = Server(settings, journal=journal, sockets=sockets)
    await former.start()
    async with RpcClient(former.port) as anna:
        await anna.hello("Anna")
        answers = [anna.send("table.create", game="no_thanks", seat_count=seats) for seats in (3, 4)]
        await journal.asked.wait()
        [driver] = cast("Collection[ConnectionDriver]", former._connections.values())
        closing = asyncio.ensure_future(former.close(goes_on=True, hands_over="inherited"))
        await until(lambda: bool(driver.turns.held_back & HELD))
        journal.refuses.set()
        await closing
        server = Server(settings, journal=journal, sockets=sockets.next_in_process())
        await server.start()
        assert [len((await answer)["info"]["seats"]) for answer in answers] == [3, 4]
        assert not anna.closed.is_set()
    await server.close()


async def test_doors_that_come_during_a_restart_are_served(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    process, _ = await start(data, "[doors]\nenabled = true\n[limits]\nper_address = 0\n")
    ended.append(process)

    async def come_and_go(name: str, over: asyncio.Event) -> int:
        """Connect through the door again and again; a restart may end the connection, but refuses nobody."""
        served = 0
        while not over.is_set():
            with suppress(asyncio.CancelledError, ConnectionError):  # it ends in the middle: doors come again
                async with DoorClient(data / "door.sock", data / "door.credential", address="192.0.2.8") as user:
                    await user.come(name)
                    await user.call("ping")
                    served += 1
        return served

    over = asyncio.Event()
    coming = [asyncio.ensure_future(come_and_go(f"Guest {n}", over)) for n in range(3)]
    for _ in range(2):
        await asyncio.to_thread(command, data, "restart")
        await wait_for_successor(process)
    over.set()
    assert all([await each > 0 for each in coming])


STATE = HandedState(
    address="",
    door=None,
    user=UserId("1"),
    session="session",
    nonce="",
    fresh_seconds=1.0,
    in_lobby=True,
    tables=(HandedTable(TableId("table"), 3, Watcher(UserId("2"), "Ben", point_of_view=Seat(99))),),
    unread=b"\xc1",
)


@given(st.data())
def test_strange_data_of_a_former_process_close_its_connections_alone(data: st.DataObject) -> None:
    async def begin() -> None:
        ours, theirs = socket.socketpair()
        inode = os.fstat(ours.fileno()).st_ino
        good = bytearray(encode_handed(Handed(1, (replace_inode(STATE, inode),), ("Anna",))))
        for _ in range(data.draw(st.integers(0, 3))):
            good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
        states = os.fdopen(os.memfd_create("states"), "r+b")
        states.write(bytes(good))
        states.flush()
        sockets = ListeningSockets(Inherited({"connections": [ours]}, {"connection-states": states}))
        server = Server(Settings(host="127.0.0.1", port=0, default_tables=()), sockets=sockets)
        await server.start()
        async with RpcClient(server.port) as anna:
            await anna.hello("Anna")
        await server.close()
        theirs.setblocking(False)
        with suppress(ConnectionError):
            while theirs.recv(4096):
                pass
        theirs.close()

    asyncio.run(begin())


def replace_inode(state: HandedState, inode: int) -> HandedState:
    """Return a state for this socket."""
    return HandedState(**{name: getattr(state, name) for name in state.__struct_fields__} | {"inode": inode})
