"""Terminal app: what adapts Textual's App to the terminal, whatever it shows: drivers, signals, suspension, faults."""

import os
import sys
from typing import Any, ClassVar

from textual._compositor import CompositorUpdate
from textual.app import App
from textual.driver import Driver
from textual.events import Resize
from textual.screen import Screen
from textual.widget import AwaitMount

from scoville_client.tui.notifications import has_titles
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.clicks import clicking
from scoville_client.tui.terminal.colours import Colours, local_colours
from scoville_client.tui.terminal.emoji import with_emoji
from scoville_client.tui.terminal.frame import Diffed, Frame
from scoville_client.tui.terminal.hangup import detecting_hangup
from scoville_client.tui.terminal.lean_screens import Beneath, Mounting
from scoville_client.tui.terminal.restore import Ending, ended_by_signals, restoring
from scoville_client.tui.terminal.title import titled
from scoville_client.tui.terminal.visible import VisibleText
from scoville_client.tui.terminal.word_breaks import keep_no_break_spaces


class TerminalApp(App[int]):
    """Leaves the terminal as it was, however it ends. `translation` replaces characters that the terminal lacks."""

    START_REPORTS: ClassVar = 2
    """Reports of the size at the start: Textual's own, and the driver's."""

    def __init__(self, *, translation: glyphs.Table | None = None) -> None:
        keep_no_break_spaces()
        self._translation = translation
        colours = self.colours  # before Textual takes NO_COLOR out of the environment
        super().__init__()
        self._disable_tooltips = self._disable_notifications = True  # else two widgets and a layout for each screen
        self._filters.append(VisibleText())
        self.no_color = colours == "none"
        self._frame = Frame(colours)
        self.ending = Ending(self)
        self._fault: BaseException | None = None
        self._sizes_reported = 0

    @property
    def colours(self) -> Colours:
        """The terminal's colours."""
        return local_colours(is_windows=os.name == "nt", environment=os.environ)

    def get_default_screen(self) -> Screen[None]:
        """Make the screen beneath all of ours."""
        return Beneath(id="_default")

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        """Register a screen that is opened, without a second layout for it."""
        if isinstance(screen, str) or screen.is_running:
            return super()._get_screen(screen)
        mounting = Mounting(screen, self._register(self, screen))
        self.call_next(mounting)
        return screen, mounting

    def _end_batch(self) -> None:
        """Paint what was laid out while the start held all painting back: lean screens are not laid out again."""
        super()._end_batch()
        if not self._batch_count and self.screen_stack:
            self.screen.refresh()

    def _display(self, screen: Screen[object], renderable: Any) -> None:
        """Write what has changed on the terminal, instead of whole widgets."""
        if isinstance(renderable, CompositorUpdate):
            renderable = Diffed(renderable, self._frame)
        super()._display(screen, renderable)

    def on_resize(self, event: Resize) -> None:
        """Draw everything again: a terminal that has changed its size may show anything.

        The first reports come from the start, one from Textual and one from its driver; they are no changes.
        """
        self._sizes_reported += 1
        if self._sizes_reported <= self.START_REPORTS and event.size == self.size:
            return
        self._frame.forget()
        if self.is_running and event.size == self.size:  # and back again, so that Textual sees no reason
            self.refresh()

    def repaint(self) -> None:
        """Draw everything again after something else has written on the terminal."""
        self._frame.forget()
        self.refresh(layout=True)

    @property
    def shows_emoji(self) -> bool:
        """Whether the terminal is known to draw an emoji in two cells."""
        return False

    @property
    def uses_mouse(self) -> bool:
        """Whether the terminal reports clicks; without it the mouse selects text, as everywhere."""
        return False

    def configure_driver(self) -> None:
        """Let the terminal report clicks from now on, or no longer, and draw emoji as the user wants it now."""
        configure = getattr(self._driver, "configure", None)
        if configure is not None:
            configure(mouse=self.uses_mouse, emoji=self.shows_emoji)

    @property
    def draws_half_blocks(self) -> bool:
        """Whether the terminal has half blocks: every one whose characters are not replaced."""
        return self._translation is None

    def run_in_terminal(self) -> int:
        """Run until the user quits; returns the exit status. An unexpected exception is one sentence on stderr."""
        with ended_by_signals(self, self.ending):
            status = self.run(mouse=self.uses_mouse) or self.return_code or 0
        if self._fault is not None:
            from scoville_client.crash import report

            report(self._fault)
        return status

    @property
    def fault(self) -> BaseException | None:
        """The unexpected exception that has ended the app."""
        return self._fault

    @property
    def shows_titles(self) -> bool:
        """Whether the terminal has a window title."""
        return has_titles()

    @property
    def drain_seconds(self) -> float:
        """How many seconds other players get to finish their moves before the client ends."""
        return 0.0

    def finish(self, status: int = 0) -> None:
        """End with an exit status, once other players have finished their moves; a second call ends that wait."""
        self.exit(status)

    def get_driver_class(self) -> type[Driver]:
        """Wrap the driver of this platform, so that its output fits the terminal."""
        driver = clicking(restoring(super().get_driver_class()))
        if os.name == "posix":
            driver = detecting_hangup(driver)
        if has_titles():
            driver = titled(driver)
        driver = with_emoji(driver, shown=self.shows_emoji)
        return driver if self._translation is None else glyphs.translating(driver, self._translation)

    def write_to_terminal(self, sequence: str) -> None:
        """Write an escape sequence past the screens, such as the bell; callers make sure that it is harmless."""
        if self._driver is not None:
            self._driver.write(sequence)

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until `fg`; nothing of this process runs meanwhile."""
        reason = self.suspend_refusal
        if reason:
            self.show_suspend_refusal(reason)
        else:
            super().action_suspend_process()

    @property
    def suspend_refusal(self) -> str:
        """Why the process must not be suspended now; empty where it may be."""
        return ""

    def show_suspend_refusal(self, reason: str) -> None:
        """Show why the process is not suspended."""

    def _fatal_error(self) -> None:
        """Keep the exception until the terminal is restored; Textual would print it with all local variables."""
        self._fault = self._fault or sys.exc_info()[1] or self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:  # noqa: ARG002 - what Textual would print
        """Treat exceptions that can render themselves like all others."""
        self._fatal_error()
