"""A terminal of pyte that takes questions which pyte does not know, as terminals do: without an answer."""

from typing import Any

import pyte


class TerminalScreen(pyte.Screen):
    """The screen of a terminal."""

    def report_device_status(self, mode: int, **options: Any) -> None:
        """Answer nothing to a question of DEC's kind, such as that for dark or light."""
        if not options.get("private"):
            super().report_device_status(mode)
