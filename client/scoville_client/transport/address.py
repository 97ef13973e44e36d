"""Server addresses in text form: `example`, `example:5758`, `192.0.2.7`, `[::1]:5757`, each with or without `#PIN`."""

import re
from errno import EADDRINUSE
from typing import Final, NamedTuple

from scoville_client.i18n.language import tr
from scoville_shared import DEFAULT_PORT, HIGHEST_PORT
from scoville_shared.identity import PIN_CHARS

_DIGITS = len(str(HIGHEST_PORT))


_CODE: Final = re.compile(r"[A-Za-z]{2,20}(-[A-Za-z]{2,20}){1,4}")
_PIN: Final = re.compile(rf"[A-Z2-7]{{{PIN_CHARS}}}")


class Address(NamedTuple):
    """Host and port of a server, and the pin of its key, empty if it is not given."""

    host: str
    port: int = DEFAULT_PORT
    pin: str = ""

    def __str__(self) -> str:
        """Return the address with its port and without its pin; an IPv6 address is in brackets."""
        return f"{self._bracketed}:{self.port}"

    @property
    def short(self) -> str:
        """The address as a user types it: without the default port, and with its pin."""
        place = self._bracketed if self.port == DEFAULT_PORT else str(self)
        return f"{place}#{self.pin}" if self.pin else place

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse_address(text: str) -> Address:
    """Parse an address; without a port it has the default one. Raises ValueError with a sentence.

    >>> parse_address("[2001:db8::7]:5758").short, parse_address("cards.example").port
    ('[2001:db8::7]:5758', 5757)
    """
    text, mark, pin = text.strip().partition("#")
    if mark:
        return _parse_place(text.strip())._replace(pin=parse_pin(pin))
    return _parse_place(text)


class Destination(NamedTuple):
    """Where to join: a server, a table by its code on whichever server of the local network knows it, or both."""

    address: Address | None
    code: str = ""


def parse_destination(text: str) -> Destination:
    """Parse `ADDRESS`, `CODE` or `CODE@ADDRESS`, as in `brave-otter@192.0.2.7`. Raises ValueError with a sentence.

    Two or more words with hyphens are a code; a computer with such a name is written with its port.

    >>> parse_destination("brave-otter@192.0.2.7").code
    'brave-otter'
    """
    before, at, after = text.strip().rpartition("@")
    if at and not _CODE.fullmatch(before):
        raise ValueError(tr("{text} is not a table code; it has two words, as in brave-otter.", text=repr(before)))
    if at:
        return Destination(parse_address(after), before.lower())
    return Destination(None, after.lower()) if _CODE.fullmatch(after) else Destination(parse_address(after))


def parse_pin(text: str) -> str:
    """Parse the pin of a server's key. Raises ValueError with a sentence."""
    pin = text.strip().upper()
    if not (text.isascii() and _PIN.fullmatch(pin)):
        raise ValueError(
            tr(
                "{text} is not a pin; after # come {count} letters and digits from A to Z and 2 to 7.",
                text=repr(text),
                count=PIN_CHARS,
            )
        )
    return pin


def _parse_place(text: str) -> Address:
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            raise ValueError(
                tr(
                    "{text} is not an address; write an IPv6 address as [::1] or [::1]:{port}.",
                    text=repr(text),
                    port=DEFAULT_PORT,
                )
            )
        port = port[1:]
    elif text.count(":") > 1:
        # An address of IPv6 without brackets: whatever is behind its last colon is a part of it.
        host, port = text, ""
    else:
        host, _, port = text.partition(":")
    if not host:
        raise ValueError(tr("The address has no host; give one such as localhost or 192.0.2.7."))
    return Address(host, parse_port(port) if port else DEFAULT_PORT)


def port_refused(error: OSError, port: int, option: str) -> str:
    """Return the sentence about a port that this computer does not open; `option` chooses another one."""
    if error.errno == EADDRINUSE:
        return tr("Port {port} on this computer is in use; choose another one with {option}.", port=port, option=option)
    return tr(
        "Port {port} cannot be opened on this computer ({reason}); choose another one with {option}.",
        port=port,
        reason=error.strerror or str(error),
        option=option,
    )


def parse_port(text: str, lowest: int = 1) -> int:
    """Parse a port number. Raises ValueError with a sentence."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS and lowest <= int(text) <= HIGHEST_PORT):
        raise ValueError(
            tr(
                "{text} is not a port; give a number from {lowest} to {highest}.",
                text=repr(text),
                lowest=lowest,
                highest=HIGHEST_PORT,
            )
        )
    return int(text)
