"""Invitation: every way in which others join the table of this user, for the screens, the line mode and a QR code."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address

MOST_ADDRESSES: Final = 3
"""Addresses that are shown: users try no more."""


class Way(NamedTuple):
    """One way to join: what it is for, what others type, and the link that opens it on a phone (empty: none)."""

    title: str
    typed: str
    link: str = ""


WayOf = Callable[[str], Way]
"""Makes a way from a table code, empty without one: what a door beside the server adds."""


def first_of_each(ways: Iterable[Way]) -> list[Way]:
    """Return the first way of each title, for where there is little room."""
    found: dict[str, Way] = {}
    for way in ways:
        found.setdefault(way.title, way)
    return [*found.values()]


class Invitation(NamedTuple):
    """The ways to join, the best one first, with the table code and the pin of the server's key; each may be empty.

    `note` says what to install where the server could not be announced.
    """

    ways: tuple[Way, ...]
    code: str = ""
    pin: str = ""
    note: str = ""

    @property
    def qr_text(self) -> str:
        """Text of the QR code: a link if there is one, else a command; empty if no other user can join."""
        links = [way.link for way in self.ways if way.link]
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


def invitation(
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
    local = [Way(tr("On this network:"), f"scoville join {code}".rstrip())] if announced else []
    direct = [
        Way(tr("By its address:"), f"scoville join {address._replace(pin=pin).short}")
        for address in addresses[:MOST_ADDRESSES]
    ]
    return Invitation((*local, *(door(code) for door in doors), *direct), code, pin)
