"""Who looks after a server: by its configuration, or appointed by somebody who does."""

from collections.abc import Iterable

from msgspec import Struct

from scoville_server.accounts.skeleton import skeleton
from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import Book
from scoville_server.sessions import Person
from scoville_shared.errors import Code, ScovilleError


class Appointed(Struct, frozen=True):
    """Who made somebody an admin."""

    by: str


class Admins:
    """Those whom the configuration names, and those who were appointed. Only a claimed name can be meant."""

    def __init__(self, named: Iterable[str], journal: Journal) -> None:
        self._named = {skeleton(name) for name in named}
        self._book = Book("admins", Appointed, journal)

    def restore(self, kept: Kept) -> None:
        """Take up who was appointed in an earlier run."""
        self._book.restore(kept.books)

    def __contains__(self, person: Person) -> bool:
        return person.claimed and (skeleton(person.name) in self._named or person.id in self._book)

    async def appoint(self, person: Person, by: str) -> None:
        """Let somebody look after the server as well. Raises JournalError, and ScovilleError `not_claimed`."""
        if not person.claimed:
            sentence = f"{person.name} has not claimed their name: anybody could bear it. They have to claim it first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": person.name})
        await self._book.put(person.id, Appointed(by))

    async def dismiss(self, person: Person) -> None:
        """Let somebody look after it no more. Raises JournalError, and ScovilleError `bad_params`."""
        if skeleton(person.name) in self._named:
            sentence = f"{person.name} is named in the server's configuration; take them out of it there."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"name": person.name})
        await self._book.drop(person.id)
