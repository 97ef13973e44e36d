"""Completion of names: what is typed of a name is completed, and each further key goes on to the next name."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


class NamePlace(NamedTuple):
    """A line that ends in the beginning of a name: what stands before it, and what is typed of it."""

    before: str
    typed: str


def after_command(commands: Iterable[str], mark: str = "") -> Callable[[str], NamePlace | None]:
    """Return a function that finds the name after one of some commands, each behind `mark`."""
    names = "|".join(re.escape(name) for name in commands)
    line = re.compile(rf"(?P<before>{re.escape(mark)}(?:{names})\s+)(?P<typed>.*)", re.IGNORECASE | re.DOTALL)

    def find(text: str) -> NamePlace | None:
        found = line.fullmatch(text)
        return None if found is None else NamePlace(found["before"], found["typed"])

    return find


def fitting_names(names: Iterable[str], typed: str) -> list[str]:
    """Return the names that begin with a text, in alphabetical order, each once."""
    begun = typed.casefold()
    return sorted({name for name in names if name and name.casefold().startswith(begun)}, key=str.casefold)


class NameCompletion:
    """Completes the name at the end of a line.

    Args:
        names: Returns the names to choose from.
        find: Finds the beginning of a name in a line; None where there is none.
    """

    def __init__(self, names: Callable[[], Sequence[str]], find: Callable[[str], NamePlace | None]) -> None:
        self._names = names
        self._find = find
        self._shown = ""
        self._place = NamePlace("", "")
        self._at = 0

    def complete_line(self, text: str, step: int = 1) -> str | None:
        """Return a line with its name completed, by the next name if the line was completed before.

        Returns None where no name is typed, or where none fits.
        """
        again = bool(self._shown) and text == self._shown
        place = self._place if again else self._find(text)
        if place is None:
            return None
        names = fitting_names(self._names(), place.typed)
        if not names:
            return None
        first = 0 if step > 0 else len(names) - 1
        self._at = (self._at + step) % len(names) if again else first
        self._place = place
        self._shown = f"{place.before}{names[self._at]} "
        return self._shown
