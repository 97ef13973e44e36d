"""What systemd is told, by a socket in its place."""

import asyncio
import os
import select
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from scoville_runtime.service_manager import ServiceManager, ServiceReports, take_inherited
from tests.support.clock import FakeClock

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no Unix sockets")


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(tmp_path / "notify"))
        line.setblocking(False)
        yield line


def service(manager: socket.socket, **more: str) -> ServiceManager:
    return ServiceManager.from_environment({"NOTIFY_SOCKET": manager.getsockname(), **more})


def test_a_service_says_how_it_is(manager: socket.socket) -> None:
    here = service(manager, WATCHDOG_USEC="30000000")
    here.notify_ready("12 tables,\n41 people")
    here.notify_reloading(17)
    here.notify_status("Zoë " * 100)
    here.notify_alive()
    here.notify_stopping()
    assert manager.recv(1000) == b"READY=1\nSTATUS=12 tables, 41 people"
    assert manager.recv(1000) == b"RELOADING=1\nMONOTONIC_USEC=17"
    assert len(manager.recv(1000)) <= len("STATUS=") + 200
    assert manager.recv(1000) == b"WATCHDOG=1"
    assert manager.recv(1000) == b"STOPPING=1"


def test_an_abstract_address_is_understood() -> None:
    name = f"scoville-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(f"\0{name}")
        line.setblocking(False)
        ServiceManager(f"@{name}").notify_ready()
        assert line.recv(100) == b"READY=1\n"


def test_nobody_is_told_without_a_manager(tmp_path: Path) -> None:
    for nobody in (ServiceManager(), ServiceManager(str(tmp_path / "missing"))):
        nobody.notify_ready("ready")
        with socket.socket() as kept:
            assert not nobody.store_socket("port", kept)


def test_only_the_watched_process_feeds_the_watchdog(manager: socket.socket) -> None:
    assert service(manager, WATCHDOG_USEC="3000000", WATCHDOG_PID="1").watchdog_seconds is None
    assert service(manager, WATCHDOG_USEC="3000000", WATCHDOG_PID=str(os.getpid())).watchdog_seconds == 3.0
    assert service(manager, WATCHDOG_USEC="often").watchdog_seconds is None
    service(manager).notify_alive()
    with pytest.raises(BlockingIOError):
        manager.recv(100)


def test_a_stored_socket_arrives(manager: socket.socket) -> None:
    with socket.create_server(("127.0.0.1", 0)) as port:
        assert service(manager).store_socket("port", port)
        text, descriptors, _, _ = socket.recv_fds(manager, 100, 4)
        with socket.socket(fileno=descriptors[0]) as copy:
            assert (text, copy.getsockname()) == (b"FDSTORE=1\nFDNAME=port", port.getsockname())


def test_inherited_sockets_are_those_of_this_process() -> None:
    assert take_inherited({"LISTEN_PID": "1", "LISTEN_FDS": "2"}) == ({}, {})
    assert take_inherited({}) == ({}, {})


def test_many_files_arrive_under_one_name(manager: socket.socket) -> None:
    lines = [socket.socket() for _ in range(201)]
    service(manager).store_files("connections", lines)
    numbers = []
    for _ in range(2):
        text, handles, _, _ = socket.recv_fds(manager, 100, 253)
        assert text == b"FDSTORE=1\nFDNAME=connections"
        numbers.append(len(handles))
        for handle in handles:
            os.close(handle)
    for line in lines:
        line.close()
    assert numbers == [200, 1]


async def test_a_barrier_shows_whether_the_manager_reads(manager: socket.socket) -> None:
    assert not service(manager).wait_until_read(0)
    waiting = asyncio.ensure_future(asyncio.to_thread(service(manager).wait_until_read, 60))
    for _ in range(2):
        await asyncio.to_thread(select.select, [manager], [], [])
        text, handles, _, _ = socket.recv_fds(manager, 100, 4)
        os.close(*handles)
        assert text == b"BARRIER=1"
    assert await waiting
    assert not ServiceManager().wait_until_read(60)


def test_inherited_sockets_have_names(tmp_path: Path) -> None:
    code = """
from scoville_runtime.service_manager import take_inherited
import os
found, files = take_inherited(os.environ | {"LISTEN_PID": str(os.getpid())})
assert files["states"].read() == b"kept"
print({name: [each.getsockname()[1] for each in sockets] for name, sockets in found.items()})
assert not any(os.get_inheritable(each.fileno()) for sockets in found.values() for each in sockets)
"""
    import subprocess
    import sys

    states = tmp_path / "states"
    states.write_bytes(b"kept")
    with (
        socket.create_server(("127.0.0.1", 0)) as first,
        socket.create_server(("127.0.0.1", 0)) as second,
        states.open("r+b") as file,
    ):

        def inherit() -> None:
            # Copied out of the way first: any may have a number that another needs.
            opened: list[socket.socket | BinaryIO] = [first, second, file]
            numbers = [os.dup2(each.fileno(), 100 + at) for at, each in enumerate(opened)]
            for at, number in enumerate(numbers):
                os.dup2(number, 3 + at)

        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"LISTEN_FDS": "3", "LISTEN_FDNAMES": "port::states", "PYTHONPATH": ":".join(sys.path)},
            preexec_fn=inherit,
            close_fds=False,
            capture_output=True,
            text=True,
            check=False,
        )
        ports = {"port": [first.getsockname()[1]], "unknown": [second.getsockname()[1]]}
    assert done.stdout == f"{ports}\n", done.stderr


@pytest.mark.parametrize("works", [True, False, None])
async def test_only_a_service_that_works_gives_signs_of_life(manager: socket.socket, works: bool | None) -> None:
    clock = FakeClock()

    async def check() -> bool:
        if works is None:
            await asyncio.Event().wait()  # it hangs, as on a disk that does not answer
        return bool(works)

    reports = ServiceReports(service(manager, WATCHDOG_USEC="4000000"), clock.clock, lambda: "fine", check)
    reports.report_ready()
    assert manager.recv(100) == b"READY=1\nSTATUS=fine"
    await clock.elapse(5)
    reports.report_stopping()
    told = []
    while (message := _next_told(manager)) != b"STOPPING=1":
        told.append(message)
    assert (b"WATCHDOG=1" in told) is (works is True)


def _next_told(manager: socket.socket) -> bytes:
    return manager.recv(1000)
