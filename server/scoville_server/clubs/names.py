"""Names of clubs, unique over all nodes: each look of a name is a row, which is made together with the club.

At one node a name is reserved while its club is written, so that users who found clubs do not wait for each other.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from scoville_server.accounts.model.naming.permitted import looks_of
from scoville_server.clubs.model.club import Club
from scoville_server.journal.base import ABSENT, Change, Conflict, Journal, Row
from scoville_server.journal.books import MOST_TRIES, Book
from scoville_shared.errors import Code, ScovilleError

_CLUBS: Final = "clubs"
_NAMES: Final = "clubs.names"


class NameRows:
    """The rows of names: of two nodes that found clubs of one name at once, the journal refuses one.

    Clubs of earlier versions have none, and their nodes delete none: a row counts as long as its club has the name.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._reserved: dict[str, tuple[str, ...]] = {}
        """The looks of names that are being written, by their clubs."""

    @property
    def reserved_clubs(self) -> Collection[str]:
        """The clubs that are being written."""
        return self._reserved.keys()

    def is_reserved(self, name: str) -> bool:
        """Whether a club that is being written looks like a name."""
        looks = {*looks_of(name)}
        return any(not looks.isdisjoint(each) for each in self._reserved.values())

    @contextmanager
    def reserve_name(self, club: str, name: str) -> Iterator[None]:
        """Keep a name for a club while that is written: two that look alike must not both be on their way."""
        self._reserved[club] = looks_of(name)
        try:
            yield
        finally:
            del self._reserved[club]

    async def create_club(self, book: Book[Club], club_id: str, club: Club) -> None:
        """Write a new club with its name.

        Raises:
            Conflict: Others write again and again.
            JournalError: Nothing has changed.
            ScovilleError: Another club has such a name.
        """
        for tries_left in reversed(range(MOST_TRIES)):
            named = await self._list_taken(club_id, club.name)
            try:
                await book.write_rows({club_id: club}, [club_id], more=named)
            except Conflict as error:
                if error.book != _NAMES or not tries_left:
                    raise
                # Another node was faster: now its row says so.
            else:
                break

    async def _list_taken(self, club: str, name: str) -> list[Change]:
        """List the changes that give a name to a club. Raises ScovilleError if another one has such a name."""
        changes: list[Change] = []
        for look in looks_of(name):
            row = await self._journal.get(_NAMES, look)
            if row is not None and await self._has_look(_read_club(row), look):
                raise refuse_name()
            changes.append(Change(_NAMES, look, club.encode(), ABSENT if row is None else row.revision))
        return changes

    async def list_freed(self, club: str, name: str) -> list[Change]:
        """List the changes that take a name from a club. Raises JournalError."""
        rows = [(look, await self._journal.get(_NAMES, look)) for look in looks_of(name)]
        return [
            Change(_NAMES, look, None, row.revision)
            for look, row in rows
            if row is not None and _read_club(row) == club
        ]

    async def _has_look(self, club: str, look: str) -> bool:
        """Whether a club has a look, also one that this node has not heard of."""
        row = await self._journal.get(_CLUBS, club)
        return row is not None and look in looks_of(msgspec.msgpack.decode(row.value, type=Club).name)


def refuse_name() -> ScovilleError:
    """Return the refusal of a name that no club can have."""
    sentence = "No club can have this name: it is taken, looks like that of another club, or belongs to the server."
    return ScovilleError(Code.BAD_CLUB_NAME, sentence)


def _read_club(row: Row) -> str:
    return row.value.decode()
