"""Changes of a session that wait to be shown, in an order and a number that a flood cannot make worse."""

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scoville_client.session.changes import Change

PORTION: Final = 16
"""Changes that are shown in one go: each costs up to a millisecond, and a key waits for as many."""
MOST_WAITING: Final = 2_000
"""Changes that wait at most. Only a server that floods its clients reaches it: then what others say is not shown."""

# By name: the session's modules are loaded after the first page has been painted.
_RELOADING: Final = frozenset({"TablesChanged", "UsersChanged", "TableChanged"})
"""Changes after which a screen reads the session again: one that waits also stands for those that come after it."""
_SAID_BY_OTHERS: Final = frozenset({"ChatReceived", "Reacted", "Announced", "Invited"})


class WaitingChanges:
    """A queue of changes. One that would only make a screen read the same again is not added twice."""

    def __init__(self) -> None:
        self._queue: deque[Change] = deque()
        self._reloading: set[str] = set()

    def __bool__(self) -> bool:
        """Whether a change waits."""
        return bool(self._queue)

    def add(self, change: "Change") -> None:
        """Add a change behind the others."""
        name, kind = type(change).__name__, _kind_of(change)
        if kind in self._reloading or (name in _SAID_BY_OTHERS and len(self._queue) >= MOST_WAITING):
            return
        if name in _RELOADING:
            self._reloading.add(kind)
        self._queue.append(change)

    def take_portion(self) -> "list[Change]":
        """Remove and return the first changes."""
        portion = [self._queue.popleft() for _ in range(min(PORTION, len(self._queue)))]
        self._reloading.difference_update(map(_kind_of, portion))
        return portion

    def clear(self) -> None:
        """Forget what waits."""
        self._queue.clear()
        self._reloading.clear()


def _kind_of(change: "Change") -> str:
    """Return the change's type; a table's presence alone stands for nothing but itself."""
    return f"{type(change).__name__} {getattr(change, 'presence', '')}"
