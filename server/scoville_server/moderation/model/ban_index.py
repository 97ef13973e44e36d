"""Index of bans by name, key, user and network, so that a new connection is checked against thousands at once."""

import ipaddress
from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from scoville_server.accounts.model.naming.permitted import looks_of
from scoville_shared.ids import UserId
from scoville_shared.networks import parse_network
from scoville_shared.protocol.messages import BanKind

Size = tuple[int, int]
"""The IP version of a network, and its prefix length."""
Prefix = tuple[Size, int]
"""A network as its size and the first bits of its address: objects would take ten times as long."""


class BanLike(Protocol):
    """The subject of a ban."""

    @property
    def kind(self) -> BanKind:
        """The kind of the ban's target."""

    @property
    def target(self) -> str:
        """A name, a fingerprint or a network."""

    @property
    def user(self) -> UserId:
        """The user who had a banned name, empty if nobody did."""


class BanSubject(NamedTuple):
    """A user to check: their id, name, address and keys."""

    user: UserId
    name: str
    host: str
    keys: Collection[str] = ()


B = TypeVar("B", bound=BanLike)


class BanIndex(dict[Hashable, list[B]]):
    """Finds bans by their subjects. Networks are looked up by prefix length, of which there are few."""

    def __init__(self) -> None:
        self._sizes: Counter[Size] = Counter()

    def add_ban(self, ban: B) -> None:
        for mark in _marks_of(ban):
            self.setdefault(mark, []).append(ban)
        self._sizes.update(_sizes_of(ban))

    def remove_ban(self, ban: B) -> None:
        """Remove a ban, if it is there."""
        for mark in _marks_of(ban):
            bans = self.get(mark, [])
            if ban in bans:
                bans.remove(ban)
                self._sizes.subtract(_sizes_of(ban))
            if not bans:
                self.pop(mark, None)

    def bans_of(self, whom: BanSubject) -> Iterator[B]:
        """Yield the bans that apply to a user's id, name, keys or address."""
        if not self:
            return
        marks: list[Hashable] = [("user", whom.user), *(("name", look) for look in looks_of(whom.name))]
        marks += [("key", key) for key in whom.keys]
        marks += self._banned_networks(whom.host)
        for mark in marks:
            yield from self.get(mark, ())

    def _banned_networks(self, host: str) -> Iterator[Prefix]:
        """Yield every network around an address that has the prefix length of a banned one."""
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return
        # A port for both versions shows an IPv4 client by an IPv6 address; hosts ban what they read, the IPv4 one.
        plain = getattr(address, "ipv4_mapped", None) or address
        version, whole = plain.version, int(plain)
        for size, bans in self._sizes.items():
            if bans and size[0] == version:
                yield size, whole >> plain.max_prefixlen - size[1]


def _marks_of(ban: BanLike) -> Iterator[Hashable]:
    match ban.kind:
        case "name":
            yield from (("name", look) for look in looks_of(ban.target))
            if ban.user:
                yield "user", ban.user
        case "key":
            yield "key", ban.target
        case "address":
            yield _parse_prefix(ban.target)


def _parse_prefix(written: str) -> Prefix:
    found = parse_network(written)
    return (found.version, found.prefixlen), int(found.network_address) >> found.max_prefixlen - found.prefixlen


def _sizes_of(ban: BanLike) -> list[Size]:
    return [_parse_prefix(ban.target)[0]] if ban.kind == "address" else []
