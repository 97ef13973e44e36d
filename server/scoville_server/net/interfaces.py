"""The addresses under which other machines on the network reach this one, and what a server says of them."""

import errno
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final, NamedTuple

from scoville_shared import __version__

_ELSEWHERE: Final = ((socket.AF_INET, ("192.0.2.1", 9)), (socket.AF_INET6, ("2001:db8::1", 9)))
"""Addresses that are kept for documentation: asking for the way there sends nothing."""
_VIRTUAL: Final = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "podman", "cni")
"""How interfaces begin that lead to containers and virtual machines on this computer."""
_GET_ADDRESS: Final = 0x8915
"""Linux's request for the IPv4 address of an interface (SIOCGIFADDR)."""
_GET_FLAGS: Final = 0x8913
"""Linux's request for the flags of an interface (SIOCGIFFLAGS)."""
_RUNNING: Final = 0x1 | 0x40
"""Flags of an interface that is up and has a cable or network: others keep their addresses, which reach nobody."""
_IPV6_TABLE: Final = Path("/proc/net/if_inet6")
_MOST_ADDRESSES: Final = 3
"""Addresses that a server's first line names: players need one of them, and nobody would try more."""
MOST_ANNOUNCED: Final = 8
"""Addresses that a server announces: a record has to fit into one packet."""
_TEMPORARY: Final = 0x01 | 0x20 | 0x40
"""Flags of IPv6 addresses that will not last: temporary, deprecated, tentative."""


class LanAddress(NamedTuple):
    """An address, the interface that has it (empty where that is unknown), and whether it leads to other networks."""

    address: str
    interface: str = ""
    routed: bool = False


def lan_addresses() -> list[str]:
    """List the addresses of this machine that others on the network can use, the likeliest first."""
    return choose_reachable(_find_addresses())


def _find_addresses() -> list[LanAddress]:
    return [*_find_routed(), *(_of_interfaces() if sys.platform.startswith("linux") else _of_the_name())]


def announced_addresses(host: str) -> tuple[str, ...]:
    """List the addresses at which a server that listens on `host` (empty: everywhere) is announced to its networks.

    Empty for a server that listens on a name, or that only this machine reaches.
    """
    try:
        return choose_announced([LanAddress(str(_parse_ip(host)))] if host else _find_addresses())
    except ValueError:  # a name
        return ()


def choose_announced(found: Iterable[LanAddress]) -> tuple[str, ...]:
    """Keep addresses that can be announced: also link-local ones, which a cable without a router has; no containers.

    Containers are announced only where there is nothing else.
    """
    known = sorted((each._replace(address=str(_parse_ip(each.address))) for each in found), key=_rank_address)
    virtual = {each.address for each in known if each.interface.startswith(_VIRTUAL)}
    usable = [address for address in dict.fromkeys(each.address for each in known) if _is_announced(_parse_ip(address))]
    return tuple([each for each in usable if each not in virtual] or usable)[:MOST_ANNOUNCED]


def _is_announced(address: IPv4Address | IPv6Address) -> bool:
    return not (address.is_loopback or address.is_multicast or address.is_unspecified)


def choose_reachable(found: Iterable[LanAddress]) -> list[str]:
    """Select the usable addresses, each once: routed ones, then IPv4 before IPv6, containers last."""
    best: dict[str, LanAddress] = {}
    for each in found:
        known = best.get(each.address, each)
        best[each.address] = LanAddress(each.address, known.interface or each.interface, known.routed or each.routed)
    return [each.address for each in sorted(filter(_is_usable, best.values()), key=_rank_address)]


def _rank_address(found: LanAddress) -> tuple[bool, bool, bool]:
    return found.interface.startswith(_VIRTUAL), _parse_ip(found.address).version == 6, not found.routed


def _is_usable(found: LanAddress) -> bool:
    address = _parse_ip(found.address)
    return not (address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified)


def _parse_ip(address: str) -> IPv4Address | IPv6Address:
    return ip_address(address.partition("%")[0])


def _find_routed() -> Iterator[LanAddress]:
    for family, elsewhere in _ELSEWHERE:
        # No way out by this protocol.
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(elsewhere)
            yield LanAddress(str(probe.getsockname()[0]), routed=True)


def _of_interfaces() -> Iterator[LanAddress]:
    # Not every system lists its interfaces.
    with suppress(OSError):
        for _, name in socket.if_nameindex():
            # It may have gone down meanwhile.
            with suppress(OSError):
                if _is_running(name):
                    yield LanAddress(_ipv4_of(name), name)
    # Only Linux has this table.
    with suppress(OSError, ValueError):
        for line in _IPV6_TABLE.read_text().splitlines():
            digits, _, _, _, flags, name = line.split()
            if not int(flags, 16) & _TEMPORARY and _is_running(name):
                yield LanAddress(str(IPv6Address(int(digits, 16))), name)


def _ipv4_of(name: str) -> str:
    # The answer repeats the name in 16 bytes; family and port come before the address.
    return socket.inet_ntoa(_ask_interface(name, _GET_ADDRESS)[20:24])


def _is_running(name: str) -> bool:
    """Return whether an interface is up and connected. Raises OSError when it is gone."""
    return int.from_bytes(_ask_interface(name, _GET_FLAGS)[16:18], sys.byteorder) & _RUNNING == _RUNNING


def _ask_interface(name: str, request: int) -> bytes:
    from fcntl import ioctl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        answer: bytes = ioctl(probe.fileno(), request, name.encode()[:15].ljust(256, b"\0"))
    return answer


def _of_the_name() -> Iterator[LanAddress]:
    # Not every machine can resolve its own name.
    with suppress(OSError):
        for *_, address in socket.getaddrinfo(socket.gethostname(), None):
            yield LanAddress(str(address[0]))


def listening_text(host: str, port: int, pin: str) -> str:
    """Write a server's address, and the commands for players; without a host for all addresses of this machine."""
    where = f"{host}, port {port}" if host else f"every address of this computer, port {port}"
    reached = [host] if host else lan_addresses()[:_MOST_ADDRESSES] or ["ADDRESS"]
    ways = " or ".join(f"scoville join {f'[{each}]' if ':' in each else each}:{port}#{pin}" for each in reached)
    return f"scoville-server {__version__} listens on {where}. Players type: {ways}"


def cannot_listen_text(host: str, port: int | None, error: OSError) -> str:
    """Return why a server cannot listen."""
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use by another program; choose another one with --port."
    reason = error.strerror or str(error)
    return f"Cannot listen on {host or 'this machine'}, port {port}: {reason}."
