"""Who is here. A person is durable, a connection is not: whoever shows a token of theirs is that person, at once."""

import secrets
import time
from collections.abc import Callable, Iterable, Reversible, Sequence
from itertools import islice
from typing import Final, NamedTuple

from scoville_server.accounts.claims import Claims
from scoville_server.accounts.names import clean, free_name
from scoville_server.accounts.tokens import Tokens
from scoville_server.journal.base import Known
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.throttle import Source
from scoville_server.net.addresses import networks_of
from scoville_server.net.service import Peer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import ByeNotice, Hello

_TAKEN_OVER: Final = ByeNotice(code=Code.TAKEN_OVER, message="You have come in from somewhere else; this line closes.")
_REVOKED: Final = ByeNotice(code=Code.REVOKED, message="The token of this line has been revoked.")


HOMES: Final = 8
"""How many networks are known of the owner of a name, the latest."""


_CROWDS: Final = 8
"""How many of the addresses with most guests are searched for idle ones."""


class User:
    """Somebody, wherever they connect from.

    `tables` are those they sit at; `lapsed` those where a bot plays for them because their line stayed down.
    `met` is when they came for the first time (monotonic seconds), None in an earlier run of the server; `arrival`
    numbers them in that order. `homes` are the networks from which the owner of a name came lately.
    `came_by` is the digest of the token by which their line came in. `written` is what the journal knows of them, and
    `claimed` says that their name is theirs for good.
    """

    def __init__(self, person: UserId, name: str = "", written: Known | None = None) -> None:
        self.id = person
        self.name = name
        self.written = written
        self.claimed = False
        self.met: float | None = None
        self.arrival = 0
        self.homes: dict[str, None] = {}
        self.came_by = ""
        self.peer: Peer | None = None
        self.tables: set[TableId] = set()
        self.lapsed: set[TableId] = set() if written is None else {*written.lapsed}

    @property
    def known(self) -> Known:
        """What is to be kept of them."""
        return Known(person=self.id, name=self.name, lapsed=tuple(sorted(self.lapsed)))

    @property
    def here(self) -> bool:
        """Their line is up."""
        return self.peer is not None

    @property
    def idle(self) -> bool:
        """Neither here nor at any table: nobody would miss them."""
        return not self.here and not self.tables


class Greeted(NamedTuple):
    """Who has come in, the token that proves it, and whether the name they asked for is somebody else's own."""

    person: User
    token: str
    name_claimed: bool


class Sessions:
    """Everybody that the server remembers: `limit` guests at most, and whoever has claimed a name.

    `forgot` hears who made room for others, while their tokens are still known. `shunned` tells which names nobody is
    given who has not asked for them. `newcomer_seconds` is how long a guest counts as new.

    Under contention every address gets a fair share of the places: the guests that make room for others are those of
    the address that has most.
    """

    def __init__(
        self,
        limit: int,
        tokens: Tokens,
        claims: Claims,
        forgot: Callable[[User], None],
        newcomer_seconds: float = 600.0,
    ) -> None:
        self.now: Callable[[], float] = time.monotonic
        self.arrivals = 0
        self._newcomer_seconds = newcomer_seconds
        self._shares: Shares[UserId] = Shares()
        self._limit = limit
        self._tokens = tokens
        self._claims = claims
        self._forgot = forgot
        self.shunned: Callable[[str], bool] = lambda _: False
        self._by_id: dict[UserId, User] = {}
        self._bearers: dict[str, User] = {}

    def restore(self, people: Iterable[Known]) -> None:
        """Remember the people of an earlier run, oldest first, and who of them has claimed a name."""
        for known in people:
            person = self._by_id[known.person] = User(known.person, known.name, known)
            self._bears(person, known.name)
        for number, account in self._claims:
            owner = self._by_id.setdefault(number, User(number))
            self._bears(owner, account.name)
            owner.claimed = True

    def greet(self, hello: Hello, peer: Peer, now_ms: int) -> Greeted:
        """Know a person by their token, or make their acquaintance; `peer` is their line from now on.

        An older line of theirs is told and closed. Raises ScovilleError `too_many`.
        """
        person, token, key = self._known_by(hello.token, now_ms) or self._newcomer(
            hello.client, networks_of(peer.address), now_ms
        )
        wanted = clean(hello.name)
        self._name(person, wanted)
        self.take_line(person, peer, key)
        return Greeted(person, token, bool(wanted) and self._claims.owner(wanted) not in (None, person.id))

    def take_line(self, person: User, peer: Peer, key: str) -> None:
        """Make a connection somebody's line; it came in by the token with that digest."""
        old, person.peer, person.came_by = person.peer, peer, key
        if person.claimed:
            _note_home(person, peer)
        if old is not None and old is not peer:
            old.close(_TAKEN_OVER)

    def hang_up(self, person: User, peer: Peer) -> bool:
        """Note that a line is gone; tells whether it was the person's own, and not one that was taken over."""
        mine = person.peer is peer
        if mine:
            person.peer = None
        return mine

    def send_away(self, person: User) -> None:
        """Hang up on somebody whose token is worth nothing any more."""
        if person.peer is not None:
            person.peer.close(_REVOKED)

    def forget(self, person: User) -> None:
        """Remember somebody who is not here no longer."""
        self._drop_name(person)
        self._shares.release(person.id)
        del self._by_id[person.id]
        self._forgot(person)

    def source(self, person: User) -> Source:
        """Say where somebody's requests come from, as limits count them."""
        networks = () if person.peer is None else networks_of(person.peer.address)
        return Source(person.id, networks, self.standing(person), person.arrival, self.arrivals)

    def owns_name(self, person: User) -> None:
        """Note that somebody has claimed their name: they take up no guest's place any more."""
        self._shares.release(person.id)
        if person.peer is not None:
            _note_home(person, person.peer)

    def network_of(self, person: UserId) -> str:
        """Return the network that counts for a guest's place, empty when none does."""
        return next(iter(self._shares.of(person)), "")

    def standing(self, person: User) -> int:
        """Say how well a user is known, as limits count it: see `Source`."""
        if person.claimed:
            return 2
        return int(person.met is None or self.now() - person.met >= self._newcomer_seconds)

    def find(self, person: UserId) -> User | None:
        """Find somebody who is remembered."""
        return self._by_id.get(person)

    def by_name(self, name: str) -> User | None:
        """Find who is remembered by a name, however it is capitalized; whoever has claimed it before anybody else."""
        return self._bearers.get(clean(name).casefold())

    def here(self) -> list[User]:
        """List whose line is up."""
        return [person for person in self._by_id.values() if person.here]

    def whose(self, shown: str, now_ms: int) -> User | None:
        """Find whose token that is; to ask is not to use it."""
        found = self._tokens.find(shown, now_ms)
        return None if found is None else self._by_id[found[1].person]

    def is_here(self, person: UserId) -> bool:
        """Tell whether a person's line is up."""
        found = self._by_id.get(person)
        return found is not None and found.here

    # --- tokens ------------------------------------------------------------------------------------------

    def _known_by(self, shown: str, now_ms: int) -> tuple[User, str, str] | None:
        found = self._tokens.find(shown, now_ms)
        if found is None:
            return None
        key, token = found
        person = self._by_id[token.person]
        self._tokens.use(key, person.claimed, now_ms)
        return person, shown, key

    def _newcomer(self, client: str, networks: Sequence[str], now_ms: int) -> tuple[User, str, str]:
        self._make_room(networks)
        person = User(UserId(secrets.token_hex(8)))
        self.arrivals += 1
        person.met, person.arrival = self.now(), self.arrivals
        self._by_id[person.id] = person
        self._shares.hold(person.id, networks)
        shown, key = self._tokens.issue(person.id, client, claimed=False, now_ms=now_ms)
        return person, shown, key

    def _make_room(self, networks: Sequence[str]) -> None:
        """Forget idle guests where an address has its share of the places, or all places are taken.

        The first to go are some of those who only looked in. Raises ScovilleError `too_many`.
        """
        free = self._limit - (len(self._by_id) - len(self._claims))
        if free > 0 and not self._shares.refuses(networks, free):
            return
        groups = [networks[-1]] if free > 0 else self._shares.heaviest(_CROWDS)
        leaving = next(filter(None, map(self._leaving, map(self._shares.things, groups))), [])
        if free <= 0 and not leaving:
            leaving = self._leaving(self._by_id)
        if not leaving:
            raise ScovilleError(Code.TOO_MANY, "There are more people here than this server takes; come back later.")
        for person in leaving:
            self.forget(person)

    def _leaving(self, people: Reversible[UserId]) -> list[User]:
        """Choose which of some people, oldest first, are forgotten: the latest who only looked in, or the longest idle.

        A flood so forgets itself, and not who was here before. Many go at a time, so that it costs little.
        """
        some = 1 + self._limit // 400
        passing = (person for person in map(self._idle, reversed(people)) if person and person.written is None)
        return [*islice(passing, some)] or [*islice(filter(None, map(self._idle, iter(people))), 1)]

    def _idle(self, number: UserId) -> User | None:
        person = self._by_id[number]
        return person if person.idle and not person.claimed else None

    # --- names -------------------------------------------------------------------------------------------

    def _name(self, person: User, wanted: str) -> None:
        """Name somebody; who sits at a table keeps the name that the others know, and a claimed name stays."""
        if not person.tables and not self._claims.keeps_name(person.id):
            self._drop_name(person)
            asked = wanted or person.name
            self._bears(person, free_name(asked, lambda name: self._taken(name) or self._unasked(name, asked)))

    def _bears(self, person: User, name: str) -> None:
        person.name = name
        self._bearers[name.casefold()] = person

    def _taken(self, name: str) -> bool:
        """Tell whether a name is somebody's who is here, or their own wherever they are."""
        bearer = self._bearers.get(name.casefold())
        return (bearer is not None and not bearer.idle) or self._claims.owner(name) is not None

    def _unasked(self, name: str, asked: str) -> bool:
        return name != asked and self.shunned(name)

    def _drop_name(self, person: User) -> None:
        if self._bearers.get(person.name.casefold()) is person:
            del self._bearers[person.name.casefold()]


def _note_home(person: User, peer: Peer) -> None:
    """Note where the owner of a name comes from."""
    for network in networks_of(peer.address)[:1]:
        person.homes.pop(network, None)
        person.homes[network] = None
        if len(person.homes) > HOMES:
            del person.homes[next(iter(person.homes))]
