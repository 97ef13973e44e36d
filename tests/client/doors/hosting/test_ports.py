"""Ports of doors: one number for IPv4 and IPv6."""

import socket

import pytest

from scoville_client.doors.ssh.server import bind_port


def close_all(lines: list[socket.socket]) -> None:
    for line in lines:
        line.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
async def test_a_free_port_is_the_same_for_all_addresses() -> None:
    bound = await bind_port("", 0)
    try:
        assert {line.family for line in bound} == {socket.AF_INET, socket.AF_INET6}
        assert len({line.getsockname()[1] for line in bound}) == 1
    finally:
        close_all(bound)


async def test_a_port_in_use_is_refused_and_nothing_stays_bound() -> None:
    with socket.create_server(("0.0.0.0", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            await bind_port("", port)
    close_all(await bind_port("", port))


async def test_several_processes_can_share_a_port() -> None:
    first = await bind_port("127.0.0.1", 0, reuse_port=True)
    close_all([*first, *await bind_port("127.0.0.1", first[0].getsockname()[1], reuse_port=True)])
