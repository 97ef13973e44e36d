"""`scoville-server` as its host meets it."""

import asyncio
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.support.rpc import RpcClient

Run = Callable[..., Awaitable[Process]]


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    started: list[Process] = []

    async def run(*arguments: str) -> Process:
        call = "from scoville_server.cli import main; main()"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", call, *arguments, stdout=PIPE, stderr=PIPE)
        started.append(process)
        return process

    yield run
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def first_line(process: Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode()


def port_of(line: str) -> int:
    found = re.search(r"port (\d+)\.", line)
    assert found, line
    return int(found[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_says_where_it_listens_and_a_signal_ends_it_with_a_goodbye(run: Run, number: signal.Signals) -> None:
    process = await run("--host", "127.0.0.1", "--port", "0")
    line = await first_line(process)
    assert "127.0.0.1" in line
    async with RpcClient(port_of(line)) as anna:
        await anna.hello("Anna")
        process.send_signal(number)
        await anna.closed.wait()
        assert anna.notices[-1][0] == "bye"
        assert anna.notices[-1][1]["code"] == "shutting_down"
    out, err = await process.communicate()
    assert (process.returncode, out, err) == (0, b"Stopped.\n", b"")


async def test_it_listens_on_every_address_unless_told_otherwise(run: Run) -> None:
    process = await run("--port", "0")
    line = await first_line(process)
    assert "every address of this machine" in line
    async with RpcClient(port_of(line)) as anna:
        assert (await anna.hello()).name


async def test_a_port_in_use_is_one_sentence_and_a_failure(run: Run) -> None:
    line = await first_line(await run("--host", "127.0.0.1", "--port", "0"))
    port = str(port_of(line))
    second = await run("--host", "127.0.0.1", "--port", port)
    out, err = await second.communicate()
    assert second.returncode == 1
    assert out == b""
    assert err.decode() == f"Port {port} is in use by another program; choose another one with --port.\n"


async def test_help_and_version(run: Run) -> None:
    told, _ = await (await run("--help")).communicate()
    assert all(option in told.decode() for option in ("--host", "--port", "--data", "--peppers", "--version"))
    version, _ = await (await run("--version")).communicate()
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", version.decode())


async def test_a_bad_pepper_file_is_one_sentence_and_a_usage_error(run: Run) -> None:
    process = await run("--peppers", "/nowhere/peppers.txt")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert err.decode() == "The pepper file /nowhere/peppers.txt cannot be read: No such file or directory.\n"
