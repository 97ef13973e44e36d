"""A terminal of pyte that takes questions which pyte does not know, as terminals do: without an answer."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyte
import pytest
from textual.drivers import headless_driver
from textual.drivers.headless_driver import HeadlessDriver

from tests.support.hostile import list_disturbances


class TerminalScreen(pyte.Screen):
    """The screen of a terminal."""

    def report_device_status(self, mode: int, **options: Any) -> None:
        """Answer nothing to a question of DEC's kind, such as that for dark or light."""
        if not options.get("private"):
            super().report_device_status(mode)


_OURS = re.compile(
    r"\x1b\[[0-9;:]*[mHABCDGJKdrqt]"  # styles, cursor, clearing, the stack of window titles
    r"|\x1b\[[?<=>][0-9;]*[hlumnpc$]+"  # modes and keyboard protocols that Textual sets
    r"|\x1b\]2;[^\x00-\x1f\x7f-\x9f]*\x1b\\"  # the window title
    r"|\x1b\]22;[a-z-]*\x07"  # the shape of the pointer
    r"|\x1bP=[12]s\x1b\\"  # synchronized output
    r"|\x07|\r\n|\n|\r"
)


class Tape:
    """Everything that a test's terminal received."""

    def __init__(self) -> None:
        self.written: list[str] = []

    @property
    def text(self) -> str:
        """Everything that was written."""
        return "".join(self.written)

    @property
    def titles(self) -> list[str]:
        """The titles that the window got."""
        return re.findall(r"\x1b\]2;([^\x1b]*)\x1b\\", self.text)

    def check(self) -> None:
        """Fail if anything in it acts on the terminal that is not the client's own, or hides."""
        assert len(self.text) > 1_000, "something was drawn"
        left = _OURS.sub("", self.text)
        assert list_disturbances(left) == [], left[:2000]
        for title in self.titles:
            assert list_disturbances(title) == []


class _Recorder(HeadlessDriver):
    """A driver of no terminal that writes to the latest tape."""

    tape: Tape
    is_headless = False  # type: ignore[assignment]

    def write(self, data: str) -> None:
        self.tape.written.append(data)


@contextmanager
def record_terminal() -> Iterator[Tape]:
    """Let every app that a test runs write to a tape what it would write to a terminal."""
    _Recorder.tape = Tape()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headless_driver, "HeadlessDriver", _Recorder)
        yield _Recorder.tape
