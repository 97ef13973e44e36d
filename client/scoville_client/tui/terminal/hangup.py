"""Detection of a terminal that has vanished: the end of its input, or an output that takes nothing more.

A terminal need not send SIGHUP when it goes: the client may run under `nohup` or `setsid`, or the terminal is not its
controlling one. Textual's driver would read the end of the input again and again, and its thread for output would end
with a traceback; the screens would then wait for it for ever.
"""

import os
import select
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Any, Final, TextIO

from textual.driver import Driver

_READ_BYTES: Final = 4_096
_TICK_SECONDS: Final = 0.1
"""How long to wait for input before Textual's parser gets to time out an escape sequence."""


class TerminalOutput:
    """Output file for Textual. `vanished` is called once, when the terminal is gone; later text is dropped."""

    def __init__(self, file: TextIO, vanished: Callable[[], None]) -> None:
        self._file = file
        self._vanished = vanished
        self._is_gone = False

    def write(self, text: str) -> None:
        """Write to the terminal, however long it takes it; other programs may have made it non-blocking."""
        waiting = memoryview(text.encode(self._file.encoding, "backslashreplace"))
        while waiting and not self._is_gone:
            try:
                waiting = waiting[os.write(self.fileno(), waiting) :]
            except BlockingIOError:
                select.select([], [self.fileno()], [])
            except OSError:
                self._is_gone = True
                self._vanished()

    def flush(self) -> None:
        """Do nothing: everything is written at once."""

    def fileno(self) -> int:
        """Return the number of the file."""
        return self._file.fileno()


def detecting_hangup(driver: type[Driver]) -> type[Driver]:
    """Make a driver for Unix that calls `ending.terminal_vanished()` of its App, a Window, when that happens."""
    from textual._xterm_parser import XTermParser

    class DetectingHangup(driver):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            file: Any = self._file
            self._file: Any = TerminalOutput(file, self._app.ending.terminal_vanished)

        def run_input_thread(self) -> None:
            """Read what is typed until the driver stops or the terminal vanishes, in place of Textual's own loop."""
            parser = XTermParser(self._debug)
            decode = getincrementaldecoder("utf-8")(errors="replace").decode  # not every terminal writes UTF-8
            while not self.exit_event.is_set():
                if select.select([self.fileno], [], [], _TICK_SECONDS)[0]:
                    data = _read(self.fileno)
                    if not data:
                        self._app.ending.terminal_vanished()
                        return
                    for message in parser.feed(decode(data)):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    return DetectingHangup


def _read(number: int) -> bytes:
    """Read what a terminal has; nothing when it is at its end, or has failed."""
    try:
        return os.read(number, _READ_BYTES)
    except OSError:
        return b""
