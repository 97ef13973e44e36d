"""What others type to join a hosted server: addresses that they can reach, the likeliest first."""

from ipaddress import ip_address

import pytest

from scoville_client.session.interfaces import Found, chosen, how_to_join, lan_addresses


def test_addresses_that_others_can_use_come_in_the_order_in_which_they_are_likely() -> None:
    found = [
        Found("172.17.0.1", "docker0"),
        Found("fd12::7", "eth0"),
        Found("127.0.0.1", "lo"),
        Found("10.0.0.9", "wlan0"),
        Found("::1", "lo"),
        Found("fe80::1%eth0", "eth0"),
        Found("169.254.3.4", "eth1"),
        Found("2001:db8:1::5", "eth0"),
        Found("192.168.1.5", "eth0"),
        Found("192.168.1.5", routed=True),
    ]
    assert chosen(found) == ["192.168.1.5", "10.0.0.9", "fd12::7", "2001:db8:1::5", "172.17.0.1"]


@pytest.mark.parametrize(
    ("host", "port", "addresses", "told"),
    [
        ("", 5757, ["192.168.1.5"], ["Others join with:  scoville join 192.168.1.5"]),
        (
            "",
            5758,
            ["192.168.1.5", "fd12::7"],
            ["Others join with:  scoville join 192.168.1.5:5758", "or with:  scoville join [fd12::7]:5758"],
        ),
        ("", 5757, [], ["No network was found. On this computer join with:  scoville join localhost"]),
        ("127.0.0.1", 5757, ["192.168.1.5"], ["Only this computer can join:  scoville join 127.0.0.1"]),
        ("localhost", 1234, [], ["Only this computer can join:  scoville join localhost:1234"]),
        ("::1", 5757, [], ["Only this computer can join:  scoville join [::1]"]),
        ("192.168.1.5", 5757, ["10.0.0.9"], ["Others join with:  scoville join 192.168.1.5"]),
    ],
)
def test_what_others_type_is_said_exactly(host: str, port: int, addresses: list[str], told: list[str]) -> None:
    assert how_to_join(host, port, addresses) == told


def test_at_most_three_addresses_are_named() -> None:
    assert len(how_to_join("", 5757, [f"10.0.0.{number}" for number in range(1, 9)])) == 3


def test_this_machine_names_no_address_that_means_itself() -> None:
    found = [ip_address(address) for address in lan_addresses()]
    assert len(set(found)) == len(found)
    assert not any(address.is_loopback or address.is_link_local for address in found)
