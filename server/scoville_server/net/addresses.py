"""Addresses as limits and bans see them: the host of a connection and the networks it belongs to."""

import ipaddress

_SHARED_BITS = (64, 48)
"""Prefixes of IPv6 that one customer owns: a household or a rented machine has a /64, a company or a tunnel a /48."""


def host_of(address: str) -> str:
    """Return the full IP address of a peer's "host:port", IPv4-mapped ones as IPv4; empty inside one process."""
    host = address.rpartition(":")[0].partition("%")[0]
    if ":" not in host:  # IPv4, which systems write in one way only; parsing it would cost a flood's victim most
        return host
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def is_loopback(address: str) -> bool:
    """Return whether a peer's "host:port" is on this machine."""
    try:
        return ipaddress.ip_address(host_of(address)).is_loopback
    except ValueError:
        return False


def networks_of(address: str) -> tuple[str, ...]:
    """Return the keys under which limits count a peer's "host:port", narrowest first; none inside one process.

    A public IPv6 address counts as its /64 and its /48: one machine has as many addresses of them as it likes. IPv4 and
    the local ranges of IPv6 (loopback, link-local, unique local) count in full, since everybody on a LAN shares a /64.
    """
    host = host_of(address)
    if not host:
        return ()
    if ":" not in host:
        return (host,)
    try:
        found = ipaddress.IPv6Address(host)
    except ValueError:
        return (host,)
    if found.is_loopback or found.is_link_local or _is_unique_local(found):
        return (host,)
    return tuple(str(ipaddress.IPv6Network((found, bits), strict=False)) for bits in _SHARED_BITS)


def network_of(address: str) -> str:
    """Return the narrowest of `networks_of`; empty inside one process."""
    return next(iter(networks_of(address)), "")


def _is_unique_local(address: ipaddress.IPv6Address) -> bool:
    return address in ipaddress.IPv6Network("fc00::/7")
