"""The protocol of a search on the local network, and its reports."""

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import NamedTuple, Protocol

from scoville_client.i18n.language import tr

OFF = "SCOVILLE_NO_LAN"
"""Variable of the environment that turns search and announcement off."""


class Sighting(NamedTuple):
    """An announced service as it came from the network, with nothing checked: name, addresses, port, TXT record."""

    name: str
    addresses: tuple[str, ...]
    port: int
    entries: Mapping[bytes, bytes | None]


class Browser(Protocol):
    """A search that goes on until it is closed."""

    async def open(self, seen: Callable[[Sighting], None], gone: Callable[[str], None]) -> None:
        """Report found services, again whenever they change, and the names of lost ones. Raises OSError."""

    async def close(self) -> None:
        """End the search."""


Browse = Callable[[], Browser]
"""Makes a search."""


def is_off() -> bool:
    """Whether the environment turns the local network off."""
    return bool(os.environ.get(OFF))


def missing_zeroconf() -> str:
    """Name the package to install where the local network cannot be searched; empty where it can."""
    if find_spec("zeroconf") is not None:
        return ""
    return tr("To use the local network, install zeroconf: pip install zeroconf")
