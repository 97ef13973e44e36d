"""Announcement of a server on the local network, and the protocol that publishes it."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple, Protocol


def find_missing() -> str:
    """Name the package to install where nothing can be published; empty where it can."""
    if find_spec("zeroconf") is not None:
        return ""
    return "Servers are announced with zeroconf, which is not installed: pip install zeroconf."


class Service(NamedTuple):
    """A server as others find it: the pin of its key, addresses (IPv4 and IPv6), port, and the TXT record's entries."""

    pin: str
    addresses: tuple[str, ...]
    port: int
    entries: Mapping[str, str]


class Publisher(Protocol):
    """Publishes one service on every interface."""

    async def publish(self, service: Service) -> None:
        """Publish a service, in place of the one before. Raises OSError where there is no network for it."""

    async def withdraw(self) -> None:
        """Withdraw the announcement of the service."""
