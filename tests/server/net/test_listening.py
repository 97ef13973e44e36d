"""Sockets that the servers of one process hand to each other."""

import socket

from scoville_runtime.service_manager import Inherited
from scoville_server.net.listening import OWN_PORT, ListeningSockets


async def test_the_next_server_inherits_what_a_failed_start_has_not_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        overtaken = ListeningSockets(Inherited({OWN_PORT: [listening]}, {}), keeps=True)
        following = overtaken.next_in_process()
        found = await following.open_port(*listening.getsockname())
        following.close_kept()
        assert found == [listening], "a port that stays open without a server would be busy"


async def test_the_next_server_inherits_copies_of_what_was_used() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        served = ListeningSockets(Inherited({OWN_PORT: [listening]}, {}), keeps=True)
        await served.open_port(*listening.getsockname())
        following = served.next_in_process()
        [copy] = await following.open_port(*listening.getsockname())
        following.close_kept()
        with copy:
            assert (copy is listening, copy.getsockname()) == (False, listening.getsockname())
