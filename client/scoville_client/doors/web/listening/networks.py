"""Networks of users: under which key the connections of an address are counted."""

from ipaddress import IPv4Address, ip_network
from typing import Final

from scoville_shared.networks import Address

_HOME_BITS: Final = 64
"""Bits of an IPv6 address that name a home."""


def share_of(address: Address) -> str:
    """Return the key under which the connections of an address are counted: IPv6 by the /64."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _HOME_BITS), strict=False))
