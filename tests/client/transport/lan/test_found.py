"""What is announced on the local network is hostile input: bounded, checked, logged once."""

import logging

import pytest

from scoville_client.transport.lan.browser import Sighting
from scoville_client.transport.lan.found import MOST_ADDRESSES, MOST_SERVERS, FoundServers
from tests.client.transport.lan.network import announced, with_table


def names(found: FoundServers) -> list[str]:
    return [server.name.partition(".")[0] for server in found.listed]


def test_servers_come_and_go_and_each_change_is_reported_once() -> None:
    changes: list[None] = []
    found = FoundServers(lambda: changes.append(None))
    one, two = announced("one"), with_table("two")
    for sighting in (one, one, two, two):
        found.add_sighting(sighting)
    assert names(found) == ["two", "one"], "free seats come first"
    found.add_sighting(with_table("two", taken=3))
    found.remove_sighting(one.name)
    found.remove_sighting(one.name)
    assert names(found) == ["two"]
    assert len(changes) == 4


@pytest.mark.parametrize(
    "sighting",
    [
        announced("x" * 300),
        announced()._replace(name="one._http._tcp.local."),
        announced(port=0),
        announced(port=70_000),
        announced(addresses=()),
        announced(addresses=("127.0.0.1", "::1", "224.0.0.1", "0.0.0.0", "::", "example.org", "1.2.3")),
        announced()._replace(entries={}),
        Sighting("two._scoville._tcp.local.", ("192.0.2.7",), 5757, {b"\xff": b"\xff"}),
    ],
)
def test_an_absurd_announcement_is_ignored(sighting: Sighting) -> None:
    found = FoundServers()
    found.add_sighting(sighting)
    assert found.listed == []


def test_a_server_whose_announcement_becomes_absurd_is_listed_no_longer() -> None:
    found = FoundServers()
    found.add_sighting(with_table())
    found.add_sighting(with_table()._replace(entries={b"name": b"\x1b[2J"}))
    assert found.listed == []


def test_a_flood_fills_neither_the_list_nor_the_log(caplog: pytest.LogCaptureFixture) -> None:
    found = FoundServers()
    with caplog.at_level(logging.DEBUG):
        for n in range(10 * MOST_SERVERS):
            found.add_sighting(announced(f"server-{n}"))
            found.add_sighting(announced(f"absurd-{n}", port=0))
    assert len(found.listed) == MOST_SERVERS
    assert len(caplog.records) == 1
    found.remove_sighting(found.listed[0].name)
    found.add_sighting(with_table("new"))
    assert "new" in names(found)


def test_only_some_addresses_of_a_server_are_tried() -> None:
    found = FoundServers()
    found.add_sighting(announced(addresses=tuple(f"192.0.2.{n}" for n in range(1, 200))))
    assert len(found.listed[0].addresses) == MOST_ADDRESSES
