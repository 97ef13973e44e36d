"""Requests to addresses of users: public ones alone, one answer, no redirects, no waiting."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

import pytest

from scoville_server.background.safe_post import SECONDS, PostTarget, SafePost, UnsafeAddress, is_public, parse_url
from tests.support.clock import FakeClock


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://hooks.example/a?b=c", PostTarget("hooks.example", 443, "/a?b=c", True)),
        ("https://hooks.example:8443", PostTarget("hooks.example", 8443, "/", True)),
        ("https://[2606:4700::1111]/x", PostTarget("2606:4700::1111", 443, "/x", True)),
    ],
)
def test_an_address_is_read(url: str, place: PostTarget) -> None:
    assert parse_url(url) == place


@pytest.mark.parametrize(
    "url",
    [
        "", "hooks.example", "http://hooks.example/", "ftp://hooks.example/", "https:///a", "file:///etc/passwd",
        "https://anna@hooks.example/", "https://anna:secret@hooks.example/", "https://hooks.example/#a",
        "https://hooks.example:99999/", "https://hooks.example/a\r\nHost: b", "https://hooks.example/a b",
        "https://hooks.exämple/", f"https://hooks.example/{'a' * 300}", "https://[::1",
    ],
)  # fmt: skip
def test_what_is_no_address_for_a_request_is_refused(url: str) -> None:
    with pytest.raises(UnsafeAddress):
        parse_url(url)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "224.0.0.1",
        "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
        "64:ff9b::a00:1", "64:ff9b::7f00:1", "2002:a00:1::", "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_no_request_goes_to_a_private_network(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_requests_go_to_the_internet(address: str) -> None:
    assert is_public(ip_address(address))


async def test_every_address_of_a_name_must_be_public() -> None:
    async def resolve(_: str, __: int) -> Sequence[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(UnsafeAddress, match="private network"):
        await SafePost(resolve=resolve).post_body("https://hooks.example/", b"{}", {})


async def close_line(writer: asyncio.StreamWriter) -> None:
    """Close a connection, which the other end may have cut."""
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def receiver(answer: bytes, *, more: bool = False) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Run a receiver on this machine; returns its address and what it is sent."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        heard.append(await reader.read(100))
        writer.write(answer)
        while more and not writer.is_closing():
            writer.write(b"x" * 1_000)
            await asyncio.sleep(0)
        await close_line(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/hook", heard
    finally:
        server.close()


async def test_a_receiver_is_sent_one_request() -> None:
    async with receiver(b"HTTP/1.1 204 No Content\r\n\r\n") as (url, heard):
        assert await SafePost(private=True).post_body(url, b'{"a": 1}', {"Scoville-Signature": "v1=00"}) == 204
    head = heard[0].decode()
    assert head.startswith("POST /hook HTTP/1.1\r\n")
    assert "Content-Length: 8\r\n" in head
    assert "Scoville-Signature: v1=00\r\n" in head
    assert heard[1] == b'{"a": 1}'


async def test_a_redirect_is_not_followed() -> None:
    async with receiver(b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n") as (url, heard):
        assert await SafePost(private=True).post_body(url, b"{}", {}) == 302
        assert len(heard) == 2


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 yes\r\n", b"\r\n"])
async def test_what_is_no_answer_is_a_failure(answer: bytes) -> None:
    async with receiver(answer) as (url, _):
        with pytest.raises(OSError, match="not HTTP"):
            await SafePost(private=True).post_body(url, b"{}", {})


async def test_a_receiver_that_sends_for_ever_is_cut() -> None:
    async with receiver(b"", more=True) as (url, _):
        with pytest.raises(OSError, match="not HTTP"):
            await SafePost(private=True).post_body(url, b"{}", {})


async def test_a_receiver_that_says_nothing_costs_five_seconds() -> None:
    clock, silent = FakeClock(), asyncio.Queue[asyncio.StreamWriter]()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        silent.put_nowait(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    asked = asyncio.ensure_future(SafePost(private=True, clock=clock.clock).post_body(url, b"{}", {}))
    writer = await silent.get()
    clock.advance(SECONDS + 1)
    with pytest.raises(TimeoutError):
        await asked
    await close_line(writer)
    server.close()
