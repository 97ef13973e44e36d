"""An immutable sequence that is cheap to extend: what happened at a table, oldest first."""

from collections.abc import Iterable, Iterator
from typing import Generic, SupportsIndex, TypeVar, final, overload

T = TypeVar("T")


@final
class History(Generic[T]):
    """A sequence like a tuple, of which a longer one is made in constant time.

    A tuple of a game's events would be copied with every move, and each copy searched for garbage: together a tenth of
    the server's CPU. All histories that grew from one another share a list, and each knows how much of it is its own.
    Only the longest adds to the list in place; a shorter one is copied first, so nobody sees what another one added.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = [*items]
        self._length = len(self._items)

    def with_item(self, item: T) -> "History[T]":
        """Return a history that ends with one more item."""
        longer: History[T] = History.__new__(History)
        longer._items = self._items if len(self._items) == self._length else self._items[: self._length]
        longer._items.append(item)
        longer._length = self._length + 1
        return longer

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return iter(self._items[: self._length])

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> T | tuple[T, ...]:
        """Return one item, or several as a tuple."""
        own = range(self._length)[index]
        return tuple([self._items[n] for n in own]) if isinstance(own, range) else self._items[own]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History | tuple):
            return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"History({[*self]!r})"
