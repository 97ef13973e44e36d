"""Register of the users' names: taken names and their owners, claimed ones with the SSH keys that prove who they are.

Names that look alike count as one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from scoville_server.accounts.model.account import Account, ClaimedBy, RetiredName
from scoville_server.accounts.model.naming.permitted import (
    check_permitted,
    fold_name,
    free_name,
    is_reserved,
    is_same_name,
    looks_of,
)
from scoville_server.journal.base import ABSENT, Change, Conflict, Journal, Revision, Row
from scoville_server.journal.books import Book
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import NameRefusal
from scoville_shared.text import clean_name

_BOOK: Final = "accounts"
_RETIRED: Final = "names.retired"
_CLAIMS: Final = "claims"


def _claims_of_name(name: str) -> list[str]:
    return [f"name/{look}" for look in looks_of(name)]


def _claims_of_keys(account: Account) -> list[str]:
    return [f"key/{key.fingerprint}" for key in account.keys]


class Claims:
    """The accounts by user, at most `most`, indexed by name and key: the index follows the rows of all nodes.

    A name belongs to one user together with all names that look like it, and a key to one user. The names of deleted
    accounts are retired, in a book by the user who had them: nobody gets them until then, so that nobody is taken for
    that user.

    Each look and each key has a row of its own, which is made together with the account: of two nodes that give a name
    to two users at once, one is refused. Accounts of earlier versions have no such rows before their next change, nor
    do their nodes delete them: a row counts only as long as its user has the name or key.

    Attributes:
        on_elsewhere: Is called after another node has changed an account, with it before and after.
    """

    def __init__(self, journal: Journal, most: Adjustable[int]) -> None:
        self._journal = journal
        self._most = as_live(most)
        self.on_elsewhere: Callable[[UserId, Account | None, Account | None], object] = lambda *_: None
        self._changing: set[UserId] = set()
        """Whose account this node is changing."""
        self._owners: dict[str, UserId] = {}
        self._by_key: dict[str, UserId] = {}
        self._reserved: dict[str, UserId] = {}
        self._book = Book(_BOOK, Account, journal, self._follow_account)
        self._retired = Book(_RETIRED, RetiredName, journal, self._follow_retired)

    def _follow_account(self, key: str, before: Account | None, after: Account | None) -> None:
        user = UserId(key)
        if before is not None:
            self._free_looks(user, before.name)
            for held in before.keys:
                # The rows of another node may come in any order: the key may be another user's by now.
                if self._by_key.get(held.fingerprint) == user:
                    del self._by_key[held.fingerprint]
        if after is not None:
            self._owners.update(dict.fromkeys(looks_of(after.name), user))
            self._by_key.update({held.fingerprint: user for held in after.keys})
        # A change of this node is followed by the code that makes it, once it is written.
        if user not in self._changing:
            self.on_elsewhere(user, before, after)

    def _follow_retired(self, key: str, before: RetiredName | None, after: RetiredName | None) -> None:
        user = UserId(key)
        if before is not None:
            self._free_looks(user, before.name)
        if after is not None:
            self._owners.update(dict.fromkeys(looks_of(after.name), user))

    def _free_looks(self, user: UserId, name: str) -> None:
        """Free the looks of a name, except for those that its user still has: it may just have been retired."""
        held = (self._book.get(user), self._retired.get(user))
        kept = {look for each in held if each is not None for look in looks_of(each.name)}
        for look in looks_of(name):
            if look not in kept and self._owners.get(look) == user:
                del self._owners[look]

    def __len__(self) -> int:
        return len(self._book)

    @property
    def free_names(self) -> int:
        """How many more names can be claimed."""
        # A reserved name has an entry for each of its looks.
        return self._most.value - len(self._book) - len(self._retired) - len({*self._reserved.values()})

    def __iter__(self) -> Iterator[tuple[UserId, Account]]:
        return ((UserId(user), account) for user, account in self._book.items())

    def account_of(self, user: UserId) -> Account | None:
        """Return a user's account, or None."""
        return self._book.get(user)

    def known_account(self, user: UserId) -> Account:
        """Return a user's account. Raises ScovilleError `not_claimed`."""
        account = self.account_of(user)
        if account is None:
            raise ScovilleError(Code.NOT_CLAIMED, "You have not claimed a name yet; claim it first.")
        return account

    def find_owner(self, name: str) -> UserId | None:
        """Find the owner or claimant of a name, or of one that looks like it; for a retired name its former owner."""
        for look in looks_of(name):
            owner = self._owners.get(look) or self._reserved.get(look)
            if owner is not None:
                return owner
        return None

    def find_key_owner(self, fingerprint: str) -> UserId | None:
        return self._by_key.get(fingerprint)

    def keeps_name(self, user: UserId) -> bool:
        """Whether a user's name is claimed, or about to be, and so cannot change."""
        return user in self._book or user in self._reserved.values()

    def reserve_name(self, user: UserId, name: str) -> None:
        """Reserve a name for a claim until `unreserve_name`. Raises ScovilleError `name_claimed`, `too_many`."""
        if self.find_owner(name) is not None or self.keeps_name(user):
            raise _name_is_taken(name)
        if self.free_names <= 0:
            raise ScovilleError(Code.TOO_MANY, "This server has no room for more claimed names.")
        self._reserved.update(dict.fromkeys(looks_of(name), user))

    def unreserve_name(self, name: str) -> None:
        """End a reservation: the claim has succeeded or failed."""
        for look in looks_of(name):
            del self._reserved[look]

    async def put_account(self, user: UserId, account: Account) -> None:
        """Store an account; one change at a time. Raises JournalError, and ScovilleError for others' names and keys."""
        if any(self._by_key.get(key.fingerprint, user) != user for key in account.keys):
            raise _key_is_taken()
        before = self.account_of(user)
        wanted = [*_claims_of_name(account.name), *_claims_of_keys(account)]
        gone = [claim for claim in _claims_of_keys(before) if claim not in wanted] if before is not None else []
        while True:
            changes = [*await self._take_claims(user, account.name, wanted), *await self._free_claims(user, gone)]
            after: dict[str, Revision] = {} if before is None else {user: await self._find_revision(user, before)}
            new = [user] if before is None else []
            try:
                with self._noting_change(user):
                    return await self._book.write_rows({user: account}, new, after=after, more=changes)
            except Conflict as error:
                if error.book != _CLAIMS:
                    raise
                # Another node was faster: now its row says so.

    async def drop_account(self, user: UserId, retired_until_ms: int | None = None) -> None:
        """Delete an account; its name is free at once, or retired until then. Raises JournalError."""
        before = self.known_account(user)
        if retired_until_ms is None:
            more = await self._free_claims(user, [*_claims_of_name(before.name), *_claims_of_keys(before)])
        else:
            retired = RetiredName(name=before.name, until_ms=retired_until_ms)
            more = await self._free_claims(user, _claims_of_keys(before))
            more.append(Change(_RETIRED, user, msgspec.msgpack.encode(retired)))
        with self._noting_change(user):
            await self._book.write_rows({user: None}, more=more)

    @contextmanager
    def _noting_change(self, user: UserId) -> Iterator[None]:
        self._changing.add(user)
        try:
            yield
        finally:
            self._changing.discard(user)

    async def expire_retired_names(self, now_ms: int) -> None:
        """Free the retired names whose time is over. Raises JournalError."""
        for user, retired in self._retired.items():
            if retired.until_ms <= now_ms:
                more = await self._free_claims(UserId(user), _claims_of_name(retired.name))
                await self._retired.write_rows({user: None}, more=more)

    async def _take_claims(self, user: UserId, name: str, claims: Iterable[str]) -> list[Change]:
        """Return the changes that give claims to a user. Raises ScovilleError for one that another user has."""
        changes: list[Change] = []
        value = msgspec.msgpack.encode(ClaimedBy(user))
        for claim in claims:
            row = await self._journal.get(_CLAIMS, claim)
            owner = user if row is None else _read_claim(row)
            # The row alone proves nothing: nodes of earlier versions do not delete it.
            if row is not None and owner != user and await self._has_claim(owner, claim):
                raise _key_is_taken() if claim.startswith("key/") else _name_is_taken(name)
            if row is None or owner != user:
                changes.append(Change(_CLAIMS, claim, value, ABSENT if row is None else row.revision))
        return changes

    async def _free_claims(self, user: UserId, claims: Iterable[str]) -> list[Change]:
        """Return the changes that take claims from a user who has them."""
        rows = [(claim, await self._journal.get(_CLAIMS, claim)) for claim in claims]
        return [
            Change(_CLAIMS, claim, None, row.revision)
            for claim, row in rows
            if row is not None and _read_claim(row) == user
        ]

    async def _has_claim(self, user: UserId, claim: str) -> bool:
        """Whether a user has a claim by their account or their retired name, which this node may not have heard of."""
        account, retired = await self._journal.get(_BOOK, user), await self._journal.get(_RETIRED, user)
        claims: list[str] = []
        if account is not None:
            held = msgspec.msgpack.decode(account.value, type=Account)
            claims += [*_claims_of_name(held.name), *_claims_of_keys(held)]
        if retired is not None:
            claims += _claims_of_name(msgspec.msgpack.decode(retired.value, type=RetiredName).name)
        return claim in claims

    async def _find_revision(self, user: UserId, account: Account) -> Revision:
        """Return the revision of an account as this node knows it. Raises Conflict if another node has changed it."""
        row = await self._journal.get(_BOOK, user)
        if row is None or msgspec.msgpack.decode(row.value, type=Account) != account:
            raise Conflict(_BOOK, user)
        return row.revision


def _read_claim(row: Row) -> UserId:
    return msgspec.msgpack.decode(row.value, type=ClaimedBy).user


def _name_is_taken(name: str) -> ScovilleError:
    return ScovilleError(Code.NAME_CLAIMED, f"The name {name} is already claimed.", {"name": name})


def _key_is_taken() -> ScovilleError:
    return ScovilleError(Code.BAD_KEY, "That key belongs to another user of this server.")


class _NamePlace(NamedTuple):
    """A user at a node, or one to whom a name is promised there; a new user has that name in place of an id."""

    node: str
    user: str
    is_promise: bool = False


class NamesElsewhere:
    """The names of users at other nodes, and those that this node has promised to them, by their looks.

    Attributes:
        is_running: Whether a node runs: the names at one that has ended are free.
    """

    def __init__(self) -> None:
        self.is_running: Callable[[str], bool] = lambda _: False
        self._names: dict[_NamePlace, str] = {}
        self._by_look: defaultdict[str, dict[_NamePlace, None]] = defaultdict(dict)
        self._promised: dict[_NamePlace, float] = {}
        """Until when each promise holds, the oldest first."""

    def add_name(self, node: str, user: UserId, name: str) -> None:
        """Note the name of a user who is connected to a node, to whom it may have been promised."""
        # A promise to a new user has the name in place of an id.
        for promised in (name, user):
            self._drop_place(_NamePlace(node, promised, is_promise=True))
        self._put_name(_NamePlace(node, user), name)

    def drop_name(self, node: str, user: UserId) -> None:
        """Note that a user is not connected to a node any more; an unknown one is fine."""
        self._drop_place(_NamePlace(node, user))

    def promise_name(self, node: str, user: UserId | None, name: str, until: float) -> None:
        """Reserve a name that a node is about to give to a user; None for a new one.

        The name that they have is theirs until they come: perhaps they do not.
        """
        place = _NamePlace(node, user or name, is_promise=True)
        self._put_name(place, name)
        self._promised[place] = until

    def end_promises(self, now: float) -> None:
        """End the promises whose time is over."""
        while self._promised and (oldest := next(iter(self._promised.items())))[1] <= now:
            self._drop_place(oldest[0])

    def names_like(self, name: str, user: UserId | None = None) -> list[str]:
        """List the names of others than a user that look like a name."""
        # A server by itself has none, and the looks of a name take long to compute.
        if not self._names:
            return []
        places = {place for look in looks_of(name) for place in self._by_look.get(look, ())}
        return [self._names[place] for place in places if place.user != user and self.is_running(place.node)]

    def find_bearer(self, name: str) -> tuple[UserId, str] | None:
        """Find a user who is connected to another node by their name, ignoring case; returns it as they write it."""
        for look in looks_of(name) if self._names else ():
            for place in self._by_look.get(look, ()):
                found = self._names[place]
                # The promised user has never connected, so no message would reach them.
                if not place.is_promise and found.casefold() == name.casefold() and self.is_running(place.node):
                    return UserId(place.user), found
        return None

    def _put_name(self, place: _NamePlace, name: str) -> None:
        self._drop_place(place)
        self._names[place] = name
        for look in looks_of(name):
            self._by_look[look][place] = None

    def _drop_place(self, place: _NamePlace) -> None:
        self._promised.pop(place, None)
        name = self._names.pop(place, None)
        for look in () if name is None else looks_of(name):
            held = self._by_look[look]
            del held[place]
            if not held:
                del self._by_look[look]


class Bearer(Protocol):
    """A user who has a name."""

    @property
    def id(self) -> UserId:
        """Their id."""

    @property
    def name(self) -> str:
        """Their present name."""


B = TypeVar("B", bound=Bearer)


class NameRegister(Generic[B]):
    """Present users by name and by look.

    Args:
        claims: The owners of claimed names.
        is_idle: Whether a user is neither connected nor at a table.

    Attributes:
        elsewhere: The names at other nodes.
    """

    def __init__(self, claims: Claims, is_idle: Callable[[B], bool]) -> None:
        self.elsewhere = NamesElsewhere()
        self._claims, self._is_idle = claims, is_idle
        self._by_name: dict[str, B] = {}
        self._by_look: dict[str, B] = {}

    def add_bearer(self, bearer: B) -> None:
        """Add a user under their present name; they replace an idle user who has the same."""
        self._by_name[fold_name(bearer.name)] = bearer
        self._by_look.update(dict.fromkeys(looks_of(bearer.name), bearer))

    def drop_bearer(self, bearer: B) -> None:
        """Remove a user, who is about to change their name or to be forgotten."""
        if self._by_name.get(fold_name(bearer.name)) is bearer:
            del self._by_name[fold_name(bearer.name)]
        for look in looks_of(bearer.name):
            if self._by_look.get(look) is bearer:
                del self._by_look[look]

    def find_bearer(self, name: str) -> B | None:
        """Find a user by name, ignoring case; not by a name that merely looks like it."""
        return self._by_name.get(fold_name(clean_name(name)))

    def is_taken(self, name: str, user: UserId | None = None) -> bool:
        """Whether a name, or one that looks like it, is claimed, or used by another user who is not idle."""
        return self._claims.find_owner(name) is not None or bool(self._names_like(name, user))

    def choose_free_name(self, wanted: str, must_avoid: Callable[[str], bool], user: UserId | None = None) -> str:
        """Find a free name for a user who wants `wanted` (cleaned; empty for a random one).

        A name that is taken, or looks like a taken one, gets a number; a name that nobody may have is replaced.

        Args:
            wanted: The requested name.
            must_avoid: Whether a name is never given to users who did not ask for it.
            user: Whose own name is free to them; None for a new user.
        """
        base = wanted if check_permitted(wanted) is None else ""
        return free_name(
            base, lambda name: self.is_taken(name, user) or (name != wanted and (must_avoid(name) or is_reserved(name)))
        )

    def check_name(self, wanted: str, user: UserId | None = None) -> NameRefusal | None:
        """Return why a user who has no name yet cannot have one, or None."""
        if not wanted:
            return None
        found = check_permitted(wanted)
        if found is None and self.is_taken(wanted, user):
            return "taken" if self._belongs_to_another(wanted, user) else "lookalike"
        return found

    def _belongs_to_another(self, name: str, user: UserId | None) -> bool:
        """Whether another user has exactly this name, ignoring case."""
        owner = self._claims.find_owner(name)
        account = None if owner is None else self._claims.account_of(owner)
        names = self._names_like(name, user)
        return any(is_same_name(name, other) for other in (names if account is None else [*names, account.name]))

    def _names_like(self, name: str, user: UserId | None) -> list[str]:
        bearers = [self._by_look[look] for look in looks_of(name) if look in self._by_look]
        here = [bearer.name for bearer in bearers if bearer.id != user and not self._is_idle(bearer)]
        return here + self.elsewhere.names_like(name, user)
