"""Fair queue: askers take turns, so that one asker with many requests does not delay the others.

An asker is a path from the widest group to the narrowest, such as (network, address, user, table). At every level the
groups take turns: two networks get half of the work each, and within one of them its users share that half.
"""

from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

Asker = tuple[str, ...]
"""Groups from the widest to the narrowest; all askers of one queue have the same number of them."""


class FairQueue(Generic[T]):
    """Bounded queue from which groups of askers take turns.

    Args:
        most: Most items that wait.
        quotas: Most items of one group, by level from the widest to the narrowest; levels without one are not bounded.
    """

    def __init__(self, most: int, quotas: Sequence[int] = ()) -> None:
        self._most = most
        self._quotas = tuple(quotas)
        self._root: _Group[T] = _Group()

    def __len__(self) -> int:
        return self._root.size

    def put_item(self, asker: Asker, item: T) -> list[T]:
        """Add an item and return those that found no place: the item itself if a group of its asker has its quota.

        A full queue drops the latest item of the widest group that has most; that may be the new one.
        """
        if any(self._root.count_held(asker[:level]) >= quota for level, quota in enumerate(self._quotas, 1)):
            return [item]
        self._root.add_item(asker, item)
        return [self._root.drop_latest()] if len(self) > self._most else []

    def take_item(self) -> T | None:
        """Remove and return the item whose turn it is; None if there is none."""
        return self._root.take_item() if len(self) else None

    def remove_item(self, asker: Asker, item: T) -> None:
        """Remove an item that no one wants any more; one that has been taken is ignored."""
        self._root.remove_item(asker, item)


class _Group(Generic[T]):
    """A group of askers: smaller groups in the order of their turns, or at the narrowest level its items."""

    def __init__(self) -> None:
        self.size = 0
        self._groups: dict[str, _Group[T]] = {}
        self._items: deque[T] = deque()

    def count_held(self, path: Asker) -> int:
        """Return how many items the group at a path has."""
        if not path:
            return self.size
        group = self._groups.get(path[0])
        return group.count_held(path[1:]) if group is not None else 0

    def add_item(self, path: Asker, item: T) -> None:
        self.size += 1
        if path:
            self._groups.setdefault(path[0], _Group()).add_item(path[1:], item)
        else:
            self._items.append(item)

    def remove_item(self, path: Asker, item: T) -> bool:
        """Remove an item below a path; return whether it was there."""
        if not path:
            found = item in self._items
            if found:
                self._items.remove(item)
        else:
            group = self._groups.get(path[0])
            found = group is not None and group.remove_item(path[1:], item)
            if group is not None and not group.size:
                del self._groups[path[0]]
        self.size -= found
        return found

    def take_item(self) -> T:
        self.size -= 1
        if not self._groups:
            return self._items.popleft()
        name = next(iter(self._groups))
        group = self._groups.pop(name)
        item = group.take_item()
        if group.size:
            self._groups[name] = group  # behind the others
        return item

    def drop_latest(self) -> T:
        """Remove the latest item of the largest group; of two equal ones that of the later."""
        self.size -= 1
        if not self._groups:
            return self._items.pop()
        name = max(reversed(self._groups), key=lambda name: self._groups[name].size)
        item = self._groups[name].drop_latest()
        if not self._groups[name].size:
            del self._groups[name]
        return item
