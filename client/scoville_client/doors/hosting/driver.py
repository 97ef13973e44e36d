"""Driver of Textual for a terminal at the other end of a channel."""

from collections.abc import Callable
from typing import Any, BinaryIO, Final, NamedTuple, TextIO

from textual.app import App
from textual.driver import Driver
from textual.events import Key, MouseEvent, Paste, Resize
from textual.geometry import Size
from textual.message import Message

from scoville_client.doors.hosting.session_limits import (
    MESSAGES_WAITING,
    RESIZE_SECONDS,
    SEQUENCE_CHARS,
    SIZE_AS_INPUTS,
)
from scoville_client.doors.hosting.terminal import Channel, Terminal, clamp_size
from scoville_client.tui.notifications import NAME, POP_TITLE, PUSH_TITLE, title_of
from scoville_client.tui.reports import ASK_SCHEME, SCHEME_ON
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.driver import MOUSE_OFF, MOUSE_ON, RESET
from scoville_client.tui.terminal.glyphs import settle_emoji
from scoville_client.tui.textual_hooks.parser import InputParser
from scoville_runtime.clock import Alarm, Clock

_TICK_SECONDS: Final = 0.12
"""Seconds after the last input when a lone Escape becomes a key; Textual's parser waits for 0.1."""
_START: Final = "\x1b[?1049h\x1b[H\x1b[2J\x1b[?25l\x1b[?7l"
"""Alternate screen, cleared; no cursor; no line wrap."""
_WINDOWED: Final = f"\x1b[?1004h\x1b[?2004h{SCHEME_ON}"
"""Reports of focus and of dark and light, bracketed paste: only where there is a window."""
_PLAIN_RESET: Final = "\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"
"""Restores a terminal without windows, which might print the rest of RESET."""


class FarTerminal(NamedTuple):
    """A user's terminal at the other end of a channel, and the bounds of what they may send.

    Attributes:
        channel: The way to it.
        terminal: Its capabilities.
        admits: Whether the session may send what costs as much as so many keys, which it counts.
        note_typing: Called for each key, click and paste.
    """

    channel: Channel
    terminal: Terminal
    admits: Callable[[int], bool]
    note_typing: Callable[[], None]


class HostedDriver(Driver):
    """Draws on a far terminal and parses its input. It starts no thread and opens no file.

    Args:
        app: The app that it serves.
        far: The user's terminal.
        clock: Clock of the time-out of escape sequences.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        far: FarTerminal,
        clock: Clock,
        debug: bool = False,  # noqa: ARG002 - it would write a file
        mouse: bool = False,
        size: tuple[int, int] | None = None,
    ) -> None:
        terminal = far.terminal
        super().__init__(app, debug=False, mouse=mouse, size=size or terminal.size)
        self._channel = far.channel
        self._terminal = terminal
        self._admits = far.admits
        self._note_typing = far.note_typing
        self._clock = clock
        self._table = glyphs.table_of_level(terminal.glyphs)
        self._parser = InputParser()
        self._tick: Alarm | None = None
        self._laid_out = size or terminal.size
        self._resizing: Alarm | None = None
        self._is_shown = False
        self._takes_input = True
        self._emoji = terminal.emoji
        self._may_ask = terminal.titles and not terminal.name.startswith("screen")

    # --- output -----------------------------------------------------------------------------------------

    def write(self, data: str) -> None:
        """Send text and escape sequences to the terminal."""
        if self._is_shown:
            self._send(data)

    def start_application_mode(self) -> None:
        """Switch the terminal to screens."""
        self._is_shown = True
        windowed = f"{_WINDOWED}{PUSH_TITLE}{title_of(NAME)}" if self._terminal.titles else ""
        self._send(f"{_START}{windowed}{self._mouse_modes}")

    def ask_background(self) -> None:
        """Ask once whether the terminal is dark or light, now that its user sees a screen.

        Not where they have typed before: who quits without looking would find the answer in their own shell.
        """
        if self._may_ask:
            self._may_ask = False
            self.write(ASK_SCHEME)

    def configure(self, *, mouse: bool, emoji: bool) -> None:
        """Switch the terminal's reports of clicks on or off, and draw emoji or letters."""
        self._emoji = emoji
        if mouse != self._mouse and self._terminal.titles:
            self._mouse = mouse
            self.write(self._mouse_modes or MOUSE_OFF)

    @property
    def _mouse_modes(self) -> str:
        """The sequence that switches clicks on, where there is a window; old terminals might print it."""
        return MOUSE_ON if self._mouse and self._terminal.titles else ""

    def stop_application_mode(self) -> None:
        """Switch everything off that was switched on."""
        self.disable_input()
        if self._is_shown:
            self._is_shown = False
            self._send(f"{title_of('')}{POP_TITLE}{RESET}" if self._terminal.titles else _PLAIN_RESET)

    def _send(self, data: str) -> None:
        data = settle_emoji(data, shown=self._emoji)
        text = data if self._table is None else data.translate(self._table)
        self._channel.write(text.encode("utf-8", "replace"))

    # --- input ------------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Parse the user's input; dropped while too many messages wait, and after the end."""
        if not self._takes_input:
            return
        self._may_ask = False
        for message in self._parser.feed(data):
            self.process_message(message)
        # A sequence that never ends would swallow all further keys.
        if self._parser.unparsed > SEQUENCE_CHARS:
            self._parser.restart()
        if self._tick is not None:
            self._tick.cancel()
        self._tick = self._clock.call_later(_TICK_SECONDS, self._time_out)

    def resize(self, size: tuple[int, int]) -> None:
        """Draw on a terminal of another size: at once, then after RESIZE_SECONDS if it has changed again by then.

        A session or a network that has sent too much waits until it may send again.
        """
        self._size = size = clamp_size(size)
        if self._takes_input and self._resizing is None:
            self._lay_out(size)

    def _lay_out(self, size: tuple[int, int]) -> None:
        """Let the app lay everything out for a size."""
        if self._admits(SIZE_AS_INPUTS):
            self._laid_out = size
            self._app.post_message(Resize(Size(*size), Size(*size)))
        # Also after a size that was not admitted, which is tried again then.
        self._resizing = self._clock.call_later(RESIZE_SECONDS, self._resize_again)

    def _resize_again(self) -> None:
        self._resizing = None
        if self._takes_input and self._size is not None and self._size != self._laid_out:
            self._lay_out(self._size)

    def send_message(self, message: Message) -> None:
        """Hand a message to the app; drop it while too many wait or came. Textual's own way is for threads."""
        # Terminals answer the first screen by themselves, such as with the focus: that is no typing.
        if isinstance(message, (Key, MouseEvent, Paste)):
            self._note_typing()
        if self._app.message_queue_size < MESSAGES_WAITING and self._admits(1):
            self._app.post_message(message)

    def disable_input(self) -> None:
        """Take no more input."""
        if self._takes_input:
            self._takes_input = False
            self._parser.close()
            for handle in (self._tick, self._resizing):
                if handle is not None:
                    handle.cancel()

    def _time_out(self) -> None:
        """Take an Escape that nothing has followed for a key."""
        if self._takes_input:
            for message in self._parser.tick():
                self.process_message(message)

    # --- what must not happen on the computer of the server ---------------------------------------------

    def open_url(self, url: str, new_tab: bool = True) -> None:
        """Do nothing: the browser would be the server's."""

    def deliver_binary(self, binary: BinaryIO | TextIO, **_: object) -> None:
        """Write no file: the disk would be the server's."""
        binary.close()
