"""Books: values stored by key beside the tables, read from memory and valid once they are on disk."""

import logging
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from scoville_server.journal.base import Entry, Journal, JournalError

T = TypeVar("T")

_LEVEL = 1
"""How hard to compress: more takes much longer and hardly less memory."""

_log = logging.getLogger(__name__)

PROTECTING = frozenset(
    {"accounts", "admins", "admins.named", "bans", "ignores", "mutes", "names.retired", "recoveries", "sessions"}
)
"""Books that protect players from others: without a damaged row of these a user might do what they may not. So a
server does not start without one unless its host says so."""

LOSABLE = frozenset({"audit", "careers", "chat", "client_settings", "games", "reports", "warnings"})
"""Books whose damaged rows are left out with a sentence in the log: everything else goes on without them."""


class Book(Generic[T]):
    """Things of one type by key, oldest key first. `name` distinguishes its entries from those of other books.

    A type may gain fields with defaults between versions; any other change of a type needs another name.
    """

    def __init__(self, name: str, kind: type[T], journal: Journal) -> None:
        self.name = name
        self._journal = journal
        self._read = msgspec.msgpack.Decoder(kind).decode
        self._held: dict[str, T] = {}

    def restore(self, kept: Mapping[str, Sequence[tuple[str, bytes]]]) -> None:
        """Load the book from `Kept.books`. Raises JournalError for a row that this version cannot read.

        In a book that protects nobody such a row is passed over; it stays in the journal.
        """
        self._forget_all()
        for key, value in kept.get(self.name, ()):
            try:
                self._hold_row(key, value)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                sentence = (
                    f"The row {key} of the book {self.name} cannot be read by this version of Scoville ({error})."
                )
                if self.name not in LOSABLE:
                    raise JournalError(sentence) from error
                _log.error("%s It is ignored.", sentence)

    def get(self, key: str) -> T | None:
        """Find something, None when it is not there."""
        return self._held.get(key)

    def items(self) -> Iterator[tuple[str, T]]:
        """List everything with its key."""
        return iter(tuple(self._held.items()))

    def __contains__(self, key: str) -> bool:
        return key in self._held

    def __len__(self) -> int:
        return len(self._held)

    async def put(self, key: str, value: T) -> None:
        """Store a value under a key. Raises JournalError, and then nothing has changed."""
        await self.write({key: value})

    async def drop(self, key: str) -> None:
        """Keep it no longer. Raises JournalError."""
        await self.write({key: None})

    async def write(self, changes: Mapping[str, T | None]) -> None:
        """Change several things at once, all or none; None drops one. Raises JournalError."""
        await self._journal.note([self.entry(key, value) for key, value in changes.items()])
        self.take(changes)

    def entry(self, key: str, value: T | None) -> Entry:
        """Write a change as the journal takes it: for those who note changes of several books together."""
        return Entry(self.name, key, None if value is None else msgspec.msgpack.encode(value))

    def take(self, changes: Mapping[str, T | None]) -> None:
        """Believe changes that the journal has taken."""
        for key, value in changes.items():
            if value is None:
                self._held.pop(key, None)
            else:
                self._hold(key, value)

    def _forget_all(self) -> None:
        self._held = {}

    def _hold_row(self, key: str, row: bytes) -> None:
        self._held[key] = self._read(row)

    def _hold(self, key: str, value: T) -> None:
        self._held[key] = value


class WrittenBook(Book[T]):
    """A book that is read once, at the start, and then only written: its owner holds the things."""

    def take(self, changes: Mapping[str, T | None]) -> None:
        """Hold nothing of what the journal has taken."""

    def release(self) -> Iterator[tuple[str, T]]:
        """List everything that was kept, for the last time."""
        held, self._held = self._held, {}
        return iter(held.items())


class PackedBook(Book[T]):
    """A book whose values are compressed in memory, to a sixth of their size as objects.

    To look one up costs some tens of microseconds: for what is looked up by hand, or at the ends of games.
    """

    def __init__(self, name: str, kind: type[T], journal: Journal) -> None:
        super().__init__(name, kind, journal)
        self._packed: dict[str, bytes] = {}

    def get(self, key: str) -> T | None:
        """Find something, None when it is not there."""
        packed = self._packed.get(key)
        return None if packed is None else self._unpacked(packed)

    def items(self) -> Iterator[tuple[str, T]]:
        """List everything with its key."""
        return ((key, self._unpacked(packed)) for key, packed in tuple(self._packed.items()))

    @property
    def keys(self) -> list[str]:
        """All keys, oldest first."""
        return [*self._packed]

    def __contains__(self, key: str) -> bool:
        return key in self._packed

    def __len__(self) -> int:
        return len(self._packed)

    def take(self, changes: Mapping[str, T | None]) -> None:
        """Believe changes that the journal has taken."""
        for key, value in changes.items():
            if value is None:
                self._packed.pop(key, None)
            else:
                self._hold(key, value)

    def _forget_all(self) -> None:
        self._packed = {}

    def _hold_row(self, key: str, row: bytes) -> None:
        self._read(row)  # one that cannot be read is not held
        self._packed[key] = zlib.compress(row, _LEVEL)

    def _hold(self, key: str, value: T) -> None:
        self._packed[key] = zlib.compress(msgspec.msgpack.encode(value), _LEVEL)

    def _unpacked(self, packed: bytes) -> T:
        return self._read(zlib.decompress(packed))
