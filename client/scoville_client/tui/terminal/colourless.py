"""Output without colours: only bold, underline and reverse remain of the styles."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.driver import Driver

_STYLE: Final = re.compile(r"\x1b\[([0-9;:]*)m")
_KEPT: Final = {"", "0", "1", "4", "7", "22", "24", "27"}
"""Reset, bold, underline, reverse, and their ends. Italics and faint text are colours on many terminals."""
_LONG: Final = {"38", "48", "58"}
_LENGTHS: Final = {"5": 2, "2": 4}
"""How many parameters follow 38, 48 or 58: an index, or three parts of a colour."""


def without_colours(data: str) -> str:
    """Remove every colour from terminal output."""
    return _STYLE.sub(lambda found: _plain(found.group(1)), data)


def _plain(parameters: str) -> str:
    kept = list(_kept(parameters.split(";")))
    return f"\x1b[{';'.join(kept)}m" if kept else ""


def _kept(parameters: list[str]) -> Iterator[str]:
    rest = iter(parameters)
    for each in rest:
        if each in _LONG:
            for _ in range(_LENGTHS.get(next(rest, ""), 1) - 1):
                next(rest, "")
        elif each in _KEPT:
            yield each


def colourless(driver: "type[Driver]") -> "type[Driver]":
    """Make a driver class that writes no colours."""

    class Colourless(driver):  # type: ignore[misc, valid-type]
        def write(self, data: str) -> None:
            super().write(without_colours(data))

    return Colourless
