"""A successor as its predecessor sees it: small programs take the place of the server."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_runtime.service_manager import OpenFile
from scoville_runtime.succession import Predecessor, Successor, SuccessorFailed
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no service manager learns the main process")

BEGIN = """
import asyncio, os, signal, sys
from scoville_runtime.service_manager import OpenFile
from scoville_runtime.succession import Predecessor
predecessor = Predecessor.find()
"""
RESTORES = f"""{BEGIN}
async def succeed():
    signalled = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, signalled.set)
    predecessor.use_error_stream()
    predecessor.report_ready()
    inherited = await predecessor.wait_for_turn()
    line, states = inherited.sockets["line"][0], inherited.files["states"]
    states.seek(0)
    line.send(b"%d %d %b" % (os.getppid() == os.getpid(), len(inherited.sockets["line"]), states.read()))
    RESTORED
    line.send(b" stops" if await predecessor.succeed() else b" serves")
    await signalled.wait()
    line.send(b"!")
asyncio.run(succeed())
"""


def command(code: str) -> list[str]:
    return [sys.executable, "-c", code]


class Kept(NamedTuple):
    """What a successor gets, and the other end of its line."""

    states: BinaryIO
    line: socket.socket
    ours: socket.socket

    def by_name(self, lines: int = 1) -> dict[str, Sequence[OpenFile]]:
        return {"states": [self.states], "line": [self.line] * lines}


@pytest.fixture
def kept() -> Iterator[Kept]:
    ours, theirs = socket.socketpair()
    with os.fdopen(os.memfd_create("states"), "r+b") as states, ours, theirs:
        states.write(b"kept")
        states.flush()
        yield Kept(states, theirs, ours)


async def read_until(line: socket.socket, ending: bytes) -> bytes:
    line.setblocking(False)
    read = b""
    while not read.endswith(ending):
        new = await asyncio.get_running_loop().sock_recv(line, 100)
        assert new, read
        read += new
    return read


@pytest.mark.parametrize("stops", [False, True])
async def test_successor_gets_all_files_and_serves_when_told(kept: Kept, stops: bool) -> None:
    successor = await Successor.start(SYSTEM, command(RESTORES.replace("RESTORED", "pass")))
    successor.hand_over(kept.by_name(201))
    await successor.wait_until_restored()
    successor.let_serve(stops=stops)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    try:
        signal.raise_signal(signal.SIGUSR2)
        successor.forward_signals()
    finally:
        signal.sigwait({signal.SIGUSR2})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR2})
    said = await read_until(kept.ours, b"!")
    assert said == b"0 201 kept" + (b" stops!" if stops else b" serves!")
    await successor.end()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise SystemExit('server.toml:3: port: no port')", "server.toml:3: port: no port"),
        ("def f():\n    raise ImportError('no module')\nf()", "ImportError: no module"),
        ("import os; os.kill(os.getpid(), 9)", "it has ended"),
        (f"{BEGIN}raise ValueError('after the fork')", "ValueError: after the fork"),
        (f"{BEGIN}predecessor.report_failure('no folder')", "no folder"),
    ],
)
async def test_successor_that_fails_early_says_why(code: str, why: str) -> None:
    with pytest.raises(SuccessorFailed) as failure:
        await Successor.start(SYSTEM, command(code))
    assert str(failure.value) == why


def test_a_process_without_a_predecessor_has_none() -> None:
    with Path(os.devnull).open() as file:
        for given in ({}, {"PREDECESSOR": "Anna"}, {"PREDECESSOR": f"{file.fileno()}:2"}, {"PREDECESSOR": "9999:2"}):
            assert Predecessor.find(given) is None


async def test_a_command_that_is_not_there_is_named() -> None:
    with pytest.raises(SuccessorFailed, match="No such file"):
        await Successor.start(SYSTEM, ["/nowhere/python"])


@pytest.mark.parametrize(
    ("restored", "why"),
    [
        ("os.kill(os.getpid(), 9)", "it has ended"),
        ("predecessor.report_failure('the port is busy'); os._exit(1)", "the port is busy"),
    ],
)
async def test_successor_that_fails_late_is_noticed(kept: Kept, restored: str, why: str) -> None:
    successor = await Successor.start(SYSTEM, command(RESTORES.replace("RESTORED", restored)))
    successor.hand_over(kept.by_name())
    with pytest.raises(SuccessorFailed) as failure:
        await successor.wait_until_restored()
    assert str(failure.value) == why
    await successor.end()
    kept.line.close()
    assert await read_until(kept.ours, b"kept") == b"0 1 kept"
    assert await asyncio.get_running_loop().sock_recv(kept.ours, 1) == b"", "it has no file any more"


async def test_hanging_successor_is_killed(kept: Kept) -> None:
    clock = FakeClock()
    starting = asyncio.ensure_future(Successor.start(clock.clock, command("import time; time.sleep(600)")))
    while not clock.alarms:
        await wait_until_idle()
    clock.advance(40)
    with pytest.raises(SuccessorFailed, match="it was not ready within 40 seconds"):
        await starting
    successor = await Successor.start(SYSTEM, command(RESTORES.replace("RESTORED", "import time; time.sleep(600)")))
    successor._clock = clock.clock
    successor.hand_over(kept.by_name())
    kept.line.close()
    waiting = asyncio.ensure_future(successor.wait_until_restored())
    await read_until(kept.ours, b"kept")
    clock.advance(60)
    with pytest.raises(SuccessorFailed, match="it has not read everything within 60 seconds"):
        await waiting
    await successor.end()
    assert await asyncio.get_running_loop().sock_recv(kept.ours, 1) == b""


async def test_successor_ends_with_its_predecessor() -> None:
    successor = await Successor.start(SYSTEM, command(RESTORES.replace("RESTORED", "pass")))
    handle = os.pidfd_open(successor.pid)
    successor._channel.close()
    ended = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().add_reader(handle, ended.set_result, None)
    await ended
    asyncio.get_running_loop().remove_reader(handle)
    os.close(handle)
    await successor.end()
