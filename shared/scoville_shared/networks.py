"""Networks: addresses of peers, the networks under which limits count them, and trusted proxies.

A peer is written "host:port", with brackets around an IPv6 address; without a port it is a host.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_MAPPED_BITS: Final = 96
_SHARED_BITS: Final = (64, 48)
"""Prefixes of IPv6 that one customer owns: a household or a rented machine has a /64, a company or a tunnel a /48."""
_UNIQUE_LOCAL: Final = IPv6Network("fc00::/7")
_MOST_FORWARDED: Final = 16
"""Entries of X-Forwarded-For that are read, from the end."""


def parse_peer(text: str) -> Address | None:
    """Return the address of a socket or a header, with or without a port; an IPv4-mapped one as IPv4.

    >>> parse_peer("[2001:db8::7]:443")
    IPv6Address('2001:db8::7')
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def parse_network(text: str) -> Network:
    """Return the network of an address or of ADDRESS/BITS; IPv4-mapped ones as IPv4, like peers. Raises ValueError.

    >>> parse_network("::ffff:10.0.0.0/104")
    IPv4Network('10.0.0.0/8')
    """
    address, slash, bits_text = text.strip().partition("/")
    network = ip_network(address.partition("%")[0] + slash + bits_text, strict=False)
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    bits = network.prefixlen - _MAPPED_BITS
    return network if mapped is None or bits < 0 else IPv4Network((mapped, bits))


def write_peer(host: str, port: int) -> str:
    """Write a peer as people do: an IPv4-mapped address as IPv4, an IPv6 address in brackets.

    >>> write_peer("::ffff:192.0.2.7", 50412), write_peer("2001:db8::7", 443)
    ('192.0.2.7:50412', '[2001:db8::7]:443')
    """
    host = _unmap_host(host)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def host_of(peer: str) -> str:
    """Return the full IP address of a peer, an IPv4-mapped one as IPv4; empty inside one process."""
    return _unmap_host(_cut_port(peer))


def is_loopback(peer: str) -> bool:
    """Return whether a peer is on this machine."""
    try:
        return ip_address(host_of(peer)).is_loopback
    except ValueError:
        return False


def networks_of(peer: str) -> tuple[str, ...]:
    """Return the keys under which limits count a peer, narrowest first; none inside one process."""
    return networks_of_host(_cut_port(peer))


def network_of(peer: str) -> str:
    """Return the narrowest of `networks_of`; empty inside one process."""
    return next(iter(networks_of(peer)), "")


def networks_of_host(host: str) -> tuple[str, ...]:
    """Return the keys under which limits count a host, narrowest first; none for an unknown one.

    A public IPv6 address counts as its /64 and its /48: one machine has as many addresses of them as it likes. IPv4 and
    the local ranges of IPv6 (loopback, link-local, unique local) count in full, since all machines of a LAN share a
    /64.
    """
    host = host.partition("%")[0]
    if ":" not in host:
        return (host,) if host else ()
    return _networks_of_ipv6(host)


@lru_cache(maxsize=1024)  # one host's requests and events ask again and again, and parsing costs a flood's victim most
def _networks_of_ipv6(host: str) -> tuple[str, ...]:
    try:
        found = IPv6Address(host)
    except ValueError:
        return (host,)
    if found.ipv4_mapped is not None or found.is_loopback or found.is_link_local or found in _UNIQUE_LOCAL:
        return (str(found.ipv4_mapped or found),)
    bits_off = ((bits, found.max_prefixlen - bits) for bits in _SHARED_BITS)
    return tuple(f"{IPv6Address(int(found) >> off << off)}/{bits}" for bits, off in bits_off)


def network_of_host(host: str) -> str:
    """Return the narrowest of `networks_of_host`; empty for an unknown one."""
    return next(iter(networks_of_host(host)), "")


def _cut_port(peer: str) -> str:
    host = peer.rpartition(":")[0]
    return host[1:-1] if host.startswith("[") else host


def _unmap_host(host: str) -> str:
    host = host.partition("%")[0]
    if ":" not in host:  # IPv4, which systems write in one way only; parsing it would cost a flood's victim most
        return host
    try:
        found = IPv6Address(host)
    except ValueError:
        return host
    return str(found.ipv4_mapped or found)


class Proxies:
    """The peers that are configured as proxies; headers of others are ignored."""

    def __init__(self, networks: Sequence[Network] = ()) -> None:
        self._networks = networks

    def __contains__(self, address: Address | None) -> bool:
        return address is not None and any(
            address.version == network.version and address in network for network in self._networks
        )

    def user_of(self, peer: Address, forwarded: Iterable[str]) -> Address:
        """Return the user's address: the last one in `forwarded` that no proxy of ours has.

        Args:
            peer: The other end of the connection, or what its PROXY header says.
            forwarded: The values of all X-Forwarded-For headers, in their order.
        """
        entries = [entry for value in forwarded for entry in value.split(",")]
        for entry in reversed(entries[-_MOST_FORWARDED:]):
            if peer not in self:
                break
            named = parse_peer(entry)
            if named is None:
                break
            peer = named
        return peer
