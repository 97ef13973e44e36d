"""Connecting to a computer by its name."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from scoville_client.transport import tcp
from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink, connect_socket

GUARD_SECONDS = 60.0
look_up = socket.getaddrinfo


class NameServer:
    """Answers for every name; `silent` ones wait until the test has ended."""

    def __init__(self) -> None:
        self.places: list[tuple[Any, ...]] = []
        self.failure: Exception | None = None
        self.silent = False
        self.has_waited = False
        self.ends = threading.Event()

    def answer(self, host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
        if options["flags"] & socket.AI_NUMERICHOST:
            return look_up(host, port, **options)
        if self.silent:
            self.has_waited = not self.ends.wait(GUARD_SECONDS)
        if self.failure is not None:
            raise self.failure
        return self.places


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    server = NameServer()
    monkeypatch.setattr(socket, "getaddrinfo", server.answer)
    yield server
    server.ends.set()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        number: int = closed.getsockname()[1]
    return number


def _place(port: int) -> tuple[Any, ...]:
    return socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)


async def test_the_first_address_that_accepts_is_taken(
    name_server: NameServer, listener: socket.socket, closed_port: int
) -> None:
    port = listener.getsockname()[1]
    name_server.places = [_place(closed_port), _place(port), _place(closed_port)]
    with await connect_socket("cards.example", port) as connected:
        assert connected.getpeername()[1] == port


async def test_small_messages_do_not_wait_for_each_other(listener: socket.socket) -> None:
    connected = await connect_socket("127.0.0.1", listener.getsockname()[1])
    transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=connected)
    assert transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    transport.abort()


async def test_an_address_is_no_name(name_server: NameServer, listener: socket.socket) -> None:
    name_server.failure = AssertionError("looked up")
    with await connect_socket("127.0.0.1", listener.getsockname()[1]) as connected:
        assert connected.getpeername() == listener.getsockname()


async def test_nobody_accepts(name_server: NameServer, closed_port: int) -> None:
    name_server.places = [_place(closed_port)]
    with pytest.raises(ConnectionRefusedError):
        await connect_socket("cards.example", closed_port)


@pytest.mark.parametrize("failure", [socket.gaierror(socket.EAI_NONAME, "unknown"), UnicodeError("label too long")])
async def test_a_name_that_nobody_has_is_named(name_server: NameServer, failure: Exception) -> None:
    name_server.failure = failure
    with pytest.raises(LinkError, match=r"There is no computer called 'cards\.example'"):
        await TcpLink("cards.example", 5757).open(lambda _: None)


def test_a_name_server_that_is_silent_keeps_no_program_alive(name_server: NameServer) -> None:
    name_server.silent = True

    async def give_up() -> None:
        connecting = asyncio.ensure_future(connect_socket("cards.example", 5757))
        for _ in range(3):
            await asyncio.sleep(0)
        assert not connecting.done()
        connecting.cancel()

    asyncio.run(give_up())
    assert not name_server.has_waited
    assert not name_server.ends.is_set()


async def test_an_answer_that_nobody_waits_for_is_dropped(name_server: NameServer) -> None:
    name_server.silent = True
    connecting = asyncio.ensure_future(connect_socket("cards.example", 5757))
    await asyncio.sleep(0)
    asking = [thread for thread in threading.enumerate() if thread.name == "name"]
    connecting.cancel()
    name_server.ends.set()
    for thread in asking:
        await asyncio.to_thread(thread.join)
    await asyncio.sleep(0)
    assert asking
    assert connecting.cancelled()


async def test_all_who_look_for_a_name_share_one_thread(name_server: NameServer) -> None:
    name_server.silent, name_server.failure = True, socket.gaierror(socket.EAI_NONAME, "unknown")
    looking = [asyncio.ensure_future(connect_socket("cards.example", 5757)) for _ in range(100)]
    for _ in range(3):
        await asyncio.sleep(0)
    assert sum(thread.name == "name" for thread in threading.enumerate()) == 1
    looking[0].cancel()
    name_server.ends.set()
    done = await asyncio.gather(*looking, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert all(isinstance(each, socket.gaierror) for each in done[1:])
    assert asyncio.get_running_loop() not in {loop for loop, _, _ in tcp._LOOK_UPS}
