"""Upstream of a door: the server that its users play on, and the credential by which the server believes the door."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address, parse_address
from scoville_client.transport.base import Link
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tcp import UnixLink
from scoville_client.transport.tls import Places, TlsLink
from scoville_runtime.clock import SYSTEM, Clock

_LONGEST = 100
"""Characters of a credential file that are read."""


class ServerAddresses(NamedTuple):
    """The addresses of the nodes of one server, under the pin of the first one."""

    first: Address
    others: tuple[Address, ...] = ()

    @property
    def short(self) -> str:
        """The addresses as a host types them."""
        return ",".join(address.short for address in (self.first, *self.others))


class Upstream(NamedTuple):
    """The server behind a door: a Unix socket, or its addresses with its pin."""

    place: Path | ServerAddresses
    credential_file: Path

    def make_link(self, clock: Clock = SYSTEM) -> Link:
        if isinstance(self.place, Path):
            return UnixLink(self.place, clock=clock)
        return TlsLink(self.place.first, _known_servers(), clock=clock, places=_find_places(self.place))

    def read_credential(self) -> str:
        """Read the credential; empty if the file cannot be read, which the server then refuses."""
        try:
            with self.credential_file.open(encoding="ascii", errors="replace") as file:
                return file.read(_LONGEST).strip()
        except OSError:
            return ""


@cache
def _known_servers() -> KnownServers:
    """Return one memory for all users of a door, so that a key which was replaced while it runs stays replaced."""
    return KnownServers.of_user()


@cache
def _find_places(addresses: ServerAddresses) -> Places:
    """Return one memory for all users of a door, so that each finds the node that served the others last."""
    return Places(addresses.first, addresses.others)


def parse_upstream(text: str) -> Path | ServerAddresses:
    """Parse the server of a door: a path with a slash, or HOST[:PORT]#PIN, perhaps with further nodes behind commas.

    Raises ValueError with a sentence.
    """
    if "/" in text:
        return Path(text)
    first, *others = map(parse_address, text.split(","))
    if not first.pin:
        example = "HOST:PORT#PIN"
        raise ValueError(tr("A door needs the pin of its server, as in {example}, or its socket.", example=example))
    return ServerAddresses(first, tuple(address._replace(pin="") for address in others))
