"""Ignore lists, by user: neither a new name nor a restart ends an ignore."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId


class Ignored(Struct, frozen=True):
    """An ignored user, by the name they had then."""

    name: str


class _Pair(NamedTuple):
    listener: UserId
    speaker: UserId

    @property
    def key(self) -> str:
        return f"{self.listener}/{self.speaker}"


class Ignores:
    """Ignore lists with up to `limit` users each, kept in the book "ignores": one entry per pair."""

    def __init__(self, limit: int, journal: Journal) -> None:
        self.book = Book("ignores", Ignored, journal)
        self._limit = limit
        self._by: dict[UserId, dict[UserId, Ignored]] = {}

    def restore_lists(self) -> None:
        """Load the book."""
        for key, ignored in self.book.items():
            listener, _, speaker = key.partition("/")
            self._note_ignored(_Pair(UserId(listener), UserId(speaker)), ignored)

    def receives_from(self, listener: UserId, speaker: UserId) -> bool:
        """Whether a listener does not ignore a speaker."""
        return speaker not in self._by.get(listener, ())

    def ignored_by(self, listener: UserId) -> Iterator[tuple[UserId, str]]:
        """List the users whom a listener ignores, with the names they had then."""
        return ((speaker, ignored.name) for speaker, ignored in self._by.get(listener, {}).items())

    async def add_ignored(self, listener: UserId, speaker: UserId, name: str) -> None:
        """Ignore a user. Raises ScovilleError `too_many`, JournalError."""
        known = self._by.get(listener, {})
        if speaker not in known and len(known) >= self._limit:
            raise ScovilleError(
                Code.TOO_MANY, f"You are ignoring {self._limit} users, the most allowed; stop ignoring one first."
            )
        pair, ignored = _Pair(listener, speaker), Ignored(name)
        await self.book.put_row(pair.key, ignored)
        self._note_ignored(pair, ignored)

    async def remove_ignored(self, listener: UserId, speaker: UserId) -> None:
        """End an ignore. Raises JournalError."""
        await self.book.drop_row(_Pair(listener, speaker).key)
        self._by.get(listener, {}).pop(speaker, None)

    async def forget_user(self, listener: UserId) -> None:
        """Delete a forgotten user's list. Raises JournalError."""
        speakers = self._by.pop(listener, {})
        if speakers:
            await self.book.write_rows({_Pair(listener, speaker).key: None for speaker in speakers})

    def _note_ignored(self, pair: _Pair, ignored: Ignored) -> None:
        self._by.setdefault(pair.listener, {})[pair.speaker] = ignored
