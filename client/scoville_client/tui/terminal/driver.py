"""Driver of Textual that fits the terminal of this process, and restores it at every end of the client.

A terminal need not send SIGHUP when it goes: the client may run under `nohup` or `setsid`, or the terminal is not its
controlling one. Textual's driver would read the end of the input again and again, and its thread for output would end
with a traceback; the screens would then wait for it for ever.
"""

import asyncio
import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import Any, Final, TextIO

from textual.driver import Driver

from scoville_client.settings.terminals import CHILLI, EMOJI
from scoville_client.tui.notifications import NAME, POP_TITLE, PUSH_TITLE, title_of
from scoville_client.tui.reports import ASK_BACKGROUND, ASK_SCHEME, SCHEME_OFF, SCHEME_ON
from scoville_client.tui.terminal.glyphs import settle_emoji
from scoville_client.tui.terminal.pictures import ASK_PICTURES
from scoville_client.tui.terminal.progress import NO_PROGRESS
from scoville_client.tui.terminal.traits import TerminalTraits
from scoville_client.tui.textual_hooks.parser import InputParser
from scoville_runtime.clock import SYSTEM

MOUSE_ON: Final = "\x1b[?1000h\x1b[?1006h"
"""Reports presses by cells."""
_MOVEMENTS_ON: Final = "\x1b[?1003h"
"""Reports movements as well: only here, since through a door each would be a message over the network."""
MOUSE_OFF: Final = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"
RESET: Final = (
    "\x1b[?2026l"  # show what is drawn at once
    f"{MOUSE_OFF}"
    "\x1b[?2004l\x1b[?2048l\x1b[?1004l"  # bracketed paste, reports of size and focus
    f"{SCHEME_OFF}"
    "\x1b[<u"  # kitty's keyboard protocol
    "\x1b[?7h\x1b[0m"  # line wrap, colours
    "\x1b[?1049l\x1b[?25h"  # the screen as it was before, and the cursor
)
"""Makes a terminal usable again, whatever was switched on."""
RESTORE_SECONDS: Final = 2.0
"""How long a terminal may take to read what restores it before the client ends without."""
SAMPLES: Final = (EMOJI, CHILLI)
"""Characters that are measured at the first start in a terminal."""
_READ_BYTES: Final = 4_096
_TICK_SECONDS: Final = 0.1
"""How long to wait for input before Textual's parser gets to time out an escape sequence."""


def fit_driver(driver: type[Driver], terminal: TerminalTraits, *, emoji: bool) -> type[Driver]:
    """Make a driver class for a terminal; `emoji` says whether it shows them."""
    adapted = _adapt_driver(_make_detecting(driver) if os.name == "posix" else driver, terminal, emoji=emoji)
    return _make_restoring(adapted, terminal)


def _adapt_driver(driver: type[Driver], terminal: TerminalTraits, *, emoji: bool) -> type[Driver]:
    """Make a driver class for our output, whose clicks can be switched on and off."""

    class Adapting(driver):  # type: ignore[misc, valid-type]
        _mouse: bool
        _emoji = emoji

        def write(self, data: str) -> None:
            # Emoji first: the table would turn them into question marks.
            text = settle_emoji(data, shown=self._emoji)
            super().write(text if terminal.table is None else text.translate(terminal.table))

        def ask_widths(self) -> None:
            """Ask how wide emoji are, as they are: the answers are positions of the cursor, in the order of SAMPLES."""
            super().write("".join(f"\x1b[H{sample}\x1b[6n\x1b[H\x1b[K" for sample in SAMPLES))

        def configure(self, *, mouse: bool, emoji: bool) -> None:
            self._emoji = emoji
            if mouse != self._mouse:
                self._disable_mouse_support()
                self._mouse = mouse
                self._enable_mouse_support()

        def _enable_mouse_support(self) -> None:
            if self._mouse:
                self.write(MOUSE_ON + _MOVEMENTS_ON)
                self.flush()

        def _enable_mouse_pixels(self) -> None:
            """Keep cells: pixels would have to be converted."""

    return Adapting


def _make_restoring(driver: type[Driver], terminal: TerminalTraits) -> type[Driver]:
    """Make a driver class that can restore the terminal at any moment, and repaints after a suspension."""

    class Restoring(driver):  # type: ignore[misc, valid-type]
        in_use = False
        loop: asyncio.AbstractEventLoop | None = None

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            # By the same thread again: a second signal may come while the terminal is waited for.
            self._restoring = RLock()

        def start_application_mode(self) -> None:
            # Before the modes are switched: a signal in between must switch them back.
            self.in_use, self.loop = True, asyncio.get_running_loop()
            super().start_application_mode()
            # A client in the background is stopped before Textual's thread writes; the title waits until it is resumed.
            if terminal.titles and getattr(self, "_writer_thread", self) is not None:
                self.write(PUSH_TITLE + title_of(NAME))
            if getattr(self, "_writer_thread", self) is not None:
                _ask_terminal(self, terminal)

        def stop_application_mode(self) -> None:
            # An empty title first: not every terminal has a stack of titles to take the old one from.
            if ending := f"{title_of('') if terminal.titles else ''}{_ending_of(self, terminal)}":
                self.write(ending)
            super().stop_application_mode()
            # Textual writes in a thread: until it has written all, the terminal still has to be restored.
            self.close()
            self.in_use = False

        def resume_application_mode(self) -> None:
            super().resume_application_mode()
            asyncio.get_running_loop().call_soon_threadsafe(self._app.action_redraw)

        def restore(self) -> None:
            # The thread that ends a stuck client must wait for one that already restores: the process ends right after.
            with self._restoring:
                if not self.in_use:
                    return
                with suppress(OSError, ValueError, AttributeError):  # the terminal may be gone
                    number = sys.__stderr__.fileno()  # type: ignore[union-attr]
                    ending = f"{_ending_of(self, terminal)}{RESET}"
                    write_patiently(number, ending.encode(), RESTORE_SECONDS)
                _set_modes(self)
                # Last, so that a signal in between restores all of it: the process ends in its handler.
                self.in_use = False

    return Restoring


def _ask_terminal(driver: Any, terminal: TerminalTraits) -> None:
    """Ask a terminal for its traits; the answers come with the input."""
    if terminal.asks:
        driver.write(SCHEME_ON + ASK_SCHEME + ASK_BACKGROUND)
    if terminal.asks_pictures:
        driver.write(ASK_PICTURES)
    if terminal.unmeasured:
        driver.ask_widths()


def _ending_of(driver: Any, terminal: TerminalTraits) -> str:
    """Return the bytes that undo changes of a terminal beside Textual's."""
    title = POP_TITLE if terminal.titles else ""
    # Before the screen changes: each of the two has its own pictures.
    pictures = driver._app.pictures.removal_sequence if terminal.asks_pictures else ""  # noqa: SLF001
    scheme, progress = (SCHEME_OFF if terminal.asks else ""), (NO_PROGRESS if terminal.shows_progress else "")
    return f"{pictures}{title}{scheme}{progress}"


def _set_modes(driver: Any) -> None:
    """Set the modes that the terminal had before; only Unix has them."""
    modes = getattr(driver, "attrs_before", None)
    if modes is not None:
        import termios

        with suppress(termios.error, OSError):  # the terminal has vanished
            termios.tcsetattr(driver.fileno, termios.TCSANOW, modes)


def write_patiently(number: int, data: bytes, seconds: float) -> None:
    """Write to a terminal, which other programs may have made non-blocking, but give up after so many seconds.

    A terminal that is slow to read, as over a network, would otherwise lose what restores it.
    """
    waiting, end = memoryview(data), SYSTEM.seconds() + seconds
    while waiting and select.select([], [number], [], max(0.0, end - SYSTEM.seconds()))[1]:
        # The terminal may have room for less than is written.
        with suppress(BlockingIOError):
            waiting = waiting[os.write(number, waiting) :]


class TerminalFile:
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
        return self._file.fileno()


def _make_detecting(driver: type[Driver]) -> type[Driver]:
    """Make a driver class for Unix that calls `ending.note_vanished` of its app once the terminal has vanished."""

    class DetectingHangup(driver):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            file: Any = self._file
            self._file: Any = TerminalFile(file, self._app.ending.note_vanished)

        def run_input_thread(self) -> None:
            """Read what is typed until the driver stops or the terminal vanishes, in place of Textual's own loop."""
            parser = InputParser()
            while not self.exit_event.is_set():
                if select.select([self.fileno], [], [], _TICK_SECONDS)[0]:
                    data = _read_input(self.fileno)
                    if not data:
                        self._app.ending.note_vanished()
                        return
                    for message in parser.feed(data):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    return DetectingHangup


def _read_input(number: int) -> bytes:
    """Read the terminal's input; nothing when it is at its end, or has failed."""
    try:
        return os.read(number, _READ_BYTES)
    except OSError:
        return b""
