"""Instructions for joining a server that runs here, or that this user has joined."""

from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address

MOST: Final = 3
"""Addresses that are shown: users try no more."""


def how_to_join(host: str, port: int, addresses: Sequence[str], pin: str = "") -> list[str]:
    """Return the command for others to join a server that listens on `host` (empty: everywhere).

    `addresses` are this machine's; at most MOST of them are shown. `pin` is that of the server's key.
    """
    if host and is_local(host):
        return [tr("Only this computer can join:  scoville join {address}", address=Address(host, port).short)]
    typed = [Address(each, port, pin).short for each in ([host] if host else addresses)][:MOST]
    if not typed:
        local = Address("localhost", port).short
        return [tr("No network found. On this computer, join with:  scoville join {address}", address=local)]
    first, *others = typed
    more = [tr("or with:  scoville join {address}", address=address) for address in others]
    return [tr("Others join with:  scoville join {address}", address=first), *more]


def how_to_join_too(address: Address) -> list[str]:
    """Return the command for others to join the server at the address that this user has typed."""
    if is_local(address.host):
        return [tr("On this computer, others join with:  scoville join {address}", address=address.short)]
    return how_to_join(address.host, address.port, [], address.pin)


def is_local(host: str) -> bool:
    """Whether an address means this machine alone."""
    with suppress(ValueError):
        return ip_address(host.partition("%")[0]).is_loopback
    return host == "localhost"
