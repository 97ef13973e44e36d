"""What this node is writing: it comes back as a change, and may be older by then than what the node knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class OwnWrites(Generic[T]):
    """The values that are being written, by the key of their row; None deletes one."""

    def __init__(self) -> None:
        self._values: dict[str, list[T | None]] = {}

    @contextmanager
    def note_write(self, key: str, value: T | None) -> Iterator[None]:
        """Note a value until its write has ended."""
        values = self._values.setdefault(key, [])
        values.append(value)
        try:
            yield
        finally:
            values.remove(value)
            if not values:
                del self._values[key]

    def has_written(self, key: str, value: T | None) -> bool:
        """Whether a change has the value that this node is writing."""
        return value in self._values.get(key, ())
