"""Log dialog: everything that happened at a table."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.scrolling import SCROLLING, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import TextView


class LogDialog(Dialog[None], ScrollingDialog):
    """Shows the lines that `lines` returns, the newest at the end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,l,q", "close", show=False),
        *SCROLLING,
        Binding("home,g", "first", show=False),
        Binding("end,G", "last", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Arrange the log in a box as tall as the terminal."""
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Log"), classes="heading")
            yield TextView(self._lines)
            yield KeyHints(self._keys)
        yield TooSmall()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the lines know it
        """Show new lines."""
        self.text_view.repaint()

    def action_first(self) -> None:
        """Go to the oldest line."""
        self.text_view.to_start()

    def action_last(self) -> None:
        """Go to the newest line."""
        self.text_view.to_end()

    @staticmethod
    def _keys() -> Sequence[Hint]:
        return ((f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), (tr("Esc"), tr("close")))
