"""The addresses at which one server is reached: a server may be several machines, of which one serves."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from scoville_client.transport.address import Address, parse_address

MOST: Final = 16
"""Addresses that are remembered: a hostile server could name thousands."""


class Places:
    """The address that the user has typed, and those that the server has named; all show the same key.

    Attributes:
        first: The address that the user has typed, by which the server's key is known.
    """

    def __init__(self, first: Address) -> None:
        self.first = first
        self._known = [first]

    def in_order(self) -> list[Address]:
        """Return the addresses in the order in which to try them: that of the last success comes first."""
        return [*self._known]

    def note_success(self, place: Address) -> None:
        """Try an address first from now on."""
        if place in self._known:
            self._known.remove(place)
        self._known.insert(0, place)

    def note_nodes(self, nodes: Iterable[str]) -> None:
        """Note the addresses that the server has named; those that it names no longer are forgotten."""
        named = [place for node in nodes if (place := _read_place(node)) is not None]
        if named:
            # The first one too: what the user knows may be a name that leads to any of them.
            kept = [place for place in self._known if place in named or place in (self.first, self._known[0])]
            self._known = [*dict.fromkeys([*kept, *named])][:MOST]

    def note_moved(self, address: str) -> None:
        """Try the address first that a node has named, or, if it does not know any, the next one."""
        place = _read_place(address)
        if place is not None:
            self.note_success(place)
        elif len(self._known) > 1:
            self._known.append(self._known.pop(0))


def _read_place(text: str) -> Address | None:
    with suppress(ValueError):
        # Without a pin: only what the user has typed, or has known, says which key is right.
        return parse_address(text)._replace(pin="")
    return None
