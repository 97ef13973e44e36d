"""Limits count an address by the networks it belongs to; bans compare it in full."""

import pytest

from scoville_shared.networks import host_of, network_of, network_of_host, networks_of, write_peer


@pytest.mark.parametrize(
    ("address", "networks"),
    [
        ("", ()),
        ("192.0.2.7:50412", ("192.0.2.7",)),
        ("::ffff:192.0.2.7:50412", ("192.0.2.7",)),
        ("2001:db8:1:2:aaaa::1:50412", ("2001:db8:1:2::/64", "2001:db8:1::/48")),
        ("2001:db8:1:2:bbbb::9:50999", ("2001:db8:1:2::/64", "2001:db8:1::/48")),
        ("2001:db8:1:3::9:50999", ("2001:db8:1:3::/64", "2001:db8:1::/48")),
        ("fe80::1%eth0:50412", ("fe80::1",)),
        ("fd12:3456:789a::5:50412", ("fd12:3456:789a::5",)),
        ("::1:50412", ("::1",)),
    ],
)
def test_limits_group_public_ipv6_by_64_and_48(address: str, networks: tuple[str, ...]) -> None:
    assert networks_of(address) == networks
    assert network_of(address) == (networks[0] if networks else "")


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("", ""),
        ("192.0.2.7:50412", "192.0.2.7"),
        ("::ffff:192.0.2.7:50412", "192.0.2.7"),
        ("2001:db8:1:2::5:50412", "2001:db8:1:2::5"),
        ("fe80::1%eth0:50412", "fe80::1"),
    ],
)
def test_a_host_is_the_full_address_without_its_port(address: str, host: str) -> None:
    assert host_of(address) == host


def test_door_counts_hosts_like_the_server() -> None:
    assert network_of_host("192.0.2.1") == "192.0.2.1"
    assert network_of_host("2001:db8:1:2:3::4") == network_of_host("2001:db8:1:2:5::6") == "2001:db8:1:2::/64"
    assert network_of_host("fe80::1%eth0") == "fe80::1"
    assert network_of_host("a name") == "a name"


@pytest.mark.parametrize(
    ("host", "port", "written"),
    [
        ("192.0.2.7", 50412, "192.0.2.7:50412"),
        ("::ffff:192.0.2.7", 50412, "192.0.2.7:50412"),
        ("2001:db8::7", 443, "[2001:db8::7]:443"),
        ("fe80::1%eth0", 1, "[fe80::1]:1"),
    ],
)
def test_peers_are_written_as_people_do(host: str, port: int, written: str) -> None:
    assert write_peer(host, port) == written
    assert host_of(written) == host_of(f"{host}:{port}")
    assert networks_of(written) == networks_of(f"{host}:{port}")
