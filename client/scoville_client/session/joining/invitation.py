"""Invitation: every way in which others join the table of this user, for the screens, the line mode and a QR code."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Final, NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address

MOST_ADDRESSES: Final = 3
"""Addresses that are shown: users try no more."""


class WayToJoin(NamedTuple):
    """One way to join: what it is for, what others type, and the link that opens it on a phone (empty: none)."""

    title: str
    typed: str
    link: str = ""


WayOf = Callable[[str], WayToJoin]
"""Makes a way from a table code, empty without one: what a door beside the server adds."""


def first_of_each(ways: Iterable[WayToJoin]) -> list[WayToJoin]:
    """Return the first way of each title, for where there is little room."""
    found: dict[str, WayToJoin] = {}
    for way in ways:
        found.setdefault(way.title, way)
    return [*found.values()]


class Invitation(NamedTuple):
    """The ways to join, the best one first, with the table code and the pin of the server's key; each may be empty.

    `note` says what to install where the server could not be announced.
    """

    ways: tuple[WayToJoin, ...]
    code: str = ""
    pin: str = ""
    note: str = ""

    @property
    def qr_text(self) -> str:
        """Text of the QR code: a link if there is one, else a command; empty if no other user can join."""
        links = [way.link for way in self.ways if way.link]
        # A user who scans it is beside this screen, and with the pin in it nothing has to be trusted.
        complete = [way.typed for way in self.ways if self.pin and self.pin in way.typed]
        return next(iter([*links, *complete, *(way.typed for way in self.ways)]), "")

    @property
    def lines(self) -> list[str]:
        """The invitation as sentences."""
        rows = [f"{way.title}  {way.typed}" for way in self.ways]
        if self.code:
            rows.append(tr("Table code: {code}", code=self.code))
        if self.pin:
            rows.append(tr("Pin of the server: {pin}", pin=self.pin))
        if self.note:
            rows.append(self.note)
        return rows


def collect_invitation(
    addresses: Sequence[Address],
    code: str = "",
    pin: str = "",
    *,
    announced: bool = False,
    doors: Iterable[WayOf] = (),
) -> Invitation:
    """Collect the ways to join a server.

    Args:
        addresses: The server's addresses for others, the likeliest first.
        code: The code of the table, empty without a table.
        pin: Pin of the server's key.
        announced: Whether the server announces itself on the local network.
        doors: Ways that doors beside the server add.
    """
    local = [WayToJoin(tr("On this network:"), f"scoville join {code}".rstrip())] if announced else []
    direct = [
        WayToJoin(tr("By its address:"), f"scoville join {address._replace(pin=pin).short}")
        for address in addresses[:MOST_ADDRESSES]
    ]
    return Invitation((*local, *(door(code) for door in doors), *direct), code, pin)


def how_to_join(host: str, port: int, addresses: Sequence[str], pin: str = "") -> list[str]:
    """Return the command for others to join a server that listens on `host` (empty: everywhere).

    `addresses` are this machine's; at most MOST_ADDRESSES of them are shown. `pin` is that of the server's key.
    """
    if host and is_local(host):
        return [tr("Only this computer can join:  scoville join {address}", address=Address(host, port).short)]
    typed = [Address(each, port, pin).short for each in ([host] if host else addresses)][:MOST_ADDRESSES]
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
        # Without the zone of an IPv6 address, such as fe80::1%eth0.
        return ip_address(host.partition("%")[0]).is_loopback
    return host == "localhost"
