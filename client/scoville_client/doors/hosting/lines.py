"""Hosted line mode: the client in lines of text on a channel, for pipes and terminals without screens."""

import asyncio
from codecs import getincrementaldecoder
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Final

from rich.cells import cell_len

from scoville_client.doors.hosting.events import VisitReport
from scoville_client.doors.hosting.session import (
    CRASHED,
    LOG,
    IdleLimit,
    Shared,
    StallLimit,
    describe_idling,
    own_language,
)
from scoville_client.doors.hosting.terminal import Channel, Terminal
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.i18n.language import render, translator
from scoville_client.output import make_harmless
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command_table import name_completion
from scoville_client.plain.input.stdin import TypedLines
from scoville_client.plain.main import run_conversation
from scoville_client.plain.output import TextOutput
from scoville_client.session import hosting
from scoville_client.session.start_options import Start
from scoville_runtime.clock import Clock
from scoville_shared.engine.phrases import Phrase

LONGEST: Final = 1_000
"""Characters of a line; further ones are not taken."""
_ENTER: Final = "\r\n"
_BACKSPACE: Final = "\x7f\b"
_CLEAR, _END, _INTERRUPT, _ESCAPE, _TAB = "\x15", "\x04", "\x03", "\x1b", "\t"


class LineEditor:
    """Makes lines of typed bytes, and echoes them through `write` unless `hidden` is set.

    Attributes:
        complete: Returns a line with its name completed, for Tab; None where there is nothing to complete.
        ended: Whether the user has ended the input, by Ctrl+C or, on an empty line, Ctrl+D.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.complete: Callable[[str], str | None] = lambda _: None
        # The bytes of one character may arrive apart.
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._typed = ""
        self._escape = ""
        self._after_return = False
        self.hidden = False
        self.ended = False

    def type_bytes(self, data: bytes) -> Iterator[str]:
        """Yield the lines that are complete."""
        for char in self._decode(data):
            if self.ended:
                return
            if self._escape or char == _ESCAPE:
                self._skip_escape(char)
            elif char in _ENTER:
                # A carriage return and the line feed behind it are one Enter.
                if not (char == "\n" and self._after_return):
                    yield self._finish_line()
            else:
                self._edit_line(char)
            self._after_return = char == "\r"

    def write_above(self, line: str) -> None:
        """Write a line above the user's input."""
        shown = "" if self.hidden else self._typed
        self._write(f"{self._erase_text(shown)}{line}\r\n{shown}")

    def _finish_line(self) -> str:
        line, self._typed = self._typed, ""
        self._write("\r\n")
        return line

    def _edit_line(self, char: str) -> None:
        if char in _BACKSPACE:
            gone, self._typed = self._typed[-1:], self._typed[:-1]
            self._echo_text(self._erase_text(gone))
        elif char == _CLEAR:
            gone, self._typed = self._typed, ""
            self._echo_text(self._erase_text(gone))
        elif char == _TAB:
            self._complete_name()
        elif char == _INTERRUPT or (char == _END and not self._typed):
            self.ended = True
        elif char.isprintable() and len(self._typed) < LONGEST:
            self._typed += char
            self._echo_text(char)

    def _complete_name(self) -> None:
        completed = None if self.hidden else self.complete(self._typed)
        if completed is not None and len(completed) <= LONGEST:
            self._echo_text(f"{self._erase_text(self._typed)}{completed}")
            self._typed = completed

    def _skip_escape(self, char: str) -> None:
        """Ignore an escape sequence, such as that of an arrow key."""
        self._escape += char
        begun = self._escape in (_ESCAPE, f"{_ESCAPE}[", f"{_ESCAPE}O")
        # A sequence that never ends must not swallow the user's input for ever.
        if not begun and (char.isalpha() or char == "~" or len(self._escape) > 16 or self._escape[1] not in "[O"):
            self._escape = ""

    def _echo_text(self, text: str) -> None:
        if not self.hidden:
            self._write(text)

    @staticmethod
    def _erase_text(text: str) -> str:
        return "\b \b" * cell_len(text)


LINES_WAITING: Final = 1_000
"""Typed lines that wait to be obeyed; further ones are dropped."""
LINE_SECONDS: Final = 0.1
"""Seconds until a session looks again whether its budget has room for a line."""
LONGEST_LINE: Final = 4_096
"""Bytes of a piped line; a longer one ends the input."""


class FedLines(TypedLines):
    """Lines that the owner of a channel adds by `add_bytes`.

    Args:
        editor: Makes lines of a terminal's input; None where whole lines come.
        may_obey: Returns once the next line may be obeyed.
        hide: Lets the other end hide what is typed next, or no longer; None where nobody types, as in a pipe.
    """

    def __init__(
        self,
        editor: LineEditor | None,
        may_obey: Callable[[], Awaitable[None]],
        hide: Callable[[bool], None] | None = None,
    ) -> None:
        super().__init__()
        self._may_obey = may_obey
        self._editor = editor
        self._hide = hide
        self._rest = b""

    @property
    def is_terminal(self) -> bool:
        """Whether a user types, on a terminal or in a page."""
        return self._hide is not None

    @property
    def hides(self) -> bool:
        return self._hide is not None

    async def read_next(self) -> str | None:
        """Return the next line, or None at the end of the input, also on later calls."""
        await self._may_obey()
        return await super().read_next()

    async def read_secret(self) -> str | None:
        if self._hide is None:
            return await self.read_next()
        self._hide(True)
        try:
            return await self.read_next()
        finally:
            self._hide(False)

    def add_bytes(self, data: bytes) -> None:
        """Add typed or piped text."""
        if self._editor is not None:
            lines = [*self._editor.type_bytes(data)]
        else:
            *whole, self._rest = (self._rest + data).split(b"\n")
            lines = [line.decode("utf-8", "replace").rstrip("\r") for line in whole]
        for line in lines:
            if self._lines.qsize() < LINES_WAITING:
                self.add_line(line)
        if len(self._rest) > LONGEST_LINE or (self._editor is not None and self._editor.ended):
            self.end()

    def close(self) -> None:
        """End the input after a piped line without a line break."""
        if self._rest:
            self.add_line(self._rest.decode("utf-8", "replace"))
            self._rest = b""
        self.end()


class HostedLineApp(LineModeApp):
    """The line mode of one visitor: on the link of the door, and without files."""

    is_hosted = True

    def __init__(self, visitor: Visitor, output: TextOutput, typed: TypedLines, clock: Clock) -> None:
        super().__init__(visitor.start, output, typed, clock)
        self._visitor = visitor

    async def _connect(self, start: Start) -> hosting.Running:
        self.session.connection.hosted = identity = self._visitor.identity
        running = await hosting.begin_session(self.session, start, self.clock, self._visitor.link())
        if identity is not None and identity.complaint is not None:
            self.output.write([identity.complaint])
        self.output.copy(self._visitor.preamble)
        return running


class HostedLines:
    """Runs the line mode of one user in a task; used like a `HostedSession`.

    Args:
        visitor: The visit.
        channel: The way to the user.
        terminal: Capabilities of the user's terminal.
        shared: State that all sessions share.
        typed_on_terminal: Whether a user types on a terminal, which needs an echo and lines.
        hide: Hides what is typed at the other end, which sends whole lines, or no longer; None for a pipe.
    """

    def __init__(
        self,
        visitor: Visitor,
        channel: Channel,
        terminal: Terminal,
        shared: Shared,
        *,
        typed_on_terminal: bool,
        hide: Callable[[bool], None] | None = None,
    ) -> None:
        self._visitor = visitor
        self._figures = shared.figures
        self._channel = shared.figures.count_channel(channel)
        self._ascii = terminal.glyphs == "ascii"
        self._clock = shared.clock
        self._idle_seconds = shared.idle_seconds
        self._budget = shared.budgets.open_budget(visitor.address)
        self._garbage = shared.garbage
        self._garbage.note_session()
        self._line_end = "\r\n" if typed_on_terminal else "\n"
        self._editor = LineEditor(self._send_text) if typed_on_terminal else None
        self._typed = FedLines(self._editor, self._wait_for_budget, self._hide_typed if typed_on_terminal else hide)
        self._is_gone = False
        self._ending: Phrase | None = None
        self._stalled = StallLimit(self._clock, shared.stalled_seconds, self._channel)
        self._report = VisitReport(shared.events, shared.clock, visitor.label, "lines")
        self._idle = IdleLimit(self._clock, self._idle_seconds, self._end_idle)
        self.task = asyncio.get_running_loop().create_task(
            self._run_app(), name="hosted lines", context=own_language(terminal)
        )

    async def _wait_for_budget(self) -> None:
        """Wait until the user and their network may send one more line: each costs as much as a key."""
        while not self._budget.take_inputs():
            await self._clock.sleep(LINE_SECONDS)

    def _hide_typed(self, hidden: bool) -> None:
        if self._editor is not None:
            self._editor.hidden = hidden

    def receive(self, data: bytes) -> None:
        """Take the user's input."""
        self._idle.note_input()
        self._figures.count_read(len(data))
        self._garbage.note_input()
        self._typed.add_bytes(data)

    def input_ended(self) -> None:
        """Take the end of piped input: obey what waits, then end."""
        self._typed.close()

    def resize(self, size: tuple[int, int]) -> None:
        """Do nothing: lines have no size."""

    def pause(self) -> None:
        """Cut the connection if the channel stays full."""
        self._stalled.begin()

    def resume(self) -> None:
        """Note that the channel takes bytes again."""
        self._stalled.end()

    def lose_connection(self) -> None:
        """End after the connection was lost; the seat waits for the user."""
        # Once: a second time it would cut short what the first one has begun, and leave a connection open.
        if not self._is_gone:
            self._is_gone = True
            self.task.cancel()

    def end(self, reason: Phrase) -> None:
        """End the session, and tell the user why."""
        self._ending = self._ending or reason
        self._report.reason = self._report.reason or "closed"
        self._typed.end()

    def _end_idle(self) -> None:
        self._report.reason = self._report.reason or "idle"
        self.end(describe_idling(self._idle_seconds))

    async def _run_app(self) -> None:
        status = 1
        app = HostedLineApp(self._visitor, TextOutput(self._write_line), self._typed, self._clock)
        if self._editor is not None:
            self._editor.complete = name_completion(app).complete_line
        try:
            # `lose_connection` cancels the task.
            with suppress(asyncio.CancelledError):
                status = await run_conversation(app)
        except Exception as error:  # noqa: BLE001 - one session must not end the others
            self._report.report_crash(error)
            LOG.error("A session has crashed", exc_info=error)
            self._ending = CRASHED
        finally:
            self._idle.cancel()
            self.resume()
            self._garbage.note_session()
            self._report.report_end(lost=self._is_gone)
            if not self._is_gone:
                if self._ending is not None:
                    self._write_line(render(self._ending))
                self._channel.end(status)

    def _write_line(self, line: str) -> None:
        line = make_harmless(line, ascii_only=self._ascii or translator.get().plainly)
        if self._editor is None:
            self._send_text(f"{line}{self._line_end}")
        else:
            self._editor.write_above(line)

    def _send_text(self, text: str) -> None:
        if not self._is_gone:
            self._channel.write(text.encode("utf-8", "replace"))
