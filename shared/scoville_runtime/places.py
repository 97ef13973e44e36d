"""Places: how many of something there may be at a time, in total and for one key."""

from collections import Counter


class Places:
    """Counts up to `most`, and up to `each` for one key, such as a network.

    The server admits connections by `Admission` instead, where shares grow and shrink with what is free.
    """

    def __init__(self, most: int, each: int) -> None:
        self._most = most
        self._each = each
        self._taken: Counter[str] = Counter()
        self.total = 0

    def has_room(self, key: str | None) -> bool:
        """Return whether one more may come; without a key only the total counts."""
        return self.total < self._most and (key is None or self._taken[key] < self._each)

    def take_place(self, key: str | None) -> bool:
        """Take a place if there is room; return whether there was."""
        if not self.has_room(key):
            return False
        self.add_one(key)
        return True

    def add_one(self, key: str | None) -> None:
        """Count one that was let in elsewhere, whether there is room or not."""
        self.total += 1
        if key is not None:
            self._taken[key] += 1

    def give_back(self, key: str | None) -> None:
        """Give a place back that was taken with this key."""
        self.total -= 1
        if key is not None:
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]
