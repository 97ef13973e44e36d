"""Upstream of a door: the server that its users play on, and the credential by which the server believes the door."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address, parse_address
from scoville_client.transport.base import Link
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import TlsLink
from scoville_client.transport.unix import UnixLink
from scoville_runtime.clock import SYSTEM, Clock

_LONGEST = 100
"""Characters of a credential file that are read."""


class Upstream(NamedTuple):
    """The server behind a door: a Unix socket, or an address with its pin."""

    place: Path | Address
    credential_file: Path

    def make_link(self, clock: Clock = SYSTEM) -> Link:
        """Return a link for one user."""
        if isinstance(self.place, Path):
            return UnixLink(self.place, clock=clock)
        return TlsLink(self.place, _known_servers(), clock=clock)

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


def parse_upstream(text: str) -> Path | Address:
    """Parse the server of a door: a path with a slash, or HOST[:PORT]#PIN. Raises ValueError with a sentence."""
    if "/" in text:
        return Path(text)
    address = parse_address(text)
    if not address.pin:
        example = "HOST:PORT#PIN"
        raise ValueError(tr("A door needs the pin of its server, as in {example}, or its socket.", example=example))
    return address
