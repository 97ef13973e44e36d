"""Changes of tuples, the lists of frozen states."""

from typing import TypeVar

T = TypeVar("T")


def with_item(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return `items` with the one at `index` replaced.

    >>> with_item((3, 5, 8), 1, 6)
    (3, 6, 8)
    """
    changed = list(items)
    changed[index] = item
    return tuple(changed)


def without_item(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """Return `items` without the first `item`. Raises ValueError if there is none.

    >>> without_item((3, 5, 3), 3)
    (5, 3)
    """
    index = items.index(item)
    return items[:index] + items[index + 1 :]
