"""An append-only sequence that grows in constant time and packs all but its latest items.

A game's events and moves are read when they happen and hardly ever again; as objects they took four times the memory.
"""

import pickle
from collections.abc import Iterable, Iterator
from typing import Final, Generic, SupportsIndex, TypeVar, overload

T = TypeVar("T")

CHUNK: Final = 16
"""Number of items that are packed together."""
RECENT: Final = 32
"""Number of latest items that stay unpacked: watchers and most reconnecting clients need only these."""


class _Store(Generic[T]):
    """Items shared by several histories: packed `chunks`, then the `recent` ones."""

    __slots__ = ("chunks", "recent")

    def __init__(self, items: Iterable[T]) -> None:
        self.chunks: list[bytes] = []
        self.recent: list[T] = []
        for item in items:
            self.append_item(item)

    def __len__(self) -> int:
        return len(self.chunks) * CHUNK + len(self.recent)

    def append_item(self, item: T) -> None:
        self.recent.append(item)
        # Packed a chunk at a time, so `recent` never has fewer than `RECENT` of a long history.
        if len(self.recent) >= RECENT + CHUNK:
            self.chunks.append(pickle.dumps(self.recent[:CHUNK], pickle.HIGHEST_PROTOCOL))
            del self.recent[:CHUNK]

    def items_between(self, start: int, end: int) -> list[T]:
        """Return the items from `start` up to `end`."""
        packed = len(self.chunks) * CHUNK
        if start >= packed:
            return self.recent[start - packed : end - packed]
        items: list[T] = []
        for chunk in range(start // CHUNK, min(-(-end // CHUNK), len(self.chunks))):
            items += self._unpack_chunk(chunk)
        skipped = start // CHUNK * CHUNK
        return [*items, *self.recent[: max(0, end - packed)]][start - skipped : end - skipped]

    def _unpack_chunk(self, number: int) -> list[T]:
        items: list[T] = pickle.loads(self.chunks[number])  # noqa: S301 - our own, and never outside
        return items


class History(Generic[T]):
    """A sequence like a tuple that can be extended in constant time.

    A tuple of a game's events would be copied with every move, and each copy would be scanned by the garbage
    collector: together a tenth of the server's CPU time. Histories that grew from one another share their items. Only
    the longest one appends in place; a shorter one is copied first, so no history sees another one's items. Items
    must be values: they are returned equal, not identical.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._store = _Store(items)
        self._length = len(self._store)

    def with_item(self, item: T) -> "History[T]":
        longer: History[T] = History.__new__(History)
        # A table that is not the newest, such as one that a refused append has left, must not add to what others see.
        longer._store = self._store if len(self._store) == self._length else _Store(self)
        longer._store.append_item(item)
        longer._length = self._length + 1
        return longer

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return iter(self._store.items_between(0, self._length))

    def iterate_from(self, start: int) -> Iterator[T]:
        """Iterate over the items from index `start` on; what is not read is not unpacked."""
        while start < self._length:
            end = min(self._length, (start // CHUNK + 1) * CHUNK)
            yield from self._store.items_between(start, end)
            start = end

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> T | tuple[T, ...]:
        """Return one item, or several as a tuple."""
        own = range(self._length)[index]
        if not isinstance(own, range):
            return self._store.items_between(own, own + 1)[0]
        # The usual case: the latest items, for every watcher of every move.
        if own.step == 1:
            return tuple(self._store.items_between(own.start, own.stop)) if own else ()
        if not own:
            return ()
        first, last = min(own), max(own)
        items = self._store.items_between(first, last + 1)
        return tuple([items[n - first] for n in own])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History | tuple):
            return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"History({[*self]!r})"
