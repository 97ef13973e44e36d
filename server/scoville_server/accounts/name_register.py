"""Register of the users' names: taken names and their owners, claimed ones with the SSH keys that prove who they are.

Names that look alike count as one.
"""

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from scoville_server.accounts.model.account import Account, RetiredName
from scoville_server.accounts.model.naming.permitted import (
    check_permitted,
    fold_name,
    free_name,
    is_reserved,
    is_same_name,
    looks_of,
)
from scoville_server.journal.books import Book
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import NameRefusal
from scoville_shared.text import clean_name


class Claims:
    """The accounts in a `book` by user, at most `most`, indexed by name and key.

    A name belongs to one user together with all names that look like it, and a key to one user. The names of deleted
    accounts are `retired`, in a book by the user who had them: nobody gets them until then, so that nobody is taken for
    that user.
    """

    def __init__(self, book: Book[Account], retired: Book[RetiredName], most: Adjustable[int]) -> None:
        self._retired = retired
        self._book = book
        self._most = as_live(most)
        self._owners: dict[str, UserId] = {}
        self._by_key: dict[str, UserId] = {}
        self._reserved: dict[str, UserId] = {}

    def index_accounts(self) -> None:
        """Load the book."""
        for user, account in self._book.items():
            self._update_index(UserId(user), None, account)
        for user, retired in self._retired.items():
            self._owners.update(dict.fromkeys(looks_of(retired.name), UserId(user)))

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
            raise ScovilleError(Code.NAME_CLAIMED, f"The name {name} is already claimed.", {"name": name})
        if self.free_names <= 0:
            raise ScovilleError(Code.TOO_MANY, "This server has no room for more claimed names.")
        self._reserved.update(dict.fromkeys(looks_of(name), user))

    def unreserve_name(self, name: str) -> None:
        """End a reservation: the claim has succeeded or failed."""
        for look in looks_of(name):
            del self._reserved[look]

    async def put_account(self, user: UserId, account: Account) -> None:
        """Store an account; one change at a time. Raises JournalError, and ScovilleError for another user's key."""
        if any(self._by_key.get(key.fingerprint, user) != user for key in account.keys):
            raise ScovilleError(Code.BAD_KEY, "That key belongs to another user of this server.")
        before = self.account_of(user)
        await (self._book.create_row if before is None else self._book.put_row)(user, account)
        self._update_index(user, before, account)

    async def drop_account(self, user: UserId, retired_until_ms: int | None = None) -> None:
        """Delete an account; its name is free at once, or retired until then. Raises JournalError."""
        before = self.known_account(user)
        if retired_until_ms is not None:
            # Before its account goes: a crash between the two must not free the name.
            await self._retired.put_row(user, RetiredName(name=before.name, until_ms=retired_until_ms))
        await self._book.drop_row(user)
        self._update_index(user, before, None)
        if retired_until_ms is not None:
            self._owners.update(dict.fromkeys(looks_of(before.name), user))

    async def expire_retired_names(self, now_ms: int) -> None:
        """Free the retired names whose time is over. Raises JournalError."""
        over = [(user, retired) for user, retired in self._retired.items() if retired.until_ms <= now_ms]
        if over:
            await self._retired.write_rows({user: None for user, _ in over})
        for _, retired in over:
            for look in looks_of(retired.name):
                self._owners.pop(look, None)

    def _update_index(self, user: UserId, before: Account | None, after: Account | None) -> None:
        if before is not None:
            for look in looks_of(before.name):
                self._owners.pop(look, None)
            for key in before.keys:
                del self._by_key[key.fingerprint]
        if after is not None:
            self._owners.update(dict.fromkeys(looks_of(after.name), user))
            self._by_key.update({key.fingerprint: user for key in after.keys})


class Bearer(Protocol):
    """A user who has a name."""

    @property
    def name(self) -> str:
        """Their present name."""

    @property
    def idle(self) -> bool:
        """Whether they are neither connected nor at a table."""


B = TypeVar("B", bound=Bearer)


class NameRegister(Generic[B]):
    """Present users by name and by look; the owners of claimed names come from `claims`."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
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

    def is_taken(self, name: str) -> bool:
        """Whether a name, or one that looks like it, is used by a user who is not idle, or claimed."""
        return self._claims.find_owner(name) is not None or any(not bearer.idle for bearer in self._bearers_of(name))

    def choose_free_name(self, wanted: str, shunned: Callable[[str], bool]) -> str:
        """Find a free name for a user who wants `wanted` (cleaned; empty for a random one).

        A name that is taken, or looks like a taken one, gets a number; a name that nobody may have is replaced.

        Args:
            wanted: The requested name.
            shunned: Whether a name is never given to users who did not ask for it.
        """
        base = wanted if check_permitted(wanted) is None else ""
        return free_name(
            base, lambda name: self.is_taken(name) or (name != wanted and (shunned(name) or is_reserved(name)))
        )

    def check_name(self, wanted: str) -> NameRefusal | None:
        """Return why a user who has no name yet cannot have one, or None."""
        if not wanted:
            return None
        found = check_permitted(wanted)
        if found is None and self.is_taken(wanted):
            return "taken" if self._is_anothers(wanted) else "lookalike"
        return found

    def _is_anothers(self, name: str) -> bool:
        """Whether another user has exactly this name, ignoring case."""
        owner = self._claims.find_owner(name)
        account = None if owner is None else self._claims.account_of(owner)
        names = [bearer.name for bearer in self._bearers_of(name) if not bearer.idle]
        return any(is_same_name(name, other) for other in (names if account is None else [*names, account.name]))

    def _bearers_of(self, name: str) -> list[B]:
        return [self._by_look[look] for look in looks_of(name) if look in self._by_look]
