"""Clicks: the terminal reports presses of buttons and the wheel, while the user wants that."""

from typing import Final

from textual.driver import Driver

MOUSE_ON: Final = "\x1b[?1000h\x1b[?1006h"
"""Reports presses by cells; movements would only cost bytes."""
MOUSE_OFF: Final = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"


def clicking(driver: type[Driver]) -> type[Driver]:
    """Make a driver class whose clicks can be switched on and off while it runs."""

    class Clicking(driver):  # type: ignore[misc, valid-type]
        _mouse: bool

        def _enable_mouse_support(self) -> None:
            if self._mouse:
                self.write(MOUSE_ON)
                self.flush()

        def _enable_mouse_pixels(self) -> None:
            """Keep cells: pixels would have to be converted."""

        def configure(self, *, mouse: bool, emoji: bool) -> None:  # noqa: ARG002 - at the next start
            if mouse != self._mouse:
                self._disable_mouse_support()
                self._mouse = mouse
                self._enable_mouse_support()

    return Clicking
