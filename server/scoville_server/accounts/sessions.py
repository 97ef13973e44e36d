"""Sessions: which users are known and connected.

A user is durable, a connection is not: any connection that shows one of their tokens is theirs at once.
"""

import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Reversible, Sequence
from itertools import islice
from typing import Final, NamedTuple

from scoville_runtime.clock import SYSTEM
from scoville_server.accounts.model.account import Account
from scoville_server.accounts.name_register import Claims, NameRegister
from scoville_server.accounts.tokens import Tokens
from scoville_server.journal.base import StoredUser
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.throttle import Source
from scoville_server.net.peer import Peer
from scoville_server.nodes.connections import UserConnections
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.networks import networks_of
from scoville_shared.protocol.messages import ByeNotice, HelloRequest, NameRefusal
from scoville_shared.text import clean_name

TAKEN_OVER: Final = ByeNotice(
    code=Code.TAKEN_OVER, message="You connected from somewhere else; this connection is closed."
)


HOMES: Final = 8
"""Most networks stored for the owner of a name, the latest ones."""


_CROWDS: Final = 8
"""How many of the addresses with the most guests are searched for idle ones."""


class User:
    """A user, wherever they connect from.

    `tables` are those where they play; `lapsed` those where a bot took over because they stayed disconnected. `met`
    is when they first connected (monotonic seconds), None for long ago; `arrival` numbers users of this run
    in that order. `homes` are the networks from which the owner of a name connected lately. `session` is the key of the
    session of their connection. `written` is what the journal has of them, and `claimed` says that they own
    their name. `visit` is the number of the newest connection of theirs that this node has heard of, `connected_as`
    that of the newest one to this node, and `elsewhere` the other node to which they are connected; empty for none.
    """

    def __init__(self, user: UserId, name: str = "", written: StoredUser | None = None) -> None:
        self.id = user
        self.name = name
        self.written = written
        self.claimed = False
        self.met: float | None = None
        self.arrival = self.visit = self.connected_as = 0
        self.elsewhere = ""
        self.homes: dict[str, None] = {}
        self.session = ""
        self.peer: Peer | None = None
        self.tables: set[TableId] = set()
        self.lapsed: set[TableId] = set() if written is None else {*written.lapsed}

    @property
    def known(self) -> StoredUser:
        """The records of them in the journal."""
        return StoredUser(user=self.id, name=self.name, lapsed=tuple(sorted(self.lapsed)))

    @property
    def is_here(self) -> bool:
        """Whether they are connected."""
        return self.peer is not None

    @property
    def is_idle(self) -> bool:
        """Whether they are neither connected to this node nor at any table of it."""
        return not self.is_here and not self.tables


class Seats:
    """The seats of users at the tables of all nodes.

    Attributes:
        list_elsewhere: Returns the tables of other nodes at which a user sits, each with whether its game is over.
    """

    def __init__(self) -> None:
        self.list_elsewhere: Callable[[UserId], Mapping[TableId, bool]] = lambda _: {}

    def tables_of(self, user: User) -> set[TableId]:
        """Return the tables at which a user has a seat."""
        return user.tables | self.list_elsewhere(user.id).keys()

    def is_idle(self, user: User) -> bool:
        """Whether a user is neither connected to this node nor at any table."""
        return user.is_idle and not self.list_elsewhere(user.id)


class GivenName(NamedTuple):
    """A name given to a user, with the reason why it is not the one they want. `user` is None for a new one."""

    name: str
    refused: NameRefusal | None
    user: UserId | None


class Greeted(NamedTuple):
    """A greeted user and the token for reconnecting.

    `resumed` is set when the shown token was valid, `token_reused` when it was used up before, which has ended its
    session. `name_claimed` is set when the name they wanted belongs to another user, `name_refused` says why they did
    not get it; `took_over` is set when the connection has replaced an older one of theirs. `resume_code` returns a
    guest through a door, and until `fresh_until` (monotonic seconds) the owner of a name has proved a key to one.
    `away_since_ms` is when a user who was not connected was so last, in milliseconds since 1970.
    """

    user: User
    token: str
    resumed: bool
    name_claimed: bool
    name_refused: NameRefusal | None = None
    took_over: bool = False
    token_reused: bool = False
    resume_code: str | None = None
    fresh_until: float = 0.0
    away_since_ms: int | None = None


class Opened(NamedTuple):
    """A known user, the next token to show, and the key of its session."""

    user: User
    token: str
    session: str


class Sessions:
    """All known users: at most `limit` guests, and the owners of names.

    `on_forgotten` is called for guests who made space for others, while their tokens are still known; `on_visit` for
    users who have connected or disconnected, `on_known` for those whom another node has stored. `is_running` tells
    whether a node runs. `ask_for_name` asks the node that gives names for one; it returns None where that is this one.
    `newcomer_seconds` is how long a guest counts as new, `count_from` returns the least number of a connection.

    Under contention every address gets a fair share: guests of the address with the most make space for others.
    """

    def __init__(
        self,
        limit: Adjustable[int],
        tokens: Tokens,
        claims: Claims,
        connections: UserConnections,
        newcomer_seconds: float = 600.0,
        now: Callable[[], float] = SYSTEM.seconds,
    ) -> None:
        self.now, self.arrivals = now, 0
        self._newcomer_seconds = newcomer_seconds
        self._shares: Shares[UserId] = Shares()
        self._limit = as_live(limit)
        self._tokens, self._claims = tokens, claims
        self._connections = connections
        self.on_forgotten: Callable[[User], None] = lambda _: None
        self._must_avoid: Callable[[str], bool] = lambda _: False
        self.on_visit: Callable[[User], object] = lambda _: None
        self.count_from: Callable[[], int] = lambda: 0
        self.on_known: Callable[[User], object] = lambda _: None
        self.is_running: Callable[[str], bool] = lambda _: False
        self.seats = Seats()
        self.ask_for_name: Callable[[str, UserId | None], Awaitable[GivenName | None] | None] = lambda *_: None
        self._by_id, self._here = dict[UserId, User](), dict[UserId, User]()
        self._names: NameRegister[User] = NameRegister(claims, self.seats.is_idle)
        self.names_elsewhere = self._names.elsewhere
        self.names_elsewhere.is_running = lambda node: self.is_running(node)  # noqa: PLW0108 - it is set later

    def avoid_names(self, must_avoid: Callable[[str], bool]) -> None:
        """Never give names that users `must_avoid` to those who did not ask for them."""
        self._must_avoid = must_avoid

    def restore_users(self, users: Iterable[StoredUser]) -> None:
        """Load the users of an earlier run, oldest first, and who of them owns a name."""
        for known in users:
            user = self._by_id[known.user] = User(known.user, known.name, known)
            self._names.add_bearer(user)
        for number, account in self._claims:
            owner = self._by_id.setdefault(number, User(number))
            owner.name, owner.claimed = account.name, True
            self._names.add_bearer(owner)

    def greet_user(
        self,
        hello: HelloRequest,
        peer: Peer,
        now_ms: int,
        opened: Opened | None = None,
        given: GivenName | None = None,
    ) -> Greeted:
        """Find a user by token, or create a guest; `peer` is their connection from now on.

        A user who was found otherwise has `opened` a session. `given` is the name of which another node says that it
        is free. An older connection of theirs is notified and closed. Raises ScovilleError `too_many`.
        """
        known = opened or self._open_by_token(hello.token or "", now_ms)
        user, token, key = known or self._add_guest(hello.client or "", networks_of(peer.address), now_ms)
        wanted = clean_name(hello.name or "")
        is_for_them = given is not None and given.user == (None if known is None else user.id)
        refused = self._name_user(user, wanted, given if is_for_them else None)
        took_over = self.connect_user(user, peer, key)
        name_claimed = bool(wanted) and self._claims.find_owner(wanted) not in (None, user.id)
        return Greeted(user, token, known is not None, name_claimed, refused, took_over)

    def connect_user(self, user: User, peer: Peer, key: str) -> bool:
        """Make `peer` a user's connection, proved by a token of the session `key`.

        Returns whether it has replaced another one, which is notified and closed.
        """
        # The newest connection wins: a half-open one, which nobody has noticed yet, must not lock its user out.
        old, user.peer, user.session = user.peer, peer, key
        self._here[user.id] = user
        self._connections.attach_user(user.id, peer)
        user.visit = user.connected_as = max(user.visit + 1, self.count_from())
        user.elsewhere = ""
        self.on_visit(user)
        if user.claimed:
            _note_home(user, peer)
        if old is None or old is peer:
            return False
        old.close(TAKEN_OVER)
        return True

    def disconnect_user(self, user: User, peer: Peer) -> bool:
        """Note that a connection was lost; returns whether it was still the user's and had not been taken over."""
        mine = user.peer is peer
        if mine:
            user.peer = None
            self._here.pop(user.id, None)
            self._connections.detach_user(user.id)
            self.on_visit(user)
        return mine

    def forget_user(self, user: User) -> None:
        """Forget a disconnected user."""
        self._names.drop_bearer(user)
        self._shares.release_thing(user.id)
        del self._by_id[user.id]
        # Their account may be deleted while its connection still closes: nothing more goes there.
        self._connections.detach_user(user.id)
        self.on_forgotten(user)

    def note_stored(self, known: StoredUser) -> User:
        """Note the row of a user that another node has stored; returns them."""
        user = self._by_id.get(known.user)
        if user is None:
            user = self._by_id[known.user] = User(known.user, known.name, known)
            bearer = self._names.find_bearer(known.name)
            # A guest of this node who is here keeps the name that the others at this node know.
            if bearer is None or self.seats.is_idle(bearer):
                self._names.add_bearer(user)
            self.on_known(user)
            return user
        is_ahead, user.written = user.known != user.written, known
        if is_ahead:
            # This node writes the rows that it knows better.
            return user
        user.lapsed = {*known.lapsed}
        if not user.is_here and user.name != known.name and not user.claimed:
            self._names.drop_bearer(user)
            user.name = known.name
            self._names.add_bearer(user)
        return user

    def rename_visitor(self, user: User, name: str) -> None:
        """Note the name that a guest of another node has there."""
        if name == user.name or user.is_here or user.claimed:
            return
        is_known = user.id in self._by_id
        if is_known:
            self._names.drop_bearer(user)
        user.name = name
        if is_known:
            self._names.add_bearer(user)

    def note_account(self, number: UserId, account: Account | None) -> User | None:
        """Note that another node has given a user a name of their own, or taken it; returns them, if they are known."""
        user = self._by_id.get(number)
        if user is None and account is not None:
            # The owners of names are users of every node.
            user = self._by_id[number] = User(number)
        if user is None:
            return None
        self._names.drop_bearer(user)
        if account is not None:
            user.name = account.name
        user.claimed = account is not None
        self._names.add_bearer(user)
        self.note_owner(user)
        return user

    def source_of(self, user: User) -> Source:
        """Return where a user's requests come from, for the limits."""
        networks = () if user.peer is None else networks_of(user.peer.address)
        return Source(user.id, networks, self.standing_of(user), user.arrival, self.arrivals)

    def note_owner(self, user: User) -> None:
        """Note that a user owns their name, and stop counting them as a guest."""
        self._shares.release_thing(user.id)
        if user.peer is not None:
            _note_home(user, user.peer)

    def network_of(self, user: UserId) -> str:
        """Return the network on which a guest counts; empty if there is none."""
        return next(iter(self._shares.networks_holding(user)), "")

    def standing_of(self, user: User) -> int:
        """Return how well a user is known, for the limits: see `Source`."""
        if user.claimed:
            return 2
        return int(user.met is None or self.now() - user.met >= self._newcomer_seconds)

    def date_guest(self, number: UserId, age_seconds: float) -> None:
        """Note how long ago a stored guest has come; a session from the future, by a wrong clock, has just begun."""
        user = self._by_id.get(number)
        if user is not None and user.met is None and age_seconds < self._newcomer_seconds:
            user.met = self.now() - max(0.0, age_seconds)

    def find_user(self, user: UserId) -> User | None:
        """Find a known user."""
        return self._by_id.get(user)

    def find_by_name(self, name: str) -> User | None:
        """Find a known user by name, ignoring case; the owner of a name comes first."""
        return self._names.find_bearer(name)

    def find_anywhere(self, name: str) -> User | None:
        """Find a user by name whom this node knows, or a guest of another node who has written nothing yet."""
        elsewhere = self.names_elsewhere.find_bearer(name)
        return self.find_by_name(name) or (None if elsewhere is None else User(*elsewhere))

    def known_user(self, name: str) -> User:
        """Find a user like `find_anywhere`. Raises ScovilleError `unknown_user`."""
        if (user := self.find_anywhere(name)) is None:
            raise unknown_user(name, f"Nobody called {name!r} is known here.")
        return user

    def connected_users(self) -> list[User]:
        return [*self._here.values()]

    def is_known(self, user: User) -> bool:
        """Whether a user owns a name, has a seat, or was here some time ago."""
        return bool(self.seats.tables_of(user)) or self.standing_of(user) > 0

    def find_by_token(self, shown: str, now_ms: int) -> User | None:
        """Find the user of a token, without using it."""
        found = self._tokens.find_session(shown, now_ms)
        return None if found is None or found.reused else self._by_id[found.session.user]

    def _open_by_token(self, shown: str, now_ms: int) -> Opened | None:
        found = self._tokens.find_session(shown, now_ms)
        if found is None or found.reused:
            return None
        user = self._by_id[found.session.user]
        return Opened(user, self._tokens.use_token(found, user.claimed, now_ms), found.key)

    def _add_guest(self, client: str, networks: Sequence[str], now_ms: int) -> Opened:
        self._make_room(networks)
        user = User(UserId(secrets.token_hex(8)))
        self.arrivals += 1
        user.met, user.arrival = self.now(), self.arrivals
        self._by_id[user.id] = user
        self._shares.hold_thing(user.id, networks)
        shown, key = self._tokens.issue_token(user.id, client, "guest", claimed=False, now_ms=now_ms)
        return Opened(user, shown, key)

    def _make_room(self, networks: Sequence[str]) -> None:
        """Forget idle guests if an address has used up its share or the limit is reached.

        Guests who came once and left go first. Raises ScovilleError `too_many`.
        """
        free = self._limit.value - (len(self._by_id) - len(self._claims))
        if free > 0 and not self._shares.refuses_more(networks, free):
            return
        # While places are free an address makes room among its own guests; only a full server takes from the heaviest.
        groups = [networks[-1]] if free > 0 else self._shares.list_heaviest(_CROWDS)
        leaving = next(filter(None, map(self._choose_leaving, map(self._shares.list_things, groups))), [])
        if free <= 0 and not leaving:
            leaving = self._choose_leaving(self._by_id)
        if not leaving:
            raise ScovilleError(Code.TOO_MANY, "The server is full; try again later.", {"why": "users"})
        for user in leaving:
            self.forget_user(user)

    def _choose_leaving(self, users: Reversible[UserId]) -> list[User]:
        """Choose which of some idle guests, oldest first, to forget: the latest who came once, or the longest idle.

        A flood of guests so displaces itself, not the guests before it. Many go at a time, so that it costs little.
        """
        some = 1 + self._limit.value // 400
        passing = (user for user in map(self._idle_guest, reversed(users)) if user and user.written is None)
        return [*islice(passing, some)] or [*islice(filter(None, map(self._idle_guest, iter(users))), 1)]

    def _idle_guest(self, number: UserId) -> User | None:
        user = self._by_id[number]
        if user.claimed or not self.seats.is_idle(user):
            return None
        # A user who is connected to another node is not idle: their row would be deleted under them.
        return None if user.elsewhere and self.is_running(user.elsewhere) else user

    # --- names -------------------------------------------------------------------------------------------

    def request_name(self, hello: HelloRequest, now_ms: int) -> Awaitable[GivenName | None] | None:
        """Ask another node for the name of a user who says hello; None if there is nothing to ask for."""
        user = self.find_by_token(hello.token or "", now_ms)
        if user is None:
            return self.ask_for_name(clean_name(hello.name or ""), None)
        wanted = clean_name(hello.name or "") or user.name
        return None if self._keeps_name(user) else self.ask_for_name(wanted, user.id)

    def choose_name(self, wanted: str, user: UserId | None) -> GivenName:
        """Choose a name for a user of any node."""
        refused = self._names.check_name(wanted, user)
        return GivenName(self._names.choose_free_name(wanted, self._must_avoid, user), refused, user)

    def _keeps_name(self, user: User) -> bool:
        """Whether a user is known by their name: players are to the others, and owned names stay."""
        return bool(self.seats.tables_of(user)) or self._claims.keeps_name(user.id)

    def _name_user(self, user: User, wanted: str, given: GivenName | None) -> NameRefusal | None:
        """Name a user, unless they keep their name. Returns why they do not get the one that they want."""
        if self._keeps_name(user):
            return None
        self._names.drop_bearer(user)
        if given is None or self._names.is_taken(given.name, user.id):
            given = self.choose_name(wanted or user.name, user.id)
        user.name = given.name
        self._names.add_bearer(user)
        return given.refused


def _note_home(user: User, peer: Peer) -> None:
    """Note the network of a name's owner."""
    for network in networks_of(peer.address)[:1]:
        # Out and in again: the network that was not used for longest goes first.
        user.homes.pop(network, None)
        user.homes[network] = None
        if len(user.homes) > HOMES:
            del user.homes[next(iter(user.homes))]


def unknown_user(name: str, sentence: str) -> ScovilleError:
    """Return the error for a name that no user has where one was looked for."""
    return ScovilleError(Code.UNKNOWN_USER, sentence, {"name": name})
