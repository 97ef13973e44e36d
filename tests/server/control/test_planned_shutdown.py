"""The planned end: announced at its times, to newcomers too, called off, and followed by the usual end."""

import asyncio
from pathlib import Path

from scoville_shared.protocol import messages as m
from tests.server.control.controlled_server import ControlLine, controlled_server
from tests.support import virtual_time
from tests.support.core import connect_user
from tests.support.process import ServerProcess, run_server
from tests.support.server import Caller, core_of, toy_server
from tests.support.virtual_time import in_virtual_time


def shutdowns(caller: Caller) -> list[tuple[int | None, str | None]]:
    return [(each.ends_in_ms, each.reason) for each in caller.peer.heard if isinstance(each, m.ShutdownNotice)]


@in_virtual_time
async def test_end_is_announced_at_its_times() -> None:
    server, due = toy_server(clock=virtual_time.make_clock()), asyncio.Event()
    anna = await connect_user(server, "Anna")
    core_of(server).shutdown.plan_shutdown(900.0, "New version", due.set)
    await due.wait()
    assert asyncio.get_running_loop().time() == 900
    assert shutdowns(anna) == [
        (milliseconds, "New version") for milliseconds in (900_000, 600_000, 300_000, 60_000, 30_000, 10_000)
    ]
    await server.close()


@in_virtual_time
async def test_newcomers_are_told_and_all_of_the_call_off() -> None:
    server, due = toy_server(clock=virtual_time.make_clock()), asyncio.Event()
    shutdown = core_of(server).shutdown
    assert not shutdown.call_off()
    shutdown.plan_shutdown(600.0, "", due.set)
    await asyncio.sleep(100)
    anna = await connect_user(server, "Anna")
    assert shutdown.call_off()
    await asyncio.sleep(1_000)
    assert (shutdowns(anna), due.is_set(), shutdown.left_seconds) == ([(500_000, None), (None, None)], False, None)
    await server.close()


@in_virtual_time
async def test_second_plan_replaces_the_first() -> None:
    server, due = toy_server(clock=virtual_time.make_clock()), asyncio.Event()
    anna = await connect_user(server, "Anna")
    core_of(server).shutdown.plan_shutdown(20.0, "", lambda: None)
    await asyncio.sleep(5)
    core_of(server).shutdown.plan_shutdown(40.0, "Later", due.set)
    await due.wait()
    assert asyncio.get_running_loop().time() == 45
    assert shutdowns(anna) == [(20_000, None), (40_000, "Later"), (30_000, "Later"), (10_000, "Later")]
    await server.close()


async def test_drain_at_the_socket_is_in_the_audit_log(tmp_path: Path) -> None:
    async with controlled_server(tmp_path):
        line = await ControlLine.open(tmp_path)
        assert (await line.call("drain", "Nothing.", cancel=True))["error"]["code"] == "bad_params"
        assert 599 < (await line.call("drain", "New version"))["result"]["left_seconds"] <= 600
        assert 7_199 < (await line.call("drain", "New version", in_ms=7_200_000))["result"]["left_seconds"] <= 7_200
        assert (await line.call("status"))["result"]["shutdown"]["reason"] == "New version"
        assert (await line.call("drain", "Not today", cancel=True))["result"] == {"left_seconds": None}
        assert (await line.call("status"))["result"]["shutdown"] is None
        entries = (await line.call("audit"))["result"]["entries"]
        assert [(entry["action"], entry["reason"]) for entry in entries] == [
            ("drain in 600 s", "New version"), ("drain in 7200 s", "New version"), ("drain cancelled", "Not today"),
        ]  # fmt: skip
        line.close()


async def test_planned_end_stops_the_process(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await server.start()
    process = await run_server("drain", "--in", "1s", "--reason", "New version", "--data", str(tmp_path))
    out, err = await process.communicate()
    assert (process.returncode, out, err) == (0, b"The server shuts down in 1s.\n", b"")
    assert server.process is not None
    assert await server.process.wait() == 0
