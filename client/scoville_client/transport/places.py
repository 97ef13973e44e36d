"""The addresses at which one server is reached: a server may be several machines, of which one serves."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from scoville_client.transport.address import Address, parse_address

MOST: Final = 16
"""Addresses that are remembered: a hostile server could name thousands."""
NEXT_SECONDS: Final = 0.3
"""Seconds after which the next node is tried as well: a machine that is gone does not even refuse."""
NAMED_SECONDS: Final = 2.0
"""The same for a node that another one has just named: it may still restore the tables that it takes over."""


class Places:
    """The address that the user has typed, and those that the server has named; all show the same key.

    Args:
        first: The address that the user has typed, by which the server's key is known.
        more: Further addresses that the user has typed.

    Attributes:
        first: That address.
        others: The addresses of the nodes that do not serve, as the one that serves has named them.
    """

    def __init__(self, first: Address, more: Sequence[Address] = ()) -> None:
        self.first = first
        self._typed = (first, *more)
        self.others: list[Address] = []
        self._serving: Address | None = None
        self._known = [*dict.fromkeys(self._typed)]
        self._named: Address | None = None

    def in_order(self) -> list[Address]:
        """Return the addresses in the order in which to try them: that of the last success comes first."""
        return [*self._known]

    def patience_for(self, place: Address) -> float:
        """Return the seconds that an attempt may take before the next address is tried as well."""
        return NAMED_SECONDS if place == self._named else NEXT_SECONDS

    def note_success(self, place: Address) -> None:
        """Try an address first from now on."""
        self._named = None
        self._put_first(place)

    def note_nodes(self, nodes: Sequence[str]) -> None:
        """Note the addresses that a serving node has named, its own first; what it names no longer is forgotten."""
        named = [place for node in nodes if (place := _read_place(node)) is not None]
        if named:
            # Those that were typed too: what the user knows may be a name that leads to any of them.
            kept = [place for place in self._known if place in named or place in (*self._typed, self._known[0])]
            self._known = [*dict.fromkeys([*kept, *named])][:MOST]
            self._serving, *others = dict.fromkeys(named)
            self.others = others[:MOST]

    def note_moved(self, address: str) -> bool:
        """Try the address first that a node has named, or, if it does not know any, the next one.

        Returns whether it has named one.
        """
        place = _read_place(address)
        if place is not None:
            self._named = place
            self._put_first(place)
        elif len(self._known) > 1:
            self._known.append(self._known.pop(0))
        return place is not None

    def is_elsewhere(self, address: str) -> bool:
        """Whether an address is that of another node than the one that is known to serve."""
        place = _read_place(address)
        return place is not None and place != self._serving

    def _put_first(self, place: Address) -> None:
        if place in self._known:
            self._known.remove(place)
        self._known.insert(0, place)


def _read_place(text: str) -> Address | None:
    with suppress(ValueError):
        # Without a pin: only what the user has typed, or has known, says which key is right.
        return parse_address(text)._replace(pin="")
    return None
