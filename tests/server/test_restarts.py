"""Restarts: connections wait in sockets that outlive the process, and systemd is told how the server is."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import msgpack
import pytest

from scoville_runtime.control_client import ControlClient
from scoville_runtime.service_manager import Inherited
from scoville_server.net.listening import ListeningSockets
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.e2e.restarts.manager import ServiceManager
from tests.support.process import SERVER, first_line, port_of
from tests.support.rpc import Refusal, RpcClient

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither systemd nor inherited sockets")
REPLY_SECONDS = 60.0
"""The host's patience with a server on a busy machine; nothing waits for it when all is well."""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """A socket in systemd's place."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(tmp_path / "notify"))
        line.setblocking(False)
        yield line


async def start(data: Path, *options: str, port: socket.socket | None = None, **environment: str) -> Process:
    """Start a server; `port` is a socket that it inherits, as from a socket unit."""

    def inherit() -> None:
        if port is not None:
            os.dup2(port.fileno(), 3)

    given = {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "port"} if port is not None else {}
    options = ("--host", "127.0.0.1", "--no-default-tables", "--log-level", "warning", *options)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVER, "--data", str(data), *options),
        stdin=DEVNULL,
        stdout=PIPE,
        env={**os.environ, **given, **environment},
        pass_fds=() if port is None else (3,),
        preexec_fn=inherit,
    )


async def next_message(manager: socket.socket, begins: str) -> str:
    """Read what the manager is told, up to a message."""
    while True:
        message = (await asyncio.get_running_loop().sock_recv(manager, 1000)).decode()
        if message.startswith(begins):
            return message


def restart(data: Path) -> None:
    client = ControlClient(data, seconds=REPLY_SECONDS)
    client.send_command("restart", {}, "a new version")
    client.close()


async def test_a_restart_keeps_the_process_its_port_and_its_users(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    ended.append(process := await start(data, "--port", "0"))
    port = port_of(await first_line(process))
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        token = anna.token
        table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
        await anna.call("table.join", table=table)
        await asyncio.to_thread(restart, data)
    assert port_of(await first_line_again(process)) == port
    assert process.returncode is None
    async with RpcClient(port) as anna:
        assert (await anna.call("hello", protocol=1, token=token))["resumed"]
        assert table in str(await anna.call("table.list"))
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


async def test_requests_unanswered_at_a_restart_were_not_done(tmp_path: Path, ended: list[Process]) -> None:
    data, answered, refused = tmp_path / "data", list[str](), list[str]()
    ended.append(process := await start(data, "--port", "0", SCOVILLE_LIMITS__PER_ADDRESS="0"))
    port = port_of(await first_line(process))

    async def open_table(user: RpcClient) -> None:
        try:
            answered.append((await user.call("table.create", game="no_thanks", seat_count=3))["info"]["table"])
        except Refusal as refusal:
            refused.append(refusal.code)
        except asyncio.CancelledError:  # the connection has ended before the answer came
            assert user.notices[-1][1]["code"] == "restarting"

    async with AsyncExitStack() as stack:
        users = [await stack.enter_async_context(RpcClient(port)) for _ in range(30)]
        for user in users:
            await user.hello()
        restarting = asyncio.ensure_future(asyncio.to_thread(restart, data))
        opening = list[asyncio.Task[None]]()
        for user in users:
            opening.append(asyncio.ensure_future(open_table(user)))
            # Spread over the restart, however long that takes: each waits for a reply of the server.
            if not user.closed.is_set():
                await asyncio.wait([asyncio.ensure_future(ping(user))])
        await asyncio.wait(opening)
        await restarting
    await first_line_again(process)
    assert refused == []
    async with RpcClient(port) as anna:
        await anna.hello()
        assert {each["table"] for each in (await anna.call("table.list"))["tables"]} == {*answered}


async def ping(user: RpcClient) -> None:
    """Wait for an answer, or for the end of the connection."""
    with suppress(Refusal, asyncio.CancelledError):
        await user.call("ping")


async def first_line_again(process: Process) -> str:
    """Read the sentence with which the successor says that it listens."""
    while "listens on" not in (line := await first_line(process)):
        assert line, "the server has ended"
    return line


async def test_a_connection_goes_on_where_it_was(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    ended.append(process := await start(data, "--port", "0"))
    port = port_of(await first_line(process))
    async with RpcClient(port) as anna, RpcClient(port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
        await anna.call("table.join", table=table)
        await anna.call("table.watch", table=table)
        seen = (await ben.call("table.watch", table=table))["seq"]
        await ben.call("lobby.watch")
        restarting = asyncio.ensure_future(asyncio.to_thread(restart, data))
        for _ in range(2):  # before, during or after the restart
            await anna.call("ping")
        await restarting
        await first_line_again(process)
        assert await ben.call("ping")
        await anna.call("table.start", table=table)
        await anna.call("table.leave", table=table)
        snapshot = await ben.call("table.watch", table=table)
        events = [event["seq"] for event in ben.events()]
        assert events == [*range(seen + 1, seen + 1 + len(events))]
        assert len(events) >= snapshot["seq"] - seen >= 2
        assert "bye" not in {method for method, _ in (*anna.notices, *ben.notices)}
        await ben.call("table.create", game="no_thanks", seat_count=3)
        while not [each for method, each in ben.notices if method == "lobby.changed" and each.get("tables")]:
            ben.heard.clear()
            await ben.heard.wait()


async def test_no_connection_is_refused_during_a_restart(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    ended.append(process := await start(data, "--port", "0"))
    port = port_of(await first_line(process))
    over = asyncio.Event()

    async def knock() -> int:
        """Connect again and again: a refused connection would raise."""
        served = 0
        while not over.is_set():
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            served += 1
            del reader
        return served

    knocking = asyncio.ensure_future(knock())
    await asyncio.to_thread(restart, data)
    assert port_of(await first_line_again(process)) == port
    over.set()
    assert await knocking > 0


async def test_a_connection_waits_in_a_socket_of_the_manager(tmp_path: Path, ended: list[Process]) -> None:
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as unit:
        number = unit.getsockname()[1]
        ended.append(first := await start(data, "--port", str(number), port=unit))
        assert port_of(await first_line(first)) == number
        first.send_signal(signal.SIGTERM)
        assert await first.wait() == 0
        async with RpcClient(number) as early:  # nobody serves the port now
            ended.append(second := await start(data, "--port", str(number), port=unit))
            assert (await early.hello("Anna")).name == "Anna"
            assert port_of(await first_line(second)) == number


async def test_a_start_after_a_stop_goes_on_with_connections(tmp_path: Path) -> None:
    with ServiceManager(tmp_path / "data") as unit:
        await unit.start_server()
        try:
            async with RpcClient(unit.port) as anna:
                name = (await anna.hello("Anna")).name
                table = (await anna.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
                await anna.call("table.watch", table=table)
                await unit.stop_server()
                joined = anna.send("table.join", table=table)  # nobody reads this connection now
                await unit.start_server()
                assert (await joined)["info"]["seats"][0]["name"] == name
                assert [event["seq"] for event in anna.events()] == [1]
                assert not anna.closed.is_set()
                # The manager has kept no copy, which would keep the connection open.
                await unit.restart_server()
                await unit.end_server()
                await anna.closed.wait()
        finally:
            await unit.end_server()


async def test_connections_that_another_version_has_kept_are_closed(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    states = (tmp_path / "states").open("w+b")
    states.write(msgpack.packb({"format": 2}))
    states.flush()
    sockets = ListeningSockets(Inherited({"connections": [ours]}, {"connection-states": states}))
    server = Server(Settings(host="127.0.0.1", port=0, default_tables=()), sockets=sockets)
    await server.start()
    assert theirs.recv(1) == b""
    theirs.close()
    await server.close()


async def test_the_manager_is_told_how_the_server_is(
    tmp_path: Path, manager: socket.socket, ended: list[Process]
) -> None:
    told = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "400000"}
    ended.append(process := await start(tmp_path / "data", "--port", "0", **told))
    assert "STATUS=0 tables" in await next_message(manager, "READY=1")
    await next_message(manager, "WATCHDOG=1")
    process.send_signal(signal.SIGHUP)
    assert "MONOTONIC_USEC=" in await next_message(manager, "RELOADING=1")
    await next_message(manager, "READY=1")
    process.send_signal(signal.SIGTERM)
    await next_message(manager, "STOPPING=1")
    assert await process.wait() == 0
