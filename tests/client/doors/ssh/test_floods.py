"""Floods of SSH packets: each kind is handled as fast as it may cost, and others are served meanwhile."""

import asyncio
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.constants import (
    MSG_CHANNEL_OPEN,
    MSG_CHANNEL_WINDOW_ADJUST,
    MSG_DEBUG,
    MSG_GLOBAL_REQUEST,
    MSG_IGNORE,
)
from asyncssh.packet import Boolean, String, UInt32

from scoville_client.doors.hosting.metering import MeteredReader
from scoville_client.doors.hosting.session_limits import CPU_OF_CONNECTION, SLICE_BYTES
from tests.client.doors.ssh.test_door import a_door
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import wait_until_idle

PACKETS: dict[str, tuple[Any, ...]] = {
    "ignore": (MSG_IGNORE, String(b"x" * 900)),
    "debug": (MSG_DEBUG, Boolean(False), String(b"x" * 900), String(b"")),
    "unknown": (192, String(b"x" * 900)),
    "global": (MSG_GLOBAL_REQUEST, String(b"x@example"), Boolean(True), String(b"x" * 900)),
    "channels": (
        MSG_CHANNEL_OPEN,
        *(String(b"direct-tcpip"), UInt32(7), UInt32(99), UInt32(99)),
        *(String(b"a" * 900), UInt32(1), String(b"b"), UInt32(2)),
    ),
}


@pytest.mark.parametrize("kind", PACKETS)
async def test_packets_of_all_kinds_are_read_within_budget(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_door(tmp_path) as at, at.connect() as flood:
        slices: list[int] = []
        hand_on = MeteredReader._hand_on

        def expensive(reader: MeteredReader) -> None:
            """Let each slice of the flood cost as much as the connection may spend at once."""
            if reader.meter is meter:
                slices.append(1)
                reader.meter.charge_seconds(CPU_OF_CONNECTION)
            hand_on(reader)

        ((connection,),) = [tuple(at.door._connections)]
        meter = connection._connection._meter  # type: ignore[union-attr]
        monkeypatch.setattr(MeteredReader, "_hand_on", expensive)
        for _ in range(64):
            flood.send_packet(*PACKETS[kind])
        await wait_until_idle()
        most = 64 * 1_100 // SLICE_BYTES
        assert 0 < len(slices) < most // 4
        async with at.connect(local_addr=("127.0.0.2", 0)) as other:
            assert (await other.run("help")).exit_status == 0
        flood.abort()


async def test_windows_of_a_channel_are_charged_like_all_packets(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect("plain") as flood:
        channel, _ = await flood.create_session(asyncssh.SSHClientSession, encoding=None)
        (connection,) = at.door._connections
        before = connection._connection._meter._own.count_tokens(at.door._clock.seconds())  # type: ignore[union-attr]
        for _ in range(5_000):
            channel.send_packet(MSG_CHANNEL_WINDOW_ADJUST, UInt32(1))
        await wait_until_idle()
        after = connection._connection._meter._own.count_tokens(at.door._clock.seconds())  # type: ignore[union-attr]
        assert after < before
        flood.abort()


async def test_a_refused_connection_gets_not_even_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_door(tmp_path) as at:
        monkeypatch.setattr(at.door._inside, "has_room", lambda _: False)
        reader, writer = await asyncio.open_connection("127.0.0.1", at.door.port)
        assert await reader.read() == b""
        writer.close()
