"""Values of settings that may change while the server runs.

Services keep a `Live` value and ask it each time they need it, so that a reload reaches them without their help. A
service that derives something from a value, such as a throttle's rate, renews it in a function that follows the value.
"""

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar, Union

T = TypeVar("T")
U = TypeVar("U")


class Live(Generic[T]):
    """A value now, and what depends on it.

    `select` and `follow` are for services that are made once: nothing is ever unsubscribed.

    Attributes:
        value: The value now.
    """

    __slots__ = ("_followers", "value")

    def __init__(self, value: T) -> None:
        self.value = value
        self._followers: list[Callable[[T], object]] = []

    def select(self, choose: Callable[[T], U]) -> "Live[U]":
        """Return a part of the value, or something computed from it, which changes together with it."""
        part = Live(choose(self.value))
        # Pushed and not asked for: limits are read at every message, and change once a month.
        self._followers.append(lambda value: part.change_to(choose(value)))
        return part

    def follow(self, renew: Callable[[T], object]) -> T:
        """Call a function with the value after each change; returns the value now."""
        self._followers.append(renew)
        return self.value

    def change_to(self, value: T) -> None:
        """Replace the value, and tell those who follow it; nothing happens if it is the same."""
        if value != self.value:
            self.value = value
            for renew in self._followers:
                renew(value)


Adjustable: TypeAlias = Union[T, Live[T]]  # noqa: UP007 - a `|` of type variables is no alias before Python 3.12
"""A value that stays, or one that may change while the server runs."""


def as_live(value: Adjustable[T]) -> Live[T]:
    """Return a live value; one that stays becomes one that never changes."""
    return value if isinstance(value, Live) else Live(value)
