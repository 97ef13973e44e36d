"""Admission of connections: fair shares by address, and a few places for known users."""

import pytest

from scoville_server.net.admission import Admission
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors.settings import DoorSettings
from scoville_shared.protocol.messages import ByeNotice


class Connection:
    """A connection that records its end."""

    def __init__(self, host: str) -> None:
        self.address = f"{host}:4000"
        self.closed = False

    def close(self, bye: ByeNotice | None = None) -> None:
        assert bye is not None
        assert bye.code == "busy"
        self.closed = True


def many(entrance: Admission, host: str, count: int, *, known: bool = False) -> list[Connection]:
    """Open connections that say hello at once; returns those that stay."""
    add = [Connection(host) for _ in range(count)]
    for connection in add:
        entrance.admit_connection(connection)
        if not connection.closed and not entrance.may_greet(connection, known=known):
            assert connection.closed
        if connection.closed:
            entrance.remove_connection(connection)
    return [connection for connection in add if not connection.closed]


def test_four_greedy_addresses_leave_room_for_everybody_else() -> None:
    entrance = Admission(ConnectionLimits(), 4096)
    taken = [len(many(entrance, f"127.0.0.{n}", 4096)) for n in range(2, 6)]
    assert taken[0] == 1024
    assert min(taken) > 300
    assert all(len(many(entrance, f"192.0.2.{n}", 1)) == 1 for n in range(200))


@pytest.mark.parametrize("host", ["127.0.0.2", "2001:db8::7"])
def test_a_known_user_enters_beside_a_swarm(host: str) -> None:
    entrance = Admission(ConnectionLimits(), 4096)
    many(entrance, host, 2000)
    assert many(entrance, host, 1) == []
    [known] = many(entrance, host, 1, known=True)
    entrance.remove_connection(known)
    assert len(many(entrance, host, 100, known=True)) == 16


def test_silent_connections_on_trial_make_room_for_the_next() -> None:
    entrance = Admission(ConnectionLimits(), 4096)
    many(entrance, "127.0.0.2", 1024)
    silent = [Connection("127.0.0.2") for _ in range(50)]
    for connection in silent:
        entrance.admit_connection(connection)
    assert [connection.closed for connection in silent] == [True] * 34 + [False] * 16
    assert len(many(entrance, "127.0.0.2", 1, known=True)) == 1


def test_a_household_of_ipv6_is_one_address() -> None:
    entrance = Admission(ConnectionLimits(per_address=10), 4096)
    assert sum(len(many(entrance, f"2001:db8:0:1::{n:x}", 1)) for n in range(1, 30)) == 10
    assert sum(len(many(entrance, f"2001:db8:0:{n:x}::1", 1)) for n in range(2, 60)) == 30
    assert len(many(entrance, "2001:db8:1::1", 1)) == 1


def test_without_an_address_limit_one_door_takes_all() -> None:
    assert len(many(Admission(ConnectionLimits(per_address=0), 100), "127.0.0.1", 200)) == 100


def test_ended_connection_is_counted_out() -> None:
    entrance = Admission(ConnectionLimits(), 128)
    for _ in range(3):
        stayed = many(entrance, "127.0.0.2", 128)
        assert len(stayed) == 96
        for connection in stayed:
            entrance.remove_connection(connection)
    assert len(entrance) == 0


def hosted(entrance: Admission, host: str, *, known: bool = False) -> Connection:
    """Open a connection of a door that says at once for whom it is; returns it if it stays."""
    connection = Connection("unix")
    entrance.add_from_door(connection)
    if not connection.closed:
        connection.address = f"{host}:4000"
        stays = entrance.admit_introduced(connection) and entrance.may_greet(connection, known=known)
        assert stays != connection.closed
    if connection.closed:
        entrance.remove_connection(connection)
    return connection


def test_door_users_count_by_their_own_address() -> None:
    entrance = Admission(ConnectionLimits(per_address=100), 4096)
    many(entrance, "192.0.2.7", 99)
    assert not hosted(entrance, "192.0.2.7").closed
    assert hosted(entrance, "192.0.2.7").closed
    assert not hosted(entrance, "192.0.2.7", known=True).closed, "one place is left for users who are known"
    assert not hosted(entrance, "192.0.2.8").closed


def test_doors_share_a_part_of_all_places() -> None:
    entrance = Admission(ConnectionLimits(), 64, DoorSettings(share=0.5))
    stay = [hosted(entrance, f"192.0.2.{n}") for n in range(40)]
    assert [connection.closed for connection in stay] == [False] * 32 + [True] * 8
    assert len(many(entrance, "198.51.100.1", 1)) == 1
    entrance.remove_connection(stay[0])
    assert not hosted(entrance, "192.0.2.99").closed


def test_a_tls_door_frees_its_address_when_introduced() -> None:
    entrance = Admission(ConnectionLimits(per_address=2), 4096)
    for n in range(20):
        connection = Connection("203.0.113.1")
        entrance.admit_connection(connection)
        connection.address = f"192.0.2.{n}:4000"
        assert entrance.admit_introduced(connection)
    assert len(entrance) == 20


def test_connections_that_say_nothing_are_bounded_and_released() -> None:
    entrance = Admission(ConnectionLimits(), 4096, DoorSettings(waiting=2))
    silent = [Connection("unix") for _ in range(3)]
    for connection in silent:
        entrance.add_from_door(connection)
    assert [connection.closed for connection in silent] == [False, False, True]
    for connection in silent[1:]:
        entrance.remove_connection(connection)
    assert not hosted(entrance, "192.0.2.7").closed
