"""Exchange with the terminal beside the screens: what it shows outside of them, and what it answers about itself."""

import os
from typing import Final

from scoville_client.settings.preferences import Preferences
from scoville_client.settings.terminals import CHILLI, EMOJI, Terminals, measure_emoji
from scoville_client.tui.notifications import Notifier
from scoville_client.tui.reports import ASK_BACKGROUND
from scoville_client.tui.terminal.driver import SAMPLES
from scoville_client.tui.terminal.output import TerminalOutput
from scoville_client.tui.terminal.progress import TerminalProgress
from scoville_client.tui.user_settings import UserSettings

_MOST: Final = len(SAMPLES)


class TerminalExchange:
    """Speaks with the terminal through `output`; the `settings` follow what it answers.

    Attributes:
        notifier: Bell, window title and notices on the desktop.
        progress: What the tab shows.
    """

    def __init__(self, output: TerminalOutput, settings: UserSettings) -> None:
        self._output = output
        self._settings = settings
        self._terminal = terminal = settings.terminal
        write = output.write_sequence
        self.notifier = Notifier(write, titles=terminal.titles, notices=terminal.notices, tmux=terminal.tmux)
        self.progress = TerminalProgress(write, knows=terminal.shows_progress)
        self._widths: list[int] = []
        self.allow_kinds(settings.preferences)

    def allow_kinds(self, allowed: Preferences) -> None:
        """Show only what the user allows."""
        self.notifier.allow_kinds(bell=allowed.bell, title=allowed.title, desktop=allowed.desktop)
        self.progress.enabled = allowed.title

    def note_focus(self, *, focused: bool) -> None:
        """Note whether the window is in front; one that has come there may look otherwise since."""
        self.notifier.note_focus(focused=focused)
        if focused and self._terminal.asks_again:
            self._output.write_sequence(ASK_BACKGROUND)

    def note_column(self, column: int) -> None:
        """Take the answer to the question how wide a sample is; all of them are remembered."""
        self._widths.append(column)
        if len(self._widths) == _MOST and self._terminal.unmeasured:
            measured = measure_emoji(self._widths)
            Terminals.of_user().remember(os.environ, measured)
            self._settings.note_widths(emoji=measured.shows(EMOJI), chilli=measured.shows(CHILLI))
            self._output.redraw_all()
