"""Exponential back-off: the waits between attempts that fail."""

from collections.abc import Callable


class BackOff:
    """Waits that double after each failure in a row.

    Args:
        first: Seconds of the first wait.
        longest: Seconds up to which the waits double.
        chance: Returns a number from 0 to 1.
        shortened: Share of a wait by which chance shortens it at most: those who failed at the same instant, such as
            the clients of a server that stopped, would all try again at the same instant.
    """

    def __init__(
        self, first: float, longest: float, chance: Callable[[], float] = lambda: 0.0, shortened: float = 0.0
    ) -> None:
        self._first = self._seconds = first
        self._longest = longest
        self._chance = chance
        self._shortened = shortened

    def next_wait(self) -> float:
        """Return the seconds to wait after one more failure."""
        # Shortened, not varied both ways: `longest` stays what it says.
        wait = self._seconds * (1 - self._shortened * self._chance())
        self._seconds = min(2 * self._seconds, self._longest)
        return wait

    def shorten_next(self, longest: float) -> None:
        """Limit the next wait to so many seconds."""
        self._seconds = min(self._seconds, longest)

    def start_over(self) -> None:
        """Begin with the first wait again, after a success."""
        self._seconds = self._first
