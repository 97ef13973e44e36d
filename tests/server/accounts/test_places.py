"""Limits count an address as whoever it belongs to."""

import pytest

from scoville_server.accounts.places import place_of


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("", ""),
        ("192.0.2.7:50412", "192.0.2.7"),
        ("::ffff:192.0.2.7:50412", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1:50412", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9:50999", "2001:db8:1:2::/64"),
        ("fe80::1%eth0:50412", "fe80::/64"),
    ],
)
def test_a_place_is_an_address_or_a_whole_network(address: str, place: str) -> None:
    assert place_of(address) == place
