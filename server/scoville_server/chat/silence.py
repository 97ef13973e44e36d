"""Who does not hear whom: users whom the host of a table has muted there, and the ignore lists of users."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import Struct

from scoville_server.accounts.orphans import IsKnown, drop_rows
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId


class Muted(Struct, frozen=True):
    """Marks a pair of table and user as muted."""


class Mutes:
    """Mutes with up to `limit` users per table, kept in the book "mutes": one entry per table and user."""

    def __init__(self, limit: int, journal: Journal) -> None:
        self._limit = limit
        self._at: dict[TableId, set[UserId]] = {}
        self.book = Book("mutes", Muted, journal, self._follow_mute)

    def _follow_mute(self, key: str, _before: Muted | None, after: Muted | None) -> None:
        table, _, user = key.partition("/")
        if after is not None:
            self._at.setdefault(TableId(table), set()).add(UserId(user))
            return
        muted = self._at.get(TableId(table), set())
        muted.discard(UserId(user))
        if not muted:
            self._at.pop(TableId(table), None)

    @property
    def tables(self) -> list[TableId]:
        """The tables with muted users."""
        return [*self._at]

    def is_muted(self, table: TableId, user: UserId) -> bool:
        return user in self._at.get(table, ())

    async def mute_user(self, table: TableId, user: UserId) -> None:
        """Mute a user. Raises ScovilleError `too_many`, JournalError."""
        known = self._at.get(table, set())
        if user not in known and len(known) >= self._limit:
            sentence = f"{self._limit} users are muted at this table, the most allowed; unmute one first."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "muted", "most": self._limit})
        await self.book.put_row(_key_of(table, user), Muted())

    async def unmute_user(self, table: TableId, user: UserId) -> None:
        """Unmute a user. Raises JournalError."""
        await self.book.drop_row(_key_of(table, user))

    async def forget_user(self, user: UserId) -> None:
        """Delete the mutes of a forgotten user. Raises JournalError."""
        tables = [table for table, users in self._at.items() if user in users]
        if tables:
            await self.book.write_rows({_key_of(table, user): None for table in tables})

    async def forget_table(self, table: TableId) -> None:
        """Delete the mutes of a removed table. Raises JournalError."""
        users = self._at.get(table)
        if users:
            await self.book.write_rows({_key_of(table, user): None for user in users})


def _key_of(table: TableId, user: UserId) -> str:
    return f"{table}/{user}"


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
        self._limit = limit
        self._by: dict[UserId, dict[UserId, Ignored]] = {}
        self.book = Book("ignores", Ignored, journal, self._follow_pair)

    def _follow_pair(self, key: str, _before: Ignored | None, after: Ignored | None) -> None:
        listener, _, speaker = key.partition("/")
        if after is not None:
            self._by.setdefault(UserId(listener), {})[UserId(speaker)] = after
            return
        ignored = self._by.get(UserId(listener), {})
        ignored.pop(UserId(speaker), None)
        if not ignored:
            self._by.pop(UserId(listener), None)

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
            sentence = f"You are ignoring {self._limit} users, the most allowed; stop ignoring one first."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "ignored", "most": self._limit})
        await self.book.put_row(_Pair(listener, speaker).key, Ignored(name))

    async def remove_ignored(self, listener: UserId, speaker: UserId) -> None:
        """End an ignore. Raises JournalError."""
        await self.book.drop_row(_Pair(listener, speaker).key)

    async def forget_user(self, listener: UserId) -> None:
        """Delete a forgotten user's list. Raises JournalError."""
        speakers = self._by.get(listener)
        if speakers:
            await self.book.write_rows({_Pair(listener, speaker).key: None for speaker in speakers})

    async def forget_speaker(self, speaker: UserId) -> None:
        """Take a deleted account, and its name, from the lists of others. Raises JournalError."""
        listeners = [listener for listener, ignored in self._by.items() if speaker in ignored]
        if listeners:
            await self.book.write_rows({_Pair(listener, speaker).key: None for listener in listeners})

    async def drop_deleted(self, is_known: IsKnown, find_owner: Callable[[str], UserId | None]) -> None:
        """Drop lists of users who do not exist, and deleted accounts from those of others. Raises JournalError."""
        every = [(_Pair(by, whom), each.name) for by, ignored in self._by.items() for whom, each in ignored.items()]
        # A guest may be known to another node alone; of a deleted account the name is retired.
        gone = [
            pair.key
            for pair, name in every
            if not is_known(pair.listener) or (not is_known(pair.speaker) and find_owner(name) == pair.speaker)
        ]
        await drop_rows(self.book, gone)
