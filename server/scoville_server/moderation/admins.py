"""Who looks after a server: by its configuration, or appointed by somebody who does."""

from collections.abc import Iterable

from msgspec import Struct

from scoville_server.accounts.model.confusables import skeleton
from scoville_server.accounts.sessions import User
from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId


class Appointed(Struct, frozen=True):
    """Who made somebody an admin."""

    by: str


class Meant(Struct, frozen=True):
    """Whom the configuration means by a name."""

    person: UserId


class Admins:
    """Those whom the configuration names, and those who were appointed. Only a claimed name can be meant.

    A named admin is whoever owned that name first: when they give it up, who claims it next is no admin by it.
    """

    def __init__(self, named: Iterable[str], journal: Journal) -> None:
        self._named = {skeleton(name) for name in named}
        self._book = Book("admins", Appointed, journal)
        self._kept = Book("admins.named", Meant, journal)
        self._meant: dict[str, UserId] = {}

    def restore(self, kept: Kept) -> None:
        """Take up who was appointed in an earlier run, and whom the names meant that are still configured."""
        self._book.restore(kept.books)
        self._kept.restore(kept.books)
        self._meant = {name: meant.person for name, meant in self._kept.items() if name in self._named}

    def __contains__(self, person: User) -> bool:
        return person.claimed and (self._is_meant(person) or person.id in self._book)

    def claimed(self, person: User) -> None:
        """Note whom the configuration means, if this is the first who owns a name of it."""
        if person.claimed and skeleton(person.name) in self._named:
            self._meant.setdefault(skeleton(person.name), person.id)

    async def keep(self) -> None:
        """Keep whom the names mean, and not those that are configured no longer. Raises JournalError."""
        old = {name: None for name, _ in self._kept.items() if name not in self._meant}
        new = {name: Meant(person) for name, person in self._meant.items() if name not in self._kept}
        if old or new:
            await self._kept.write({**old, **new})

    def check_change(self, person: User, *, admin_from_now: bool) -> bool:
        """Return whether this would change anything. Raises ScovilleError `not_claimed`, `bad_params`."""
        if admin_from_now and not person.claimed:
            sentence = f"{person.name} has not claimed their name: anybody could bear it. They have to claim it first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": person.name})
        if not admin_from_now and self._is_meant(person):
            sentence = f"{person.name} is named in the server's configuration; take them out of it there."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"name": person.name})
        return (person.id in self._book) != admin_from_now

    async def appoint(self, person: User, by: str) -> None:
        """Let somebody look after the server as well. Raises JournalError, and ScovilleError `not_claimed`."""
        self.check_change(person, admin_from_now=True)
        await self._book.put(person.id, Appointed(by))

    async def dismiss(self, person: User) -> None:
        """Let somebody look after it no more. Raises JournalError, and ScovilleError `bad_params`."""
        self.check_change(person, admin_from_now=False)
        await self._book.drop(person.id)

    def _is_meant(self, person: User) -> bool:
        return self._meant.get(skeleton(person.name)) == person.id
