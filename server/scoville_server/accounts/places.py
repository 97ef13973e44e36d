"""Where connections come from, as far as limits are concerned."""

import ipaddress


def place_of(address: str) -> str:
    """Name whom an address of a peer ("host:port") belongs to: one IPv4 address, or a whole /64 of IPv6.

    A household or a rented machine has a /64 for itself, and as many addresses as it likes. Empty inside one process.
    """
    host = address.rpartition(":")[0].partition("%")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(found, ipaddress.IPv4Address):
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))
