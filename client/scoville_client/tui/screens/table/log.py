"""Log dialog: everything that happened at a table; each line leads to its moment in the game."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import MarkedText, TextView


class LogDialog(Dialog[int | None], ScrollingDialog):
    """Shows the lines that `lines` returns, the newest at the end.

    Where `leads` says so, Enter returns the number of the line at the top, to look back at its moment; else it closes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,l,q", "close", show=False),
        Binding("enter,left_square_bracket", "choose", show=False),
        *SCROLLING,
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, lines: Callable[[], Sequence[str]], *, leads: bool = False) -> None:
        super().__init__()
        self._lines = lines
        self._leads = leads

    def compose(self) -> ComposeResult:
        """Arrange the log in a box as tall as the terminal."""
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Log"), classes="heading")
            yield MarkedText(self._lines) if self._leads else TextView(self._lines, newest="strong")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the lines know it
        self.text_view.repaint()

    def action_choose(self) -> None:
        text = self.text_view
        self.dismiss(text.marked if isinstance(text, MarkedText) else None)

    def _list_hints(self) -> Sequence[Hint]:
        if self._leads:
            return (f"↑ ↓ {tr('PgUp PgDn')}", tr("line")), (tr("Enter"), tr("look back")), (tr("Esc"), tr("close"))
        return (f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), (tr("Esc"), tr("close"))
