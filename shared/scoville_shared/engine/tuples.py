"""Small changes to tuples, the one kind of list that frozen states are made of."""

from typing import TypeVar

T = TypeVar("T")


def replaced(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Put `item` in place of the one at `index`."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


def without(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """Leave out the first `item`. Raises ValueError if there is none."""
    index = items.index(item)
    return items[:index] + items[index + 1 :]
