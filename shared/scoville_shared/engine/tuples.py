"""Changes of tuples, the lists of frozen states."""

from typing import TypeVar

T = TypeVar("T")


def with_item(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return `items` with the one at `index` replaced."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


def without_item(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """Return `items` without the first `item`. Raises ValueError if there is none."""
    index = items.index(item)
    return items[:index] + items[index + 1 :]
