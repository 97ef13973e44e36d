"""Shares of connections: who counts as one user."""

from ipaddress import ip_address

from scoville_client.doors.web.listening.networks import share_of


def test_neighbours_in_one_home_share_their_connections() -> None:
    assert share_of(ip_address("2001:db8::1")) == share_of(ip_address("2001:db8::ffff:1"))
    assert share_of(ip_address("2001:db8::1")) != share_of(ip_address("2001:db8:0:1::1"))
    assert share_of(ip_address("192.0.2.1")) != share_of(ip_address("192.0.2.2"))
