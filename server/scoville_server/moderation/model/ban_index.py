"""Bans by what they go by, so that whoever comes in is looked up among thousands at once."""

import ipaddress
from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from scoville_server.accounts.model.confusables import skeleton
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import BanKind

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Size = tuple[int, int]
"""The version of a network, and how many bits of an address name it."""


_MAPPED_BITS = 96
"""Bits of the prefix under which IPv6 writes the addresses of IPv4."""


class About(Protocol):
    """What a ban says of whom it is about."""

    @property
    def kind(self) -> BanKind:
        """What it goes by."""

    @property
    def whom(self) -> str:
        """A name, a fingerprint or a network."""

    @property
    def person(self) -> UserId:
        """Who bore a banned name, empty if nobody did."""


class Whom(NamedTuple):
    """Somebody whom a ban may be about: the person, what they are called, where they come from, and their keys."""

    person: UserId
    name: str
    host: str
    keys: Collection[str] = ()


B = TypeVar("B", bound=About)


class Index(dict[Hashable, list[B]]):
    """Lists bans by their marks. Networks are found by their sizes, of which there are few."""

    def __init__(self) -> None:
        self._sizes: Counter[Size] = Counter()

    def add(self, ban: B) -> None:
        """Find a ban from now on."""
        for mark in _marks(ban):
            self.setdefault(mark, []).append(ban)
            self._sizes.update(_sizes(mark))

    def remove(self, ban: B) -> None:
        """Find a ban no more, if it was found."""
        for mark in _marks(ban):
            bans = self.get(mark, [])
            if ban in bans:
                bans.remove(ban)
                self._sizes.subtract(_sizes(mark))
            if not bans:
                self.pop(mark, None)

    def about(self, whom: Whom) -> Iterator[B]:
        """List the bans that somebody's person, name, keys or address bears the mark of."""
        marks: list[Hashable] = [("person", whom.person), ("name", skeleton(whom.name))]
        marks += [("key", key) for key in whom.keys]
        marks += self._networks(whom.host)
        for mark in marks:
            yield from self.get(mark, ())

    def _networks(self, host: str) -> Iterator[Network]:
        """List every network of a size that is banned in which an address lies."""
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return
        plain = getattr(address, "ipv4_mapped", None) or address
        for (version, bits), bans in self._sizes.items():
            if bans and version == plain.version:
                yield ipaddress.ip_network(f"{plain}/{bits}", strict=False)


def network(written: str) -> Network:
    """Read an address or a network as people write it; IPv4 in IPv6 is IPv4, as for connections. Raises ValueError."""
    address, slash, bits = written.strip().partition("/")
    found = ipaddress.ip_network(address.partition("%")[0] + slash + bits, strict=False)
    mapped = found.network_address.ipv4_mapped if isinstance(found, ipaddress.IPv6Network) else None
    if mapped is not None and found.prefixlen >= _MAPPED_BITS:
        return ipaddress.IPv4Network((mapped, found.prefixlen - _MAPPED_BITS))
    return found


def _marks(ban: About) -> Iterator[Hashable]:
    match ban.kind:
        case "name":
            yield "name", skeleton(ban.whom)
            if ban.person:
                yield "person", ban.person
        case "key":
            yield "key", ban.whom
        case "address":
            yield network(ban.whom)


def _sizes(mark: Hashable) -> list[Size]:
    return [(mark.version, mark.prefixlen)] if isinstance(mark, Network) else []
