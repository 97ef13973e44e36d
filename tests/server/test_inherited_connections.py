"""Connections that a successor takes over, in which order."""

import os
import socket
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM
from scoville_server.handover import Handed, HandedState, Inheriting, encode_handed
from scoville_server.net.tcp import TcpServer
from scoville_shared.ids import UserId

STATE = HandedState("", None, UserId("1"), "session", "", 0.0, in_lobby=False, tables=())


class RecordingPort:
    """A port that notes which connections it is to begin, and begins none."""

    def __init__(self) -> None:
        self.begun: list[int] = []

    async def begin_handed(self, sock: socket.socket, *_: object) -> None:
        self.begun.append(os.fstat(sock.fileno()).st_ino)


async def test_users_who_wait_for_an_answer_go_on_first() -> None:
    with ExitStack() as stack:
        ends = [[stack.enter_context(end) for end in socket.socketpair()] for _ in range(40)]
        ends[30][1].sendall(b"a request")
        inodes = [os.fstat(ours.fileno()).st_ino for ours, _ in ends]
        states = [replace(STATE, inode=inode) for inode in inodes]
        states[20] = replace(states[20], unread=b"half a request")
        services: Any = SimpleNamespace(tables={}, clock=SYSTEM)
        inheriting = Inheriting(services)
        inheriting.note_connections([ours for ours, _ in ends], encode_handed(Handed(1, tuple(states))))

        await inheriting.begin_connections(cast("TcpServer", port := RecordingPort()))
        inheriting.stop_waiting()

        assert port.begun[:2] == [inodes[20], inodes[30]]
        assert port.begun[2:] == [inode for inode in inodes if inode not in port.begun[:2]]
