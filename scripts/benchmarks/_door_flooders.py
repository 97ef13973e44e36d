"""Floods of `door_floods.py`: users who have entered a door and send packets or frames of one kind without end."""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

import asyncssh
from _door_users import _Keyless
from aiohttp import ClientSession, DummyCookieJar, TCPConnector
from asyncssh.constants import (
    MSG_CHANNEL_OPEN,
    MSG_CHANNEL_WINDOW_ADJUST,
    MSG_DEBUG,
    MSG_GLOBAL_REQUEST,
    MSG_IGNORE,
    MSG_UNIMPLEMENTED,
)
from asyncssh.packet import Boolean, String, UInt32

HELLO = '{"type":"hello","columns":80,"rows":24}'
AHEAD = 1 << 18
"""Bytes that wait at the sender: the door does not read faster."""
BATCH = 100
SSH_PACKETS: dict[str, tuple[Any, ...]] = {
    "ssh-ignore": (MSG_IGNORE, String(b"")),
    "ssh-debug": (MSG_DEBUG, Boolean(False), String(b""), String(b"")),
    "ssh-unimplemented": (MSG_UNIMPLEMENTED, UInt32(0)),
    "ssh-unknown": (192,),
    "ssh-global": (MSG_GLOBAL_REQUEST, String(b"x@example"), Boolean(True)),
    "ssh-channels": (
        MSG_CHANNEL_OPEN,
        *(String(b"direct-tcpip"), UInt32(7), UInt32(99), UInt32(99)),
        *(String(b"a"), UInt32(1), String(b"b"), UInt32(2)),
    ),
    "ssh-windows": (MSG_CHANNEL_WINDOW_ADJUST, UInt32(1)),
}
SSH_KINDS = (*SSH_PACKETS, "ssh-rekeys", "ssh-logins")


def _pack_frame(first: int, text: bytes = b"") -> bytes:
    mask = os.urandom(4)
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(text))
    return bytes((first, 0x80 | len(text))) + mask + masked


WEB_FRAMES = {
    "web-pings": _pack_frame(0x89),
    "web-pongs": _pack_frame(0x8A),
    "web-json": _pack_frame(0x81, b'{"type":"ping"}'),
    "web-fragments": _pack_frame(0x00),
    "web-half": _pack_frame(0x82, b"\x1b[")[:-1],
}
WEB_KINDS = (*WEB_FRAMES, "web-pages")
KINDS = (*SSH_KINDS, *WEB_KINDS)


async def flood_door(kind: str, port: int, users: int, addresses: int, seconds: float) -> None:
    """Flood a door from some addresses, and enter it again after each end."""
    end = time.monotonic() + seconds
    one = _flood_ssh if kind in SSH_KINDS else _flood_web

    async def again(number: int) -> None:
        while time.monotonic() < end:
            with contextlib.suppress(Exception):  # the door may end any of them in any way
                await one(kind, port, f"127.0.9.{1 + number % addresses}", end)
            await asyncio.sleep(0.05)

    await asyncio.gather(*(again(number) for number in range(users)))


async def _send_without_end(send: Callable[[], Any], transport: Any, end: float) -> None:
    """Send batches, as fast as they are read, until the end."""
    while time.monotonic() < end and not transport.is_closing():
        if transport.get_write_buffer_size() <= AHEAD:
            send()
        await asyncio.sleep(0.005 if transport.get_write_buffer_size() > AHEAD else 0)


async def _flood_ssh(kind: str, port: int, address: str, end: float) -> None:
    connection: Any = await asyncssh.connect(
        "127.0.0.1",
        port,
        local_addr=(address, 0),
        username="plain",
        client_keys=[],
        agent_path=None,
        known_hosts=None,
        config=[],
        client_factory=_Keyless,
    )
    try:
        if kind == "ssh-rekeys":
            while time.monotonic() < end and not connection.is_closed():
                if connection._kex is None and not connection._kexinit_sent:  # noqa: SLF001 - there is no public way
                    connection._send_kexinit()  # noqa: SLF001
                    connection._kexinit_sent = True  # noqa: SLF001
                await asyncio.sleep(0)
        elif kind != "ssh-logins":
            target = connection
            if kind == "ssh-windows":
                target, _ = await connection.create_session(asyncssh.SSHClientSession, encoding=None)
            packet = SSH_PACKETS[kind]

            def send() -> None:
                for _ in range(BATCH):
                    target.send_packet(*packet)

            await _send_without_end(send, connection._transport, end)  # noqa: SLF001
    finally:
        connection.abort()


async def _flood_web(kind: str, port: int, address: str, end: float) -> None:
    async with open_page(port, address) as (_, socket):
        transport = socket._writer.transport  # noqa: SLF001 - frames that no library sends
        if kind == "web-pages":
            return
        if kind == "web-fragments":
            transport.write(_pack_frame(0x01))
        frames = WEB_FRAMES[kind] * BATCH
        reading = asyncio.ensure_future(_drain_socket(socket))
        await _send_without_end(lambda: transport.write(frames), transport, end)
        reading.cancel()


async def _drain_socket(socket: Any) -> None:
    async for _ in socket:
        pass


@contextlib.asynccontextmanager
async def open_page(port: int, address: str) -> Any:
    """Open the page from an address; yields the client and its WebSocket, which has said hello."""
    base = f"http://127.0.0.1:{port}"
    connector = TCPConnector(local_addr=(address, 0))
    async with ClientSession(connector=connector, cookie_jar=DummyCookieJar()) as client:
        async with client.get(f"{base}/") as response:
            cookie = response.headers["Set-Cookie"].partition(";")[0]
        socket = await client.ws_connect(f"{base}/socket", headers={"Origin": base, "Cookie": cookie})
        await socket.send_str(HELLO)
        yield client, socket
