"""The addresses under which others reach this machine, the likeliest first."""

from ipaddress import ip_address

from scoville_server.net.interfaces import (
    MOST_ANNOUNCED,
    LanAddress,
    announced_addresses,
    choose_announced,
    choose_reachable,
    lan_addresses,
)


def test_announced_addresses_come_in_likely_order() -> None:
    found = [
        LanAddress("172.17.0.1", "docker0"),
        LanAddress("fd12::7", "eth0"),
        LanAddress("127.0.0.1", "lo"),
        LanAddress("10.0.0.9", "wlan0"),
        LanAddress("::1", "lo"),
        LanAddress("fe80::1%eth0", "eth0"),
        LanAddress("169.254.3.4", "eth1"),
        LanAddress("2001:db8:1::5", "eth0"),
        LanAddress("192.168.1.5", "eth0"),
        LanAddress("192.168.1.5", routed=True),
    ]
    assert choose_reachable(found) == ["192.168.1.5", "10.0.0.9", "fd12::7", "2001:db8:1::5", "172.17.0.1"]


FOUND = [
    LanAddress("172.17.0.1", "docker0"),
    LanAddress("fe80::1%eth0", "eth0"),
    LanAddress("127.0.0.1", "lo"),
    LanAddress("169.254.3.4", "eth1"),
    LanAddress("2001:db8:1::5", "eth0"),
    LanAddress("192.168.1.5", "eth0"),
]


def test_cables_without_router_are_announced_but_containers_not() -> None:
    assert choose_announced(FOUND) == ("169.254.3.4", "192.168.1.5", "fe80::1", "2001:db8:1::5")
    assert choose_announced(FOUND[:1]) == ("172.17.0.1",)


def test_not_more_addresses_are_announced_than_fit_into_a_packet() -> None:
    assert len(choose_announced([LanAddress(f"10.0.0.{n}", "eth0") for n in range(100)])) == MOST_ANNOUNCED


def test_a_server_on_one_address_is_announced_there_or_nowhere() -> None:
    assert announced_addresses("192.0.2.7") == ("192.0.2.7",)
    assert [announced_addresses(host) for host in ("127.0.0.1", "::1", "localhost", "example.org")] == [()] * 4


def test_this_machine_names_no_address_that_means_itself() -> None:
    found = [ip_address(address) for address in lan_addresses()]
    assert len(set(found)) == len(found)
    assert not any(address.is_loopback or address.is_link_local for address in found)
