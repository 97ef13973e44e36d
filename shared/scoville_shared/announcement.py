"""Announcement of a server on the local network: its DNS-SD service type and TXT record (RFC 6763).

Everybody on the network can send such a record, so `read_entries` trusts nothing in it.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from scoville_shared.identity import PIN_CHARS
from scoville_shared.text import clean_name

SERVICE: Final = "_scoville._tcp.local."
"""The service type, with its domain."""
TXT_VERSION: Final = "1"
"""The version of the record's own form, its first entry."""
MOST_SEATS: Final = 99
"""Most seats that an announcement may name."""

_MOST_ENTRIES: Final = 24
"""Entries of a record that are read; ours has eight, a later version may have more."""
_LONGEST_VALUE: Final = 96
"""Bytes of a value: a name of 24 characters takes no more in UTF-8."""
_PIN: Final = re.compile(rf"[A-Z2-7]{{{PIN_CHARS}}}")
_GAME: Final = re.compile(r"[a-z0-9_]{0,32}")
_NUMBER: Final = re.compile(r"\d{1,4}")


class Announcement(Struct, frozen=True, kw_only=True):
    """A server's description of itself, and of one public table.

    Attributes:
        protocol: Version of the protocol that it speaks.
        pin: Pin of its key.
        game: Slug of the game at the table; empty if no public table is open.
        taken: Seats of the table that are taken.
        seats: Seats of the table.
        locked: Whether the table has a password.
        playing: Whether the game has started.
        name: Name of the table's host; empty for a table without one.
    """

    protocol: int
    pin: str
    game: str = ""
    taken: int = 0
    seats: int = 0
    locked: bool = False
    playing: bool = False
    name: str = ""

    @property
    def free_seats(self) -> int:
        """Seats that are free; none once the game has started."""
        return 0 if self.playing else self.seats - self.taken


def write_entries(announcement: Announcement) -> dict[str, str]:
    """Return the entries of the TXT record; empty texts and zeros are left out."""
    found = announcement
    entries = {
        "txtvers": TXT_VERSION,
        "proto": str(found.protocol),
        "pin": found.pin,
        "game": found.game,
        "taken": str(found.taken or ""),
        "seats": str(found.seats or ""),
        "locked": "1" if found.locked else "",
        "playing": "1" if found.playing else "",
        "name": found.name,
    }
    return {key: value for key, value in entries.items() if value}


def read_entries(entries: Mapping[bytes, bytes | None]) -> Announcement:
    """Read the entries of a TXT record. Raises ValueError for one that no server of ours would send."""
    if len(entries) > _MOST_ENTRIES:
        raise ValueError("it has too many entries")
    texts = {key: _read_text(value or b"") for key, value in entries.items()}
    if texts.get(b"txtvers") != TXT_VERSION:
        raise ValueError("its form is of another version")
    pin, game = texts.get(b"pin", ""), texts.get(b"game", "")
    if not _PIN.fullmatch(pin):
        raise ValueError("it has no pin")
    if not _GAME.fullmatch(game):
        raise ValueError("the name of its game is absurd")
    seats, taken = _read_number(texts.get(b"seats", "")), _read_number(texts.get(b"taken", ""))
    if not taken <= seats <= MOST_SEATS or bool(game) != bool(seats):
        raise ValueError("its seats are absurd")
    return Announcement(
        protocol=_read_number(texts.get(b"proto", "")),
        pin=pin,
        game=game,
        taken=taken,
        seats=seats,
        locked=texts.get(b"locked") == "1",
        playing=texts.get(b"playing") == "1",
        name=_read_name(texts.get(b"name", "")),
    )


def _read_text(value: bytes) -> str:
    if len(value) > _LONGEST_VALUE:
        raise ValueError("a value is too long")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError("a value is not UTF-8") from None


def _read_number(text: str) -> int:
    if text and not (text.isascii() and _NUMBER.fullmatch(text)):
        raise ValueError("a number is absurd")
    return int(text or 0)


def _read_name(text: str) -> str:
    """Return a name that is safe to show. Raises ValueError for one that no user can have."""
    if clean_name(text) != text:
        raise ValueError("its name is absurd")
    return text
